"""The files of a source: one file, or those of a folder or an archive."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.sources.containers import Opener, find_member, member_names, opener_of
from warehouse.home import Home


def land_file(
    home: Home, location: str, name: str, source: str, licence: str
) -> tuple[Landed, Callable[[Landed], DatasetBatch] | None]:
    """Land the one file of a source; return what reads it where its address decides that.

    Args:
        location: The file, its folder, or an address on the hub.
        name: What it is called in a folder; a folder is no source when empty.
    """
    if location.startswith("hf://"):
        # Rarely needed, and the import takes a quarter of a second.
        from ingestion.sources import hub

        landed, hub_source = hub.fetch(home, location)
        return landed, hub_source.parse
    path = Path(location).expanduser()
    if name and path.is_dir():
        path /= name
    return land(home, path, source=source, licence=licence), None


class Part(NamedTuple):
    """One landed file of a source."""

    landed: Landed
    name: str
    opener: Opener


class Parts:
    """Files of a folder, an archive, one path or one address on the web."""

    def __init__(self, home: Home, location: str, source: str, licence: str) -> None:
        self._home, self._source, self._licence = home, source, licence
        self.shown = location
        self._folder: Path | None = None
        self._one: Landed | None = None
        # Rarely needed, and the import of an HTTP client is slow.
        from ingestion.sources import web

        if web.is_web_address(location):
            self._one = web.fetch_web(home, location, source=source, licence=licence)
            return
        path = Path(location).expanduser()
        if path.is_dir():
            self._folder = path
        else:
            self._one = self._land(path)

    @property
    def names(self) -> list[str]:
        """Paths of the files inside the folder or archive."""
        if self._folder is not None:
            return sorted(
                each.relative_to(self._folder).as_posix()
                for each in self._folder.rglob("*")
                if each.is_file()
            )
        return member_names(self._only.path, self.shown)

    @property
    def is_one_file(self) -> bool:
        """True for neither a folder nor an archive."""
        return self._folder is None and self.names == [self._only.path.name.removesuffix(".gz")]

    def open(self, name: str) -> Part:
        """Return a file by its path inside the folder or archive."""
        if self._folder is not None:
            landed = self._land(self._folder / name)
            return Part(landed, name, opener_of(landed.path, None, landed.shown))
        return Part(self._only, name, opener_of(self._only.path, name, self.shown))

    def find(self, wanted: Sequence[str]) -> Part | None:
        """Return the first file of one of these names, if any."""
        name = find_member(self.names, wanted)
        return self.open(name) if name else None

    def beside(self, wanted: Sequence[str]) -> Part | None:
        """Return a file of one of these names in the folder of the one file the user named."""
        path = Path(self.shown).expanduser()
        names = [name for name in wanted if (path.parent / name).is_file()]
        if not path.is_file() or not names:
            return None
        landed = self._land(path.parent / names[0])
        return Part(landed, names[0], opener_of(landed.path, None, landed.shown))

    def one(
        self, wanted: Sequence[str], *, told: Sequence[str] = (), otherwise: Sequence[str] = ()
    ) -> Part:
        """Return the file of one of these names, or the only file.

        Args:
            told: Names for the error; the first wanted one when not given.
            otherwise: Files of which a single one is accepted too.

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
        """Return the error for missing files."""
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
        return land(self._home, path, source=self._source, licence=self._licence)


def source_files(parts: Sequence[Part], shown: str) -> list[SourceFile]:
    """Return the landed files of a load once each, the first as the user named it."""
    first, *rest = (each.source_file(0) for each in dict.fromkeys(part.landed for part in parts))
    return [replace(first, shown=shown), *rest]


def shown_as(part: Part) -> str:
    """Return a file's name for reports, with its path inside an archive."""
    is_member = part.landed.path.name.removesuffix(".gz") != PurePosixPath(part.name).name
    return f"{part.landed.shown} ({part.name})" if is_member else part.landed.shown
