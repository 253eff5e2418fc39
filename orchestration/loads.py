"""Loads of sources: what the assets of `sources/` do, and what a command does without Dagster.

Dagster takes longer to start than a file takes to load. A command therefore leaves a note of each
load in the home, and whoever opens the home's Dagster instance next tells it of them.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ingestion.batch import MAX_REJECTED
from ingestion.errors import IngestionError
from ingestion.ingest import DescribedStudy, ingest, ingest_study
from ingestion.raw_tables import LoadReport
from orchestration.progress import print_notice
from warehouse.files import write_atomically
from warehouse.home import Home

_SHOWN = 20


@dataclass(frozen=True)
class Load:
    """A load of a source, as its asset and its command call it.

    Attributes:
        notify: Told when there is another writer to wait for.
    """

    home: Home
    notify: Callable[[str], None]

    def sample(self) -> dict[str, Any]:
        """Load the bundled sample."""
        return facts_of(ingest(self.home, "sample", notify=self.notify))

    def dataset(
        self,
        *,
        location: str,
        source: str,
        settings: Mapping[str, str],
        max_rejected: float = MAX_REJECTED,
    ) -> dict[str, Any]:
        """Load the released files of any source that `source` can name."""
        report = ingest(
            self.home,
            source,
            location,
            settings=settings,
            max_rejected=max_rejected,
            notify=self.notify,
        )
        return facts_of(report)

    def study(
        self, *, items: str, ratings: str, max_rejected: float = MAX_REJECTED, **about: Any
    ) -> dict[str, Any]:
        """Load a study's items and ratings."""
        from ingestion.speeches.readers.study import Study

        return self._study(Study(items=Path(items), ratings=Path(ratings), **about), max_rejected)

    def annotations(
        self,
        *,
        people: str,
        models: str | None = None,
        scale: list[float] | None = None,
        max_rejected: float = MAX_REJECTED,
        **about: Any,
    ) -> dict[str, Any]:
        """Load a study's annotations."""
        from ingestion.annotations import AnnotationStudy

        described = AnnotationStudy(
            people=Path(people),
            models=Path(models) if models else None,
            scale=cast("tuple[float, float]", tuple(scale)) if scale else None,
            **about,
        )
        return self._study(described, max_rejected)

    def imports(
        self,
        *,
        path: str,
        file_format: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Import a file; from the inbox it is moved away, with the reason where refused."""
        from ingestion.imports import import_file

        file = Path(path)
        is_inbox = file.parent.resolve() == self.home.inbox.resolve()
        with settle(self.home, file, is_inbox=is_inbox):
            report = import_file(
                self.home, file, wanted_format=file_format, notify=self.notify, **options
            )
        return facts_of(report, file.name)

    def _study(self, described: DescribedStudy, max_rejected: float) -> dict[str, Any]:
        report = ingest_study(self.home, described, max_rejected=max_rejected, notify=self.notify)
        return facts_of(report)


@contextmanager
def settle(home: Home, path: Path, *, is_inbox: bool) -> Iterator[None]:
    """Take a file out of the inbox once it was imported or refused.

    Imported, it is gone from the inbox: its bytes are in `landing/`. Refused, it goes to
    `inbox/rejected/` with a text file that says why. Anything else that goes wrong leaves it where
    it is, to be tried again.

    Args:
        is_inbox: Whether it came from the inbox; others stay where they are.
    """
    try:
        yield
    except IngestionError as error:
        if is_inbox and path.exists():
            rejected = home.inbox / "rejected"
            rejected.mkdir(exist_ok=True)
            write_atomically(rejected / f"{path.name}.reason.txt", f"{error}\n".encode())
            os.replace(path, rejected / path.name)
        raise
    if is_inbox:
        path.unlink(missing_ok=True)


def facts_of(report: LoadReport, loaded: str | None = None) -> dict[str, Any]:
    """Return what a load says of itself; `rows` and `rejects` are Markdown.

    Args:
        loaded: What was loaded, where it is not the report's source.
    """
    rejects = [f"- {reject.sentence}" for reject in report.rejects[:_SHOWN]]
    if len(report.rejects) > _SHOWN:
        rejects.append(f"- and {len(report.rejects) - _SHOWN} more in raw.quarantine")
    rows = "\n".join(
        f"| {table} | {counts.new:,} | {counts.updated:,} | {counts.unchanged:,} |"
        for table, counts in report.tables.items()
    )
    return {
        "loaded": loaded or report.source,
        "records": report.records,
        "new": report.new,
        "new_by_table": report.new_by_table,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "quarantined": report.quarantined,
        "seconds": round(report.seconds, 2),
        "rows": f"| table | new | updated | unchanged |\n|---|---:|---:|---:|\n{rows}",
        "rejects": "\n".join(rejects) or "none",
        "notes": "\n".join(report.notes),
    }


def leave_note(home: Home, asset: str, facts: Mapping[str, Any]) -> None:
    """Leave a note of a load for Dagster; say so where the disk does not take it.

    Args:
        asset: The asset that would have loaded it, such as `sources/imports`.
        facts: What the load said of itself.
    """
    note = {"asset": asset, "at": datetime.now(UTC).isoformat(timespec="seconds"), "facts": facts}
    path = notes_of(home) / f"{time.time_ns()}-{os.getpid()}.json"
    try:
        write_atomically(path, json.dumps(note).encode())
    except OSError as error:
        # What was loaded is loaded: this must not make a failure of it.
        print_notice(f"loaded, but Dagster will not show it: {path} ({error.strerror})")


def notes_of(home: Home) -> Path:
    """Return the folder of notes that Dagster has not been told of."""
    return home.dagster / "untold"
