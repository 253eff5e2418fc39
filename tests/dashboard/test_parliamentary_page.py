"""Parliamentary debates: how near judges come to the panel, and from each figure to one debate."""

import pytest
from shown import codes, headline, row, rows, table, text, value

from dashboard.core.findings import records
from dashboard.core.labels import estimate_in, number
from dashboard.core.naming import span
from dashboard.parliamentary import queries
from dashboard.parliamentary.findings import against_chance, beside_chance_title, guess
from dashboard.parliamentary.labels import clock
from dashboard.parliamentary.queries import Room

PAGE, DATASET = "parliamentary", "sample-parliamentary"
CHAIR, WING, OPENING = "simulated/chair", "simulated/wing", "simulated/opening-house"
JUDGES = 5
BLIND = "bp_house_ranks|house_ranks|og-oo-cg-co|bp_manual|whole|no_motion|info_slide"
# The demo has six debates, too few to name anybody.
ENOUGH = [
    f"update rpt_bp_{mart} set n_units = 12, n_values = 96"
    for mart in ("verdict", "speaker_scores", "speaker_ranks")
]
# One judge asked about houses alone, without the motion.
ASKED_BLIND = (
    "insert into dim_adjudication_setting select * replace ('blind' as setting_id, 'blind' as"
    " variant_id, 'bp_house_ranks' as template, 'house_ranks' as task, false as has_motion)"
    f" from dim_adjudication_setting where judge_id = '{CHAIR}'",
    "insert into rpt_bp_verdict select * replace ('blind' as setting_id, 'bp_house_ranks' as"
    " template, 'house_ranks' as task, 4 as n_units, null as value_low, null as value_high,"
    " '4 debates, and an interval needs 5' as null_reason) from rpt_bp_verdict"
    f" where judge_id = '{CHAIR}'",
)
# What compares two orders of the houses belongs to no one setting.
NAMED_FIRST = (
    "insert into rpt_bp_bias select * replace ('named_first' as effect, null as setting_id, null"
    " as estimate, null as p_adjusted, 'the houses were named in one order only' as null_reason)"
    " from rpt_bp_bias where effect = 'government'"
)
HOUSES = "from rpt_bp_verdict where measure = 'mean_rank_difference' order by value"


def _setting(version, judge: str) -> str:
    return value(
        version,
        "select setting_id from dim_adjudication_setting where judge_id = $judge",
        judge=judge,
    )


def _answer(version, condition: str) -> dict:
    return row(version, f"from fct_adjudication where {condition} order by response_id")


def test_the_first_sentence_holds_judges_against_chance_and_names_what_was_not_readable(
    shown_page, changed
):
    version = changed(*ENOUGH)
    app = shown_page(PAGE)
    found = rows(version, HOUSES)
    low, high = (estimate_in(one, "value") for one in (found[0], found[-1]))
    chance = span([one["by_chance"] for one in found], number)
    said = headline(app)
    assert f"runs from {low} to {high}, guessing gives {chance} (12 debates)" in said
    asked = row(
        version,
        "select *, parsed_count + partly_count + unparsed_count as replies"
        " from dim_adjudication_setting order by unparsed_count desc limit 1",
    )
    assert app.metric[0].value == span([one["value"] for one in found], number)
    assert app.metric[3].value == f"{asked['unparsed_count']} of {6 * JUDGES}"


def test_the_nearest_judge_is_named_where_paired_tests_put_it_ahead(shown_page, changed):
    mine = f"dataset_id = '{DATASET}' and measure = 'mean_rank_difference'"
    changed(
        *ENOUGH,
        f"update rpt_judge_ranks set rank_low = 1, rank_high = 2, n_ranked = 3 where {mine}"
        f" and dimension = 'house_ranks' and judge_id = '{CHAIR}'",
        # Asked in another way, and of another task.
        "insert into rpt_judge_ranks select * replace ('blind' as variant_id, 1 as rank_low,"
        f" 1 as rank_high, 3 as n_ranked) from rpt_judge_ranks where {mine}"
        f" and dimension = 'house_ranks' and judge_id = '{WING}'",
        f"update rpt_judge_ranks set rank_low = 1, rank_high = 1, n_ranked = 3 where {mine}"
        f" and dimension = 'speaker_ranks' and judge_id = '{WING}'",
    )
    app = shown_page(PAGE)
    said = headline(app)
    assert f"(12 debates); {CHAIR} is the nearest, place 1 to 2 of 3 asked alike" in said
    assert "none is named" not in said


def test_a_judge_with_failures_carries_its_bounds(shown_page, demo):
    failed = next(one for one in rows(demo, HOUSES) if one["failed_count"])
    said = text(shown_page(PAGE, view="house_ranks"))
    assert f"⚠ `{failed['judge_id']}`: {failed['failed_count']} of 6 requests gave no" in said
    worst, best = (number(failed[f"value_if_{name}"]) for name in ("worst", "best"))
    assert f"the mean rank difference would be {best} to {worst}." in said


def test_answers_without_the_motion_are_a_way_of_their_own(shown_page, changed):
    changed(*ASKED_BLIND)
    app = shown_page(PAGE, asked=BLIND)
    assert "without motion, with info slide" in text(app)
    # Houses were ranked in too few debates to name anybody; speakers were not asked for.
    assert "Houses: ranks off" not in [one.label for one in app.metric]
    assert "no judge has 30 units in 10 clusters" in text(app)
    # Only houses were asked about, so scores and speakers' ranks are no views of it.
    offered = set(app.button_group(key="parliamentary_view").options)
    assert offered == {"Houses", "Favour", "Length", "Faults"}
    shown = table(app, "minus guessing")
    assert set(shown["judge"]) == {CHAIR}
    assert "4 debates, and an interval needs 5" in set(shown["why unknown"])


