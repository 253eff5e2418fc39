"""Judges that run on this machine: models of transformers, from the hub or a folder.

Requests that arrive together are answered together, in one worker thread. A judge either writes its
answers (`mode = "generate"`) or is asked how likely it finds each answer there is
(`mode = "label_scoring"`): log P(label | prompt), labels of several tokens as sequences, the prompt
computed once.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

from inference.errors import BadTemplate
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.local.models import (
    fingerprint,
    load_model,
    load_tokenizer,
    model_folder,
    prompt_tokens,
)
from inference.registry import JudgeSpec

if TYPE_CHECKING:
    from inference.local.generation import Answer
    from inference.questions.perplexity import ContinuationScorer

# How long a batch that is not full waits for more requests.
_LINGER_S = 0.01
# Settings, besides the decoding, that can change an answer.
_DECIDING = (
    "answer_prefix",
    "batch_size",
    "dtype",
    "mode",
    "quantization",
    "remote_code",
    "revision",
    "system_prompt",
    "use_chat_template",
)
# The logarithm of the smallest number there is, for what rounding leaves nothing of.
_LEAST = -745.0
_DECODING = ("max_tokens", "temperature", "top_p", "seed")


class LocalBase:
    """Base class of judges on this machine: a model, loaded and asked in one worker thread.

    Args:
        auto: The class of transformers that finds the model's own.
    """

    def __init__(self, spec: JudgeSpec, auto: str = "AutoModelForCausalLM") -> None:
        self._spec = spec
        self._auto = auto
        self._worker: ThreadPoolExecutor | None = None
        self._model: Any = None
        self._tokenizer: Any = None
        self._version: str | None = None

    def _facts(self, deciding: Sequence[str]) -> dict[str, Any]:
        """Return the settings that decide, and what is in the model's folder.

        A model of the hub is known by its revision alone, so that its requests keep their identity
        when it has been downloaded; each answer carries the commit it came from.
        """
        settings, folder = self._spec.settings, model_folder(self._spec.model)
        return {
            "settings": {name: settings[name] for name in deciding if name in settings},
            "files": None if folder is None else fingerprint(folder),
        }

    async def __aenter__(self) -> Self:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="local-judge")
        try:
            await asyncio.get_running_loop().run_in_executor(self._worker, self._load)
        except BaseException:
            self._worker.shutdown(wait=False)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._worker is not None:
            # Ends with the token at hand; the loop goes on meanwhile.
            await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)
        self._model = self._tokenizer = self._worker = None

    def _load(self) -> None:
        self._tokenizer = load_tokenizer(self._spec)
        self._model = load_model(self._spec, self._auto)
        folder = model_folder(self._spec.model)
        commit = getattr(self._model.config, "_commit_hash", None)
        self._version = commit if folder is None else f"sha256:{fingerprint(folder)[:16]}"

    def _window(self) -> int | None:
        from inference.questions.perplexity import window_of

        return window_of(self._model.config)


class LocalJudge(LocalBase):
    """One model on this machine, which writes or labels."""

    def __init__(self, spec: JudgeSpec) -> None:
        super().__init__(spec)
        self._waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self._arrived = asyncio.Event()
        self._stop = threading.Event()
        self._serving: asyncio.Task[None] | None = None
        self._scorer: ContinuationScorer | None = None

    @property
    def concurrency(self) -> int:
        """Two batches: one at work, one that is ready when it ends."""
        return 2 * int(self._spec.settings["batch_size"])

    def identity(self, request: Request) -> dict[str, Any]:
        """The prompt, the decoding, the settings that decide, and what is in the model's folder."""
        prompt = hashlib.sha256(request.sent.encode("utf-8", "replace")).hexdigest()
        known = {"prompt": prompt, **self._facts(_DECIDING)}
        if self._spec.settings["mode"] == "label_scoring":
            return {**known, "labels": list(request.labels)}
        return {**known, "decoding": self._decoding(request)}

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._serving = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait({self._serving})
        for waiting in self._waiting:
            waiting[1].cancel()
        await super().__aexit__()
        self._scorer = self._serving = None

    async def ask(self, request: Request) -> Reply:
        """Answer one request, together with those that wait."""
        if self._serving is None:
            raise RuntimeError("local: the judge was asked before it was opened")
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        self._arrived.set()
        return await future

    def _load(self) -> None:
        super()._load()
        from inference.questions.perplexity import ContinuationScorer

        if self._spec.settings["mode"] == "label_scoring":
            self._scorer = ContinuationScorer(self._model, self._tokenizer)

    async def _serve(self) -> None:
        loop, size = asyncio.get_running_loop(), int(self._spec.settings["batch_size"])
        while True:
            await self._arrived.wait()
            if len(self._waiting) < size:
                await asyncio.sleep(_LINGER_S)
            # A request that was cancelled is not computed.
            waiting = [pair for pair in self._waiting if not pair[1].done()]
            batch, self._waiting = waiting[:size], waiting[size:]
            if not self._waiting:
                self._arrived.clear()
            if not batch:
                continue
            requests = [request for request, _ in batch]
            replies = await loop.run_in_executor(self._worker, self._answer, requests)
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)

    def _answer(self, requests: Sequence[Request]) -> list[Reply]:
        is_labelled = self._spec.settings["mode"] == "label_scoring"
        try:
            return list(map(self._label, requests)) if is_labelled else self._write(requests)
        # A model raises what it likes. In a batch of one the failure is that request's own; memory
        # that ran out for many may do for one.
        except Exception as error:
            if len(requests) > 1:
                return [reply for request in requests for reply in self._answer([request])]
            message = f"local: the model failed: {type(error).__name__}: {error}"
            return [Reply(error_kind="server", error=message[:500], cost_usd=0.0)]

    def _write(self, requests: Sequence[Request]) -> list[Reply]:
        from inference.local.generation import generate

        begun = [self._begin(request) for request in requests]
        answers, ends = [each for each in begun if not isinstance(each, Reply)], self._ends()
        generate(self._model, answers, ends, self._window(), self._stop)
        replies = []
        for each in begun:
            if isinstance(each, Reply):
                replies.append(each)
                continue
            text = [token for token in each.tokens if token not in ends]
            reply = Reply(
                self._tokenizer.decode(text, skip_special_tokens=True),
                finish_reason=each.finish_reason,
                tokens_in=len(each.prompt),
                tokens_out=len(each.tokens),
                cost_usd=0.0,
                model_version=self._version,
            )
            replies.append(reply)
        return replies

    def _begin(self, request: Request) -> Answer | Reply:
        from inference.local.generation import Answer

        tokens = self._prompt(request)
        if isinstance(tokens, Reply):
            return tokens
        decoding, window = self._decoding(request), self._window()
        limit = int(decoding["max_tokens"])
        if window is not None:
            # A ruling on less than it was promised room for would be cut off at its end.
            needed = limit if request.costs.needs_whole_answer else 1
            if len(tokens) + needed > window:
                return _overflow(len(tokens), window, needed)
            limit = min(limit, window - len(tokens))
        facts = (request.item.item_id, request.asks, request.sent, request.sample)
        text = "\n".join(str(part) for part in (decoding["seed"], *facts))
        digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
        return Answer(
            tokens,
            limit,
            temperature=float(decoding["temperature"]),
            top_p=float(decoding["top_p"]),
            seed=int.from_bytes(digest[:16], "big"),
        )

    def _label(self, request: Request) -> Reply:
        tokens = self._prompt(request)
        if isinstance(tokens, Reply):
            return tokens
        if not request.labels or self._scorer is None:
            return _unsent(
                "bad_request",
                "local: mode label_scoring needs a request that names its labels; use mode "
                "generate where the answer is free text",
            )
        scorer = self._scorer
        tokens += scorer.boundary.continuation(self._spec.settings.get("answer_prefix", ""))
        texts = [scorer.boundary.continuation(label) for label in request.labels]
        scores = scorer.score_tokens(tokens, texts)
        for label, score in zip(request.labels, scores, strict=True):
            if score.status == "context_overflow" and scorer.window is not None:
                return _overflow(score.context_token_count + score.token_count, scorer.window)
            if score.logprob_sum is None:
                return Reply(
                    error_kind="bad_request",
                    error=f"local: label '{label}' has no log-probability: {score.status}",
                    cost_usd=0.0,
                )
        sums = [float(score.logprob_sum or 0.0) for score in scores]
        found = dict(zip(request.labels, _apart(texts, sums), strict=True))
        return Reply(
            max(found, key=lambda label: found[label]),
            finish_reason="stop",
            tokens_in=len(tokens),
            tokens_out=0,
            cost_usd=0.0,
            answer_format="label_scoring",
            label_logprobs=found,
            model_version=self._version,
        )

    def _prompt(self, request: Request) -> list[int] | Reply:
        try:
            tokens = prompt_tokens(self._tokenizer, self._spec, request.prompt, request.system)
        except BadTemplate as error:
            return _unsent("bad_request", str(error))
        if not tokens:
            return _unsent("bad_request", "local: the prompt has no tokens")
        return tokens

    def _decoding(self, request: Request) -> dict[str, Any]:
        given = {"top_p": 1.0, "seed": 0, **request.decoding, **self._spec.settings}
        given |= request.overrides
        given = {"temperature": 0.0, "max_tokens": 1024, **given}
        return {name: given[name] for name in _DECODING}

    def _ends(self) -> list[int]:
        configured = self._model.generation_config.eos_token_id
        ends = configured if isinstance(configured, list) else [configured]
        known = [*ends, self._tokenizer.eos_token_id]
        return sorted({int(each) for each in known if each is not None})


