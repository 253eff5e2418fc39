"""Endpoints of any protocol: the key and its redaction, identity, price, and kinds of failures.

Nothing here depends on the JSON of an endpoint: a judge with a protocol of its own reads its
replies with models of its own, and returns them through `ModelEndpoint.completed` and `failed`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler
from pydantic import WrapValidator as Wrap

from inference.errors import UNBILLED_KINDS, JudgeUnavailable, MissingKey
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.prices import Price
from inference.registry import JudgeSpec

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LONGEST_ERROR = 500
_Model = TypeVar("_Model", bound=BaseModel)
# The most that is kept of a body that is no answer.
LONGEST_BODY = 4000
# Shorter keys are placeholders such as EMPTY, and may well be words of a reply.
_SHORTEST_KEY = 8
_OVERFLOW = re.compile(
    r"context.?length|context.?window|maximum context|prompt is too long|too many tokens|"
    r"input (is |length |tokens? )*(too long|exceed)",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?(filter|management|policy)|responsible.?ai", re.IGNORECASE)
_BILLING = re.compile(
    r"insufficient.?(quota|credits?|funds|balance)|exceeded your current quota|credit balance|"
    r"billing",
    re.IGNORECASE,
)
_KIND_BY_STATUS = {
    401: "authentication",
    403: "authentication",
    408: "timeout",
    409: "server",
    425: "server",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


class ForeignJson(BaseModel):
    """Base class for models of what endpoints send. Unknown keys are ignored."""

    model_config = ConfigDict(strict=True)


# Where a wrong value must not cost the reply: it counts as not sent.
IntOrNone = Annotated[int | None, Wrap(_or_none)]
TextOrNone = Annotated[str | None, Wrap(_or_none)]
OR_NONE = Wrap(_or_none)


def read_json(model: type[_Model], text: str | bytes) -> _Model:
    """Validate JSON. Half of a surrogate pair, which is in no text, becomes a question mark.

    Raises:
        ValueError: It is no JSON, or not of this shape.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError:
        if (
            b"\\ud"
            not in (text.encode("utf-8", "replace") if isinstance(text, str) else text).lower()
        ):
            raise
    try:
        content = json.dumps(json.loads(text), ensure_ascii=False)
    except RecursionError as error:
        raise ValueError(str(error)) from None
    return model.model_validate_json(content.encode("utf-8", "replace"))


