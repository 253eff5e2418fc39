"""Source `study`: a user's own items and ratings, two files with columns named as they like.

The items file has one row per item: `item` (its id), `text`, and if there are any `motion`,
`source` and `debate`. The ratings file is long: `item`, `annotator`, `value`, and `dimension` if
more than one thing was rated. A column mapping says what these are called in the files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingestion.builder import BatchBuilder
from ingestion.errors import BadStudy
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord
from ingestion.records import Record, columns_of, file_format, read_rows
from ingestion.sources.csv_cells import extra_of, id_text
from ingestion.speeches.batch import Batch
from ingestion.speeches.motions import provisional_debate_id
from ingestion.speeches.readers import speeches, speeches_ibm
from warehouse.records.core import Dataset, first_problem
from warehouse.records.ids import DATASET_NAME, SAMPLES
from warehouse.records.speeches import Dimension

RESERVED_NAMES = (*sorted(SAMPLES), speeches.DATASET.dataset_id, speeches_ibm.DATASET.dataset_id)
DEBATE_FORMAT = "study"
ITEM_COLUMNS = ("item", "text", "motion", "source", "debate")
RATING_COLUMNS = ("item", "annotator", "value", "dimension")
_NO_ID = "should hold an id; it is empty"
_NEEDED_OF_ITEMS = ("item", "text")
_NEEDED_OF_RATINGS = ("item", "annotator", "value")


@dataclass(frozen=True)
class Study:
    """What a user says about a study of their own.

    Attributes:
        name: The data set's id, such as `my-study`.
        items: The file of items: CSV, JSON lines or Parquet.
        question: What people were asked.
        columns: What the files call our columns: `{"item": "id", "text": "body"}`. A key may
            name its file where the two differ: `{"items.item": "id", "ratings.item": "essay"}`.
        dimension: What was rated, where the ratings file has no such column.
        title: The data set's title; its name when not given.
        licence: The data's licence.
        citation: Whom to cite.
        policy: The instructions people had.
    """

    name: str
    items: Path
    ratings: Path
    question: str
    scale_min: float
    scale_max: float
    columns: Mapping[str, str] = field(default_factory=dict)
    dimension: str = "score"
    title: str | None = None
    licence: str = "not stated"
    citation: str | None = None
    policy: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The study's files."""
        return self.items, self.ratings

    def check(self) -> None:
        """Refuse a name, a scale or a mapping that cannot be used.

        Raises:
            BadStudy: Says which and what was expected.
        """
        check_name_and_scale(self.name, (self.scale_min, self.scale_max))
        allowed = {
            *ITEM_COLUMNS,
            *RATING_COLUMNS,
            *(f"items.{name}" for name in ITEM_COLUMNS),
            *(f"ratings.{name}" for name in RATING_COLUMNS),
        }
        if unknown := sorted(set(self.columns) - allowed):
            message = (
                f"study: no column '{unknown[0]}' to map; for items there are "
                f"{', '.join(ITEM_COLUMNS)}, for ratings {', '.join(RATING_COLUMNS)}"
            )
            raise BadStudy(message)

    def read(self, *landed: Landed) -> Batch:
        """Read the study's two files.

        Items without a `debate` or `motion` column stand alone: each is its own unit for intervals.

        Raises:
            BadStudy: The description cannot be used.
            SourceUnreadable: A file is not what it should be.
        """
        self.check()
        items, ratings = landed
        try:
            dataset = Dataset(
                dataset_id=self.name,
                title=self.title or self.name,
                licence=self.licence,
                citation=self.citation,
                policy=self.policy,
            )
            dimension = _dimension(self, self.dimension)
        except ValidationError as error:
            broken, reason = first_problem(error)
            raise BadStudy(f"study: {broken} {reason}") from error
        builder = BatchBuilder(dataset, (), DEBATE_FORMAT)
        _read_items(builder, self, items)
        _read_ratings(builder, self, ratings, dimension)
        return builder.build()


def check_name_and_scale(name: str, scale: tuple[float, float] | None) -> None:
    """Refuse a name or a scale that cannot be used.

    Raises:
        BadStudy: Says which and what was expected.
    """
    if DATASET_NAME.fullmatch(name) is None or name in RESERVED_NAMES:
        raise BadStudy(
            f"study: '{name}' cannot name a data set; expected small letters, digits, _ and -, "
            f"and none of {', '.join(RESERVED_NAMES)}: choose another with --name"
        )
    if scale and not scale[0] < scale[1]:
        raise BadStudy(
            f"study: the scale {scale[0]:g} to {scale[1]:g} is empty; expected the lowest score "
            "first"
        )


