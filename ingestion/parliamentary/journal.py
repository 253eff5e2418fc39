"""Journal lines about parliamentary debates: what was asked, and the ruling that was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inference.parliamentary.items import ASKED_TASKS, STRATEGIES
from inference.parliamentary.rulings import Ruling, read_ruling
from ingestion.batch import storable
from ingestion.journal_fields import TEXT, TRUTH, WHOLE, check, check_if_any

_MUST = {
    "task": TEXT, "manual": TEXT, "house_order": TEXT, "strategy": TEXT, "has_motion": TRUTH,
    "has_info_slide": TRUTH,
}  # fmt: skip
_MAY = {"named_order": TEXT, "context_tokens": WHOLE, "is_context_exact": TRUTH}
# How a debate was put to a judge: columns of `raw.adjudications` that a line has by the same name.
CHOSEN = (*_MUST, *_MAY)


def add_adjudication(
    row: dict[str, Any], line: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """Complete the row of `raw.adjudications` of a line, and return its values and faults.

    Args:
        row: The row, with what all answer lines have.
        line: The line.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another kind.
        ValueError: There is no such task or strategy.
    """
    check(line, {"item_id": TEXT, **_MUST})
    for name, known in (("task", ASKED_TASKS), ("strategy", STRATEGIES)):
        if line[name] not in known:
            raise ValueError(f"{name} should be one of {', '.join(known)}; found {line[name]!r}")
    row |= {name: line[name] for name in _MUST} | check_if_any(line, _MAY)
    row["debate_id"] = line["item_id"]
    if line["status"] != "answered":
        return {}
    check(line, {"response": TEXT})
    row["answer_format"] = row["answer_format"] or "text"
    ruling = read_ruling(row["response"], line["task"], row["answer_format"], row["finish_reason"])
    row["parse_status"], row["parse_reason"] = ruling.status, ruling.reason
    shared = {"request_id": row["request_id"], "line_number": row["line_number"]}
    return ruling_rows(ruling, shared)


def ruling_rows(ruling: Ruling, shared: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `raw.adjudication_values` and `raw.adjudication_faults` of a ruling.

    Args:
        ruling: The ruling.
        shared: What all its rows have in common.
    """
    return {
        "adjudication_values": [
            {**shared, "task": task, "place": place, "value": each.value, "reason": each.reason}
            for (task, place), each in ruling.values.items()
        ],
        "adjudication_faults": [
            {**shared, "task": each.task, "fault": each.fault, "detail": storable(each.detail)}
            for each in ruling.faults
        ],
    }
