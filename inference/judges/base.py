"""What a judge is asked, what it answers, and what every judge can do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from inference.items import Item
from inference.templates import Template

# Why a request has no reply. Stored with it, counted by it, and asked again by the next run.
ERROR_KINDS = (
    "authentication",
    "bad_request",
    "connection",
    "empty_choices",
    "malformed",
    "no_reference",
    "rate_limited",
    "server",
    "timeout",
)


@dataclass(frozen=True)
class Request:
    """One question to a judge.

    Attributes:
        item: What is to be scored.
        template: How it is asked.
        sample: Which of the repeats this is, from 0.
        prompt: The template filled in. Judges that are not models look at the item instead.
        decoding: The experiment's decoding settings, for judges that do not set their own.
    """

    item: Item
    template: Template
    sample: int
    prompt: str
    decoding: Mapping[str, float | int]

    def facts(self) -> dict[str, Any]:
        """What tells this request apart for judges that see the item instead of a prompt."""
        text = f"{self.item.motion}\n\n{self.item.text}"
        return {
            "text": hashlib.sha256(text.encode()).hexdigest(),
            "template": self.template.label,
            "scale": [self.item.scale_min, self.item.scale_max],
        }


@dataclass(frozen=True)
class Reply:
    """What came back: a response, or the kind of error there was instead.

    Attributes:
        response: The raw reply; None after an error.
        error_kind: One of `ERROR_KINDS`; None when there is a reply.
        error: The error in words, without keys.
        finish_reason: Why the model stopped, in the endpoint's word.
        tokens_in: Tokens of the prompt, where the endpoint says.
        tokens_out: Tokens of the reply, where the endpoint says.
        cost_usd: What it cost; None where no price is known.
        omitted_parameters: Settings the endpoint refused, so that the reply was made without them.
    """

    response: str | None = None
    error_kind: str | None = None
    error: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    omitted_parameters: tuple[str, ...] = ()


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


def answer_text(score: int, reasons: str | None = None) -> str:
    """Return a reply in the answer format of the shipped prompts.

    Args:
        score: The score.
        reasons: What goes before it, where reasons are asked for.
    """
    aside = "" if reasons is None else f"<scratchpad>\n{reasons}\n</scratchpad>\n"
    return f"{aside}<score>\n{score}\n</score>"
