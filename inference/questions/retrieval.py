"""Finding what an answer can be based on: once for the question, or step by step as a model asks.

A retriever is anything with `search`; `FolderRetriever` is the one that needs no network. It cuts
its documents into chunks, embeds them once, and returns those nearest to a query by cosine.

`once` is the vanilla way: the ten nearest chunks to the question. `step_by_step` is ReAct: up to
three retrievals of three chunks each, the first with the question itself, the others with what the
model asks for after it has read what is there. Both only gather; the answer is asked for by a
prompt about a question with the slot `{documents}`, which `shown` fills.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from inference.embeddings import Embedder, cosines
from inference.errors import InferenceError
from inference.prompt_files import Prompt, PromptFile
from inference.questions.chunking import ABOUT, chunks
from inference.questions.documents import TRUSTED, Document, documents_hash

Ask = Callable[[str], Awaitable[str]]

CHUNKS_ONCE = 10
RETRIEVALS = 3
CHUNKS_PER_RETRIEVAL = 3
STEP_PROMPT = PromptFile("retrieval", "react_step", ("documents", "question", "searches_left"))

# Rows embedded at once: of words' weights, whose rows are long, they fit in memory.
_ROWS = 256
_SPARSE_BELOW = 0.1
_DECISION = re.compile(r"[*_` ]*(search|answer)[*_` ]*(?::(.*))?", re.IGNORECASE | re.DOTALL)
# Longer ones are prose, and no query.
_LONGEST_QUERY = 400


class Chunk(NamedTuple):
    """A part of a document.

    Attributes:
        question_id: The question that the document is about; None where it is about no one.
    """

    document_id: str
    position: int
    text: str
    similarity: float
    url: str | None = None
    title: str | None = None
    question_id: str | None = None


class Retriever(Protocol):
    """Finds chunks of documents for a query."""

    @property
    def identity(self) -> str:
        """All that decides what it finds, as a hash."""

    def search(self, query: str, k: int, *, trusted_only: bool) -> list[Chunk]:
        """Return the best chunks for a query, the best first."""


class Retrieval(NamedTuple):
    """One retrieval, or a reply that asked for none.

    Attributes:
        found: The chunks that came new, as document ids and positions.
        reply: What the model said before; None where it was not asked.
    """

    query: str | None
    found: tuple[tuple[str, int], ...]
    reply: str | None
    decision: str


class Gathered(NamedTuple):
    """What an answer can be based on, and every retrieval and decision that led there."""

    chunks: tuple[Chunk, ...]
    steps: tuple[Retrieval, ...]


class FolderRetriever:
    """Chunks of documents, by their cosine with the query; of equals, the earlier document's.

    Args:
        question_ids: By document, the question it is about; none where they are about no one.

    Attributes:
        identity: The documents, the embedder, the trusted domains and the size of the chunks.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        make_embedder: Callable[[Sequence[str]], Embedder],
        *,
        domains: Collection[str] = TRUSTED,
        about: int = ABOUT,
        question_ids: Mapping[str, str | None] | None = None,
    ) -> None:
        self._question_ids = question_ids or {}
        self._chunks = [
            (document, place, text)
            for document in documents
            for place, text in enumerate(chunks(document.text, about), start=1)
            if text.strip()
        ]
        self._trusted = np.array([each.is_trusted(domains) for each, _, _ in self._chunks], bool)
        texts = [text for _, _, text in self._chunks]
        self._embedder = make_embedder(texts)
        self._rows = _stacked(self._embedder, texts)
        facts = [documents_hash(documents), self._embedder.identity, sorted(domains), about]
        self.identity = hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def search(self, query: str, k: int, *, trusted_only: bool) -> list[Chunk]:
        """Return the chunks nearest to a query; none where no word of it is known."""
        vector = self._embedder.embed([query])[0]
        if not vector.any():
            return []
        found = cosines(self._rows, vector)
        order = np.argsort(-found, kind="stable")
        if trusted_only:
            order = order[self._trusted[order]]
        return [self._chunk(int(place), float(found[place])) for place in order[:k]]

    def _chunk(self, place: int, cosine: float) -> Chunk:
        document, position, text = self._chunks[place]
        name, url, title = document.document_id, document.url, document.title
        return Chunk(name, position, text, cosine, url, title, self._question_ids.get(name))


