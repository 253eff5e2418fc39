"""Who may be named as best, worst or most: one rule for every page.

A page names nobody with fewer than 30 units in 10 clusters: of a handful of answers somebody
always has all right. Where `rpt_judge_ranks` has places, they stand beside the name; where paired
tests do not put the first ahead, the page gives the range of their values and names none of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dashboard.core.labels import code_span, count, is_missing, plural

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
    return f"no paired test tells which {what} is ahead here, so none is named"


def whose(row: Row, rows: Sequence[Row], key: str = "judge_id", what: str = "judge") -> str:
    """Return whose figure one is that no paired test puts ahead, for its note, in Markdown.

    The only one there is, is named; of several the highest is anybody's.

    Args:
        row: The one whose figure is shown.
        rows: All it stands for, itself too.
        key: The column with the name.
        what: What is named.
    """
    several = len({one[key] for one in rows})
    return f"of {plural(several, what)}" if several > 1 else code_span(row[key])


def span(values: Iterable[Any], show: Callable[[Any], str]) -> str:
    """Return the lowest and the highest of several values; one where they are shown alike.

    Args:
        values: The values, none of them missing.
        show: How a value is written.
    """
    ordered = sorted(values)
    low, high = show(ordered[0]), show(ordered[-1])
    return low if low == high else f"{low} to {high}"


def ahead(rows: Sequence[Row], value: str, prefix: str = "") -> Row | None:
    """Return the one of several judges asked alike that may be named as the first.

    Its value is the best, paired tests put nobody ahead of it, and it ahead of at least one.

    Args:
        rows: Estimates, the best one first.
        value: The column with the estimate.
        prefix: Of the columns with places.
    """
    if not rows or (len(rows) > 1 and rows[0][value] == rows[1][value]):
        return None
    low, high, among = _places(rows[0], prefix)
    if is_missing(low) or is_missing(high) or is_missing(among):
        return None
    return rows[0] if low == 1 and high < among else None


def places(row: Row, prefix: str = "") -> str:
    """Return which places a judge may have, as part of a sentence; empty where it has none.

    Args:
        row: The judge's estimate.
        prefix: Of the columns with places.
    """
    low, high, among = _places(row, prefix)
    if is_missing(low) or is_missing(high) or is_missing(among):
        return ""
    place = f"place {count(low)}" if low == high else f"place {count(low)} to {count(high)}"
    return f"{place} of {count(among)} asked alike"


def _places(row: Row, prefix: str) -> list[Any]:
    return [row.get(f"{prefix}{name}") for name in ("rank_low", "rank_high", "n_ranked")]
