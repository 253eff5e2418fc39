"""What a person decided about a transcript, checked and handed in through the inbox."""

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.parliamentary.labels import ROLES, role_name
from warehouse.home import Home
from warehouse.inbox import drop

VERIFY, REJECT = "verify", "reject"
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Segment(NamedTuple):
    """One part of a transcript as the person leaves it.

    Attributes:
        position: Its place in the recording, from 1.
        role: One of `ROLES`; None for what is no speech.
        text: What was said.
    """

    position: int
    role: str | None
    text: str


def problems(decision: str, by: str, segments: Sequence[Segment]) -> list[str]:
    """Return what keeps a decision from being handed in, one plain sentence each.

    Args:
        decision: `VERIFY` or `REJECT`.
        by: Who decides.
        segments: The transcript as the person leaves it.
    """
    found = [] if by.strip() else ["Nobody is named: write who has listened and read."]
    if decision == REJECT:
        return found
    for role in ROLES:
        mine = [segment for segment in segments if segment.role == role]
        if not mine:
            found.append(f"No part is the speech of the {role_name(role)}.")
        elif len(mine) > 1:
            where = " and ".join(str(segment.position) for segment in mine)
            found.append(
                f"Parts {where} are both the speech of the {role_name(role)}: put all of its text "
                "into one, and make the other 'no speech'."
            )
        elif not mine[0].text.strip():
            found.append(f"The speech of the {role_name(role)} is empty.")
    return found


def hand_in(
    home: Home,
    transcript_id: str,
    decision: str,
    by: str,
    segments: Sequence[Segment],
    at: datetime | None = None,
) -> Path:
    """Put a decision into the inbox and return where it lies.

    Args:
        decision: `VERIFY` or `REJECT`.
        by: Who decides.
        segments: The transcript as the person leaves it; what is no speech is left out.
        at: When; now unless given.

    Raises:
        WarehouseError: The inbox refuses it.
        OSError: It cannot be written.
    """
    when = at or datetime.now(UTC)
    content: dict[str, Any] = {
        "kind": "transcript_verification",
        "transcript_id": transcript_id,
        "decision": decision,
        "by": by.strip(),
        "segments": [segment._asdict() for segment in segments if segment.role is not None],
        "at": when.isoformat(timespec="seconds"),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return drop(home, f"{_stem(transcript_id)}-{when:%Y%m%dT%H%M%S}Z.json", text.encode())


def waiting(home: Home, transcript_id: str) -> list[Path]:
    """Return the decisions about a transcript that nobody has loaded yet, the oldest first."""
    mine = re.compile(re.escape(_stem(transcript_id)) + r"-\d{8}T\d{6}Z\.json")
    found = home.inbox.iterdir() if home.inbox.is_dir() else []
    return sorted(path for path in found if mine.fullmatch(path.name))


def _stem(transcript_id: str) -> str:
    # Ids may hold what no file name may; the file itself has the id as it is.
    return f"verification-{_UNFIT.sub('-', transcript_id)[:80]}"


def fingerprint(*texts: Any) -> str:
    """Return a short key of texts, so that a form belongs to the very text it was opened on."""
    joined = "\x00".join(str(text) for text in texts)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]
