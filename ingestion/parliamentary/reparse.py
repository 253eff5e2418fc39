"""Reading stored rulings on parliamentary debates again: values and faults change together."""

from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa

from inference.kinds.parliamentary import ruling_rows
from inference.parliamentary.rulings import PARSED, PARTLY, UNPARSED, Ruling, read_ruling
from ingestion.raw_tables import change_rows, remove_rows
from warehouse.raw import append_rows

_ROWS_AT_ONCE = 500
_READ = ", ".join(f"'{status}'" for status in (PARSED, PARTLY, UNPARSED))
_KEY = "run_id, request_id"
_VALUE, _FAULT = "task, place, value, reason", "task, fault, detail"
_RULINGS = f"""
with known_values as (
    select {_KEY}, list([task, place, value::varchar, reason]) as known_values
    from raw.adjudication_values
    group by all
),

known_faults as (
    select {_KEY}, list([task, fault, detail]) as known_faults
    from raw.adjudication_faults
    group by all
)

select {_KEY}, judge_id, template, task, response, answer_format, finish_reason, parse_status,
    parse_reason, known_values, known_faults
from raw.adjudications
left join known_values using ({_KEY})
left join known_faults using ({_KEY})
where request_status = 'answered' and parse_status in ({_READ})
"""
_TEXT = pa.string()
_SCHEMAS = {
    "adjudications": pa.schema(
        dict.fromkeys(("run_id", "request_id", "parse_status", "parse_reason"), _TEXT)
    ),
    "adjudication_values": pa.schema(
        dict.fromkeys(("run_id", "request_id", "task", "place"), _TEXT)
        | {"value": pa.float64(), "reason": _TEXT}
    ),
    "adjudication_faults": pa.schema(
        dict.fromkeys(("run_id", "request_id", "task", "fault", "detail"), _TEXT)
    ),
}
# Who judged, by which prompt, and what it was and is read as.
Changes = Counter[tuple[str, str, str, str]]


def reread_rulings(connection: duckdb.DuckDBPyConnection, changes: Changes, *, keep: bool) -> int:
    """Read every stored ruling again, and return how many there are.

    What is read differently is counted in `changes` and, if it is to be kept, put aside for
    `write_rulings`.
    """
    if keep:
        for table, schema in _SCHEMAS.items():
            connection.register("chunk", schema.empty_table())
            connection.execute(f"create or replace temp table reread_{table} as from chunk")
    count = 0
    # A second connection: the first one writes between two parts of the result.
    with connection.cursor() as cursor:
        for batch in cursor.execute(_RULINGS).to_arrow_reader(_ROWS_AT_ONCE):
            changed: dict[str, list[dict[str, Any]]] = {table: [] for table in _SCHEMAS}
            for row in batch.to_pylist():
                count += 1
                ruling = read_ruling(
                    row["response"], row["task"], row["answer_format"], row["finish_reason"]
                )
                key = {"run_id": row["run_id"], "request_id": row["request_id"]}
                rows = ruling_rows(ruling, key)
                before, after = _known(row), _found(ruling, rows)
                if before == after:
                    continue
                words = _words(before), _words(after)
                if words[0] == words[1]:
                    words = words[0], f"{words[1]}, others than before"
                changes[row["judge_id"], row["template"], *words] += 1
                rows["adjudications"] = [
                    {**key, "parse_status": ruling.status, "parse_reason": ruling.reason}
                ]
                for table, more in rows.items():
                    changed[table] += more
            if keep:
                _keep(connection, changed)
    return count


def write_rulings(connection: duckdb.DuckDBPyConnection) -> int:
    """Put what was read differently in the place of what was read before; return how many.

    When a ruling was loaded stays: of two given at the same time the later load counts.
    """
    updated = change_rows(
        connection,
        "adjudications",
        {name: f"reread.{name}" for name in ("parse_status", "parse_reason")},
        f"inner join reread_adjudications as reread using ({_KEY})",
    )
    for table, columns in (("adjudication_values", _VALUE), ("adjudication_faults", _FAULT)):
        # Every name in these statements is a constant of this module.
        remove_rows(connection, table, f"({_KEY}) in (select ({_KEY}) from reread_adjudications)")
        append_rows(
            connection,
            table,
            f"select {_KEY}, {_of('reread', columns)}, whole._source_file, whole._loaded_at "
            f"from reread_{table} as reread "
            f"inner join raw.adjudications as whole using ({_KEY})",
        )
    for table in _SCHEMAS:
        connection.execute(f"drop table reread_{table}")
    return updated


def _keep(connection: duckdb.DuckDBPyConnection, changed: dict[str, list[dict[str, Any]]]) -> None:
    for table, rows in changed.items():
        if rows:
            connection.register("chunk", pa.Table.from_pylist(rows, _SCHEMAS[table]))
            connection.execute(f"insert into reread_{table} from chunk")


def _of(name: str, columns: str) -> str:
    return ", ".join(f"{name}.{column}" for column in columns.split(", "))


# A ruling as two readings of it are compared: how it was read, its values, its faults.
_Compared = tuple[str, str | None, frozenset[tuple[Any, ...]], frozenset[tuple[Any, ...]]]


def _known(row: dict[str, Any]) -> _Compared:
    values = frozenset(
        (task, place, None if value is None else float(value), reason)
        for task, place, value, reason in row["known_values"] or []
    )
    faults = frozenset(tuple(each) for each in row["known_faults"] or [])
    return row["parse_status"], row["parse_reason"], values, faults


def _found(ruling: Ruling, rows: dict[str, list[dict[str, Any]]]) -> _Compared:
    values, faults = (
        frozenset(tuple(row[name] for name in columns.split(", ")) for row in rows[table])
        for table, columns in (("adjudication_values", _VALUE), ("adjudication_faults", _FAULT))
    )
    return ruling.status, ruling.reason, values, faults


def _words(compared: _Compared) -> str:
    status, reason, values, faults = compared
    read = sum(value is not None for _, _, value, _ in values)
    why = f" ({reason})" if reason else ""
    return f"{status}{why}: {read} of {len(values)} values, {len(faults)} faults"
