"""Random samples of items for people to label: drawn once, recorded whole, labels in drawn order.

The whole frame is put in random order and kept; the sample is its first items. In that order labels
are handed out, so a sample that is closed early is still a random sample, as long as nobody closes
it for what the labels say: no estimate is made before.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
from pydantic import TypeAdapter, ValidationError

from ingestion.batch import MAX_REJECTED, LandedBatch, Reject, Rows, original_of
from ingestion.errors import SourceUnreadable
from ingestion.landing import land
from ingestion.load import load
from ingestion.raw_tables import LoadReport, say_nothing
from ingestion.times import utc_time
from warehouse.home import Home
from warehouse.records.core import first_problem
from warehouse.records.samples import Sample, SampledItem, SampleLabel
from warehouse.writer import WAIT_S

SOURCE = "samples"
KIND = "random_sample"
WINNER, AWARENESS = "winner", "dispute_awareness"
COLUMNS = ("sample", "position", "question", "text", "annotator", "label")
DECLINED = "-"
_LOOKED_AT = 512
_SAMPLE = TypeAdapter(Sample)
# What people say of a debate, as Con's share of it.
_CON_SHARES = {"con": 1.0, "tie": 0.5, "pro": 0.0}
# Where the data set has no question of its own.
_QUESTIONS = {
    "speeches": "Which score?",
    "debates": "Who won: pro, con or tie?",
    "questions": "Does the answer say that the question is disputed: 1 or 0?",
}
_FRAMES = {
    "speeches": """
select item_id, source
from raw.speeches
where dataset_id = $dataset and side is null and speech_order is null
    and (len($sources) = 0 or list_contains($sources, source))
order by item_id""",
    "debates": """
select debate_id as item_id, coalesce(category, 'none') as category
from raw.debates
where dataset_id = $dataset and format <> 'british_parliamentary' and format not like 'story-%'
    and debate_id not in (select debate_id from raw.debate_filters where is_removed)
    and debate_id in (select debate_id from raw.speeches where side = 'pro')
    and debate_id in (select debate_id from raw.speeches where side = 'con')
    and len($sources) = 0
union all
select distinct debate_id, least(pro_debater, con_debater) || ' against '
    || greatest(pro_debater, con_debater)
from raw.logged_verdicts
where dataset_id = $dataset and (
    len($sources) = 0
    or list_contains($sources, pro_debater) and list_contains($sources, con_debater)
)
order by item_id""",
    "questions": """
select distinct answer_id as item_id, judge_id
from raw.answers
where dataset_id = $dataset and request_status = 'answered' and trim(coalesce(response, '')) <> ''
    and (len($sources) = 0 or list_contains($sources, judge_id))