def _apart(texts: Sequence[Sequence[int]], sums: Sequence[float]) -> list[float]:
    """Return each label's log-probability without that of the labels which go on from it.

    What begins with the tokens of "1" may yet become "10": the model's probability of "1" holds
    that of "10", and the labels' probabilities would count it twice.
    """

    def extends(longer: Sequence[int], shorter: Sequence[int]) -> bool:
        return len(longer) > len(shorter) and list(longer[: len(shorter)]) == list(shorter)

    apart = []
    for text, total in zip(texts, sums, strict=True):
        longer = [place for place, other in enumerate(texts) if extends(other, text)]
        # Those that go on from another of them are in that one's probability already.
        first = [
            place
            for place in longer
            if not any(extends(texts[place], texts[each]) for each in longer)
        ]
        left = math.exp(total) - sum(math.exp(sums[place]) for place in first)
        if first:
            apart.append(math.log(left) if left > 0 else _LEAST)
        else:
            apart.append(total)
    return apart


def _overflow(tokens: int, window: int, answer: int = 1) -> Reply:
    room = f" and the answer may have {answer}" if answer > 1 else ""
    words = (
        f"local: the prompt has {tokens} tokens{room}, and the model takes {window}, the answer "
        "included; nothing was cut; choose a model with a longer window"
    )
    return _unsent("context_overflow", words, tokens)


def _unsent(kind: str, words: str, tokens: int | None = None) -> Reply:
    return Reply(error_kind=kind, error=words, tokens_in=tokens, cost_usd=0.0, is_sent=False)
