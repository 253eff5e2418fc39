"""Choosing each question's documents: from trusted domains, the five that fit the question best.

A document fits as well as the best of its chunks. `CosineScorer` compares embeddings;
`CrossEncoderScorer` has a local model read the question and the chunk together. `Judged` is what a
model that writes has said of documents, each shown whole, cut to what a model can take. Its reply
is a whole number from 0 to 10 and nothing else; one that is anything else leaves the document
without a score, so that it is removed with the reply as the reason, and never guessed at.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from inference.embeddings import Embedder, cosines
from inference.errors import BadSettings
from inference.prompt_files import Prompt, PromptFile
from inference.questions.chunking import ABOUT, Spans, chunks, word_spans
from inference.questions.curation.perspectives import trimmed
from inference.questions.curation.records import Check, Evidence, Question, Reason, Step, sift
from inference.questions.documents import TRUSTED, Document
from inference.registry import spec_for
from inference.steps.asking import Ask

AT_MOST = 5
AT_LEAST = 3
RELEVANCE = PromptFile("curation", "document_relevance", ("question", "document"))
MOST = 10
_NUMBER = re.compile(r"(\d{1,2})\.?")
# Scores differ between machines behind this many digits.
_DIGITS = 6


class Scorer(Protocol):
    """Says how well texts fit a question."""

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a number for each text, the larger the better it fits."""


class CosineScorer:
    """The cosine of the question's embedding and the text's."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text with the question."""
        found = cosines(self._embedder.embed(texts), self._embedder.embed([question])[0])
        return [float(cosine) for cosine in found]


class CrossEncoderScorer:
    """A local sequence classifier with one output, such as a BGE reranker.

    Args:
        name: Its id, `local/<model>`.

    Raises:
        BadSettings: It is no local model.
        ModelUnavailable: It cannot be loaded, or has more outputs than one.
    """

    def __init__(self, name: str, judges_file: Path | None = None) -> None:
        spec = spec_for(name, judges_file)
        if spec.provider != "local":
            raise BadSettings(
                f"rerank: '{name}' is no local model; name a cross-encoder, such as "
                "local/BAAI/bge-reranker-base, or rerank by embeddings"
            )
        # Imported here: PyTorch takes seconds to load, and cosines have no use for it.
        from inference.local.encoding import PairScorer

        self._scorer = PairScorer(spec)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of the question and each text."""
        return self._scorer.score(question, texts)


@dataclass(frozen=True)
class Judged:
    """By question and document how well it fits, the larger the better, or why nobody knows."""

    said: Mapping[tuple[str, str], float | Reason]

    def score(self, question_id: str, document: Document) -> float | None:
        """Return a document's number; None where it has none."""
        found = self.said.get((question_id, document.document_id))
        return None if isinstance(found, Reason) else found

    def failure(self, question_id: str, document: Document) -> Reason | None:
        """Return why a document has no number; None where it has one, or nobody asked."""
        found = self.said.get((question_id, document.document_id))
        return found if isinstance(found, Reason) else None


def judge_documents(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
    ask: Ask,
    prompt: Prompt,
    *,
    domains: Collection[str] = TRUSTED,
    spans: Spans = word_spans,
) -> Judged:
    """Return how relevant each document is to its question, from 0 to 1, or why nobody knows."""
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
    for (question, each), reply in zip(asked, ask(prompts), strict=True):
        score = read_relevance(reply.text)
        key = question.question_id, each.document_id
        said[key] = Reason.of_reply(reply, "not_a_number") if score is None else score
    return Judged(said)


def read_relevance(reply: str) -> float | None:
    """Return what a reply says, as a share of 1: a number from 0 to 10; None for any other."""
    match = _NUMBER.fullmatch(reply.strip().strip("*_ "))
    number = int(match[1]) if match else MOST + 1
    return number / MOST if number <= MOST else None


class Reranked(NamedTuple):
    """The documents that were chosen, and the questions that have enough of them."""

    documents: Step[Evidence]
    questions: Step[Question]

    @property
    def by_question(self) -> dict[str, list[Evidence]]:
        """The chosen documents of the questions that are left, the best first."""
        found: dict[str, list[Evidence]] = {each.question_id: [] for each in self.questions.kept}
        for each in self.documents.kept:
            if each.question_id in found:
                found[each.question_id].append(each)
        return found


def rerank(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
    scorer: Scorer | Judged,
    *,
    domains: Collection[str] = TRUSTED,
    at_most: int = AT_MOST,
    at_least: int = AT_LEAST,
    about: int = ABOUT,
) -> Reranked:
    """Choose each question's documents."""
    ranked = [
        each
        for question in questions
        for each in _ranked(question, candidates[question.question_id], scorer, domains, about)
    ]

    def untrusted(each: Evidence) -> Reason | None:
        if each.document.is_trusted(domains):
            return None
        return Reason(f"from .{each.document.top_level_domain or '(unknown)'}")

    rules: list[tuple[str, Check[Evidence]]] = [
        (
            "blank_document",
            lambda each: None if each.document.text.strip() else Reason("no text in it"),
        ),
        ("untrusted_domain", untrusted),
        (
            f"beyond_the_best_{at_most}",
            lambda each: None if each.position <= at_most else Reason(f"no. {each.position}"),
        ),
    ]
    if isinstance(scorer, Judged):
        judged = scorer
        rules.insert(
            -1,
            (
                "unreadable_relevance",
                lambda each: judged.failure(each.question_id, each.document),
            ),
        )
    documents = sift("documents", "document", ranked, lambda each: each.evidence_id, rules)
    counts = dict.fromkeys((question.question_id for question in questions), 0)
    for each in documents.kept:
        counts[each.question_id] += 1

    def too_few(question: Question) -> Reason | None:
        count = counts[question.question_id]
        return None if count >= at_least else Reason(f"{count} of {at_least} documents")

    left = sift(
        "documents_per_question",
        "question",
        questions,
        lambda question: question.question_id,
        [(f"fewer_than_{at_least}_documents", too_few)],
    )
    return Reranked(documents, left)


def _ranked(
    question: Question,
    documents: Sequence[Document],
    scorer: Scorer | Judged,
    domains: Collection[str],
    about: int,
) -> list[Evidence]:
    """Return a question's documents: the trusted ones, the best first, then all others unranked.

    Only trusted ones are scored, as only they can be chosen.
    """
    name = question.question_id
    trusted = [each for each in documents if each.text.strip() and each.is_trusted(domains)]
    if isinstance(scorer, Judged):
        scores = {each.document_id: scorer.score(name, each) for each in trusted}
        trusted = [each for each in trusted if scores[each.document_id] is not None]
        best = [scores[each.document_id] or 0.0 for each in trusted]
    else:
        best = _best_chunks(question, trusted, scorer, about)
    # Of equals, the one that was found first.
    order = sorted(range(len(trusted)), key=lambda place: -best[place])
    ranked = [
        Evidence(name, position, best[place], trusted[place])
        for position, place in enumerate(order, start=1)
    ]
    return ranked + [Evidence(name, 0, 0.0, each) for each in documents if each not in trusted]


def _best_chunks(
    question: Question, trusted: Sequence[Document], scorer: Scorer, about: int
) -> list[float]:
    parts = [
        (place, chunk)
        for place, document in enumerate(trusted)
        for chunk in chunks(document.text, about)
        if chunk.strip()
    ]
    best = [float("-inf")] * len(trusted)
    if parts:
        scores = scorer.score(question.question, [chunk for _, chunk in parts])
        for (place, _), score in zip(parts, scores, strict=True):
            best[place] = max(best[place], round(score, _DIGITS))
    return best
