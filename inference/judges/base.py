"""What a judge is asked, what it answers, and what every judge can do."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from inference.answers import Answer, Comparison, Generation, PartialAnswer, Question, Rating
from inference.debates import Debate
from inference.items import Speech
from inference.parliamentary import AskedAdjudication, ParliamentaryDebate
from inference.templates import Template
from inference.variants import Variant

# Why a request has no reply. Stored with it and counted by it.
ERROR_KINDS = (
    "authentication",
    "bad_request",
    "billing",
    "connection",
    "context_overflow",
    "empty_answer",
    "empty_choices",
    "expired",
    "filtered",
    "malformed",
    "no_partial_answers",
    "no_recording",
    "no_reference",
    "overloaded",
    "rate_limited",
    "server",
    "timeout",
)
# What may pass: asked again within the run, after a wait, and by the next run.
TRANSIENT_KINDS = frozenset(
    {
        "connection", "empty_choices", "malformed", "overloaded", "rate_limited", "server",
        "timeout",
    }
)  # fmt: skip
# What the same request will always bring: it stands as the request's outcome, and is not paid for
# again. All other kinds are asked again by the next run.
FINAL_KINDS = frozenset(
    {"context_overflow", "empty_answer", "filtered", "no_partial_answers", "no_recording"}
)

# How an answer was asked for: as plain text, held to a JSON schema or to a choice of labels by the
# endpoint, or as the probabilities of the labels.
ANSWER_FORMATS = ("text", "json_schema", "choice", "label_scoring")


Item = Speech | Debate | Question | Answer | ParliamentaryDebate
# How an item is asked about; a speech says itself what is scored.
Way = Variant | Generation | Rating | Comparison | AskedAdjudication


@dataclass(frozen=True)
class Request:
    """One question to a judge.

    Attributes:
        item: What is to be scored, whose winner is to be named, or what is to be answered.
        template: How it is asked.
        sample: Which of the repeats this is, from 0.
        prompt: The template filled in. Judges that are not models look at the item instead.
        decoding: The experiment's decoding settings, for judges that do not set their own.
        labels: The answers there are to choose from, as they are to be written; none where the
            answer is free text or no text at all.
        variant: What the sides of a debate are called and which is named first, how a question is
            to be answered, what is scored of an answer, by which metric, or how a parliamentary
            debate is adjudicated; None for a speech.
        system: What the system turn says before the prompt; None where there is none.
        partial_answers: The points of view on the question that was answered, for evaluators and
            prompts which compare an answer with them.
        finished_steps: The `searches` or `notes` of an earlier attempt that failed later on: they
            need not be asked for again. No part of what is asked.
        note_prompts: The prompts whose replies, notes on a speech each, the prompt is yet to be
            given; none where the prompt shows the debate itself.
    """

    item: Item
    template: Template
    sample: int
    prompt: str
    decoding: Mapping[str, float | int]
    labels: tuple[str, ...] = ()
    variant: Way | None = None
    system: str | None = None
    partial_answers: tuple[PartialAnswer, ...] = ()
    finished_steps: tuple[Mapping[str, Any], ...] = ()
    note_prompts: tuple[str, ...] = ()

    @property
    def speech(self) -> Speech:
        """The speech that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Speech):
            raise TypeError(f"'{self.item.item_id}' is no speech")
        return self.item

    @property
    def debate(self) -> Debate:
        """The debate that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Debate):
            raise TypeError(f"'{self.item.item_id}' is no debate")
        return self.item

    @property
    def question(self) -> Question:
        """The question that is to be answered.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Question):
            raise TypeError(f"'{self.item.item_id}' is no question")
        return self.item

    @property
    def answer(self) -> Answer:
        """The answer that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Answer):
            raise TypeError(f"'{self.item.item_id}' is no answer")
        return self.item

    @property
    def parliamentary(self) -> ParliamentaryDebate:
        """The parliamentary debate that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, ParliamentaryDebate):
            raise TypeError(f"'{self.item.item_id}' is no parliamentary debate")
        return self.item

    @property
    def adjudication(self) -> AskedAdjudication:
        """How a parliamentary debate is to be adjudicated.

        Raises:
            TypeError: This is no request to adjudicate one.
        """
        if not isinstance(self.variant, AskedAdjudication):
            raise TypeError(f"'{self.item.item_id}' is not to be adjudicated")
        return self.variant

    @property
    def asked_variant(self) -> Variant:
        """How a debate is asked about.

        Raises:
            TypeError: This is no question about a debate.
        """
        if not isinstance(self.variant, Variant):
            raise TypeError(f"'{self.item.item_id}' is not asked about as a debate is")
        return self.variant

    @property
    def generation(self) -> Generation:
        """How a question is to be answered.

        Raises:
            TypeError: This is no request to answer one.
        """
        if not isinstance(self.variant, Generation):
            raise TypeError(f"'{self.item.item_id}' is not to be answered")
        return self.variant

    @property
    def rating(self) -> Rating:
        """What is to be scored, and on which scale.

        Raises:
            TypeError: No score is asked for.
        """
        if isinstance(self.item, Speech):
            return Rating(self.item.dimension, self.item.scale_min, self.item.scale_max)
        if not isinstance(self.variant, Rating):
            raise TypeError(f"'{self.item.item_id}' is not to be scored")
        return self.variant

    @property
    def comparison(self) -> Comparison:
        """By which metric an answer is compared with the points of view.

        Raises:
            TypeError: It is not to be compared.
        """
        if not isinstance(self.variant, Comparison):
            raise TypeError(f"'{self.item.item_id}' is not to be compared")
        return self.variant

    @property
    def asks(self) -> str:
        """What is asked, in words: the dimension, the metric, or the way of asking."""
        if isinstance(self.variant, Generation | AskedAdjudication):
            return self.variant.words
        if isinstance(self.variant, Comparison):
            return self.variant.metric
        if isinstance(self.variant, Variant):
            return f"{self.variant.verbalizer}, {self.variant.position}, {self.variant.outcome}"
        return self.rating.dimension

    @property
    def overrides(self) -> dict[str, float]:
        """Decoding settings of the request's arm, which come before the judge's own."""
        if not isinstance(self.variant, Generation):
            return {}
        chosen = {"temperature": self.variant.temperature, "top_p": self.variant.top_p}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def sent(self) -> str:
        """Everything that is sent as text, the system turn first."""
        return self.prompt if self.system is None else f"{self.system}\n\n{self.prompt}"

    def identity(self) -> dict[str, Any]:
        """What tells this request apart from all others of its judge, besides its prompt.

        The variant is part of it as the experiment chose it and as it was drawn, so that two arms
        are asked apart also where their prompts come out the same.
        """
        if isinstance(self.variant, Variant):
            apart: dict[str, Any] = {"variant": asdict(self.variant)}
        elif isinstance(self.variant, Generation):
            chosen = {**asdict(self.variant), "template": self.template.label}
            apart = {"generation": chosen}
        elif isinstance(self.variant, Comparison):
            pairs = [(each.partial_answer_id, each.text_hash) for each in self.partial_answers]
            apart = {"comparison": asdict(self.variant), "partial_answers": pairs}
        elif isinstance(self.variant, AskedAdjudication):
            apart = {"adjudication": self.variant.identity(), "template": self.template.label}
            if self.note_prompts:
                notes = "\n".join(self.note_prompts).encode("utf-8", "replace")
                apart["note_prompts"] = hashlib.sha256(notes).hexdigest()
        else:
            apart = {"dimension": self.rating.dimension}
        return {"item_id": self.item.item_id, **apart, "sample": self.sample}

    def facts(self) -> dict[str, Any]:
        """What tells this request apart for judges that see the item instead of a prompt."""
        item = self.item
        if isinstance(item, ParliamentaryDebate):
            return {"debate": item.item_hash, "template": self.template.label}
        if isinstance(item, Speech):
            return {
                "text": hashlib.sha256(f"{item.motion}\n\n{item.text}".encode()).hexdigest(),
                "template": self.template.label,
                "scale": [item.scale_min, item.scale_max],
            }
        if isinstance(item, Question):
            shown = hashlib.sha256(self.sent.encode("utf-8", "replace")).hexdigest()
            return {"question": item.item_hash, "prompt": shown, "template": self.template.label}
        if isinstance(item, Answer):
            known: dict[str, Any] = {"answer": item.item_hash, "template": self.template.label}
            if isinstance(self.variant, Rating):
                known["scale"] = [self.variant.scale_min, self.variant.scale_max]
            return known
        words = (item.words_pro, item.words_con, item.words_other)
        return {"debate": item.item_hash, "words": words, "template": self.template.label}


