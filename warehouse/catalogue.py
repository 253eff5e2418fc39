"""The catalogue: what each measure and each column of a mart means, written once.

`dbt_project/seeds/measures.csv` has a row per measure. `columns.csv` has a row for each other
column name (keys, labels, counts), and further rows for marts in which the name means something
narrower. The comments on published tables, `rostrum sql "describe …"`, the glossary and the
documents come from both, and each build checks the columns of the marts against them.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warehouse.home import PROJECT_ROOT

MEASURES = PROJECT_ROOT / "dbt_project" / "seeds" / "measures.csv"
COLUMNS = MEASURES.with_name("columns.csv")
# What a suffix adds to the column it is put behind, where the catalogue has no row for both.
_SUFFIXES = {
    "_low": "Lower end of the 95 % interval of {}.",
    "_high": "Upper end of the 95 % interval of {}.",
    "_reason": "Why {} is null; null where it is known.",
}
_ENDS = {"Lower": "Upper", "Low": "High"}


@dataclass(frozen=True)
class Measure:
    """A row of `measures.csv`.

    Attributes:
        name: What headings call it.
        meaning: What it is, in a sentence.
        unit: The unit of its values.
        direction: `higher` or `lower` where that is better, else `none`.
        low: The least value it can have; empty where there is no bound.
        high: The greatest one, likewise.
        definition: How it is computed, and when it is null.
        paper: The paper and the table that print it.
    """

    name: str
    meaning: str
    unit: str
    direction: str
    low: str
    high: str
    definition: str
    paper: str

    @property
    def text(self) -> str:
        """All that a reader of one column should know, as prose."""
        source = f"Printed in {self.paper}." if self.paper else ""
        return " ".join(part for part in (self.meaning, self.definition, source) if part)


@dataclass(frozen=True)
class Catalogue:
    """What measures and columns mean.

    Attributes:
        measures: By id, which is a column's name, or a mart's and a column's.
        columns: Of a column and a mart; the mart is empty where the meaning holds in every mart
            that has no row of its own.
    """

    measures: Mapping[str, Measure]
    columns: Mapping[tuple[str, str], str]

    def meaning(self, mart: str, column: str) -> str:
        """Return what a column of a mart means; empty where the catalogue does not say.

        A row for this mart says it best, then the measure the column holds, then the row for all
        marts, then what the column's suffix adds.
        """
        return (
            self.columns.get((column, mart))
            or self._measure(mart, column)
            or self._upper_end(mart, column)
            or self.columns.get((column, ""))
            or self._suffixed(column)
        )

    def _measure(self, mart: str, column: str) -> str:
        for name in (own_measure(mart, column), column):
            if name in self.measures:
                return self.measures[name].text
        return ""

    def _upper_end(self, mart: str, column: str) -> str:
        """Return what the row for the lower end says of how it is computed, for the upper one."""
        stem = column.removesuffix("_high")
        if stem == column or (column, "") in self.columns:
            return ""
        lower = self.columns.get((f"{stem}_low", mart)) or self.columns.get((f"{stem}_low", ""), "")
        for below, above in _ENDS.items():
            if lower.startswith(f"{below} "):
                return re.sub(r"_low\b", "_high", above + lower.removeprefix(below))
        return ""

    def _suffixed(self, column: str) -> str:
        for suffix, text in _SUFFIXES.items():
            stem = column.removesuffix(suffix)
            if stem != column:
                return text.format(stem)
        return ""


def own_measure(mart: str, column: str) -> str:
    """Return the id of a measure whose column other marts use for something else.

    Args:
        mart: The wide mart.
    """
    topic = mart.removeprefix("rpt_")
    return topic if topic.endswith(f"_{column}") else f"{topic}_{column}"


def read_catalogue(measures: Path = MEASURES, columns: Path = COLUMNS) -> Catalogue:
    """Read the catalogue.

    Args:
        columns: The file of other columns.

    Raises:
        ValueError: A measure, or a column of a mart, has two rows.
    """
    found: dict[str, Measure] = {}
    for row in _rows(measures):
        name = row.pop("measure")
        if name in found:
            raise ValueError(f"catalogue: '{name}' has two rows; keep one in {measures}")
        found[name] = Measure(**row)
    meanings: dict[tuple[str, str], str] = {}
    for row in _rows(columns):
        key = (row["column_name"], row["mart"])
        if key in meanings:
            where = f"mart '{row['mart']}'" if row["mart"] else "all marts"
            message = f"catalogue: '{row['column_name']}' has two rows for {where}; keep one"
            raise ValueError(f"{message} in {columns}")
        meanings[key] = row["meaning"]
    return Catalogue(found, meanings)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))