def _dimension(study: Study, name: str) -> Dimension:
    return Dimension(
        dataset_id=study.name,
        dimension=name,
        question=study.question,
        scale_min=study.scale_min,
        scale_max=study.scale_max,
    )


def _names(
    study: Study, landed: Landed, part: str, ours: tuple[str, ...], needed: tuple[str, ...]
) -> dict[str, str]:
    """Return what a file calls each of our columns that it has, or must have."""
    kind = file_format(landed.path)
    there = columns_of(landed.path, kind, shown=landed.shown)
    names: dict[str, str] = {}
    for name in ours:
        own = study.columns.get(f"{part}.{name}")
        mapped = study.columns.get(name)
        # The two files often share one name for the item: a mapping is for the file that has it.
        if own is None and mapped is not None and mapped not in there and name in there:
            mapped = None
        called = own or mapped or name
        if called in there or name in needed or own or mapped:
            names[name] = called
    return names


def _read_items(builder: BatchBuilder, study: Study, landed: Landed) -> None:
    names = _names(study, landed, "items", ITEM_COLUMNS, _NEEDED_OF_ITEMS)
    rows = read_rows(
        landed.path, file_format(landed.path), shown=landed.shown, required=tuple(names.values())
    )
    builder.read(landed, rows, lambda record: _add_item(builder, study, record.fields, names))


def _add_item(
    builder: BatchBuilder, study: Study, fields: dict[str, Any], names: dict[str, str]
) -> None:
    natural_id = id_text(fields.get(names["item"]))
    if natural_id is None:
        raise BrokenRecord(names["item"], _NO_ID)
    motion = fields.get(names["motion"]) if "motion" in names else study.title or study.name
    debate = id_text(fields.get(names["debate"])) if "debate" in names else None
    if debate is not None:
        debate_id = f"{study.name}:debate-{debate}"
    elif "motion" in names:
        debate_id = provisional_debate_id(study.name, str(motion))
    else:
        debate_id = f"{study.name}:item-{natural_id}"
    builder.add_speech(
        item_id=f"{study.name}:{natural_id}",
        debate_id=debate_id,
        motion=motion,
        source=fields.get(names["source"]) if "source" in names else "not stated",
        text=fields.get(names["text"]),
        extra=extra_of(fields, tuple(names.values())),
        columns={**names, "item_id": names["item"], "motion": names.get("motion", "title")},
    )


def _read_ratings(builder: BatchBuilder, study: Study, landed: Landed, default: Dimension) -> None:
    names = _names(study, landed, "ratings", RATING_COLUMNS, _NEEDED_OF_RATINGS)
    rows = read_rows(
        landed.path, file_format(landed.path), shown=landed.shown, required=tuple(names.values())
    )
    seen: dict[tuple[str, str, str], str] = {}

    def add(record: Record) -> None:
        found = _rating_key(builder, study, record.fields, names, default)
        if found in seen:
            reason = f"duplicate rating: {seen[found]} rates the same item for the same person"
            raise BrokenRecord(None, reason)
        item_id, annotator_id, dimension = found
        if builder.add_rating(
            item_id=item_id,
            annotator_id=annotator_id,
            dimension=dimension,
            value=record.fields.get(names["value"]),
            field=names["value"],
            whole=False,
        ):
            seen[found] = record.place

    builder.read(landed, rows, add)


def _rating_key(
    builder: BatchBuilder,
    study: Study,
    fields: dict[str, Any],
    names: dict[str, str],
    default: Dimension,
) -> tuple[str, str, str]:
    """Return item, annotator and dimension of a rating."""
    item, annotator = id_text(fields.get(names["item"])), id_text(fields.get(names["annotator"]))
    if item is None or annotator is None:
        missing = "item" if item is None else "annotator"
        raise BrokenRecord(names[missing], _NO_ID)
    item_id = f"{study.name}:{item}"
    if item_id not in builder.speeches:
        raise BrokenRecord(names["item"], f"unknown item: the items file has no valid {item!r}")
    name = default.dimension
    if "dimension" in names:
        given = id_text(fields.get(names["dimension"]))
        if given is None:
            raise BrokenRecord(names["dimension"], "should say what was rated; it is empty")
        name = given
    if name not in builder.dimensions:
        try:
            builder.dimensions[name] = _dimension(study, name)
        except ValidationError as error:
            raise BrokenRecord(names["dimension"], first_problem(error)[1]) from None
    return item_id, f"{study.name}:rater-{annotator}", name
