"""What a person decided about a disagreement of a judge, from the file that the dashboard writes.

Each decision is a row of `raw.reviews`. A later one of the same person about the same disagreement
is a row of its own, and the one that counts.
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
from ingestion.times import utc_time
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
_TABLE_OF = {
    "speech": ("speeches", "item_id"),
    "debate": ("debates", "debate_id"),
    "answer": ("answers", "answer_id"),
    "parliamentary": ("debates", "debate_id"),
    "transcript": ("oversight_transcripts", "transcript_id"),
}


@dataclass(frozen=True)
class ReviewBatch(LandedBatch):
    """What one person decided about one disagreement."""

    found: Review
    source = SOURCE

    def checked(self, connection: duckdb.DuckDBPyConnection) -> ReviewBatch:
        """Make sure that what it is about is loaded.

        Raises:
            SourceUnreadable: What was judged, or the judge, is not.
        """
        found = self.found
        table, key = _TABLE_OF[found.unit_kind]
        unit = connection.execute(
            f"select 1 from raw.{table} where {key} = ? and dataset_id = ?",
            [found.unit_id, found.dataset_id],
        ).fetchone()
        judge = connection.execute(
            "select 1 from raw.judges where judge_id = ?", [found.judge_id]
        ).fetchone()
        for is_there, what in ((unit, found.unit_id), (judge, f"judge {found.judge_id}")):
            if is_there is None:
                raise SourceUnreadable(
                    f"ingestion: {self.landed.shown} reviews {what}, which is not loaded; load "
                    "its data set and answers first, then import the file again"
                )
        return self

    def changes(self) -> Iterable[Rows]:
        """Return the decision."""
        yield Rows("reviews", [self.found])


def read_review(content: bytes, shown: str) -> Review:
    """Return the decision in a file.

    Raises:
        SourceUnreadable: It is none.
    """
    with DOCUMENT.reading(shown):
        told = DOCUMENT.told(content, shown)
        told["decided_at"] = utc_time(told.pop("at"))
        return _ADAPTER.validate_python(told)


def load_review(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load what a person decided about a disagreement; a second time changes nothing.

    Raises:
        SourceUnreadable: It is no decision, or about something that is not loaded.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the person's own")
    found = read_review(landed.document(), landed.shown)
    notes = [f"read as what {found.person} decided about {found.judge_id} on {found.unit_id}"]
    batch = ReviewBatch(landed, [landed.source_file(1)], found, notes=notes)
    return load(home, batch, notify=notify)
