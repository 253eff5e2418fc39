"""The contract of a kind of experiment: items, variants, prompts, replies and rows.

The engine and the loader of journals know of a subject what its kind returns, and nothing else.
A new kind is a subclass of `Kind` and a line in `inference/kinds/__init__.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from inference.errors import BadItems, BadTemplate
from inference.item_files import ItemFile
from inference.json_text import object_schema
from inference.kinds.fields import FieldType
from inference.kinds.options import KindOptions
from inference.kinds.parts import Row, Table
from inference.sampling import Drawn, draw_each
from inference.templates import Template, load_template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.items import ItemSource
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.prices import Prices
    from inference.registry import JudgeSpec

_SCORE_BEGINS = re.compile(r"<\s*score\s*>|\"score\"\s*:", re.IGNORECASE)


class Item(Protocol):
    """Subject of a request: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def dataset_id(self) -> str:
        """The data set."""

    @property
    def item_id(self) -> str:
        """The item's id, prefixed by its data set."""

    @property
    def item_hash(self) -> str | None:
        """Hash of all that is asked about."""


class Factors(Protocol):
    """Factors of a variant, with what is left to chance drawn for one item: a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def words(self) -> str:
        """The factors as text, without the prompt."""


class Parsed(Protocol):
    """A reply as it was read."""

    @property
    def reason(self) -> str | None:
        """Reason why nothing could be read; None where something could."""


@dataclass(frozen=True)
class PromptVariant:
    """One way to ask about every item of a run, once for each repeat.

    Attributes:
        arm: The factors as the experiment chose them; None where the items have them.
        run_parts: What makes another run of the same prompts and items, such as a manual's text.
    """

    template: Template
    sample: int
    arm: Any = None

    @property
    def templates(self) -> tuple[Template, ...]:
        """All templates that its prompts are made of."""
        return (self.template,)

    @property
    def run_parts(self) -> tuple[tuple[str, str], ...]:
        """Other texts that make another run, each after a word for what it is."""
        return ()


class PromptInputs(NamedTuple):
    """Content of a prompt, and the answers there are to choose from.

    Attributes:
        values: A text for every slot but that of all turns.
        turns: The speaker and the text of each turn.
        labels: The answers to choose from, as they are to be written; empty where it is free.
        note_prompts: Prompts whose replies the prompt is still to be given.
        is_safe: Whether tags in the values are made harmless.
    """

    values: Mapping[str, str]
    factors: Factors
    turns: Sequence[tuple[str, str]] = ()
    labels: tuple[str, ...] = ()
    note_prompts: tuple[str, ...] = ()
    is_safe: bool = True
    system_suffix: str = ""


@dataclass(frozen=True, kw_only=True)
class Description:
    """One request as its id, the judges and the journal need it.

    Attributes:
        identity: What tells it apart from others of its judge, besides item, prompt and sample.
        facts: Likewise, for judges that see the item instead of a prompt.
        fields: What its answer line has of what was asked.
        reply_fields: What its answer line has of a reply.
        answer_name: The name of the chosen label in a JSON answer.
        schema: Makes the JSON schema of an answer; that of a label where it is None.
        answer_begins: The beginning of an answer in a reply that has more.
        is_last_line: Whether the answer is the last line of a reply.
        is_bare: Whether the prompt asks for a score alone, and not for one between tags.
        overrides: Decoding settings of its arm, which come before the judge's own.
        recorded_reply: The reply that a recording without one stands for.
    """

    identity: Mapping[str, Any]
    facts: Callable[[], Mapping[str, Any]]
    fields: Mapping[str, Any]
    reply_fields: Callable[[Reply], Mapping[str, Any]] = lambda _: {}
    answer_name: str = "score"
    schema: Callable[[Request, str], dict[str, Any] | None] | None = None
    answer_begins: re.Pattern[str] = _SCORE_BEGINS
    is_last_line: bool = False
    is_bare: bool = False
    overrides: Mapping[str, float] = field(default_factory=dict)
    recorded_reply: Callable[[Mapping[str, Any]], str | None] = lambda _: None

    def json_schema(self, request: Request) -> dict[str, Any] | None:
        """Return the schema an answer is held to; None for text."""
        return (self.schema or label_schema)(request, self.answer_name)


@dataclass(frozen=True, kw_only=True)
class CostHints:
    """What a request takes, as far as it is known before it is sent.

    Attributes:
        failure: The error kind and message of a request that is known to fail.
        is_counted: Whether the prompt is counted before it is sent, as it may be too long.
        needs_whole_answer: Whether an answer with less room than it may take is of no use.
        answer: An answer such as is expected, or its number of words; None where the form of the
            answer does not show it.
        messages: How many messages it usually takes, and how many at most.
        history: How many words one message adds to those after it, and how many such there are.
        lookups: How many times the model is asked at most, and the most tokens shown each time.
    """

    failure: tuple[str, str] | None = None
    writes_text: bool = True
    is_counted: bool = False
    needs_whole_answer: bool = False
    answer: int | str | None = None
    messages: tuple[int, int] = (1, 1)
    history: tuple[int, int] = (0, 0)
    lookups: tuple[int, int] = (1, 0)


class ItemSet:
    """Items of one data set that an experiment asks about; a kind has a subclass.

    Attributes:
        reference_name: The file that simulated judges may open.
        count_name: The name of their number in a run's header; None where it has none.
    """

    file: ItemFile[Any]
    reference_name: str | None = None
    count_name: str | None = None

    def __init__(self, experiment: Experiment, source: ItemSource) -> None:
        self.experiment = experiment
        self.source = source

    @property
    def path(self) -> Path:
        """The file, which must be there."""
        return self.file.path(self.source)

    @property
    def reference(self) -> Path | None:
        """The file that simulated judges, and rules that say so, may open."""
        return self.source.file(self.reference_name) if self.reference_name else None

    def exist(self) -> bool:
        """Return whether the data set has anything of the kind."""
        return self.source.file(self.file.name) is not None

    def match(self) -> bool:
        """Return whether it has anything that the experiment asks about."""
        return self.exist()

    def read(self) -> Iterator[Any]:
        """Yield the items in the order of the file."""
        return self.file.read(self.source)

    def draw(self) -> Drawn:
        """Draw the items, in the order of the file."""
        return draw_each(self.experiment.seed, self.file.keys(self.source), self.count_name)

    def missing(self, noun: str) -> BadItems | None:
        """Return the error of a data set none of whose items were drawn; None to leave it out."""
        if self.experiment.datasets == ("*",):
            return None
        return BadItems(
            f"runner: experiment '{self.experiment.name}' asks about {noun}, and data set "
            f"'{self.source.dataset_id}' has nothing of the kind; name another under 'datasets'"
        )

    def observe(self, item: Any) -> None:
        """Take note of an item that will be asked about."""

    def header(self, templates: Sequence[Template]) -> dict[str, Any]:
        """Return what a run's header has of the observed items."""
        return {}


