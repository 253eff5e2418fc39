"""Each question's documents: found in a folder or on the web, the five that fit best.

A document fits as well as the best of its chunks. `cosine_scorer` compares embeddings;
`cross_encoder` has a local model read the question and the chunk together. `judge_documents` shows
each document whole, cut to its window, to a model that writes. Its reply is a whole number from 0
to 10 and nothing else; one that is anything else leaves the document without a score, so that it is
removed with the reply as the reason, and never guessed at.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from inference.embeddings import Embedder, cosines
from inference.errors import BadSettings
from inference.prompt_files import Prompt, PromptFile
from inference.questions.chunking import ABOUT, Spans, chunks, word_spans
from inference.questions.curation.perspectives import trimmed
from inference.questions.curation.records import (
    Check,
    Evidence,
    Question,
    Reason,
    Removed,
    Rule,
    Step,
    sift,
)
from inference.questions.documents import TRUSTED, Document
from inference.questions.retrieval import FolderRetriever
from inference.questions.web.pages import REFUSED, Pages, PageSeen
from inference.registry import spec_for
from inference.steps.asking import Ask

AT_MOST = 5
AT_LEAST = 3
RELEVANCE = PromptFile("curation", "document_relevance", ("question", "document"))
MOST = 10
_NUMBER = re.compile(r"(\d{1,2})\.?")
# Scores differ between machines behind this many digits.
_DIGITS = 6


class DocumentSource(Protocol):
    """Finds documents for a search query: a search engine, or a folder."""

    @property
    def identity(self) -> str:
        """All that decides which documents it finds."""

    def find(self, query: str, k: int) -> Sequence[Document]:
        """Return the best documents for a query, the best first."""


class FolderSource:
    """Documents of a folder, by their best chunk's cosine with the query."""

    def __init__(
        self, documents: Sequence[Document], make_embedder: Callable[[Sequence[str]], Embedder]
    ) -> None:
        self._by_id = {document.document_id: document for document in documents}
        self._retriever = FolderRetriever(documents, make_embedder)
        self._at_most = sum(len(document.text) for document in documents)

    @property
    def identity(self) -> str:
        """The documents and the embedder."""
        return self._retriever.identity

    def find(self, query: str, k: int) -> list[Document]:
        """Return the documents whose best chunks are nearest to a query and like it at all."""
        found = self._retriever.search(query, self._at_most, trusted_only=False)
        near = dict.fromkeys(chunk.document_id for chunk in found if chunk.similarity > 0)
        return [self._by_id[name] for name in list(near)[:k]]


