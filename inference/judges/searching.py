"""Questions answered with documents: found at once, or by a model that searches before it answers.

`FolderSearch` is what a run is given for arms with retrieval. In a `vanilla` arm it finds the
documents and the judge answers once. In a `react` arm it stands between the run and the judge: the
judge is asked what to look for until it has enough, and then for the answer. That is one answer to
the run, with the tokens and the cost of all that was asked; every step is on its journal line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from inference.answers import Question
from inference.documents import TRUSTED, Document
from inference.embeddings import open_embedder
from inference.errors import BadSettings
from inference.judges.base import Judge, Reply, Request
from inference.prompt_files import Prompt, load_prompt
from inference.retrieval import (
    STEP_SLOTS,
    FolderRetriever,
    Gathered,
    Retriever,
    once,
    shown,
    step_by_step,
)


class FolderSearch:
    """Finds documents for a run's questions.

    Args:
        retriever: Where they are looked for.
        is_trusted_only: Whether documents of other than trusted domains are left out.
        step_prompt: How a model is asked what to look for; the shipped prompt unless given.
    """

    def __init__(
        self, retriever: Retriever, *, is_trusted_only: bool, step_prompt: Prompt | None = None
    ) -> None:
        self.is_trusted_only = is_trusted_only
        self._retriever = retriever
        self._prompt = step_prompt or load_prompt("retrieval", "react_step", STEP_SLOTS)

    def facts(self) -> Mapping[str, Any]:
        """Return what decides what is found: documents, chunks and embedder, as one hash."""
        return {"retriever": self._retriever.identity}

    def documents(self, question: Question) -> Sequence[str]:
        """Return the chunks nearest to a question, the nearest first."""
        found = once(self._retriever, question.question, trusted_only=self.is_trusted_only)
        return [chunk.text.strip() for chunk in found.chunks]

    def agent(self, judge: Judge) -> Judge:
        """Return a judge that searches before it answers, where the request says so.

        Args:
            judge: Who thinks and answers.

        Raises:
            BadSettings: It takes its requests in bulk, so that none can wait for another.
        """
        if hasattr(judge, "ask_many"):
            raise BadSettings(
                "searching: a judge that takes its requests in bulk cannot search in between; use "
                "one that is asked at once, or an experiment without the retrieval 'react'"
            )
        return _SearchingJudge(judge, self._retriever, self._prompt, self.is_trusted_only)


def folder_search(
    documents: Sequence[Document],
    embedder: str,
    *,
    is_trusted_only: bool,
    domains: Collection[str] = TRUSTED,
    judges_file: Path | None = None,
    prompts_folder: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> FolderSearch:
    """Return the search of documents that are at hand.

    Args:
        documents: The documents.
        embedder: `tfidf`, `local/<model>`, or an endpoint's id.
        is_trusted_only: Whether documents of other than trusted domains are left out.
        domains: The trusted top-level domains.
        judges_file: The `judges.toml` with the embedder's settings.
        prompts_folder: The user's own prompts.
        environ: Where keys are read; the process's environment unless given.

    Raises:
        InferenceError: The embedder cannot be used, or a document not embedded.
    """
    retriever = FolderRetriever(
        documents,
        lambda corpus: open_embedder(embedder, corpus, judges_file, environ),
        domains=domains,
    )
    prompt = load_prompt("retrieval", "react_step", STEP_SLOTS, prompts_folder)
    return FolderSearch(retriever, is_trusted_only=is_trusted_only, step_prompt=prompt)


class _Failed(Exception):
    """A step has no reply, and so the answer has none."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.error)
        self.reply = reply


class _SearchingJudge:
    def __init__(
        self, judge: Judge, retriever: Retriever, prompt: Prompt, is_trusted_only: bool
    ) -> None:
        self._judge = judge
        self._retriever = retriever
        self._prompt = prompt
        self._is_trusted_only = is_trusted_only
        # Steps of answers that failed in the end: when they are asked again these are not.
        self._known: dict[str, Reply] = {}

    @property
    def concurrency(self) -> int:
        return self._judge.concurrency

    def identity(self, request: Request) -> dict[str, Any]:
        identity = self._judge.identity(request)
        if not _searches(request):
            return identity
        return {**identity, "react_step": self._prompt.prompt_hash}

    async def __aenter__(self) -> Self:
        await self._judge.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._judge.__aexit__(kind, error, trace)

    async def ask(self, request: Request) -> Reply:
        if not _searches(request):
            return await self._judge.ask(request)
        asked: dict[str, Reply] = {}

        async def ask(prompt: str) -> str:
            key = _key(request, prompt)
            reply = self._known.get(key)
            if reply is None:
                step = replace(request, prompt=prompt, system=None, labels=())
                reply = await self._judge.ask(step)
                if reply.error_kind is not None:
                    raise _Failed(reply)
                self._known[key] = reply
            asked[key] = reply
            return reply.response or ""

        question = request.question.question
        try:
            gathered = await step_by_step(
                self._retriever,
                question,
                ask,
                self._prompt,
                trusted_only=self._is_trusted_only,
            )
        except _Failed as failed:
            return failed.reply
        values = {
            "question": question,
            "documents": shown(gathered.chunks),
            "target_tokens": str(request.generation.target_tokens),
        }
        last = await self._judge.ask(replace(request, prompt=request.template.render(values)))
        if last.error_kind is not None:
            return last
        for key in asked:
            self._known.pop(key, None)
        return _together(last, list(asked.values()), gathered)


def _searches(request: Request) -> bool:
    return request.generation.retrieval == "react"


def _key(request: Request, prompt: str) -> str:
    facts = f"{request.item.item_id}\n{request.template.label}\n{request.asks}\n{request.sample}"
    return hashlib.sha256(f"{facts}\n{prompt}".encode("utf-8", "replace")).hexdigest()


def _together(last: Reply, before: Sequence[Reply], gathered: Gathered) -> Reply:
    """Return the answer with what all of it took, and the steps that led to it."""
    replies = [*before, last]
    sums: dict[str, Any] = {}
    for name in ("tokens_in", "tokens_out", "tokens_cached", "cost_usd"):
        values = [getattr(reply, name) for reply in replies]
        # What one endpoint reply does not say, nobody knows of all of them.
        sums[name] = None if None in values else sum(values)
    omitted = dict.fromkeys(name for reply in replies for name in reply.omitted_parameters)
    steps = tuple(
        {
            "query": step.query,
            "decision": step.decision,
            "found": [f"{document}/{place}" for document, place in step.found],
            # Half a surrogate pair is valid in JSON, and in nothing that reads a journal.
            "reply": None
            if step.reply is None
            else step.reply.encode("utf-8", "replace").decode("utf-8"),
        }
        for step in gathered.steps
    )
    return replace(last, **sums, omitted_parameters=tuple(omitted), retrieval_steps=steps)
