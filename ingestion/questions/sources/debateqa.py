"""Source `debateqa`: debatable questions, each with the perspectives an answer should show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.registry import NamedSettings, setting, source

if TYPE_CHECKING:
    from ingestion.questions.batch import QuestionBatch
    from warehouse.home import Home

URL = "https://github.com/pillowsofwind/DebateQA"


@dataclass(frozen=True)
class QuestionSettings(NamedSettings):
    """What a user may say about released questions."""

    split: str | None = setting(
        None, "the part of the data set a file holds, where its name does not say"
    )


@source(
    "debateqa",
    about="debatable questions, each with the perspectives an answer should show",
    where=f"fetch test.jsonl (and dev.jsonl, and the folder raw_data) from {URL} and name the "
    "file, or a folder or zip that holds them",
    settings=QuestionSettings,
)
def debateqa(home: Home, location: str, settings: QuestionSettings) -> QuestionBatch:
    """Return the questions of the release's files, with what their perspectives are drawn from."""
    from ingestion.questions.readers.debateqa import DATASET, read_release
    from ingestion.sources.parts import Parts

    dataset = settings.named(DATASET)
    return read_release(Parts(home, location, dataset), dataset, settings)