def test_drawn_scores_are_those_of_the_judges_in_view_and_none_is_lost(demo):
    room = Room(DATASET, (_setting(demo, OPENING), _setting(demo, WING)))
    drawn = queries.score_points(demo, room).frame
    counts = rows(
        demo,
        "select setting_id, count(*) as n from fct_adjudication_value"
        " where task = 'speaker_scores' and predicted is not null group by setting_id",
    )
    given = {one["setting_id"]: one["n"] for one in counts}
    assert set(drawn["setting_id"]) == set(room.settings)
    for setting in room.settings:
        assert drawn[drawn["setting_id"] == setting]["speech_count"].sum() == given[setting]
    assert given[room.settings[1]] < given[room.settings[0]] == 8 * 6


def test_what_compares_orders_of_houses_stands_with_the_settings_it_compares(changed):
    version = changed(*ASKED_BLIND, NAMED_FIRST)
    found = queries.bias(version, Room(DATASET, (_setting(version, WING),))).frame
    assert set(found["judge_id"]) == {WING}
    assert "named_first" in set(found["effect"])
    assert queries.bias(version, Room(DATASET, ("blind",))).frame.empty


def test_an_effect_that_is_not_known_is_listed_with_its_reason(shown_page, changed):
    changed(NAMED_FIRST)
    shown = table(shown_page(PAGE, view="bias"), "favours").set_index("favours")
    listed = shown.loc[["the house named first"]]
    assert set(listed["why unknown"]) == {"the houses were named in one order only"}
    assert listed["effect"].isna().all()


def test_an_opened_debate_shows_panel_and_judge_side_by_side_and_the_judges_words(shown_page, demo):
    answer = _answer(demo, f"judge_id = '{OPENING}' and answer_status = 'parsed'")
    app = shown_page(
        PAGE, view="house_ranks", debate=answer["debate_id"], answer=answer["response_id"]
    )
    speakers = table(app, "judge's score")
    assert list(speakers["speaker"])[:3] == [
        "Prime Minister (PM)",
        "Leader of Opposition (LO)",
        "Deputy Prime Minister (DPM)",
    ]
    assert len(speakers) == 8
    for name in ("score", "rank"):
        gap = speakers[f"judge's {name}"] - speakers[f"official {name}"]
        assert list(speakers[f"{name} difference"]) == list(gap)
    houses = table(app, "house")
    assert sorted(houses["judge's rank"]) == sorted(houses["official rank"]) == [1, 2, 3, 4]
    speeches = rows(demo, "from dim_item where debate_id = $debate", debate=answer["debate_id"])
    assert {one["text"] for one in speeches} <= {one.value for one in app.text}
    reply = "select response from dim_response where response_id = $id"
    assert value(demo, reply, id=answer["response_id"]) in codes(app)


def test_values_that_could_not_be_read_are_unknown_with_their_reason_and_not_zero(shown_page, demo):
    answer = _answer(demo, "answer_status = 'unparsed'")
    app = shown_page(PAGE, debate=answer["debate_id"], answer=answer["response_id"])
    houses = table(app, "house")
    assert houses["judge's rank"].isna().all()
    assert houses["difference"].isna().all()
    assert set(houses["why unknown"]) == {"missing section"}
    assert "⚠ Faults: a part of the answer is missing" in text(app)


def test_guesses_stand_beside_a_judge_on_the_debates_it_was_read_on(demo):
    chair, opening, wing = (_setting(demo, judge) for judge in (CHAIR, OPENING, WING))
    found = records(queries.guessing(demo, Room(DATASET, (chair, opening))).frame)
    own = "from rpt_bp_guessing where baseline = 'always_mean' and measure = 'mae'"
    expected = row(demo, f"{own} and setting_id = $setting", setting=chair)
    mine = guess(found, "speaker_scores", "always_mean", {"measure": "mae", "setting_id": chair})
    assert (mine["value"], mine["n_units"]) == (expected["value"], expected["n_units"])
    # Judges with the same debates share a row; all debates with a result have their own.
    both = [one["judges"] for one in found if one["baseline"] == "always_mean"]
    assert f"{CHAIR}, {OPENING}" in both
    assert any(not isinstance(one, str) for one in both)
    other = {"measure": "mae", "setting_id": wing}
    assert guess(found, "speaker_scores", "always_mean", other) is None


def test_a_judge_is_told_from_guessing_only_where_the_interval_says_so():
    def row(low, high, better="lower"):
        return {"minus_chance_low": low, "minus_chance_high": high, "better": better}

    assert against_chance(row(-0.5, -0.1)) == ", which it beats"
    assert against_chance(row(-0.5, 0.1)) == ", from which it cannot be told"
    assert against_chance(row(0.1, 0.5)) == ", which is better"
    assert against_chance(row(0.1, 0.5, "higher")) == ", which it beats"
    assert against_chance(row(None, None)) == ""
    rows = [row(-0.5, -0.1), row(-0.5, 0.1), row(None, None)]
    assert beside_chance_title(rows, "Ranks") == (
        "Ranks: of 2 judges, 1 better than guessing, 1 not to be told from it"
    )


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (425.9, "7:05"), (3661, "1:01:01"), (None, "?")]
)
def test_a_time_of_a_recording_is_read_as_on_a_clock(seconds, shown):
    assert clock(seconds) == shown
