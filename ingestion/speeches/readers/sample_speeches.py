"""Source `sample`: the speeches and ratings that come with Rostrum, marked as sample everywhere."""

import hashlib
import json
from dataclasses import asdict

from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch
from ingestion.sample.ratings import DIMENSION, SCALE_MAX, SCALE_MIN, sample_ratings
from ingestion.sample.speeches import NAME, sample_speeches
from ingestion.speeches.readers.speeches import DEBATE_FORMAT
from warehouse.records.core import Dataset, Debate, Speech
from warehouse.records.speeches import Dimension, Rating

DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Sample speeches and simulated ratings written for the Rostrum project.",
)
_QUESTION = (
    "How well would this speech do as the first speech in favour of the motion? "
    "Answer from 1 (very poorly) to 5 (very well)."
)


def sample_batch() -> DatasetBatch:
    """Return the bundled sample. It has no file, so its hash is that of its content."""
    speeches, ratings = sample_speeches(), sample_ratings()
    content = json.dumps([[asdict(row) for row in speeches], [asdict(row) for row in ratings]])
    motions = {speech.debate_id: speech.motion for speech in speeches}
    return DatasetBatch(
        dataset=DATASET,
        files=[
            SourceFile(
                shown="the bundled sample",
                label="ingestion/sample",
                sha256=hashlib.sha256(content.encode()).hexdigest(),
                records=len(speeches) + len(ratings),
            )
        ],
        records=[
            Dimension(NAME, DIMENSION, _QUESTION, SCALE_MIN, SCALE_MAX),
            *(
                Debate(debate_id, NAME, motion, DEBATE_FORMAT)
                for debate_id, motion in motions.items()
            ),
            *(
                Speech(speech.item_id, NAME, speech.debate_id, speech.source, speech.text)
                for speech in speeches
            ),
            *(
                Rating(NAME, rating.item_id, rating.annotator_id, rating.dimension, rating.value)
                for rating in ratings
            ),
        ],
        replaces=False,
    )
