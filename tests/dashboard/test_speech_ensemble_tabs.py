"""The tabs on ensembles and severity, full and empty."""

import pytest
from published_stub import publish_stub

TABS = ("ensembles", "severity")


def _text(app) -> str:
    parts = [*app.markdown, *app.caption, *app.subheader, *app.text]
    return "\n".join(element.value for element in parts)


def test_the_best_ensemble_is_said_with_its_gain_on_other_speeches_and_its_flattery(
    open_page, published
):
    app = open_page("speech_judges", dataset="sample", about="ensembles")
    assert not app.exception
    text = _text(app)
    assert (
        "#### The ensemble of up to five judges chosen for its τ-c orders new speeches better than its best "
        "member: τ-c higher by 0.0400 [0.0100,\u00a00.0700], on 65 speeches (12 topics)."
    ) in text
    assert "its τ-c is 0.660, on others 0.610: the choice flatters it by 0.0500." in text
    assert "– 5 judges: fewer than 5 judges have scored the same speeches" in text
    assert "Left out: 1 judge, scored too few of the speeches." in text
    assert [metric.value for metric in app.metric] == ["0.610", "0.0400", "0.0400", "$2.00"]
    assert '[best]\njudges = ["lab/a", "lab/b"]' in [code.value for code in app.code]


def test_who_is_harshest_and_whether_better_judges_are_is_said_with_intervals(open_page, published):
    app = open_page("speech_judges", dataset="sample", about="severity")
    assert not app.exception
    text = _text(app)
    assert (
        "#### 7 judges score −1.20 [−1.40,\u00a0−1.00] to +0.300 [0.100,\u00a00.500] points from "
        "people's mean, on 72 speeches (12 topics); 3 of 7 judges are harsher than people."
    ) in text
    assert "Judges closer to people's order score lower: Spearman −0.900" in text
    assert "separate sources more is unknown: fewer than 5 judges." in text
    assert "A mapping lowers the error of 7 of 7 judges." in text
    assert len(app.get("vega_lite_chart")) == 3 + 7


@pytest.mark.parametrize("tab", TABS)
def test_without_judges_a_tab_says_what_to_run(open_page, published, tab):
    app = open_page("speech_judges", dataset="city-council", about=tab)
    assert not app.exception
    assert "rostrum judges\nrostrum run speech-score --judge JUDGE" in [
        code.value for code in app.code
    ]


@pytest.mark.parametrize("tab", TABS)
def test_text_of_strangers_is_shown_as_it_is(open_page, home, tab):
    publish_stub(home, strange="<script>alert(1)</script> [x](http://e.invalid)")
    app = open_page("speech_judges", dataset="sample", about=tab)
    assert not app.exception
    assert "[x](http" not in _text(app)
