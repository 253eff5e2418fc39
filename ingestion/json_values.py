"""Values from foreign JSON as JSON and numbers that every reader accepts."""

import json
import math
from typing import Any


def as_json(value: Any) -> str:
    """Return a value as JSON text; NaN and the infinities become their names."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, sort_keys=True, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=str, sort_keys=True)
    return storable(text)


def finite(value: Any) -> float | None:
    """Return a finite number as a float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def storable(text: str) -> str:
    """Return a text with each lone surrogate replaced by U+FFFD: no database accepts one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value
