"""Judges behind any OpenAI-compatible chat endpoint, and the JSON of its completions.

`ask` is one attempt: the runner paces, waits and tries again. A setting the endpoint refuses is
left out from then on, and every reply made without it lists it. The batch judge uses the same JSON.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

from inference.judges.base import Reply
from inference.judges.endpoint import OR_NONE, ForeignJson, ModelEndpoint, read_json
from inference.judges.request import Request
from inference.prices import Price
from inference.registry import JudgeSpec, system_turn

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# Parameters that may be left out when an endpoint refuses them, and those sent instead.
_OPTIONAL: Mapping[str, str | None] = {
    "temperature": None,
    "top_p": None,
    "seed": None,
    "presence_penalty": None,
    "reasoning_effort": None,
    "logprobs": None,
    "top_logprobs": None,
    "response_format": None,
    "guided_choice": None,
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": None,
}
_SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "presence_penalty", "reasoning_effort")
# A complaint about length names max_tokens, but leaving it out would be another experiment.
_TOO_LONG = re.compile(r"too (large|long|high|many)|context|exceed|maximum|at most", re.IGNORECASE)
_REFUSAL = re.compile(
    r"support|unrecogni|unknown|unexpected|permitted|allowed|invalid|only the default",
    re.IGNORECASE,
)
_CERTAIN_CODES = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
# No count of tokens is larger: an integer column of a database holds it.
_MOST_TOKENS = 2**31 - 1


# Counts and the model's name are read one by one: a wrong one must not cost the reply.
class _Details(ForeignJson):
    cached_tokens: Any = None


class _Usage(ForeignJson):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: Annotated[_Details | None, OR_NONE] = None


class _Message(ForeignJson):
    content: str | None = None
    refusal: str | None = None


class _Top(ForeignJson):
    token: str
    logprob: float


class _Token(_Top):
    top_logprobs: tuple[_Top, ...] = ()


class _Logprobs(ForeignJson):
    content: list[_Token] | None = None


class _Choice(ForeignJson):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Completion(ForeignJson):
    choices: list[_Choice] | None
    usage: Annotated[_Usage | None, OR_NONE] = None
    model: Any = None


class Chat(ModelEndpoint):
    """One model behind a chat endpoint: the bodies that are sent, and the completions."""

    def parameters(self, request: Request) -> dict[str, Any]:
        """Return every parameter of a request as it is meant to be sent, without the prompt."""
        own = self.spec.settings
        sampling = {name: own[name] for name in _SAMPLING if name in own}
        wanted = {**request.decoding, **sampling, **request.overrides}
        if "top_logprobs" in own:
            wanted |= {"logprobs": True, "top_logprobs": own["top_logprobs"]}
        answer_format = own.get("answer_format", "text")
        if answer_format == "choice" and request.labels:
            wanted["guided_choice"] = list(request.labels)
        if answer_format in ("auto", "json_schema"):
            schema = request.description.json_schema(request)
            if schema is not None:
                answer = {"name": "answer", "strict": True, "schema": schema}
                wanted["response_format"] = {"type": "json_schema", "json_schema": answer}
        return {**wanted, **own.get("extra_body", {})}

    def body(self, request: Request, refused: Collection[str] = ()) -> dict[str, Any]:
        """Return the body to send, without the parameters that the endpoint has refused."""
        messages = [{"role": "user", "content": request.prompt}]
        system = system_turn(self.spec, request.system)
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        sent: dict[str, Any] = {"model": self.spec.model, "messages": messages}
        for name, value in self.parameters(request).items():
            accepted: str | None = name
            while accepted is not None and accepted in refused:
                accepted = _OPTIONAL[accepted]
            if accepted is not None:
                sent[accepted] = value
        return sent

    def reply(
        self, text: str, request: Request, body: Mapping[str, Any], refused: Collection[str]
    ) -> Reply:
        """Return the reply in a completion."""
        try:
            completion = read_json(_Completion, text)
        except ValueError:
            return self.failed("malformed", "what the endpoint sent is no chat completion", text)
        if not completion.choices:
            return self.failed("empty_choices", "the endpoint's reply has no choices", text)
        choice, usage = completion.choices[0], completion.usage or _Usage()
        response, reason = choice.message.content or "", choice.finish_reason
        if choice.message.refusal:
            # The endpoint's own sign that the model declined; its words are the reply.
            response, reason = response or choice.message.refusal, "refusal"
        tokens = (choice.logprobs and choice.logprobs.content) or []
        logprobs, ceiling = _label_logprobs(tokens, response, request)
        answer_format = "json_schema" if "response_format" in body else "text"
        details = usage.prompt_tokens_details or _Details()
        return self.completed(
            response,
            reason,
            completion.model if isinstance(completion.model, str) else None,
            # Every prompt has a token, and so has every reply that is not empty.
            tokens_in=_count(usage.prompt_tokens, 1),
            tokens_out=_count(usage.completion_tokens, int(bool(response))),
            tokens_cached=_count(details.cached_tokens, 0),
            omitted_parameters=tuple(name for name in refused if name not in body),
            answer_format="choice" if "guided_choice" in body else answer_format,
            label_logprobs=logprobs,
            label_logprob_ceiling=ceiling,
        )


class ChatJudge:
    """Base class for judges behind a chat endpoint.

    Args:
        environ: The source of the key; the process's environment unless given.
    """

    def __init__(
        self,
        spec: JudgeSpec,
        environ: Mapping[str, str] | None = None,
        price: Price | None = None,
    ) -> None:
        self._spec = spec
        self._environ = environ
        self._chat = Chat(spec, price)

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the prompt, the endpoint and every parameter as it is meant to be sent."""
        prompt = hashlib.sha256(request.prompt.encode("utf-8", "replace")).hexdigest()
        parameters = self._chat.parameters(request)
        return {"prompt": prompt, **self._chat.identity(request, parameters)}


