"""What a person decides about a disagreement, handed in through the inbox."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from warehouse.home import Home
from warehouse.inbox import drop

OTHERS, JUDGE, BOTH = DECISIONS = ("others", "judge", "both")
LONGEST_COMMENT, LONGEST_TAG, MOST_TAGS = 5_000, 60, 10
TAGS = (
    "close call",
    "length",
    "misread the text",
    "misread the question",
    "people misread",
    "style over argument",
    "own opinion",
    "unclear text",
)
_ABOUT = (
    "disagreement_id",
    "disagreement_kind",
    "unit_kind",
    "unit_id",
    "dataset_id",
    "judge_id",
    "template",
    "dimension",
    "response_id",
)


def hand_in(
    home: Home,
    about: Mapping[str, Any],
    person: str,
    decision: str,
    tags: Sequence[str] = (),
    comment: str = "",
    at: datetime | None = None,
) -> Path:
    """Put a decision into the inbox and return where it lies.

    Args:
        about: The row of `rpt_disagreements`.
        person: Who decides.
        tags: What went wrong, in a few words each.
        comment: What else there is to say.
        at: When; now unless given.

    Raises:
        WarehouseError: The inbox refuses it.
        OSError: It cannot be written.
    """
    when = at or datetime.now(UTC)
    content = {
        "kind": "disagreement_review",
        "schema_version": 1,
        **{name: str(about[name]) for name in _ABOUT},
        "person": person,
        "decision": decision,
        "tags": list(dict.fromkeys(kept for tag in tags if (kept := " ".join(tag.split())))),
        "comment": comment.strip() or None,
        "at": when.isoformat(timespec="microseconds"),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    name = f"{_stem(about['disagreement_id'], person)}-{when:%Y%m%dT%H%M%S%f}Z.json"
    return drop(home, name, text.encode("utf-8", "replace"))


def is_waiting(names: set[str], disagreement_id: str, person: str) -> bool:
    """Whether a person's decision about a disagreement still waits to be loaded.

    Args:
        names: Of the files in the inbox.
        person: Who decided.
    """
    stem = _stem(disagreement_id, person)
    return any(name.startswith(stem) for name in names)


def _stem(disagreement_id: str, person: str) -> str:
    # Names may hold what no file name may; the file itself has the name as it is.
    digest = hashlib.sha256(person.encode("utf-8", "replace")).hexdigest()[:12]
    return f"review-{disagreement_id}-{digest}"
