"""Two judges, or two ways of asking one, on the same debates."""

from shown import headline, row, table, text

from dashboard.core.labels import percent
from dashboard.debates import queries as verdict_queries
from dashboard.debates.evidence import CELLS
from dashboard.debates.labels import effect_in
from dashboard.debates.queries import Side
from dashboard.judges import comparison_queries
from warehouse.reader import connect

PAGE = "judge_against_judge"
DATASET, EXPERIMENT = "sample-debates", "debate-winner"
SECOND, CLOSER, FAIR = "simulated/second-position", "rule/concluding-side", "simulated/fair"


def test_the_page_opens_with_a_comparison_that_is_not_chosen_for_its_size(shown_page, changed):
    version = changed(
        "update rpt_verdict_comparison set difference = 0.9 where judge_b > 'simulated/g'"
    )
    app = shown_page(PAGE)
    assert not app.error
    most = row(
        version,
        "select rpt_verdict_comparison.* from rpt_verdict_comparison inner join dim_variant on "
        "variant_a = variant_id where comparison = 'judge' order by n_units desc, judge_a, judge_b, "
        "dim_variant.template, verbalizer, position limit 1",
    )
    first = app.selectbox(key=f"{PAGE}_judge").options[0]
    assert first == f"{most['judge_a']} against {most['judge_b']}"
    said = headline(app)
    assert f"{percent(most['accuracy_a'])} against {percent(most['accuracy_b'])} of 240" in said
    assert f"a difference of {effect_in(most, 'difference')} (adjusted p" in said
    # The first of three is in the headline, with its interval.
    assert [one.label for one in app.metric] == ["Difference in Con", "Cohen's κ"]
    assert f"They name the same winner in {percent(most['agreement'])}" in text(app)


def test_the_debates_they_split_on_are_listed_without_a_click(shown_page, demo):
    app = shown_page(PAGE, judge=f"{FAIR}|{SECOND}")
    assert "debates on which the two name different winners**" in text(app)
    listed = table(app, "second says")
    assert (listed["first says"] != listed["second says"]).all()


def test_a_cell_counts_as_many_debates_as_it_lists(demo):
    with connect(demo):
        pairs = comparison_queries.judges(demo, DATASET, EXPERIMENT, "judge").frame
        assert len(pairs) == 10
        for names in zip(pairs["judge_a"], pairs["judge_b"], strict=True):
            found = comparison_queries.pairs(demo, DATASET, EXPERIMENT, "judge", *names)
            first = found.frame.iloc[0]
            sides = [
                Side(EXPERIMENT, DATASET, first[f"judge_{one}"], first[f"variant_{one}"])
                for one in "ab"
            ]
            for cell in ("both_right", "only_a_right", "only_b_right", "both_wrong"):
                answer = verdict_queries.debates(demo, CELLS[f"compare.{cell}"][0], *sides)
                assert len(answer.frame) == first[cell], cell


def test_a_count_opens_its_debates_with_the_answers_of_both(open_page, demo):
    app = open_page(PAGE, judge=f"{CLOSER}|{SECOND}")
    app.button(key=f"{PAGE}_cell_compare.only_a_right").click().run()
    assert app.query_params["cell"] == "compare.only_a_right"
    assert (app.query_params["by"], app.query_params["with"]) == (CLOSER, SECOND)
    listed = table(app, "second says")
    app.query_params["debate"] = listed["debate"][0]
    app.run()
    answers = table(app, "says")
    assert set(answers["judge"].head(2)) == {SECOND, CLOSER}


def test_a_difference_that_is_not_known_is_said_with_its_reason(shown_page, changed):
    changed("update rpt_verdict_comparison set difference = null, reason = 'nobody was asked'")
    app = shown_page(PAGE)
    assert "cannot be compared with people's winner: nobody was asked" in headline(app)
    assert app.metric[0].value == "–"
