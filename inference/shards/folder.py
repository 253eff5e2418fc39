"""Journals of shards in a folder, on this machine or shared: one file per epoch, as ever.

A folder cannot refuse a write, so an epoch's successor writes down how long its file was, and what
comes later does not count.
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inference.journal import FILE_NAME, Journal, read_places, whole_bytes
from inference.shards.lease import Lease

_LEASE, _SEAL = "lease.json", "sealed.json"


class Folder:
    """Where the journals of a run's shards lie: `<shard>/<epoch>/` in a folder.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def exists(self) -> bool:
        """Whether there is any shard."""
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
            made.rename(self._of(shard, epoch))
        except OSError:
            # No folder takes the place of one that has something in it.
            shutil.rmtree(made)
            if not self._of(shard, epoch).exists():
                raise
            return False
        return True

    def lease(self, shard: str, epoch: int) -> dict[str, Any]:
        """Return what an epoch's lease says."""
        found: dict[str, Any] = json.loads((self._of(shard, epoch) / _LEASE).read_text())
        return found

    def renew(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Write an epoch's lease again; False where the epoch is over."""
        if self.is_sealed(shard, epoch) or self._of(shard, epoch + 1).exists():
            return False
        self._made(shard, epoch, lease).replace(self._of(shard, epoch) / _LEASE)
        return True

    def is_sealed(self, shard: str, epoch: int) -> bool:
        """Whether an epoch is over."""
        return (self._of(shard, epoch) / _SEAL).exists()

    def seal(self, shard: str, epoch: int) -> None:
        """End an epoch: what is added to its journal from now on does not count."""
        path, size = self._of(shard, epoch) / FILE_NAME, 0
        if path.exists():
            with path.open("rb") as file:
                size = whole_bytes(file.fileno())
        made = self._made(shard, epoch, {"bytes": size})
        try:
            # Unlike a rename it fails where the epoch was sealed before.
            os.link(made, self._of(shard, epoch) / _SEAL)
        except FileExistsError:
            return
        finally:
            made.unlink()

    def journal(self, lease: Lease) -> Journal:
        """Open an epoch's journal for writing."""
        journal = _FolderJournal.open(self._of(lease.shard, lease.epoch))
        journal.lease = lease
        return journal

    def lines(self, shard: str, epoch: int) -> Iterator[dict[str, Any]]:
        """Yield the lines of an epoch's journal up to the seal."""
        size = json.loads((self._of(shard, epoch) / _SEAL).read_text())["bytes"]
        if not size:
            return
        for place, line in read_places(self._of(shard, epoch) / FILE_NAME):
            if place >= size:
                return
            yield line

    def _of(self, shard: str, epoch: int) -> Path:
        return self._root / shard / f"{epoch:06}"

    def _made(self, shard: str, epoch: int, content: Mapping[str, Any]) -> Path:
        path = self._of(shard, epoch) / f".{uuid.uuid4().hex}"
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
