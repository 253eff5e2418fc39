"""From what a user names (a file, a folder, an archive, an address) to stories with questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ingestion.batch import Reject, SourceFile
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.oversight.batch import ReadingBatch
from ingestion.oversight.reading import Reading
from ingestion.oversight.sources import quality
from ingestion.oversight.sources.quality_rules import QualitySettings, filtered, rules_of
from ingestion.parts import Part, Parts
from ingestion.records import Record, read_json_lines
from warehouse.home import Home
from warehouse.records.core import DATASET_NAME, Dataset

_SPLITS = ("train", "dev", "test")
_RELEASED = re.compile(r"quality.*\.(train|dev|test)(\.jsonl)?", re.IGNORECASE)
_STRIPPED = ".htmlstripped."
_NAME_AT_MOST = 60
# The first line of a look-alike holds a whole story before what gives it away.
_HEAD = 1 << 20


def where_to_find(source: str) -> str:
    """Return in words where a source's files are; nothing is fetched unless the user names it."""
    del source
    return (
        f"fetch QuALITY.v1.0.1.zip from {quality.DATASET.url}/tree/main/data and name it, or one "
        "of its files, or a folder of them"
    )


def open_reading(
    home: Home, source: str, location: str | Path | None, given: Mapping[str, str]
) -> ReadingBatch:
    """Return what a location of QuALITY's release holds, its files landed.

    Args:
        home: The home.
        source: `quality`.
        location: A file, a folder, an archive, or an address on the web.
        given: The source's settings by name.

    Raises:
        UnknownSource: It needs a location, or has no such setting.
        SourceUnreadable: The location does not hold the source's files.
    """
    dataset, settings, split = _settings(source, given)
    if location is None:
        raise UnknownSource(
            f"ingestion: '{source}' needs a file or an address: {where_to_find(source)}"
        )
    parts = Parts(home, str(location), dataset)
    names, notes = _files(parts)
    found = quality.Articles()
    files: list[SourceFile] = []
    rejects: list[Reject] = []
    for name in names:
        part = parts.open(name)
        _refuse_look_alikes(part)
        reading = Reading(_shown(part))
        # As the user names it: the landing may know the same bytes by another name.
        called = parts.shown if parts.is_one_file else name
        is_html = _STRIPPED not in called.casefold()
        quality.read_articles(
            dataset.dataset_id,
            _rows(part, reading),
            reading,
            found,
            split=split or _split(called),
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


def _settings(source: str, given: Mapping[str, str]) -> tuple[Dataset, QualitySettings, str | None]:
    rules = QualitySettings.names()
    known = [*rules, "split", "dataset"]
    if unknown := sorted(set(given) - set(known)):
        raise UnknownSource(
            f"ingestion: '{source}' has no setting '{unknown[0]}'; expected one of "
            f"{', '.join(known)}"
        )
    split = given.get("split")
    if split not in (*_SPLITS, None):
        raise UnknownSource(
            f"ingestion: setting split should be {', '.join(_SPLITS)}; found {split!r}"
        )
    dataset, name = quality.DATASET, given.get("dataset", quality.NAME)
    if DATASET_NAME.fullmatch(name) is None or len(name) > _NAME_AT_MOST:
        raise UnknownSource(
            f"ingestion: '{name}' cannot be a data set's name; expected small letters, digits and "
            "dashes, such as quality-all"
        )
    if name != quality.NAME:
        dataset = replace(dataset, dataset_id=name, title=f"{dataset.title} ({name})")
    own = {key: value for key, value in given.items() if key in rules}
    return dataset, QualitySettings.of(own), split


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
            f"has {there}: {where_to_find(quality.NAME)}"
        )
    chosen, left = [], []
    for split in (each for each in _SPLITS if each in released):
        names = sorted(released[split], key=lambda name: (_STRIPPED not in name.casefold(), name))
        chosen.append(names[0])
        left += names[1:]
    notes = [f"not read, since the same split was read without HTML: {len(left)}"] if left else []
    return chosen, notes


def _split(name: str) -> str | None:
    words = re.split(r"[^a-z]+", PurePosixPath(name).name.casefold())
    return next((split for split in _SPLITS if split in words), None)


def _refuse_look_alikes(part: Part) -> None:
    """Refuse what lies beside the release and is not it, by what it is.

    Raises:
        SourceUnreadable: It is something else.
    """
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
            f"ingestion: {_shown(part)} {what}. Nothing was loaded; for QuALITY "
            f"{where_to_find(quality.NAME)}"
        )


def _rows(part: Part, reading: Reading) -> Iterator[Record]:
    for row in read_json_lines(part.opener, shown=reading.shown):
        if isinstance(row, Reject):
            reading.records += row.weight
            reading.rejects.append(row)
        else:
            reading.records += 1
            yield row


def _shown(part: Part) -> str:
    is_member = part.landed.path.name.removesuffix(".gz") != PurePosixPath(part.name).name
    return f"{part.landed.shown} ({part.name})" if is_member else part.landed.shown
