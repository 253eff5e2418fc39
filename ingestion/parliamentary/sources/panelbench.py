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
    """Return the debates of the release.

    Raises:
        SourceUnreadable: It has no British Parliamentary debate, or results in unknown columns.
    """
    from ingestion.oversight.reading import Reading
    from ingestion.parliamentary.readers import panelbench as reader
    from ingestion.parliamentary.readers.panelbench import Gold, read_gold
    from ingestion.parliamentary.readers.tabs.batch import batch_of
    from ingestion.parliamentary.readers.tabs.files import read_small_files

    dataset = settings.named(reader.DATASET)
    found = read_small_files(home, location, dataset, reader.SUFFIXES)
    reading = Reading(found.landed.shown)
    gold = Gold()
    if (name := reader.gold_file(found)) is None:
        reading.note("no gold/gold.csv: no debate has a result")
    else:
        gold = read_gold(found.files[name], f"{found.landed.shown} ({name})")
    rooms, said = reader.read_rooms(found, gold, dataset.dataset_id, reading)
    return batch_of(
        home, dataset, rooms, reading, found.landed, motions=settings.motions, found=said
    )
