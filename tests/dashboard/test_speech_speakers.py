"""Models as speakers, on the page of speech judges: the finding, its charts, and what is unknown."""

import pytest
from published_stub import publish_stub
from stub_speakers import APART, FAVOURING, NO_SCORE, OLD, PROGRAM, SPEAKER

from warehouse.home import Home


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return publish_stub(Home(tmp_path_factory.mktemp("made")), speakers=True)


@pytest.fixture
def tab(open_page, made, monkeypatch):
    monkeypatch.setenv("ROSTRUM_HOME", str(made.path.parents[2]))

    def opened(**parameters):
        asked = {"dataset": "sample", "about": "speakers", "template": "speech_score"}
        app = open_page("speech_judges", **(asked | parameters))
        assert not app.exception
        return app

    return opened


def _text(app) -> str:
    parts = [*app.markdown, *app.caption, *app.text]
    return "\n".join(element.value for element in parts).replace("\\", "")


def _table(app, column: str):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def test_the_finding_counts_judges_and_gives_their_range(tab):
    app = tab(speaker=SPEAKER, style=FAVOURING)
    said = _text(app)
    assert (
        f"2 of 4 judges score {SPEAKER} above people: 3 put it at −0.100 [−0.400,\u00a00.200] to "
        "+0.900 [0.600,\u00a01.20], 12 topics." in said
    )
    assert "Of 1 the interval holds 0 or is not known; 1 cannot be compared." in said
    assert "Nobody has rated these speeches" in said
    shown = _table(app, "ahead on").set_index("judge")
    assert shown.loc["rule/word-count", "why unknown"] == NO_SCORE
    assert shown.loc[FAVOURING, "with failures"] == "[0.500,\u00a01.00]"
    assert shown.loc[FAVOURING, "ahead on"] == "9 of 12 topics"
    assert len(app.get("vega_lite_chart")) == 3


def test_a_judge_of_the_family_and_what_style_explains_stand_beside_it(tab):
    app = tab(speaker=SPEAKER, style=FAVOURING)
    said = _text(app)
    assert "(of the same family) puts it 0.750 [0.500,\u00a01.00] points further above" in said
    assert (
        "Of the difference of 0.900 points 0.300 [0.150,\u00a00.450] to 0.600 [0.450,\u00a00.750] go "
        "with one of 2 features that can be adjusted for, each alone (12 topics)."
    ) in said
    assert f"In paragraphs no speech of {SPEAKER} is like one of people" in said
    assert "In headings and list markers hardly any is" in said
    style = _table(app, "overlap").set_index("feature")
    assert style.loc["paragraphs", "why unknown"] == APART


def test_people_say_what_they_rated_and_what_is_unknown_has_its_reason(tab):
    said = _text(tab(speaker=PROGRAM))
    assert "1 of 1 judge scores First draft below people: simulated/careful puts it at" in said
    assert "People's own ratings put it at −1.25 [−1.50,\u00a0−1.00]" in said
    app = tab(speaker=OLD)
    assert "no judge of the family of the speaker" in _text(app)
    assert "fewer than 5 topics" in _table(app, "ahead on")["why unknown"].tolist()


def test_what_became_of_asking_stands_below_with_every_speaker(tab):
    app = tab(speaker=SPEAKER)
    assert (
        "2 models wrote 0\u00a0% [0,\u00a00] to 83.3\u00a0% [70.8,\u00a095.8] of 24 speeches asked for."
    ) in _text(app)
    written = _table(app, "asked for").set_index("speaker")
    assert written.loc[SPEAKER, "share, 95 %"] == "83.3\u00a0% [70.8,\u00a095.8]"
    assert written.loc[SPEAKER, "mean words"] == "500 [475,\u00a0525]"
    assert list(written["refused"]) == [24, 4]
    assert list(written["cut to the limit"]) == [0, 3]
    assert written.loc[OLD, "mean words"] == "no speech came of these requests"


def test_without_a_speaker_the_tab_names_the_commands(open_page, published):
    app = open_page("speech_judges", dataset="sample", about="speakers")
    assert not app.exception
    assert any("rostrum run speech-writing" in code.value for code in app.code)
