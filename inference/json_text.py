"""JSON in what a model wrote: one object, or none. Nothing here raises.

Numbers with a fraction or an exponent are `Decimal`, exactly as written: as a float,
4.0000000000000000000001 would be 4.
"""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from string import ascii_letters
from typing import Any, Final

from warehouse.records.strict_json import is_same_json

# A repeated field whose values differ: whichever were taken would be a guess.
CONFLICT: Final = object()

_FENCE = "```"
# A model that writes more braces than this writes no answer; each one may cost a parse.
_BRACES_AT_MOST = 2000
# Objects within objects are read again from each brace; in all, so many characters.
_CHARACTERS_AT_MOST = 20_000_000


def only_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is, white space and one Markdown fence around it aside."""
    text = text.strip()
    if text.startswith(_FENCE) and text.endswith(_FENCE):
        # The word behind the opening fence names the language.
        text = text.removeprefix(_FENCE).lstrip(ascii_letters).removesuffix(_FENCE).strip()
    return _object_at(text, 0)


def last_object(text: str) -> dict[str, Any] | None:
    """Return the object a text ends with, white space and a closing Markdown fence aside.

    What stands before it does not matter, be it other objects. Text after it does: an object that
    is not the last word is not the answer.
    """
    text = text.rstrip().removesuffix(_FENCE).rstrip()
    if not text.endswith("}"):
        return None
    start, left = len(text), _CHARACTERS_AT_MOST
    for _ in range(_BRACES_AT_MOST):
        start = text.rfind("{", 0, start)
        left -= len(text) - start
        if start < 0 or left < 0:
            return None
        # From the right, the first that reaches to the end is the outermost of the last object: an
        # inner one leaves its owner's closing brace over.
        found = _object_at(text, start)
        if found is not None:
            return found
    return None


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties, each required, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _object_at(text: str, start: int) -> dict[str, Any] | None:
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and end == len(text) else None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if is_same_json(found.setdefault(name, value), value) else CONFLICT
    return found


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _exact(written: str) -> Decimal:
    try:
        return Decimal(written)
    except InvalidOperation:
        # An exponent of nineteen digits and more. On no scale, be it tiny or huge.
        return Decimal("Infinity")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_exact, parse_constant=_refused)
