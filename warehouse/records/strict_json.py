"""JSON without guesses: of a key that is given twice with different values, none is taken."""

import json
from typing import Any


def strict_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: It is not JSON, or gives a key twice with different values.
        RecursionError: It is nested too deeply.
    """
    # A decoder for each text, as `json.loads` makes one, takes a third of the time.
    if isinstance(text, str) and not text.startswith("\ufeff"):
        return _DECODER.decode(text)
    return json.loads(text, object_pairs_hook=_pairs)


def is_same_json(one: Any, other: Any) -> bool:
    """Say whether two values are the same in JSON, where `true` is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(one[key], other[key]) for key in one)
    return bool(one == other)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if not is_same_json(found[key], value):
                raise ValueError(f"the key {key[:100]!r} is given twice, with different values")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)
