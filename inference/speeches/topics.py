"""Topics that models write speeches on, as a run reads them: the motion and nothing else.

A topic is one whose speeches are scored, whether a person has spoken on it or not. What others said
of it is in the items file, and never read here: a model that writes a speech sees the motion alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.items import ItemSource, read_rows

# The study's prompt asks for so many words.
WORD_LIMIT = 600

_COLUMNS = ("debate_id", "item_hash", "motion")


@dataclass(frozen=True)
class Topic:
    """One motion to speak for.

    Attributes:
        dataset_id: The data set.
        item_id: The topic, its data set's name before a colon.
        item_hash: Of the motion.
        motion: What the speech is to argue for.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Topic:
        """Return the topic whose `asdict` this is."""
        return cls(**fields)


@dataclass(frozen=True)
class Writing:
    """How a speech is asked for.

    Attributes:
        word_limit: The most words it may have; longer ones lose sentences from the end.
    """

    word_limit: int = WORD_LIMIT

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        return f"{self.word_limit} words at most"


def iter_topics(source: ItemSource) -> Iterator[Topic]:
    """Yield the topics of a data set.

    Args:
        source: The data set's files; only the topics file is read.

    Raises:
        BadItems: There is no such file, or it cannot be read.
    """
    for row in read_rows(source.dataset_id, topics_file(source), _COLUMNS):
        yield Topic(source.dataset_id, row["debate_id"], row["item_hash"], row["motion"])


def topic_keys(source: ItemSource) -> Iterator[str]:
    """Yield the id of every topic `iter_topics` yields, in its order."""
    for row in read_rows(source.dataset_id, topics_file(source), ("debate_id",)):
        yield row["debate_id"]


def topics_file(source: ItemSource) -> Path:
    """Return the file of the topics of a data set's speeches, which must be there."""
    return source.need(
        "topics_file",
        "topics: data set '{}' has no topics to speak on; ingest it again if its speeches are "
        "scored, or name one whose speeches are, such as --dataset sample",
    )
