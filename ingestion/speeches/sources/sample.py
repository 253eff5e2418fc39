"""Source `sample`: what comes with Rostrum, of every subject, marked as sample everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import AnswerFile, Settings, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingestion.batch import Loadable
    from warehouse.home import Home


@source("sample", about="made-up speeches, debates, questions and stories", where=None)
def sample(home: Home, location: str, settings: Settings) -> Iterator[Loadable | AnswerFile]:
    """Return the sample's batches, and the answers to its questions."""
    del home, location, settings
    from ingestion.debates.readers.sample_debate_log import sample_log_batch
    from ingestion.debates.readers.sample_debates import sample_debates_source
    from ingestion.oversight.readers.sample_stories import sample_stories_batch
    from ingestion.parliamentary.readers.sample_parliamentary import sample_parliamentary_batch
    from ingestion.questions.readers import sample_questions
    from ingestion.speeches.readers.sample_speeches import sample_batch

    yield sample_batch()
    yield sample_debates_source()
    yield sample_log_batch()
    yield sample_questions.sample_questions_batch()
    for name, kind in sample_questions.SAID:
        yield AnswerFile(sample_questions.FOLDER / name, kind, sample_questions.DATASET)
    yield sample_parliamentary_batch()
    yield sample_stories_batch()
