"""Where the journals of shards lie, and how they come home into the run's own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from inference.journal import Journal, read_places
from inference.shards.folder import Folder
from inference.shards.lease import RUN, Lease, Place, settled, take
from inference.shards.store import Store, is_store

# Names the folder or store of the journals of shards, where that is not the run's own folder.
VARIABLE = "ROSTRUM_JOURNALS"
_COLLECTED = "collected"
# Lines that are copied, and wait for the disk, together.
_CHUNK = 1000


def where_for(journal_root: Path, run_id: str, shared: str | None) -> str:
    """Return where the journals of a run's shards lie, as `place_at` takes it.

    Args:
        shared: What `ROSTRUM_JOURNALS` says: a folder, or `s3://bucket/prefix`.
    """
    if not shared:
        return str((journal_root / run_id / "shards").absolute())
    if is_store(shared):
        return f"{shared.rstrip('/')}/{run_id}"
    return str((Path(shared) / run_id).absolute())


def place_at(where: str) -> Place:
    """Return the place that `where_for` named.

    Raises:
        StoreUnavailable: It is a store, and boto3 is not installed.
    """
    return Store(where) if is_store(where) else Folder(Path(where))


@asynccontextmanager
async def run_held(place: Place, journal: Journal, lease_s: float) -> AsyncIterator[Lease]:
    """Hold the right to run a run's shards, once all they have answered is in its journal.

    Raises:
        LeaseHeld: Another process runs them, or one of its workers is still at it.
        StoreUnavailable: The place cannot be used.
    """
    await settled(place, RUN)
    epoch = take(place, RUN, lease_s)
    with Lease(place, RUN, epoch, lease_s) as lease:
        try:
            for shard in place.shards():
                if shard == RUN:
                    continue
                await settled(place, shard)
                for each in place.epochs(shard):
                    place.seal(shard, each)
            await asyncio.to_thread(_bring_home, place, journal)
            yield lease
        finally:
            place.seal(RUN, epoch)


def _bring_home(place: Place, journal: Journal) -> None:
    """Copy into a run's journal what the sealed journals of its shards have and it has not.

    A line is copied once, whenever this stops: it says which line of which part it was.
    """
    whole: set[str] = set()
    copied: dict[str, int] = {}
    for _, line in read_places(journal.path):
        if line["kind"] == _COLLECTED:
            whole.add(line["part"])
        elif "part" in line:
            part, _, number = line["part"].rpartition(":")
            copied[part] = max(copied.get(part, 0), int(number))
    for shard in place.shards():
        for epoch in place.epochs(shard):
            part = f"{shard}/{epoch}"
            if shard != RUN and part not in whole:
                for _ in copied_lines(place, shard, epoch, journal, after=copied.get(part, 0)):
                    pass


def copied_lines(
    place: Place, shard: str, epoch: int, journal: Journal, *, after: int = 0
) -> Iterator[list[dict[str, Any]]]:
    """Copy the lines of a sealed part that follow the first so many, and yield them in chunks.

    Damaged lines stay where they are: what they held is asked again.
    """
    part = f"{shard}/{epoch}"
    numbered = enumerate(place.lines(shard, epoch), start=1)
    wanted = ((n, line) for n, line in numbered if n > after and line["kind"] != "corrupt")
    while chunk := list(islice(wanted, _CHUNK)):
        journal.append_now(*({**line, "part": f"{part}:{n}"} for n, line in chunk))
        yield [line for _, line in chunk]
    journal.append_now({"kind": _COLLECTED, "part": part})
