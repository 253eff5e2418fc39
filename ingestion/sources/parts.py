"""The files of a source: one file, or those of a folder or an archive."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.sources.containers import Opener, find_member, member_names, opener_of
from ingestion.speeches.batch import Batch
from warehouse.home import Home
from warehouse.records.core import Dataset


def read_file(
    home: Home,
    location: str,
    dataset: Dataset,
    parse: Callable[[Landed], Batch],
    *,
    file_name: str | None = None,
) -> Batch:
    """Return what a source's file holds, the file landed.

    Args:
        location: The file, its folder, or an address on the hub.
        parse: What reads it.
        file_name: What it is called in a folder; a folder is no source when not given.
    """
    if location.startswith("hf://"):
        # Reached by few and costs everyone else a quarter of a second.
        from ingestion.sources import hub

        landed, hub_source = hub.fetch(home, location)
        return hub_source.parse(landed)
    path = Path(location).expanduser()
    if file_name and path.is_dir():
        path /= file_name
    return parse(land(home, path, source=dataset.dataset_id, licence=dataset.licence))


class Part(NamedTuple):
    """One file of a source: where it was landed, and what opens it."""

    landed: Landed
    name: str
    opener: Opener


class Parts:
    """The files a location holds: of a folder, an archive, or one file.

    Args:
        home: The home whose landing files are copied to.
        location: A path, or an address on the web.
        dataset: Whose they are.
    """

    def __init__(self, home: Home, location: str, dataset: Dataset) -> None:
        self._home, self._dataset, self.shown = home, dataset, location
        self._folder: Path | None = None
        self._one: Landed | None = None
        # Reached by few: everybody else saves the import of an HTTP client.
        from ingestion.sources import web

        if web.is_web_address(location):
            self._one = web.fetch_web(
                home, location, source=dataset.dataset_id, licence=dataset.licence
            )
            return
        path = Path(location).expanduser()
        if path.is_dir():
            self._folder = path
        else:
            self._one = self._land(path)

    @property
    def names(self) -> list[str]:
        """The files there are, as paths inside the folder or archive."""
        if self._folder is not None:
            return sorted(
                each.relative_to(self._folder).as_posix()
                for each in self._folder.rglob("*")
                if each.is_file()
            )
        return member_names(self._only.path, self.shown)

    @property
    def is_one_file(self) -> bool:
        """Whether it is a single file, no folder and no archive."""
        return self._folder is None and self.names == [self._only.path.name.removesuffix(".gz")]

    def open(self, name: str) -> Part:
        """Return a file by its path inside."""
        if self._folder is not None:
            landed = self._land(self._folder / name)
            return Part(landed, name, opener_of(landed.path, None, landed.shown))
        return Part(self._only, name, opener_of(self._only.path, name, self.shown))

    def find(self, wanted: Sequence[str]) -> Part | None:
        """Return the first file of one of these names; None when there is none."""
        name = find_member(self.names, wanted)
        return self.open(name) if name else None

    def beside(self, wanted: Sequence[str]) -> Part | None:
        """Return a file that lies in the folder of the one file the user named."""
        path = Path(self.shown).expanduser()
        if not path.is_file():
            return None
        there = next(
            (path.parent / name for name in wanted if (path.parent / name).is_file()), None
        )
        if there is None:
            return None
        landed = self._land(there)
        return Part(landed, there.name, opener_of(landed.path, None, landed.shown))

    def one(
        self, wanted: Sequence[str], *, told: Sequence[str] = (), otherwise: Sequence[str] = ()
    ) -> Part:
        """Return the file of one of these names, or the only one there is.

        Args:
            wanted: The names.
            told: What an error says is wanted; the first name when not given.
            otherwise: Files of which a single one is meant, too.

        Raises:
            SourceUnreadable: There is none.
        """
        if found := self.find(wanted):
            return found
        candidates = self.names if self.is_one_file else otherwise
        if len(candidates) == 1:
            return self.open(candidates[0])
        raise self.lacking(told or wanted[:1])

    def lacking(self, wanted: Sequence[str]) -> SourceUnreadable:
        """Return the error for files that are not there."""
        there = ", ".join(self.names[:8]) or "nothing"
        return SourceUnreadable(
            f"ingestion: {self.shown} has no {' or '.join(wanted)}; it has {there}: name the file, "
            "or a folder or archive that holds it"
        )

    @property
    def _only(self) -> Landed:
        assert self._one is not None  # noqa: S101
        return self._one

    def _land(self, path: Path) -> Landed:
        about = self._dataset
        return land(self._home, path, source=about.dataset_id, licence=about.licence)


def source_files(parts: Sequence[Part], shown: str) -> list[SourceFile]:
    """Return the files of a load, each once, the first by what the user named."""
    first, *rest = (each.source_file(0) for each in dict.fromkeys(part.landed for part in parts))
    return [replace(first, shown=shown), *rest]


def shown_as(part: Part) -> str:
    """Return what a file is called in a report: with its name inside, where it has one."""
    is_member = part.landed.path.name.removesuffix(".gz") != PurePosixPath(part.name).name
    return f"{part.landed.shown} ({part.name})" if is_member else part.landed.shown
