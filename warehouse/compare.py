"""Differences between two published versions: every number of every report, matched by its key.

A number counts as changed beyond the rounding of another order of summation. Rows are matched on
the key that dbt tests.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import duckdb

from warehouse.lake.versions import attach_version
from warehouse.reader import MEMORY_LIMIT
from warehouse.safe_text import sql_text

PREFIX = "rpt_"
SHOWN = 20
# Sums over several threads differ in the last digits.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
)


class Change(NamedTuple):
    """One number that differs, or one row that only one version has.

    Attributes:
        key: The row, as `column=value` pairs.
        column: The number; empty for a whole row.
        change: `changed`, `row appeared` or `row vanished`.
    """

    mart: str
    key: str
    column: str
    change: str
    before: float | None
    after: float | None


def differ(before: str, after: str) -> str:
    """Return a condition that two numbers differ beyond rounding; a null and a number do."""
    return (
        f"({before} is distinct from {after} and not coalesce("
        f"isfinite({before} - {after}) and abs({before} - {after}) <= "
        f"greatest({_ABSOLUTE}, {_RELATIVE} * greatest(abs({before}), abs({after}))), false))"
    )


@dataclass(frozen=True)
class MartChanges:
    """Counts of numbers and rows of one report that differ."""

    mart: str
    changed: int
    unchanged: int
    appeared: int
    vanished: int


@dataclass(frozen=True)
class Comparison:
    """Differences between two versions.

    Attributes:
        largest: The largest changes: numbers by relative change, then rows.
        notes: Reports that could not be compared, with the reason.
    """

    marts: Sequence[MartChanges]
    largest: Sequence[Change]
    notes: Sequence[str]

    @property
    def total(self) -> MartChanges:
        """The sums over all reports."""
        return MartChanges(
            "all",
            sum(mart.changed for mart in self.marts),
            sum(mart.unchanged for mart in self.marts),
            sum(mart.appeared for mart in self.marts),
            sum(mart.vanished for mart in self.marts),
        )


def mart_keys(manifest: Path) -> dict[str, tuple[str, ...]]:
    """Return the shortest key that dbt tests for each model."""
    nodes = json.loads(manifest.read_text(encoding="utf-8"))["nodes"]
    keys: dict[str, tuple[str, ...]] = {}
    for node in nodes.values():
        test = node.get("test_metadata") or {}
        # Tests of sources belong to no model.
        if test.get("name") != "holds" or not node["attached_node"]:
            continue
        rules = test["kwargs"]
        found = [rules.get("key", ()), *rules.get("unique", ())]
        if columns := min(filter(None, found), key=len, default=None):
            keys[nodes[node["attached_node"]]["name"]] = tuple(columns)
    return keys


def compare(
    before: Path,
    after: Path,
    keys: Mapping[str, Sequence[str]],
    *,
    out: Path | None = None,
    shown: int = SHOWN,
) -> Comparison:
    """Compare the reports of two published files. Both are only read.

    Args:
        keys: Each report's key columns.
        out: Where to write every change as CSV; nowhere when not given.
    """
    with duckdb.connect(config={"memory_limit": MEMORY_LIMIT}) as connection:
        for name, path in (("earlier", before), ("later", after)):
            attach_version(connection, path, name)
        connection.execute(
            'create temp table changes (mart varchar, key varchar, "column" varchar, '
            "change varchar, before double, after double)"
        )
        marts, notes = [], []
        tables = {name: _columns_by_mart(connection, name) for name in ("earlier", "later")}
        for mart in sorted(tables["earlier"].keys() | tables["later"].keys()):
            old, new = tables["earlier"].get(mart), tables["later"].get(mart)
            if old is None or new is None:
                notes.append(f"{mart}: only the {'later' if old is None else 'earlier'} has it")
                continue
            key = tuple(keys.get(mart, ()))
            if not key or not set(key) <= old.keys() & new.keys():
                notes.append(f"{mart}: not compared, no key that both versions have is tested")
                continue
            if other := sorted(old.keys() ^ new.keys()):
                notes.append(f"{mart}: only one version has {', '.join(other)}")
            numbers = [
                name
                for name in new
                if name not in key and _is_number(new[name]) and _is_number(old.get(name, ""))
            ]
            marts.append(_compare_mart(connection, mart, key, numbers))
        if out is not None:
            part = out.with_name(f".{out.name}.part")
            connection.execute(f"copy ({_ORDERED}) to {sql_text(part)} (format csv, header)")
            os.replace(part, out)
        rows = connection.execute(f"{_ORDERED} limit {int(shown)}").fetchall()
    return Comparison(marts, [Change(*row) for row in rows], notes)


def content(connection: duckdb.DuckDBPyConnection, table: str, columns_of: str) -> tuple[int, ...]:
    """Return the number of a table's rows and a hash of them that ignores their order."""
    names = ", ".join(
        f'"{row[0]}"' for row in connection.execute(f"describe {columns_of}").fetchall()
    )
    row = connection.execute(
        f"select count(*), coalesce(sum(hash(t)), 0), coalesce(bit_xor(hash(t)), 0) "
        f"from (select {names} from {table}) as t"
    ).fetchone()
    return tuple(row or ())


