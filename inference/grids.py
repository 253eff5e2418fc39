"""Grids of experiments' files: tables of lists, of which every combination is an arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from inference.value_rules import Rule, is_flag, is_list_of, is_text

PROMPT: Rule = (is_text, "the name of a prompt")
FLAG: Rule = (is_flag, "true or false")
# What an entry of a list must be, and the list where a file leaves it out.
Factor = tuple[Rule, list[Any]]


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
