"""Files of items: each named by its own bytes, and the pointer that names the newest."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.errors import explained_when_full
from warehouse.files import (
    fsync,
    remove_leftovers,
    sha256_bytes,
    sha256_file,
    write_atomically,
)
from warehouse.home import Home

POINTER = "current.json"
# A run reads the texts of one group at a time.
ROW_GROUP = 1_000
# Debates and stories may be fifty thousand characters each.
LONG_ROW_GROUP = 16
# Writes files of a data set into its folder, and returns what the pointer says of them.
Write = Callable[[duckdb.DuckDBPyConnection, Path, str], Mapping[str, str | int]]


def parquet(table: pa.Table, row_group: int = ROW_GROUP) -> bytes:
    """Return a table as a file holds it."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", row_group_size=row_group)
    return bytes(sink.getvalue())


def write_if_changed(path: Path, content: bytes) -> None:
    """Write a file, unless these very bytes are there."""
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)


def write_named(folder: Path, kind: str, table: pa.Table, row_group: int = ROW_GROUP) -> str:
    """Write a table to a file named by its bytes, and return the name."""
    content = parquet(table, row_group)
    name = f"{kind}-{sha256_bytes(content)}.parquet"
    write_if_changed(folder / name, content)
    return name


def put(temporary: Path, path: Path) -> None:
    """Give a file its name, unless these very bytes are there."""
    if path.is_file() and sha256_file(path) == sha256_file(temporary):
        return
    fsync(temporary)
    os.replace(temporary, path)


def write_long(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    dataset_id: str,
    files: Mapping[str, str],
) -> dict[str, str]:
    """Write items that may be long, few in memory at a time, and return the files' names by kind.

    A data set without such items has none of the files.

    Args:
        folder: The data set's folder of items.
        files: The query of each kind; the first is that of the items.
    """
    names: dict[str, str] = {}
    for kind, query in files.items():
        temporary = folder / f".{kind}.{os.getpid()}.part"
        try:
            reader = connection.execute(query, {"dataset": dataset_id}).to_arrow_reader(
                LONG_ROW_GROUP
            )
            count = 0
            with pq.ParquetWriter(temporary, reader.schema, compression="zstd") as writer:
                for batch in reader:
                    writer.write_batch(batch, row_group_size=LONG_ROW_GROUP)
                    count += batch.num_rows
            if count == 0 and not names:
                return {}
            names[kind] = f"{kind}-{sha256_file(temporary)}.parquet"
            put(temporary, folder / names[kind])
        finally:
            temporary.unlink(missing_ok=True)
    fsync(folder)
    return names


def renew(
    connection: duckdb.DuckDBPyConnection,
    home: Home,
    kind: str,
    table: str,
    write: Write,
) -> None:
    """Write one kind of items again, of every data set that has such items.

    Args:
        kind: What the pointer calls the file.
        table: The raw table that says which data sets have such items.
        write: Writes the files of a data set into a folder, and returns what the pointer says.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """
    found = connection.execute(
        f"select distinct dataset_id from raw.{table} order by dataset_id"
    ).fetchall()
    for (dataset_id,) in found:
        folder = home.items / dataset_id
        pointer = folder / POINTER
        if not pointer.is_file():
            # Without a pointer its items were never written: loading the data set writes them all.
            continue
        with explained_when_full(f"writing the {kind} of {dataset_id}", home.items):
            remove_leftovers(folder)
            known = json.loads(pointer.read_text(encoding="utf-8"))
            names = write(connection, folder, dataset_id)
            kept = {name: known[name] for name in known if name != kind or kind in names}
            now = kept | dict(names)
            if now != known:
                write_atomically(pointer, pointer_text(now))


def pointer_text(pointer: Mapping[str, str | int]) -> bytes:
    """Return a pointer as its file holds it."""
    return json.dumps(pointer, indent=2).encode() + b"\n"
