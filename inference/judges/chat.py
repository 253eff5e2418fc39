"""What all judges behind a chat endpoint share: the body that is sent, and reading what comes back.

Nothing here talks to anyone. The judge of `openai_chat.py` sends one body at a time, that of
`batch/` a file of them.
"""

import hashlib
import json
import math
import os
import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from inference.errors import UNBILLED_KINDS, MissingKey
from inference.judges.base import Reply
from inference.judges.complaints import OPTIONAL, kind_of
from inference.judges.request import Request
from inference.prices import Price
from inference.registry import JudgeSpec, system_turn

_SAMPLING = (
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
    "presence_penalty",
    "reasoning_effort",
)
# How an answer is asked for where a schema says what it has to be.
_BY_SCHEMA = ("auto", "json_schema")
LONGEST_ERROR = 500
# What is kept of a body that is no answer.
LONGEST_BODY = 4000
# No count of tokens is larger: an integer column of a database holds it.
_MOST_TOKENS = 2**31 - 1
# Shorter ones are placeholders such as EMPTY, and may well be words of a reply.
_SHORTEST_KEY = 8


class Chat:
    """One judge's side of the chat format."""

    def __init__(self, spec: JudgeSpec, price: Price | None) -> None:
        self._spec = spec
        self._price = price
        self.key = ""

    def read_key(self, environ: Mapping[str, str] | None) -> str:
        """Return the key from the environment, and keep it to strike it from everything stored.

        Raises:
            MissingKey: The variable is not set, or holds what cannot be a key.
        """
        variable = self._spec.settings["api_key_env"]
        self.key = (os.environ if environ is None else environ).get(variable, "").strip()
        if variable and not self.key:
            raise MissingKey(
                f"{self._spec.provider}: judge '{self._spec.judge_id}' needs a key, and the "
                f"environment variable {variable} is not set; set it, or name another with the "
                "setting api_key_env (an empty text where the endpoint wants none)"
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise MissingKey(
                f"{self._spec.provider}: the environment variable {variable} holds characters that "
                "no key has; set it again, without quotation marks or line breaks"
            )
        return self.key

    def wanted(self, request: Request) -> dict[str, Any]:
        """Return every parameter of a request as it is meant to be sent, without the prompt."""
        own = self._spec.settings
        wanted = {**request.decoding, **{name: own[name] for name in _SAMPLING if name in own}}
        wanted |= request.overrides
        if "top_logprobs" in own:
            wanted |= {"logprobs": True, "top_logprobs": own["top_logprobs"]}
        wanted |= self._constraint(request)
        return {**wanted, **own.get("extra_body", {})}

    def identity(self, request: Request) -> dict[str, Any]:
        """Return all that decides an answer besides the prompt, the provider and the model."""
        identity = {"base_url": self._spec.settings["base_url"], "parameters": self.wanted(request)}
        if "system_prompt" in self._spec.settings:
            identity["system_prompt"] = self._spec.settings["system_prompt"]
        if request.system is not None:
            identity["system"] = request.system
        return identity

    def body(self, request: Request, refused: Collection[str] = ()) -> dict[str, Any]:
        """Return the body to send.

        Args:
            refused: Parameters the endpoint has refused, which are left out or replaced.
        """
        messages = [{"role": "user", "content": request.prompt}]
        system = system_turn(self._spec, request.system)
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        sent: dict[str, Any] = {"model": self._spec.model, "messages": messages}
        for name, value in self.wanted(request).items():
            accepted: str | None = name
            while accepted is not None and accepted in refused:
                accepted = OPTIONAL[accepted]
            if accepted is not None:
                sent[accepted] = value
        return sent

    def reply(
        self, text: str, request: Request, body: Mapping[str, Any], refused: Collection[str]
    ) -> Reply:
        """Return what a completion says.

        Args:
            text: What the endpoint sent with status 200.
            request: What was asked.
            body: What was sent.
            refused: Parameters it was sent without.
        """
        try:
            content = json.loads(text)
            choices = content["choices"]
            usage = _object(content.get("usage"))
            details = _object(usage.get("prompt_tokens_details"))
            # Every prompt has a token, and so has every reply that is not empty.
            tokens_in = _count_or_none(usage.get("prompt_tokens"), 1)
            tokens_cached = _count_or_none(details.get("cached_tokens"))
            if not choices:
                return self.failed("empty_choices", "the endpoint's reply has no choices", text)
            choice = choices[0]
            message, reason = choice["message"], choice.get("finish_reason")
            response, version = message.get("content"), content.get("model")
            if message.get("refusal"):
                # The endpoint's own sign that the model declined; its words are the reply.
                response, reason = response or message["refusal"], "refusal"
            response = response or ""
            if not isinstance(response, str) or not isinstance(reason, str | None):
                return self.failed("malformed", "the reply's content is not text", text)
            tokens_out = _count_or_none(usage.get("completion_tokens"), int(bool(response)))
            logprobs, ceiling = _label_logprobs(choice, response, request)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            return self.failed("malformed", "what the endpoint sent is no chat completion", text)
        return Reply(
            response=self.without_key(response),
            finish_reason=None if reason is None else self.without_key(reason),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost_usd=(
                self._price.cost(tokens_in, tokens_out, tokens_cached) if self._price else None
            ),
            omitted_parameters=tuple(name for name in refused if name not in body),
            tokens_cached=tokens_cached,
            answer_format=_format_of(body),
            label_logprobs=logprobs,
            label_logprob_ceiling=ceiling,
            model_version=self.without_key(version) if isinstance(version, str) else None,
        )

    def rejected(
        self,
        status: int,
        message: str,
        code: str | None = None,
        retry_after_s: float | None = None,
        body: str | None = None,
    ) -> Reply:
        """Return the failure that an HTTP status other than 200 stands for.

        Args:
            message: The error as text.
            code: The endpoint's own code for it, where it gives one.
            retry_after_s: How long it asks to be left alone, where it says.
            body: What it sent.
        """
        kind = kind_of(status, f"{code or ''} {message}")
        return self.failed(kind, message, body, retry_after_s)

    def failed(
        self, kind: str, words: str, body: str | None = None, retry_after_s: float | None = None
    ) -> Reply:
        """Return a failure, its words and what was sent cleared of the key.

        What the endpoint refused before it did anything has cost nothing; of the rest nobody knows.
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
        """Return a text without the key, should an endpoint echo it."""
        return without_key(text, self.key)

    def _constraint(self, request: Request) -> dict[str, Any]:
        kind = self._spec.settings.get("answer_format", "text")
        if kind == "choice":
            return {"guided_choice": list(request.labels)} if request.labels else {}
        schema = request.kind.schema(request) if kind in _BY_SCHEMA else None
        if schema is None:
            return {}
        answer = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": answer}}


class ChatJudge:
    """Shared by judges behind a chat endpoint: one model, and what tells its requests apart.

    Args:
        environ: Where its key is read from; the process's environment unless given.
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
        """The prompt, the endpoint and every parameter as it is meant to be sent."""
        prompt = hashlib.sha256(request.prompt.encode("utf-8", "replace")).hexdigest()
        return {"prompt": prompt, **self._chat.identity(request)}


def without_key(text: str, key: str) -> str:
    """Return a text with a key replaced by `[key]`, also where it is escaped."""
    if len(key) < _SHORTEST_KEY:
        return text
    text = text.replace(key, "[key]")
    return _escaped(key).sub("[key]", text) if "\\" in text or "%" in text else text


@cache
def _escaped(key: str) -> re.Pattern[str]:
    """Return what matches a key some of whose characters are escaped, as in JSON or an address."""
    forms = []
    for each in key:
        plain, code = re.escape(each), rf"(?i:u00{ord(each):02x})"
        slashed = rf"\\{{1,8}}{code}" if each.isalnum() else rf"\\{{1,8}}(?:{plain}|{code})"
        forms.append(rf"(?:{plain}|{slashed}|(?i:%{ord(each):02x}))")
    return re.compile("".join(forms))


def _format_of(body: Mapping[str, Any]) -> str:
    if "guided_choice" in body:
        return "choice"
    return "json_schema" if "response_format" in body else "text"


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count_or_none(value: Any, least: int = 0) -> int | None:
    """Return a number of tokens; None where an endpoint reports what cannot be one."""
    return value if type(value) is int and least <= value <= _MOST_TOKENS else None


def _label_logprobs(
    choice: Mapping[str, Any], response: str, request: Request
) -> tuple[dict[str, float] | None, float | None]:
    """Return the labels' log-probabilities where the answer was decided, and the ceiling.

    That is the first token behind the last sign that an answer begins: a score tag, the key of a
    JSON answer, the last line of a verdict with reasons, or the reply's own beginning where it is
    nothing but a label. Several tokens can stand for one label (" 4" and "4"): their probabilities
    add up. Nothing is returned where the token there is no whole label.
    """
    tokens = (choice.get("logprobs") or {}).get("content") or []
    labels = request.labels
    begin = _answer_place(response, request) if tokens else None
    place = None if begin is None else _deciding_token(tokens, response, labels, begin)
    if place is None:
        return None, None
    listed = {str(each["token"]): float(each["logprob"]) for each in place["top_logprobs"]}
    listed.setdefault(str(place["token"]), float(place["logprob"]))
    found: dict[str, float] = {}
    for token, logprob in listed.items():
        label = token.strip()
        if label in labels and math.isfinite(logprob):
            before = math.exp(found[label]) if label in found else 0.0
            found[label] = min(0.0, math.log(before + math.exp(logprob)))
    ceiling = min(0.0, *listed.values()) if len(found) < len(labels) else None
    return (found or None), ceiling


def _answer_place(response: str, request: Request) -> int | None:
    """Return where the answer in a reply begins; None where nothing shows it."""
    begins = [match.end() for match in request.kind.answer_begins.finditer(response)]
    if begins:
        return begins[-1]
    if response.strip() in request.labels:
        return 0
    if request.kind.is_last_line(request):
        return response.rstrip().rfind("\n") + 1
    return None


def _deciding_token(
    tokens: Collection[Mapping[str, Any]], response: str, labels: Collection[str], begin: int
) -> Mapping[str, Any] | None:
    if "".join(str(each["token"]) for each in tokens) != response:
        return None
    position = 0
    for each in tokens:
        token = str(each["token"])
        position += len(token)
        if position > begin and response[max(begin, position - len(token)) : position].strip():
            return each if token.strip() in labels else None
    return None
