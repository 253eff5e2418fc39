"""Where documents about a question are looked for: in a folder, or on the web."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from inference.embeddings import Embedder
from inference.questions.curation.records import Reason, Removed, Rule, Step
from inference.questions.documents import Document
from inference.questions.retrieval import FolderRetriever
from inference.questions.web.pages import REFUSED, Pages, PageSeen


class DocumentSource(Protocol):
    """Finds documents for a search query: a search engine, or a folder."""

    @property
    def identity(self) -> str:
        """All that decides what it finds, in words or as a hash."""

    def find(self, query: str, k: int) -> Sequence[Document]:
        """Return the best documents for a query, the best first."""


class FolderSource:
    """Documents that are at hand, by their best chunk's cosine with the query."""

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
        """Return the documents whose best chunks are nearest to a query; unlike ones are none."""
        chunks = self._retriever.search(query, self._at_most, trusted_only=False)
        near = dict.fromkeys(chunk.document_id for chunk in chunks if chunk.similarity > 0)
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
        """Return the outcome of every page since this was last asked, each once."""
        seen, self._seen = list(self._seen.values()), {}
        return seen


def page_funnel(seen: Mapping[str, Sequence[PageSeen]]) -> Step[PageSeen]:
    """Return the funnel of pages: how many each reason removed, and which."""
    left = sum(len(pages) for pages in seen.values())
    removed: list[Removed] = []
    rules: list[Rule] = []
    for order, reason in enumerate(REFUSED, start=1):
        gone = [
            _removed(question_id, page)
            for question_id, pages in seen.items()
            for page in pages
            if page.status == reason
        ]
        rules.append(Rule(order, reason, left, len(gone)))
        removed += gone
        left -= len(gone)
    return Step("documents", "page", (), tuple(removed), tuple(rules))


def _removed(question_id: str, page: PageSeen) -> Removed:
    digits = hashlib.sha256(page.address.encode("utf-8", "replace")).hexdigest()[:12]
    why = Reason(f"{page.address}: {page.detail}")
    return Removed(f"{question_id}/{digits}", page.status, *why)


def found_by(source: DocumentSource, queries: Sequence[str], k: int) -> list[Document]:
    """Return what several queries find, each document once, the best of every query first."""
    lists = [list(source.find(query, k)) for query in queries]
    found: dict[str, Document] = {}
    for place in range(k):
        for each in lists:
            if place < len(each):
                found.setdefault(each[place].document_id, each[place])
    return list(found.values())
