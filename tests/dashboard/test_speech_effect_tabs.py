"""The tabs on reasons and on size of the page on speeches, full, empty and without intervals."""

from __future__ import annotations

import pytest
from published_stub import publish_stub

from dashboard.speeches.reasons import reasons_finding
from dashboard.speeches.size import size_finding, turning_text


def _markdown(app) -> str:
    text = "\n".join(element.value for element in [*app.markdown, *app.caption])
    return text.replace("\u00a0", " ").replace("\\", "")


@pytest.mark.parametrize(
    ("tab", "said", "command"),
    [
        (
            "reasons",
            "No chosen judge has answered with reasons",
            "rostrum run speech-score-justified",
        ),
        ("size", "No judge here has a family and a size", "--family gpt-4.1 --size 8"),
    ],
)
def test_without_such_judges_a_tab_says_what_to_do(open_page, published, tab, said, command):
    app = open_page("speech_judges", dataset="sample", about=tab)
    assert not app.exception
    assert said in _markdown(app)
    assert command in app.code[0].value


def test_reasons_are_told_judge_by_judge_and_what_has_no_interval_says_why(open_page, home):
    publish_stub(home, effects=True)
    app = open_page("speech_judges", dataset="sample", about="reasons")
    assert not app.exception
    assert (
        "raises agreement with people (τ-c) for 1 of 3 judges and lowers it for 1; for 1 it "
        "cannot be told (⚠ unreadable answers pass 5.00 % for 1 judge)"
    ) in _markdown(app)
    assert "The largest change of 3 judges: τ-c −0.120" in _markdown(app)
    assert len(app.get("vega_lite_chart")) == 4
    assert [metric.value for metric in app.metric] == ["−0.120", "−0.0500", "−0.400", "–"]
    said = [text.value for text in app.text]
    assert any(text.startswith("– no interval, every topic differs alike: ") for text in said)


def test_size_is_drawn_family_by_family_and_a_turning_point_only_where_it_is_claimed(
    open_page, home
):
    publish_stub(home, effects=True)
    app = open_page("speech_judges", dataset="sample", about="size")
    assert not app.exception
    assert "Within Grow, agreement with people (τ-c) rises by 0.0700 [0.0300," in _markdown(app)
    assert (
        "It turns at 7 B [1.5, 14] (adjusted p = 0.008; p = 0.020 with models shuffled)"
        in _markdown(app)
    )
    assert "without a family or a size in judges.toml take no part" in _markdown(app)
    # Two families, either measure.
    assert len(app.get("vega_lite_chart")) == 4
    said = " ".join(text.value for text in app.text)
    assert "it bends most at 7 B" in said
    assert "models that scatter about a line as these do would look as bent" in said


def test_findings_without_a_known_value_say_so_instead_of_ranking_nothing():
    unknown = {
        "measure": "tau_c",
        "difference": None,
        "difference_low": None,
        "judge_id": "j/m",
        "template_plain": "t",
    }
    assert "it cannot be told" in reasons_finding([unknown]).headline
    assert size_finding([{"measure": "tau_c", "slope": None}]).headline.startswith("No family has")
    refused = {"turning_size": None, "turning_reason": "agreement is known at 2 sizes"}
    assert turning_text(refused).endswith("agreement is known at 2 sizes")