def once(
    retriever: Retriever, question: str, *, trusted_only: bool, k: int = CHUNKS_ONCE
) -> Gathered:
    """Return the chunks nearest to a question."""
    found = tuple(retriever.search(question, k, trusted_only=trusted_only))
    return Gathered(found, (Retrieval(question, _places(found), None, "question"),))


async def step_by_step(
    retriever: Retriever,
    question: str,
    ask: Ask,
    prompt: Prompt,
    *,
    trusted_only: bool,
    k: int = CHUNKS_PER_RETRIEVAL,
    steps: list[Retrieval] | None = None,
) -> Gathered:
    """Return the chunks a model asked for, beginning with those nearest to the question.

    After a reply that cannot be read nothing more is looked for; the step says so.

    Args:
        steps: An empty list that gets each step as it ends, for where `ask` raises.
    """
    steps = [] if steps is None else steps
    # In a thread: a retriever may wait for the web, and other requests are not to wait with it.
    gathered = await asyncio.to_thread(once, retriever, question, trusted_only=trusted_only, k=k)
    known = list(gathered.chunks)
    steps += gathered.steps
    for left in range(RETRIEVALS - 1, 0, -1):
        values = {"documents": shown(known), "question": question, "searches_left": str(left)}
        reply = await ask(prompt.fill(values))
        decision, query = read_decision(reply)
        if query is None:
            steps.append(Retrieval(None, (), reply, decision))
            break
        seen = set(_places(known))
        try:
            found = await asyncio.to_thread(retriever.search, query, k, trusted_only=trusted_only)
        except InferenceError:
            # What the model said is paid for: the next attempt goes on from here.
            steps.append(Retrieval(query, (), reply, decision))
            raise
        new = [chunk for chunk in found if (chunk.document_id, chunk.position) not in seen]
        known += new
        steps.append(Retrieval(query, _places(new), reply, decision))
    return Gathered(tuple(known), tuple(steps))


def read_decision(reply: str) -> tuple[str, str | None]:
    """Return what a model decided, and its query where it wants to search.

    The last line that is not blank decides: `Search:` with a query behind it, or `Answer`. What
    stands above are its thoughts. Anything else is `unreadable`.
    """
    lines = [line.strip() for line in reply.strip().split("\n")]
    match = _DECISION.fullmatch(lines[-1])
    if match is None:
        return "unreadable", None
    word, rest = match[1].lower(), (match[2] or "").strip(' *_`"')
    if word == "answer":
        return ("unreadable" if rest else "answer"), None
    if not rest or len(rest) > _LONGEST_QUERY:
        return "unreadable", None
    return "search", rest


def shown(found: Sequence[Chunk]) -> str:
    """Return chunks as a prompt shows them: one after the other, an empty line between them."""
    return "\n\n".join(chunk.text.strip() for chunk in found)


def _places(found: Sequence[Chunk]) -> tuple[tuple[str, int], ...]:
    return tuple((chunk.document_id, chunk.position) for chunk in found)


def _stacked(embedder: Embedder, texts: Sequence[str]) -> Any:
    """Return all rows; without their zeros where they are mostly zeros, as words' weights are."""
    # Loading it takes as long as a short command may; only those who search pay it.
    from scipy import sparse

    parts: list[Any] = []
    is_sparse = False
    for start in range(0, len(texts), _ROWS):
        part = embedder.embed(texts[start : start + _ROWS])
        if start == 0:
            is_sparse = bool(np.count_nonzero(part) < _SPARSE_BELOW * part.size)
        # At once: all of them with their zeros would not fit in memory.
        parts.append(sparse.csr_matrix(part) if is_sparse else part)
    if not parts:
        return embedder.embed([])
    return sparse.vstack(parts).tocsr() if is_sparse else np.concatenate(parts)
