"""Source `quality`: QuALITY's stories, with questions that are hard without reading them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

from ingestion.registry import ANY, NamedSettings, declare, expect, setting

URL = "https://github.com/nyu-mll/quality"
WHERE = (
    f"fetch QuALITY.v1.0.1.zip from {URL}/tree/main/data and name it, or one of its files, or a "
    "folder of them"
)
SPLITS = ("train", "dev", "test")
WHOLE = "a whole number from 1"


@dataclass(frozen=True)
class QualitySettings(NamedSettings):
    """What a question must have to be debated; `any` turns a rule off."""

    source: str = setting("Gutenberg", "the collection its story is from")
    difficult: str = setting("yes", "yes: fewer than half of the readers in a hurry are right")
    max_answerability: str = setting(
        "1.0", "the largest mean answerability, 1 (one right answer) to 3"
    )
    min_untimed_accuracy: str = setting(
        "1.0", "the smallest share of untimed readers who are right"
    )
    max_speed_accuracy: str = setting(
        "0.5", "the largest share of readers in a hurry who are right"
    )
    min_context_required: str = setting("1.5", "the smallest mean of how much must be read, 1 to 4")
    conflicting_labels: str = setting(
        "no", "no: its writer and most readers hold the same answer to be right"
    )
    per_story: str = setting(
        "1", "how many questions of a story are kept, those first in the files"
    )
    split: str | None = setting(
        None, "the part of the data set a file holds, where its name does not say"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        expect("split", self.split, self.split in (*SPLITS, None), ", ".join(SPLITS))
        for name in ("difficult", "conflicting_labels"):
            self._expect(name, ("yes", "no").__contains__, "yes, no")
        for name in (each.name for each in fields(self)):
            if name.startswith(("min_", "max_")):
                self._expect(name, is_number, "a number")
        self._expect("per_story", lambda text: text.isdecimal() and int(text) > 0, WHOLE)
        self._expect("source", bool, "a collection's name")

    def _expect(self, name: str, is_good: Callable[[str], bool], wanted: str) -> None:
        value = getattr(self, name)
        expect(name, value, value == ANY or is_good(value), f"{wanted} or {ANY}")


declare(
    "quality",
    about="QuALITY's stories, with questions that are hard without reading them",
    where=WHERE,
    reader="ingestion.oversight.readers.quality.open_quality",
    settings=QualitySettings,
)


def is_number(text: str) -> bool:
    """Say whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
