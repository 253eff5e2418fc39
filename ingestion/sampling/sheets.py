"""The sheet of a random sample: written for people to fill in, and read back as their labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_LOOKED_AT = 512
# What people say of a debate, as Con's share of it.
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


class Given(NamedTuple):
    """A label of a sheet: by place in the sample, since an item's id may say who wrote it."""

    record: int
    sample_id: str
    position: int
    annotator: str
    value: float | None


@dataclass(frozen=True)
class LabelBatch(LandedBatch):
    """The labels of a filled sheet."""

    given: Sequence[Given]
    labels: Sequence[SampleLabel] = ()
    source = SOURCE

    def changes(self) -> Iterable[Rows]:
        """Return the labels."""
        yield Rows("sample_labels", self.labels)

    def checked(self, connection: duckdb.DuckDBPyConnection) -> LabelBatch:
        """Keep labels of items that were drawn, on the scale they were asked on.

        Raises:
            SourceUnreadable: A sample is closed, or its labels come from elsewhere.
        """
        samples = {row[0]: row[1:] for row in connection.execute(_SAMPLES).fetchall()}
        drawn_items = {row[:2]: row[2] for row in connection.execute(_DRAWN).fetchall()}
        kept, rejects = [], list(self.rejects)
        for one in self.given:
            if one.sample_id in samples:
                self._refuse_late(one.sample_id, *samples[one.sample_id][:2])
            try:
                item = drawn_items.get((one.sample_id, one.position))
                if item is None:
                    raise ValueError(f"no item {one.position} was drawn in '{one.sample_id}'")
                low, high = samples[one.sample_id][2:]
                if one.value is not None and not low <= one.value <= high:
                    raise ValueError(
                        f"label {one.value:g} is not on the scale from {low:g} to {high:g}"
                    )
                kept.append(SampleLabel(one.sample_id, item, one.annotator, one.value))
            except ValidationError as error:
                rejects.append(self._rejected(one, ": ".join(first_problem(error))))
            except ValueError as error:
                rejects.append(self._rejected(one, str(error)))
        return replace(self, labels=kept, rejects=rejects)

    def _rejected(self, one: Given, reason: str) -> Reject:
        original = original_of(one._asdict())
        return Reject(self.landed.shown, f"record {one.record}", None, reason, original)

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
    """Return the drawn items as CSV to fill in, in drawn order and without who wrote them."""
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
    asked = connection.execute(
        "select question || ' (' || scale_min || ' to ' || scale_max || ')' from raw.dimensions "
        "where dataset_id = ? and dimension = ?",
        [sample.dataset_id, sample.dimension],
    ).fetchone()
    question = asked[0] if asked else _QUESTIONS[sample.task]
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
        return (
            file.read(_LOOKED_AT)
            .removeprefix(b"\xef\xbb\xbf")
            .startswith(b"sample,position,question,")
        )


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
    given: list[Given] = []
    rejects: list[Reject] = Rejects()
    records = 0
    with landed.path.open(encoding="utf-8-sig", newline="") as file:
        for records, row in enumerate(csv.DictReader(lines_of(file, landed.shown)), start=1):
            try:
                given += _given(records, row)
            except ValueError as error:
                original = original_of(row | {"text": None})
                rejects.append(
                    Reject(landed.shown, f"record {records}", None, str(error), original)
                )
    said = len(given) + len(rejects)
    notes = [f"read as labels of a random sample: {said:,} given, {records - said:,} left empty"]
    files = [landed.source_file(records)]
    batch = LabelBatch(landed, files, given, rejects=rejects, notes=notes)
    return load(home, batch, max_rejected=max_rejected, notify=notify)


def _given(record: int, row: Mapping[str, str | None]) -> Iterator[Given]:
    cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
    said = cells["label"].lower()
    if not said:
        return
    if not cells["position"].isdecimal():
        raise ValueError(f"position '{cells['position'][:40]}' should be a whole number")
    try:
        value = None if said == DECLINED else _CON_SHARES.get(said)
        if value is None and said != DECLINED:
            value = float(said)
    except ValueError:
        raise ValueError(
            f"label '{said[:40]}' should be a number, pro, con or tie, or '{DECLINED}' for a "
            "person who declined"
        ) from None
    yield Given(record, cells["sample"], int(cells["position"]), cells["annotator"], value)
