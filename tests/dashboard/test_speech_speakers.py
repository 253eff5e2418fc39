"""Models as speakers, on the page of speech judges: the finding, its charts, and what is unknown."""

import pytest
from changes import copy, empty, update
from shown import rows, table, text

from dashboard.core.labels import estimate_in, share_in

SPEAKER, OTHER = "simulated/speaker-long-winded", "simulated/speaker-reluctant"
JUDGE, EVEN, LENGTH = "simulated/harsh", "rule/constant-4", "rule/length"
TEMPLATE = "speech_score"
MINE = f"speaker_id = '{SPEAKER}' and template = '{TEMPLATE}'"


@pytest.fixture
def tab(shown_page):
    def opened(**parameters):
        asked = {"dataset": "sample", "about": "speakers", "template": TEMPLATE}
        return shown_page("speech_judges", **(asked | parameters))

    return opened


def _signed(one: dict) -> str:
    return ("+" if one["difference"] > 0 else "") + estimate_in(one, "difference")


def test_the_finding_counts_judges_and_gives_their_range(tab, demo):
    app = tab(speaker=SPEAKER, style=JUDGE)
    found = rows(demo, f"from rpt_speaker_comparison where {MINE} order by difference")
    above = [one for one in found if (one["difference_low"] or 0) > 0]
    said = text(app)
    verb = "scores" if len(above) == 1 else "score"
    assert f"{len(above)} of {len(found)} judges {verb} {SPEAKER} above people: " in said
    assert f"{len(found)} put it at {_signed(found[0])} to {_signed(found[-1])}, 12 topics" in (
        said
    )
    shown = table(app, "ahead on").set_index("judge")
    for one in found:
        if one["ahead_count"] is not None:
            ahead = shown.loc[one["judge_id"], "ahead on"]
            assert ahead.startswith(f"{one['ahead_count']} of {one['n_units']}"), one
    assert len(app.get("vega_lite_chart")) == 3


def test_a_judge_without_a_score_and_one_with_failures_say_so(tab, changed):
    changed(
        update(
            "rpt_speaker_comparison",
            f"{MINE} and judge_id = '{LENGTH}'",
            difference=None,
            difference_low=None,
            difference_high=None,
            undefined_reason="no speech of it has a score",
        ),
        update(
            "rpt_speaker_comparison",
            f"{MINE} and judge_id = '{JUDGE}'",
            difference_failures_lowest=0.5,
            difference_failures_highest=1.0,
        ),
    )
    app = tab(speaker=SPEAKER)
    shown = table(app, "ahead on").set_index("judge")
    assert shown.loc[LENGTH, "why unknown"] == "no speech of it has a score"
    assert shown.loc[JUDGE, "with failures"] == "[0.500,\u00a01.00]"


def test_a_judge_of_the_family_and_what_style_explains_stand_beside_it(tab, demo):
    app = tab(speaker=SPEAKER, style=JUDGE)
    said = text(app)
    found = rows(demo, f"from rpt_self_preference where {MINE} order by self_preference")
    ends = " to ".join(estimate_in(one, "self_preference") for one in (found[0], found[-1]))
    assert f"{len(found)} judges of its family put it {ends} points further above people" in said
    features = rows(
        demo,
        f"from rpt_style_effect where source = '{SPEAKER}' and judge_id = '{JUDGE}'"
        f" and template = '{TEMPLATE}'",
    )
    listed = table(app, "overlap")
    assert len(listed) == len(features) > 1
    reasons = {one["adjusted_reason"] for one in features if one["adjusted_reason"]}
    assert set(listed["why unknown"].dropna()) == reasons != set()


def test_people_say_what_they_rated_and_what_is_unknown_has_its_reason(tab, changed):
    version = changed(
        copy(
            "rpt_speaker_comparison",
            f"{MINE} and judge_id = '{JUDGE}'",
            judge_id="human",
            template="human",
            difference=-1.25,
            difference_low=-1.5,
            difference_high=-1.0,
        ),
        *empty("rpt_self_preference"),
        update(
            "rpt_speaker_comparison",
            f"{MINE} and judge_id = '{EVEN}'",
            interval_reason="fewer than 5 topics",
            difference_low=None,
            difference_high=None,
        ),
    )
    app = tab(speaker=SPEAKER)
    assert "People's own ratings put it at −1.25 [−1.50,\u00a0−1.00]" in text(app)
    assert "Nobody has rated these speeches" not in text(app)
    shown = table(app, "ahead on").set_index("judge")
    assert shown.loc[EVEN, "why unknown"] == "fewer than 5 topics"
    assert set(shown.index) == {
        one["judge_id"] for one in rows(version, f"from rpt_speaker_comparison where {MINE}")
    } | {"people"}


def test_what_became_of_asking_stands_below_with_every_speaker(tab, changed):
    version = changed(
        update(
            "rpt_speech_writing",
            f"judge_id = '{OTHER}'",
            mean_words=None,
            mean_words_low=None,
            mean_words_high=None,
            words_reason="no speech came of these requests",
        )
    )
    app = tab(speaker=SPEAKER)
    found = {one["judge_id"]: one for one in rows(version, "from rpt_speech_writing")}
    low, high = (share_in(found[one], "speech_share") for one in (OTHER, SPEAKER))
    assert f"2 models wrote {low} to {high} of 24 speeches asked for." in text(app)
    written = table(app, "asked for").set_index("speaker")
    for name, one in found.items():
        assert written.loc[name, "share, 95 %"] == share_in(one, "speech_share")
        assert written.loc[name, "refused"] == one["refused_count"]
        assert written.loc[name, "cut to the limit"] == one["cut_count"]
    assert written.loc[SPEAKER, "mean words"] == estimate_in(found[SPEAKER], "mean_words")
    assert written.loc[OTHER, "mean words"] == "no speech came of these requests"
