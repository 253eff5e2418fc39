"""Source `transcripts`: results for the transcripts that `rostrum transcribe` made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import NamedSettings, source

if TYPE_CHECKING:
    from ingestion.parliamentary.batch import ParliamentaryBatch
    from warehouse.home import Home


@source(
    "transcripts",
    about="results for debates that you transcribed",
    where="name a csv file of results for the transcripts of 'rostrum transcribe'",
    settings=NamedSettings,
)
def transcripts(home: Home, location: str, settings: NamedSettings) -> ParliamentaryBatch:
    """Return the verified debates with their results."""
    from ingestion.parliamentary.readers.verified_transcripts import DATASET, open_results

    return open_results(home, location, settings.named(DATASET))
