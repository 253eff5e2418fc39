"""Sources of one file each: where it is, and its bytes landed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ingestion.landing import Landed, land
from ingestion.speeches.batch import Batch
from warehouse.home import Home
from warehouse.records.core import Dataset


def read_file(
    home: Home,
    location: str,
    dataset: Dataset,
    parse: Callable[[Landed], Batch],
    *,
    file_name: str | None = None,
) -> Batch:
    """Return what a source's file holds, the file landed.

    Args:
        home: The home.
        location: The file, its folder, or an address on the hub.
        dataset: Whose it is.
        parse: What reads it.
        file_name: What it is called in a folder; a folder is no source when not given.
    """
    if location.startswith("hf://"):
        # Reached by few and costs everyone else a quarter of a second.
        from ingestion.sources import hub

        landed, hub_source = hub.fetch(home, location)
        return hub_source.parse(landed)
    path = Path(location).expanduser()
    if file_name and path.is_dir():
        path /= file_name
    origin = str(path.resolve())
    landed = land(home, path, source=dataset.dataset_id, licence=dataset.licence, origin=origin)
    return parse(landed)
