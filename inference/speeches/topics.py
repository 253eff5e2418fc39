"""Topics that models write speeches on, as a run reads them: the motion and nothing else.

A topic is one whose speeches are scored, whether a person has spoken on it or not. What others said
of it is in the items file, and never read here: a model that writes a speech sees the motion alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from inference.item_files import ItemFile

# The study's prompt asks for so many words.
WORD_LIMIT = 600


@dataclass(frozen=True)
class Topic:
    """One motion to speak for."""

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str


@dataclass(frozen=True)
class Writing:
    """How a speech is asked for: longer ones lose sentences from the end."""

    word_limit: int = WORD_LIMIT

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        return f"{self.word_limit} words at most"


TOPICS = ItemFile(
    Topic,
    "topics_file",
    "topics: data set '{}' has no topics to speak on; ingest it again if its speeches are "
    "scored, or name one whose speeches are, such as --dataset sample",
    columns={"item_id": "debate_id"},
)
