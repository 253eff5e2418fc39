"""The request ids of a large run, kept beside its journal so that the next start need not render.

A request's id is the hash of its rendered prompt, so that planning 200,000 requests takes longer
than reading all their answers. What was planned is taken again only where nothing that ids are made
of has changed: the code, the items' files, which of the items are asked about and what the run's
own id stands for. As a judge may know of more, the first items' requests are rendered all the same,
and their ids compared.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Self

from warehouse.files import sha256_file, write_atomically

FILE_NAME = "requests.ids"
# Fewer requests than these are planned in a second, and nothing is kept of them.
MANY = 20_000
_SCHEMA_VERSION = 1
_ID_BYTES = 32
_PACKAGE = Path(__file__).parents[1]


class KeptPlan(NamedTuple):
    """A run's requests in the order of asking.

    Attributes:
        key: The hash of what the ids are made of.
        header: The journal's `run` line, without the time.
        places: Of each request the number of its item, times the ways of asking, plus its own.
    """

    key: str
    header: Mapping[str, Any]
    ids: Sequence[str]
    places: Sequence[int]

    @classmethod
    def read(cls, folder: Path, key: str) -> Self | None:
        """Return what was kept in a run's folder; None where it is not there, other or damaged.

        Args:
            folder: The run's folder.
            key: What its key must be.
        """
        try:
            first, _, packed = (folder / FILE_NAME).read_bytes().partition(b"\n")
            said = json.loads(first)
            header = said["header"]
            if (said["schema_version"], said["key"]) != (_SCHEMA_VERSION, key):
                return None
            if _digest(header, packed) != said["sha256"]:
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        places = array("q")
        end = len(packed) // (_ID_BYTES + places.itemsize) * _ID_BYTES
        digits = packed[:end].hex()
        places.frombytes(packed[end:])
        width = 2 * _ID_BYTES
        ids = [digits[begin : begin + width] for begin in range(0, len(digits), width)]
        return cls(key, header, ids, places)

    def keep(self, folder: Path) -> None:
        """Keep it in a run's folder. It saves time and is no answer: a full disk is no reason."""
        packed = bytes.fromhex("".join(self.ids)) + array("q", self.places).tobytes()
        said = {
            "schema_version": _SCHEMA_VERSION,
            "key": self.key,
            "sha256": _digest(self.header, packed),
            "header": self.header,
        }
        with contextlib.suppress(OSError):
            write_atomically(folder / FILE_NAME, json.dumps(said).encode() + b"\n" + packed)


def _digest(header: Mapping[str, Any], packed: bytes) -> str:
    return hashlib.sha256(json.dumps(header).encode() + packed).hexdigest()


def plan_key(facts: Sequence[Any], files: Iterable[Path], chosen: bytes) -> str:
    """Return the hash of what requests' ids are made of.

    Args:
        facts: What names the run, and the exact text of its prompts, as JSON takes it.
        files: All files of the data set.
        chosen: Which of its items are asked about, and in which order.
    """
    hashes = [*map(sha256_file, files), hashlib.sha256(chosen).hexdigest(), code_hash()]
    parts = [*facts, *hashes, version("rostrum")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@cache
def code_hash() -> str:
    """Return the SHA-256 of all that this package has: code, prompts, experiments and prices."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(_PACKAGE)}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
