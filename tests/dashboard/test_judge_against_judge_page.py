"""Two judges, or two ways of asking one, on the same debates."""

import pytest
from published_stub import publish_stub
from stub_verdicts import CLOSER, DATASET, EXPERIMENT, FAIR, SECOND, TEMPLATE, variant_id

from dashboard.debates import queries as verdict_queries
from dashboard.debates.evidence import CELLS
from dashboard.debates.queries import Side
from dashboard.judges import comparison_queries


@pytest.fixture
def judged(home):
    return publish_stub(home, verdicts=True)


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_without_a_comparison_the_page_names_the_commands(open_page, published):
    app = open_page("judge_against_judge")
    assert not app.exception
    assert "No judge has named the winner of a debate yet" in _text(app)
    assert "rostrum run debate-winner" in app.code[0].value


def test_the_page_opens_with_the_two_judges_that_differ_most(open_page, judged):
    app = open_page("judge_against_judge")
    assert not app.exception
    assert not app.error
    first = app.selectbox(key="judge_against_judge_judge").options[0]
    assert " against " in first
    headline = next(one.value for one in app.markdown if one.value.startswith("#### "))
    assert "names people's winner" in headline
    assert "adjusted p" in headline
    assert len(app.metric) == 4
    assert "They name the same winner in" in _text(app)


def test_the_debates_they_split_on_are_listed_without_a_click(open_page, judged):
    app = open_page("judge_against_judge", judge=f"{SECOND}|{FAIR}")
    assert "debates on which the two name different winners**" in _text(app)
    listed = next(one.value for one in app.dataframe if "second says" in one.value.columns)
    assert (listed["first says"] != listed["second says"]).all()


@pytest.mark.parametrize("kind", ["judge", "template"])
def test_a_cell_counts_as_many_debates_as_it_lists(judged, kind):
    pairs = comparison_queries.judges(judged, DATASET, EXPERIMENT, kind).frame
    for first, second in zip(pairs["judge_a"], pairs["judge_b"], strict=True):
        row = comparison_queries.pairs(judged, DATASET, EXPERIMENT, kind, first, second).frame.iloc[
            0
        ]
        sides = [
            Side(EXPERIMENT, DATASET, row[f"judge_{one}"], row[f"variant_{one}"]) for one in "ab"
        ]
        for cell in ("both_right", "only_a_right", "only_b_right", "both_wrong"):
            answer = verdict_queries.debates(judged, CELLS[f"compare.{cell}"][0], *sides)
            assert len(answer.frame) == row[cell], cell


def test_two_prompts_of_one_judge_are_named_by_what_differs(open_page, judged):
    app = open_page("judge_against_judge", comparison="template", judge=f"{SECOND}|{SECOND}")
    assert not app.exception
    headline = next(one.value for one in app.markdown if one.value.startswith("#### "))
    assert "winner\\_explained" in headline
    assert SECOND not in headline.replace("\\", "")


def test_a_count_opens_its_debates_with_the_answers_of_both(open_page, judged):
    variant = variant_id(TEMPLATE, "A/B", "pro_first")
    app = open_page("judge_against_judge", judge=f"{SECOND}|{CLOSER}")
    app.button(key="judge_against_judge_cell_compare.only_a_right").click().run()
    assert app.query_params["cell"] == "compare.only_a_right"
    assert (app.query_params["by"], app.query_params["with"]) == (SECOND, CLOSER)
    app = open_page(
        "judge_against_judge",
        judge=f"{SECOND}|{CLOSER}",
        cell="compare.split",
        by=SECOND,
        a=variant,
        b=variant,
        debate=f"{DATASET}:020",
        **{"with": CLOSER},
    )
    answers = next(one.value for one in app.dataframe if "says" in one.value.columns)
    assert set(answers["judge"].head(2)) == {SECOND, CLOSER}