@dataclass(frozen=True)
class Likelihood:
    """What an evaluator finds of one point of view in one answer.

    Attributes:
        partial_answer_id: The point of view.
        text_hash: Of its text.
        status: One of `LIKELIHOOD_STATUSES`; there are numbers only where it is `scored`.
        value: The metric, where one number is all of it.
        logprob_sum: Sum of the natural log-probabilities of the point of view's tokens.
        token_count: Its tokens.
        context_token_count: The tokens before them, special ones included.
        token_logprobs: Each token's text and log-probability, where they are kept.
    """

    partial_answer_id: str
    text_hash: str
    status: str
    value: float | None = None
    logprob_sum: float | None = None
    token_count: int | None = None
    context_token_count: int | None = None
    token_logprobs: tuple[tuple[str, float], ...] | None = None


LIKELIHOOD_STATUSES = (
    "scored",
    "context_overflow",
    "empty_context",
    "empty_continuation",
    "empty_answer",
    "not_finite",
)


# What a reply uses, as far as the endpoint says.
COUNTED = ("tokens_in", "tokens_out", "tokens_cached", "cost_usd")


@dataclass(frozen=True)
class Reply:
    """What came back: a response, or the kind of error there was instead.

    Attributes:
        response: The raw reply; after an error what the endpoint sent instead, where it sent text.
        error_kind: One of `ERROR_KINDS`; None when there is a reply.
        error: The error in words, without keys.
        finish_reason: Why the model stopped, in the endpoint's word.
        tokens_in: Tokens of the prompt, where the endpoint says.
        tokens_out: Tokens of the reply, where the endpoint says.
        cost_usd: What it cost; None where no price is known.
        omitted_parameters: Settings the endpoint refused, so that the reply was made without them.
        tokens_cached: Those of `tokens_in` the endpoint had in its cache, where it says.
        answer_format: One of `ANSWER_FORMATS`.
        label_logprobs: Natural logarithms of the probabilities the judge gave the labels at the
            place of its answer, before they are made to sum to one. A label that is not in it was
            not among those the endpoint reports.
        label_logprob_ceiling: What the log-probability of a label that is not in `label_logprobs`
            can be at most.
        model_version: What the endpoint calls the model that answered, where it says.
        retry_after_s: How long the endpoint asked to be left alone.
        likelihoods: What an evaluator found, a point of view each; None for judges that reply.
        answer_token_count: The evaluator's tokens of the answer alone.
        searches: What was looked for before the answer, what was found, what the model said to it
            and what that used, a step each, also where the last one failed; None where nobody did.
        notes: The notes that were taken on speeches before the ruling, and what each used, also
            where the last one failed; None where none were taken.
    """

    response: str | None = None
    error_kind: str | None = None
    error: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    omitted_parameters: tuple[str, ...] = ()
    tokens_cached: int | None = None
    answer_format: str = "text"
    label_logprobs: Mapping[str, float] | None = None
    label_logprob_ceiling: float | None = None
    model_version: str | None = None
    retry_after_s: float | None = None
    likelihoods: tuple[Likelihood, ...] | None = None
    answer_token_count: int | None = None
    searches: tuple[Mapping[str, Any], ...] | None = None
    notes: tuple[Mapping[str, Any], ...] | None = None


