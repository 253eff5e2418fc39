"""Debate as oversight: who is right, who persuades, and the debates themselves."""

import json

import pytest
from shown import codes, row, rows, table, text, value

from dashboard.core.labels import estimate_in, number, percent, share_in
from dashboard.oversight.ratings import slope_title
from dashboard.oversight.reader import queries
from dashboard.oversight.reader.belief import at_the_end

DATASET, ROOMS = "sample-stories", "rooms"
SOUND, EASY = "simulated/oversight-calibrated", "simulated/oversight-credulous"
FAILING, STRONG = "simulated/oversight-verbose", "simulated/debater-strong"
# The demo has twelve questions, too few to name anybody.
ENOUGH = "update rpt_protocol_accuracy set n_units = 30, gap_n_units = 30"
DEBATES = (
    "from rpt_protocol_accuracy where protocol = 'debate' and is_main_order and selection = 'all'"
    f" and debater = '{STRONG}'"
)
# Two people who judged in rooms, together and each alone; one of them is in the paper's analysis.
PEOPLE = [
    f"insert into rpt_protocol_accuracy select * replace ('{ROOMS}' as dataset_id, '{name}' as"
    f" judge_id, 'people' as template, {pooled} as is_pooled, '{selection}' as selection,"
    f" {right} as accuracy) {DEBATES} and judge_id = '{SOUND}'"
    for name, pooled, selection, right in (
        ("human", True, "all", 0.8),
        (f"{ROOMS}:Ada", False, "all", 0.85),
        (f"{ROOMS}:Ada", False, "paper", 0.9),
    )
]


def _transcript(version, protocol: str = "debate") -> dict:
    found = rows(
        version,
        "select transcript_id, quotes from dim_oversight_turn inner join dim_oversight_transcript"
        " using (transcript_id) where is_chosen and protocol = $protocol and quotes is not null"
        " order by transcript_id, turn",
        protocol=protocol,
    )
    quotes: dict[str, list[bool]] = {}
    for one in found:
        told = [quote["is_verified"] for quote in json.loads(one["quotes"])]
        quotes.setdefault(one["transcript_id"], []).extend(told)
    name = next(one for one, told in quotes.items() if {True, False} <= set(told))
    known = row(version, "from dim_oversight_transcript where transcript_id = $name", name=name)
    return known | {"quotes": quotes[name]}


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((1, 1), f"{EASY} most often, place 1 of 4 asked alike"),
        ((1, 4), "no paired test tells which judge is ahead here, so none is named"),
    ],
)
def test_the_judge_most_often_right_is_named_where_paired_tests_put_it_ahead(
    shown_page, changed, places, said
):
    changed(
        ENOUGH,
        f"update rpt_judge_ranks set rank_low = {places[0]}, rank_high = {places[1]}, n_ranked = 4"
        f" where measure = 'protocol_accuracy' and judge_id = '{EASY}'",
    )
    assert said in text(shown_page("oversight", dataset=DATASET, view="accuracy"))


def test_the_first_sentence_holds_a_judge_alone_against_its_floor_and_its_ceiling(
    shown_page, changed
):
    version = changed(
        ENOUGH,
        "update rpt_protocol_accuracy set gap_closed = 0.5, gap_closed_low = 0.3,"
        f" gap_closed_high = 0.7 where judge_id = '{SOUND}'",
    )
    app = shown_page("oversight", dataset=DATASET, view="accuracy", judge=SOUND, debater=STRONG)
    found = row(version, f"{DEBATES} and judge_id = '{SOUND}'")
    said = text(app)
    assert f"{SOUND} is right in {share_in(found, 'accuracy')} of judgements after debate" in said
    alone, whole = percent(found["naive_accuracy"]), percent(found["expert_accuracy"])
    this = percent(found["gap_accuracy"])
    assert f"question alone gives {alone}, this {this} and the story {whole}: 50.0" in said
    slope = value(
        version,
        "select slope from rpt_rating_slope where outcome = 'judge_accuracy' and judge_id = $judge",
        judge=SOUND,
    )
    error = value(
        version,
        "select ece_max_p from rpt_calibration where judge_id = $judge and protocol = 'debate'"
        " and is_main_order and selection = 'all' and debater = $debater",
        judge=SOUND,
        debater=STRONG,
    )
    assert [(one.label, one.value) for one in app.metric] == [
        ("Gap closed", "50.0\u00a0%"),
        ("Points per 100 of rating", number(100 * slope)),
        ("Calibration error", number(error)),
    ]


def test_a_gap_that_is_not_known_has_its_reason_and_failures_carry_their_bounds(
    shown_page, changed
):
    version = changed(ENOUGH)
    app = shown_page("oversight", dataset=DATASET, view="accuracy", judge=FAILING, debater=STRONG)
    found = row(version, f"{DEBATES} and judge_id = '{FAILING}'")
    said = text(app)
    ends = (percent(found[f"accuracy_if_{name}"]) for name in ("worst", "best"))
    assert f"accuracy would be {' to '.join(ends)}" in said
    shown = table(app, "gap closed")
    assert shown["gap closed"].isna().all()
    assert set(shown["judge"]) == {FAILING}


