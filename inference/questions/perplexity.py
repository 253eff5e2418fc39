"""How likely a causal language model finds continuations of a context.

With X the context, y the continuation's N tokens and S = -sum of log P(y_i | X, y_<i), the
perplexity of the continuation given the context is exp(S / N) [1]_, equation 2. What is stored per
context and continuation is the sum and the two token counts, so that other definitions can be
formed from them, such as exp(S / (T - 1)) over the T tokens of both. Where the context ends is
decided in `local/token_boundary.py`; how the context is computed once only, in
`local/prefix_scoring.py`.

.. [1] DebateQA: Evaluating question answering on debatable knowledge, 2024.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from inference.local.prefix_scoring import fits_packing, packing_limit, score_alone, score_packed
from inference.local.token_boundary import TokenBoundary

# Continuation tokens that go through the model at once.
TOKEN_BUDGET = 2048
# Logits held at once, in elements: 512 MB of float32. Large vocabularies lower the token budget.
_LOGIT_BUDGET = 2**27

Context = str | Sequence[int]


@dataclass(frozen=True)
class ContinuationScore:
    """One continuation given one context.

    Attributes:
        status: `scored`, or why there is no sum: `context_overflow` (both together are longer than
            the model's window; nothing is ever cut), `empty_context` (no token stands before the
            continuation, so that its first one has no conditional probability),
            `empty_continuation` (no token to score: not a perfect score), `not_finite` (the model
            returned no number).
        logprob_sum: Sum of the natural log-probabilities of its tokens; None unless scored.
        token_logprobs: Each token's log-probability; None unless asked for, and scored.
    """

    status: str
    logprob_sum: float | None
    token_count: int
    context_token_count: int
    token_logprobs: tuple[float, ...] | None = None
    token_ids: tuple[int, ...] | None = None


class ContinuationScorer:
    """Scores continuations with one model.

    Args:
        token_budget: How many tokens of continuations go through the model at once. A single
            longer continuation goes alone.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        token_budget: int = TOKEN_BUDGET,
        keep_tokens: bool = False,
    ) -> None:
        self._model = model
        self.boundary = TokenBoundary(tokenizer)
        self.window = window_of(model.config)
        vocabulary = int(model.get_input_embeddings().weight.shape[0])
        self._budget = max(1, min(token_budget, _LOGIT_BUDGET // vocabulary))
        self._keep_tokens = keep_tokens
        self.is_packing = fits_packing(model)
        self._limit = packing_limit(model.config)

    def score(self, context: Context, continuations: Sequence[str]) -> list[ContinuationScore]:
        """Return a score per continuation, in their order.

        Args:
            context: A text, tokenised with what the tokenizer puts before every text; or tokens,
                taken as they are, such as those of `boundary.chat`.
        """
        ids = self.boundary.context(context) if isinstance(context, str) else list(context)
        begins_text = isinstance(context, str) and not context
        texts = [self.boundary.continuation(c, begins_text=begins_text) for c in continuations]
        return self.score_tokens(ids, texts)

    def score_tokens(
        self, context: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> list[ContinuationScore]:
        """Return the scores of continuations that are tokens already."""
        statuses = [self._status(len(context), len(each)) for each in continuations]
        places = [place for place, status in enumerate(statuses) if status == "scored"]
        found: dict[int, Any] = {}
        with torch.inference_mode():
            packed = [p for p in places if self._can_pack(len(context) + len(continuations[p]))]
            groups = self._groups(packed, continuations)
            if groups:
                scored = score_packed(
                    self._model, context, [[continuations[p] for p in group] for group in groups]
                )
                for group, logprobs in zip(groups, scored, strict=True):
                    found.update(zip(group, logprobs, strict=True))
            for place in places:
                if place not in found:
                    found[place] = score_alone(self._model, context, continuations[place])
        return [
            self._result(status, len(context), each, found.get(place))
            for place, (status, each) in enumerate(zip(statuses, continuations, strict=True))
        ]

    def _status(self, context: int, continuation: int) -> str:
        if continuation == 0:
            return "empty_continuation"
        if context == 0:
            return "empty_context"
        if self.window is not None and context + continuation > self.window:
            return "context_overflow"
        return "scored"

    def _can_pack(self, tokens: int) -> bool:
        return self.is_packing and (self._limit is None or tokens <= self._limit)

    def _groups(
        self, places: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> list[list[int]]:
        groups: list[list[int]] = []
        room = 0
        for place in places:
            size = len(continuations[place])
            if size > room:
                groups.append([])
                room = self._budget
            groups[-1].append(place)
            room -= size
        return groups

    def _result(
        self, status: str, context: int, continuation: Sequence[int], logprobs: Any
    ) -> ContinuationScore:
        count = len(continuation)
        if status != "scored":
            return ContinuationScore(status, None, count, context)
        # Summed in float64: a thousand float32 terms would lose the digits that are promised.
        total = float(logprobs.double().sum())
        if not math.isfinite(total):
            return ContinuationScore("not_finite", None, count, context)
        if not self._keep_tokens:
            return ContinuationScore(status, total, count, context)
        each = tuple(float(value) for value in logprobs)
        return ContinuationScore(status, total, count, context, each, tuple(continuation))


def window_of(config: Any) -> int | None:
    """Return the most tokens a model takes, by its configuration; None where it does not say."""
    text = config.get_text_config(decoder=True) if hasattr(config, "get_text_config") else config
    for name in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"):
        value = getattr(text, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return None
