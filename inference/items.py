"""The items a run reads: from its items file and no other, in an order a seed decides.

An items file has no human value in it. The reference file beside it has; nothing here opens that.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
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
    """Where the items of one data set are.

    Attributes:
        items_file: What judges may read.
        reference_file: Human values, which only simulated judges open; None where there are none.
        debates_file: What judges may read of its debates; None where it has none.
        debates_reference_file: Who won them, for simulated judges, the rule that names the more
            frequent winner, and drawing equal cells.
        questions_file: Its debatable questions; None where it has none.
        partial_answers_file: The points of view on each question, for evaluators alone: no model
            that answers a question sees it.
        answers_file: What models answered, as far as it has been loaded.
        documents_file: Documents about the questions, for retrieval.
        parliamentary_file: What judges may read of its parliamentary debates; None where it has
            none.
        parliamentary_reference_file: Their results, for simulated judges alone.
        reading_file: Its questions about stories, with the stories; None where it has none.
        reading_reference_file: Which answers are right, for simulated debaters and judges alone.
        transcripts_file: What debaters wrote about them, as far as it has been loaded.
        topics_file: The topics of its speeches, for models that write more; None where none are.
        others: Its files besides, by the names that its pointer has for them.
    """

    dataset_id: str
    items_file: Path
    reference_file: Path | None = None
    debates_file: Path | None = None
    debates_reference_file: Path | None = None
    questions_file: Path | None = None
    partial_answers_file: Path | None = None
    answers_file: Path | None = None
    documents_file: Path | None = None
    parliamentary_file: Path | None = None
    parliamentary_reference_file: Path | None = None
    reading_file: Path | None = None
    reading_reference_file: Path | None = None
    transcripts_file: Path | None = None
    topics_file: Path | None = None
    others: Mapping[str, Path] = field(default_factory=dict, hash=False)

    def file(self, name: str) -> Path | None:
        """Return a file by what kinds call it, such as `debates_file`; None where there is none."""
        known: Path | None = getattr(self, name, None)
        return known or self.others.get(name.removesuffix("_file"))

    def need(self, name: str, absent: str) -> Path:
        """Return a file that must be there.

        Args:
            name: What kinds call it.
            absent: The message where there is none, with `{}` for the data set.

        Raises:
            BadItems: There is none.
        """
        path = self.file(name)
        if path is None:
            raise BadItems(absent.format(self.dataset_id))
        return path


@dataclass(frozen=True)
class Rating:
    """What a judge is to say of a speech or an answer.

    Attributes:
        dimension: What is scored.
    """

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
        item_hash: Of its motion and text.
        motion: What the speech argues for.
        text: The speech.
        word_count: Words between white space.
        dimension: What is scored.
        question: What people were asked.
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
# What a pointer may name besides the items.
_OTHER_FILES = tuple(
    each.name.removesuffix("_file")
    for each in fields(ItemSource)
    if each.name.endswith("_file") and each.name != "items_file"
)


def find_item_sources(items_root: Path, datasets: Sequence[str] = ("*",)) -> list[ItemSource]:
    """Return the current items of data sets, sorted by data set.

    Args:
        items_root: The home's `items/`.
        datasets: The data sets wanted; `*` alone means all there are.

    Raises:
        BadItems: A data set is not there, or its pointer is damaged.
    """
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
    """Yield the items of a data set, a few in memory at a time; none without the dimension.

    Args:
        source: The data set's files; only the items file is read.
        dimension: The dimension wanted; `*` means all.

    Raises:
        BadItems: The file cannot be read, or a scale is not one of whole numbers.
    """
    for row in read_rows(source.dataset_id, source.items_file, COLUMNS):
        if dimension in ("*", row["dimension"]):
            yield _item(source, row)


def item_keys(source: ItemSource, dimension: str = "*") -> Iterator[str]:
    """Yield the id of every item `iter_items` yields, in its order, without reading any text."""
    for row in read_rows(source.dataset_id, source.items_file, ("item_id", "dimension")):
        if dimension in ("*", row["dimension"]):
            yield row["item_id"]


def dimensions_of(source: ItemSource) -> list[str]:
    """Return the names of a data set's dimensions, sorted.

    Args:
        source: The data set's files; only the items file is read.

    Raises:
        BadItems: The file cannot be read.
    """
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
    """Yield the rows of one of a data set's files, a few in memory at a time.

    Args:
        dataset_id: The data set, for messages.
        columns: The columns wanted; no other is read.
        batch_rows: How many rows are in memory at once.

    Raises:
        BadItems: The file cannot be read, or lacks a column.
    """
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
        others = {
            f"{name}_file": folder / content[name] if content.get(name) else None
            for name in _OTHER_FILES
        }
        more = {
            name: folder / content[name]
            for name in content.keys() - {"items", *_OTHER_FILES}
            if isinstance(content[name], str)
        }
        return ItemSource(folder.name, folder / content["items"], **others, others=more)
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
