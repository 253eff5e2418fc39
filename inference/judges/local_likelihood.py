"""Evaluators on this machine: how an answer compares with points of view, by a model's weights.

`perspective_diversity` takes a causal language model: the log-probability of each point of view
behind the answer, which stands in the wording and, where the model has a chat template, in a user
turn of it. Only the point of view's tokens count, and nothing is cut.

`bart_score` takes an encoder-decoder: the mean log-probability of the answer's tokens where the
point of view is read [1]_, precision. `sem_score` takes an encoder: the cosine of both texts' mean
token vectors [2]_.

.. [1] Yuan et al., BARTScore: evaluating generated text as text generation, 2021.
.. [2] Aynedinov and Akbik, SemScore, 2024.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inference.errors import BadTemplate
from inference.judges.base import Reply
from inference.judges.local import LocalBase
from inference.judges.request import Request
from inference.local.token_boundary import ids_of
from inference.questions.answers import (
    PERSPECTIVE_DIVERSITY,
    Answer,
    Compared,
    Comparison,
    Likelihood,
    PartialAnswer,
)
from inference.registry import JudgeSpec

if TYPE_CHECKING:
    from inference.questions.perplexity import ContinuationScorer

_DECIDING = (
    "dtype",
    "quantization",
    "remote_code",
    "revision",
    "system_prompt",
    "use_chat_template",
)
_AUTO = {
    PERSPECTIVE_DIVERSITY: "AutoModelForCausalLM",
    "bart_score": "AutoModelForSeq2SeqLM",
    "sem_score": "AutoModel",
}


class LocalEvaluator(LocalBase):
    """One model on this machine that compares answers with points of view.

    Args:
        metric: One of `LOCAL_METRICS`.
    """

    # One at work, one that is ready when it ends: an answer's points of view are a batch.
    concurrency = 2

    def __init__(self, spec: JudgeSpec, metric: str) -> None:
        super().__init__(spec, _AUTO[metric])
        self._metric = metric
        self._scorers: dict[bool, ContinuationScorer] = {}

    def identity(self, request: Request) -> dict[str, Any]:
        """The context, the settings that decide, and what is in the model's folder."""
        context = hashlib.sha256(request.prompt.encode("utf-8", "replace")).hexdigest()
        return {"context": context, **self._facts(_DECIDING)}

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        self._scorers = {}

    async def ask(self, request: Request) -> Reply:
        """Compare one answer with all points of view on its question."""
        if self._worker is None:
            raise RuntimeError("local: the evaluator was asked before it was opened")
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._answer, request)

    def _answer(self, request: Request) -> Reply:
        try:
            found = self._compare(request)
        except BadTemplate as error:
            return Reply(error_kind="bad_request", error=str(error), cost_usd=0.0)
        # A model raises what it likes, memory that ran out among it.
        except Exception as error:
            message = f"local: the model failed: {type(error).__name__}: {error}"
            return Reply(error_kind="server", error=message[:500], cost_usd=0.0)
        count = len(ids_of(self._tokenizer, request.about(Answer).answer))
        outcome = Compared(tuple(found), count)
        return Reply(cost_usd=0.0, model_version=self._version, outcome=outcome)

    def _compare(self, request: Request) -> list[Likelihood]:
        answer = request.about(Answer)
        points = answer.partial_answers
        if answer.is_empty:
            return [_none(point, "empty_answer") for point in points]
        if self._metric == PERSPECTIVE_DIVERSITY:
            return self._continued(request, points)
        if self._metric == "bart_score":
            return [self._translated(answer.answer, point) for point in points]
        return self._alike(answer.answer, points)

    def _continued(self, request: Request, points: Sequence[PartialAnswer]) -> list[Likelihood]:
        from inference.questions.perplexity import ContinuationScorer

        keep = request.way(Comparison).keep_tokens
        if keep not in self._scorers:
            self._scorers[keep] = ContinuationScorer(self._model, self._tokenizer, keep_tokens=keep)
        scorer = self._scorers[keep]
        context: str | list[int] = request.prompt
        if self._spec.settings["use_chat_template"] and self._tokenizer.chat_template:
            system = self._spec.settings.get("system_prompt")
            context = scorer.boundary.chat(request.prompt, system)
        scores = scorer.score(context, [point.text for point in points])
        found = []
        for point, score in zip(points, scores, strict=True):
            kept = None
            if score.token_logprobs is not None and score.token_ids is not None:
                texts = [self._tokenizer.decode([token]) for token in score.token_ids]
                kept = tuple(zip(texts, score.token_logprobs, strict=True))
            likelihood = _none(point, score.status, score.token_count, score.context_token_count)
            found.append(replace(likelihood, logprob_sum=score.logprob_sum, token_logprobs=kept))
        return found

    def _translated(self, answer: str, point: PartialAnswer) -> Likelihood:
        import torch

        read, written = (
            ids_of(self._tokenizer, text, special=True) for text in (point.text, answer)
        )
        window = self._window()
        if window is not None and max(len(read), len(written)) > window:
            return _none(point, "context_overflow", len(written), len(read))
        rows = {"input_ids": read, "attention_mask": [1] * len(read), "labels": written}
        device = self._model.device
        with torch.inference_mode():
            given = {name: torch.tensor([row], device=device) for name, row in rows.items()}
            loss = self._model(**given).loss
        return _scored(point, -float(loss), len(written), len(read))

    def _alike(self, answer: str, points: Sequence[PartialAnswer]) -> list[Likelihood]:
        import torch

        from inference.local.encoding import state_sums

        window = self._window()
        texts = [answer, *(point.text for point in points)]
        rows = [ids_of(self._tokenizer, text, special=True) for text in texts]
        # A text at a time: its vector is the same whatever it is compared with.
        vectors = [
            None
            if window is not None and len(row) > window
            else state_sums(self._model, [row])[0] / len(row)
            for row in rows
        ]
        first = vectors[0]
        found = []
        for point, row, vector in zip(points, rows[1:], vectors[1:], strict=True):
            if first is None or vector is None:
                found.append(_none(point, "context_overflow", len(row), len(rows[0])))
                continue
            cosine = torch.nn.functional.cosine_similarity(first, vector, dim=0)
            found.append(_scored(point, float(cosine), len(row), len(rows[0])))
        return found


def _none(
    point: PartialAnswer, status: str, tokens: int | None = None, context: int | None = None
) -> Likelihood:
    likelihood = Likelihood(point.partial_answer_id, point.text_hash, status)
    return replace(likelihood, token_count=tokens, context_token_count=context)


def _scored(point: PartialAnswer, value: float, tokens: int, context: int) -> Likelihood:
    if not math.isfinite(value):
        return _none(point, "not_finite", tokens, context)
    return replace(_none(point, "scored", tokens, context), value=value)
