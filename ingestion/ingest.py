"""Bringing a data set in: land its file, read it, load it, write its item files."""

from __future__ import annotations

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
from warehouse.waiting import say_nothing

if TYPE_CHECKING:
    from ingestion.annotations import AnnotationStudy

# What a user says about a study of their own, and how its files are read.
DescribedStudy: TypeAlias = "Study | AnnotationStudy"


@dataclass(frozen=True)
class CheckReport:
    """What loading a study would find. Nothing was loaded.

    Attributes:
        items: Valid items.
        ratings: Valid ratings.
        dimensions: What was rated.
        rejects: Records that break the contract.
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
        location: What the source's `where` asks for: a file, a folder, an archive or an address;
            nothing for `sample`.
        settings: Settings of the source by name, such as `margin` for `ddo`.
        max_rejected: The largest share of rejected records, 0 to 1.

    Raises:
        UnknownSource: There is no such source, it needs a location, or has no such setting.
        TooManyRejected: Too large a share of its records is rejected; nothing is loaded.
    """
    opened = source_named(source).open(home, location, settings or {})
    reports = []
    for each in [opened] if isinstance(opened, Loadable) else opened:
        if isinstance(each, AnswerFile):
            # Few sources come with answers, and their formats take a while to import.
            from ingestion.imports import import_file

            said = import_file(
                home,
                each.path,
                wanted_format=each.format,
                dataset=each.dataset.dataset_id,
                licence=each.dataset.licence,
                notify=notify,
            )
            reports.append(replace(said, notes=[]))
        else:
            reports.append(load(home, each, max_rejected=max_rejected, notify=notify))
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

    Args:
        study: What the user says about it.
        max_rejected: The largest share of rejected records of each file, 0 to 1.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
        TooManyRejected: Too large a share of a file's records is rejected; nothing is loaded.
    """
    study.check()
    landed = [land(home, path, source=study.name, licence=study.licence) for path in study.files]
    batch = study.read(*landed)
    return load(home, batch, max_rejected=max_rejected, notify=notify)


def check_study(study: Study, *, max_rejected: float = MAX_REJECTED) -> CheckReport:
    """Read a study as `ingest_study` would and load nothing; no home is touched.

    Args:
        study: What the user says about it.
        max_rejected: The largest share of rejected records of each file, 0 to 1.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
    """
    batch = study.read(*map(in_place, study.files))
    refusal = None
    try:
        refuse_too_many(batch.files, batch.rejects, max_rejected)
    except TooManyRejected as error:
        refusal = str(error)
    return CheckReport(
        items=len(batch.speeches),
        ratings=len(batch.ratings),
        dimensions=tuple(dimension.dimension for dimension in batch.dimensions),
        rejects=tuple(batch.rejects),
        refusal=refusal,
    )
