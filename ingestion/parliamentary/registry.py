"""From what a user names (a file, a folder, an archive, an address) to parliamentary debates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ingestion.errors import UnknownSource
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.sources import (
    bp_tab_sources,
    debatebench,
    debatexml,
    panelbench,
    tabbycat,
    verified_transcripts,
)
from warehouse.home import Home
from warehouse.records.core import DATASET_NAME, Dataset

_NAME_AT_MOST = 60


@dataclass(frozen=True)
class ParliamentarySettings:
    """What a user may say about a source of parliamentary debates.

    Attributes:
        dataset: The data set to load into; the source's own when not given.
        motions: A file of motions.
        transcripts: A folder or archive of tagged transcripts, where the source has none beside.
        aliases: A file that says which transcript belongs to which row of results.
    """

    dataset: str | None = None
    motions: str | None = None
    transcripts: str | None = None
    aliases: str | None = None

    def named(self, dataset: Dataset) -> Dataset:
        """Return the data set to load into: a source's own, or under the name the user gave."""
        if self.dataset is None or self.dataset == dataset.dataset_id:
            return dataset
        title = f"{dataset.title} ({self.dataset})"
        return replace(dataset, dataset_id=self.dataset, title=title)


class ParliamentarySource(NamedTuple):
    """A source of parliamentary debates.

    Attributes:
        opened: Reads what a location holds into a batch.
        dataset: Its data set.
        settings: The settings it has, among those of `ParliamentarySettings`.
        where: In words where its files are.
    """

    opened: Callable[[Home, str, ParliamentarySettings], ParliamentaryBatch]
    dataset: Dataset
    settings: Collection[str]
    where: str


def open_parliamentary(
    home: Home, source: str, location: str | Path | None, given: Mapping[str, str]
) -> ParliamentaryBatch:
    """Return what a location holds, its files landed.

    Args:
        home: The home.
        source: One of `KNOWN`.
        location: A file, a folder, an archive, or an address on the web.
        given: The source's settings, by name.

    Raises:
        UnknownSource: It needs a location, or has no such setting.
        SourceUnreadable: The location does not hold the source's files.
    """
    known = KNOWN[source]
    if location is None:
        raise UnknownSource(f"ingestion: '{source}' needs a file or an address: {known.where}")
    return known.opened(home, str(location), _settings(source, known, given))


def _settings(
    source: str, known: ParliamentarySource, given: Mapping[str, str]
) -> ParliamentarySettings:
    if unknown := sorted(set(given) - set(known.settings)):
        raise UnknownSource(
            f"ingestion: '{source}' has no setting '{unknown[0]}'; expected one of "
            f"{', '.join(sorted(known.settings))}"
        )
    name = given.get("dataset", known.dataset.dataset_id)
    if DATASET_NAME.fullmatch(name) is None or len(name) > _NAME_AT_MOST:
        raise UnknownSource(
            f"ingestion: '{name}' cannot be a data set's name; expected small letters, digits "
            "and dashes, such as worlds-2025"
        )
    return ParliamentarySettings(**given)


def where_to_find(source: str) -> str:
    """Return in words where a source's files are; nothing is fetched unless the user names it."""
    return KNOWN[source].where


def _open_debatebench(
    home: Home, location: str, settings: ParliamentarySettings
) -> ParliamentaryBatch:
    return debatebench.open_debatebench(
        home,
        location,
        settings.named(debatebench.DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
        aliases=settings.aliases,
    )


def _open_transcripts(
    home: Home, location: str, settings: ParliamentarySettings
) -> ParliamentaryBatch:
    dataset = verified_transcripts.dataset_named(settings.dataset or verified_transcripts.NAME)
    return verified_transcripts.open_results(home, Path(location).expanduser(), dataset)


def _open_tabbycat(
    home: Home, location: str, settings: ParliamentarySettings
) -> ParliamentaryBatch:
    return bp_tab_sources.open_tabbycat(
        home,
        location,
        settings.named(tabbycat.DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
    )


def _open_debatexml(
    home: Home, location: str, settings: ParliamentarySettings
) -> ParliamentaryBatch:
    return bp_tab_sources.open_debatexml(
        home,
        location,
        settings.named(debatexml.DATASET),
        motions=settings.motions,
        transcripts=settings.transcripts,
    )


def _open_panelbench(
    home: Home, location: str, settings: ParliamentarySettings
) -> ParliamentaryBatch:
    return bp_tab_sources.open_panelbench(
        home, location, settings.named(panelbench.DATASET), motions=settings.motions
    )


KNOWN: Mapping[str, ParliamentarySource] = {
    debatebench.NAME: ParliamentarySource(
        _open_debatebench,
        debatebench.DATASET,
        ("dataset", "motions", "transcripts", "aliases"),
        f"'--from {debatebench.HUB}' fetches it; or fetch scores.xlsx and "
        f"'Cleaned Speeches.zip' from {debatebench.DATASET.url} into a folder of their own and "
        "name the folder",
    ),
    tabbycat.NAME: ParliamentarySource(
        _open_tabbycat,
        tabbycat.DATASET,
        ("dataset", "motions", "transcripts"),
        "name a saved tournament, or https://<site>/api/v1/tournaments/<slug> of a live one, with "
        "a token in TABBYCAT_TOKEN",
    ),
    debatexml.NAME: ParliamentarySource(
        _open_debatexml,
        debatexml.DATASET,
        ("dataset", "motions", "transcripts"),
        "export the tournament as XML (DebateXML) and name the file",
    ),
    panelbench.NAME: ParliamentarySource(
        _open_panelbench,
        panelbench.DATASET,
        ("dataset", "motions"),
        f"fetch BP-Competition from {panelbench.DATASET.url} and name the archive or folder",
    ),
    verified_transcripts.NAME: ParliamentarySource(
        _open_transcripts,
        verified_transcripts.DATASET,
        ("dataset",),
        "name a csv file of results for the transcripts of 'rostrum transcribe'",
    ),
}
