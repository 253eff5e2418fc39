"""The debates a run reads: from its debates file and no other. Who won them is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from inference.items import ItemSource, read_rows

_ABOUT = (
    "item_hash",
    "motion",
    "context",
    "rounds",
    "end_side",
    "words_pro",
    "words_con",
    "words_other",
)
_MEASURES = ("debate_id", "rounds", "end_side", "words_pro", "words_con", "words_other")
# One debate may be half a megabyte of text.
_BATCH_ROWS = 8
_ROLE_NAMES = {
    "debater": "Debater",
    "moderator": "Moderator",
    "host": "Host",
    "audience": "Audience",
    "judge": "Judge",
    "other": "Other",
}
# What turns without a side are called in a transcript, so that no label may be one of them.
ROLE_NAMES = frozenset(_ROLE_NAMES.values())


@dataclass(frozen=True)
class Turn:
    """What one person said at a time.

    Attributes:
        side: `pro` or `con`; None for a host, an audience and others who have no side.
        speaker_role: As what the person speaks.
        text: What was said.
    """

    side: str | None
    speaker_role: str
    text: str

    @property
    def role_name(self) -> str:
        """What a speaker without a side is called."""
        return _ROLE_NAMES.get(self.speaker_role, "Other")


@dataclass(frozen=True)
class Debate:
    """One debate to name the winner of, without anything people said about it.

    Attributes:
        dataset_id: The data set.
        item_id: The debate, its data set's name before a colon.
        item_hash: Of its motion and all its turns, those after the last debater included.
        motion: What is debated.
        context: What must be known beside the turns; empty where there is nothing.
        rounds: How many rounds it has.
        end_side: The side that speaks last.
        words_pro: Words pro says.
        words_con: Words con says.
        words_other: Words of those without a side.
        turns: What was said, in order, up to the last debater.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str
    context: str
    rounds: int
    end_side: str | None
    words_pro: int
    words_con: int
    words_other: int
    turns: tuple[Turn, ...]

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Debate:
        """Return the debate whose `asdict` this is."""
        turns = tuple(Turn(**turn) for turn in fields["turns"])
        return cls(**{**fields, "turns": turns})

    def without_other_turns(self) -> Debate:
        """Return the debate with the turns of its two sides alone."""
        return replace(self, words_other=0, turns=tuple(turn for turn in self.turns if turn.side))


class Measure(NamedTuple):
    """What can be known of a debate without reading it, and is not who won.

    Attributes:
        debate_id: The debate.
        rounds: How many rounds it has.
        end_side: The side that speaks last.
        words_pro: Words pro says.
        words_con: Words con says.
        words_other: Words of those without a side.
    """

    debate_id: str
    rounds: int
    end_side: str | None
    words_pro: int
    words_con: int
    words_other: int


def iter_debates(source: ItemSource) -> Iterator[Debate]:
    """Yield the debates of a data set, a few in memory at a time.

    Args:
        source: The data set's files; only the debates file is read.

    Raises:
        BadItems: There is no such file, or it cannot be read.
    """
    columns = ("debate_id", *_ABOUT, "turns")
    for row in read_rows(source.dataset_id, debates_file(source), columns, _BATCH_ROWS):
        about = {name: row[name] for name in _ABOUT}
        about["context"] = about["context"] or ""
        turns = tuple(
            Turn(turn["side"], turn["speaker_role"], turn["text"]) for turn in row["turns"]
        )
        yield Debate(source.dataset_id, row["debate_id"], turns=turns, **about)


def iter_measures(source: ItemSource) -> Iterator[Measure]:
    """Yield what `iter_debates` does, in its order, without reading any text."""
    for row in read_rows(source.dataset_id, debates_file(source), _MEASURES):
        yield Measure(**row)


def debates_file(source: ItemSource) -> Path:
    """Return the file of a data set's debates, which must be there."""
    return source.need(
        "debates_file",
        "debates: data set '{}' has no debates with two sides to judge; "
        "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset",
    )
