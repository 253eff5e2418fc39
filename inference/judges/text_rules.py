"""Evaluators without weights: how an answer compares with points of view, by counting words.

`rule/cache-model` is a language model that says again what it has read. With X the words of the
answer as the wording puts it, a word w has the probability

    P(w | X) = cache_weight * count(w in X) / |X| + (1 - cache_weight) / vocabulary,

whatever stands before it; `cache_weight` is 1/2 and `vocabulary` 50,000 unless they are set. It is
for places without models, such as the demo: an answer that holds a point of view makes it likelier,
in any order of its words.

A word is a run of letters, digits and inner apostrophes, small letters and capitals alike; every
other sign that is no white space is a word of its own. Scripts without spaces come out as long
words, and make every answer unlikely.

`rule/bleu` is sentence BLEU [1]_ of the answer against one point of view, from 0 to 100, with
exponential smoothing and the international tokeniser `13a` of sacrebleu; `rule/rouge-l` the
F-measure of ROUGE-L [2]_ from 0 to 1, with Porter stems.

.. [1] Papineni et al., BLEU: a method for automatic evaluation of machine translation, 2002.
.. [2] Lin, ROUGE: a package for automatic evaluation of summaries, 2004.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from typing import Any

from inference.errors import ModelUnavailable
from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.questions.answers import Answer, Compared, Comparison, Likelihood, PartialAnswer
from inference.registry import JudgeSpec

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
# Which rule speaks by which metric.
METRIC_OF = {"bleu": "bleu", "cache-model": "perspective_diversity", "rouge-l": "rouge_l"}
_PACKAGE = {"bleu": "sacrebleu", "rouge-l": "rouge-score"}


class TextRule(OfflineJudge):
    """`rule/cache-model`, `rule/bleu` and `rule/rouge-l`."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec

    def identity(self, request: Request) -> dict[str, Any]:
        """The context, the rule's own settings, and the package that counts, with its version."""
        context = hashlib.sha256(request.prompt.encode("utf-8", "replace")).hexdigest()
        package, counted_by = _PACKAGE.get(self._spec.model), None
        if package is not None:
            try:
                counted_by = f"{package} {version(package)}"
            except ImportError:
                raise ModelUnavailable(
                    f"text_rules: judge '{self._spec.judge_id}' counts with the package {package}, "
                    f"which is not installed; run: pip install {package}"
                ) from None
        return {"context": context, "settings": self._spec.settings, "counted_by": counted_by}

    async def ask(self, request: Request) -> Reply:
        """Compare the answer with each point of view."""
        answer = request.about(Answer)
        context, spoken = words_of(request.prompt), words_of(answer.answer)
        found = []
        for point in request.about(Answer).partial_answers:
            if answer.is_empty:
                one = Likelihood(point.partial_answer_id, point.text_hash, "empty_answer")
            elif self._spec.model == "cache-model":
                one = self._likelihood(context, point, keep=request.way(Comparison).keep_tokens)
            else:
                value = self._score(answer.answer, point.text)
                one = Likelihood(point.partial_answer_id, point.text_hash, "scored", value)
            found.append(one)
        return Reply(cost_usd=0.0, outcome=Compared(tuple(found), len(spoken)))

    def _likelihood(self, context: list[str], point: PartialAnswer, *, keep: bool) -> Likelihood:
        of_point, counts = words_of(point.text), Counter(context)
        weight = float(self._spec.settings["cache_weight"])
        rest = (1.0 - weight) / int(self._spec.settings["vocabulary"])
        chances = [weight * counts[word] / max(len(context), 1) + rest for word in of_point]
        status = "scored" if of_point else "empty_continuation"
        if not all(chances):
            # With all weight on the cache, a word that is not in the answer is impossible.
            status = "not_finite"
        logprobs = [math.log(chance) for chance in chances] if status == "scored" else []
        kept = tuple(zip(of_point, logprobs, strict=True)) if keep and logprobs else None
        return Likelihood(
            point.partial_answer_id,
            point.text_hash,
            status,
            logprob_sum=math.fsum(logprobs) if logprobs else None,
            token_count=len(of_point),
            context_token_count=len(context),
            token_logprobs=kept,
        )

    @cached_property
    def _score(self) -> Callable[[str, str], float]:
        if self._spec.model == "bleu":
            from sacrebleu.metrics.bleu import BLEU

            bleu = BLEU(smooth_method="exp", tokenize="13a", effective_order=True)
            return lambda answer, point: float(bleu.sentence_score(answer, [point]).score)
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(["rougeL"], use_stemmer=True)
        return lambda answer, point: float(scorer.score(point, answer)["rougeL"].fmeasure)


def words_of(text: str) -> list[str]:
    """Return the words of a text, by the rule at the top of this module."""
    return _WORD.findall(text.casefold())
