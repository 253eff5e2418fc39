"""Points in time as files write them, into UTC without a zone as every `_at` column holds it."""

from datetime import UTC, datetime

_FIRST = datetime(1970, 1, 1)
# Later than any answer; also where seconds end and milliseconds given by mistake begin.
_LAST_YEAR = 2200
_LAST = datetime(_LAST_YEAR, 1, 1)
# How journals write UTC behind a time of day.
_UTC = "+00:00"


def utc_time(value: str | float) -> datetime:
    """Return a time in UTC.

    Args:
        value: ISO 8601 (without a zone it is taken as UTC), or seconds since 1970.

    Raises:
        ValueError: It is neither, or not between 1970 and 2200.
    """
    found: datetime | None
    try:
        # No number has a colon, and most times of day have.
        is_clock = isinstance(value, str) and ":" in value
        seconds: float | None = None if is_clock else float(value)
    except ValueError:
        seconds = None
    try:
        if seconds is not None:
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            text = str(value).strip()
            # Most are: without a zone they are read in a third of the time.
            is_utc = text[10:11] == "T" and text.endswith(_UTC)
            found = datetime.fromisoformat(text.removesuffix(_UTC) if is_utc else text)
            if is_utc and found.tzinfo is not None:
                found = None
        if found is not None and found.tzinfo is not None:
            found = found.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None or not _FIRST <= found < _LAST:
        message = (
            f"should be a time between 1970 and {_LAST_YEAR}, ISO 8601 or seconds since 1970; "
            f"found {value!r}"
        )
        raise ValueError(message)
    return found
