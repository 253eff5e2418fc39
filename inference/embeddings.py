"""Embeddings of texts: of a local model, of an endpoint, or of the texts' own words.

An embedder is named as judges are: `local/<model>` for a model of transformers, `openai/<model>`
(or another provider with an endpoint) for any OpenAI-compatible endpoint, with the settings that
`judges.toml` has for that id. `tfidf` needs neither a model nor a network: it compares words.

Every vector has length 1, so that the product of two is their cosine. A text none of whose words
`tfidf` has met has a vector of zeros, which is like nothing.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inference.errors import BadSettings, EmbeddingFailed
from inference.judges.endpoint import LONGEST_ERROR, Endpoint
from inference.local.models import fingerprint, model_folder
from inference.registry import JudgeSpec, spec_for
from inference.tokens import estimated

if TYPE_CHECKING:
    from inference.local.encoding import TextEncoder

Vectors = NDArray[np.float32]
TFIDF = "tfidf"

# What endpoints take in one request, and then some of their limits on tokens.
_TEXTS_PER_REQUEST = 64
# Cosines of float32 vectors differ between machines behind this many digits.
_DIGITS = 6


class Embedder(Protocol):
    """Turns texts into vectors of length 1."""

    @property
    def identity(self) -> str:
        """All that decides its vectors besides the texts, as text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in their order.

        Raises:
            EmbeddingFailed: A text is blank, or cannot be embedded.
        """


def open_embedder(
    name: str,
    corpus: Sequence[str] = (),
    judges_file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Embedder:
    """Return an embedder by its name, `tfidf` or an id in the form of judges' ids.

    Args:
        corpus: The texts whose words `tfidf` is to know; others have no use for it.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: Its provider embeds nothing, or its settings are wrong.
        ModelUnavailable: A local model cannot be loaded.
        MissingKey: The variable with its key is not set.
        EmbeddingFailed: `tfidf` was given no text with a word in it.
    """
    if name == TFIDF:
        return TfidfEmbedder(corpus)
    spec = spec_for(name, judges_file, environ)
    if spec.provider == "local":
        return LocalEmbedder(spec)
    if spec.provider == "batch" or "base_url" not in spec.settings:
        raise BadSettings(
            f"embeddings: '{name}' cannot embed texts; use tfidf, local/<model>, or an id of a "
            "provider with an endpoint for embeddings, such as openai/text-embedding-3-small"
        )
    return EndpointEmbedder(spec, environ)


def identity_of(name: str, judges_file: Path | None = None) -> str:
    """Return an embedder's identity without opening it.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: Its settings are wrong.
        ModelUnavailable: It names a folder that is not there.
    """
    return TFIDF if name == TFIDF else _identity(spec_for(name, judges_file))


class TfidfEmbedder:
    """Words, weighted by how rare they are among the texts it was made with.

    Raises:
        EmbeddingFailed: There is no word in them.
    """

    identity = TFIDF

    def __init__(self, corpus: Sequence[str]) -> None:
        # Imported here: it takes a second, and most runs embed nothing.
        from sklearn.feature_extraction.text import TfidfVectorizer

        refuse_blank(corpus)
        self._vectorizer = TfidfVectorizer(
            # Words of one letter count, too: there are scripts that write words so.
            token_pattern=r"(?u)\b\w+\b",  # noqa: S106  (a pattern, not a password)
            sublinear_tf=True,
            dtype=np.float32,
        )
        try:
            self._vectorizer.fit(corpus)
        except ValueError:
            raise EmbeddingFailed(
                f"embeddings: tfidf was given {len(corpus)} texts with no word in them; give it "
                "the texts that are to be compared"
            ) from None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the weights of the known words of each text."""
        refuse_blank(texts)
        if not texts:
            return np.zeros((0, len(self._vectorizer.vocabulary_)), np.float32)
        return np.asarray(self._vectorizer.transform(texts).toarray(), np.float32)


