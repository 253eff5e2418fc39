"""What measures and terms mean, from the catalogue; hover texts and the glossary read it here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from warehouse.catalogue import Catalogue, Measure, own_measure, read_catalogue

BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "neither"}


class Entry(NamedTuple):
    """What one name means.

    Attributes:
        column: The name.
        mart: In which table it means this; empty where in all.
        text: What it means.
    """

    column: str
    mart: str
    text: str

    @classmethod
    def of(cls, name: str, measure: Measure) -> Entry:
        """Return the entry of a measure."""
        return cls(name, "", f"{measure.name} {measure.text}")


@cache
def catalogue() -> Catalogue:
    """Return the catalogue, read once."""
    return read_catalogue()


def meaning(name: str, mart: str = "") -> str:
    """Return what a measure is, in a sentence, as the catalogue has it.

    Args:
        name: Of the measure, or of a column that no measure explains.
        mart: The mart of such a column; empty where it means the same in all.
    """
    known = catalogue()
    return known.measures[name].meaning if name in known.measures else known.columns[name, mart]


def range_of(measure: Measure) -> str:
    """Return the least and the greatest value, as in `0 to 1`; empty if there is no bound."""
    low, high = (end.replace("-", "−") for end in (measure.low, measure.high))
    if low and high:
        return f"{low} to {high}"
    return f"at least {low}" if low else high and f"at most {high}"


def explained(column: str, sql: str = "") -> str:
    """Return what a column of a query's mart means; empty where the catalogue does not say.

    Args:
        column: Its name in the mart.
        sql: The query. Of the marts that it reads, one that explains the column itself comes first.
    """
    marts = list(dict.fromkeys(re.findall(r"\b(?:from|join)\s+((?:rpt|fct|dim)_\w+)", sql)))
    known = catalogue()
    for mart in marts:
        if (column, mart) in known.columns or own_measure(mart, column) in known.measures:
            return known.meaning(mart, column)
    return known.meaning(marts[0] if marts else "", column)


# Headings that stand for the same column in whichever table.
_COLUMNS = {
    "adjusted p": "p_adjusted",
    "data set": "dataset_id",
    "experiment": "experiment",
    "judge": "judge_id",
    "model": "judge_id",
    "prompt": "template",
    "run": "run_id",
    "source": "source",
}


def named(heading: str) -> str:
    """Return what a heading means by itself, whatever table it stands in; empty for any other.

    It is a measure's name, or stands for the same column everywhere.

    Args:
        heading: As it stands in a table.
    """
    name = heading.casefold()
    return _by_name().get(name) or (explained(_COLUMNS[name]) if name in _COLUMNS else "")


@cache
def _by_name() -> dict[str, str]:
    return {one.name.casefold(): one.text for one in catalogue().measures.values()}


@cache
def terms() -> tuple[Entry, ...]:
    """Return what the columns mean that no measure explains."""
    columns = catalogue().columns.items()
    return tuple(Entry(column, mart, text) for (column, mart), text in sorted(columns))


def found(entries: Sequence[Entry], words: str) -> list[Entry]:
    """Return the entries that have every word, in any case and order.

    Args:
        entries: To look through.
        words: Looked for in the name, the table and the text.
    """
    asked = words.casefold().split()
    return [one for one in entries if all(word in " ".join(one).casefold() for word in asked)]
