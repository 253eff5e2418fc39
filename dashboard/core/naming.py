"""Who may be named as best, worst or most: one rule for every page.

A page names nobody with fewer than 30 units in 10 clusters: of a handful of answers somebody
always has all right. Where `rpt_judge_ranks` has places, they stand beside the name; where no
paired test tells several apart, the page gives the range of their values and names none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dashboard.core.labels import count, is_missing

Row = Mapping[str, Any]
# The same as min_units_to_name and min_clusters_to_name in dbt_project.yml.
MIN_UNITS, MIN_CLUSTERS = 30, 10


def enough_to_name(units: Any, clusters: Any) -> bool:
    """Whether an estimate has enough behind it to be named in a headline.

    Args:
        units: How many units it has; None for unknown.
        clusters: How many clusters these are in.
    """
    if is_missing(units) or is_missing(clusters):
        return False
    return int(units) >= MIN_UNITS and int(clusters) >= MIN_CLUSTERS


def nameable(
    rows: Sequence[Row], units: str = "n_units", clusters: str = "n_clusters"
) -> list[Row]:
    """Return the rows that may be named, in order.

    Args:
        rows: Estimates.
        units: The column with the number of units.
        clusters: The column with the number of clusters; the same where each unit is one.
    """
    return [row for row in rows if enough_to_name(row.get(units), row.get(clusters))]


def nobody(what: str) -> str:
    """Return why nobody is named, as part of a sentence.

    Args:
        what: What would be named, such as 'judge'.
    """
    return f"no {what} has {MIN_UNITS} units in {MIN_CLUSTERS} clusters, so none is named"


def untold(what: str) -> str:
    """Return why none of several is named although all have enough units, as part of a sentence.

    Args:
        what: What would be named, such as 'judge'.
    """
    return f"no paired test tells one {what} from another here, so none is named"


def span(values: Iterable[Any], show: Callable[[Any], str]) -> str:
    """Return the lowest and the highest of several values; one where they are shown alike.

    Args:
        values: The values, none of them missing.
        show: How a value is written.
    """
    ordered = sorted(values)
    low, high = show(ordered[0]), show(ordered[-1])
    return low if low == high else f"{low} to {high}"


def places(row: Row) -> str:
    """Return which places a judge may have, as part of a sentence; empty where it has none."""
    low, high, among = (row.get(name) for name in ("rank_low", "rank_high", "n_ranked"))
    if is_missing(low) or is_missing(high) or is_missing(among):
        return ""
    place = f"place {count(low)}" if low == high else f"place {count(low)} to {count(high)}"
    return f"{place} of {count(among)} asked alike"
