"""Can this metric be trusted: our figures, the paper's beside them, and what is missing."""

import pytest
from published_stub import publish_stub
from stub_questions import DATASET
from stub_trust import POOR_JUDGE

PAGE = "metric_trust"


@pytest.fixture
def judged(home):
    return publish_stub(home, questions=True, printed=True)


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def _table(app, column):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def test_with_nothing_evaluated_every_part_names_its_command_and_the_paper_stands_alone(
    open_page, home
):
    publish_stub(home, printed=True)
    app = open_page(PAGE)
    assert not app.exception
    commands = "\n".join(code.value for code in app.code)
    assert "rostrum import preferences.jsonl --format preferences" in commands
    assert "rostrum import labels.jsonl --format dispute-labels" in commands
    assert "rostrum run perspective-diversity --judge local/ANOTHER" in commands
    assert "rostrum run missing-viewpoints --judge" in commands
    assert list(_table(app, "model behind it")["Spearman"])[:2] == [0.825, 0.82]
    assert list(_table(app, "answers with more (%)")["model"])[:2] == ["GPT-4o", "Llama3 70B"]
    assert not app.metric


def test_with_nothing_printed_and_nothing_evaluated_the_page_still_stands(open_page, home):
    publish_stub(home)
    app = open_page(PAGE)
    assert not app.exception
    assert "What the paper prints" not in _text(app)


def test_the_page_states_how_close_to_people_and_whether_judges_beat_a_constant(open_page, judged):
    app = open_page(PAGE)
    assert not app.exception
    said = next(one.value for one in app.markdown if one.value.startswith("#### "))
    said = said.replace("\\", "")
    # Six metrics have enough questions and no paired test compares them, so none is named.
    assert (
        "by 6 metrics correlate with people's: Spearman 0.290 [0.210,\u00a00.370] to 0.740" in said
    )
    assert " on 30 questions, people among themselves 0.820" in said
    assert "tiny-reader" not in said
    assert "1 of 3 judges of D.A. is right more often than always answering 1" in said
    assert "[5.00,\u00a017.0] on 88 to 100 answers" in said
    assert f"{POOR_JUDGE} gave no readable judgement of 12.0\u00a0%" in said
    assert [metric.value for metric in app.metric] == ["0.740", "+11.0\u00a0pp", "0.600", "0.710"]
    assert len(app.get("vega_lite_chart")) == 3


def test_always_answering_1_stands_beside_every_judge_and_failures_are_bounded(open_page, judged):
    app = open_page(PAGE)
    assert set(_table(app, "always 1 (%)")["always 1 (%)"]) == {75.0}
    assert "12 judgements failed; left out. Counted all wrong and all right" in _text(app)
    printed = _table(app, "against always 1 (pp)")
    assert "always 1" in set(printed["metric"])
    best = printed[printed["model behind it"] == "Phi-3 medium"].iloc[0]
    assert best["against always 1 (pp)"] == pytest.approx(4.0)


def test_what_is_undefined_is_listed_with_its_reason(open_page, judged):
    app = open_page(PAGE)
    aligned = _table(app, "answers without a score")
    assert set(aligned["why unknown"].dropna()) == {"every ranking is tied"}
    pairs = _table(app, "τ")
    assert "fewer than two models" in set(pairs["why unknown"].dropna())
    assert "1 of 3 pairs of orders is the same throughout." in _text(app)


def test_the_way_of_ranking_is_chosen_in_the_url(open_page, judged):
    app = open_page(PAGE, dataset=DATASET, method="elo")
    assert not app.exception
    assert app.selectbox(key=f"{PAGE}_method").value == "elo"
    assert any("ranking_method = 'elo'" in code.value for code in app.code)


def test_missing_viewpoints_have_intervals_and_an_unknown_share_its_reason(open_page, judged):
    app = open_page(PAGE)
    assert not app.exception
    shown = _table(app, "mean score")
    assert list(shown["95 %"].dropna()) == ["[4.00,\N{NO-BREAK SPACE}16.0]"]
    assert list(shown["why unknown"].dropna()) == ["no scored answer"]
