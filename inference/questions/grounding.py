"""Which texts a question's answer is based on: its own documents, or pages from the web.

A question has the documents that the data set names for it. One that has none gets none: texts
about other questions would be noise that looks like retrieval. Where an experiment's `[retrieval]`
names another retriever, the pages that this finds for the question take their place.

What was shown is kept with the answer: the journal's `documents`, as `Grounding.record` has it.
"""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from inference.embeddings import TFIDF, Embedder, open_embedder
from inference.errors import BadItems, BadSettings
from inference.items import ItemSource
from inference.questions.answers import Question
from inference.questions.chunking import ABOUT
from inference.questions.documents import TRUSTED, Document, documents_hash, documents_of
from inference.questions.retrieval import Chunk, FolderRetriever, Gathered, Retriever, once
from inference.questions.web.access import Web
from inference.questions.web.pages import Pages, PageSeen
from inference.questions.web.settings import DATA_SET, RetrievalSettings

# What happened to the documents of an answer.
SHOWN, NO_DOCUMENTS, NO_TRUSTED, NOTHING_FOUND = (
    "shown",
    "no_documents",
    "no_trusted_documents",
    "nothing_found",
)
# The text of a chunk that is not known yet, where nothing may be sent: as long as chunks are.
_UNKNOWN = "word " * (ABOUT // 5)


class AtOnce(NamedTuple):
    """What is shown of the documents of a question."""

    texts: tuple[str, ...]
    record: dict[str, Any]


class Grounding:
    """The documents behind the questions of one data set.

    Args:
        web: The way to the web; None where documents come from the data set.
    """

    def __init__(
        self,
        source: ItemSource,
        embedder: str = TFIDF,
        *,
        settings: RetrievalSettings | None = None,
        web: Web | None = None,
        judges_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        settings = settings or RetrievalSettings()
        is_own = settings.retriever == DATA_SET
        if is_own and source.file("documents") is None:
            raise BadItems(
                f"grounding: data set '{source.dataset_id}' has no documents to answer from; use "
                "one that has, name another retriever in the experiment's [retrieval], or write "
                'an experiment with retrieval = ["none"]'
            )
        if not is_own and web is None:
            raise BadSettings(
                f"grounding: documents are to come from the retriever '{settings.retriever}', and "
                "this run has no folder to keep pages in; start it with 'rostrum run'"
            )
        self._source = source
        self._name = embedder
        self._settings = settings
        self._pages = web.pages(settings, environ) if web is not None and not is_own else None
        self._judges_file = judges_file
        self._environ = environ
        self._opening = threading.Lock()
        # The last question's, whose ways of asking come one after the other.
        self._last: tuple[str, Retriever] | None = None

    def identity(self, question: Question) -> str:
        """Return a hash of all that decides what is found for a question."""
        embedder = TFIDF if self._name == TFIDF else self._embedder.identity
        if self._pages is not None:
            facts: list[Any] = [self._pages.identity, embedder]
        else:
            facts = [documents_hash(self._documents(question)), embedder]
            if self._settings.domains != TRUSTED:
                facts.append(sorted(self._settings.domains))
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def at_once(self, question: Question, *, trusted_only: bool) -> AtOnce:
        """Return the chunks nearest to a question, best first."""
        retriever = self.retriever(question)
        found = once(retriever, question.question, trusted_only=trusted_only)
        texts = tuple(chunk.text.strip() for chunk in found.chunks)
        return AtOnce(texts, self.record(question, retriever, found, trusted_only=trusted_only))

    def record(
        self, question: Question, retriever: Retriever, found: Gathered, *, trusted_only: bool
    ) -> dict[str, Any]:
        """Return what a journal keeps of the documents behind an answer.

        That is the retriever, a status, the chunks in the order in which they were shown, and of
        pages from the web the outcome of each page.
        """
        searches = [step for step in found.steps if step.query is not None]
        by_place = {place: n for n, step in enumerate(searches, start=1) for place in step.found}
        pages = retriever.pages if isinstance(retriever, WebRetriever) else ()
        status = SHOWN if found.chunks else self._why_none(question, retriever, trusted_only)
        return {
            "retriever": self._label,
            "status": status,
            "chunks": [
                {
                    "document_id": chunk.document_id,
                    "position": chunk.position,
                    "similarity": round(chunk.similarity, 6),
                    "question_id": chunk.question_id,
                    "url": chunk.url,
                    "text_hash": hashlib.sha256(chunk.text.encode("utf-8", "replace")).hexdigest(),
                    "search": by_place[chunk.document_id, chunk.position],
                }
                for chunk in found.chunks
            ],
            **({"pages": [page._asdict() for page in pages]} if self._pages is not None else {}),
        }

    def retriever(self, question: Question) -> Retriever:
        """Return who finds chunks for a question."""
        if self._pages is not None:
            return WebRetriever(
                self._pages, self._settings, self._make, self.identity(question), question.item_id
            )
        if self._last is None or self._last[0] != question.item_id:
            documents = self._documents(question)
            made: Retriever = _Nothing(self.identity(question))
            if documents:
                ids = {document.document_id: question.item_id for document in documents}
                made = FolderRetriever(
                    documents, self._make, domains=self._settings.domains, question_ids=ids
                )
            self._last = question.item_id, made
        return self._last[1]

    @cached_property
    def _label(self) -> str:
        """What the retriever is called: its name, and digits of all that decides what it finds."""
        if self._pages is None:
            return DATA_SET
        whole = hashlib.sha256(f"{self._pages.identity} {self._name}".encode()).hexdigest()
        return f"{self._settings.retriever}:{whole[:8]}"

    def _why_none(self, question: Question, retriever: Retriever, trusted_only: bool) -> str:
        if isinstance(retriever, WebRetriever):
            return NOTHING_FOUND if retriever.has_documents else NO_DOCUMENTS
        documents = self._documents(question)
        if not documents:
            return NO_DOCUMENTS
        trusted = any(document.is_trusted(self._settings.domains) for document in documents)
        return NO_TRUSTED if trusted_only and not trusted else NOTHING_FOUND

    def _make(self, texts: Sequence[str]) -> Embedder:
        # Words are weighted among a question's own texts; a model is opened once for all of them.
        if self._name == TFIDF:
            return open_embedder(TFIDF, texts)
        with self._opening:
            return self._embedder

    @cached_property
    def _embedder(self) -> Embedder:
        return open_embedder(self._name, (), self._judges_file, self._environ)

    @cached_property
    def _by_question(self) -> dict[str, list[Document]]:
        file = self._source.file("documents")
        return {} if file is None else documents_of(self._source.dataset_id, file)

    def _documents(self, question: Question) -> list[Document]:
        own = self._by_question.get(question.item_id, ())
        return [document for document in own if document.text.strip()]


class WebRetriever:
    """Chunks of the pages that the web has for one question's queries."""

    def __init__(
        self,
        pages: Pages,
        settings: RetrievalSettings,
        make_embedder: Any,
        identity: str,
        question_id: str,
    ) -> None:
        self._found_by = pages
        self._settings = settings
        self._make = make_embedder
        self.identity = identity
        self._question_id = question_id
        self._pages: dict[str, PageSeen] = {}
        self.has_documents = False

    @property
    def pages(self) -> Sequence[PageSeen]:
        """What happened to every address that was looked at so far, each once."""
        return list(self._pages.values())

    def search(self, query: str, k: int, *, trusted_only: bool) -> list[Chunk]:
        """Return the nearest chunks of the pages for a query."""
        found = self._found_by.find(
            query, self._settings.results, trusted_only=trusted_only, question_id=self._question_id
        )
        self._pages |= {page.address: page for page in found.pages}
        if found.is_unknown:
            return [Chunk("unknown", place, _UNKNOWN, 0.0) for place in range(1, k + 1)]
        if not found.documents:
            return []
        self.has_documents = True
        owners = {document.document_id: owner for document, owner in found.documents}
        documents = [document for document, _ in found.documents]
        # Those of other domains are gone already.
        return FolderRetriever(documents, self._make, question_ids=owners).search(
            query, k, trusted_only=False
        )


@dataclass(frozen=True)
class _Nothing:
    """Finds nothing: the question has no documents."""

    identity: str

    def search(self, query: str, k: int, *, trusted_only: bool) -> list[Chunk]:
        """Return nothing."""
        del query, k, trusted_only
        return []
