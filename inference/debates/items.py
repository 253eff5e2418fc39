"""The debates a run reads: from its debates file and no other. Who won them is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from inference.item_files import LONG_ROWS, ItemFile
from inference.items import ItemSource, read_rows

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
    """What one person said at a time; hosts, an audience and others have no side."""

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
        item_id: The debate, its data set's name before a colon.
        item_hash: Of its motion and all its turns, those after the last debater included.
        context: What must be known beside the turns; empty where there is nothing.
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

    def without_other_turns(self) -> Debate:
        """Return the debate with the turns of its two sides alone."""
        return replace(self, words_other=0, turns=tuple(turn for turn in self.turns if turn.side))


class Measure(NamedTuple):
    """What can be known of a debate without reading it, and is not who won."""

    debate_id: str
    rounds: int
    end_side: str | None
    words_pro: int
    words_con: int
    words_other: int


DEBATES = ItemFile(
    Debate,
    "debates",
    "debates: data set '{}' has no debates with two sides to judge; "
    "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset",
    columns={"item_id": "debate_id"},
    blank={"context": ""},
    batch_rows=LONG_ROWS,
)


def iter_measures(source: ItemSource) -> Iterator[Measure]:
    """Yield what is known of debates in their order, without reading any text."""
    for row in read_rows(source.dataset_id, DEBATES.path(source), Measure._fields):
        yield Measure(**row)
