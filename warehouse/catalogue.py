"""The catalogue of measures: what each column of a mart means, written once.

`dbt_project/seeds/measures.csv` has a row per column name, and further rows for marts in which the
name means something narrower. Published tables, the dbt documents and `docs/metrics.md` read it.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from warehouse.home import PROJECT_ROOT

CATALOGUE = PROJECT_ROOT / "dbt_project" / "seeds" / "measures.csv"


@dataclass(frozen=True)
class Catalogue:
    """Meanings by column and mart.

    Attributes:
        meanings: Of a column and a mart; the mart is empty where the meaning holds in every mart
            that has no row of its own.
    """

    meanings: dict[tuple[str, str], str]

    def meaning(self, mart: str, column: str) -> str:
        """Return what a column of a mart means; empty where the catalogue has no row for it."""
        own = self.meanings.get((column, mart))
        return own if own is not None else self.meanings.get((column, ""), "")


def read_catalogue(path: Path = CATALOGUE) -> Catalogue:
    """Read the catalogue.

    Raises:
        ValueError: A column has two rows for the same mart.
    """
    meanings: dict[tuple[str, str], str] = {}
    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            key = (row["measure"], row["mart"])
            if key in meanings:
                where = f"mart '{row['mart']}'" if row["mart"] else "all marts"
                message = f"catalogue: '{row['measure']}' has two rows for {where}; keep one"
                raise ValueError(f"{message} in {path}")
            meanings[key] = row["meaning"]
    return Catalogue(meanings)
