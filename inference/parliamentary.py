"""British Parliamentary debates as a run reads them: eight speeches, four houses, no result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.errors import BadItems
from inference.items import ItemSource, read_rows

# In the order in which they speak.
ROLES = ("pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow")
HOUSES = ("og", "oo", "cg", "co")
HOUSE_OF: Mapping[str, str] = {
    "pm": "og", "dpm": "og", "lo": "oo", "dlo": "oo", "mg": "cg", "gw": "cg", "mo": "co",
    "ow": "co",
}  # fmt: skip
SCORE_MIN, SCORE_MAX = 50, 100

HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS = TASKS = (
    "house_ranks", "speaker_scores", "speaker_ranks",
)  # fmt: skip
ALL = "all"
# What one request may ask for: one of the three, or all of them at once.
ASKED_TASKS = (*TASKS, ALL)
WHOLE, NOTES = STRATEGIES = ("whole", "notes")
# The houses as a prompt names them; `shuffled` draws one of all 24 orders for each debate.
SPOKEN, SHUFFLED = "og-oo-cg-co", "shuffled"

_DEBATE = ("debate_id", "item_hash", "motion", "info_slide", "word_count", "speeches")
# One debate may be half a megabyte of text.
_BATCH_ROWS = 8


@dataclass(frozen=True)
class RoleSpeech:
    """One of the eight speeches.

    Attributes:
        role: One of `ROLES`.
        text: What was said.
    """

    role: str
    text: str

    @property
    def house(self) -> str:
        """The house it was given for."""
        return HOUSE_OF[self.role]


@dataclass(frozen=True)
class ParliamentaryDebate:
    """One debate to adjudicate, without anything people decided about it.

    Attributes:
        dataset_id: The data set.
        item_id: The debate, its data set's name before a colon.
        item_hash: Of its motion, its info slide and all its speeches.
        motion: What is debated; empty where nobody knows it.
        info_slide: What all in the room were told beforehand; empty where there was nothing.
        word_count: Words of all speeches.
        speeches: The eight speeches, in the order in which they were held.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str
    info_slide: str
    word_count: int
    speeches: tuple[RoleSpeech, ...]

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> ParliamentaryDebate:
        """Return the debate whose `asdict` this is."""
        speeches = tuple(RoleSpeech(**each) for each in fields["speeches"])
        return cls(**{**fields, "speeches": speeches})


@dataclass(frozen=True)
class Adjudication:
    """One way to have debates adjudicated, as an experiment chooses it.

    Attributes:
        template: The prompt's name.
        task: One of `ASKED_TASKS`.
        house_order: The order in which the prompt names the houses, such as `co-cg-oo-og`; or
            `shuffled`.
        strategy: `whole` for the debate as it is, `notes` for notes on each speech and a verdict
            from them alone.
        manual: The judging manual's name.
        shows_motion: Whether the motion is shown where it is known.
        shows_info_slide: Whether the info slide is shown where there is one.
    """

    template: str
    task: str = ALL
    house_order: str = SPOKEN
    strategy: str = WHOLE
    manual: str = "bp_manual"
    shows_motion: bool = True
    shows_info_slide: bool = True

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        hidden = [
            f"no {name}"
            for name, is_shown in (
                ("motion", self.shows_motion), ("info slide", self.shows_info_slide),
            )
            if not is_shown
        ]  # fmt: skip
        return ", ".join([self.task, self.house_order, self.strategy, self.manual, *hidden])


def iter_parliamentary(source: ItemSource) -> Iterator[ParliamentaryDebate]:
    """Yield the parliamentary debates of a data set, a few in memory at a time.

    Args:
        source: The data set's files; only the parliamentary file is read.

    Raises:
        BadItems: There is no such file, or it cannot be read.
    """
    path = parliamentary_file(source)
    for row in read_rows(source.dataset_id, path, _DEBATE, _BATCH_ROWS):
        yield ParliamentaryDebate(
            source.dataset_id, row["debate_id"], row["item_hash"], row["motion"] or "",
            row["info_slide"] or "", row["word_count"],
            tuple(RoleSpeech(each["role"], each["text"]) for each in row["speeches"]),
        )  # fmt: skip


def parliamentary_file(source: ItemSource) -> Path:
    """Return the file of a data set's parliamentary debates.

    Raises:
        BadItems: It has none.
    """
    if source.parliamentary_file is None:
        raise BadItems(
            f"parliamentary: data set '{source.dataset_id}' has no parliamentary debates to judge; "
            "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset"
        )
    return source.parliamentary_file
