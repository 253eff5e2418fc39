"""Source `debatexml`: a tournament exported as DebateXML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.errors import SourceUnreadable
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
    """Return the debates of the one XML file that a location is or holds.

    Raises:
        SourceUnreadable: There is no such file, or it is no British Parliamentary tournament.
    """
    from ingestion.oversight.reading import Reading
    from ingestion.parliamentary.readers.debatexml import DATASET, read_rooms
    from ingestion.parliamentary.readers.tabs.batch import batch_of
    from ingestion.parliamentary.readers.tabs.files import read_small_files

    dataset = settings.named(DATASET)
    found = read_small_files(home, location, dataset, (".xml",))
    landed = found.landed
    if len(found.files) != 1:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} has {len(found.files)} XML files where one was "
            f"expected; it has {found.names}: name the one of the tournament"
        )
    (content,) = found.files.values()
    reading = Reading(landed.shown)
    return batch_of(
        home,
        dataset,
        read_rooms(content, landed.shown, reading),
        reading,
        landed,
        motions=settings.motions,
        transcripts=settings.transcripts,
    )
