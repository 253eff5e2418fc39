"""Sheets of random samples: written for people to fill in, and read back as their labels."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import duckdb
from pydantic import ValidationError

from ingestion.batch import MAX_REJECTED, Reject, Rejects, Rows, original_of
from ingestion.errors import SourceUnreadable
from ingestion.landing import LandedBatch, land
from ingestion.load import load
from ingestion.raw_tables import LoadReport
from ingestion.sampling.drawing import SOURCE
from ingestion.sources.containers import lines_of
from warehouse.home import Home
from warehouse.records.core import first_problem
from warehouse.records.samples import Sample, SampleLabel
from warehouse.waiting import say_nothing

COLUMNS = ("sample", "position", "question", "text", "annotator", "label")
DECLINED = "-"
_HEADER = b"sample,position,question,"
# Labels of debates, as Con's share.
_CON_SHARES = {"con": 1.0, "tie": 0.5, "pro": 0.0}
# Where the data set has no question of its own.
_QUESTIONS = {
    "speeches": "Which score?",
    "debates": "Who won: pro, con or tie?",
    "questions": "Does the answer say that the question is disputed: 1 or 0?",
}
_TEXTS = {
    "speeches": """
select item_id, motion, text
from raw.speeches
inner join raw.debates using (debate_id)
where speeches.dataset_id = $dataset""",
    "debates": """
select debate_id, motion, string_agg(upper(side) || ': ' || text, chr(10) || chr(10)
    order by speech_order, item_id)
from raw.speeches
inner join raw.debates using (debate_id)
where speeches.dataset_id = $dataset and side in ('pro', 'con')
group by debate_id, motion
union all
select distinct debate_id, motion, 'debate ' || substr(debate_id, len(dataset_id) + 2)
from raw.logged_verdicts
where dataset_id = $dataset""",
    "questions": """
select answer_id, any_value(question), any_value(response)
from raw.answers
inner join raw.questions using (question_id)
where answers.dataset_id = $dataset
group by answer_id""",
}


class _Label(NamedTuple):
    """A label of a sheet, by position in the sample: an item's id may tell who wrote it."""

    record: int
    sample_id: str
    position: int
    annotator: str
    value: float | None


@dataclass(frozen=True)
class LabelBatch(LandedBatch):
    """Labels of a filled sheet."""

    filled: Sequence[_Label]
    labels: Sequence[SampleLabel] = ()
    source = SOURCE

    def changes(self) -> Iterable[Rows]:
        """Return the labels."""
        yield Rows("sample_labels", self.labels)

    def checked(self, connection: duckdb.DuckDBPyConnection) -> LabelBatch:
        """Keep labels of items that were drawn, within their scale.

        Raises:
            SourceUnreadable: A sample is closed, or has the labels of its data set.
        """
        samples = {row[0]: row[1:] for row in connection.execute(_SAMPLES).fetchall()}
        items = {row[:2]: row[2] for row in connection.execute(_DRAWN).fetchall()}
        labels, rejects = [], list(self.rejects)
        for record, sample, position, annotator, value in self.filled:
            if sample in samples:
                self._refuse_late(sample, *samples[sample][:2])
            try:
                if (sample, position) not in items:
                    raise ValueError(f"no item {position} was drawn in '{sample}'")
                low, high = samples[sample][2:]
                if value is not None and not low <= value <= high:
                    message = f"label {value:g} is not on the scale from {low:g} to {high:g}"
                    raise ValueError(message)
                labels.append(SampleLabel(sample, items[sample, position], annotator, value))
            except ValueError as error:
                reason = str(error)
                if isinstance(error, ValidationError):
                    reason = ": ".join(first_problem(error))
                fields = _Label(record, sample, position, annotator, value)._asdict()
                original = original_of(fields)
                rejects.append(
                    Reject(self.landed.shown, f"record {record}", None, reason, original)
                )
        return replace(self, labels=labels, rejects=rejects)

    def _refuse_late(self, sample_id: str, labels: str, closed_at: datetime | None) -> None:
        if labels == "people" or closed_at is not None:
            raise SourceUnreadable(
                f"ingestion: {self.landed.shown} has labels for {sample_id}, which "
                f"{'is closed' if closed_at else 'takes the labels of its data set'}: figures may "
                "have been read since, and labels given after that are no random sample; draw "
                "another with rostrum sample --seed"
            )


