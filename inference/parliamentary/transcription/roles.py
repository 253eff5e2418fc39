"""The eight speeches' tags and names, as transcripts write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inference.parliamentary.items import ROLES

_NAMES: Mapping[str, str] = {
    "prime minister": "pm",
    "leader of opposition": "lo",
    "opposition leader": "lo",
    "deputy prime minister": "dpm",
    "deputy leader of opposition": "dlo",
    "deputy opposition leader": "dlo",
    "member of government": "mg",
    "government member": "mg",
    "member of opposition": "mo",
    "opposition member": "mo",
    "government whip": "gw",
    "opposition whip": "ow",
}
TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(sorted(ROLES, key=len, reverse=True))})\s*>", re.I)


def role_of(label: str) -> str | None:
    """Return the role a label names, such as `DPM` or `Leader of the Opposition`; None for others.

    Args:
        label: What stands before a colon, or in a voice tag.
    """
    words = " ".join(re.findall(r"[a-z]+", label.lower())).replace(" the ", " ")
    words = words.removeprefix("the ").replace(" for ", " of ")
    return words if words in ROLES else _NAMES.get(words)
