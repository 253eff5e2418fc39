"""The bundled sample: speeches and ratings written for this project, not real data.

It exists so that a fresh clone has something to load, judge and show. Nothing measured on it
says anything about people or about debates. See the README beside this file.
"""

from ingestion.sample.dataset import (
    SAMPLE_DATASET,
    SAMPLE_DIMENSION,
    SampleDataset,
    SampleDimension,
)
from ingestion.sample.ratings import SampleRating, sample_ratings
from ingestion.sample.speeches import SampleSpeech, sample_speeches

__all__ = [
    "SAMPLE_DATASET",
    "SAMPLE_DIMENSION",
    "SampleDataset",
    "SampleDimension",
    "SampleRating",
    "SampleSpeech",
    "sample_ratings",
    "sample_speeches",
]