class OpenAIJudge(ChatJudge):
    """One model at one endpoint."""

    _client: AsyncOpenAI | None = None

    @property
    def concurrency(self) -> int:
        """The most requests in flight at once."""
        return int(self._spec.settings["concurrency"])

    async def __aenter__(self) -> Self:
        # It takes half a second to load, which a run with nothing to ask need not wait for.
        from inference.judges.client import open_client

        self._refused: list[str] = []
        self._client = open_client(self._spec, self._chat.read_key(self._environ))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def ask(self, request: Request) -> Reply:
        """Send the prompt and return the reply, or the kind of failure."""
        import openai

        from inference.judges.client import FAILURES, failed_reply, message_of

        if self._client is None:
            raise RuntimeError("openai: the judge was asked before it was opened")
        seconds = float(self._spec.settings["timeout_s"])
        while True:
            refused = tuple(self._refused)
            body = self._chat.body(request, refused)
            try:
                # The client bounds each read, not a body that trickles in for ever.
                async with asyncio.timeout(seconds):
                    text = await self._client.post("/chat/completions", cast_to=str, body=body)
            except FAILURES as error:
                parameter = None
                if isinstance(error, openai.APIStatusError) and error.status_code in (400, 422):
                    message = message_of(error)
                    parameter = refused_parameter(message, error.code, error.param, body)
                if parameter is None:
                    return failed_reply(self._chat, error)
                if parameter not in self._refused:
                    self._refused.append(parameter)
            else:
                return self._chat.reply(text, request, body, refused)


def refused_parameter(
    message: str, code: str | None, parameter: str | None, sent: Mapping[str, Any]
) -> str | None:
    """Return the optional parameter that a complaint refuses, unless it is about length."""
    optional = [name for name in sent if name in _OPTIONAL]
    if _TOO_LONG.search(message) and code not in _CERTAIN_CODES:
        return None
    if parameter in optional:
        return parameter
    if not _REFUSAL.search(message):
        return None
    # The first one named is refused; "use max_completion_tokens instead" comes after it.
    found = [re.search(rf"\b{name}\b", message) for name in optional]
    return min((match.start(), match[0]) for match in found if match)[1] if any(found) else None


def _count(tokens: Any, least: int) -> int | None:
    """Return a number of tokens; None where an endpoint reports what cannot be one."""
    return tokens if type(tokens) is int and least <= tokens <= _MOST_TOKENS else None


def _label_logprobs(
    tokens: Sequence[_Token], response: str, request: Request
) -> tuple[dict[str, float] | None, float | None]:
    """Return the labels' log-probabilities at the place of the answer, and the ceiling of others.

    The place is the first token behind the last sign that an answer begins: a score tag, the key of
    a JSON answer, the last line of a verdict with reasons, or the start of a reply that is a label
    alone. Several tokens can stand for one label (" 4" and "4"): their probabilities add up. There
    are none where the token is no whole label.
    """
    if not tokens or "".join(each.token for each in tokens) != response:
        return None, None
    labels = request.labels
    begins = [match.end() for match in request.description.answer_begins.finditer(response)]
    if begins:
        begin = begins[-1]
    elif response.strip() in labels:
        begin = 0
    elif request.description.is_last_line:
        begin = response.rstrip().rfind("\n") + 1
    else:
        return None, None
    position, place = 0, None
    for each in tokens:
        position += len(each.token)
        start = position - len(each.token)
        if position > begin and response[max(begin, start) : position].strip():
            place = each
            break
    if place is None or place.token.strip() not in labels:
        return None, None
    listed = {each.token: each.logprob for each in place.top_logprobs}
    listed.setdefault(place.token, place.logprob)
    found: dict[str, float] = {}
    for token, logprob in listed.items():
        label = token.strip()
        if label in labels and math.isfinite(logprob):
            before = math.exp(found[label]) if label in found else 0.0
            found[label] = min(0.0, math.log(before + math.exp(logprob)))
    ceiling = min(0.0, *listed.values()) if len(found) < len(labels) else None
    return (found or None), ceiling
