"""Which adjudications count, what they are compared with, and what becomes of the rest."""

import dataclasses
import itertools

import pytest

from ingestion.debates.turns import debate_hash
from ingestion.parliamentary.items import PARLIAMENTARY_HASH
from tests.dbt_project.compiled_models import Built, one
from tests.dbt_project.parliamentary_data import Answer, Room, as_raw
from tests.dbt_project.test_holds import rules_of

HOUSES = (1, 2, 3, 4)
SCORES = (75, 74, 78, 78, 75, 73, 80, 71)
SPEAKERS = tuple(range(1, 9))


def test_a_debate_has_the_hash_that_judges_read_it_under(built: Built) -> None:
    data = as_raw([Room("plain"), Room("told"), Room("bare")])
    for row in data["raw"]["debates"]:
        row["context"] = {"told": "An info slide.", "bare": ""}.get(row["debate_id"])
    for number, row in enumerate(data["raw"]["speeches"]):
        row["item_hash"] = f"h{number}"
    models = built(**data)
    found = dict(
        models.execute("select debate_id, debate_hash from dim_parliamentary_debate").fetchall()
    )
    read = models.execute(
        f"select debate_id, {PARLIAMENTARY_HASH} from ({debate_hash('raw.speeches')}) "
        "inner join raw.debates using (debate_id)"
    ).fetchall()
    assert found == dict(read)
    assert len(set(found.values())) == 3


def test_answers_to_a_debate_that_changed_are_counted_and_left_out(built: Built) -> None:
    right = Answer(HOUSES, SCORES, SPEAKERS)
    room = Room("a", HOUSES, SCORES)
    models = built(**as_raw([room]))
    current = one(models, "select debate_hash from dim_parliamentary_debate")["debate_hash"]
    answers = [
        dataclasses.replace(right, item_hash=current),
        dataclasses.replace(right, item_hash=current, answered_at="2025-01-01 00:00:00"),
        dataclasses.replace(right, item_hash=current, experiment="other", is_answered=False),
        dataclasses.replace(right, item_hash="before", sample=1),
        dataclasses.replace(right, item_hash=current, sample=2, is_answered=False),
        dataclasses.replace(right, item_hash=None, sample=3, house_ranks=None),
    ]
    models = built(**as_raw([dataclasses.replace(room, answers=answers)]))
    row = one(models, "from dim_adjudication_setting")
    assert (row["request_count"], row["superseded_count"], row["stale_count"]) == (6, 2, 1)
    assert (row["parsed_count"], row["partly_count"], row["unanswered_count"]) == (1, 1, 1)
    assert row["experiments"] == "e, other"
    counted = models.execute("select sample from fct_adjudication order by sample").fetchall()
    assert counted == [(0,), (2,), (3,)]
    exact = one(models, "from rpt_bp_verdict where measure = 'exact_match'")
    assert (exact["n_answers"], exact["failed_count"], exact["value"]) == (3, 2, 1.0)
    # Of three answers about the one debate two failed.
    assert exact["value_if_worst"] == pytest.approx(1 / 3)


def test_rulings_that_a_file_supplied_count_as_read(built: Built) -> None:
    data = as_raw([Room("a", HOUSES, SCORES, answers=[Answer(HOUSES, SCORES, SPEAKERS)])])
    for row in data["raw"]["adjudications"]:
        row["parse_status"] = "supplied"
    models = built(**data)
    setting = one(models, "from dim_adjudication_setting")
    assert (setting["request_count"], setting["parsed_count"]) == (1, 1)
    accepted = rules_of("fct_adjudication")["accepted_values"]["parse_status"]
    assert one(models, "from fct_adjudication")["parse_status"] in accepted


def test_every_way_of_asking_has_its_own_estimate_of_being_named_first(built: Built) -> None:
    ways = list(itertools.product(("t", "u"), ("og-oo-cg-co", "co-cg-oo-og")))
    answers = [
        Answer(HOUSES, SCORES, SPEAKERS, sample=number, house_order=order)
        for number, (_, order) in enumerate(ways)
    ]
    data = as_raw([Room("a", HOUSES, SCORES, answers=answers)])
    for row in data["raw"]["adjudications"]:
        row["template"] = ways[row["sample"]][0]
    found = built(**data).execute(
        "select setting ->> 'template', count(*), count(distinct (setting, measure)) "
        "from int_parliamentary_estimates where setting ->> 'effect' = 'named_first' "
        "group by all order by all"
    )
    assert found.fetchall() == [("t", 3, 3), ("u", 3, 3)]


