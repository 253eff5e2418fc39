"""The sample's debates: composed from hand-written points by seeded draws, with made-up votes."""

from ingestion.sample.debates.composed import (
    SampleDebate,
    SampleTurn,
    sample_debates,
)
from ingestion.sample.debates.readers import SampleReader, sample_readers

__all__ = ["SampleDebate", "SampleReader", "SampleTurn", "sample_debates", "sample_readers"]