class RunResources(NamedTuple):
    """What a judge can be equipped with for a run.

    Attributes:
        services: What some kinds use besides, by name, such as the way to the web.
        judges_file: The `judges.toml` with the settings of others who take part.
        journal_root: The folder of all runs; None if it is unknown.
    """

    experiment: Experiment
    spec: JudgeSpec
    variants: Sequence[Any]
    items: ItemSet
    prices: Prices
    prompts_folder: Path | None = None
    services: Mapping[str, Any] = {}
    judges_file: Path | None = None
    environ: Mapping[str, str] | None = None
    journal_root: Path | None = None


class Equipped(NamedTuple):
    """A judge with what an experiment's arms take.

    Attributes:
        prepare: Adds to an item what is shown with it, such as documents.
        header: What the run's header has of it.
        run_parts: Texts that make another run of the same prompts and items.
    """

    judge: Judge
    prepare: Callable[[Any], Any] = lambda item: item
    header: Mapping[str, Any] = {}
    run_parts: tuple[str, ...] = ()


@runtime_checkable
class EquipsJudges(Protocol):
    """A kind whose arms take more than a prompt."""

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge with what the arms take.

        Raises:
            BadItems: Something is to be shown that is not there.
            BadSettings: The judge sends all requests at once and is to do one thing after another,
                or what every prompt holds is longer than the judge's window.
            BadTemplate: A prompt cannot be used.
            UnknownJudge: Another judge is to take part and cannot.
        """


class Kind:
    """A kind of experiment.

    Attributes:
        noun: One of its items, for a sentence.
        options: The options of its experiments, whose `kind` is its name in their files.
        line: The `item_kind` of its journal lines; None where older lines do not have one.
        line_fields: What its lines have besides what all answer lines have, so far as rows use it.
        asked_fields: Those of them that say what was asked, so that a recording can be found.
        whole: The fields without which an answer line cannot be read, with their types or values.
        first_experiment: The experiment that a new judge of the kind is proposed.
    """

    noun: str
    options: type[KindOptions]
    item_set: type[ItemSet]
    template: str
    line: str | None
    line_fields: Collection[str] = ()
    asked_fields: Collection[str] = ()
    whole: Mapping[str, Any]
    table: Table
    first_experiment: str = ""

    @property
    def name(self) -> str:
        """Name of the kind in the files of experiments."""
        return self.options.kind

    def items(self, experiment: Experiment, source: ItemSource) -> ItemSet:
        """Return the items of a data set that an experiment asks about."""
        return self.item_set(experiment, source)

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        """Return the ways to ask about every item: each arm, as often as it is repeated.

        Raises:
            BadTemplate: A prompt is not there, or asks something else than the experiment does.
        """
        return variants_of(self, experiment, experiment.arms or (None,), prompts_folder)

    def applies(self, item: Any, variant: Any) -> bool:
        """Return False if nothing is to be asked, or another variant already asks the same."""
        return True

    def prompt_inputs(self, item: Any, variant: Any, seed: int) -> PromptInputs:
        """Return what goes into the prompt about an item; the seed draws what is left to chance."""
        raise NotImplementedError

    def describe(self, request: Request) -> Description:
        """Return a request as its id, the judges and the journal need it."""
        raise NotImplementedError

    def costs(self, request: Request) -> CostHints:
        """Return what a request takes, as far as it is known before it is sent."""
        return CostHints(answer=score_answer(request))

    def parse(self, line: Mapping[str, Any]) -> Parsed:
        """Return a reply as it is read from an answer line that has the `whole` fields."""
        raise NotImplementedError

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the rows of an answer line; a KeyError, TypeError or ValueError refuses it."""
        raise NotImplementedError


