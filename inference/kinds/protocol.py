"""What a kind of experiment is: all that the engine and the journal's loader know of a subject.

A kind says what its items are and where they lie, in which ways an experiment asks about them, what
an item puts into a prompt, what tells one request from another, what is kept of a reply and how it
is read, and which rows of which raw tables a line of a journal becomes. Whoever adds one writes a
subclass of `Kind` and names it in `KINDS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from inference.errors import BadItems, BadTemplate, UnknownExperiment
from inference.item_files import ItemFile
from inference.json_text import object_schema
from inference.kinds.fields import are_texts
from inference.kinds.parts import Asked, Drafted, Equipped, Given, Put, Resources, Row, Table
from inference.sampling import Drawn, draw_each
from inference.templates import Template, load_template
from inference.value_rules import Rule

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.items import ItemSource
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.tokens import Context, TokenCounter

_SCORE_BEGINS = re.compile(r"<\s*score\s*>|\"score\"\s*:", re.IGNORECASE)


class Item(Protocol):
    """What is asked about: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def dataset_id(self) -> str:
        """The data set."""

    @property
    def item_id(self) -> str:
        """The item, its data set's name before a colon."""

    @property
    def item_hash(self) -> str | None:
        """Of all that is asked about."""


class Way(Protocol):
    """How an item is asked about: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""


class Kind:
    """A kind of experiment.

    Attributes:
        name: What an experiment's file calls it.
        words: One of its items, for a sentence.
        files: The file of a data set its items are in, and what one item is.
        template: What its prompts ask about.
        reference_file: The file of what simulated judges may open, and rules that say so.
        counted: What a run's header calls the number of its items; None where it says nothing.
        own: The keys of an experiment's file that mean something to it and not to every kind.
        tables: The tables among them that arms are made of, with the rules of their keys.
        required: Those that must be there.
        arms_name: What an experiment's definition calls its arms; None for kinds with one way.
        advice_on_same_arms: What to do about a file in which two arms are the same.
        identity_name: What a request's identity calls its way.
        item_name: What a request's facts call the item's hash.
        line: The `item_kind` of its journal lines; None where older lines do not have one.
        line_fields: What its lines have besides what all answer lines have, so far as rows use it.
        found_fields: Those of them that a reply brings; the others say what was asked.
        table: The raw table of its rows.
        answer_begins: How an answer begins in a reply that has more.
        asks_text: Whether a judge is to write something; no where texts are only compared.
        is_bare: Whether prompts ask for a score alone, and not for one between tags.
        counts_prompts: Whether prompts are counted before they are sent, as they may be too long.
        compares: Whether every request needs the points of view on its question.
        is_journalled: Whether its items come out of other runs' journals.
        finds_effects: Whether a plan says which effects of its arms would be found.
        first_experiment: Which experiment a new judge of the kind is proposed; empty for none.
    """

    name: str
    words: str
    files: ItemFile[Any]
    template: str
    reference_file: str | None = None
    counted: str | None = None
    own: frozenset[str] = frozenset()
    tables: Mapping[str, Mapping[str, Rule]] = {}
    required: tuple[str, ...] = ()
    arms_name: str | None = None
    advice_on_same_arms = "ask several times with repeats"
    identity_name: str
    item_name: str
    line: str | None
    line_fields: Collection[str] = ()
    found_fields: Collection[str] = ()
    table: Table
    answer_begins = _SCORE_BEGINS
    asks_text = True
    is_bare = False
    counts_prompts = False
    compares = False
    is_journalled = False
    finds_effects = False
    first_experiment = ""

    # Items.

    def is_there(self, source: ItemSource) -> bool:
        """Return whether a data set has anything of the kind."""
        return source.file(self.files.name) is not None

    def fits(self, experiment: Experiment, source: ItemSource) -> bool:
        """Return whether a data set has anything that an experiment of the kind asks about."""
        return self.is_there(source)

    def file(self, source: ItemSource) -> Path:
        """Return the file of a data set its items are in, which must be there."""
        return self.files.path(source)

    def reference(self, source: ItemSource) -> Path | None:
        """Return what simulated judges may open, and rules that say so."""
        return source.file(self.reference_file) if self.reference_file else None

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Item]:
        """Yield the items an experiment reads, in the file's order."""
        return self.files.read(source)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        """Draw a data set's items.

        Raises:
            BadItems: A file cannot be read, or there are too few.
        """
        return draw_each(experiment.seed, self.files.keys(source), self.counted)

    def check_drawn(
        self, experiment: Experiment, sources: Sequence[ItemSource], drawn: Sequence[Drawn]
    ) -> None:
        """Refuse data sets that have nothing of what is asked about, where they were named.

        Raises:
            BadItems: One has not.
        """
        for source, each in zip(sources, drawn, strict=True):
            if not len(each.keys) and experiment.datasets != ("*",):
                raise BadItems(
                    f"runner: experiment '{experiment.name}' asks about {self.words}, and data set "
                    f"'{source.dataset_id}' has nothing of the kind; name another under 'datasets'"
                )

    def noted(self, item: Any) -> Any:
        """Return what `check_noted` and `header` are to know of an item."""
        return None

    def check_noted(
        self,
        experiment: Experiment,
        dataset_id: str,
        noted: Sequence[Any],
        templates: Sequence[Template],
    ) -> None:
        """Refuse items that do not fit the prompts.

        Raises:
            BadItems: One does not.
        """

    # Ways of asking.

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the fields of an experiment that its file gives in another form, arms above all.

        Raises:
            UnknownExperiment: Something is lacking, or does not go together.
        """
        if "template" not in values:
            raise UnknownExperiment(f"experiments: {path} lacks the key 'template'; add it")
        return {}

    def arms(self, experiment: Experiment) -> Sequence[Any]:
        """Return the ways in which every item is asked about; None where the item says it."""
        return experiment.arms

    def asked(self, experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
        """Return what is asked about every item: each arm, as often as it is repeated.

        Raises:
            BadTemplate: A prompt or a judging manual is not there, or a prompt asks something else
                than the experiment does.
        """
        arms = self.arms(experiment)
        names = [getattr(arm, "template", experiment.template) for arm in arms]
        templates = {name: load_template(name, prompts_folder) for name in dict.fromkeys(names)}
        for name, template in templates.items():
            self.check_template(experiment, name, template)
        for name, arm in zip(names, arms, strict=True):
            self.check_arm(f"runner: experiment '{experiment.name}'", arm, templates[name])
        return [
            Asked(templates[name], sample, arm)
            for name, arm in zip(names, arms, strict=True)
            for sample in range(experiment.repeats)
        ]

    def check_template(self, experiment: Experiment, name: str, template: Template) -> None:
        """Refuse a prompt that asks about something else.

        Raises:
            BadTemplate: It does.
        """
        if template.kind != self.template:
            raise BadTemplate(
                f"runner: experiment '{experiment.name}' asks about a {self.template}, and "
                f"prompt '{name}' about a {template.kind}; name another prompt"
            )

    def check_arm(self, who: str, arm: Any, template: Template) -> None:
        """Refuse a prompt that does not ask in an arm's way.

        Raises:
            BadTemplate: It does not.
        """

    def run_parts(self, asked: Sequence[Asked]) -> list[str]:
        """Return what makes another run of the same prompts and items, such as a manual's text."""
        return []

    def header(self, run: Drafted) -> dict[str, Any]:
        """Return what a run's header says of its experiment."""
        arms = [asdict(arm) for arm in run.experiment.arms]
        return {"experiment_kind": self.name, "sampling": dict(run.sampling), "arms": arms}

    # Requests.

    def has_use(self, item: Any, arm: Any) -> bool:
        """Say whether something is asked about an item that nothing else asks about it."""
        return True

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        """Return what an item puts into a prompt."""
        raise NotImplementedError

    def identity(self, request: Request) -> dict[str, Any]:
        """What tells a request apart, besides its item, its prompt and its sample."""
        return {self.identity_name: asdict(request.variant), "template": request.template.label}

    def facts(self, request: Request) -> dict[str, Any]:
        """What tells a request apart for judges that see the item instead of a prompt."""
        return {self.item_name: request.item.item_hash, "template": request.template.label}

    def overrides(self, request: Request) -> dict[str, float]:
        """Decoding settings of the request's arm, which come before the judge's own."""
        return {}

    def answer_name(self, request: Request) -> str:
        """What a JSON answer calls the label that is chosen."""
        return "score"

    def schema(self, request: Request) -> dict[str, Any] | None:
        """Return what an answer is held to where an endpoint takes a JSON schema; None for text."""
        if not request.labels:
            return None
        reasons = {"reasons": {"type": "string"}} if request.template.is_justified else {}
        answer = {self.answer_name(request): _label_schema(request.labels)}
        return object_schema(reasons | answer)

    def is_last_line(self, request: Request) -> bool:
        """Whether the answer is the last line of a reply."""
        return False

    # Running.

    def equipped(self, judge: Judge, resources: Resources) -> Equipped:
        """Return the judge with what the experiment's arms take.

        Raises:
            BadItems: Documents are to be shown and there are none.
            BadSettings: A batch is to look for documents, to take notes or to answer others, or
                what every prompt holds is longer than the judge's window.
            BadTemplate: A prompt cannot be used.
            UnknownJudge: Somebody who is to take part cannot.
        """
        return Equipped(judge)

    def unsent(self, request: Request) -> tuple[str, str] | None:
        """Return the error kind and words of a request that is known to fail; None for others."""
        return None

    def is_counted(self, request: Request) -> bool:
        """Whether a request's prompt is counted before it is sent."""
        return False

    def most_tokens(self, request: Request, tokens_in: int, tokens_out: int) -> tuple[int, int]:
        """Return the most tokens of all messages of a request, given those of its own."""
        return tokens_in, tokens_out

    def replies(self, request: Request) -> tuple[int, int]:
        """Return how many replies a request usually takes, and how many at most."""
        return (len(request.note_prompts) + 1,) * 2

    def tokens_in(self, request: Request, counter: TokenCounter, tokens_out: int) -> int:
        """Return the tokens of a request's prompts; notes are read again as long as they may be."""
        found = counter.count(request.prompt, request.system)
        for prompt in request.note_prompts:
            found += counter.count(prompt, request.system) + tokens_out
        return found

    def expected(self, request: Request) -> int | str | None:
        """Return an answer such as is expected, or its words; None where the form says nothing."""
        if not request.labels or request.template.is_justified:
            return None
        return f"<score>\n{max(request.labels, key=len)}\n</score>"

    def recorded(self, request: Request) -> Sequence[Mapping[str, Any]]:
        """Return what a recording may say that was asked, the most telling first."""
        return (self.fields(request),)

    def asked_by(self, said: Mapping[str, Any]) -> str | None:
        """Return what a recording says that was asked, as a key; None where it says nothing.

        Args:
            said: Its fields, or what `recorded` says of a request.
        """
        names = set(self.line_fields).difference(self.found_fields)
        return json.dumps({name: said.get(name) for name in names}, sort_keys=True)

    def reply_to(self, request: Request, found: Mapping[str, Any]) -> str | None:
        """Return the reply that a recording without one stands for; None where there is none."""
        return None

    # Journal lines and replies.

    def fields(self, request: Request) -> dict[str, Any]:
        """Return what an answer line says was asked."""
        return {"item_kind": self.line, **asdict(request.variant)}

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return what an answer line keeps of a reply that only this kind's have.

        Args:
            reply: What came back.
            counted: How long the prompt was found to be before it was sent, where it was counted.
        """
        return {}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        """Say whether an answer line has what reading its reply takes."""
        return are_texts(line, "request_id", "response")

    def said(self, line: Mapping[str, Any]) -> Any:
        """Return what a whole answer line says, with the `reason` if that is nothing."""
        raise NotImplementedError

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        """Return why nothing can be had from a whole answer line; None where something can."""
        reason: str | None = self.said(line).reason
        return reason

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the rows an answer line becomes.

        Raises:
            KeyError: A field is missing.
            TypeError: A field is of another kind.
            ValueError: A field has a value there is not.
        """
        raise NotImplementedError


@cache
def points(low: int, high: int) -> tuple[str, ...]:
    """Return the answers there are to choose from: the points of a scale."""
    return tuple(str(point) for point in range(low, high + 1))


def _label_schema(labels: Collection[str]) -> dict[str, Any]:
    """Return what a JSON schema says of an answer that is one of some labels."""
    if all(re.fullmatch(r"-?[0-9]+", label) for label in labels):
        return {"type": "integer", "enum": [int(label) for label in labels]}
    return {"type": "string", "enum": list(labels)}
