"""Why: what judges' reasons say of each source, and the sentences behind each key point."""

import pytest
from published_stub import publish_stub
from stub_why import ANALYSIS, POINTS, SILENT

PAGE = "why"


@pytest.fixture
def analysed(home):
    return publish_stub(home, why=True)


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_with_nothing_analysed_the_page_names_the_commands(open_page, home):
    publish_stub(home)
    app = open_page(PAGE)
    assert not app.exception
    commands = "\n".join(code.value for code in app.code)
    assert "rostrum keypoints reasons --data DATASET\nrostrum build" in commands
    assert "rostrum run speech-score-justified --judge JUDGE" in commands


def test_the_page_states_for_whom_the_reasons_speak_and_what_is_said_most(open_page, analysed):
    app = open_page(PAGE, judge="simulated/careful")
    assert not app.exception
    text = _text(app).replace("\\", "")
    assert "speak most for Seasoned speaker (71.7\u00a0% [61.7,\u00a081.7] positive, 30 sen" in text
    assert "key points cover 50.0\u00a0% [" in text
    assert "sentences for or against" in text
    assert "and least for Shuffled sentences (26.7\u00a0% [16.7,\u00a036.7]" in text
    assert "It praises most often: “The structure is easy to follow.” (40.0\u00a0% [35.0," in text
    assert "scores are highest for Seasoned speaker (mean 4.30) and lowest for Shuffled" in text
    assert "⚠ 12 of 72 justifications (16.7\u00a0%) have no sentences" in text
    assert [one.value for one in app.metric] == [
        "55.0\u00a0%",
        "50.0\u00a0%",
        "20.0\u00a0%",
        "80.0\u00a0%",
    ]
    assert len(app.get("vega_lite_chart")) == 4


def test_all_judges_together_have_no_mean_score(open_page, analysed):
    app = open_page(PAGE)
    assert "Choose one judge to see its mean scores" in _text(app)
    assert "scores are highest" not in _text(app)
    assert len(app.get("vega_lite_chart")) == 3


def test_a_judge_without_sentences_is_unknown_with_the_reason(open_page, analysed):
    app = open_page(PAGE, judge=SILENT)
    assert not app.exception
    assert "cannot be put under key points" in _text(app)
    assert "No justification of this judge has sentences." in _text(app)
    assert [one.value for one in app.metric][:3] == ["–", "–", "–"]


def test_a_key_point_opens_its_sentences_their_justification_and_the_speech(open_page, analysed):
    app = open_page(PAGE, judge="lab/small-model", point="con/1", sentence="r4-0/1")
    assert not app.exception
    listed = next(one.value for one in app.dataframe if "similarity" in one.value.columns)
    assert list(listed["sentence"]) == [POINTS["con/1"]]
    assert "All in all: The evidence is thin." in [code.value for code in app.code]
    assert any(one.value.startswith("Cities should close") for one in app.text)


def test_two_judges_are_compared_in_the_order_chosen(open_page, analysed):
    tables = {}
    for first, second in (
        ("lab/small-model", "simulated/careful"),
        ("simulated/careful", "lab/small-model"),
    ):
        app = open_page(PAGE, analysis=ANALYSIS, judge=first, **{"with": second})
        assert not app.exception
        assert "60 speeches on 12 motions have reasons of both" in _text(app)
        shown = next(one.value for one in app.dataframe if "difference (pp)" in one.value.columns)
        tables[first] = (shown["difference (pp)"][0], shown["95 % (pp)"][0])
    assert tables["lab/small-model"] == (pytest.approx(10), "[0,\u00a020.0]")
    assert tables["simulated/careful"] == (pytest.approx(-10), "[−20.0,\u00a00]")
