"""Tabs and releases of British Parliamentary debates, from a location to what is loaded."""

from __future__ import annotations

from urllib.parse import urlsplit

from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import Reading
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers import debatexml, panelbench, tabbycat
from ingestion.parliamentary.readers.bp_files import read_small_files
from ingestion.parliamentary.readers.bp_tab_batch import batch_of, match_transcripts
from ingestion.parliamentary.readers.panelbench_gold import Gold, read_gold
from ingestion.parliamentary.readers.tabbycat_export import read_export
from warehouse.home import Home
from warehouse.records.core import Dataset


def open_tabbycat(
    home: Home,
    location: str,
    dataset: Dataset,
    *,
    motions: str | None = None,
    transcripts: str | None = None,
) -> ParliamentaryBatch:
    """Return the debates of a Tabbycat tournament.

    Args:
        home: The home.
        location: A saved tournament (`tabbycat_export`), or a live one's address in the API.
        dataset: The data set to load into.
        motions: The user's file of motions.
        transcripts: The user's folder or archive of tagged transcripts.

    Raises:
        SourceUnreadable: It is no British Parliamentary tournament, or not all of it is there.
    """
    if _is_live(location):
        # Reached by few: everybody else saves the import of an HTTP client.
        from ingestion.parliamentary.readers.tabbycat_live import fetch_tournament

        export = fetch_tournament(home, location, dataset)
    else:
        export = read_export(home, location, dataset)
    reading = Reading(export.landed.shown)
    rooms = tabbycat.read_rooms(export, reading)
    found = match_transcripts(home, dataset, rooms, transcripts, reading)
    files = [export.landed.source_file(0)]
    return batch_of(home, dataset, rooms, reading, files, found=found, motions=motions)


def _is_live(location: str) -> bool:
    """Say whether a location is a site to ask; one with a file's ending is a file to fetch."""
    if not location.startswith(("https://", "http://")):
        return False
    try:
        path = urlsplit(location).path
    except ValueError:
        return True
    return not path.casefold().endswith((".json", ".zip", ".gz", ".tar"))


def open_debatexml(
    home: Home,
    location: str,
    dataset: Dataset,
    *,
    motions: str | None = None,
    transcripts: str | None = None,
) -> ParliamentaryBatch:
    """Return the debates of a tournament's DebateXML file.

    Args:
        home: The home.
        location: The file, a folder or archive with no other XML file, or an address.
        dataset: The data set to load into.
        motions: The user's file of motions.
        transcripts: The user's folder or archive of tagged transcripts.

    Raises:
        SourceUnreadable: It is no British Parliamentary tournament.
    """
    found = read_small_files(home, location, dataset, (".xml",))
    if len(found.files) != 1:
        raise SourceUnreadable(
            f"ingestion: {found.landed.shown} has {len(found.files)} XML files where one was "
            f"expected; it has {found.names}: name the one of the tournament"
        )
    reading = Reading(found.landed.shown)
    rooms = debatexml.read_rooms(next(iter(found.files.values())), found.landed.shown, reading)
    matched = match_transcripts(home, dataset, rooms, transcripts, reading)
    files = [found.landed.source_file(0)]
    return batch_of(home, dataset, rooms, reading, files, found=matched, motions=motions)


def open_panelbench(
    home: Home, location: str, dataset: Dataset, *, motions: str | None = None
) -> ParliamentaryBatch:
    """Return the debates of PanelBench's BP-Competition.

    Args:
        home: The home.
        location: The release's folder or archive, or an address.
        dataset: The data set to load into.
        motions: The user's file of motions.

    Raises:
        SourceUnreadable: It has no British Parliamentary debate, or results in unknown columns.
    """
    found = read_small_files(home, location, dataset, panelbench.SUFFIXES)
    reading = Reading(found.landed.shown)
    gold = Gold()
    if (name := panelbench.gold_file(found)) is None:
        reading.note("no gold/gold.csv: no debate has a result")
    else:
        gold = read_gold(found.files[name], f"{found.landed.shown} ({name})")
    rooms, said = panelbench.read_rooms(found, gold, dataset.dataset_id, reading)
    files = [found.landed.source_file(0)]
    return batch_of(home, dataset, rooms, reading, files, found=said, motions=motions)
