"""What a kind is told and what it gives: questions, prompts, judges, raw tables and their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.items import ItemSource
    from inference.judges.base import Judge
    from inference.kinds.protocol import Way
    from inference.parliamentary.prompts import Manual
    from inference.prices import Prices
    from inference.prompt_files import Prompt
    from inference.questions.answers import PartialAnswer
    from inference.questions.web.access import Web
    from inference.registry import JudgeSpec

# An answer line's `status` where there is a reply.
ANSWERED = "answered"
# The experiment and the wording of answers made elsewhere.
IMPORTED = "imported"
# What an answer line says of its request's cost, for rows that would count it a second time.
NOT_COUNTED_TWICE: Mapping[str, Any] = MappingProxyType(
    {
        "cost_usd": 0.0,
        "tokens_in": None,
        "tokens_out": None,
        "tokens_cached": None,
        "latency_s": None,
        "attempts": None,
    }
)
# Rows that hang on an answer, by their table.
Parts = Mapping[str, list[dict[str, Any]]]


class Asked(NamedTuple):
    """What is asked about every item of a run.

    Attributes:
        template: How it is asked.
        arm: The way, as the experiment chose it; None where the items themselves say what is asked.
        length: The sentence that asks for a length; None where none is asked for.
        manual: What adjudicators are told beforehand; None for others.
        note: How notes on a speech are asked for; None where none are.
    """

    template: Template
    sample: int
    arm: Any = None
    length: Template | None = None
    manual: Manual | None = None
    note: Prompt | None = None


class Put(NamedTuple):
    """What an item puts into a prompt, and the answers there are to choose from.

    Attributes:
        values: A text for every slot but that of all turns.
        variant: The way, with what it left to chance drawn for this item.
        turns: The speaker and the text of each turn.
        labels: The answers there are, as they are to be written; none where the answer is free.
        partial_answers: The points of view on the question.
        note_prompts: The prompts for notes on each speech.
        is_safe: Whether tags in the values are made harmless.
    """

    values: Mapping[str, str]
    variant: Way
    turns: Sequence[tuple[str, str]] = ()
    labels: tuple[str, ...] = ()
    partial_answers: tuple[PartialAnswer, ...] = ()
    note_prompts: tuple[str, ...] = ()
    is_safe: bool = True


class Given(NamedTuple):
    """What a run knows besides its items.

    Attributes:
        seed: The experiment's, which draws what arms leave to chance.
        partial_answers: The points of view on each question, where requests are to have them.
    """

    seed: int
    partial_answers: Mapping[str, tuple[PartialAnswer, ...]]


class Resources(NamedTuple):
    """What a judge can be equipped with for a run.

    Attributes:
        spec: The judge's definition.
        asked: What is asked about each item.
        prices: What tokens cost.
        web: The way to the web; None where there is none.
        judges_file: The `judges.toml` with the settings of others who take part.
        environ: Where keys are read.
        journal_root: The folder of all runs; None if it is unknown.
    """

    experiment: Experiment
    spec: JudgeSpec
    asked: Sequence[Asked]
    source: ItemSource
    prices: Prices
    prompts_folder: Path | None = None
    web: Web | None = None
    judges_file: Path | None = None
    environ: Mapping[str, str] | None = None
    journal_root: Path | None = None


class Drafted(NamedTuple):
    """What a run's header is made of.

    Attributes:
        sampling: The sample's definition and size.
        asked: What is asked about each item.
        judge: The judge, equipped.
        noted: What `Kind.noted` says of the items, each once.
    """

    experiment: Experiment
    sampling: Mapping[str, Any]
    asked: Sequence[Asked]
    judge: Judge
    noted: Sequence[Any]


class Equipped(NamedTuple):
    """A judge with what an experiment's arms take.

    Attributes:
        prepared: Gives an item what is shown with it, such as documents.
    """

    judge: Judge
    prepared: Callable[[Any], Any] = lambda item: item


@dataclass(frozen=True)
class About:
    """What rows of a table must be about.

    Attributes:
        key: The column that names it, null where a row is about none; also the field of those
            quarantined.
        known: Where it must be.
        words: What such a row is that is about nothing there.
        advice: What brings it there.
        may_come: Whether another journal of the same load may bring it.
    """

    key: str
    known: str
    words: str
    advice: str = "ingest its data set, then load again"
    may_come: bool = False


@dataclass(frozen=True)
class Table:
    """A raw table that journal lines become rows of.

    Attributes:
        name: The table, without its schema.
        key: What tells the rows of one run apart.
        parts: The tables of rows that hang on one of these, with what tells those apart.
        about: What rows must be about.
        adds_up: Whether the lines of a request each count what no other does.
    """

    name: str
    key: tuple[str, ...] = ("request_id",)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: tuple[About, ...] = ()
    adds_up: bool = False


class Row(NamedTuple):
    """What an answer line becomes, or of one about several things one of them.

    Attributes:
        row: The row of the kind's table, but for what its run's header says. Lists and objects
            become JSON.
        parts: What it holds besides.
        failure: Why the request brought none of the rows it stands for; None where it is one.
    """

    row: dict[str, Any]
    parts: Parts = MappingProxyType({})
    failure: str | None = None
