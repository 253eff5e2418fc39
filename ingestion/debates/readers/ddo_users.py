"""DDO's `users.json`: what is public about debaters and voters, without what identifies them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ingestion.debates.readers.ddo import NAME
from ingestion.json_values import as_json
from ingestion.oversight.reading import Reading
from ingestion.sources.json_stream import Opener, iter_members
from warehouse.records.core import first_problem
from warehouse.records.debates import Participant


def read_users(opener: Opener, reading: Reading) -> Iterator[Participant]:
    """Yield the people of a `users.json`; a user named in a debate can be absent from it.

    Args:
        opener: Opens it.
        reading: Collects what cannot be read.

    Raises:
        SourceUnreadable: The file is no JSON object or breaks off.
    """
    seen: set[str] = set()
    for number, (name, fields) in enumerate(iter_members(opener, reading.shown), start=1):
        reading.records += 1
        place = f"user {number} ({name[:80]!r})"
        identity = name.strip()
        if not isinstance(fields, dict) or identity in seen:
            reason = "is there twice" if identity in seen else "is no object"
            reading.reject(place, None, reason, fields)
            continue
        try:
            yield _participant(identity, fields)
            seen.add(identity)
        except ValidationError as error:
            field, reason = first_problem(error)
            reading.reject(place, field, reason, {name: fields.get(field)})


def _participant(name: str, fields: dict[str, Any]) -> Participant:
    issues = fields.get("big_issues_dict")
    return Participant(
        participant_id=f"{NAME}:{name}",
        dataset_id=NAME,
        name=name,
        debate_count=_count(fields.get("number_of_all_debates")),
        won_count=_count(fields.get("number_of_won_debates")),
        lost_count=_count(fields.get("number_of_lost_debates")),
        tied_count=_count(fields.get("number_of_tied_debates")),
        voted_count=_count(fields.get("number_of_voted_debates")),
        elo=_number(fields.get("elo_ranking")),
        win_ratio=_number(fields.get("win_ratio")),
        political_ideology=_text(fields.get("political_ideology")),
        religious_ideology=_text(fields.get("religious_ideology")),
        big_issues=as_json(issues) if isinstance(issues, dict) else None,
    )


def _number(value: Any) -> float | None:
    """Return a number that may be written as '1,234' or '56.78%'; None for anything else."""
    try:
        return float(value.replace(",", "").strip(" %") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 and number.is_integer() else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
