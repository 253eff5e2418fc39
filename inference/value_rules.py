"""What a value in a file of the user's may be: rules of settings and experiments, and grids."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import InferenceError, UnknownExperiment

# Whether a value can be taken, and what it must be.
Rule = tuple[Callable[[Any], bool], str]

_ENV_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
# What an entry of a list must be, and the list where a file leaves it out.
Factor = tuple[Rule, list[Any]]


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


def is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_temperature(value: Any) -> bool:
    """Return whether a value can be a sampling temperature."""
    return is_number(value) and 0 <= value < 100


def is_small(most: int) -> Callable[[Any], bool]:
    """Return the rule that takes whole numbers from 1 to one."""
    return lambda value: whole(1)(value) and value <= most


def is_one_of(known: Sequence[str]) -> Rule:
    """Return the rule that takes some texts and no others, with what it says of them."""
    return lambda value: value in known, "one of " + ", ".join(known)


def is_list_of(rule: Rule) -> Rule:
    """Return the rule that takes lists whose every entry another rule takes."""
    is_valid, expected = rule
    return (
        lambda value: isinstance(value, list) and bool(value) and all(map(is_valid, value)),
        f"a list, each of it {expected}",
    )


def check(
    path: Path,
    prefix: str,
    content: Mapping[str, Any],
    known: Mapping[str, Rule],
    required: tuple[str, ...] = (),
    *,
    who: str = "experiments",
    error: type[InferenceError] = UnknownExperiment,
) -> None:
    """Refuse a table of a user's file with a key that is unknown, wrong or missing.

    Args:
        prefix: What stands before the table's keys in messages.
        content: The table.
        known: The keys there are.
        required: Those that must be there.
        error: What is raised.

    Raises:
        InferenceError: A key is unknown, wrong or missing.
    """
    for key, value in content.items():
        if key not in known:
            raise error(
                f"{who}: {path} has the unknown key '{prefix}{key}'; known are "
                f"{', '.join(prefix + each for each in sorted(known))}"
            )
        is_valid, expected = known[key]
        if not is_valid(value):
            raise error(f"{who}: {path}: {prefix}{key} is {value!r}; it must be {expected}")
    for key in required:
        if key not in content:
            raise error(f"{who}: {path} lacks the key '{prefix}{key}'; add it")


# Lists that several tables have.
NAMES_PROMPTS = is_list_of((is_text, "the name of a prompt"))
PROMPT: Rule = (is_text, "the name of a prompt")
FLAG: Rule = (is_flag, "true or false")


class Grid:
    """A table of lists.

    Args:
        table: What a file calls it.
        factors: Its keys, in the order in which arms are formed: the last one varies fastest.
    """

    def __init__(self, table: str, factors: Mapping[str, Factor]) -> None:
        self.table = table
        self.entries = {name: rule for name, (rule, _) in factors.items()}
        self.rules = {name: is_list_of(rule) for name, rule in self.entries.items()}
        # As `Kind.tables` has them.
        self.tables = {table: self.rules}
        self.usual = {name: usual for name, (_, usual) in factors.items()}

    def lists(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the lists of a file; its one template is the table's where that names none."""
        named = {"template": [content["template"]]} if "template" in content else {}
        return {**named, **content.get(self.table, {})}

    def combinations(self, lists: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield every combination of lists, with the usual ones in the place of those left out."""
        factors = (lists.get(name, usual) for name, usual in self.usual.items())
        for each in product(*factors):
            yield dict(zip(self.usual, each, strict=True))
