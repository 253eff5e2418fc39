"""Tables of `docs/replication.md` that are written from printed cells and the checks on them."""

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from ingestion.published.cells import PAPER, printed_cells
from warehouse.audit import DBT_PROJECT

_CHECKS = DBT_PROJECT / "seeds" / "published" / "published_checks.csv"


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


def _contradictions(paper: str) -> str:
    lines = ["| where | figure | printed | beside it | |", "|---|---|---|---|---|"]
    with _CHECKS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["paper_id"] == paper and row["agrees"] == "no":
                where = row["table_id"].replace("prose", "text").replace("_", " ")
                where = where.replace("table", "Table").replace("figure", "Figure")
                lines.append(
                    f"| {where} | {row['statistic']}, {row['item']} | {row['published_value']} "
                    f"| {row['recomputed_value']} | {row['note']} |"
                )
    return "\n".join([*lines, ""])


BLOCKS: Mapping[str, Callable[[], str]] = {
    "cells": _cells,
    "contradictions": lambda: _contradictions(PAPER),
    "debatebench_contradictions": lambda: _contradictions("debatebench"),
}