class Judge(Protocol):
    """Answers requests. Opened once a run, and only when there is something to ask."""

    @property
    def concurrency(self) -> int:
        """How many requests it takes at once."""
        ...

    def identity(self, request: Request) -> dict[str, Any]:
        """Everything of a request, besides provider and model, that can change its answer."""
        ...

    async def ask(self, request: Request) -> Reply:
        """Answer one request. Failures are replies with an error kind, not exceptions."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Notes(Protocol):
    """Where a bulk judge keeps what it must know after a restart: lines of the run's journal."""

    def read(self) -> Sequence[Mapping[str, Any]]:
        """Return the lines noted so far, by this start and earlier ones, oldest first."""
        ...

    async def write(self, note: Mapping[str, Any]) -> None:
        """Note a line; returns once the disk has it."""
        ...


class BulkJudge(Judge, Protocol):
    """Answers many requests at once, perhaps hours later and after a restart."""

    def ask_many(
        self, requests: Mapping[str, Request], notes: Notes
    ) -> AsyncIterator[tuple[str, Reply]]:
        """Yield a reply for every request, with its id, in any order.

        The caller puts each reply on the disk before it asks for the next. Replies to requests that
        are no longer among `requests` are left out.

        Args:
            requests: What is to be answered, by request id. Values are made when they are read.
            notes: What must survive a restart.
        """
        ...


class OfflineJudge:
    """Shared by judges that compute their answers here: nothing to open, nothing to wait for."""

    # What bounds them is the journal's fsync, which all requests in flight share.
    concurrency = 512

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class AroundJudge:
    """Shared by what stands around a judge: it is opened and closed with it.

    Args:
        judge: The judge.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def __aenter__(self) -> Self:
        await self._judge.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._judge.__aexit__(kind, error, trace)


def answer_text(score: int, reasons: str | None = None) -> str:
    """Return a reply in the answer format of the shipped prompts.

    Args:
        score: The score.
        reasons: What goes before it, where reasons are asked for.
    """
    aside = "" if reasons is None else f"<scratchpad>\n{reasons}\n</scratchpad>\n"
    return f"{aside}<score>\n{score}\n</score>"


def verdict_text(request: Request, winner: str | None, reasons: str) -> str:
    """Return a reply in the answer format of the shipped prompts about debates.

    Args:
        request: The request.
        winner: The side that has won, whatever is asked for; None for a judge that cannot say.
        reasons: What goes before the answer, where reasons are asked for.
    """
    answer = "Neither." if winner is None else request.asked_variant.answer_for(winner)
    return f"{reasons}\n{answer}" if request.template.is_justified else answer
