"""Source `speeches-ibm`: the hub data set ibm-research/debate_speeches, three questions a speech.

Its score columns are text, and whether they hold every person's score or a mean is not documented.
Lists become ratings; no ids come with them, so each list position is a person of that one speech,
never the same person as in another speech: agreement between people cannot be computed from it.
Means are kept in `extra`: a mean is no rating. Anything else is rejected, saying what was found.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from ingestion.dataset_batch import DatasetBatch
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record
from ingestion.sources.csv_cells import extra_of, id_of, id_text, list_cell, shown
from ingestion.speeches.builder import SpeechBuilder
from ingestion.speeches.readers.speeches import DEBATE_FORMAT, NO_ID, QUESTION
from ingestion.speeches.sources.speeches_ibm import LICENCE
from warehouse.records.core import Dataset
from warehouse.records.speeches import Dimension

DATASET = Dataset(
    dataset_id="speeches-ibm",
    title="Debate speeches of IBM's Project Debater, three questions each",
    licence=LICENCE,
    citation="Slonim et al.: An autonomous debating system, Nature 591 (2021)",
    url="https://huggingface.co/datasets/ibm-research/debate_speeches",
)
_QUESTIONS = {
    "goodopeningspeech": QUESTION,
    "mostargumentssupport": "Do most arguments of this speech support the motion?",
    "interestingspeaker": "Is the speaker of this speech interesting to listen to?",
}
DIMENSIONS = tuple(
    Dimension(
        dataset_id=DATASET.dataset_id, dimension=name, question=question, scale_min=1, scale_max=5
    )
    for name, question in _QUESTIONS.items()
)
_REQUIRED = ("topic_id", "topic", "source", "text", *_QUESTIONS)
_KNOWN = ("topic_id", "topic", "source", "text", "#labelers", *_QUESTIONS)


def parse_speeches_ibm(landed: Landed) -> DatasetBatch:
    """Read the hub's file of opening speeches."""
    dataset_id, reading = DATASET.dataset_id, Reading(landed.shown)
    builder = SpeechBuilder(reading, dataset_id, DEBATE_FORMAT, DIMENSIONS)
    mean_counts = dict.fromkeys(_QUESTIONS, 0)

    def rows(record: Record) -> Iterator[Any]:
        fields = record.fields
        topic_id = id_of(fields, "topic_id", NO_ID)
        means, lists = _means_and_lists(fields)
        # There is no id column, so a speech is known by its topic, source and text.
        identity = "|".join((topic_id, str(fields.get("source")), str(fields.get("text"))))
        short = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        item_id = f"{dataset_id}:{short}"
        extra = json.loads(extra_of(fields, _KNOWN) or "{}")
        extra |= {f"mean_{dimension}": mean for dimension, mean in means.items()}
        if means and (stated := id_text(fields.get("#labelers"))) is not None:
            extra["labelers"] = stated
        yield from builder.speech_rows(
            record,
            {"item_id": "text", "debate_id": "topic_id", "motion": "topic"},
            item_id=item_id,
            debate_id=f"{dataset_id}:topic-{topic_id}",
            motion=fields.get("topic"),
            source=fields.get("source"),
            text=fields.get("text"),
            extra=json.dumps(extra, ensure_ascii=False, sort_keys=True) if extra else None,
        )
        for dimension, scores in lists.items():
            raters = (f"{item_id}-rater-{number}" for number in range(1, len(scores) + 1))
            yield from builder.rating_rows(
                record, item_id, dimension, zip(raters, scores, strict=True), field=dimension
            )
        for dimension in means:
            mean_counts[dimension] += 1

    def notes() -> Iterator[Any]:
        for dimension, count in mean_counts.items():
            if count:
                reading.note(
                    f"{count} speeches have one number in '{dimension}' instead of a list of "
                    "scores: taken for a mean, kept with the speech in `extra`, and not counted as "
                    "a rating"
                )
        yield from ()

    batch = DatasetBatch.of_file(
        DATASET, landed, reading, rows, required=_REQUIRED, first=DIMENSIONS, replaces=False
    )
    return replace(batch, records=chain(batch.records, notes()))


def _means_and_lists(fields: dict[str, Any]) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Return the mean, or else the list of scores, in the column of each question."""
    scale = DIMENSIONS[0]
    means: dict[str, float] = {}
    lists: dict[str, list[Any]] = {}
    for dimension in _QUESTIONS:
        try:
            lists[dimension] = list_cell(fields, dimension)
        except BrokenRecord:
            cell = fields.get(dimension)
            try:
                mean = float(cell) if isinstance(cell, str | int | float) else math.nan
            except ValueError:
                mean = math.nan
            if isinstance(cell, bool) or not scale.scale_min <= mean <= scale.scale_max:
                reason = (
                    f"should hold a list of scores, or a mean between {scale.scale_min:g} and "
                    f"{scale.scale_max:g}; found {shown(cell)}"
                )
                raise BrokenRecord(dimension, reason) from None
            means[dimension] = mean
    stated = id_text(fields.get("#labelers"))
    for dimension, scores in lists.items():
        if stated is not None and stated != str(len(scores)):
            reason = f"says {stated} where {dimension} has {len(scores)} scores"
            raise BrokenRecord("#labelers", reason)
    return means, lists
