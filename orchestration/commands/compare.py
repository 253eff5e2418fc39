"""What differs between two published versions, for people and for scripts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from orchestration.commands.reparse import show_metrics
from orchestration.dbt import ensure_manifest
from warehouse.compare import compare, mart_keys
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import Version, published_versions


def compare_versions(
    home: Home, before: str | None, after: str | None, file: Path | None, out: Console
) -> int:
    """Print which numbers differ between two versions; return 1 if any does.

    Args:
        home: The home.
        before: The earlier version's name, the start of it, or its file; the one before the newest
            unless given.
        after: The later version; the newest unless given.
        file: Where to write every change as CSV.
        out: Where to print.

    Raises:
        NothingPublished: There is no such version.
    """
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
