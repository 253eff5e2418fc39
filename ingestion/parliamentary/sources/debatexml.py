"""Source `debatexml`: a tournament exported as DebateXML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.registry import source

if TYPE_CHECKING:
    from ingestion.parliamentary.batch import ParliamentaryBatch
    from warehouse.home import Home


@source(
    "debatexml",
    about="a tournament exported as DebateXML",
    where="export the tournament as XML (DebateXML) and name the file",
    settings=TranscribedSettings,
)
def debatexml(home: Home, location: str, settings: TranscribedSettings) -> ParliamentaryBatch:
    """Return the debates of a tournament."""
    from ingestion.parliamentary.readers.bp_tab_sources import open_debatexml
    from ingestion.parliamentary.readers.debatexml import DATASET

    return open_debatexml(
        home,
        location,
        settings.named(DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
    )
