"""Replies, the interface of judges, and helpers for the texts of replies."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from inference.judges.request import Request

# How an answer was asked for: as plain text, held to a JSON schema or to a choice of labels by the
# endpoint, or as the probabilities of the labels.
ANSWER_FORMATS = ("text", "json_schema", "choice", "label_scoring")
# Usage of a reply, as far as the endpoint reports it.
COUNTED = ("tokens_in", "tokens_out", "tokens_cached", "cost_usd")
# Reasons to finish without a text: the endpoint's filter, or the model's refusal.
_DECLINED = ("content_filter", "refusal")


@dataclass(frozen=True)
class Reply:
    """Reply to a request: a response, or the kind of error.

    Attributes:
        response: The raw reply; after an error the text that the endpoint sent instead, if any.
        error_kind: One of `ERROR_KINDS`; None when there is a reply.
        error: The error as text, without keys.
        finish_reason: The endpoint's reason why the model stopped.
        tokens_in: Tokens of the prompt; None where the endpoint does not report them.
        cost_usd: None where no price is known.
        omitted_parameters: Settings the endpoint refused, so that the reply was made without them.
        tokens_cached: Those of `tokens_in` that the endpoint had in its cache.
        label_logprobs: Natural logarithms of the probabilities the judge gave the labels at the
            place of its answer, before they are made to sum to one. A label that is not in it was
            not among those the endpoint reports.
        label_logprob_ceiling: What the log-probability of a label that is not in `label_logprobs`
            can be at most.
        model_version: The endpoint's name for the model that answered.
        retry_after_s: The wait that the endpoint asked for.
        steps: The finished messages of a request that takes several, also where the last one
            failed: they need not be sent again.
        steps_name: The field of the answer line that keeps them; None where lines of their own do.
        outcome: A judge's result other than a text, which the kind turns into fields of the line.
        is_sent: Whether any model was asked; false where the failure was known before.
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
    steps: tuple[Mapping[str, Any], ...] = ()
    steps_name: str | None = None
    outcome: Any = None
    is_sent: bool = True


class Judge(Protocol):
    """Answers requests. Opened once a run, and only when there is something to ask."""

    @property
    def concurrency(self) -> int:
        """The most requests in flight at once."""

    def identity(self, request: Request) -> dict[str, Any]:
        """Everything of a request, besides provider and model, that can change its answer."""

    async def ask(self, request: Request) -> Reply:
        """Answer one request. Failures are replies with an error kind, not exceptions."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *details: Any) -> None: ...


class Notes(Protocol):
    """Notes of a bulk judge in the run's journal, which survive a restart."""

    def read(self) -> Sequence[Mapping[str, Any]]:
        """Return the lines noted so far, by this start and earlier ones, oldest first."""

    async def write(self, note: Mapping[str, Any]) -> None:
        """Note a line; returns once the disk has it."""


class BulkJudge(Judge, Protocol):
    """Answers many requests at once, perhaps hours later and after a restart."""

    def ask_many(
        self, requests: Mapping[str, Request], notes: Notes
    ) -> AsyncIterator[tuple[str, Reply]]:
        """Yield a reply for every request, with its id, in any order.

        The caller puts each reply on the disk before it asks for the next. Replies to requests that
        are no longer among `requests` are left out.

        Args:
            requests: The requests by id. Values are made when they are read.
        """


class OfflineJudge:
    """Base class of judges that compute their answers here: nothing to open or to wait for."""

    # Their bound is the journal's fsync, which all requests in flight share.
    concurrency = 512

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the facts of the request; judges with settings add these."""
        return request.facts()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *details: Any) -> None:
        return None


class JudgeWrapper:
    """Base class for judges that wrap another judge."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def concurrency(self) -> int:
        """As many as the judge itself: the messages of one request come one after the other."""
        return self._judge.concurrency

    async def __aenter__(self) -> Self:
        await self._judge.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> None:
        await self._judge.__aexit__(*details)


def reply_of(step: Mapping[str, Any]) -> Reply:
    """Return the reply that a finished step of a request brought, with what it used."""
    used: dict[str, Any] = {name: step.get(name) for name in COUNTED}
    return Reply(response=step["reply"], finish_reason=step.get("finish_reason"), **used)


def note_of(role: str, reply: Reply) -> dict[str, Any]:
    """Return a finished step of a request as a reply's `notes` keep it; `reply_of` reads it."""
    used = {name: getattr(reply, name) for name in COUNTED}
    return {"role": role, "reply": reply.response, "finish_reason": reply.finish_reason, **used}


def written(reply: Reply, declined: str, empty: str) -> Reply:
    """Return a reply that must be a text, as a failure where it has none.

    Args:
        declined: The message where the model or its endpoint declined to write it.
        empty: The message where it is empty.
    """
    if reply.error_kind is not None:
        return reply
    if reply.finish_reason in _DECLINED:
        words = f"{declined}: {reply.finish_reason}"
        return replace(reply, error_kind="filtered", error=words)
    if (reply.response or "").strip():
        return reply
    return replace(reply, response=None, error_kind="empty_choices", error=empty)


def summed(
    replies: Sequence[Reply],
    steps: tuple[Mapping[str, Any], ...],
    steps_name: str | None = None,
) -> Reply:
    """Return the last reply of a request with its steps, and with the usage of all of them.

    A sum is unknown where a part is, but for a failure: it adds what it reports and no more.
    """
    last = replies[-1]
    totals: dict[str, Any] = {}
    for name in COUNTED:
        used = [getattr(reply, name) for reply in replies]
        if last.error_kind is not None and used[-1] is None:
            del used[-1]
        totals[name] = None if not used or None in used else sum(used)
    is_sent = any(reply.is_sent for reply in replies)
    return replace(last, **totals, steps=steps, steps_name=steps_name, is_sent=is_sent)


def answer_text(score: int, reasons: str | None = None) -> str:
    """Return a score in the answer format of the shipped prompts, behind its reasons if any."""
    aside = "" if reasons is None else f"<scratchpad>\n{reasons}\n</scratchpad>\n"
    return f"{aside}<score>\n{score}\n</score>"
