"""Tables of `docs/replication.md` that are written from printed cells and the checks on them."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from ingestion.published.cells import PAPER, printed_cells
from warehouse.audit import DBT_PROJECT

_CHECKS = DBT_PROJECT / "seeds" / "published" / "published_checks.csv"
_BLOCK = re.compile(r"(<!-- from the figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_figures(text: str) -> str:
    """Return `docs/replication.md` with the tables between its markers as the figures are now.

    Args:
        text: The document.

    Raises:
        ValueError: It has a marker for a table that does not exist, or lacks one.
    """
    named = [name for _, name, _ in _BLOCK.findall(text)]
    if sorted(named) != sorted(_BLOCKS):
        raise ValueError(
            f"docs: the tables in docs/replication.md are {', '.join(named) or 'none'}; expected "
            f"each of {', '.join(_BLOCKS)} once, between '<!-- from the figures: NAME -->' and "
            "'<!-- end -->'"
        )
    return _BLOCK.sub(lambda block: f"{block[1]}\n{_BLOCKS[block[2]]()}\n{block[3]}", text)


def _cells() -> str:
    cells, settings = Counter[str](), defaultdict(set)
    verdicts = Counter[str]()
    for cell in printed_cells():
        cells[cell.table] += 1
        verdicts[cell.table] += cell.count
        settings[cell.table].add((cell.judge, cell.verbalizer, cell.position))
    rows = [
        f"| {table} | {len(settings[table])} | {cells[table]} | {verdicts[table]:,} |"
        for table in sorted(cells, key=lambda name: int(name.split()[1]))
    ]
    lines = ["| table | settings | cells | verdicts |", "|---|---:|---:|---:|", *rows]
    return "\n".join([*lines, ""])


def _contradictions() -> str:
    lines = ["| where | figure | printed | beside it | |", "|---|---|---|---|---|"]
    with _CHECKS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["paper_id"] == PAPER and row["agrees"] == "no":
                where = row["table_id"].replace("table_", "Table ").replace("prose", "text")
                lines.append(
                    f"| {where} | {row['statistic']}, {row['item']} | {row['published_value']} "
                    f"| {row['recomputed_value']} | {row['note']} |"
                )
    return "\n".join([*lines, ""])


_BLOCKS: Mapping[str, Callable[[], str]] = {"cells": _cells, "contradictions": _contradictions}
