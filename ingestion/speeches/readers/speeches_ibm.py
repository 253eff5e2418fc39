"""Source `speeches-ibm`: the hub data set ibm-research/debate_speeches, three questions a speech.

Its score columns are text, and whether they hold every person's score or a mean is not documented.
Lists become ratings; no ids come with them, so each list position is a person of that one speech,
never the same person as in another speech: agreement between people cannot be computed from it.
Means are kept in `extra`: a mean is no rating. Anything else is rejected, saying what was found.
"""

import hashlib
import json
import math
from collections import Counter
from typing import Any

from ingestion.builder import BatchBuilder
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord
from ingestion.records import file_format, read_rows
from ingestion.sources.csv_cells import extra_of, id_of, id_text, list_cell, shown
from ingestion.speeches.batch import Batch
from ingestion.speeches.readers.speeches import DEBATE_FORMAT, NO_ID, QUESTION, add_ratings
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


def parse_speeches_ibm(landed: Landed) -> Batch:
    """Read the hub's file of opening speeches."""
    kind = file_format(landed.path)
    builder = BatchBuilder(DATASET, DIMENSIONS, DEBATE_FORMAT)
    with_means: Counter[str] = Counter()
    rows = read_rows(landed.path, kind, shown=landed.shown, required=_REQUIRED)
    builder.read(landed, rows, lambda record: with_means.update(_add(builder, record.fields)))
    for dimension in _QUESTIONS:
        if count := with_means[dimension]:
            builder.note(
                f"{count} speeches have one number in '{dimension}' instead of a list of scores: "
                "taken for a mean, kept with the speech in `extra`, and not counted as a rating"
            )
    return builder.build()


def _add(builder: BatchBuilder, fields: dict[str, Any]) -> list[str]:
    """Add one record; return the dimensions for which it holds a mean."""
    dataset_id = DATASET.dataset_id
    topic_id = id_of(fields, "topic_id", NO_ID)
    lists: dict[str, list[Any]] = {}
    means: dict[str, float] = {}
    for dimension in _QUESTIONS:
        cell = _scores_or_mean(fields.get(dimension))
        if isinstance(cell, str):
            raise BrokenRecord(dimension, cell)
        if isinstance(cell, float):
            means[dimension] = cell
        else:
            lists[dimension] = cell
    stated = id_text(fields.get("#labelers"))
    for dimension, scores in lists.items():
        if stated is not None and stated != str(len(scores)):
            reason = f"says {stated} where {dimension} has {len(scores)} scores"
            raise BrokenRecord("#labelers", reason)
    # There is no id column, so a speech is known by what it is.
    identity = "|".join((topic_id, str(fields.get("source")), str(fields.get("text"))))
    short = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    item_id = f"{dataset_id}:{short}"
    rest = json.loads(extra_of(fields, _KNOWN) or "{}")
    kept = {**rest, **{f"mean_{dimension}": mean for dimension, mean in means.items()}}
    if means and stated is not None:
        kept["labelers"] = stated
    builder.add_speech(
        item_id=item_id,
        debate_id=f"{dataset_id}:topic-{topic_id}",
        motion=fields.get("topic"),
        source=fields.get("source"),
        text=fields.get("text"),
        extra=json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else None,
        columns={"item_id": "text", "debate_id": "topic_id", "motion": "topic"},
    )
    for dimension, scores in lists.items():
        ratings = [
            (f"{dataset_id}:{short}-rater-{number}", score)
            for number, score in enumerate(scores, start=1)
        ]
        add_ratings(builder, item_id, dimension, ratings)
    return list(means)


def _scores_or_mean(cell: Any) -> list[Any] | float | str:
    """Return the scores in a cell, or their mean, or, as text, what is wrong with it."""
    found = list_cell(cell)
    if not isinstance(found, str):
        return found
    try:
        mean = float(cell) if not isinstance(cell, bool) else math.nan
    except (TypeError, ValueError):
        mean = math.nan
    scale = DIMENSIONS[0]
    if scale.scale_min <= mean <= scale.scale_max:
        return mean
    return (
        f"should hold a list of scores, or a mean between {scale.scale_min:g} and "
        f"{scale.scale_max:g}; found {shown(cell)}"
    )
