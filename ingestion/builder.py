"""Making a batch record by record, with the checks that every source of speeches needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ingestion.batch import Reject, Rejects, SourceFile, original_of
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord
from ingestion.records import Record
from ingestion.speeches.batch import Batch
from warehouse.records.core import Dataset, Debate, Speech, first_problem
from warehouse.records.speeches import Dimension, Rating


class BatchBuilder:
    """Collects what is valid and what is not; `build` hands both over.

    Attributes:
        dimensions: What was rated, by name; a file may turn out to have more.
        speeches: The items added so far, by id.
    """

    def __init__(self, dataset: Dataset, dimensions: Sequence[Dimension], debate_format: str):
        self._dataset = dataset
        self.dimensions = {dimension.dimension: dimension for dimension in dimensions}
        self._format = debate_format
        self._debates: dict[str, Debate] = {}
        self.speeches: dict[str, Speech] = {}
        self._first_place: dict[str, str] = {}
        self._ratings: list[Rating] = []
        self._rejects: list[Reject] = Rejects()
        self._files: list[SourceFile] = []
        self._notes: list[str] = []

    def read(
        self, landed: Landed, rows: Iterable[Record | Reject], add: Callable[[Record], object]
    ) -> None:
        """Add a file's good rows, keep its bad ones, and count both.

        Args:
            add: Adds what a record holds, or raises `BrokenRecord` where it breaks the contract.
        """
        count = 0
        for row in rows:
            if isinstance(row, Reject):
                count += row.weight
                self._rejects.append(row)
                continue
            count += 1
            self._shown, self._record = landed.shown, row
            try:
                add(row)
            except BrokenRecord as broken:
                self.reject(broken.field, broken.reason)
        self._files.append(landed.source_file(count))

    def reject(self, field: str | None, reason: str, original: Any = None) -> None:
        """Quarantine the record that is read, or the part of it that `original` holds."""
        kept = original_of(self._record.fields if original is None else original)
        self._rejects.append(Reject(self._shown, self._record.place, field, reason, kept))

    def add_speech(
        self,
        *,
        item_id: str,
        debate_id: str,
        motion: Any,
        source: Any,
        text: Any,
        extra: str | None,
        columns: Mapping[str, str],
    ) -> None:
        """Add an item and its debate.

        Args:
            item_id: Its id, with the data set's prefix.
            motion: The debate's motion, as the file has it.
            source: Who or what produced the text, as the file has it.
            text: The text, as the file has it.
            extra: Other columns, as a JSON object.
            columns: What the file calls `item_id`, `motion`, `source` and `text`.

        Raises:
            BrokenRecord: It is there already, or breaks the contract.
        """
        if item_id in self.speeches:
            reason = f"duplicate id: {item_id} is {self._first_place[item_id]} already"
            raise BrokenRecord(columns["item_id"], reason)
        known = self._debates.get(debate_id)
        if known is not None and known.motion != motion:
            reason = f"debate {debate_id} has the motion {known.motion!r} in an earlier record"
            raise BrokenRecord(columns["motion"], reason)
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
            raise BrokenRecord(columns.get(field, field), reason) from None
        self._debates[debate_id] = debate
        self.speeches[item_id] = speech
        self._first_place[item_id] = self._record.place

    def add_debate(self, debate: Debate, turns: Sequence[Speech], *, field: str) -> None:
        """Add a debate with all its turns.

        Args:
            turns: Its speeches.
            field: What the file calls the debate's id.

        Raises:
            BrokenRecord: It, or one of its turns, is there already.
        """
        ids = [turn.item_id for turn in turns]
        twice = next((one for one in ids if one in self.speeches or ids.count(one) > 1), None)
        if debate.debate_id in self._debates:
            reason = f"duplicate id: {debate.debate_id} is {self._first_place[ids[0]]} already"
            raise BrokenRecord(field, reason)
        if twice is not None:
            raise BrokenRecord(field, f"duplicate turn: {twice} is there twice")
        self._debates[debate.debate_id] = debate
        for turn in turns:
            self.speeches[turn.item_id] = turn
            self._first_place[turn.item_id] = self._record.place

    def add_rating(
        self,
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
            item_id: The item, added before.
            annotator_id: Who rated.
            dimension: What was rated.
            value: The score as the file has it.
            field: The column it is in.
            whole: Whether the scale has whole numbers only.
        """
        scale = self.dimensions[dimension]
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
        self.reject(broken, reason, original)
        return False

    def note(self, sentence: str) -> None:
        """Keep something a user should know about how the source was read."""
        self._notes.append(sentence)

    def build(self) -> Batch:
        """Return everything collected."""
        return Batch(
            dataset=self._dataset,
            dimensions=list(self.dimensions.values()),
            debates=list(self._debates.values()),
            speeches=list(self.speeches.values()),
            ratings=self._ratings,
            rejects=self._rejects,
            files=self._files,
            notes=self._notes,
        )
