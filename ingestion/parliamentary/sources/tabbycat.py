"""Source `tabbycat`: a tournament of Tabbycat, saved or live."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

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
    """Return the debates of a tournament.

    Raises:
        SourceUnreadable: It is no British Parliamentary tournament, or not all of it is there.
    """
    from ingestion.oversight.reading import Reading
    from ingestion.parliamentary.readers.tabbycat.export import read_export
    from ingestion.parliamentary.readers.tabbycat.rooms import DATASET, read_rooms
    from ingestion.parliamentary.readers.tabs.batch import batch_of

    dataset = settings.named(DATASET)
    if _is_live(location):
        # Reached by few: everybody else saves the import of an HTTP client.
        from ingestion.parliamentary.readers.tabbycat.live import fetch_tournament

        export = fetch_tournament(home, location, dataset)
    else:
        export = read_export(home, location, dataset)
    reading = Reading(export.landed.shown)
    return batch_of(
        home,
        dataset,
        read_rooms(export, reading),
        reading,
        export.landed,
        motions=settings.motions,
        transcripts=settings.transcripts,
    )


def _is_live(location: str) -> bool:
    """Say whether a location is a site to ask; one with a file's ending is a file to fetch."""
    if not location.startswith(("https://", "http://")):
        return False
    try:
        path = urlsplit(location).path
    except ValueError:
        return True
    return not path.casefold().endswith((".json", ".zip", ".gz", ".tar"))
