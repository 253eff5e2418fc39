"""Source `sample`: the speeches and ratings that come with Rostrum, marked as sample everywhere."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from ingestion.batch import SourceFile
from ingestion.sample import SAMPLE_DATASET, SAMPLE_DIMENSION, sample_ratings, sample_speeches
from ingestion.speeches.batch import Batch
from ingestion.speeches.readers.speeches import DEBATE_FORMAT
from warehouse.records.core import Dataset, Debate, Speech
from warehouse.records.speeches import Dimension, Rating

_LABEL = "ingestion/sample"


def sample_batch() -> Batch:
    """Return the bundled sample. It has no file, so its hash is that of its content."""
    dataset_id = SAMPLE_DATASET.dataset_id
    speeches, ratings = sample_speeches(), sample_ratings()
    content = json.dumps([[asdict(row) for row in speeches], [asdict(row) for row in ratings]])
    motions = {speech.debate_id: speech.motion for speech in speeches}
    return Batch(
        dataset=Dataset(**asdict(SAMPLE_DATASET)),
        dimensions=[Dimension(dataset_id=dataset_id, **asdict(SAMPLE_DIMENSION))],
        debates=[
            Debate(debate_id, dataset_id, motion, DEBATE_FORMAT)
            for debate_id, motion in motions.items()
        ],
        speeches=[
            Speech(speech.item_id, dataset_id, speech.debate_id, speech.source, speech.text)
            for speech in speeches
        ],
        ratings=[
            Rating(dataset_id, rating.item_id, rating.annotator_id, rating.dimension, rating.value)
            for rating in ratings
        ],
        files=[
            SourceFile(
                shown="the bundled sample",
                label=_LABEL,
                sha256=hashlib.sha256(content.encode()).hexdigest(),
                records=len(speeches) + len(ratings),
            )
        ],
    )
