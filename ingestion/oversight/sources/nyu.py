"""Source `nyu-debates`: people who debate and consult about stories, with their judges' beliefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import Settings, source

if TYPE_CHECKING:
    from ingestion.debates.batch import DebateSource
    from warehouse.home import Home

URL = "https://github.com/julianmichael/debate"
_METADATA = ("metadata.jsonl", "debates-metadata.jsonl", "debates-metadata.json")


@source(
    "nyu-debates",
    about="people who debate and consult about stories, with their judges' beliefs",
    where=f"name rooms.jsonl.gz, or the folder debates/official of {URL}",
)
def nyu_debates(home: Home, location: str, settings: Settings) -> DebateSource:
    """Return the rooms of a file or folder."""
    del settings
    from ingestion.debates.batch import DebateSource
    from ingestion.oversight.readers import nyu
    from ingestion.oversight.reading import Reading, StoriesRead
    from ingestion.sources.parts import Parts, source_files

    parts = Parts(home, location, nyu.DATASET)
    reading = Reading(parts.shown)
    metadata = parts.beside(_METADATA) if parts.is_one_file else parts.find(_METADATA)
    rooms = [parts.open(name) for name in parts.names if nyu.is_rooms_file(name)]
    if not rooms:
        raise parts.lacking(("rooms.jsonl.gz", "official/<room>.json"))
    about = nyu.read_metadata(metadata.opener, metadata.landed.shown) if metadata else {}
    if not metadata:
        reading.note("no metadata file: which rooms the paper includes is not known")
    files = source_files([*rooms, *([metadata] if metadata else [])], parts.shown)
    read = nyu.read_rooms([(part.name, part.opener) for part in rooms], parts.shown)
    found = StoriesRead()
    return DebateSource(
        dataset=nyu.DATASET,
        rules=nyu.RULES,
        files=files,
        reading=reading,
        records=nyu.records_of(read, about, reading, found),
        found=found,
    )
