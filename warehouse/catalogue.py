"""The catalogue: the meaning of each measure and each column of a mart, written once.

`dbt_project/seeds/measures.csv` has a row per measure. `columns.csv` has a row for each other
column name (keys, labels, counts), and further rows for marts with a narrower meaning. Comments on
published tables, `rostrum sql "describe …"`, the glossary and the documents come from both, and
each build checks the columns of the marts against them.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warehouse.home import PROJECT_ROOT

MEASURES = PROJECT_ROOT / "dbt_project" / "seeds" / "measures.csv"
COLUMNS = MEASURES.with_name("columns.csv")
# Meanings of suffixes of columns without a row of their own.
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
        direction: `higher` or `lower` where that is better, else `none`.
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
        """The meaning, definition and paper as prose."""
        source = f"Printed in {self.paper}." if self.paper else ""
        return " ".join(part for part in (self.meaning, self.definition, source) if part)


@dataclass(frozen=True)
class Catalogue:
    """Meanings of measures and columns.

    Attributes:
        measures: By id: a column's name, or a mart's and a column's.
        columns: By column and mart; the mart is empty for all marts without a row of their own.
    """

    measures: Mapping[str, Measure]
    columns: Mapping[tuple[str, str], str]

    def meaning(self, mart: str, column: str) -> str:
        """Return the meaning of a column of a mart, or nothing.

        In this order: a row for this mart, the column's measure, the row for all marts, the suffix.
        """
        names = (own_measure(mart, column), column)
        measure = next((self.measures[name] for name in names if name in self.measures), None)
        suffix = next((each for each in _SUFFIXES if column.endswith(each)), None)
        return (
            self.columns.get((column, mart))
            or (measure.text if measure else "")
            or self._upper_end(mart, column)
            or self.columns.get((column, ""))
            or (_SUFFIXES[suffix].format(column.removesuffix(suffix)) if suffix else "")
        )

    def _upper_end(self, mart: str, column: str) -> str:
        """Return the meaning of an upper end from the row of the lower end."""
        stem = column.removesuffix("_high")
        if stem == column or (column, "") in self.columns:
            return ""
        lower = self.columns.get((f"{stem}_low", mart)) or self.columns.get((f"{stem}_low", ""), "")
        for below, above in _ENDS.items():
            if lower.startswith(f"{below} "):
                return re.sub(r"_low\b", "_high", above + lower.removeprefix(below))
        return ""


def own_measure(mart: str, column: str) -> str:
    """Return the id of a measure whose column has another meaning in other marts."""
    topic = mart.removeprefix("rpt_")
    return topic if topic.endswith(f"_{column}") else f"{topic}_{column}"


def read_catalogue(measures: Path = MEASURES, columns: Path = COLUMNS) -> Catalogue:
    """Read the catalogue.

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
