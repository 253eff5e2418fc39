"""Source `quality`: QuALITY's stories, with questions that are hard without reading them."""

import math
from typing import Annotated, Literal

from ingestion.registry import NamedSettings, declare, setting, setting_of

URL = "https://github.com/nyu-mll/quality"
LICENCE = "CC-BY-4.0"
WHERE = (
    f"fetch QuALITY.v1.0.1.zip from {URL}/tree/main/data and name it, or one of its files, or a "
    "folder of them"
)
SPLITS = ("train", "dev", "test")


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


_Number = Annotated[str, setting_of(is_number, "a number")]
_YesNo = Annotated[str, setting_of(("yes", "no").__contains__, "yes, no")]


class QualitySettings(NamedSettings):
    """Rules that a question must pass to be debated; `any` turns one off."""

    source: Annotated[str, setting_of(bool, "a collection's name")] = setting(
        "Gutenberg", "the collection its story is from"
    )
    difficult: _YesNo = setting("yes", "yes: fewer than half of the readers in a hurry are right")
    max_answerability: _Number = setting(
        "1.0", "the largest mean answerability, 1 (one right answer) to 3"
    )
    min_untimed_accuracy: _Number = setting(
        "1.0", "the smallest share of untimed readers who are right"
    )
    max_speed_accuracy: _Number = setting(
        "0.5", "the largest share of readers in a hurry who are right"
    )
    min_context_required: _Number = setting(
        "1.5", "the smallest mean of how much must be read, 1 to 4"
    )
    conflicting_labels: _YesNo = setting(
        "no", "no: its writer and most readers hold the same answer to be right"
    )
    per_story: Annotated[
        str,
        setting_of(lambda text: text.isdecimal() and int(text) > 0, "a whole number from 1"),
    ] = setting("1", "how many questions of a story are kept, those first in the files")
    split: Literal["train", "dev", "test"] | None = setting(
        None, "the part of the data set a file holds, where its name does not say"
    )


declare(
    "quality",
    about="QuALITY's stories, with questions that are hard without reading them",
    where=WHERE,
    reader="ingestion.oversight.readers.quality.open_quality",
    settings=QualitySettings,
    has_parts=True,
    licence=LICENCE,
)
