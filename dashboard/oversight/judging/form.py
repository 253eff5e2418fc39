"""What a person judges here: kept while it is being read, and handed in through the inbox."""

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.core.handing_in import waiting
from warehouse.home import Home
from warehouse.inbox import drop

STORY, WINNER, SPEECH = TASKS = ("story", "winner", "speech")
# What becomes of a judgement that is handed in.
QUEUED, BUILDING, PUBLISHED, REFUSED = "queued", "building", "published", "refused"
NUMBER = {STORY: "p_answer_0", WINNER: "p_pro", SPEECH: "value"}
# More unfinished readings than people at one dashboard; the oldest goes first.
_MOST_DRAFTS = 500


class Key(NamedTuple):
    """Who judges what.

    Attributes:
        person: The name the person goes by.
        item: The debate, transcript or speech.
        dimension: What a speech is scored on; empty for the other tasks.
    """

    person: str
    task: str
    item: str
    dimension: str = ""

    @property
    def digest(self) -> str:
        """A short name of it that gives nothing away."""
        return hashlib.sha256("\x00".join(self).encode()).hexdigest()[:20]


class Belief(NamedTuple):
    """What a person thinks after a part.

    Attributes:
        step: How many parts have been read, from 1.
        number: The probability, 0 to 1, or the score.
        reason: Why, in the person's words.
    """

    step: int
    number: float
    reason: str
    at: str


class Drafts:
    """What people have said of items they have not finished, for one home, while the server runs.

    It outlives a reload of the page and is shared by two tabs of the same person, so that neither
    can answer a part a second time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._beliefs: dict[Key, tuple[Belief, ...]] = {}
        self._done: set[Key] = set()
        self._typed: dict[tuple[Key, int], dict[str, Any]] = {}

    def of(self, key: Key) -> tuple[Belief, ...]:
        """Return what was said so far."""
        return self._beliefs.get(key, ())

    def add(self, key: Key, belief: Belief) -> bool:
        """Keep what was said of the next part; False where that part was answered already."""
        with self._lock:
            before = self._beliefs.get(key, ())
            if belief.step != len(before) + 1 or key in self._done:
                return False
            self._beliefs[key] = (*before, belief)
            while len(self._beliefs) > _MOST_DRAFTS:
                del self._beliefs[next(iter(self._beliefs))]
            return True

    def type(self, key: Key, step: int, typed: Mapping[str, Any]) -> None:
        """Keep what stands in the boxes of a part that is not answered yet."""
        with self._lock:
            self._typed[key, step] = {name: one for name, one in typed.items() if one is not None}
            while len(self._typed) > _MOST_DRAFTS:
                del self._typed[next(iter(self._typed))]

    def typed(self, key: Key, step: int) -> Mapping[str, Any]:
        """Return what stood in the boxes of a part when they were last seen."""
        return self._typed.get((key, step), {})

    def finish(self, key: Key) -> None:
        """Forget what was said of an item that is handed in, and remember that it is."""
        with self._lock:
            self._beliefs.pop(key, None)
            self._done.add(key)

    def reopen(self, key: Key) -> None:
        """Let an item be judged again whose judgement was refused."""
        with self._lock:
            self._done.discard(key)

    def is_done(self, key: Key) -> bool:
        """Whether the item was handed in since the server started."""
        return key in self._done

    def is_begun(self, key: Key) -> bool:
        """Whether something was said of it."""
        return key in self._beliefs


def in_own_order(keys: Iterable[Key], drafts: Drafts) -> list[Key]:
    """Return items in the person's own order, that of their digests; those begun come first."""
    return sorted(keys, key=lambda key: (not drafts.is_begun(key), key.digest))


def file_name(key: Key) -> str:
    """Return what the file with a judgement is called: one name an item, so one waits at most."""
    return f"judgement-{key.task}-{key.digest}.json"


def refused(home: Home) -> set[str]:
    """Return the names of the files that were refused and lie where the inbox puts those."""
    folder = home.inbox / "rejected"
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def state_of(home: Home, key: Key, since: float, *, is_published: bool) -> str:
    """Return what has become of a judgement that was handed in.

    A file leaves the inbox when it is loaded, and what is loaded is built next.

    Args:
        since: When it was handed in, in seconds since 1970.
        is_published: Whether the version that readers see has it.
    """
    if file_name(key) in waiting(home):
        return QUEUED
    if is_published:
        return PUBLISHED
    # One that was refused before may lie there still.
    reason = _reason_file(home, key)
    return REFUSED if reason.is_file() and reason.stat().st_mtime >= since else BUILDING


def why_refused(home: Home, key: Key) -> str:
    """Return why a judgement was refused; empty where none was."""
    path = _reason_file(home, key)
    return without_paths(home, path.read_text("utf-8", "replace")) if path.is_file() else ""


def _reason_file(home: Home, key: Key) -> Path:
    return home.inbox / "rejected" / f"{file_name(key)}.reason.txt"


def without_paths(home: Home, text: str) -> str:
    """Return a message without the server's folders, which are none of a reader's business."""
    return text.replace(f"{home.root}{os.sep}", "").replace(str(home.root), "the home").strip()


def now() -> str:
    """Return the time as a belief has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def hand_in(home: Home, key: Key, item_hash: str, beliefs: Sequence[Belief], final: Belief) -> Path:
    """Put a judgement into the inbox and return where it lies.

    Args:
        item_hash: Of the text that was read.
        beliefs: What was thought on the way.
        final: What is thought at the end.

    Raises:
        WarehouseError: Another judgement of this item by this person waits there.
        OSError: It cannot be written.
    """
    content: dict[str, Any] = {
        "kind": "human_judgement",
        "schema_version": 1,
        "task": key.task,
        "item": key.item,
        "item_hash": item_hash,
        "person": key.person,
        **({"dimension": key.dimension} if key.dimension else {}),
        "steps": [_as_json(key.task, belief) for belief in beliefs],
        "final": _as_json(key.task, final),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return drop(home, file_name(key), text.encode("utf-8", "replace"))


def _as_json(task: str, belief: Belief) -> Mapping[str, Any]:
    return {
        "step": belief.step,
        NUMBER[task]: belief.number,
        "reason": belief.reason,
        "at": belief.at,
    }
