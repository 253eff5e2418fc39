"""The files NYU's rooms come in: one JSON file a room, or lines of name and room; and metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.sources.json_stream import Opener


def is_rooms_file(name: str) -> bool:
    """Say whether a file holds rooms, by its name."""
    path = PurePosixPath(name.removesuffix(".gz"))
    return "metadata" not in path.name and path.suffix in (".json", ".jsonl")


def read_rooms(files: Sequence[tuple[str, Opener]], shown: str) -> Iterator[tuple[str, str, Any]]:
    """Yield place, name and content of every room.

    A file of lines holds `{"room": name, "data": room}`.

    Raises:
        SourceUnreadable: A file is not valid JSON.
    """
    for name, opener in files:
        path = PurePosixPath(name.removesuffix(".gz"))
        with opener() as stream:
            if path.suffix == ".json":
                yield f"file {name}", path.stem, _parsed(stream.read(), shown, f"file {name}", 0)
                continue
            at = 0
            for number, line in enumerate(stream, start=1):
                place = f"line {number}"
                if line.strip():
                    row = _parsed(line, shown, place, at)
                    if not isinstance(row, dict) or not isinstance(row.get("room"), str):
                        raise SourceUnreadable(
                            f"ingestion: {shown}, {place}: expected an object with room and data"
                        )
                    yield place, row["room"], row.get("data")
                at += len(line)


def read_metadata(opener: Opener, shown: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what the metadata file says of each room, by the room's name.

    Raises:
        SourceUnreadable: It is not valid JSON.
    """
    with opener() as stream:
        content = stream.read()
    if content.lstrip().startswith(b"["):
        rows = _parsed(content, shown, "the list", 0)
    else:
        rows = [
            _parsed(line, shown, f"line {number}", 0)
            for number, line in enumerate(content.splitlines(), start=1)
            if line.strip()
        ]
    named = [row for row in rows if isinstance(row, dict) and isinstance(row.get("name"), str)]
    return {row["name"]: row for row in named}


def _parsed(text: bytes, shown: str, place: str, at: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        byte = at + int(getattr(error, "pos", 0))
        raise SourceUnreadable(
            f"ingestion: {shown}, {place}: is not valid JSON at byte {byte:,} ({error}); nothing "
            "was loaded: fetch it again"
        ) from error
