"""Ingestion of a data set: land its files, read them, load them, write its item files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ingestion.batch import MAX_REJECTED, Loadable, Reject, refuse_too_many
from ingestion.errors import TooManyRejected
from ingestion.landing import in_place, kept_if_loaded, land
from ingestion.load import load
from ingestion.raw_tables import LoadReport
from ingestion.registry import AnswerFile, source_named
from ingestion.speeches.readers.study import Study
from warehouse.home import Home
from warehouse.records.core import Speech
from warehouse.records.speeches import Dimension, Rating
from warehouse.waiting import say_nothing

if TYPE_CHECKING:
    from ingestion.annotations import AnnotationStudy

# A study as a user describes it.
DescribedStudy: TypeAlias = "Study | AnnotationStudy"


@dataclass(frozen=True)
class CheckReport:
    """Counts of what loading a study would bring.

    Attributes:
        refusal: Why the load would be refused as a whole; None when it would not.
    """

    items: int
    ratings: int
    dimensions: tuple[str, ...]
    rejects: tuple[Reject, ...]
    refusal: str | None


@kept_if_loaded()
def ingest(
    home: Home,
    source: str,
    location: str | Path | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    max_rejected: float = MAX_REJECTED,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a known source.

    Args:
        source: One of `ingestion.registry.sources`.
        location: A file, a folder, an archive or an address, as the source's `where` says.
        settings: Settings of the source by name, such as `margin` for `ddo`.
        max_rejected: The largest share of rejected records, 0 to 1.

    Raises:
        UnknownSource: There is no such source, it needs a location, or has no such setting.
        TooManyRejected: Too large a share of its records is rejected; nothing is loaded.
    """
    opened = source_named(source).open(home, location, settings or {})
    reports = []
    for each in [opened] if isinstance(opened, Loadable) else opened:
        if not isinstance(each, AnswerFile):
            reports.append(load(home, each, max_rejected=max_rejected, notify=notify))
            continue
        # Few sources have answers, and their formats take a while to import.
        from ingestion.imports import import_file

        imported = import_file(
            home,
            each.path,
            wanted_format=each.format,
            dataset=each.dataset.dataset_id,
            licence=each.dataset.licence,
            notify=notify,
        )
        reports.append(replace(imported, notes=[]))
    return reduce(LoadReport.and_then, reports)


@kept_if_loaded()
def ingest_study(
    home: Home,
    study: DescribedStudy,
    *,
    max_rejected: float = MAX_REJECTED,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a user's own study; a second time changes nothing.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
        TooManyRejected: Too large a share of a file's records is rejected; nothing is loaded.
    """
    study.check()
    landed = [land(home, path, source=study.name, licence=study.licence) for path in study.files]
    return load(home, study.read(*landed), max_rejected=max_rejected, notify=notify)


def check_study(study: Study, *, max_rejected: float = MAX_REJECTED) -> CheckReport:
    """Read a study as `ingest_study` would, without loading it.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
    """
    batch = study.read(*map(in_place, study.files))
    counts: Counter[type] = Counter()
    dimensions = []
    for row in batch.records:
        counts[type(row)] += 1
        if isinstance(row, Dimension):
            dimensions.append(row.dimension)
    found = batch.counted()
    refusal = None
    try:
        refuse_too_many(found.files, found.rejects, max_rejected)
    except TooManyRejected as error:
        refusal = str(error)
    return CheckReport(
        items=counts[Speech],
        ratings=counts[Rating],
        dimensions=tuple(dimensions),
        rejects=tuple(found.rejects),
        refusal=refusal,
    )
