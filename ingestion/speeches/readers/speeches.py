"""Source `speeches`: opening speeches on motions, most of them scored by fifteen people each.

Two released files have this shape. One carries the scores as two list columns, in the same order;
the other has neither scores nor topic ids, and joins the motions by their text. Record ends are
CRLF and line breaks inside a text are bare LF; text is kept to the character.
"""

from collections.abc import Iterator
from typing import Any

from ingestion.dataset_batch import DatasetBatch
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, columns_of, file_format
from ingestion.sources.csv_cells import extra_of, id_of, id_text, list_cell, shown
from ingestion.speeches.builder import SpeechBuilder
from ingestion.speeches.motions import provisional_debate_id
from ingestion.speeches.sources.speeches import LICENCE
from warehouse.records.core import Dataset
from warehouse.records.speeches import Dimension

DIMENSION = "goodopeningspeech"
DEBATE_FORMAT = "opening_speech"
DATASET = Dataset(
    dataset_id="speeches",
    title="Debate speeches scored by people",
    licence=LICENCE,
    citation=(
        "Sternlicht, Gera, Bar-Haim, Hope and Slonim: Debatable Intelligence: Benchmarking LLM "
        "Judges via Debate Speech Evaluation (2025); speeches and scores: Slonim et al.: An "
        "autonomous debating system, Nature 591 (2021)"
    ),
    url="https://github.com/noy-sternlicht/Debatable-Intelligence",
)
QUESTION = "As an opening speech in favour of the motion, is this one good?"
DIMENSIONS = (
    Dimension(
        dataset_id=DATASET.dataset_id,
        dimension=DIMENSION,
        question=QUESTION,
        scale_min=1,
        scale_max=5,
    ),
)
NO_ID = "should hold an id"
_RATED = ("topic_id", DIMENSION, "labeler_ids")
_UNRATED = ("id", "topic", "source", "text")
_KNOWN = ("id", "topic_id", "topic", "source", "text", DIMENSION, "#labelers", "labeler_ids")


def parse_speeches(landed: Landed) -> DatasetBatch:
    """Read a file of speeches, with or without scores.

    A record whose lists do not fit each other is rejected whole, since nobody can say who gave
    which score; a single impossible score is rejected alone.
    """
    columns = columns_of(landed.path, file_format(landed.path), shown=landed.shown)
    is_rated = DIMENSION in columns or "labeler_ids" in columns
    required = (*_UNRATED, *_RATED) if is_rated else _UNRATED
    dataset_id, reading = DATASET.dataset_id, Reading(landed.shown)
    builder = SpeechBuilder(reading, dataset_id, DEBATE_FORMAT, DIMENSIONS)

    def rows(record: Record) -> Iterator[Any]:
        fields = record.fields
        item_id, motion = f"{dataset_id}:{id_of(fields, 'id', NO_ID)}", fields.get("topic")
        if is_rated or id_text(fields.get("topic_id")) is not None:
            debate_id = f"{dataset_id}:topic-{id_of(fields, 'topic_id', NO_ID)}"
        else:
            debate_id = provisional_debate_id(dataset_id, motion if isinstance(motion, str) else "")
        ratings = _scores(fields) if is_rated else []
        yield from builder.speech_rows(
            record,
            {"item_id": "id", "debate_id": "topic_id", "motion": "topic"},
            item_id=item_id,
            debate_id=debate_id,
            motion=motion,
            source=fields.get("source"),
            text=fields.get("text"),
            extra=extra_of(fields, _KNOWN),
        )
        yield from builder.rating_rows(
            record, item_id, DIMENSION, ratings, field=DIMENSION, annotators="labeler_ids"
        )

    return DatasetBatch.of_file(
        DATASET, landed, reading, rows, required=required, first=DIMENSIONS, replaces=False
    )


def _scores(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return who gave which score."""
    scores, raters = list_cell(fields, DIMENSION), list_cell(fields, "labeler_ids")
    if len(scores) != len(raters):
        reason = f"names {len(raters)} people for {len(scores)} scores"
        raise BrokenRecord("labeler_ids", reason)
    stated = id_text(fields.get("#labelers"))
    if stated is not None and stated != str(len(raters)):
        raise BrokenRecord("#labelers", f"says {stated} where labeler_ids names {len(raters)}")
    names = [id_text(rater) for rater in raters]
    if None in names:
        found = shown(raters[names.index(None)])
        raise BrokenRecord("labeler_ids", f"should hold ids; found {found}")
    return [
        (f"{DATASET.dataset_id}:rater-{name}", score)
        for name, score in zip(names, scores, strict=True)
    ]
