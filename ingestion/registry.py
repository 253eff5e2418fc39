"""The registry of sources: what a user may name, its settings, and the function that reads it.

A source is one file in a subject's folder `sources/`, with one function under `@source`, or with
`declare` and the name of one. The help, the errors and the documents read what is declared there.
Such a file imports nothing heavy at its top, because `--help` imports them all: the function
imports what reads the source's files, or is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Self

from ingestion.errors import UnknownSource
from warehouse.records.ids import DATASET_NAME

if TYPE_CHECKING:
    from ingestion.batch import Loadable
    from warehouse.home import Home
    from warehouse.records.core import Dataset

ANY = "any"
# Sources that earlier versions read, with the address that their data sets have.
RETIRED = {
    "debatexml": "https://github.com/TabbycatDebate/dta-spec",
    "panelbench": "https://github.com/ljcleo/debatrix",
}
_MEANING = "meaning"


def setting(default: Any, meaning: str) -> Any:
    """Declare a setting as a field of a source's `Settings`.

    Args:
        default: Its value when a user gives none.
        meaning: What it says, for the help and the documents.
    """
    return field(default=default, metadata={_MEANING: meaning})


@dataclass(frozen=True)
class Settings:
    """What a user may say about a source: nothing, unless a source has fields of its own."""

    @classmethod
    def of(cls, given: Mapping[str, str], source: str) -> Self:
        """Return the settings a user gave by name, those not given as the defaults.

        Args:
            given: The settings by name.
            source: The source, for errors.

        Raises:
            UnknownSource: There is no such setting, or its value cannot be used.
        """
        known = {each.name: each for each in fields(cls)}
        if given and not known:
            raise UnknownSource(
                f"ingestion: '{source}' has no settings; found {', '.join(sorted(given))}"
            )
        if unknown := sorted(set(given) - set(known)):
            raise UnknownSource(
                f"ingestion: '{source}' has no setting '{unknown[0]}'; expected "
                f"{'one of ' * (len(known) > 1)}{', '.join(known)}"
            )
        values: dict[str, Any] = {}
        for name, value in given.items():
            values[name] = value.strip()
            kind = type(known[name].default)
            if kind is bool:
                expect(name, value, values[name] in ("true", "false"), "true or false")
                values[name] = values[name] == "true"
            elif kind is int:
                expect(name, value, values[name].isdecimal(), "a whole number from 0")
                values[name] = int(value)
        return cls(**values)


@dataclass(frozen=True)
class NamedSettings(Settings):
    """Settings of a source that may be loaded under another name.

    Attributes:
        dataset: The data set to load into; the source's own when not given.
    """

    dataset: str | None = setting(None, "the data set to load into; the source's own name if unset")

    def __post_init__(self) -> None:
        if self.dataset is not None and not is_dataset_name(self.dataset):
            raise UnknownSource(
                f"ingestion: '{self.dataset}' cannot be a data set's name; expected small letters, "
                "digits, _ and -, such as worlds-2025"
            )

    def named(self, dataset: Dataset) -> Dataset:
        """Return the data set to load into: a source's own, or under the name the user gave."""
        if self.dataset is None or self.dataset == dataset.dataset_id:
            return dataset
        title = f"{dataset.title} ({self.dataset})"
        return replace(dataset, dataset_id=self.dataset, title=title)


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers that comes with a source.

    Attributes:
        dataset: The data set that its answers are about.
    """

    path: Path
    format: str
    dataset: Dataset


Opener = Callable[["Home", str, Any], "Loadable | Iterable[Loadable | AnswerFile]"]


@dataclass(frozen=True)
class Source:
    """A source that a user may name.

    Attributes:
        where: Where its files are; None for one that needs none.
        reader: The function that reads it, as `package.module.function`.
        opener: Lands what a location holds, and returns what to load.
    """

    name: str
    about: str
    where: str | None
    settings: type[Settings]
    reader: str
    opener: Opener

    def open(
        self, home: Home, location: str | Path | None, given: Mapping[str, str]
    ) -> Loadable | Iterable[Loadable | AnswerFile]:
        """Return what to load: a batch, or several in their order.

        Args:
            home: The home whose landing files are copied to.
            location: A file, a folder, an archive or an address, as the source has it.
            given: Settings by name.

        Raises:
            UnknownSource: It needs a location, or has no such setting.
            SourceUnreadable: The location does not hold the source's files.
        """
        if location is None and self.where is not None:
            raise UnknownSource(
                f"ingestion: '{self.name}' needs a file or an address: {self.where}"
            )
        return self.opener(home, str(location), self.settings.of(given, self.name))


_FOUND: dict[str, Source] = {}


def source(
    name: str, *, about: str, where: str | None, settings: type[Settings] = Settings
) -> Callable[[Opener], Opener]:
    """Register the function below as what reads a source.

    Args:
        name: What a user calls the source.
        where: Where its files are, and what to name; None for one that needs no files.
    """

    def register(opener: Opener) -> Opener:
        reader = f"{opener.__module__}.{opener.__qualname__}"
        _FOUND[name] = Source(name, about, where, settings, reader, opener)
        return opener

    return register


def declare(
    name: str, *, about: str, where: str, reader: str, settings: type[Settings] = Settings
) -> None:
    """Register a function of another module as what reads a source.

    Args:
        name: What a user calls the source.
        where: Where its files are, and what to name.
        reader: The function, as `package.module.function`; it is imported when it is called.
    """

    def opener(
        home: Home, location: str, chosen: Settings
    ) -> Loadable | Iterable[Loadable | AnswerFile]:
        return reader_named(reader)(home, location, chosen)

    _FOUND[name] = Source(name, about, where, settings, reader, opener)


def reader_named(path: str) -> Opener:
    """Return the function that a declaration names."""
    module, _, function = path.rpartition(".")
    found: Opener = getattr(import_module(module), function)
    return found


@cache
def sources() -> Mapping[str, Source]:
    """Return every source by its name, the sample first, then subject by subject."""
    here = Path(__file__).parent
    for folder in sorted(here.glob("*/sources")):
        for module in iter_modules([str(folder)]):
            import_module(f"ingestion.{folder.parent.name}.sources.{module.name}")

    def place(found: Source) -> tuple[bool, list[str], str]:
        return found.where is not None, found.reader.split(".")[1:2], found.name

    return {each.name: each for each in sorted(_FOUND.values(), key=place)}


def source_named(name: str) -> Source:
    """Return a source.

    Raises:
        UnknownSource: There is none of this name.
    """
    if name in RETIRED:
        raise UnknownSource(
            f"ingestion: the source '{name}' is no longer supported; data sets loaded from it stay"
        )
    if name not in sources():
        raise UnknownSource(
            f"ingestion: no source named '{name}'; expected one of {', '.join(sources())}, or "
            "'study' for a study of your own"
        )
    return sources()[name]


def settings_help() -> str:
    """Return each source's settings with their defaults, sources with the same ones together."""
    by_settings: dict[str, list[str]] = {}
    for name, each in sources().items():
        told = ", ".join(
            f"{one.name}{'' if one.default is None else f' ({one.default})'}"
            for one in fields(each.settings)
        )
        if told:
            by_settings.setdefault(told, []).append(name)
    return "; ".join(f"{', '.join(names)}: {told}" for told, names in by_settings.items())


def is_dataset_name(name: str) -> bool:
    """Say whether a data set can be called so."""
    return DATASET_NAME.fullmatch(name) is not None


def expect(name: str, value: object, is_good: object, wanted: str) -> None:
    """Refuse a setting's value that cannot be used.

    Raises:
        UnknownSource: It is not what is wanted.
    """
    if not is_good:
        raise UnknownSource(f"ingestion: setting {name} should be {wanted}; found {value!r}")
