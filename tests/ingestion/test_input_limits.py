"""What a file may cost: hostile ones are read in little memory, or refused by name."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inference import journal
from inference.errors import JournalCorrupt
from ingestion import batch
from ingestion.answers.lines import JournalContent, read_journal_file
from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.imports import import_file
from ingestion.landing import in_place, land
from ingestion.records import MAX_COLUMNS, Format, read_csv_records, read_json_lines, read_rows
from ingestion.sources import containers
from ingestion.sources.containers import opener_of
from ingestion.sources.json_stream import iter_members
from warehouse.home import PROJECT_ROOT, Home

# Reads a file with 256 MiB more than the process has, and prints the rows or the refusal.
_CHILD = """
import resource, sys
from pathlib import Path
import psutil
from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.records import file_format, read_rows

path = Path(sys.argv[1])
limit = psutil.Process().memory_info().vms + 2**28
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    print(sum(1 for _ in read_rows(path, file_format(path), shown="it")))
except SourceUnreadable as error:
    print("refused:", error)
"""
_TEXT = "".join(map(str, range(20_000)))
_ROWS = 20_000


def _shared(shape: Callable[[pa.Array], pa.Array]) -> Callable[[Path], None]:
    """Write a text that all rows share: 2 GB, in 60 kB."""

    def write(path: Path) -> None:
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * _ROWS, pa.int32()), pa.array([_TEXT]))
        pq.write_table(pa.table({"text": shape(texts)}), path, compression="zstd")

    return write


def _lists(texts: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(range(_ROWS + 1), pa.int32()), texts)


def _wide(path: Path) -> None:
    path.write_text(",".join(f"c{number}" for number in range(200_000)) + "\n")


def _long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**28)


@pytest.mark.parametrize(
    ("name", "write", "said"),
    [
        ("shared.parquet", _shared(lambda texts: texts), f"{_ROWS}\n"),
        ("lists.parquet", _shared(_lists), f"{_ROWS}\n"),
        (
            "structs.parquet",
            _shared(lambda texts: pa.StructArray.from_arrays([texts], ["a"])),
            f"{_ROWS}\n",
        ),
        ("wide.csv", _wide, "refused: ingestion: it has 200,000 columns"),
        ("long.csv", _long, "refused: ingestion: it, line 1 has more than 64 MiB"),
        ("long.jsonl", _long, "refused: ingestion: it, line 1 has more than 64 MiB"),
    ],
)
def test_a_hostile_file_is_read_in_little_memory_or_refused(
    tmp_path: Path, name: str, write: Callable[[Path], None], said: str
) -> None:
    write(tmp_path / name)
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, str(tmp_path / name)],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stdout.startswith(said), child.stderr[-500:]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a record have a thousand bytes."""
    monkeypatch.setattr(containers, "MAX_RECORD_BYTES", 1_000)


_LONG = b"x" * 100_000
READERS: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "csv line": (b"a\n1\n" + _LONG, lambda path: list(read_rows(path, "csv", shown="it"))),
    "csv record": (b'a\n"' + b"x\n" * 5_000, lambda path: list(read_rows(path, "csv", shown="it"))),
    "packed csv": (
        gzip.compress(b"a\n1\n" + _LONG),
        lambda path: list(read_csv_records(opener_of(path, None, "it"), shown="it")),
    ),
    "packed lines": (
        gzip.compress(b"{}\n" + _LONG),
        lambda path: list(read_json_lines(opener_of(path, None, "it"), shown="it")),
    ),
    "member": (
        b'{"a": 1, "b": "' + _LONG + b'"}',
        lambda path: list(iter_members(opener_of(path, None, "it"), "it")),
    ),
    "document": (_LONG, lambda path: in_place(path).document()),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("content", "read"), READERS.values(), ids=READERS)
def test_a_record_beyond_the_limit_is_refused(
    tmp_path: Path, content: bytes, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SourceUnreadable, match="the most that one record may have"):
        read(path)


