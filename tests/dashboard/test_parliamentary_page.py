"""Parliamentary debates: how near judges come to the panel, and from each figure to one debate."""

import pytest
from shown import codes, headline, row, rows, table, text, value

from dashboard.core.findings import records
from dashboard.core.labels import estimate_in, number, percent
from dashboard.core.naming import span
from dashboard.parliamentary import queries
from dashboard.parliamentary.findings import against_chance, beside_chance_title, guess
from dashboard.parliamentary.labels import clock, setting_name
from dashboard.parliamentary.queries import Room

PAGE, DATASET = "parliamentary", "sample-parliamentary"
CHAIR, WING, OPENING = "simulated/chair", "simulated/wing", "simulated/opening-house"
JUDGES = 5
# How many charts each view has.
VIEWS = {
    "speaker_scores": 1 + 2 * JUDGES,
    "house_ranks": 1 + JUDGES,
    "speaker_ranks": 1,
    "bias": 2,
    "context": JUDGES,
    "faults": 0,
}
BLIND = "bp_house_ranks|house_ranks|og-oo-cg-co|bp_manual|whole|no_motion|info_slide"
# The demo has six debates, too few to name anybody.
ENOUGH = [
    f"update rpt_bp_{mart} set n_units = 12, n_values = 96"
    for mart in ("verdict", "speaker_scores", "speaker_ranks")
]
# The demo's judges count no tokens.
TOKENS = (
    "insert into rpt_context_length select * replace ('bin' as part, 1 as bin, 0.5 as value,"
    " 0.4 as value_low, 0.6 as value_high, 6 as n_units, 4000 as tokens_mean, 3000 as tokens_low,"
    " 5000 as tokens_high) from rpt_context_length"
)
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


def test_without_an_adjudication_the_page_names_the_commands(shown_page, changed):
    changed("delete from dim_adjudication_setting")
    app = shown_page(PAGE)
    assert "No judge has adjudicated a parliamentary debate yet" in text(app)
    assert any("rostrum run bp-adjudication --judge JUDGE" in code for code in codes(app))
    assert "rostrum demo" in codes(app)


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
    assert "no paired test tells which judge" in said
    asked = row(
        version,
        "select *, parsed_count + partly_count + unparsed_count as replies"
        " from dim_adjudication_setting order by unparsed_count desc limit 1",
    )
    share = percent(asked["unparsed_count"] / asked["replies"])
    assert f"{share} of the {asked['replies']} replies of {asked['judge_id']})" in said
    means = rows(
        version,
        "from rpt_bp_guessing where task = 'speaker_scores' and measure = 'mae'"
        " and baseline = 'always_mean' and setting_id is not null",
    )
    told = span([one["value"] for one in means], number)
    assert f"always naming the mean gives {told}" in text(app)
    assert [one.label for one in app.metric] == [
        "Houses: ranks off",
        "Scores: points off",
        "Speakers: ranks off",
        "Not readable",
    ]
    assert app.metric[0].value == span([one["value"] for one in found], number)
    assert app.metric[3].value == f"{asked['unparsed_count']} of {6 * JUDGES}"


def test_of_few_debates_no_judge_is_named(shown_page, demo):
    app = shown_page(PAGE)
    assert "no judge has 30 units in 10 clusters" in headline(app)
    # The headline says why, once.
    assert [one.label for one in app.metric] == ["Not readable"]


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
    assert "is the nearest" not in text(app).split("points, always naming the mean")[-1]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_drawn_and_can_be_asked_for_again_in_sql(shown_page, changed, view):
    changed(TOKENS, "update rpt_context_length set n_units = 6")
    app = shown_page(PAGE, view=view)
    assert not app.error
    assert len(app.get("vega_lite_chart")) == VIEWS[view]
    assert all("$" not in code for code in codes(app))


def test_without_counted_tokens_the_page_says_why_length_shows_nothing(shown_page, demo):
    uncounted = value(demo, "select sum(no_tokens_count)::bigint from rpt_context_length")
    said = text(shown_page(PAGE, view="context"))
    assert f"{uncounted} readable values came without a count of tokens" in said


def test_both_names_of_each_of_the_papers_tasks_are_explained(shown_page, demo):
    said = text(shown_page(PAGE, view="speaker_scores"))
    for names in (
        ("Verdict Prediction", "House Ordering"),
        ("Speaker Scores", "Speech Scoring"),
        ("Speaker Ranks", "Speech Ranking"),
    ):
        assert all(f"*{name}*" in said for name in names)


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


def test_a_debate_no_judge_reads_says_why_and_one_that_is_not_there_says_so(shown_page, changed):
    changed("update dim_parliamentary_debate set removal_reason = 'two results contradict'")
    app = shown_page(PAGE, debate=f"{DATASET}:homework")
    assert "No judge reads this debate: two results contradict" in text(app)
    app = shown_page(PAGE, debate="nowhere")
    assert "The link names the debate `nowhere`, which this version lacks." in text(app)


def test_a_change_of_the_way_of_asking_closes_the_debate(open_page, changed):
    changed(*ASKED_BLIND)
    app = open_page(PAGE, debate=f"{DATASET}:homework")
    app.selectbox(key="parliamentary_asked").set_value(BLIND).run()
    assert not app.exception
    assert "debate" not in app.query_params


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


def test_a_way_of_asking_says_all_that_keeps_answers_apart():
    way = {
        "template": "bp_all",
        "task": "all",
        "manual": "mine@0a1b2c3d",
        "house_order": "co-cg-oo-og",
        "strategy": "notes",
        "has_motion": False,
        "has_info_slide": True,
    }
    said = setting_name(way)
    for part in (
        "all three in one request",
        "prompt all tasks at once · bp_all",
        "manual mine@0a1b2c3d",
        "houses named CO, CG, OO, OG",
        "from notes",
        "without motion",
        "with info slide",
    ):
        assert part in said
    assert "order of the houses unknown" in setting_name({**way, "house_order": "unknown"})


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (425.9, "7:05"), (3661, "1:01:01"), (None, "?")]
)
def test_a_time_of_a_recording_is_read_as_on_a_clock(seconds, shown):
    assert clock(seconds) == shown