class ModelEndpoint:
    """One model behind an endpoint, in any protocol."""

    def __init__(self, spec: JudgeSpec, price: Price | None = None) -> None:
        self.spec = spec
        self.price = price
        self.key = ""

    def read_key(self, environ: Mapping[str, str] | None) -> str:
        """Return the key from the environment, and keep it to strike it from all that is stored.

        Raises:
            MissingKey: The variable is not set, or holds what cannot be a key.
        """
        variable = self.spec.settings["api_key_env"]
        self.key = (os.environ if environ is None else environ).get(variable, "").strip()
        if variable and not self.key:
            raise MissingKey(
                f"{self.spec.provider}: judge '{self.spec.judge_id}' needs a key, and the "
                f"environment variable {variable} is not set; set it, or name another with the "
                "setting api_key_env (an empty text where the endpoint wants none)"
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise MissingKey(
                f"{self.spec.provider}: the environment variable {variable} holds characters that "
                "no key has; set it again, without quotation marks or line breaks"
            )
        return self.key

    def identity(self, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return all that decides an answer besides the prompt, the provider and the model."""
        identity = {"base_url": self.spec.settings["base_url"], "parameters": dict(parameters)}
        if "system_prompt" in self.spec.settings:
            identity["system_prompt"] = self.spec.settings["system_prompt"]
        if request.system is not None:
            identity["system"] = request.system
        return identity

    def completed(
        self, response: str, finish_reason: str | None, model_version: str | None, **facts: Any
    ) -> Reply:
        """Return a reply with its cost, and without the key where the endpoint echoes it.

        Args:
            facts: Other fields of the reply, such as `tokens_in`.
        """
        cost = None
        if self.price is not None:
            counts = (facts.get(name) for name in ("tokens_in", "tokens_out", "tokens_cached"))
            cost = self.price.cost(*counts)
        return Reply(
            response=self.without_key(response),
            finish_reason=finish_reason and self.without_key(finish_reason),
            model_version=model_version and self.without_key(model_version),
            cost_usd=cost,
            **facts,
        )

    def rejected(
        self,
        status: int,
        message: str,
        code: str | None = None,
        retry_after_s: float | None = None,
        body: str | None = None,
    ) -> Reply:
        """Return the failure that an HTTP status other than 200 stands for."""
        words = f"{code or ''} {message}"
        if status == 402 or _BILLING.search(words):
            kind = "billing"
        elif status in (400, 413, 422):
            is_filtered = _FILTERED.search(words)
            kind = "filtered" if is_filtered else "bad_request"
            kind = "context_overflow" if _OVERFLOW.search(words) else kind
        else:
            kind = _KIND_BY_STATUS.get(status, "server" if status >= 500 else "bad_request")
        return self.failed(kind, message, body, retry_after_s)

    def failed(
        self, kind: str, words: str, body: str | None = None, retry_after_s: float | None = None
    ) -> Reply:
        """Return a failure, with its words and the body cleared of the key.

        A request that the endpoint refused before it did anything cost nothing; the cost of other
        failures is unknown.
        """
        # The key goes before the cut, which could leave a part of it.
        return Reply(
            response=None if body is None else self.without_key(body)[:LONGEST_BODY],
            error_kind=kind,
            error=self.without_key(words)[:LONGEST_ERROR],
            cost_usd=0.0 if kind in UNBILLED_KINDS else None,
            retry_after_s=retry_after_s,
        )

    def without_key(self, text: str) -> str:
        """Return a text without the key."""
        return without_key(text, self.key)


class Endpoint(ModelEndpoint):
    """An endpoint with another protocol than chat, such as embeddings or transcriptions.

    Raises:
        MissingKey: The variable with the key is not set.
    """

    def __init__(self, who: str, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        from inference.runs.sending import Sender

        super().__init__(spec)
        self._who = who
        self.read_key(environ)
        self._sender = Sender(spec, int(spec.settings["concurrency"]))
        self.url: str = spec.settings["base_url"]

    async def ask(
        self,
        call: Callable[[AsyncOpenAI], Awaitable[str]],
        failed: Callable[[str], Exception],
        tokens: int = 0,
    ) -> str:
        """Return the endpoint's reply, without the key.

        Args:
            failed: Returns the error to raise where the request failed.

        Raises:
            JudgeUnavailable: The key was refused.
        """
        # It takes a second of processor time to load.
        from inference.judges.client import FAILURES, failed_reply, open_client

        async with open_client(self.spec, self.key) as client:

            async def attempt(_: Any) -> Reply:
                try:
                    async with asyncio.timeout(float(self.spec.settings["timeout_s"])):
                        return Reply(self.without_key(await call(client)))
                except FAILURES as error:
                    return failed_reply(self, error)

            reply = (await self._sender.send(attempt, tokens)).reply
        if reply.error_kind == "authentication":
            raise JudgeUnavailable(
                f"{self._who}: the endpoint of '{self.spec.judge_id}' refused the key: "
                f"{reply.error}; set {self.spec.settings['api_key_env']} to one that holds"
            )
        if reply.error_kind is not None:
            raise failed(f"{reply.error_kind}: {reply.error}")
        return reply.response or ""


def without_key(text: str, key: str) -> str:
    """Return a text with a key replaced by `[key]`, also where it is escaped."""
    if len(key) < _SHORTEST_KEY:
        return text
    text = text.replace(key, "[key]")
    return _escaped(key).sub("[key]", text) if "\\" in text or "%" in text else text


@cache
def _escaped(key: str) -> re.Pattern[str]:
    """Match a key some of whose characters are escaped, as in JSON or an address."""
    forms = []
    for each in key:
        plain, code = re.escape(each), rf"(?i:u00{ord(each):02x})"
        slashed = rf"\\{{1,8}}{code}" if each.isalnum() else rf"\\{{1,8}}(?:{plain}|{code})"
        forms.append(rf"(?:{plain}|{slashed}|(?i:%{ord(each):02x}))")
    return re.compile("".join(forms))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an endpoint asks for, in any of the forms there are for it."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
