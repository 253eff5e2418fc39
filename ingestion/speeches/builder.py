"""Debates, speeches and ratings out of the records of a source of scored speeches."""

from collections.abc import Iterable, Mapping
from typing import Any

from ingestion.reading import BrokenRecord, Reading, validated
from ingestion.records import Record
from ingestion.sources.csv_cells import shown
from warehouse.records.core import Debate, Speech
from warehouse.records.speeches import Dimension, Rating


class SpeechBuilder:
    """Makes the rows of a data set, with the checks that no single record can do.

    Attributes:
        dimensions: What was rated, by name; a file may turn out to have more.
    """

    def __init__(
        self,
        reading: Reading,
        dataset_id: str,
        debate_format: str,
        dimensions: Iterable[Dimension] = (),
    ) -> None:
        self._reading, self._dataset_id, self._format = reading, dataset_id, debate_format
        self.dimensions = {dimension.dimension: dimension for dimension in dimensions}
        self._motions: dict[str, str] = {}

    def speech_rows(
        self,
        record: Record,
        names: Mapping[str, str],
        *,
        item_id: str,
        debate_id: str,
        motion: Any,
        **about: Any,
    ) -> list[Debate | Speech]:
        """Return a speech, after its debate where that is new.

        Args:
            names: The file's names of our columns.
            about: Other columns of the speech.

        Raises:
            BrokenRecord: It is there already, its debate has another motion, or it breaks the
                contract.
        """
        dataset_id = self._dataset_id
        self._reading.claim(item_id, record.place, names.get("item_id", "item_id"))
        known = self._motions.get(debate_id)
        if known is not None and known != motion:
            raise BrokenRecord(
                names.get("motion", "motion"),
                f"debate {debate_id} has the motion {known!r} in an earlier record",
            )
        rows: list[Debate | Speech] = []
        ids = {"debate_id": debate_id, "dataset_id": dataset_id}
        if known is None:
            rows.append(validated(Debate, {**ids, "motion": motion, "format": self._format}, names))
        rows.append(validated(Speech, {**ids, "item_id": item_id, **about}, names))
        self._motions[debate_id] = motion
        return rows

    def rating_rows(
        self,
        record: Record,
        item_id: str,
        dimension: str,
        ratings: Iterable[tuple[str, Any]],
        *,
        field: str,
        annotators: str = "annotator",
    ) -> Iterable[Rating]:
        """Yield the ratings of an item by annotators, each annotator's first; reject others.

        Args:
            ratings: Annotators and their whole numbers on the dimension's scale.
            field: The column of the numbers.
            annotators: The column of the annotators.
        """
        rated: set[str] = set()
        for annotator_id, value in ratings:
            original = {"item": item_id, "annotator": annotator_id, field: value}
            try:
                if annotator_id in rated:
                    raise BrokenRecord(
                        annotators,
                        f"duplicate rating: {annotator_id} has rated this item in this record "
                        "already",
                    )
                rated.add(annotator_id)
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise BrokenRecord(field, f"should be a number; found {shown(value)}")
                rating = self.rating(item_id, annotator_id, dimension, value, field)
                if not rating.value.is_integer():
                    raise BrokenRecord(field, f"should be a whole number; found {value!r}")
            except BrokenRecord as broken:
                self._reading.reject(record.place, broken.field, broken.reason, original)
            else:
                yield rating

    def rating(
        self, item_id: str, annotator_id: str, dimension: str, value: Any, field: str
    ) -> Rating:
        """Return a rating on the scale of its dimension.

        Raises:
            BrokenRecord: It is none.
        """
        about = {"dataset_id": self._dataset_id, "item_id": item_id, "annotator_id": annotator_id}
        rating = validated(
            Rating, {**about, "dimension": dimension, "value": value}, {"value": field}
        )
        scale = self.dimensions[dimension]
        if not scale.scale_min <= rating.value <= scale.scale_max:
            raise BrokenRecord(
                field, f"is off the scale {scale.scale_min:g} to {scale.scale_max:g}: {value!r}"
            )
        return rating
