"""What can be said of a provider of judges: its settings, its families and what they judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.kinds import KIND


@dataclass(frozen=True)
class Setting:
    """One setting of a provider.

    Attributes:
        is_valid: Whether a value can be taken.
        expected: What it must be, for the message when it is not.
        changes_answers: Whether another value can bring other answers. Only such settings are part
            of a judge's identity; how many requests run at once is not.
        is_secret_prone: Whether people paste keys here, so that no message may repeat the value.
    """

    is_valid: Callable[[Any], bool]
    expected: str
    changes_answers: bool = True
    is_secret_prone: bool = False


@dataclass(frozen=True)
class Family:
    """Judges of a provider that share their settings, and judge the same kinds of items.

    Attributes:
        kinds: What they judge.
        settings: The settings that mean something to them.
        defaults: What they take where a judge says nothing.
        models: Their names; the provider's first family has all that no other names.
        judge: Their class, as a provider's.
    """

    kinds: tuple[str, ...]
    settings: frozenset[str]
    defaults: Mapping[str, Any]
    models: frozenset[str] = frozenset()
    judge: str = ""


@dataclass(frozen=True)
class Provider:
    """What the registry must know of a provider.

    Attributes:
        settings: The settings it knows, by name.
        defaults: What it takes where a judge says nothing; families have defaults of their own.
        presets: Models that come with settings of their own.
        judge: The class of its judges, `module.Class`; families may have one of their own. The
            names of its arguments say what it is given, as `judges.make_judge` lists them. Its
            module is imported with the first judge: some take seconds.
        evaluator: The class of those that compare answers with points of view, where it is another.
        metrics: How judges of that class compare.
        accepts: Whether a model name without a preset stands for a judge; the second argument says
            whether `judges.toml` defines it. Any does, unless given.
        models: The models there are, in words, for the message about one there is not.
        lacks: The kinds its judges do not judge, where all of them judge the same; only those on
            this machine can say how likely a text is.
        is_model: Whether its judges are models, which read prompts and write tokens.
        is_here: Whether its judges are on this machine.
        is_bulk: Whether a judge takes all its requests at once.
        address_variable: The environment variable that stands in where a judge has no `base_url`.
        families: Where they do not: which judge what. A judge is of the family that names its
            model, else of the one that alone has a setting it was given, else of the first.
    """

    settings: Mapping[str, Setting]
    defaults: Mapping[str, Any]
    models: str
    accepts: Callable[[str, bool], bool] = lambda _model, _is_named: True
    judge: str = ""
    evaluator: str = ""
    metrics: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset({"likelihood"})
    is_model: bool = True
    is_here: bool = False
    is_bulk: bool = False
    address_variable: str | None = None
    families: tuple[Family, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """What its judges judge, where all of them judge the same."""
        return tuple(kind for kind in KIND if kind not in self.lacks)

    def judge_of(self, kinds: tuple[str, ...]) -> str:
        """Return the class of the judges that judge some kinds."""
        own = (each.judge for each in self.families if each.kinds == kinds and each.judge)
        return next(own, self.judge)

    def family_of(self, model: str, given: Mapping[str, Any]) -> Family:
        """Return the family a model is of."""
        if not self.families:
            return Family(self.kinds, frozenset(self.settings), self.defaults)
        for family in self.families:
            if model in family.models:
                return family
        named = {*given, *self.presets.get(model, {})}
        for family in self.families[1:]:
            others = frozenset().union(*(each.settings for each in self.families if each != family))
            if named & (family.settings - others):
                return family
        return self.families[0]
