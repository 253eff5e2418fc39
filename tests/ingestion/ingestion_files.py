"""Files of every shape the sources read, made for the tests: none of it is anybody's data."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.batch import Reject
from warehouse.home import Home


def speech(number: int, **changes: Any) -> dict[str, Any]:
    """One valid record of the released shape; three people rate each, two speeches a topic."""
    row = {
        "id": f"s-{number}",
        "topic_id": str(100 + number // 2),
        "topic": f"We should plant tree number {number // 2}",
        "source": "Anna" if number % 2 else "Ben",
        "text": f'Speech {number}.\nTrees are "good", and so is shade. ',
        "goodopeningspeech": "[5, 3, 1]",
        "#labelers": "3",
        "labeler_ids": "[11, 12, 13]",
    }
    return {**row, **changes}


def speeches(count: int = 40) -> list[dict[str, Any]]:
    return [speech(number) for number in range(count)]


def ibm_speech(number: int, **changes: Any) -> dict[str, Any]:
    """One valid record of the hub's parent data set; two people answer three questions."""
    row = {
        "topic_id": "7",
        "topic": "We should plant trees",
        "source": "Anna",
        "text": f"Speech {number}",
        "goodopeningspeech": "[4, 5]",
        "mostargumentssupport": "[3, 3]",
        "interestingspeaker": "[1, 2]",
        "#labelers": 2,
        "motion_set": "dev",
    }
    return {**row, **changes}


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write records that end in CRLF, as the released file has them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)
    return path


def query(home: Home, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(home.build_db)) as connection:
        return connection.execute(sql).fetchall()


def one(home: Home, sql: str) -> Any:
    return query(home, sql)[0][0]


def row_of(home: Home, table: str, where: str = "true") -> dict[str, Any]:
    """The only row of a raw table that meets a condition, by column."""
    with duckdb.connect(str(home.build_db)) as connection:
        found = connection.execute(f"from raw.{table} where {where}")
        names = [column[0] for column in found.description]
        (row,) = found.fetchall()
    return dict(zip(names, row, strict=True))


def check_kept(row: Mapping[str, Any], source: Mapping[str, Any]) -> None:
    """Assert that a row has every value of its source that has a column of the same name."""
    expected = {name: source[name] for name in row.keys() & source.keys()}
    for name, value in expected.items():
        if isinstance(row[name], datetime):
            expected[name] = datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None)
    assert {name: row[name] for name in expected} == expected
    assert len(expected) > 5


def raw_content(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in raw, to show that something changed nothing."""
    tables = (
        "select table_name from duckdb_tables() where schema_name = 'raw' and estimated_size > 0"
    )
    with duckdb.connect(str(home.build_db)) as connection:
        return {
            name: connection.execute(f"from raw.{name} order by all").fetchall()
            for (name,) in connection.execute(tables).fetchall()
        }


@contextmanager
def unchanged(home: Home) -> Iterator[None]:
    """Assert that everything in raw is afterwards as it was before."""
    before = raw_content(home)
    yield
    assert raw_content(home) == before


def pointer(home: Home, dataset: str) -> dict[str, Any]:
    """What is said of the current item files of a data set."""
    path = home.items / dataset / "current.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def item_rows(home: Home, dataset: str, kind: str) -> list[dict[str, Any]]:
    path = home.items / dataset / pointer(home, dataset)[kind]
    return list(pq.read_table(path).to_pylist())


def is_empty(home: Home) -> bool:
    """Whether nothing was ever loaded, not even a reject."""
    return one(home, "select count(*) from raw.loads") == 0


def check_rejects(
    rejects: Iterable[Reject],
    faults: Iterable[Sequence[Any]],
    first: int = 1,
    place: str = "record {0} (line {0})",
) -> None:
    """Assert that bad records, and no others, are rejected for the right field and reason.

    Args:
        rejects: What was rejected.
        faults: Of each bad record the field and words of the reason, after what is wrong with it.
        first: The number of the first bad record; the others follow it.
        place: How a record's place is written, given its number and the next one.
    """
    found = {each.record: (each.field, each.reason) for each in rejects}
    wanted = {place.format(n, n + 1): fault for n, fault in enumerate(faults, start=first)}
    assert {record: field for record, (field, _) in found.items()} == {
        record: fault[1] for record, fault in wanted.items()
    }
    for record, fault in wanted.items():
        assert all(words in found[record][1] for words in fault[2:]), (fault, found[record])