def test_people_stand_together_unless_one_is_chosen_and_rooms_of_the_paper_can_be_taken(
    shown_page, changed
):
    changed(*PEOPLE)
    together = shown_page("oversight", dataset=ROOMS)
    assert set(table(together, "right")["judge"]) == {"human"}
    alone = shown_page("oversight", dataset=ROOMS, judge=f"{ROOMS}:Ada", rooms="paper")
    assert list(table(alone, "right")["judge"]) == [f"{ROOMS}:Ada"]
    assert list(table(alone, "right")["right"]) == [0.9]


def test_ratings_name_their_field_the_prior_they_needed_and_what_is_not_known(shown_page, changed):
    version = changed(
        "update rpt_debater_rating set is_separated = true",
        "update rpt_rating_terms set points = null where term = 'shown_first'",
    )
    app = shown_page("oversight", dataset=DATASET, view="ratings")
    field = value(version, "select distinct field_id from rpt_debater_rating")
    assert app.selectbox(key="oversight_field").value == field
    assert any("no finite maximum" in one.value for one in app.warning)
    term = row(version, "from rpt_rating_terms where term = 'argues_right'")
    assert f"arguing for the right answer: {estimate_in(term, 'points')}" in text(app)
    assert "being shown first" not in text(app)


def test_a_slope_says_only_what_its_interval_allows():
    def line(low, high, slope=0.02):
        return {"slope": slope, "slope_low": low, "slope_high": high, "null_reason": "why"}

    assert slope_title(line(0.01, 0.03)).startswith("More persuasive debaters, more truthful")
    assert slope_title(line(-0.03, -0.01)).startswith("More persuasive debaters, less truthful")
    assert slope_title(line(-0.01, 0.03)).startswith("No clear relation")
    assert "no interval" in slope_title(line(None, None))
    assert slope_title(line(None, None, None)) == "Accuracy and rating: no slope is known (why)"


def test_a_debate_shows_speakers_quotes_both_orders_and_the_judges_words(shown_page, changed, demo):
    shown = _transcript(demo)
    name = shown["transcript_id"]
    changed(
        "update dim_oversight_turn set is_truncated = true, rejected_count = 1"
        f" where transcript_id = '{name}' and turn = 1"
    )
    app = shown_page("debate_reader", dataset=DATASET, transcript=name)
    said = text(app)
    assert "**Debater for answer 0** · round 1" in said
    assert "1 draft over the word limit · ⚠ cut at the word limit" in said
    verified, missed = shown["quotes"].count(True), shown["quotes"].count(False)
    assert said.count("” ✓]") == verified + 1  # the legend has one, too
    assert said.count("✗ *not in the story*]") == missed + 1
    assert app.metric[1].value == f"{verified} of {verified + missed}"
    misses = f"{missed} quote{'s' * (missed != 1)} not in the story"
    assert misses in {one.label for one in app.expander}
    answers = list(table(app, "on answer 0")["answers"])
    assert {"answer 0 shown first", "answer 1 shown first", "mean of both orders"} <= set(answers)
    judged = rows(
        demo,
        "from fct_oversight_judgement where transcript_id = $name order by judgement_id",
        name=name,
    )
    assert len(answers) == len(judged)
    chosen = app.selectbox(key="debate_reader_answer").value
    assert next(one["reply"] for one in judged if one["judgement_id"] == chosen) in codes(app)


def test_a_transcript_counts_its_last_judgements_alike_in_headline_and_table(demo):
    listed = queries.transcripts(demo, "sample-stories", "debate", "").rows
    assert listed
    for one in listed:
        judged = queries.judgements(demo, one["transcript_id"]).rows
        last = at_the_end(judged, "right_score")
        assert one["judgement_count"] == one["known_count"] == len(last)
        assert one["right_count"] == sum(row["right_score"] for row in last)


def test_once_the_story_is_shown_each_verified_quote_leads_to_its_place(shown_page, demo):
    shown = _transcript(demo)
    app = shown_page(
        "debate_reader", dataset=DATASET, transcript=shown["transcript_id"], story="shown"
    )
    said = text(app)
    assert said.count("](#passage-") >= shown["quotes"].count(True)
    assert "###### Passage 1\n\n" in said
    assert ":green-background[**" in said.split("###### Passage 1\n\n")[1]


def test_transcripts_without_a_story_void_ones_and_broken_links_can_be_read(
    shown_page, changed, demo
):
    name = _transcript(demo)["transcript_id"]
    changed(
        "delete from dim_reading_question",
        f"update dim_oversight_transcript set status = 'void', reason = 'the endpoint died',"
        f" cost_usd = null where transcript_id = '{name}'",
        f"delete from fct_oversight_judgement where transcript_id = '{name}'",
    )
    app = shown_page("debate_reader", dataset=DATASET, transcript=name)
    assert "No story is loaded for this question" in text(app)
    assert "This transcript is void: the endpoint died" in text(app)
    assert app.metric[0].value == "–"