class LocalEmbedder:
    """A model on this machine: the mean of its last hidden states over a text's tokens.

    Raises:
        ModelUnavailable: It cannot be loaded.
    """

    def __init__(self, spec: JudgeSpec) -> None:
        from inference.local.encoding import TextEncoder

        self._spec = spec
        self._encoder: TextEncoder = TextEncoder(spec)

    @property
    def identity(self) -> str:
        """The model, its settings, and what is in its folder."""
        return _identity(self._spec)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors; a text longer than the model's window is read in parts."""
        refuse_blank(texts)
        return _of_length_one(self._encoder.encode(texts), self._spec.judge_id)


class EndpointEmbedder:
    """A model behind an OpenAI-compatible endpoint.

    Raises:
        MissingKey: The variable that should hold the key is not set.
    """

    def __init__(self, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        self._spec = spec
        self._endpoint = Endpoint("embeddings", spec, environ)

    @property
    def identity(self) -> str:
        """The model, the endpoint and the settings."""
        return _identity(self._spec)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors, asked for a few at a time."""
        refuse_blank(texts)
        # A loop of its own: steps that embed may run in one.
        with ThreadPoolExecutor(1) as thread:
            parts = thread.submit(asyncio.run, self._ask_all(texts)).result()
        if len({part.shape[1] for part in parts}) > 1:
            raise self._failed("its vectors differ in length from one request to the next")
        whole = np.concatenate(parts) if parts else np.zeros((0, 0))
        return _of_length_one(whole, self._spec.judge_id)

    async def _ask_all(self, texts: Sequence[str]) -> list[NDArray[np.float64]]:
        starts = range(0, len(texts), _TEXTS_PER_REQUEST)
        return [await self._ask(texts[start : start + _TEXTS_PER_REQUEST]) for start in starts]

    async def _ask(self, texts: Sequence[str]) -> NDArray[np.float64]:
        body = {"model": self._spec.model, "input": list(texts), "encoding_format": "float"}
        reply = await self._endpoint.ask(
            lambda client: client.post("/embeddings", cast_to=str, body=body),
            self._failed,
            sum(map(estimated, texts)),
        )
        return self._rows(reply, len(texts))

    def _rows(self, reply: str, expected: int) -> NDArray[np.float64]:
        try:
            entries = json.loads(reply)["data"]
            by_place = {int(entry["index"]): entry["embedding"] for entry in entries}
            rows = np.array([by_place[place] for place in range(expected)], np.float64)
        except (ValueError, KeyError, TypeError, RecursionError):
            rows = np.zeros(0)
        if rows.ndim != 2 or len(entries) != expected:
            shown = reply[:LONGEST_ERROR]
            raise self._failed(f"asked about {expected} texts, it sent something else: {shown}")
        return rows

    def _failed(self, words: str) -> EmbeddingFailed:
        return EmbeddingFailed(
            f"embeddings: '{self._spec.judge_id}' at {self._endpoint.url}: {words}; "
            "check base_url and the model's name, then do the same again"
        )


def cosines(rows: Any, others: Any) -> NDArray[np.float64]:
    """Return the cosines of rows of length 1 with one vector or several columns, to six digits."""
    product = rows @ others
    dense = product.toarray() if hasattr(product, "toarray") else product
    found: NDArray[np.float64] = np.asarray(dense, np.float64).round(_DIGITS)
    return found


def refuse_blank(texts: Sequence[str]) -> None:
    """Raise where a text is blank, naming its place.

    Raises:
        EmbeddingFailed: One is.
    """
    for place, text in enumerate(texts, start=1):
        if not text.strip():
            raise EmbeddingFailed(
                f"embeddings: text {place} of {len(texts)} is blank, and nothing is like a blank "
                "text; leave it out"
            )


def _identity(spec: JudgeSpec) -> str:
    # A model of the hub is known by its revision alone, whether it has been downloaded or not.
    folder = model_folder(spec.model) if spec.provider == "local" else None
    where = fingerprint(folder) if folder else spec.settings.get("base_url", "")
    return " ".join([spec.judge_id, spec.settings_hash, where]).rstrip()


def _of_length_one(rows: NDArray[np.float64], name: str) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    for place, length in enumerate(lengths[:, 0], start=1):
        if not math.isfinite(length) or length == 0:
            raise EmbeddingFailed(
                f"embeddings: '{name}' gave text {place} of {len(rows)} a vector of length "
                f"{length:g}, which has no direction; use another model, or dtype = float32"
            )
    return np.asarray(rows / lengths, np.float32)
