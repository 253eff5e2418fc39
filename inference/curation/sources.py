"""Where documents about a question are looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from inference.documents import Document
from inference.embeddings import Embedder
from inference.retrieval import FolderRetriever


class DocumentSource(Protocol):
    """Finds documents for a search query: a search engine, or a folder."""

    @property
    def identity(self) -> str:
        """All that decides what it finds, in words or as a hash."""

    def find(self, query: str, k: int) -> Sequence[Document]:
        """Return the best documents for a query, the best first.

        Args:
            query: The query.
            k: The most documents.
        """


class FolderSource:
    """Documents that are at hand, by their best chunk's cosine with the query.

    Args:
        documents: The documents.
        make_embedder: Makes the embedder, given the chunks' texts.
    """

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


def found_by(source: DocumentSource, queries: Sequence[str], k: int) -> list[Document]:
    """Return what several queries find, each document once, the best of every query first.

    Args:
        source: Where to look.
        queries: The queries.
        k: The most documents of each.
    """
    lists = [list(source.find(query, k)) for query in queries]
    found: dict[str, Document] = {}
    for place in range(k):
        for each in lists:
            if place < len(each):
                found.setdefault(each[place].document_id, each[place])
    return list(found.values())
