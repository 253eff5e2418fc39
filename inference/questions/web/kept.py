"""The pages and search results of a home: fetched once, kept as they came, found again.

    landing/<sha256>/                 the bytes of a page or of search results, and manifest.json
    landing/web/<snapshot>/pages/     per address its outcome: the bytes' hash, or the reason
    landing/web/<snapshot>/searches/  per query what the search service named

What is kept is not fetched again, refusals included: an answer that was paid for stays the answer
to the same prompt. Another snapshot begins anew.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inference.questions.web.fetch import Fetched
from warehouse.files import write_atomically

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
LICENCE = "unknown: see the page"


class Kept:
    """What one snapshot has fetched."""

    def __init__(self, landing: Path, snapshot: str) -> None:
        self._landing = landing
        self._folder = landing / "web" / snapshot

    def read(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return what is known under a key; None where nothing is."""
        try:
            found = json.loads(self._path(kind, key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and found.get("key") == key else None

    def write(self, kind: str, key: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Keep something under a key, and return it."""
        known = {"schema_version": SCHEMA_VERSION, "key": key, **facts, "at": _now()}
        write_atomically(
            self._path(kind, key), json.dumps(known, indent=2, ensure_ascii=False) + "\n"
        )
        return known

    def land(self, page: Fetched, asked: str, name: str) -> str:
        """Keep the bytes of a page in the landing, and return their SHA-256."""
        sha256 = hashlib.sha256(page.body).hexdigest()
        folder = self._landing / sha256
        if not (folder / MANIFEST).is_file():
            write_atomically(folder / name, page.body)
            manifest = {
                "schema_version": SCHEMA_VERSION,
                "name": name,
                "source": "web",
                "licence": LICENCE,
                "sha256": sha256,
                "bytes": len(page.body),
                "fetched_at": _now(),
                "origin": asked,
                "final_address": page.address,
                "media_type": page.media_type,
                "charset": page.charset,
            }
            # Last: with it the file counts as landed.
            write_atomically(
                folder / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
            )
        return sha256

    def landed(self, sha256: str) -> bytes | None:
        """Return bytes that are in the landing; None where they are not, or have changed."""
        try:
            manifest = json.loads((self._landing / sha256 / MANIFEST).read_text(encoding="utf-8"))
            body = (self._landing / sha256 / str(manifest["name"])).read_bytes()
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return body if hashlib.sha256(body).hexdigest() == sha256 else None

    def _path(self, kind: str, key: str) -> Path:
        digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
        return self._folder / kind / f"{digest}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
