"""Loading parliamentary debates: parts are replaced, hashes follow texts, judges see no result."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from inference.items import find_item_sources
from inference.parliamentary.items import PARLIAMENTARY_DEBATES
from ingestion.errors import TooManyRejected
from ingestion.ingest import ingest
from ingestion.load import load
from ingestion.parliamentary.batch import removal_of
from tests.ingestion.debate_files import ddo_debate, ddo_file, rounds
from tests.ingestion.ingestion_files import item_rows, one, pointer, query, unchanged
from tests.ingestion.parliamentary_files import MADE, made_batch, made_debate
from warehouse.home import Home
from warehouse.records.bp import ROLES
from warehouse.records.parliamentary import (
    PANEL,
    Adjudicator,
    SpeakerResult,
    TeamResult,
    TranscriptMatch,
)

_NAME = MADE.dataset_id


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def test_a_second_load_of_the_same_leaves_no_trace(home: Home) -> None:
    match = TranscriptMatch(dataset_id=_NAME, status="missing", reason="none", candidates=("a",))
    batch = made_batch(made_debate(), made_debate("two"), matches=[match])
    assert load(home, batch).load_id == 1
    with unchanged(home):
        assert load(home, batch).load_id is None
    assert one(home, "select candidates from raw.transcript_matches") == '["a"]'


def test_a_debate_has_the_parts_of_the_last_load_and_others_stay(home: Home) -> None:
    debate = made_debate()
    ballot = [replace(each, decided_by="Jo") for each in debate.speakers]
    panel = Adjudicator(
        debate_id=debate.debate.debate_id, dataset_id=_NAME, adjudicator_id=f"{_NAME}:jo"
    )
    full = replace(debate, speakers=[*debate.speakers, *ballot], adjudicators=[panel])
    load(home, made_batch(full, made_debate("two")))
    assert one(home, "select count(*) from raw.speaker_results") == 24
    seven = replace(debate, speeches=debate.speeches[:7], teams=())
    load(home, made_batch(seven))
    counts = query(
        home,
        "select (select count(*) from raw.speaker_results), (select count(*) from raw.adjudicators),"
        " (select count(*) from raw.team_results), (select count(*) from raw.speeches)",
    )
    assert counts == [(16, 0, 4, 15)]


def test_judges_read_the_eight_speeches_and_nothing_of_the_result(home: Home) -> None:
    load(home, made_batch(made_debate(info_slide="It is old.", room="Cellar")))
    (row,) = item_rows(home, _NAME, "parliamentary")
    speeches = [
        {"role": role, "house": house, "text": f"The {role} on the case.", "word_count": 5}
        for role, house in zip(ROLES, ("og", "oo", "og", "oo", "cg", "co", "cg", "co"), strict=True)
    ]
    motion = "This house would mend the bridge"
    of_speeches = [_hash(motion, "", each["text"]) for each in speeches]  # type: ignore[arg-type]
    assert row == {
        "debate_id": f"{_NAME}:one",
        "item_hash": _hash(_hash(*of_speeches), "It is old."),
        "motion": motion,
        "info_slide": "It is old.",
        "word_count": 40,
        "speeches": speeches,
    }
    reference = item_rows(home, _NAME, "parliamentary_reference")
    assert {
        (each["place"], each["value"]) for each in reference if each["task"] == "house_ranks"
    } == {("og", 1.0), ("oo", 2.0), ("cg", 3.0), ("co", 4.0)}
    assert [each["value"] for each in reference if each["place"] == "ow"] == [77.0]
    (source,) = find_item_sources(home.items)
    (debate,) = PARLIAMENTARY_DEBATES.read(source)
    assert (debate.speeches[1].house, debate.item_hash) == ("oo", row["item_hash"])


def test_an_unknown_motion_is_null_to_judges_and_not_a_text(home: Home) -> None:
    load(home, made_batch(made_debate(motion=None)))
    assert one(home, "select motion from raw.debates") == ""
    (row,) = item_rows(home, _NAME, "parliamentary")
    assert (row["motion"], row["info_slide"]) == (None, None)
    # They are no debates of two sides.
    assert "debates" not in pointer(home, _NAME)
    assert pointer(home, _NAME)["rows"] == 0


def test_a_change_of_any_text_changes_the_hash_and_one_of_the_result_none(home: Home) -> None:
    found = set()
    texts: list[dict[str, Any]] = [
        {"motion": "Another"},
        {"info_slide": "New"},
        {"said": "other things"},
        {},
    ]
    for changes in texts:
        load(home, made_batch(made_debate(**changes)))
        (item,) = item_rows(home, _NAME, "parliamentary")
        found.add(item["item_hash"])
    assert len(found) == len(texts)
    before = pointer(home, _NAME)
    debate = made_debate()
    scores = [replace(each, score=60.0) for each in debate.speakers]
    load(home, made_batch(replace(debate, speakers=scores)))
    after = pointer(home, _NAME)
    assert before["parliamentary"] == after["parliamentary"]
    assert before["parliamentary_reference"] != after["parliamentary_reference"]


def test_a_removed_debate_is_loaded_and_not_judged(home: Home) -> None:
    debate = made_debate()
    seven = removal_of(debate.speeches[:7], debate.teams, debate.speakers)
    tab = removal_of((), debate.teams, debate.speakers)
    report = load(
        home,
        made_batch(
            made_debate("whole"),
            replace(debate, speeches=debate.speeches[:7], removal=seven),
            replace(made_debate("tab"), speeches=(), removal=tab),
            replace(
                made_debate("none"),
                teams=(),
                speakers=(),
                removal=removal_of(debate.speeches, (), ()),
            ),
        ),
    )
    assert [each["debate_id"] for each in item_rows(home, _NAME, "parliamentary")] == [
        f"{_NAME}:whole"
    ]
    assert query(
        home, "select debate_id, rule, reason from raw.debate_filters where is_removed order by 1"
    ) == [
        (
            f"{_NAME}:none",
            "one_result",
            "the panel's ranking of the houses and its scores are not whole",
        ),
        (f"{_NAME}:one", "eight_speeches", "no speech of OW"),
        (f"{_NAME}:tab", "eight_speeches", "no transcript"),
    ]
    assert "removed by eight_speeches: 2" in report.notes
    assert "kept: 1" in report.notes


def test_a_ranking_or_all_scores_are_a_result_and_a_single_ballot_is_none() -> None:
    debate = made_debate()
    ballot = [replace(each, decided_by="Jo") for each in debate.teams]
    assert removal_of(debate.speeches, debate.teams, ()) is None
    assert removal_of(debate.speeches, (), debate.speakers) is None
    for teams, speakers in ((ballot, ()), (debate.teams[:3], ()), ((), debate.speakers[:7])):
        removal = removal_of(debate.speeches, teams, speakers)
        assert removal is not None
        assert removal.rule == "one_result"


def test_of_a_result_in_part_judges_of_the_rest_are_measured(home: Home) -> None:
    debate = made_debate()
    partial = [*debate.speakers[:3], replace(debate.speakers[3], score=None)]
    load(home, made_batch(replace(debate, speakers=partial)))
    found = [each["place"] for each in item_rows(home, _NAME, "parliamentary_reference")]
    assert found == ["cg", "co", "og", "oo", "dpm", "lo", "pm"]


def test_debates_of_one_id_and_results_given_twice_are_rejected(home: Home) -> None:
    debate = made_debate("two")
    more = replace(debate, teams=[*debate.teams, debate.teams[0]])
    whole = [made_debate(f"whole-{number}") for number in range(3)]
    batch = made_batch(*whole, made_debate(), made_debate(said="other things"), more)
    with pytest.raises(TooManyRejected, match="2 debates of the load have it"):
        load(home, batch)
    report = load(home, batch, max_rejected=0.5)
    assert [each.reason for each in report.rejects][-1] == "more than one result by panel for og"
    assert one(home, "select count(*) from raw.debates") == 3
    assert one(home, "select count(*) from raw.quarantine") == 3


@pytest.mark.parametrize("score", [49.9, 100.5, float("nan"), True])
def test_a_score_outside_the_scale_is_no_score(score: float) -> None:
    with pytest.raises(ValidationError):
        SpeakerResult(debate_id="a:b", dataset_id="a", decided_by=PANEL, role="pm", score=score)
    with pytest.raises(ValidationError):
        TeamResult(debate_id="a:b", dataset_id="a", decided_by=PANEL, house="og", team_rank=5)


def test_a_load_of_other_kinds_leaves_its_rules_and_roles_alone(home: Home, tmp_path: Path) -> None:
    load(home, made_batch(made_debate()))
    before = query(home, "from raw.filter_rules order by all")
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(rounds=rounds(4), number_of_rounds=4)}))
    assert query(home, f"from raw.filter_rules where dataset_id = '{_NAME}' order by all") == before
    assert query(home, "select distinct dataset_id, role is null from raw.speeches order by 1") == [
        ("ddo", True),
        (_NAME, False),
    ]
