"""Loads of sources: of the assets of `sources/`, and of commands, which do without Dagster.

Dagster takes longer to start than a file takes to load. A command therefore leaves a note of each
load in the home, and whoever opens the home's Dagster instance next tells it of them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ingestion.errors import IngestionError
from orchestration.command_log import logged
from orchestration.console import Say, say
from orchestration.operation import Publishing
from orchestration.progress import print_notice
from orchestration.result_files import markdown_table
from warehouse.files import write_atomically
from warehouse.home import Home

if TYPE_CHECKING:
    from ingestion.raw_tables import LoadReport

_SHOWN = 20


class Load(Publishing):
    """An operation that loads something, as an asset of `sources/` or as a command."""

    needs_home: ClassVar[bool] = False
    asset: ClassVar[str]
    about: ClassVar[str]

    def load(self, home: Home, notify: Callable[[str], None]) -> dict[str, Any]:
        """Load it, and return facts about the load."""
        raise NotImplementedError

    def run(self, home: Home, say: Say = say) -> int | None:
        """Load it, say what came, and publish."""
        self.load_and_say(home, say)
        self.publish(home, say)
        return None

    def load_and_say(self, home: Home, say: Say) -> None:
        """Load it, leave a note for Dagster, and say what came."""
        from orchestration.registry import ensure_registry

        home.ensure()
        ensure_registry(home)
        key = f"sources/{self.asset}"
        with logged(home, assets=[key]):
            facts = self.load(home, print_notice)
        leave_note(home, key, facts)
        if facts["records"]:
            say(f"{facts['loaded']}: {facts['records']}")
        by_table = f" ({facts['new_by_table']})" if facts["new_by_table"] else ""
        say(
            f"{facts['loaded']}: {facts['new']:,} rows new{by_table}, {facts['updated']:,} "
            f"updated, {facts['unchanged']:,} unchanged; {facts['quarantined']:,} records "
            f"quarantined ({facts['seconds']} s)"
        )
        for line in (facts["notes"] or "").splitlines():
            say(f"  {line}")
        if facts["quarantined"]:
            say(str(facts["rejects"]))


@contextmanager
def settle(home: Home, path: Path, *, is_inbox: bool) -> Iterator[None]:
    """Take a file out of the inbox once it was imported or refused.

    Imported, it is gone from the inbox: its bytes are in `landing/`. Refused, it goes to
    `inbox/rejected/` with a text file that says why. Anything else that goes wrong leaves it where
    it is, to be tried again.
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
    """Return the facts of a load; `rows` and `rejects` are Markdown."""
    rejects = [f"- {reject.sentence}" for reject in report.rejects[:_SHOWN]]
    if len(report.rejects) > _SHOWN:
        rejects.append(f"- and {len(report.rejects) - _SHOWN} more in raw.quarantine")
    rows = [
        (table, counts.new, counts.updated, counts.unchanged)
        for table, counts in report.tables.items()
    ]
    return {
        "loaded": loaded or report.source,
        "records": report.records,
        "new": report.new,
        "new_by_table": report.new_by_table,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "quarantined": report.quarantined,
        "seconds": round(report.seconds, 2),
        "rows": markdown_table("table", "new:", "updated:", "unchanged:", rows=rows),
        "rejects": "\n".join(rejects) or "none",
        "notes": "\n".join(report.notes),
    }


def leave_note(home: Home, asset: str, facts: Mapping[str, Any]) -> None:
    """Leave a note of a load for Dagster; say so where the disk does not take it."""
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
