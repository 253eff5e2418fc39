"""The journals of a run's shards: in a folder, and their copies in the run's own journal.

A folder cannot refuse a write, so the successor of an epoch records the length of its file, and
whatever comes later does not count.
"""

import asyncio
import json
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from inference.journal import FILE_NAME, Journal, read_places, whole_bytes
from inference.shards.lease import RUN, Lease, Place, settled, take
from inference.shards.store import Store, is_store

_LEASE, _SEAL = "lease.json", "sealed.json"


class Folder:
    """Journals of a run's shards in a folder: `<shard>/<epoch>/`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def exists(self) -> bool:
        """Return whether there is any shard."""
        return self._root.is_dir()

    def shards(self) -> list[str]:
        """Return the names of all shards there ever were."""
        return sorted(each.name for each in self._root.glob("*"))

    def epochs(self, shard: str) -> list[int]:
        """Return a shard's epochs, oldest first."""
        found = (self._root / shard).glob("*")
        return sorted(int(each.name) for each in found if each.name.isdecimal())

    def begin(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Begin an epoch; False where another process has."""
        made = self._root / shard / f".{uuid.uuid4().hex}"
        made.mkdir(parents=True)
        (made / _LEASE).write_text(json.dumps(lease))
        try:
            made.rename(self._folder(shard, epoch))
        except OSError:
            # No folder takes the place of one that has something in it.
            shutil.rmtree(made)
            if not self._folder(shard, epoch).exists():
                raise
            return False
        return True

    def lease(self, shard: str, epoch: int) -> dict[str, Any]:
        """Return the content of an epoch's lease."""
        found: dict[str, Any] = json.loads((self._folder(shard, epoch) / _LEASE).read_text())
        return found

    def renew(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Write an epoch's lease again; False where the epoch is over."""
        if self.is_sealed(shard, epoch) or self._folder(shard, epoch + 1).exists():
            return False
        self._write_temporary(shard, epoch, lease).replace(self._folder(shard, epoch) / _LEASE)
        return True

    def is_sealed(self, shard: str, epoch: int) -> bool:
        """Return whether an epoch is over."""
        return (self._folder(shard, epoch) / _SEAL).exists()

    def seal(self, shard: str, epoch: int) -> None:
        """End an epoch: what is added to its journal from now on does not count."""
        path, size = self._folder(shard, epoch) / FILE_NAME, 0
        if path.exists():
            with path.open("rb") as file:
                size = whole_bytes(file.fileno())
        made = self._write_temporary(shard, epoch, {"bytes": size})
        try:
            # Unlike a rename it fails where the epoch was sealed before.
            os.link(made, self._folder(shard, epoch) / _SEAL)
        except FileExistsError:
            return
        finally:
            made.unlink()

    def journal(self, lease: Lease) -> Journal:
        """Open an epoch's journal for writing."""
        journal = _FolderJournal.open(self._folder(lease.shard, lease.epoch))
        journal.lease = lease
        return journal

    def lines(self, shard: str, epoch: int) -> Iterator[dict[str, Any]]:
        """Yield the lines of an epoch's journal up to the seal."""
        size = json.loads((self._folder(shard, epoch) / _SEAL).read_text())["bytes"]
        if not size:
            return
        for place, line in read_places(self._folder(shard, epoch) / FILE_NAME):
            if place >= size:
                return
            yield line

    def _folder(self, shard: str, epoch: int) -> Path:
        return self._root / shard / f"{epoch:06}"

    def _write_temporary(self, shard: str, epoch: int, content: Mapping[str, Any]) -> Path:
        path = self._folder(shard, epoch) / f".{uuid.uuid4().hex}"
        with path.open("w") as file:
            file.write(json.dumps(content))
            file.flush()
            os.fsync(file.fileno())
        return path


class _FolderJournal(Journal):
    """The file of one epoch."""

    lease: Lease

    def _commit(self, data: bytes) -> None:
        self.lease.check()
        super()._commit(data)


# Names the folder or store of the journals of shards, where that is not the run's own folder.
VARIABLE = "ROSTRUM_JOURNALS"
_COLLECTED = "collected"
# Lines that are copied, and wait for the disk, together.
_CHUNK = 1000


def where_for(journal_root: Path, run_id: str, shared: str | None) -> str:
    """Return the folder or store of the journals of a run's shards.

    Args:
        shared: What `ROSTRUM_JOURNALS` says: a folder, or `s3://bucket/prefix`.
    """
    if not shared:
        return str((journal_root / run_id / "shards").absolute())
    if is_store(shared):
        return f"{shared.rstrip('/')}/{run_id}"
    return str((Path(shared) / run_id).absolute())


def place_at(where: str) -> Place:
    """Return the place that `where_for` named."""
    return Store(where) if is_store(where) else Folder(Path(where))


@asynccontextmanager
async def run_held(place: Place, journal: Journal, lease_s: float) -> AsyncIterator[Lease]:
    """Hold the right to run a run's shards, once all they have answered is in its journal."""
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
