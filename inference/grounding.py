"""Which texts a question's answer is based on: the documents of the data set, or of a retriever.

Each question has the documents that the data set names for it; one that has none of its own has all
of the data set's. A retriever that was given takes their place, whatever the data set has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from inference.answers import Question
from inference.documents import Document, documents_hash, documents_of
from inference.embeddings import TFIDF, Embedder, open_embedder
from inference.errors import BadItems
from inference.items import ItemSource
from inference.retrieval import FolderRetriever, Retriever, once


class Grounding:
    """The documents behind the questions of one data set.

    Args:
        source: The data set.
        embedder: What compares texts with a question, as `open_embedder` names it.
        retriever: Who finds documents instead; None for the data set's own.
        judges_file: The `judges.toml` with the embedder's settings.
        environ: Where the embedder's key is read.

    Raises:
        BadItems: There are no documents, and nobody was given to find any.
    """

    def __init__(
        self,
        source: ItemSource,
        embedder: str = TFIDF,
        *,
        retriever: Retriever | None = None,
        judges_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        if retriever is None and source.documents_file is None:
            raise BadItems(
                f"grounding: data set '{source.dataset_id}' has no documents to answer from, and "
                "nobody was given to find any; use a data set that has documents, or write an "
                'experiment with retrieval = ["none"]'
            )
        self._source = source
        self._name = embedder
        self._given = retriever
        self._judges_file = judges_file
        self._environ = environ
        # The last question's, whose ways of asking come one after the other.
        self._last: tuple[str, Retriever] | None = None

    def identity(self, question: Question) -> str:
        """Return a hash of all that decides what is found for a question."""
        if self._given is not None:
            return self._given.identity
        embedder = TFIDF if self._name == TFIDF else self._embedder.identity
        facts = [documents_hash(self._documents(question)), embedder]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def texts(self, question: Question, *, trusted_only: bool) -> tuple[str, ...]:
        """Return the chunks nearest to a question, best first."""
        found = once(self.retriever(question), question.question, trusted_only=trusted_only)
        return tuple(chunk.text.strip() for chunk in found.chunks)

    def retriever(self, question: Question) -> Retriever:
        """Return who finds chunks for a question."""
        if self._given is not None:
            return self._given
        if self._last is None or self._last[0] != question.item_id:
            made = FolderRetriever(self._documents(question), self._make)
            self._last = question.item_id, made
        return self._last[1]

    def _make(self, texts: Sequence[str]) -> Embedder:
        # Words are weighted among a question's own texts; a model is opened once for all of them.
        return open_embedder(TFIDF, texts) if self._name == TFIDF else self._embedder

    @cached_property
    def _embedder(self) -> Embedder:
        return open_embedder(self._name, (), self._judges_file, self._environ)

    @cached_property
    def _by_question(self) -> dict[str, list[Document]]:
        if self._source.documents_file is None:
            return {}
        return documents_of(self._source.dataset_id, self._source.documents_file)

    def _documents(self, question: Question) -> list[Document]:
        own = self._by_question.get(question.item_id)
        found = own or [each for those in self._by_question.values() for each in those]
        return [document for document in found if document.text.strip()]
