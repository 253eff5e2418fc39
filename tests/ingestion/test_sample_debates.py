"""The sample's debates: balanced cells, texts that differ, votes by a stated rule, never by accident."""

import hashlib
from collections import Counter, defaultdict
from dataclasses import astuple

import pytest

from ingestion.sample.debates.composed import (
    FOLLOWING_PER_CELL,
    PER_CELL,
    sample_debates,
    sample_readers,
)
from tests.ingestion.debate_files import removed_by
from tests.ingestion.ingestion_files import one, query
from warehouse.home import Home

# Change these only together with an intended change of the sample: answers already paid for depend
# on the texts.
DEBATES_SHA256 = "34f5b23b3f3c3a02f75b8831e07ff9eac5222dfb359315497511b4040930d347"
READERS_SHA256 = "f7c6f9f984e0c0d71d4edfa77bd626aaaaab1d1497edebffe1f9ca8bd90b213d"
KEPT = [debate for debate in sample_debates() if debate.removed_by is None]


def _winner(votes_pro: int, votes_con: int) -> str:
    return "pro" if votes_pro > votes_con else "con"


def test_every_cell_of_rounds_last_speaker_and_winner_is_as_large() -> None:
    cells = Counter(
        (debate.rounds, debate.turns[-1].side, _winner(debate.votes_pro, debate.votes_con))
        for debate in KEPT
    )
    assert len(cells) == 12
    assert set(cells.values()) == {PER_CELL}
    assert len(KEPT) == 240


def test_four_of_five_winners_of_every_cell_argue_better() -> None:
    following: dict[tuple[object, ...], int] = defaultdict(int)
    for debate in KEPT:
        winner = _winner(debate.votes_pro, debate.votes_con)
        cell = (debate.rounds, debate.turns[-1].side, winner)
        following[cell] += winner == debate.better_side
    assert set(following.values()) == {FOLLOWING_PER_CELL} == {16}


def test_two_readers_read_the_same_seventy_five_debates() -> None:
    read: dict[str, set[str]] = defaultdict(set)
    for verdict in sample_readers():
        read[verdict.reader].add(verdict.debate_id)
    assert read["reader-1"] == read["reader-2"]
    assert len(read["reader-1"]) == 75
    better = {debate.debate_id: debate.better_side for debate in KEPT}
    agreeing = sum(verdict.choice == better[verdict.debate_id] for verdict in sample_readers())
    assert 0.7 < agreeing / 150 < 0.9


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(sample_debates(), DEBATES_SHA256), (sample_readers(), READERS_SHA256)],
)
def test_the_debates_are_the_same_everywhere(rows: list[object], expected: str) -> None:
    content = repr([astuple(row) for row in rows])  # type: ignore[call-overload]
    assert hashlib.sha256(content.encode("utf-8")).hexdigest() == expected


def test_they_load_with_the_sample_and_the_rules_find_what_was_made_for_them(sampled: Home) -> None:
    assert query(sampled, "from raw.quarantine") == []
    rules = removed_by(sampled)
    for debate in sample_debates():
        name = debate.debate_id.partition(":")[2]
        assert rules[name] == (debate.removed_by or "kept")
    assert one(sampled, "select count(*) from raw.human_verdicts") == 150
    assert query(
        sampled, "select is_sample, title from raw.datasets where dataset_id like '%-debates'"
    ) == [(True, "Rostrum sample debates (written for this project, not real data)")]
    # Judges of speeches get no more to read than before.
    assert one(sampled, "select count(*) from raw.speeches where dataset_id = 'sample'") == 72