order by item_id""",
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


@dataclass(frozen=True)
class SampleBatch(LandedBatch):
    """A sample that is drawn, or closed."""

    found: Sample
    items: Sequence[SampledItem]
    kind = "dataset"
    source = SOURCE

    @property
    def task(self) -> str:
        """What other writers are told to wait for."""
        return f"sample {self.found.dataset_id}"

    def checked(self, connection: duckdb.DuckDBPyConnection) -> SampleBatch:
        """Draw the sample, unless it is drawn: then only its end can change.

        Raises:
            SourceUnreadable: The frame is not there, or too small.
        """
        row = connection.execute(
            "select drawn_at, closed_at from raw.samples where sample_id = ?",
            [self.found.sample_id],
        ).fetchone()
        if row is not None:
            found = replace(self.found, drawn_at=row[0], closed_at=row[1] or self.found.closed_at)
            return replace(self, found=found)
        if self.found.closed_at is not None:
            raise _unreadable(self.landed.shown, f"there is no sample {self.found.sample_id}")
        frame = frame_of(connection, self.found)
        if len(frame) < self.found.size:
            raise SourceUnreadable(
                f"sample: {self.found.size} items are to be drawn of {self.found.dataset_id}, and "
                f"there are {len(frame)} to draw from; draw fewer with --size, or load the data "
                "set first"
            )
        return replace(self, items=drawn(self.found, frame))

    def changes(self) -> Iterable[Rows]:
        """Return the sample, and its frame in drawn order."""
        yield Rows("samples", [self.found])
        yield Rows("sampled_items", self.items)


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


def sample_id_of(**settings: Any) -> str:
    """Return what a sample is called: by its data set and all that decides what is drawn."""
    told = json.dumps(settings, sort_keys=True, default=list)
    return f"{settings['dataset_id']}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def frame_of(connection: duckdb.DuckDBPyConnection, sample: Sample) -> list[tuple[str, str]]:
    """Return the items that a sample is drawn from, in the order of their ids, with the stratum."""
    rows = connection.execute(
        _FRAMES[sample.task], {"dataset": sample.dataset_id, "sources": list(sample.sources)}
    ).fetchall()
    return [(item, str(stratum) if sample.strata else "all") for item, stratum in rows]


def drawn(sample: Sample, frame: Sequence[tuple[str, str]]) -> list[SampledItem]:
    """Return a frame in random order, by the sample's seed.

    Each stratum is shuffled by itself and then dealt in proportion, so that any number of first
    items has close to its share of every stratum, and is a simple random sample within each.
    """
    generator = np.random.default_rng(sample.seed)
    strata: dict[str, list[str]] = {}
    for item, stratum in frame:
        strata.setdefault(stratum, []).append(item)
    dealt = []
    for stratum, items in sorted(strata.items()):
        start = generator.random()
        places = generator.permutation(len(items))
        dealt += [
            ((place + start) / len(items), stratum, one)
            for place, one in zip(places, items, strict=True)
        ]
    return [
        SampledItem(sample.sample_id, item, at, stratum)
        for at, (_, stratum, item) in enumerate(sorted(dealt), start=1)
    ]


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


def is_sample(path: Path) -> bool:
    """Return whether a file says that a sample is to be drawn or closed."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return f'"{KIND}"'.encode() in file.read(_LOOKED_AT)


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


def load_sample(
    home: Home,
    path: Path,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Draw or close a sample; a second time changes nothing.

    Raises:
        SourceUnreadable: It is none, or cannot be drawn.
        NoSpace: The disk is full.
    """
    landed = land(
        home, path, source=SOURCE, licence="the project's own", origin=str(path.resolve())
    )
    found = read_sample(landed.path.read_bytes(), landed.shown)
    does = "closed" if found.closed_at else "drawn"
    batch = SampleBatch(landed, [landed.source_file(1)], [f"{found.sample_id} {does}"], found, ())
    return load(home, batch, wait_s=wait_s, notify=notify)


def read_sample(content: bytes, shown: str) -> Sample:
    """Return the sample that a file asks for.

    Raises:
        SourceUnreadable: It asks for none.
    """
    try:
        told = json.loads(content)
        kind, version = told.pop("kind"), told.pop("schema_version")
        if (kind, version) != (KIND, 1):
            raise _unreadable(shown, f"it is {kind} in version {version}")
        for name in ("drawn_at", "closed_at"):
            told[name] = utc_time(told[name]) if told.get(name) else None
        return _SAMPLE.validate_python(told)
    except ValidationError as error:
        field, reason = first_problem(error)
        raise _unreadable(shown, f"field '{field}': {reason}") from None
    except KeyError as error:
        raise _unreadable(shown, f"field {error} is missing") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise _unreadable(shown, str(error)) from None


def load_labels(
    home: Home,
    path: Path,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the labels of a filled sheet. Rows without a label are left for later.

    Raises:
        SourceUnreadable: A sample takes no labels any more.
        TooManyRejected: Too large a share of the labels cannot be used.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the people's own", origin=str(path.resolve()))
    given: list[Given] = []
    rejects: list[Reject] = []
    records = 0
    with landed.path.open(encoding="utf-8-sig", newline="") as file:
        for records, row in enumerate(csv.DictReader(file), start=1):
            try:
                given += _given(records, row)
            except ValueError as error:
                original = original_of(row | {"text": None})
                rejects.append(
                    Reject(landed.shown, f"record {records}", None, str(error), original)
                )
    said = len(given) + len(rejects)
    notes = [f"read as labels of a random sample: {said:,} given, {records - said:,} left empty"]
    batch = LabelBatch(landed, [landed.source_file(records)], notes, given, rejects=rejects)
    return load(home, batch, max_rejected=max_rejected, wait_s=wait_s, notify=notify)


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


def _unreadable(shown: str, reason: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {shown} is no random sample that can be drawn: {reason[:500]}; 'rostrum "
        "sample' writes such a file"
    )
