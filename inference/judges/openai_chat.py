"""Judges behind any OpenAI-compatible chat endpoint.

The client retries what may pass (rate limits, server errors, lost connections), waiting as long as
`Retry-After` says. A setting the endpoint refuses is left out from then on, and every reply made
without it says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from inference.errors import MissingKey
from inference.judges.base import Reply, Request
from inference.registry import JudgeSpec

# What may be left out when an endpoint refuses it, and what is sent instead, if anything.
_OPTIONAL: Mapping[str, str | None] = {
    "temperature": None,
    "top_p": None,
    "seed": None,
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": None,
}
# A complaint about length names max_tokens, but leaving it out would be another experiment.
_TOO_LONG = re.compile(r"too (large|long|high|many)|context|exceed|maximum|at most", re.IGNORECASE)
_REFUSAL = re.compile(
    r"support|unrecogni|unknown|unexpected|permitted|allowed|invalid|only the default",
    re.IGNORECASE,
)
_LONGEST_ERROR = 500
# Shorter ones are placeholders such as EMPTY, and may well be words of a reply.
_SHORTEST_KEY = 8


class OpenAIJudge:
    """One model at one endpoint."""

    def __init__(self, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        self._spec = spec
        self._environ = environ
        self._key = ""
        self._client: AsyncOpenAI | None = None
        self._refused: list[str] = []

    @property
    def concurrency(self) -> int:
        """How many requests are in flight at once."""
        return int(self._spec.settings["concurrency"])

    def identity(self, request: Request) -> dict[str, Any]:
        """The prompt, the endpoint and every parameter as it is meant to be sent."""
        return {
            "prompt": hashlib.sha256(request.prompt.encode("utf-8", "replace")).hexdigest(),
            "base_url": self._spec.settings["base_url"],
            "parameters": self._parameters(request),
        }

    async def __aenter__(self) -> Self:
        variable = self._spec.settings["api_key_env"]
        environ = os.environ if self._environ is None else self._environ
        self._key = environ.get(variable, "").strip() if variable else ""
        if variable and not self._key:
            raise MissingKey(
                f"openai: judge '{self._spec.judge_id}' needs a key, and the environment variable "
                f"{variable} is not set; set it, or name another with the setting api_key_env (an "
                "empty text where the endpoint wants none)"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise MissingKey(
                f"openai: the environment variable {variable} holds characters that no key has; "
                "set it again, without quotation marks or line breaks"
            )
        self._client = AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self._spec.settings["base_url"],
            timeout=float(self._spec.settings["timeout_s"]),
            max_retries=int(self._spec.settings["max_retries"]),
            http_client=DefaultAioHttpClient(),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def ask(self, request: Request) -> Reply:
        """Send the prompt as the only user turn and return the reply, or the kind of failure."""
        if self._client is None:
            raise RuntimeError("openai: the judge was asked before it was opened")
        wanted = self._parameters(request)
        while True:
            parameters = self._accepted(wanted)
            try:
                raw = await self._client.chat.completions.with_raw_response.create(
                    model=self._spec.model,
                    messages=[{"role": "user", "content": request.prompt}],
                    **parameters,
                )
            except openai.BadRequestError as error:
                refused = _refused_parameter(error, parameters)
                if refused is None:
                    return self._failed("bad_request", error)
                if refused not in self._refused:
                    self._refused.append(refused)
            except openai.OpenAIError as error:
                return self._failed(_error_kind(error), error)
            else:
                omitted = tuple(name for name in self._refused if name not in parameters)
                return self._reply(raw.text, omitted)

    def _parameters(self, request: Request) -> dict[str, Any]:
        own = self._spec.settings
        return {**request.decoding, **{name: own[name] for name in _OPTIONAL if name in own}}

    def _accepted(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        accepted: dict[str, Any] = {}
        for name, value in wanted.items():
            sent: str | None = name
            while sent is not None and sent in self._refused:
                sent = _OPTIONAL[sent]
            if sent is not None:
                accepted[sent] = value
        return accepted

    def _reply(self, body: str, omitted: tuple[str, ...]) -> Reply:
        try:
            content = json.loads(body)
            choices = content["choices"]
            usage = content.get("usage") or {}
            tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if not choices:
                return self._failed("empty_choices", "the endpoint's reply has no choices")
            message, reason = choices[0]["message"], choices[0].get("finish_reason")
            response = message.get("content") or message.get("refusal") or ""
            if not isinstance(response, str) or not isinstance(reason, str | None):
                return self._failed("malformed", "the reply's content is not text")
            tokens = [_whole_or_none(count) for count in (tokens_in, tokens_out)]
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            return self._failed(
                "malformed", f"not a chat completion: {self._without_key(body)[:200]!r}"
            )
        return Reply(
            response=self._without_key(response),
            finish_reason=reason,
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            cost_usd=self._cost(tokens[0], tokens[1]),
            omitted_parameters=omitted,
        )

    def _cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        price_in = self._spec.settings.get("usd_per_million_tokens_in")
        price_out = self._spec.settings.get("usd_per_million_tokens_out")
        if price_in is None or price_out is None or tokens_in is None or tokens_out is None:
            return None
        return float(tokens_in * price_in + tokens_out * price_out) / 1e6

    def _failed(self, kind: str, error: Exception | str) -> Reply:
        words = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        if kind == "connection" and isinstance(error, Exception):
            words = "; ".join(str(cause) for cause in _causes(error)[1:2]) or words
        # The key goes before the cut, which could leave a part of it.
        return Reply(error_kind=kind, error=self._without_key(words)[:_LONGEST_ERROR])

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= _SHORTEST_KEY else text


def _refused_parameter(error: openai.BadRequestError, sent: Mapping[str, Any]) -> str | None:
    """Return the optional parameter a complaint names as refused, unless it is about length."""
    message, optional = str(error), [name for name in sent if name in _OPTIONAL]
    is_certain = error.code in ("unsupported_parameter", "unsupported_value", "unknown_parameter")
    if _TOO_LONG.search(message) and not is_certain:
        return None
    if error.param in optional:
        return error.param
    if not _REFUSAL.search(message):
        return None
    # The first one named is refused; "use max_completion_tokens instead" comes after it.
    found = [re.search(rf"\b{name}\b", message) for name in optional]
    return min((match.start(), match[0]) for match in found if match)[1] if any(found) else None


def _error_kind(error: openai.OpenAIError) -> str:
    if isinstance(error, openai.APIConnectionError):
        # The client calls a refused connection a timeout, too; its causes tell which it was.
        causes = _causes(error)
        return "timeout" if any(isinstance(each, TimeoutError) for each in causes) else "connection"
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        by_status = {401: "authentication", 403: "authentication", 408: "timeout"}
        by_status |= {409: "server", 429: "rate_limited"}
        return by_status.get(status, "server" if status >= 500 else "bad_request")
    return "malformed"


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    return causes


def _whole_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
