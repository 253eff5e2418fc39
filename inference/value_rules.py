"""What a value in a file of the user's may be: rules that settings and experiments share."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

_ENV_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def whole(low: int) -> Callable[[Any], bool]:
    """Return the rule that takes whole numbers from one on."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low


def number(low: float = float("-inf"), high: float = float("inf")) -> Callable[[Any], bool]:
    """Return the rule that takes finite numbers between two, both included."""
    # The comparison also turns nan away.
    return lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and low <= value <= high
        and abs(value) != float("inf")
    )


def rising(value: Any) -> bool:
    """Return whether a value is a list of whole numbers from 1 on, each larger than the last."""
    if not isinstance(value, list) or not value or not all(whole(1)(point) for point in value):
        return False
    return all(lower < upper for lower, upper in itertools.pairwise(value))


def is_url(value: Any) -> bool:
    """Return whether a value is an address without a user, a query or a fragment."""
    return isinstance(value, str) and re.fullmatch(r"https?://[^\s@?#]+", value) is not None


def is_env_name(value: Any) -> bool:
    """Return whether a value can name an environment variable; empty stands for none."""
    return isinstance(value, str) and (value == "" or _ENV_NAME.fullmatch(value) is not None)


def is_text(value: Any) -> bool:
    """Return whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value)


def is_flag(value: Any) -> bool:
    """Return whether a value is true or false."""
    return isinstance(value, bool)


def one_of(*values: str) -> Callable[[Any], bool]:
    """Return the rule that takes some texts and no others."""
    return lambda value: value in values


def is_table(value: Any) -> bool:
    """Return whether a value is a table of TOML."""
    return isinstance(value, dict)
