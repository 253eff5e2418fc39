"""Reranking by a model that reads: it says how relevant each document is to the question.

A document is shown whole, cut to what a model can take. The reply is a whole number from 0 to 10
and nothing else; one that is anything else leaves the document without a score, so that it is
removed with the reply as the reason, and never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from inference.prompt_files import Prompt, load_prompt
from inference.questions.chunking import Spans, word_spans
from inference.questions.curation.funnel import Reason
from inference.questions.curation.points import trimmed
from inference.questions.curation.records import Question
from inference.questions.curation.rerank import Judged
from inference.questions.documents import TRUSTED, Document
from inference.steps.replies import Ask, ask_all

MOST = 10
_NUMBER = re.compile(r"(\d{1,2})\.?")


def load_relevance_prompt(prompts_folder: Path | None = None) -> Prompt:
    """Return the prompt that asks how relevant a document is."""
    return load_prompt("curation", "document_relevance", ["question", "document"], prompts_folder)


async def judge_documents(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
    ask: Ask,
    prompt: Prompt,
    *,
    domains: Collection[str] = TRUSTED,
    spans: Spans = word_spans,
) -> Judged:
    """Return how relevant each document is to its question, from 0 to 1, or why nobody knows.

    Args:
        questions: The questions.
        candidates: The documents found for each.
        ask: Asks the model.
        prompt: Has the slots `{question}` and `{document}`.
        domains: The trusted top-level domains; documents from others are not asked about.
        spans: Says where a text's tokens are, for cutting documents.
    """
    asked = [
        (question, document)
        for question in questions
        for document in candidates[question.question_id]
        if document.text.strip() and document.is_trusted(domains)
    ]
    prompts = [
        prompt.fill(
            {"question": question.question, "document": "".join(trimmed([each.text], spans).texts)}
        )
        for question, each in asked
    ]
    said: dict[tuple[str, str], float | Reason] = {}
    for (question, each), reply in zip(asked, await ask_all(prompts, ask), strict=True):
        score = read_relevance(reply.text)
        key = question.question_id, each.document_id
        said[key] = Reason.of_reply(reply, "not_a_number") if score is None else score
    return Judged(said)


def read_relevance(reply: str) -> float | None:
    """Return what a reply says, as a share of 1: a number from 0 to 10; None for any other.

    Args:
        reply: The reply.
    """
    match = _NUMBER.fullmatch(reply.strip().strip("*_ "))
    number = int(match[1]) if match else MOST + 1
    return number / MOST if number <= MOST else None
