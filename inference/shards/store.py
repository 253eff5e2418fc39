"""Journals of shards in an S3 store, which cannot append: an epoch's journal is many segments.

A segment is written only where there is none of its number. An epoch is sealed by an empty segment
behind its last, so that a worker which was only cut off finds its next number taken.
"""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from inference.errors import JournalWriteFailed, LeaseLost, StoreUnavailable
from inference.journal import Journal, decoded_lines
from inference.shards.lease import Lease

INSTALL = "pip install -c constraints.txt -e '.[store]'"
_SEGMENT_LINES = 100
# An answer is kept back for so long at most, and is paid twice if its worker dies meanwhile.
_SEGMENT_S = 1.0
_TAKEN = frozenset({"PreconditionFailed", "412"})
_CONFLICT = frozenset({"ConditionalRequestConflict", "409"})
_ABSENT = frozenset({"NoSuchKey", "404"})
_SERVERS = 500
# Between two tries to write to a store that is away.
_AGAIN_S = 0.5
_NEEDED = "s3:ListBucket of the bucket, s3:GetObject and s3:PutObject below the prefix"

Found = TypeVar("Found")


class Store:
    """Journals of a run's shards in a bucket: keys `<prefix>/<run>/<shard>/<epoch>/`.

    The endpoint is that of AWS_ENDPOINT_URL; keys come from the environment alone.

    Args:
        url: `s3://bucket/prefix`, with the run's name.
    """

    def __init__(self, url: str) -> None:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise StoreUnavailable(
                f"shards: journals at {url} need boto3, which is not installed: {INSTALL}"
            ) from None
        parts = urlsplit(url)
        self._bucket, self._prefix = parts.netloc, parts.path.strip("/")
        config = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=10)
        self._client = boto3.client("s3", config=config)
        # The version of each lease as this process wrote it.
        self._versions: dict[str, str] = {}

    def exists(self) -> bool:
        """Return whether there is any shard."""
        return bool(self.shards())

    def shards(self) -> list[str]:
        """Return the names of all shards there ever were."""
        return self._folders("")

    def epochs(self, shard: str) -> list[int]:
        """Return a shard's epochs, oldest first."""
        return sorted(int(each) for each in self._folders(f"{shard}/"))

    def begin(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Begin an epoch; False where another process has."""
        return self._write(self._lease_key(shard, epoch), _json(lease), IfNoneMatch="*")

    def lease(self, shard: str, epoch: int) -> dict[str, Any]:
        """Return the content of an epoch's lease."""
        found: dict[str, Any] = json.loads(self._read(self._lease_key(shard, epoch)))
        return found

    def renew(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Write an epoch's lease again; False where the epoch is over."""
        key = self._lease_key(shard, epoch)
        if key not in self._versions:
            # Begun by the process that started this one.
            found = self._call("read", self._client.get_object, Key=key)
            if json.loads(found["Body"].read()).get("is_sealed"):
                return False
            self._versions[key] = found["ETag"]
        return self._write(key, _json(lease), IfMatch=self._versions[key])

    def is_sealed(self, shard: str, epoch: int) -> bool:
        """Return whether an epoch is over."""
        return bool(self.lease(shard, epoch).get("is_sealed"))

    def seal(self, shard: str, epoch: int) -> None:
        """End an epoch: its next segment is taken, and its lease cannot be renewed."""
        lease = self.lease(shard, epoch)
        if lease.get("is_sealed"):
            return
        segments = self._segments(shard, epoch)
        if not segments or segments[-1][1]:
            number = len(segments)
            while not self.add_segment(shard, epoch, number, b""):
                if not self._read(self._segment_key(shard, epoch, number)):
                    break
                number += 1
        key = self._lease_key(shard, epoch)
        self._write(key, _json({**lease, "is_sealed": True}))
        self._versions.pop(key, None)

    def journal(self, lease: Lease) -> Journal:
        """Open an epoch's journal for writing."""
        return _Segments(self, lease)

    def lines(self, shard: str, epoch: int) -> Iterator[dict[str, Any]]:
        """Yield the lines of an epoch's journal up to the seal."""
        for key, size in self._segments(shard, epoch):
            if not size:
                return
            for _, line in decoded_lines(self._read(key).splitlines(keepends=True), key):
                yield line

    def add_segment(self, shard: str, epoch: int, number: int, data: bytes) -> bool:
        """Write an epoch's next segment; False where that number is taken."""
        key = self._segment_key(shard, epoch, number)
        if self._write(key, data, IfNoneMatch="*"):
            return True
        # The first try may have come through while its acknowledgement did not.
        return bool(data) and self._read(key) == data

    def _segments(self, shard: str, epoch: int) -> list[tuple[str, int]]:
        head = self._segment_key(shard, epoch, 0).rpartition("/")[0]
        found = self._call("list", lambda **given: list(self._pages(**given)), Prefix=f"{head}/")
        contents = (each for page in found for each in page.get("Contents", ()))
        return sorted((each["Key"], each["Size"]) for each in contents)

    def _folders(self, below: str) -> list[str]:
        head = f"{self._prefix}/{below}"
        found = self._call(
            "list", lambda **given: list(self._pages(**given)), Prefix=head, Delimiter="/"
        )
        names = (each["Prefix"] for page in found for each in page.get("CommonPrefixes", ()))
        return sorted(name[len(head) :].strip("/") for name in names)

    def _pages(self, **given: Any) -> Iterator[dict[str, Any]]:
        pages: Iterator[dict[str, Any]] = self._client.get_paginator("list_objects_v2").paginate(
            **given
        )
        return pages

    def _read(self, key: str) -> bytes:
        found = self._call("read", self._client.get_object, Key=key)
        data: bytes = found["Body"].read()
        return data

    def _write(self, key: str, data: bytes, **condition: str) -> bool:
        try:
            done = self._call("write", self._client.put_object, Key=key, Body=data, **condition)
        except _Refused as refusal:
            if refusal.code in _TAKEN or (refusal.code in _ABSENT and "IfMatch" in condition):
                return False
            raise
        self._versions[key] = done["ETag"]
        return True

    def _call(self, verb: str, method: Callable[..., Found], **given: Any) -> Found:
        from botocore.exceptions import BotoCoreError, ClientError

        where = f"s3://{self._bucket}/{given.get('Key') or given.get('Prefix', '')}"
        tries = 0
        while True:
            tries += 1
            try:
                return method(Bucket=self._bucket, **given)
            except ClientError as error:
                code = str(error.response.get("Error", {}).get("Code"))
                if code in _CONFLICT and tries < 5:
                    continue
                if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= _SERVERS:
                    raise self._away(verb, where, error) from None
                raise _Refused(
                    f"shards: cannot {verb} {where} ({code}); this run needs {_NEEDED}, with the "
                    "keys of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) and the "
                    "address in AWS_ENDPOINT_URL",
                    code,
                ) from None
            except BotoCoreError as error:
                raise self._away(verb, where, error) from None

    def _away(self, verb: str, where: str, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"shards: cannot {verb} {where}: {error}; check AWS_ENDPOINT_URL, the keys "
            "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) and the network, then run the same "
            "command again"
        )

    def _lease_key(self, shard: str, epoch: int) -> str:
        return f"{self._prefix}/{shard}/{epoch:06}/lease.json"

    def _segment_key(self, shard: str, epoch: int, number: int) -> str:
        return f"{self._prefix}/{shard}/{epoch:06}/segments/{number:08}.jsonl"


class _Refused(StoreUnavailable):
    """The store's answer, with its code."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class _Segments(Journal):
    """One epoch's journal in a store, open for writing."""

    waiting = _SEGMENT_LINES

    def __init__(self, store: Store, lease: Lease) -> None:
        self.path = Path(lease.shard) / f"{lease.epoch:06}"
        self._store, self._lease = store, lease
        self._queue = []
        self._drain = None
        self._under_way = b""
        self._writing = threading.Lock()
        self._failure = None
        self._written = 0

    def close(self) -> None:
        """Close the journal. Lines that were not acknowledged are not waited for."""

    async def _gather(self) -> None:
        until = asyncio.get_running_loop().time() + _SEGMENT_S
        while len(self._queue) < _SEGMENT_LINES and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(_SEGMENT_S / 20)

    def _commit(self, data: bytes) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            while not self._is_stored(data):
                time.sleep(_AGAIN_S)
        except JournalWriteFailed as failure:
            self._failure = failure
            raise
        except StoreUnavailable as error:
            self._failure = JournalWriteFailed(str(error))
            raise self._failure from error
        self._written += 1

    def _is_stored(self, data: bytes) -> bool:
        """Write a segment; False where the store is away, which may be back in time."""
        self._lease.check()
        place, shard, epoch = self._store, self._lease.shard, self._lease.epoch
        try:
            is_added = place.add_segment(shard, epoch, self._written, data)
        except _Refused:
            raise
        except StoreUnavailable:
            return False
        if not is_added:
            raise LeaseLost(
                f"shards: shard {shard} was taken over from this worker, of epoch {epoch}; it stops"
            )
        return True


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content).encode()


def is_store(where: str | os.PathLike[str]) -> bool:
    """Return whether a place is a store, and not a folder."""
    return str(where).startswith("s3://")
