"""The JSON an endpoint can be held to where a parliamentary debate is adjudicated."""

from __future__ import annotations

from typing import Any

from inference.json_text import object_schema
from inference.parliamentary.items import (
    ALL,
    HOUSE_RANKS,
    HOUSES,
    ROLES,
    SCORE_MAX,
    SCORE_MIN,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    TASKS,
)


def ruling_schema(task: str) -> dict[str, Any] | None:
    """Return the schema of a ruling, best house and best speaker first.

    Args:
        task: What is asked for.

    Returns:
        None where no ruling is. A schema cannot say that a list has each name once: that shows when
        the reply is read.
    """
    asked = TASKS if task == ALL else (task,)
    known = {
        HOUSE_RANKS: ("houses", _list_of(HOUSES)),
        SPEAKER_SCORES: ("scores", object_schema(dict.fromkeys(ROLES, _SCORE))),
        SPEAKER_RANKS: ("speakers", _list_of(ROLES)),
    }
    properties = dict(known[each] for each in asked if each in known)
    return object_schema(properties) if properties else None


_SCORE = {"type": "number", "minimum": SCORE_MIN, "maximum": SCORE_MAX}


def _list_of(names: tuple[str, ...]) -> dict[str, Any]:
    items = {"type": "string", "enum": list(names)}
    return {"type": "array", "items": items, "minItems": len(names), "maxItems": len(names)}
