"""Source `quality`: QuALITY's stories, with questions that are hard without reading them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ingestion.errors import SourceUnreadable
from ingestion.registry import ANY, NamedSettings, expect, setting, source

if TYPE_CHECKING:
    from ingestion.batch import Reject, SourceFile
    from ingestion.oversight.batch import ReadingBatch
    from ingestion.sources.parts import Part, Parts
    from warehouse.home import Home

URL = "https://github.com/nyu-mll/quality"
WHERE = (
    f"fetch QuALITY.v1.0.1.zip from {URL}/tree/main/data and name it, or one of its files, or a "
    "folder of them"
)
SPLITS = ("train", "dev", "test")
WHOLE = "a whole number from 1"
_RELEASED = re.compile(r"quality.*\.(train|dev|test)(\.jsonl)?", re.IGNORECASE)
_STRIPPED = ".htmlstripped."
# The first line of a look-alike holds a whole story before what gives it away.
_HEAD = 1 << 20


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


@source(
    "quality",
    about="QuALITY's stories, with questions that are hard without reading them",
    where=WHERE,
    settings=QualitySettings,
)
def quality(home: Home, location: str, settings: QualitySettings) -> ReadingBatch:
    """Return the questions of the release's files, those not to be debated with the reason."""
    from ingestion.batch import SourceFile
    from ingestion.oversight.batch import ReadingBatch
    from ingestion.oversight.readers import quality as reader
    from ingestion.oversight.readers.quality import filtered, rules_of
    from ingestion.oversight.reading import Reading
    from ingestion.records import read_json_lines
    from ingestion.sources.parts import Parts, shown_as

    dataset = settings.named(reader.DATASET)
    parts = Parts(home, location, dataset)
    names, notes = _files(parts)
    found = reader.Articles()
    files: list[SourceFile] = []
    rejects: list[Reject] = []
    for name in names:
        part = parts.open(name)
        _refuse_look_alikes(part)
        reading = Reading(shown_as(part))
        # As the user names it: the landing may know the same bytes by another name.
        called = parts.shown if parts.is_one_file else name
        is_html = _STRIPPED not in called.casefold()
        reader.read_articles(
            dataset.dataset_id,
            reading.kept(read_json_lines(part.opener, shown=reading.shown)),
            reading,
            found,
            split=settings.split or _split(called),
            is_html=is_html,
        )
        if is_html:
            reading.note("articles are HTML, read as the text they show")
        landed = part.landed
        files.append(SourceFile(reading.shown, landed.label, landed.sha256, reading.records))
        rejects += reading.rejects
        notes += [f"{PurePosixPath(called).name}: {note}" for note in reading.notes]
    return ReadingBatch(
        dataset=dataset,
        files=files,
        stories=list(found.stories.values()),
        questions=filtered(found.questions, settings),
        rules=rules_of(settings),
        rejects=rejects,
        notes=notes,
    )


def is_number(text: str) -> bool:
    """Say whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _files(parts: Parts) -> tuple[list[str], list[str]]:
    """Return the files to read, one per split, and what to say of those that are left."""
    if parts.is_one_file:
        return parts.names, []
    released: dict[str, list[str]] = {}
    for name in parts.names:
        file = PurePosixPath(name.removesuffix(".gz")).name
        if match := _RELEASED.fullmatch(file):
            released.setdefault(match[1].casefold(), []).append(name)
    if not released:
        lines = [name for name in parts.names if name.endswith((".json", ".jsonl"))]
        for name in lines:
            _refuse_look_alikes(parts.open(name))
        there = ", ".join(parts.names[:8]) or "nothing"
        raise SourceUnreadable(
            f"ingestion: {parts.shown} has no file such as QuALITY.v1.0.1.htmlstripped.train; it "
            f"has {there}: {WHERE}"
        )
    chosen, left = [], []
    for split in (each for each in SPLITS if each in released):
        names = sorted(released[split], key=lambda name: (_STRIPPED not in name.casefold(), name))
        chosen.append(names[0])
        left += names[1:]
    notes = [f"not read, since the same split was read without HTML: {len(left)}"] if left else []
    return chosen, notes


def _split(name: str) -> str | None:
    words = re.split(r"[^a-z]+", PurePosixPath(name).name.casefold())
    return next((split for split in SPLITS if split in words), None)


def _refuse_look_alikes(part: Part) -> None:
    """Refuse what lies beside the release and is not it, by what it is.

    Raises:
        SourceUnreadable: It is something else.
    """
    from ingestion.sources.parts import shown_as

    with part.opener() as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    what = None
    if head.startswith("version https://git-lfs"):
        what = "only points to a file that Git LFS keeps; fetch the file itself"
    elif head.startswith("[") and '"supporting_facts"' in head:
        what = (
            "is a list of questions that need two paragraphs (as HotpotQA has them), which lies "
            "beside QuALITY and is not a part of it"
        )
    elif head.startswith("["):
        what = "is one JSON list, not lines of one article each"
    elif '"question1"' in head and '"question1_gold_label"' in head:
        what = "is an older layout of QuALITY, with fields question1, question2 and so on"
    if what is not None:
        raise SourceUnreadable(
            f"ingestion: {shown_as(part)} {what}. Nothing was loaded; for QuALITY {WHERE}"
        )
