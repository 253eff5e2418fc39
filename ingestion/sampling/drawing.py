"""Random samples of items for people to label: drawn once, and recorded whole.

The whole frame is kept in random order; the sample is its first items. Labels are handed out in
that order, so a sample that is closed early is still a random sample, provided that its labels are
not the reason: no estimate is made before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from pydantic import TypeAdapter

from ingestion.batch import Rows
from ingestion.documents import Document
from ingestion.errors import SourceUnreadable
from ingestion.landing import LandedBatch, land
from ingestion.load import load
from ingestion.raw_tables import LoadReport
from warehouse.files import sha256_bytes
from warehouse.home import Home
from warehouse.records.samples import Sample, SampledItem
from warehouse.waiting import say_nothing

SOURCE = "samples"
KIND = "random_sample"
WINNER, AWARENESS = "winner", "dispute_awareness"
DOCUMENT = Document(
    KIND,
    "is no random sample that can be drawn",
    "'rostrum sample' writes such a file",
)
_SAMPLE = TypeAdapter(Sample)
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

_SOURCES = {
    "speeches": """
select distinct source
from raw.speeches
where dataset_id = $1 and side is null and speech_order is null and source is not null
order by 1""",
    "debates": """
select pro_debater from raw.logged_verdicts where dataset_id = $1
union
select con_debater from raw.logged_verdicts where dataset_id = $1
order by 1""",
    "questions": "select distinct judge_id from raw.answers where dataset_id = $1 order by 1",
}


@dataclass(frozen=True)
class SampleBatch(LandedBatch):
    """A sample to draw, or to close."""

    sample: Sample
    items: Sequence[SampledItem] = ()
    kind = "dataset"
    source = SOURCE

    @property
    def task(self) -> str:
        """This writer's work, for the message of those who wait."""
        return f"sample {self.sample.dataset_id}"

    def checked(self, connection: duckdb.DuckDBPyConnection) -> SampleBatch:
        """Draw the sample; of one that was drawn only the end can change.

        Raises:
            SourceUnreadable: The frame is missing or too small, or a source is unknown.
        """
        sample = self.sample
        row = connection.execute(
            "select drawn_at, closed_at from raw.samples where sample_id = ?", [sample.sample_id]
        ).fetchone()
        if row is not None:
            dates = {"drawn_at": row[0], "closed_at": row[1] or sample.closed_at}
            return replace(self, sample=replace(sample, **dates))
        if sample.closed_at is not None:
            reason = f"there is no sample {sample.sample_id}"
            raise DOCUMENT.refused(self.landed.shown, reason)
        _check_sources(connection, sample)
        frame = frame_of(connection, sample)
        if len(frame) < sample.size:
            raise SourceUnreadable(
                f"sample: {sample.size} items are to be drawn of {sample.dataset_id}, and "
                f"there are {len(frame)} to draw from; draw fewer with --size, or load the data "
                "set first"
            )
        return replace(self, items=drawn(sample, frame))

    def changes(self) -> Iterable[Rows]:
        """Return the sample, and its frame in drawn order."""
        yield Rows("samples", [self.sample])
        yield Rows("sampled_items", self.items)


def sample_id_of(**settings: Any) -> str:
    """Return a sample's id: its data set and a hash of everything that decides the draw."""
    text = json.dumps(settings, sort_keys=True, default=list)
    return f"{settings['dataset_id']}-{sha256_bytes(text.encode())[:8]}"


def frame_of(connection: duckdb.DuckDBPyConnection, sample: Sample) -> list[tuple[str, str]]:
    """Return the items that a sample is drawn from with their strata, ordered by id."""
    rows = connection.execute(
        _FRAMES[sample.task], {"dataset": sample.dataset_id, "sources": list(sample.sources)}
    ).fetchall()
    return [(item, str(stratum) if sample.strata else "all") for item, stratum in rows]


def _check_sources(connection: duckdb.DuckDBPyConnection, sample: Sample) -> None:
    """Refuse sources that the data set lacks, and a single one of a log of debates."""
    if not sample.sources:
        return
    rows = connection.execute(_SOURCES[sample.task], [sample.dataset_id]).fetchall()
    loaded = [str(source) for (source,) in rows]
    there = f"there are {', '.join(loaded)}" if loaded else "it has none: leave out --source"
    if unknown := [source for source in sample.sources if source not in loaded]:
        raise SourceUnreadable(f"sample: {sample.dataset_id} has no source '{unknown[0]}'; {there}")
    if sample.task == "debates" and len(sample.sources) == 1:
        raise SourceUnreadable(
            f"sample: a debate of a log is between two sources, and --source names only "
            f"'{sample.sources[0]}'; name another with a second --source; {there}"
        )


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
            ((place + start) / len(items), stratum, item)
            for place, item in zip(places, items, strict=True)
        ]
    return [
        SampledItem(sample.sample_id, item, position, stratum)
        for position, (_, stratum, item) in enumerate(sorted(dealt), start=1)
    ]


def load_sample(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Draw or close the sample of a file; a second time changes nothing.

    Raises:
        SourceUnreadable: It is no sample, or cannot be drawn.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the project's own")
    sample = read_sample(landed.document(), landed.shown)
    notes = [f"{sample.sample_id} {'closed' if sample.closed_at else 'drawn'}"]
    batch = SampleBatch(landed, [landed.source_file(1)], sample, notes=notes)
    return load(home, batch, notify=notify)


def read_sample(content: bytes, shown: str) -> Sample:
    """Return the sample in a file.

    Raises:
        SourceUnreadable: It has none.
    """
    times = {name: name for name in ("drawn_at", "closed_at")}
    return DOCUMENT.record(content, shown, _SAMPLE, times)
