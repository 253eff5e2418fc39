"""Providers of judges and their families: settings, named judges, kinds of items, and classes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from inference.errors import BadSettings
from inference.kinds import KIND

# Metadata of a setting that cannot change an answer, and so is no part of a judge's identity.
OPERATIONAL: dict[str, JsonValue] = {"changes_answers": False}
# Metadata of a setting that people paste keys into: no message repeats its value.
SECRET_PRONE: dict[str, JsonValue] = {"is_secret_prone": True}

Share = Annotated[float, Field(ge=0, le=1, description="a share from 0 to 1")]
Seed = Annotated[int, Field(ge=0)]


class Settings(BaseModel):
    """Settings of a family of judges: types, ranges and defaults. None stands for "not set"."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, defer_build=True, allow_inf_nan=False
    )

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the settings that a judge has where its entry does not set them."""
        values = {name: each.get_default() for name, each in cls.model_fields.items()}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def metadata(cls, name: str) -> Mapping[str, Any]:
        """Return the metadata of a setting."""
        extra = cls.model_fields[name].json_schema_extra
        return extra if isinstance(extra, dict) else {}


@dataclass(frozen=True)
class Family:
    """Judges of one provider that share a class, their settings, and the kinds they judge.

    Attributes:
        judge: The class, `module.Class`. The names of its arguments say what it is given, as
            `judges.make_judge` lists them. Its module is imported with the first judge.
        judged: The kinds of items they judge; none for all that `lacks` does not name.
        presets: Judges that exist by name, with the settings in which they differ.
        other_names: The pattern of other model names that stand for one of its judges; empty for
            none.
        needs_entry: Whether judges of other names must be in `judges.toml`.
        lacks: Kinds they do not judge. Only a model on this machine knows how likely a text is.
        evaluator: The class for comparisons with points of view, where it is another.
    """

    judge: str
    judged: tuple[str, ...] = ()
    settings: type[Settings] = Settings
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    other_names: str = ".+"
    needs_entry: bool = False
    lacks: frozenset[str] = frozenset({"likelihood"})
    evaluator: str = ""
    metrics: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of items its judges judge."""
        return self.judged or tuple(kind for kind in KIND if kind not in self.lacks)


@dataclass(frozen=True)
class Provider:
    """A provider of judges.

    Attributes:
        families: Its families. A judge that is no preset and whose settings fit several belongs to
            the first, if they fit that one.
        is_model: Whether its judges are models, which read prompts and write tokens.
        is_here: Whether its judges are on this machine.
        is_bulk: Whether a judge takes all its requests at once.
        address_variable: The environment variable that stands in where a judge has no `base_url`.
    """

    families: tuple[Family, ...]
    models: str
    is_model: bool = True
    is_here: bool = False
    is_bulk: bool = False
    address_variable: str | None = None

    def __post_init__(self) -> None:
        names = list(chain.from_iterable(each.presets for each in self.families))
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"providers: '{repeated[0]}' is a preset of two families; rename one")

    @property
    def presets(self) -> dict[str, Mapping[str, Any]]:
        """The settings of its presets, by name."""
        return {name: own for family in self.families for name, own in family.presets.items()}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of items that any of its judges judges."""
        return tuple(dict.fromkeys(kind for family in self.families for kind in family.kinds))

    def candidates(self, model: str, *, is_in_file: bool) -> list[Family]:
        """Return the families that have or accept a model: one, where it is a preset."""
        named = [each for each in self.families if model in each.presets]
        return named or [
            each
            for each in self.families
            if re.fullmatch(each.other_names, model) and (is_in_file or not each.needs_entry)
        ]


def family_of(
    who: str, candidates: Sequence[Family], kind: str | None, given: Mapping[str, Any]
) -> Family:
    """Return the family of a judge: as declared, else the only one that has all its settings.

    Args:
        who: The judge, for messages.
        kind: The kind of items that the judge's entry declares.
        given: The settings of its entry.

    Raises:
        BadSettings: No family judges the kind, or several have the settings and none is declared.
    """
    if kind is not None:
        kinds = dict.fromkeys(name for each in candidates for name in each.kinds)
        if kind not in kinds:
            raise BadSettings(
                f"registry: {who} has kind = '{kind}'; expected one of {', '.join(kinds)}"
            )
        candidates = [each for each in candidates if kind in each.kinds]
    shared = [len(set(given) & set(each.settings.model_fields)) for each in candidates]
    fitting = [each for each, n in zip(candidates, shared, strict=True) if n == len(given)]
    if len(fitting) > 1 and fitting[0] is not candidates[0]:
        raise BadSettings(
            f"registry: {who} has settings of several families of judges; add kind = "
            + " or ".join(f'"{each.kinds[0]}"' for each in fitting)
        )
    # Where no family has all, the nearest names the setting that it lacks.
    return fitting[0] if fitting else candidates[shared.index(max(shared))]


def in_words(kinds: tuple[str, ...]) -> str:
    """Return kinds of items for a sentence: a speech or an answer."""
    return " or ".join(KIND[kind].noun for kind in kinds)
