"""Source `debatebench`: tournament debates with transcripts and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.parliamentary.settings import AliasSettings
from ingestion.registry import source

if TYPE_CHECKING:
    from ingestion.parliamentary.batch import ParliamentaryBatch
    from warehouse.home import Home

REPO = "utkarsh2105/DebateBench"
HUB = f"hf://datasets/{REPO}"
URL = f"https://huggingface.co/datasets/{REPO}"


@source(
    "debatebench",
    about="tournament debates with transcripts and results",
    where=f"'--from {HUB}' fetches it; or fetch scores.xlsx and 'Cleaned Speeches.zip' from {URL} "
    "into a folder of their own and name the folder",
    settings=AliasSettings,
)
def debatebench(home: Home, location: str, settings: AliasSettings) -> ParliamentaryBatch:
    """Return the debates of the release."""
    from ingestion.parliamentary.readers.debatebench import debates as reader

    return reader.open_debatebench(
        home,
        location,
        settings.named(reader.DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
        aliases=settings.aliases,
    )