# A number that was or is null has changed by 100 %; one that crossed zero by more. Rows come last:
# they would crowd out the numbers, and each report counts them.
_ORDERED = """
select mart, key, "column", change, before, after from changes
order by
    change != 'changed',
    case
        when before is null or after is null then 1
        else abs(after - before) / greatest(abs(before), abs(after))
    end desc,
    mart, key, "column"
"""


def _compare_mart(
    connection: duckdb.DuckDBPyConnection, mart: str, key: Sequence[str], numbers: Sequence[str]
) -> MartChanges:
    # Names come from the two files' own catalogues.
    same = " and ".join(f'old."{name}" is not distinct from new."{name}"' for name in key)
    label = " || ', ' || ".join(
        f"{sql_text(name + '=')} || "
        f'coalesce(new."{name}"::varchar, old."{name}"::varchar, \'null\')'
        for name in key
    )
    pairs = "".join(
        f', old."{name}"::double as before_{at}, new."{name}"::double as after_{at}'
        for at, name in enumerate(numbers)
    )
    connection.execute(
        f"create or replace temp table pairs as select {label} as key, "
        f"old.present is null as is_new, new.present is null as is_gone{pairs} "
        f'from (select *, true as present from earlier.main."{mart}") as old '
        f'full join (select *, true as present from later.main."{mart}") as new on {same}'
    )
    connection.execute(
        "insert into changes select ?, key, '', "
        "case when is_new then 'row appeared' else 'row vanished' end, null, null "
        "from pairs where is_new or is_gone",
        [mart],
    )
    counted = connection.execute(
        "select count(*) filter (is_new), count(*) filter (is_gone), "
        "count(*) filter (not is_new and not is_gone) from pairs"
    ).fetchone()
    appeared, vanished, both = counted or (0, 0, 0)
    changed = 0
    for at, name in enumerate(numbers):
        old, new = f"before_{at}", f"after_{at}"
        row = connection.execute(
            f"insert into changes select ?, key, ?, 'changed', {old}, {new} from pairs "
            f"where not is_new and not is_gone and {differ(old, new)}",
            [mart, name],
        ).fetchone()
        changed += int(row[0]) if row else 0
    return MartChanges(mart, changed, both * len(numbers) - changed, appeared, vanished)


def _columns_by_mart(
    connection: duckdb.DuckDBPyConnection, database: str
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for mart, name, kind in connection.execute(
        "select table_name, column_name, data_type from duckdb_columns() "
        "where database_name = ? and schema_name = 'main' and starts_with(table_name, ?) "
        "order by table_name, column_index",
        [database, PREFIX],
    ).fetchall():
        found.setdefault(mart, {})[name] = kind
    return found


def _is_number(kind: str) -> bool:
    return kind in _NUMBERS or kind.startswith("DECIMAL")
