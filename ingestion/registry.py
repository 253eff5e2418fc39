"""The registry of sources: what a user may name, its settings, and the function that reads it.

A source is one file in a subject's folder `sources/`, with one function under `@source`, or with
`declare` and the name of one. The help, the errors and the documents read what is declared there.
Such a file imports nothing heavy at its top, because `--help` imports them all: the function
imports what reads the source's files, or is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

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


def _dataset_name(name: str) -> str:
    if DATASET_NAME.fullmatch(name) is None:
        raise ValueError(
            "cannot be a data set's name; expected small letters, digits, _ and -, such as "
            "worlds-2025"
        )
    return name


DatasetName = Annotated[str, AfterValidator(_dataset_name)]


def setting(default: Any, meaning: str, **rules: Any) -> Any:
    """Declare a setting: its default (`...` where there is none), its meaning, and its bounds."""
    return Field(default=default, description=meaning, **rules)


def setting_of(is_good: Callable[[str], object], wanted: str) -> AfterValidator:
    """Return the validator of a setting that is text: a value that is good, or `any`."""

    def check(value: str) -> str:
        if value != ANY and not is_good(value):
            raise ValueError(f"should be {wanted} or {ANY}")
        return value

    return AfterValidator(check)


class Settings(BaseModel):
    """Settings of a source: none, unless it declares fields with defaults and descriptions."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, str_strip_whitespace=True
    )

    @classmethod
    def of(cls, given: Mapping[str, str], source: str) -> Self:
        """Return the settings given by name, with the defaults of the others.

        Raises:
            UnknownSource: There is no such setting, or its value cannot be used.
        """
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            name = ".".join(map(str, detail["loc"]))
            if detail["type"] == "extra_forbidden":
                known = ", ".join(cls.model_fields)
                has = f"expected one of {known}" if known else "it has none"
                problem = f"'{source}' has no setting '{name}'; {has}"
            elif detail["type"] == "missing":
                meaning = cls.model_fields[name].description
                problem = f"'{source}' needs the setting {name}: {meaning}"
            else:
                problem = f"{f'setting {name} ' if name else ''}{problem_in(detail)}"
            raise UnknownSource(f"ingestion: {problem}") from None


def problem_in(detail: Mapping[str, Any]) -> str:
    """Return what is wrong with a value that pydantic refused, and the value."""
    reason: str = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    value = detail["input"]
    # Of several values one may be a key.
    is_single = detail["loc"] and isinstance(value, str | int | float | PurePath)
    return f"{reason}; found '{value}'" if is_single else reason


class NamedSettings(Settings):
    """Settings of a source that may be loaded under another name."""

    dataset: DatasetName | None = setting(
        None, "the data set to load into; the source's own name if unset"
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


# Takes a landed file or parts where the source declares them, else a home and a place.
Opener = Callable[..., "Loadable | Iterable[Loadable | AnswerFile]"]


@dataclass(frozen=True)
class Source:
    """A source that a user may name.

    Attributes:
        where: Where its files are; None for one that needs none.
        reader: The function that reads it, as `package.module.function`.
        file: What its one file is called in a folder; None for one of several files.
        has_parts: Whether it has the files of a folder or an archive; else it lands its own.
        licence: The licence of its files.
        addresses: Addresses by the names that a user may give for them.
    """

    name: str
    about: str
    where: str | None
    settings: type[Settings]
    reader: str
    file: str | None
    has_parts: bool
    licence: str
    addresses: Mapping[str, str]
    opener: Opener | None = None

    def open(
        self, home: Home, location: str | Path | None, given: Mapping[str, str]
    ) -> Loadable | Iterable[Loadable | AnswerFile]:
        """Return what to load: a batch, or several in their order.

        Args:
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
        settings = self.settings.of(given, self.name)
        more = [settings] if self.settings.model_fields else []
        place = self.addresses.get(str(location), str(location))
        module, _, function = self.reader.rpartition(".")
        opener: Opener = self.opener or getattr(import_module(module), function)
        if self.file is None and not self.has_parts:
            return opener(home, place, settings)
        from ingestion.sources.parts import Parts, land_file

        if self.file is None:
            return opener(Parts(home, place, self.name, self.licence), *more)
        landed, reader = land_file(home, place, self.file, self.name, self.licence)
        return (reader or opener)(landed, *more)


_FOUND: dict[str, Source] = {}


def source(
    name: str,
    *,
    about: str,
    where: str | None,
    settings: type[Settings] = Settings,
    file: str | None = None,
    has_parts: bool = False,
    licence: str = "not stated",
) -> Callable[[Opener], Opener]:
    """Register the function below as what reads a source.

    Args:
        name: What a user calls the source.
        where: Where its files are, and what to name; None for one that needs no files.
        file: What its file is called in a folder. The function is given this file, landed, and
            the settings if there are any.
        has_parts: Whether the function is given the `Parts` of a folder or archive instead. With
            neither it is given the home, the place and the settings, and lands files itself.
        licence: The licence of the files.
    """

    def register(opener: Opener) -> Opener:
        reader = f"{opener.__module__}.{opener.__qualname__}"
        _FOUND[name] = Source(
            name, about, where, settings, reader, file, has_parts, licence, {}, opener
        )
        return opener

    return register


def declare(
    name: str,
    *,
    about: str,
    where: str,
    reader: str,
    settings: type[Settings] = Settings,
    file: str | None = None,
    has_parts: bool = False,
    licence: str = "not stated",
    addresses: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Register a function of another module as what reads a source, as `source` does.

    Args:
        reader: The function, as `package.module.function`; it is imported when it is called.
        addresses: Addresses by the names that a user may give for them.
    """
    _FOUND[name] = Source(name, about, where, settings, reader, file, has_parts, licence, addresses)


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
