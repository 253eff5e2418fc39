"""Source `tabbycat`: a tournament of Tabbycat, saved or live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.registry import source

if TYPE_CHECKING:
    from ingestion.parliamentary.batch import ParliamentaryBatch
    from warehouse.home import Home


@source(
    "tabbycat",
    about="a tournament of Tabbycat, saved or live",
    where="name a saved tournament, or https://<site>/api/v1/tournaments/<slug> of a live one, "
    "with a token in TABBYCAT_TOKEN",
    settings=TranscribedSettings,
)
def tabbycat(home: Home, location: str, settings: TranscribedSettings) -> ParliamentaryBatch:
    """Return the debates of a tournament."""
    from ingestion.parliamentary.readers.bp_tab_sources import open_tabbycat
    from ingestion.parliamentary.readers.tabbycat import DATASET

    return open_tabbycat(
        home,
        location,
        settings.named(DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
    )
