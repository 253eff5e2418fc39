"""Points in time of files, in UTC without a zone as in every `_at` column."""

from datetime import UTC, datetime

_FIRST = datetime(1970, 1, 1)
# Later than any answer; also the limit between seconds and milliseconds given by mistake.
_LAST = datetime(2200, 1, 1)


def utc_time(value: str | float) -> datetime:
    """Return a time in UTC from ISO 8601 (UTC if without a zone) or seconds since 1970.

    Raises:
        ValueError: It is neither, or not between 1970 and 2200.
    """
    found: datetime | None = None
    try:
        # No number has a colon, and most times of day have.
        seconds = None if isinstance(value, str) and ":" in value else float(value)
    except ValueError:
        seconds = None
    try:
        if seconds is not None:
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            text = str(value).strip()
            # Journals write this form; without the zone it is parsed in a third of the time.
            is_utc = text[10:11] == "T" and text.endswith("+00:00")
            found = datetime.fromisoformat(text.removesuffix("+00:00") if is_utc else text)
            if is_utc and found.tzinfo is not None:
                found = None
        if found is not None and found.tzinfo is not None:
            found = found.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None or not _FIRST <= found < _LAST:
        raise ValueError(
            f"should be a time between 1970 and {_LAST.year}, ISO 8601 or seconds since 1970; "
            f"found {value!r}"
        )
    return found
