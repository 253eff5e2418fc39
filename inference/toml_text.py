"""TOML that people write, read with a limit on its depth."""

import tomllib
from typing import Any

# The deepest file there is has four levels; Python's own limit lies somewhere past 300.
_DEEPEST = 50


def toml_of(text: str) -> dict[str, Any]:
    """Parse a TOML text."""
    too_deep = f"nested more than {_DEEPEST} levels deep; write it flatter"
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError(too_deep) from None
    # A dotted name makes a table for each dot, without a limit of its own.
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return content
    raise ValueError(too_deep)