def test_a_journal_with_a_line_beyond_the_limit_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MAX_LINE_BYTES", 1_000)
    path = tmp_path / "responses.jsonl"
    path.write_bytes(b'{"schema_version": 1, "kind": "run"}\n' + _LONG + b"\n")
    content = JournalContent()
    list(read_journal_file(path, "it", content))
    assert content.header is None
    assert content.rejects[-1].record == "the journal"
    with pytest.raises(JournalCorrupt, match="line 2 has more than"):
        list(journal.read_journal(path))


def test_a_row_group_of_more_than_arrow_may_unpack_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.records._GROUP_BYTES", 2**20)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [[None] * 2**18]}), path)
    with pytest.raises(SourceUnreadable, match="write the file with smaller row groups"):
        list(read_rows(path, "parquet", shown="it"))


@pytest.mark.parametrize(("columns", "is_read"), [(MAX_COLUMNS, True), (MAX_COLUMNS + 1, False)])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_has_ten_thousand_columns_at_most(
    tmp_path: Path, kind: Format, columns: int, is_read: bool
) -> None:
    path = tmp_path / "file"
    row = {f"c{number}": "1" for number in range(columns)}
    if kind == "csv":
        path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    else:
        pq.write_table(pa.Table.from_pylist([row]), path)
    if is_read:
        (found,) = read_rows(path, kind, shown="it")
        assert found.fields == row  # type: ignore[union-attr]
    else:
        with pytest.raises(SourceUnreadable, match=f"at most {MAX_COLUMNS:,} are read"):
            list(read_rows(path, kind, shown="it"))


_TYPES: dict[str, Any] = {
    "text": pa.array(["a", None, "c"]),
    "view": pa.array(["a", None, "c"], pa.string_view()),
    "large": pa.array(["a", None, "c"], pa.large_string()),
    "bytes": pa.array([b"a", None, b"c"]),
    "fixed": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "map": pa.array([[("a", "x"), ("b", "y")], [], None], pa.map_(pa.string(), pa.string())),
    "lists": pa.array([["a"], None, [None]], pa.large_list(pa.string())),
    "structs": pa.array([{"a": "1", "b": [{"c": "x"}]}, None, {"a": None, "b": []}]),
    "shared": pa.array(["a", "a", None]).dictionary_encode(),
    "numbers": pa.array([1.5, None, 3.0]),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("encoding", [None, "PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_parquet_values_of_every_type_are_read_as_arrow_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str | None
) -> None:
    # Each row a batch of its own.
    monkeypatch.setattr("ingestion.records.MAX_RECORD_BYTES", 60)
    path = tmp_path / "a.parquet"
    chosen: dict[str, Any] = {}
    if encoding:
        chosen = {"use_dictionary": False, "column_encoding": {"text": encoding}}
    pq.write_table(pa.table(_TYPES), path, **chosen)
    found = [row.fields for row in read_rows(path, "parquet", shown="it")]  # type: ignore[union-attr]
    assert found == pq.read_table(path).to_pylist()


def test_rejects_of_a_large_file_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_ORIGINALS_CHARS", 5_000)
    monkeypatch.setattr(batch, "_REJECTS_AT_MOST", 10)
    rejects = batch.Rejects()
    for number in range(10):
        rejects.append(batch.Reject("it", f"record {number}", None, "is bad", "x" * 1_000))
    assert [len(each.original or "") for each in rejects] == [1_000] * 6 + [200] * 4
    with pytest.raises(TooManyRejected, match="more than 10 records"):
        rejects.append(rejects[0])


@pytest.mark.parametrize("name", ["/proc/self/mem", "/dev/zero", "pipe.json", "pipe.csv"])
@pytest.mark.parametrize(
    "read",
    [
        import_file,
        lambda home, path: land(home, path, source="x", licence="x"),
        lambda home, path: in_place(path),
    ],
    ids=["import", "land", "check"],
)
def test_a_device_or_a_pipe_is_no_source(
    home: Home, tmp_path: Path, name: str, read: Callable[[Home, Path], object]
) -> None:
    path = tmp_path / name
    if not path.exists():
        os.mkfifo(path)
    with pytest.raises(SourceUnreadable):
        read(home, path)
    assert not list(home.landing.glob("*"))
