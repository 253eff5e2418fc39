"""Made-up items for the engine to ask about.

`python -m benchmarks.made_up_items FOLDER COUNT` writes them from a process of its own, so that
what asks about them has not held them.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.endpoint import text
from inference.items import ItemSource


def made_elsewhere(folder: Path, count: int) -> ItemSource:
    """Write items from another process, and return where they are."""
    command = [sys.executable, "-m", "benchmarks.made_up_items", str(folder), str(count)]
    subprocess.run(command, check=True)
    return ItemSource("made-up", folder / "items" / "made-up" / "items.parquet")


def items_file(folder: Path, texts: Iterable[str]) -> ItemSource:
    """Write an items file with one item per text, as ingestion writes it, a few in memory."""
    target = folder / "items" / "made-up"
    target.mkdir(parents=True, exist_ok=True)
    path = target / "items.parquet"
    rows: list[dict[str, object]] = []
    writer: pq.ParquetWriter | None = None
    for number, words in enumerate(texts):
        rows.append(
            {
                "item_id": f"made-up:{number:07}",
                "item_hash": f"hash{number:07}",
                "motion": f"We should do thing {number // 8}",
                "text": words,
                "word_count": len(words.split()),
                "dimension": "goodopeningspeech",
                "question": "Is it good?",
                "scale_min": 1.0,
                "scale_max": 5.0,
            }
        )
        if len(rows) == 500:
            writer = _write(path, writer, rows)
    if rows or writer is None:
        writer = _write(path, writer, rows)
    writer.close()
    (target / "current.json").write_text(json.dumps({"items": path.name}))
    return ItemSource("made-up", path)


def _write(
    path: Path, writer: pq.ParquetWriter | None, rows: list[dict[str, object]]
) -> pq.ParquetWriter:
    table = pa.Table.from_pylist(rows)
    writer = writer or pq.ParquetWriter(path, table.schema)
    writer.write_table(table)
    rows.clear()
    return writer


if __name__ == "__main__":
    items_file(Path(sys.argv[1]), (text(number) for number in range(int(sys.argv[2]))))
