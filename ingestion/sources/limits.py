"""How large a source may be, as it lies there and unpacked."""

from __future__ import annotations

import os

from ingestion.errors import SourceUnreadable

MAX_SOURCE_VARIABLE = "ROSTRUM_MAX_SOURCE_BYTES"
# The largest published source, debate.org's, has 1.2 GB unpacked.
MAX_SOURCE_BYTES = 4 * 2**30


def max_source_bytes() -> int:
    """Return the most bytes a file may have: `ROSTRUM_MAX_SOURCE_BYTES`, or `MAX_SOURCE_BYTES`.

    Raises:
        SourceUnreadable: The variable holds no whole number above 0.
    """
    said = os.environ.get(MAX_SOURCE_VARIABLE, "").strip()
    if not said:
        return MAX_SOURCE_BYTES
    if not (said.isascii() and said.isdecimal() and len(said) < 20 and int(said)):
        raise SourceUnreadable(
            f"ingestion: {MAX_SOURCE_VARIABLE} should be a whole number of bytes above 0; found "
            f"{said[:40]!r}: unset it, or set it to {MAX_SOURCE_BYTES} for example"
        )
    return int(said)


def refuse_larger(size: int, shown: str, limit: int | None = None) -> None:
    """Refuse a file with more bytes than it may have.

    Args:
        size: Its bytes, or those read so far.
        shown: The file as the user named it.
        limit: The most it may have; `max_source_bytes` where not given.

    Raises:
        SourceUnreadable: It has more.
    """
    limit = max_source_bytes() if limit is None else limit
    if size > limit:
        raise SourceUnreadable(
            f"ingestion: {shown} has {size:,} bytes or more, unpacked where it is packed, and at "
            f"most {limit:,} are read; name a smaller file, or set {MAX_SOURCE_VARIABLE} to more "
            "if it is what it should be"
        )
