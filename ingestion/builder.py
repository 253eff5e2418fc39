"""Making a batch record by record, with the checks that every source of speeches needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from ingestion.batch import Reject, SourceFile, original_of
from ingestion.landing import Landed
from ingestion.oversight.reading import BrokenRecord
from ingestion.records import Record
from ingestion.speeches.batch import Batch
from warehouse.records.core import Dataset, Debate, Speech, first_problem
from warehouse.records.speeches import Dimension, Rating


class BatchBuilder:
    """Collects what is valid and what is not; `build` hands both over."""

    def __init__(self, dataset: Dataset, dimensions: Sequence[Dimension], debate_format: str):
        self._dataset = dataset
        self._dimensions = {dimension.dimension: dimension for dimension in dimensions}
        self._format = debate_format
        self._debates: dict[str, Debate] = {}
        self._speeches: dict[str, Speech] = {}
        self._first_place: dict[str, str] = {}
        self._ratings: list[Rating] = []
        self._rejects: list[Reject] = []
        self._files: list[SourceFile] = []
        self._notes: list[str] = []

    def records(self, landed: Landed, rows: Iterable[Record | Reject]) -> Iterator[Record]:
        """Yield a file's good rows, keep its bad ones, and count both."""
        count = 0
        for row in rows:
            if isinstance(row, Reject):
                count += row.weight
                self._rejects.append(row)
            else:
                count += 1
                yield row
        self._files.append(landed.source_file(count))

    def reject(
        self, shown: str, record: Record, field: str | None, reason: str, original: Any = None
    ) -> None:
        """Quarantine a record, or the part of it that `original` holds."""
        kept = original_of(record.fields if original is None else original)
        self._rejects.append(Reject(shown, record.place, field, reason, kept))

    @contextmanager
    def whole(self, shown: str, record: Record) -> Iterator[None]:
        """Quarantine a record where what is read inside breaks the contract."""
        try:
            yield
        except BrokenRecord as broken:
            self.reject(shown, record, broken.field, broken.reason)

    def add_speech(
        self,
        shown: str,
        record: Record,
        *,
        item_id: str,
        debate_id: str,
        motion: Any,
        source: Any,
        text: Any,
        extra: str | None,
        columns: Mapping[str, str],
    ) -> bool:
        """Add an item and its debate, or say why not; True when it was added.

        Args:
            shown: The file.
            record: Where the item is.
            item_id: Its id, with the data set's prefix.
            debate_id: Its debate.
            motion: The debate's motion, as the file has it.
            source: Who or what produced the text, as the file has it.
            text: The text, as the file has it.
            extra: Other columns, as a JSON object.
            columns: What the file calls `item_id`, `motion`, `source` and `text`.
        """
        if item_id in self._speeches:
            reason = f"duplicate id: {item_id} is {self._first_place[item_id]} already"
            self.reject(shown, record, columns["item_id"], reason)
            return False
        known = self._debates.get(debate_id)
        if known is not None and known.motion != motion:
            self.reject(
                shown,
                record,
                columns["motion"],
                f"debate {debate_id} has the motion {known.motion!r} in an earlier record",
            )
            return False
        dataset_id = self._dataset.dataset_id
        try:
            # By name: an error then names the field.
            debate = known or Debate(
                debate_id=debate_id, dataset_id=dataset_id, motion=motion, format=self._format
            )
            speech = Speech(
                item_id=item_id,
                dataset_id=dataset_id,
                debate_id=debate_id,
                source=source,
                text=text,
                extra=extra,
            )
        except ValidationError as error:
            field, reason = first_problem(error)
            self.reject(shown, record, columns.get(field, field), reason)
            return False
        self._debates[debate_id] = debate
        self._speeches[item_id] = speech
        self._first_place[item_id] = record.place
        return True

    def add_debate(
        self, shown: str, record: Record, debate: Debate, turns: Sequence[Speech], *, field: str
    ) -> bool:
        """Add a debate with all its turns, or say why not; True when it was added.

        Args:
            shown: The file.
            record: Where the debate is.
            debate: The debate.
            turns: Its speeches.
            field: What the file calls the debate's id.
        """
        ids = [turn.item_id for turn in turns]
        twice = next((one for one in ids if one in self._speeches or ids.count(one) > 1), None)
        if debate.debate_id in self._debates:
            reason = f"duplicate id: {debate.debate_id} is {self._first_place[ids[0]]} already"
        elif twice is not None:
            reason = f"duplicate turn: {twice} is there twice"
        else:
            self._debates[debate.debate_id] = debate
            for turn in turns:
                self._speeches[turn.item_id] = turn
                self._first_place[turn.item_id] = record.place
            return True
        self.reject(shown, record, field, reason)
        return False

    def has_item(self, item_id: str) -> bool:
        """Say whether an item was added."""
        return item_id in self._speeches

    def add_rating(
        self,
        shown: str,
        record: Record,
        *,
        item_id: str,
        annotator_id: str,
        dimension: str,
        value: Any,
        field: str,
        whole: bool,
    ) -> bool:
        """Add one rating, or say why not; True when it was added.

        Args:
            shown: The file.
            record: Where the rating is.
            item_id: The item, added before.
            annotator_id: Who rated.
            dimension: What was rated.
            value: The score as the file has it.
            field: The column it is in.
            whole: Whether the scale has whole numbers only.
        """
        scale = self._dimensions[dimension]
        broken = field
        try:
            rating = Rating(
                dataset_id=self._dataset.dataset_id,
                item_id=item_id,
                annotator_id=annotator_id,
                dimension=dimension,
                value=value,
            )
        except ValidationError as error:
            broken, reason = first_problem(error)
            broken = field if broken == "value" else broken
        else:
            if not scale.scale_min <= rating.value <= scale.scale_max:
                reason = f"is off the scale {scale.scale_min:g} to {scale.scale_max:g}: {value!r}"
            elif whole and not rating.value.is_integer():
                reason = f"should be a whole number; found {value!r}"
            else:
                self._ratings.append(rating)
                return True
        original = {"item": item_id, "annotator": annotator_id, field: value}
        self.reject(shown, record, broken, reason, original)
        return False

    def has_dimension(self, name: str) -> bool:
        """Say whether a dimension is known."""
        return name in self._dimensions

    def add_dimension(self, dimension: Dimension) -> None:
        """Add a dimension that a file turned out to have."""
        self._dimensions[dimension.dimension] = dimension

    def note(self, sentence: str) -> None:
        """Keep something a user should know about how the source was read."""
        self._notes.append(sentence)

    def build(self) -> Batch:
        """Return everything collected."""
        return Batch(
            dataset=self._dataset,
            dimensions=list(self._dimensions.values()),
            debates=list(self._debates.values()),
            speeches=list(self._speeches.values()),
            ratings=self._ratings,
            rejects=self._rejects,
            files=self._files,
            notes=self._notes,
        )
