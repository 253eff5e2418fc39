"""A judge that looks texts up before it answers: three retrievals at most, by what it asks for.

It wraps another judge, which thinks and answers; every request whose retrieval is not `react` is
handed on as it is. A step that fails is the request's failure, which carries the steps before it:
asked again, the request has them in `finished_steps`, and the model's reply to them is used again
instead of being paid for twice. Only the search itself is done again, over the same documents.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inference.errors import InferenceError, SearchFailed
from inference.judges.base import COUNTED, Judge, JudgeWrapper, Reply, reply_of, summed
from inference.judges.request import Request
from inference.prompt_files import Prompt
from inference.questions.answers import STEP_BY_STEP, Generation, Question
from inference.questions.grounding import Grounding
from inference.questions.retrieval import Retrieval, shown, step_by_step


class _StepFailed(InferenceError):
    """A step brought a failure instead of a decision."""


class SearchingJudge(JudgeWrapper):
    """The judge, with somewhere to look."""

    def __init__(self, judge: Judge, grounding: Grounding, prompt: Prompt) -> None:
        super().__init__(judge)
        self._grounding = grounding
        self._prompt = prompt

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the judge's identity, the documents', and that of the prompt for queries."""
        known = self._judge.identity(request)
        if request.way(Generation).retrieval != STEP_BY_STEP:
            return known
        documents = self._grounding.identity(request.about(Question))
        return {**known, "documents": documents, "step_prompt": self._prompt.prompt_hash}

    async def ask(self, request: Request) -> Reply:
        """Look up what the judge asks for, then let it answer."""
        if request.way(Generation).retrieval != STEP_BY_STEP:
            return await self._judge.ask(request)
        finished = [
            reply_of(step) for step in request.finished_steps if step.get("reply") is not None
        ]
        replies: list[Reply] = []
        steps: list[Retrieval] = []

        async def ask(prompt: str) -> str:
            if len(replies) < len(finished):
                replies.append(finished[len(replies)])
            else:
                step = replace(request, prompt=prompt, system=None)
                replies.append(await self._judge.ask(step))
            if replies[-1].error_kind is not None:
                raise _StepFailed(str(replies[-1].error))
            return replies[-1].response or ""

        question = request.about(Question)
        trusted_only = bool(request.way(Generation).is_trusted_only)
        retriever = self._grounding.retriever(question)
        try:
            gathered = await step_by_step(
                retriever,
                question.question,
                ask,
                self._prompt,
                trusted_only=trusted_only,
                steps=steps,
            )
        except _StepFailed:
            return _searched(replies, steps)
        except SearchFailed as failure:
            # It may pass, as an endpoint's silence may.
            failed = Reply(error_kind="connection", error=str(failure), cost_usd=0.0, is_sent=False)
            replies.append(failed)
            return _searched(replies, steps)
        documents = shown(gathered.chunks)
        values = {"question": question.question, "documents": documents, "target_tokens": ""}
        prompt = request.template.render(values)
        texts = tuple(chunk.text for chunk in gathered.chunks)
        found = replace(question, documents=texts, trusted_documents=texts)
        replies.append(await self._judge.ask(replace(request, prompt=prompt, item=found)))
        record = self._grounding.record(question, retriever, gathered, trusted_only=trusted_only)
        return replace(_searched(replies, steps), outcome=record)


def _searched(replies: Sequence[Reply], steps: Sequence[Retrieval]) -> Reply:
    """Return the last reply with all steps, and with what all of them have used."""
    # The first step, with the question itself, needs no model.
    by_step = [None, *replies]
    searches = tuple(
        step._asdict() | {name: getattr(reply, name) for name in COUNTED if reply is not None}
        for step, reply in zip(steps, by_step, strict=False)
    )
    return summed(replies, searches, "searches")
