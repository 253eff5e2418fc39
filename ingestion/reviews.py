"""Decisions of people about disagreements of a judge, from files that the dashboard writes.

Each decision is a row of `raw.reviews`. A person's latest about a disagreement counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb
from pydantic import TypeAdapter

from ingestion.batch import Rows
from ingestion.documents import Document
from ingestion.errors import SourceUnreadable
from ingestion.landing import LandedBatch, land
from ingestion.load import load
from ingestion.raw_tables import LoadReport
from warehouse.home import Home
from warehouse.records.core import Review
from warehouse.waiting import say_nothing

SOURCE = "reviews"
DOCUMENT = Document(
    "disagreement_review",
    "is no review of a disagreement",
    "it should be a JSON object with kind, schema_version, at and the columns of raw.reviews, as "
    "the page Review writes it",
)
_ADAPTER = TypeAdapter(Review)
_UNITS = {
    "speech": ("speeches", "item_id"),
    "debate": ("debates", "debate_id"),
    "answer": ("answers", "answer_id"),
    "parliamentary": ("debates", "debate_id"),
    "transcript": ("oversight_transcripts", "transcript_id"),
}


@dataclass(frozen=True)
class ReviewBatch(LandedBatch):
    """One person's decision about one disagreement."""

    review: Review
    source = SOURCE

    def checked(self, connection: duckdb.DuckDBPyConnection) -> ReviewBatch:
        """Refuse a decision about a judge or an item that is not loaded."""
        review = self.review
        table, key = _UNITS[review.unit_kind]
        unit = f"select 1 from raw.{table} where {key} = ? and dataset_id = ?"
        judge = "select 1 from raw.judges where judge_id = ?"
        for sql, values, name in (
            (unit, [review.unit_id, review.dataset_id], review.unit_id),
            (judge, [review.judge_id], f"judge {review.judge_id}"),
        ):
            if connection.execute(sql, values).fetchone() is None:
                raise SourceUnreadable(
                    f"ingestion: {self.landed.shown} reviews {name}, which is not loaded; load "
                    "its data set and answers first, then import the file again"
                )
        return self

    def changes(self) -> Iterable[Rows]:
        """Return the decision."""
        yield Rows("reviews", [self.review])


def read_review(content: bytes, shown: str) -> Review:
    """Return the decision in a file.

    Raises:
        SourceUnreadable: It has none.
    """
    return DOCUMENT.record(content, shown, _ADAPTER, {"at": "decided_at"})


def load_review(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load a person's decision about a disagreement; a second time changes nothing.

    Raises:
        SourceUnreadable: It is no decision, or about something that is not loaded.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the person's own")
    review = read_review(landed.document(), landed.shown)
    notes = [f"read as what {review.person} decided about {review.judge_id} on {review.unit_id}"]
    batch = ReviewBatch(landed, [landed.source_file(1)], review, notes=notes)
    return load(home, batch, notify=notify)
