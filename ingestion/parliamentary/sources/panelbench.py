"""Source `panelbench`: the British Parliamentary debates of PanelBench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.parliamentary.settings import TabSettings
from ingestion.registry import source

if TYPE_CHECKING:
    from ingestion.parliamentary.batch import ParliamentaryBatch
    from warehouse.home import Home

URL = "https://github.com/ljcleo/debatrix"


@source(
    "panelbench",
    about="the British Parliamentary debates of PanelBench",
    where=f"fetch BP-Competition from {URL} and name the archive or folder",
    settings=TabSettings,
)
def panelbench(home: Home, location: str, settings: TabSettings) -> ParliamentaryBatch:
    """Return the debates of the release."""
    from ingestion.parliamentary.readers.bp_tab_sources import open_panelbench
    from ingestion.parliamentary.readers.panelbench import DATASET

    return open_panelbench(
        home,
        location,
        settings.named(DATASET),
        motions=settings.motions,
    )