def test_values_stand_beside_the_panels_with_tied_speakers_sharing_ranks(built: Built) -> None:
    answer = Answer((2, 1, 3, 4), (70, None, *SCORES[2:]), SPEAKERS)
    models = built(**as_raw([Room("a", HOUSES, SCORES, answers=[answer])]))
    found = {
        (task, place): values
        for task, place, *values in models.execute(
            "select task, place, house, predicted, official, difference, official_rank, reason "
            "from fct_adjudication_value"
        ).fetchall()
    }
    assert len(found) == 20
    assert found["house_ranks", "og"] == ["og", 2, 1, 1, 1, None]
    assert found["speaker_scores", "pm"] == ["og", 70, 75, -5, 4.5, None]
    assert found["speaker_scores", "lo"] == ["oo", None, 74, None, 6, "missing"]
    # DPM and DLO share second and third place.
    assert found["speaker_ranks", "dpm"] == ["og", 3, 2.5, 0.5, 2.5, None]
    assert found["speaker_ranks", "gw"] == ["cg", 7, 1, 6, 1, None]


def test_results_that_are_unclear_are_none(built: Built) -> None:
    answer = Answer(HOUSES, SCORES, SPEAKERS)
    rooms = [
        Room("removed", HOUSES, SCORES, answers=[answer], removal="one_result"),
        Room("tied", (1, 1, 3, 4), SCORES[:7], answers=[answer]),
        Room("unread", HOUSES, SCORES, removal="eight_speeches"),
    ]
    models = built(**as_raw(rooms))
    debates = {
        name: tuple(rest)
        for name, *rest in models.execute(
            "select debate_id, has_house_ranks, score_count, is_judged, removal_rule, "
            "removal_reason from dim_parliamentary_debate"
        ).fetchall()
    }
    assert debates == {
        "removed": (False, 0, False, "one_result", "because"),
        "tied": (False, 7, True, None, None),
        "unread": (True, 8, False, "eight_speeches", "because"),
    }
    for mart, n_answers, missing in (
        ("rpt_bp_verdict", 0, 2),
        ("rpt_bp_speaker_ranks", 0, 2),
        ("rpt_bp_speaker_scores", 1, 1),
    ):
        rows = models.execute(
            f"select distinct n_answers, without_official_count from {mart}"
        ).fetchall()
        assert rows == [(n_answers, missing)]


def test_faults_are_counted_once_a_reply_and_requests_without_one_are_no_replies(
    built: Built,
) -> None:
    faulty = Answer(None, SCORES, SPEAKERS, faults=[("house_ranks", "house_twice")] * 2)
    rooms = [
        Room(
            f"d{number}",
            HOUSES,
            SCORES,
            answers=[
                faulty if number == 0 else Answer(HOUSES, SCORES, SPEAKERS),
                Answer(sample=1, is_answered=False),
            ],
        )
        for number in range(6)
    ]
    models = built(**as_raw(rooms))
    row = one(models, "from rpt_bp_faults")
    assert (row["fault"], row["fault_task"], row["n"]) == ("house_twice", "house_ranks", 1)
    assert (row["n_answers"], row["n_units"]) == (6, 6)
    assert row["share"] == pytest.approx(1 / 6)
    assert row["share_low"] < 1 / 6 < row["share_high"]
    example = one(
        models, f"from fct_adjudication where response_id = '{row['example_response_id']}'"
    )
    assert (example["debate_id"], example["faults"], example["fault_count"]) == (
        "d0",
        "house_twice",
        2,
    )


def test_health_of_a_run_counts_adjudications_and_what_was_read_in_part(built: Built) -> None:
    room = Room(
        "a",
        HOUSES,
        SCORES,
        answers=[
            Answer(HOUSES, SCORES, SPEAKERS),
            Answer(None, SCORES, SPEAKERS, sample=1),
            Answer(sample=2, is_answered=False),
        ],
    )
    models = built(**as_raw([room]))
    found = models.execute(
        "select answer_kind, parse_status, answer_status, parse_reason from int_answers_unioned "
        "order by parse_status"
    ).fetchall()
    assert found == [
        ("adjudication", "not_answered", "timeout", None),
        ("adjudication", "parsed", "parsed", None),
        ("adjudication", "unparsed", "unparsed", "partly"),
    ]
    assert one(models, "select count(*) as n from dim_response")["n"] == 3