_SAMPLES = """
select sample_id, labels, closed_at, coalesce(scale_min, 0), coalesce(scale_max, 1)
from raw.samples
left join raw.dimensions using (dataset_id, dimension)"""
_DRAWN = """
select sample_id, position, item_id
from raw.sampled_items
inner join raw.samples using (sample_id)
where position <= size"""


def sheet(connection: duckdb.DuckDBPyConnection, sample: Sample) -> bytes:
    """Return the drawn items as CSV to fill in, in drawn order and without their authors."""
    rows = connection.execute(
        "select position, item_id from raw.sampled_items where sample_id = ? and position <= ? "
        "order by position",
        [sample.sample_id, sample.size],
    ).fetchall()
    texts = {
        item: f"{motion}\n\n{text}"
        for item, motion, text in connection.execute(
            _TEXTS[sample.task], {"dataset": sample.dataset_id}
        ).fetchall()
    }
    scale = connection.execute(
        "select question || ' (' || scale_min || ' to ' || scale_max || ')' from raw.dimensions "
        "where dataset_id = ? and dimension = ?",
        [sample.dataset_id, sample.dimension],
    ).fetchone()
    question = scale[0] if scale else _QUESTIONS[sample.task]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for position, item in rows:
        # A spreadsheet would run what begins like a formula.
        text = texts.get(item, "")
        text = f"'{text}" if text[:1] in "=+-@" else text
        writer.writerow([sample.sample_id, position, question, text, "", ""])
    return out.getvalue().encode()


def is_filled_sheet(path: Path) -> bool:
    """Return whether a file is a sample's sheet, by its first line."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(512).removeprefix(codecs.BOM_UTF8).startswith(_HEADER)


def load_labels(
    home: Home,
    path: Path,
    *,
    max_rejected: float = MAX_REJECTED,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the labels of a filled sheet. Rows without a label are left for later.

    Raises:
        SourceUnreadable: A sample takes no labels any more.
        TooManyRejected: Too large a share of the labels cannot be used.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the people's own")
    labels: list[_Label] = []
    rejects: list[Reject] = Rejects()
    records = 0
    with landed.path.open(encoding="utf-8-sig", newline="") as file:
        for records, row in enumerate(csv.DictReader(lines_of(file, landed.shown)), start=1):
            cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
            if not cells["label"]:
                continue
            try:
                labels.append(_label(records, cells))
            except ValueError as error:
                original = original_of(row | {"text": None})
                rejects.append(
                    Reject(landed.shown, f"record {records}", None, str(error), original)
                )
    count = len(labels) + len(rejects)
    notes = [f"read as labels of a random sample: {count:,} given, {records - count:,} left empty"]
    batch = LabelBatch(landed, [landed.source_file(records)], labels, rejects=rejects, notes=notes)
    return load(home, batch, max_rejected=max_rejected, notify=notify)


def _label(record: int, cells: Mapping[str, str]) -> _Label:
    position, label = cells["position"], cells["label"].lower()
    if not position.isdecimal():
        raise ValueError(f"position '{position[:40]}' should be a whole number")
    value = None
    if label != DECLINED:
        try:
            value = _CON_SHARES[label] if label in _CON_SHARES else float(label)
        except ValueError:
            raise ValueError(
                f"label '{label[:40]}' should be a number, pro, con or tie, or '{DECLINED}' for a "
                "person who declined"
            ) from None
    return _Label(record, cells["sample"], int(position), cells["annotator"], value)