def variants_of(
    kind: Kind,
    experiment: Experiment,
    arms: Sequence[Any],
    prompts_folder: Path | None,
    check: Callable[[str, Any, Template], None] = lambda *_: None,
    make: Callable[..., Any] = PromptVariant,
) -> list[Any]:
    """Return each arm with its prompt, as often as the experiment repeats it."""
    names = [getattr(arm, "template", experiment.template) for arm in arms]
    templates = {name: load_template(name, prompts_folder) for name in dict.fromkeys(names)}
    who = f"runner: experiment '{experiment.name}'"
    for name, template in templates.items():
        if template.kind != kind.template:
            raise BadTemplate(
                f"{who} asks about a {kind.template}, and prompt '{name}' about a {template.kind}; "
                "name another prompt"
            )
    for name, arm in zip(names, arms, strict=True):
        check(who, arm, templates[name])
    return [
        make(templates[name], sample, arm)
        for name, arm in zip(names, arms, strict=True)
        for sample in range(experiment.repeats)
    ]


def is_whole(kind: Kind, line: Mapping[str, Any]) -> bool:
    """Return whether an answer line has the fields that reading its reply takes."""
    for name, known in kind.whole.items():
        value = line.get(name)
        if isinstance(known, FieldType) and type(value) not in known.types:
            return False
        if isinstance(known, tuple) and value not in known:
            return False
    return True


@cache
def points(low: int, high: int) -> tuple[str, ...]:
    """Return the points of a scale, as labels."""
    return tuple(str(point) for point in range(low, high + 1))


def described(
    request: Request, name: str, item_name: str, fields: Mapping[str, Any], **more: Any
) -> Description:
    """Return the description of a request whose factors and prompt tell it apart."""
    factors, template = asdict(request.variant), request.template.label
    return Description(
        identity={name: factors, "template": template},
        facts=lambda: {item_name: request.item.item_hash, "template": template},
        fields={**fields, **factors},
        **more,
    )


def score_answer(request: Request) -> str | None:
    """Return a score between tags; None where reasons come first or the answer is free."""
    if not request.labels or request.template.is_justified:
        return None
    return f"<score>\n{max(request.labels, key=len)}\n</score>"


def label_schema(request: Request, name: str) -> dict[str, Any] | None:
    """Return the JSON schema of an answer that is one of the labels; None where it is free."""
    labels = request.labels
    if not labels:
        return None
    if all(re.fullmatch(r"-?[0-9]+", label) for label in labels):
        answer: dict[str, Any] = {"type": "integer", "enum": [int(label) for label in labels]}
    else:
        answer = {"type": "string", "enum": list(labels)}
    reasons = {"reasons": {"type": "string"}} if request.template.is_justified else {}
    return object_schema(reasons | {name: answer})