class WebSource:
    """Pages of trusted domains, by a search service or a list of addresses."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._seen: dict[str, PageSeen] = {}

    @property
    def identity(self) -> str:
        """The settings of the search, its snapshot among them."""
        return self._pages.identity

    def find(self, query: str, k: int) -> list[Document]:
        """Return the pages for a query, in the order of the search.

        Raises:
            SearchFailed: The search service does not answer as it should.
        """
        found = self._pages.find(query, k, trusted_only=True, question_id=None)
        self._seen |= {page.address: page for page in found.pages}
        return [document for document, _ in found.documents]

    def take_pages(self) -> list[PageSeen]:
        """Return the outcome of every page since the last call, each once."""
        seen, self._seen = list(self._seen.values()), {}
        return seen


def page_funnel(seen: Mapping[str, Sequence[PageSeen]]) -> Step[PageSeen]:
    """Return the funnel of pages: how many each reason removed, and which."""
    left = sum(len(pages) for pages in seen.values())
    removed: list[Removed] = []
    rules: list[Rule] = []
    for order, reason in enumerate(REFUSED, start=1):
        gone = [
            _removed_page(question_id, page)
            for question_id, pages in seen.items()
            for page in pages
            if page.status == reason
        ]
        rules.append(Rule(order, reason, left, len(gone)))
        removed += gone
        left -= len(gone)
    return Step("documents", "page", (), tuple(removed), tuple(rules))


def _removed_page(question_id: str, page: PageSeen) -> Removed:
    digits = hashlib.sha256(page.address.encode("utf-8", "replace")).hexdigest()[:12]
    detail = f"{page.address}: {page.detail}"
    return Removed(f"{question_id}/{digits}", page.status, detail)


def found_by(source: DocumentSource, queries: Sequence[str], k: int) -> list[Document]:
    """Return what several queries find, each document once, the best of every query first."""
    lists = [list(source.find(query, k)) for query in queries]
    found: dict[str, Document] = {}
    for place in range(k):
        for each in lists:
            if place < len(each):
                found.setdefault(each[place].document_id, each[place])
    return list(found.values())


# Returns a number for each text, the larger the better it fits a question.
Scorer = Callable[[str, Sequence[str]], list[float]]
# A document's score, or the reason why it has none, by question and document.
Judged = Mapping[tuple[str, str], float | Reason]


def cosine_scorer(embedder: Embedder) -> Scorer:
    """Return the scorer by the cosine of the question's embedding and the text's."""

    def score(question: str, texts: Sequence[str]) -> list[float]:
        found = cosines(embedder.embed(texts), embedder.embed([question])[0])
        return [float(cosine) for cosine in found]

    return score


def cross_encoder(name: str, judges_file: Path | None = None) -> Scorer:
    """Return the scorer by a local sequence classifier with one output, such as a BGE reranker.

    Raises:
        BadSettings: It is no local model.
        ModelUnavailable: It cannot be loaded, or has more outputs than one.
    """
    spec = spec_for(name, judges_file)
    if spec.provider != "local":
        raise BadSettings(
            f"rerank: '{name}' is no local model; name a cross-encoder, such as "
            "local/BAAI/bge-reranker-base, or rerank by embeddings"
        )
    # Imported here: PyTorch takes seconds to load, and cosines have no use for it.
    from inference.local.encoding import PairScorer

    return PairScorer(spec).score


def judge_documents(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
    ask: Ask,
    prompt: Prompt,
    *,
    domains: Collection[str] = TRUSTED,
    spans: Spans = word_spans,
) -> Judged:
    """Return how relevant each document is to its question, from 0 to 1."""
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
    scores: dict[tuple[str, str], float | Reason] = {}
    for (question, each), reply in zip(asked, ask(prompts), strict=True):
        score = read_relevance(reply.text)
        scores[question.question_id, each.document_id] = (
            Reason.of_reply(reply, "not_a_number") if score is None else score
        )
    return scores


def read_relevance(reply: str) -> float | None:
    """Return a reply's number from 0 to 10 as a share of 1; None for any other reply."""
    match = _NUMBER.fullmatch(reply.strip().strip("*_ "))
    number = int(match[1]) if match else MOST + 1
    return number / MOST if number <= MOST else None


class Reranked(NamedTuple):
    """The chosen documents, and the questions that have enough of them."""

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
    scores: Judged = {} if callable(scorer) else scorer

    def blank(each: Evidence) -> Reason | None:
        return None if each.document.text.strip() else Reason("no text in it")

    def untrusted(each: Evidence) -> Reason | None:
        if each.document.is_trusted(domains):
            return None
        return Reason(f"from .{each.document.top_level_domain or '(unknown)'}")

    def unreadable(each: Evidence) -> Reason | None:
        score = scores.get((each.question_id, each.document.document_id))
        return score if isinstance(score, Reason) else None

    def beyond(each: Evidence) -> Reason | None:
        return None if each.position <= at_most else Reason(f"no. {each.position}")

    def too_few(question: Question) -> Reason | None:
        count = counts[question.question_id]
        return None if count >= at_least else Reason(f"{count} of {at_least} documents")

    rules: list[tuple[str, Check[Evidence]]] = [
        ("blank_document", blank),
        ("untrusted_domain", untrusted),
    ]
    if not callable(scorer):
        rules.append(("unreadable_relevance", unreadable))
    rules.append((f"beyond_the_best_{at_most}", beyond))
    ranked = [
        each
        for question in questions
        for each in _ranked(question, candidates[question.question_id], scorer, domains, about)
    ]
    documents = sift("documents", "document", ranked, lambda each: each.evidence_id, rules)
    counts = dict.fromkeys((question.question_id for question in questions), 0)
    for each in documents.kept:
        counts[each.question_id] += 1
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
    scores: Sequence[float | Reason | None]
    if callable(scorer):
        scores = _best_chunks(question, trusted, scorer, about)
    else:
        scores = [scorer.get((name, each.document_id)) for each in trusted]
    pairs = [
        (score, each)
        for score, each in zip(scores, trusted, strict=True)
        if isinstance(score, float)
    ]
    # Of equals, the one that was found first.
    pairs.sort(key=lambda pair: -pair[0])
    ranked = [
        Evidence(name, position, score, each)
        for position, (score, each) in enumerate(pairs, start=1)
    ]
    chosen = [each for _, each in pairs]
    return ranked + [Evidence(name, 0, 0.0, each) for each in documents if each not in chosen]


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
        scores = scorer(question.question, [chunk for _, chunk in parts])
        for (place, _), score in zip(parts, scores, strict=True):
            best[place] = max(best[place], round(score, _DIGITS))
    return best
