"""The items a run reads: from its items file and no other, in an order a seed decides.

An items file has no human value in it. The reference file beside it has; nothing here opens that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from inference.errors import BadItems

# Few enough that their texts weigh little, many enough that reading stays quick.
BATCH_ROWS = 128
# Without a buffer, or with reading ahead, the texts of whole row groups are read at once.
_BUFFER_BYTES = 1 << 16


@dataclass(frozen=True)
class ItemSource:
    """The item files of one data set.

    Attributes:
        files: Its other files by name. Those with human values or right answers end in `reference`,
            and only simulated judges, and rules that say so, open them.
    """

    dataset_id: str
    items_file: Path
    files: Mapping[str, Path] = field(default_factory=dict, hash=False)

    def file(self, name: str) -> Path | None:
        """Return a file by its name, such as `debates`; None where there is none."""
        return self.items_file if name == "items" else self.files.get(name)

    def with_file(self, name: str, path: Path) -> ItemSource:
        """Return the data set with another file of a name."""
        return replace(self, files={**self.files, name: path})


@dataclass(frozen=True)
class Rating:
    """What a judge is to say of a speech or an answer."""

    dimension: str
    scale_min: int
    scale_max: int

    @property
    def words(self) -> str:
        """The dimension, for people."""
        return self.dimension


@dataclass(frozen=True)
class Speech:
    """One text to score on one dimension, without anything people said about it.

    Attributes:
        item_id: The item, its data set's name before a colon.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str
    text: str
    word_count: int
    dimension: str
    question: str
    scale_min: int
    scale_max: int

    @property
    def rating(self) -> Rating:
        """What is scored of it, and on which scale."""
        return _rating(self.dimension, self.scale_min, self.scale_max)


_rating = cache(Rating)
# The columns of an items file.
COLUMNS = tuple(each.name for each in fields(Speech) if each.name != "dataset_id")


def find_item_sources(items_root: Path, datasets: Sequence[str] = ("*",)) -> list[ItemSource]:
    """Return the current items of data sets, sorted by data set."""
    there = sorted(pointer.parent.name for pointer in items_root.glob("*/current.json"))
    wanted = there if tuple(datasets) == ("*",) else sorted(set(datasets))
    missing = [dataset for dataset in wanted if dataset not in there]
    if missing or not wanted:
        raise BadItems(
            f"items: no items of data set '{missing[0] if missing else '*'}' in {items_root}; "
            f"there are {', '.join(there) or 'none'}; load some with 'rostrum ingest'"
        )
    return [_source(items_root / dataset) for dataset in wanted]


def iter_items(source: ItemSource, dimension: str = "*") -> Iterator[Speech]:
    """Yield the items of a data set, a few in memory at a time; none without the dimension."""
    for row in read_rows(source.dataset_id, source.items_file, COLUMNS):
        if dimension in ("*", row["dimension"]):
            yield _item(source, row)


def item_keys(source: ItemSource, dimension: str = "*") -> Iterator[str]:
    """Yield the id of every item `iter_items` yields, in its order, without reading any text."""
    for row in read_rows(source.dataset_id, source.items_file, ("item_id", "dimension")):
        if dimension in ("*", row["dimension"]):
            yield row["item_id"]


def dimensions_of(source: ItemSource) -> list[str]:
    """Return the names of a data set's dimensions, sorted."""
    rows = read_rows(source.dataset_id, source.items_file, ("dimension",))
    return sorted({str(row["dimension"]) for row in rows})


def sampling_key(seed: int, item_id: str) -> str:
    """Return what an experiment's items are ordered by.

    A hash, so that the order depends on nothing but the seed and the id, and the first items of a
    longer sample are the shorter sample.
    """
    return hashlib.sha256(f"{seed}\n{item_id}".encode()).hexdigest()


def read_rows(
    dataset_id: str, path: Path, columns: Sequence[str], batch_rows: int = BATCH_ROWS
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one of a data set's files, a few in memory at a time."""
    # The kinds of judges are known without it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False) as file:
            lacking = sorted(set(columns) - set(file.schema_arrow.names))
            if lacking:
                raise BadItems(
                    f"items: {path} lacks the columns {', '.join(lacking)}; ingest "
                    f"'{dataset_id}' again"
                )
            for batch in file.iter_batches(batch_rows, columns=list(columns), use_threads=False):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise BadItems(f"items: cannot read {path}: {error}; ingest '{dataset_id}' again") from None


def _source(folder: Path) -> ItemSource:
    pointer = folder / "current.json"
    try:
        content = json.loads(pointer.read_text(encoding="utf-8"))
        files = {
            name: folder / file
            for name, file in content.items()
            if name != "items" and isinstance(file, str)
        }
        return ItemSource(folder.name, folder / content["items"], files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadItems(
            f"items: {pointer} is damaged ({error!r}); ingest '{folder.name}' again"
        ) from None


def _item(source: ItemSource, row: dict[str, Any]) -> Speech:
    low, high = row.pop("scale_min"), row.pop("scale_max")
    scale = _whole_scale(low, high)
    if scale is None:
        raise BadItems(
            f"items: {source.items_file}, dimension '{row['dimension']}': the scale {low} to "
            f"{high} is not one of whole numbers; recode it before asking judges"
        )
    return Speech(dataset_id=source.dataset_id, scale_min=scale[0], scale_max=scale[1], **row)


@lru_cache(maxsize=1024)
def _whole_scale(low: float, high: float) -> tuple[int, int] | None:
    """Return the ends of a scale; None where they are not those of one of whole numbers."""
    if not (float(low).is_integer() and float(high).is_integer() and low < high):
        return None
    return int(low), int(high)
