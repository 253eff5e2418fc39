"""Differences between two published versions, and between two readings of answers."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from ingestion.reparse import Change
from orchestration.builds.dbt import ensure_manifest
from orchestration.console import print_line
from warehouse.compare import Change as MetricChange
from warehouse.compare import Comparison, compare, mart_keys
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import Version, published_versions

_GROUPS_SHOWN = 30


def compare_versions(
    home: Home, before: str | None, after: str | None, file: Path | None, out: Console
) -> int:
    """Print which numbers differ between two versions; return 1 if any does."""
    kept = published_versions(home)
    if (before is None or after is None) and len(kept) < (1 if before else 2):
        message = (
            f"compare: {home.root} holds {len(kept)} published versions; name two, as versions or "
            "as files, or publish another with 'rostrum build'"
        )
        raise NothingPublished(message)
    first = _version(kept, before) if before else kept[-2]
    second = _version(kept, after) if after else kept[-1]
    found = compare(first.path, second.path, mart_keys(ensure_manifest(home)), out=file)
    show_metrics(found, first.name, second.name, file, out)
    return 1 if found.total.changed + found.total.appeared + found.total.vanished else 0


def _version(kept: list[Version], name: str) -> Version:
    path = Path(name).expanduser()
    if path.suffix == ".duckdb" and path.is_file():
        return Version(path.stem, path, datetime.fromtimestamp(path.stat().st_mtime, UTC))
    found = [version for version in kept if version.name.startswith(name)]
    if len(found) != 1:
        listed = ", ".join(version.name for version in kept) or "none"
        message = f"compare: no one version '{name}'; expected the start of one of: {listed}"
        raise NothingPublished(message)
    return found[0]


def show_answers(changes: Sequence[Change], out: Console) -> None:
    """Print which answers are read differently, by judge and prompt, most first."""
    if not changes:
        return
    table = Table(
        Column("judge", overflow="fold"),
        Column("prompt", overflow="fold"),
        "was read as",
        "is read as",
        Column("answers", justify="right"),
        title="answers read differently",
        title_justify="left",
    )
    for change in changes[:_GROUPS_SHOWN]:
        table.add_row(*(Text(part) for part in change[:4]), f"{change.answers:,}")
    out.print(table)
    if rest := changes[_GROUPS_SHOWN:]:
        count = sum(change.answers for change in rest)
        print_line(out, f"and {count:,} answers in {len(rest):,} smaller groups")


def show_metrics(
    found: Comparison, before: str, after: str, written: Path | None, out: Console
) -> None:
    """Print what differs between two versions: the largest changes, and a count per report."""
    total = found.total
    if found.largest:
        table = Table(
            "report",
            Column("row", overflow="fold"),
            "number",
            Column("before", justify="right"),
            Column("after", justify="right"),
            title=f"largest changes from {before} to {after}",
            title_justify="left",
        )
        for change in found.largest:
            table.add_row(*(Text(cell) for cell in _cells(change)))
        out.print(table)
    print_line(
        out,
        f"{total.changed:,} numbers changed, {total.unchanged:,} did not; "
        f"{total.appeared:,} rows appeared, {total.vanished:,} vanished",
    )
    for mart in found.marts:
        if mart.changed or mart.appeared or mart.vanished:
            print_line(
                out,
                f"  {mart.mart}: {mart.changed:,} of {mart.changed + mart.unchanged:,} numbers, "
                f"{mart.appeared:,} rows appeared, {mart.vanished:,} vanished",
            )
    for note in found.notes:
        print_line(out, f"  {note}")
    if written is not None:
        print_line(out, f"every change: {written}")
    elif total.changed + total.appeared + total.vanished > len(found.largest):
        print_line(out, "every change can be written to a file with --out changes.csv")


def _cells(change: MetricChange) -> tuple[str, ...]:
    if change.change != "changed":
        return change.mart, change.key, change.change, "", ""
    return change.mart, change.key, change.column, _number(change.before), _number(change.after)


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.6g}"
