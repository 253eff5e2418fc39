"""One load of a data set of speeches that people score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import duckdb

from ingestion.batch import Counts, Loadable, Rows, SourceFile, Step
from ingestion.errors import BadStudy
from ingestion.policies import check_policy
from ingestion.raw_tables import change_rows
from ingestion.speeches.motions import (
    HASHED_SPEECHES,
    ITEM_HASH,
    known_debates,
    move_provisional,
)
from warehouse.records.core import Dataset, Debate, Speech
from warehouse.records.speeches import Dimension, Rating


@dataclass(frozen=True)
class Batch(Loadable):
    """One load of one data set. Rows that are there and not in the batch stay.

    Attributes:
        dimensions: What people were asked.
        debates: Its debates, each id once.
        speeches: Its items, each id once.
        ratings: Its ratings, each (item, annotator, dimension) once.
        files: Where the records come from; ratings come from the last one.
    """

    dataset: Dataset
    dimensions: Sequence[Dimension]
    debates: Sequence[Debate]
    speeches: Sequence[Speech]
    ratings: Sequence[Rating]
    files: Sequence[SourceFile] = ()

    def checked(self, connection: duckdb.DuckDBPyConnection) -> Batch:
        """Let speeches that name only a motion join the debate already loaded for it.

        Raises:
            BadStudy: People had other instructions for the labels that are there, or another scale
                for ratings that stay.
        """
        check_policy(connection, self.dataset)
        self._check_scales(connection)
        known = known_debates(connection, self.dataset.dataset_id, self.debates)
        if not known:
            return self
        return replace(
            self,
            debates=[debate for debate in self.debates if debate.debate_id not in known],
            speeches=[
                replace(speech, debate_id=known.get(speech.debate_id, speech.debate_id))
                for speech in self.speeches
            ],
        )

    def _check_scales(self, connection: duckdb.DuckDBPyConnection) -> None:
        given = {(each.item_id, each.annotator_id, each.dimension) for each in self.ratings}
        for scale in self.dimensions:
            beyond = connection.execute(
                "select item_id, annotator_id, dimension, value from raw.human_ratings "
                "where dataset_id = ? and dimension = ? and (value < ? or value > ?) order by all",
                [scale.dataset_id, scale.dimension, scale.scale_min, scale.scale_max],
            ).fetchall()
            staying = [row for row in beyond if row[:3] not in given]
            if staying:
                item, annotator, _, value = staying[0]
                raise BadStudy(
                    f"study: of the ratings that are there and not in this load {len(staying)} are "
                    f"off the scale {scale.scale_min:g} to {scale.scale_max:g}, such as "
                    f"{value:g} of {item} by {annotator}; load these under another --name, or "
                    "all ratings again with this scale"
                )

    def changes(self) -> Iterable[Rows | Step]:
        """Return debates and speeches, with the hashes that depend on them, then the ratings."""
        yield Rows("datasets", [self.dataset])
        yield Rows("dimensions", self.dimensions)
        yield Rows("debates", self.debates)
        yield Step("speeches", partial(move_provisional, self.debates))
        yield Rows("speeches", self.speeches, staging=HASHED_SPEECHES)
        yield Step("speeches", self._rehash)
        yield Rows("human_ratings", self.ratings, self.files[-1].label)

    def _rehash(
        self, connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime
    ) -> Counts:
        """Renew the hash of items that are not in the batch and whose motion is."""
        item_hash = ITEM_HASH.format(motion="debates.motion", text="present.text")
        changed = change_rows(
            connection,
            "speeches",
            {"item_hash": item_hash},
            "inner join raw.debates as debates on present.debate_id = debates.debate_id "
            f"where present.dataset_id = ? and present.item_hash <> {item_hash}",
            self.dataset.dataset_id,
            source_file=source_file,
            now=now,
        )
        return Counts(updated=changed)
