"""Source `study`: a user's own items and ratings, two files with columns named as they like.

The items file has one row per item: `item` (its id), `text`, and if there are any `motion`,
`source` and `debate`. The ratings file is long: `item`, `annotator`, `value`, and `dimension` if
more than one thing was rated. A column mapping says what these are called in the files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingestion.batch import Reject
from ingestion.dataset_batch import DatasetBatch
from ingestion.errors import BadStudy
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, columns_of, file_format, read_rows
from ingestion.sources.csv_cells import extra_of, id_text
from ingestion.speeches.builder import SpeechBuilder
from ingestion.speeches.motions import provisional_debate_id
from ingestion.speeches.readers import speeches, speeches_ibm
from warehouse.records.core import Dataset, first_problem
from warehouse.records.ids import DATASET_NAME, SAMPLES
from warehouse.records.speeches import Dimension

RESERVED_NAMES = (*sorted(SAMPLES), speeches.DATASET.dataset_id, speeches_ibm.DATASET.dataset_id)
DEBATE_FORMAT = "study"
ITEM_COLUMNS = ("item", "text", "motion", "source", "debate")
RATING_COLUMNS = ("item", "annotator", "value", "dimension")


@dataclass(frozen=True)
class Study:
    """What a user says about a study of their own.

    Attributes:
        name: The data set's id, such as `my-study`.
        columns: The files' names of our columns: `{"item": "id", "text": "body"}`. A key may name
            its file where the two differ: `{"items.item": "id", "ratings.item": "essay"}`.
        dimension: Name of the rated quality, where the ratings file has no such column.
        policy: The instructions for people.
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

    def read(self, *landed: Landed) -> DatasetBatch:
        """Read the study's two files.

        Items without a `debate` or `motion` column stand alone: each is its own unit for intervals.

        Raises:
            BadStudy: The description cannot be used.
            SourceUnreadable: A file is not what it should be.
        """
        self.check()
        try:
            dataset = Dataset(
                dataset_id=self.name,
                title=self.title or self.name,
                licence=self.licence,
                citation=self.citation,
                policy=self.policy,
            )
            dimension = self._dimension(self.dimension)
        except ValidationError as error:
            broken, reason = first_problem(error)
            raise BadStudy(f"study: {broken} {reason}") from error
        items, ratings = landed
        readings = [Reading(file.shown) for file in landed]
        builder = SpeechBuilder(readings[0], self.name, DEBATE_FORMAT)
        return DatasetBatch(
            dataset=dataset,
            files=[file.source_file(0) for file in landed],
            records=chain(
                self._items(items, readings[0], builder),
                self._ratings(ratings, readings, builder, dimension),
            ),
            readings=readings,
            replaces=False,
        )

    def _dimension(self, name: str) -> Dimension:
        # By name: an error then names the field.
        return Dimension(
            dataset_id=self.name,
            dimension=name,
            question=self.question,
            scale_min=self.scale_min,
            scale_max=self.scale_max,
        )

    def _open(
        self, landed: Landed, part: str, ours: tuple[str, ...], needed: tuple[str, ...]
    ) -> tuple[dict[str, str], Iterator[Record | Reject]]:
        """Return a file's names of those columns of ours that it has or must have, and its rows."""
        kind = file_format(landed.path)
        there = columns_of(landed.path, kind, shown=landed.shown)
        names: dict[str, str] = {}
        for name in ours:
            of_part, mapped = self.columns.get(f"{part}.{name}"), self.columns.get(name)
            # The two files often share one name for the item: a mapping is for the file that has
            # it.
            if of_part is None and mapped is not None and mapped not in there and name in there:
                mapped = None
            called = of_part or mapped or name
            if called in there or name in needed or of_part or mapped:
                names[name] = called
        required = tuple(names.values())
        return names, read_rows(landed.path, kind, shown=landed.shown, required=required)

    def _items(self, landed: Landed, reading: Reading, builder: SpeechBuilder) -> Iterator[Any]:
        names, records = self._open(landed, "items", ITEM_COLUMNS, ("item", "text"))

        def rows(record: Record) -> Iterator[Any]:
            fields = record.fields
            natural_id = _needed_id(fields, names["item"])
            motion = fields.get(names["motion"]) if "motion" in names else self.title or self.name
            debate = id_text(fields.get(names["debate"])) if "debate" in names else None
            if debate is not None:
                debate_id = f"{self.name}:debate-{debate}"
            elif "motion" in names:
                debate_id = provisional_debate_id(self.name, str(motion))
            else:
                debate_id = f"{self.name}:item-{natural_id}"
            yield from builder.speech_rows(
                record,
                {**names, "item_id": names["item"], "motion": names.get("motion", "title")},
                item_id=f"{self.name}:{natural_id}",
                debate_id=debate_id,
                motion=motion,
                source=fields.get(names["source"]) if "source" in names else "not stated",
                text=fields.get(names["text"]),
                extra=extra_of(fields, tuple(names.values())),
            )

        yield from reading.rows_of(records, rows)

    def _ratings(
        self,
        landed: Landed,
        readings: Sequence[Reading],
        builder: SpeechBuilder,
        default: Dimension,
    ) -> Iterator[Any]:
        names, records = self._open(
            landed, "ratings", RATING_COLUMNS, ("item", "annotator", "value")
        )
        of_items, reading = readings
        places: dict[tuple[str, str, str], str] = {}

        def rows(record: Record) -> Iterator[Any]:
            fields = record.fields
            item, annotator = (_needed_id(fields, names[name]) for name in ("item", "annotator"))
            item_id, annotator_id = f"{self.name}:{item}", f"{self.name}:rater-{annotator}"
            if item_id not in of_items.places:
                reason = f"unknown item: the items file has no valid {item!r}"
                raise BrokenRecord(names["item"], reason)
            dimension = default.dimension
            if "dimension" in names:
                named = id_text(fields.get(names["dimension"]))
                if named is None:
                    reason = "should say what was rated; it is empty"
                    raise BrokenRecord(names["dimension"], reason)
                dimension = named
            if dimension not in builder.dimensions:
                try:
                    builder.dimensions[dimension] = self._dimension(dimension)
                except ValidationError as error:
                    raise BrokenRecord(names["dimension"], first_problem(error)[1]) from None
                yield builder.dimensions[dimension]
            key = item_id, annotator_id, dimension
            if key in places:
                reason = f"duplicate rating: {places[key]} rates the same item for the same person"
                raise BrokenRecord(None, reason)
            field, value = names["value"], fields.get(names["value"])
            try:
                yield builder.rating(item_id, annotator_id, dimension, value, field)
            except BrokenRecord as broken:
                original = {"item": item_id, "annotator": annotator_id, field: value}
                reading.reject(record.place, broken.field, broken.reason, original)
            else:
                places[key] = record.place

        yield from reading.rows_of(records, rows)


def _needed_id(fields: Mapping[str, Any], name: str) -> str:
    found = id_text(fields.get(name))
    if found is None:
        raise BrokenRecord(name, "should hold an id; it is empty")
    return found


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
