"""Sentences as vectors of length 1, whose product is how alike two are.

An embedder of `inference.embeddings` embeds the sentences as they stand. `tfidf` is made for this
place: one part of a vector is the TF-IDF weights of the stems of a sentence's words, without those
that every sentence about a speech has; the other part says which aspects of a speech it speaks of
(structure, evidence, clarity and so on, by the lexicon), rarer aspects weighing more. So two
sentences about one aspect are alike although no word is in both. A sentence that names no aspect
is its words alone, and one without either is like nothing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inference.embeddings import TFIDF, identity_of, open_embedder
from inference.speeches.keypoints.words import content_stems, lexicon

# How much of a cosine is due to aspects; set on the dev part of the labelled set.
ASPECTS_WEIGHT = 0.7

# Rows of length 1 (or 0): a sparse matrix of scipy's, or a dense one of numpy's.
Vectors = Any
Vectorise = Callable[[Sequence[str]], Vectors]


def vectoriser(name: str, judges_file: Path | None = None) -> tuple[Vectorise, str]:
    """Return the function that makes vectors of all sentences of an analysis, and its identity.

    Raises:
        InferenceError: There is no such embedder, or it cannot be opened.
    """
    if name == TFIDF:
        return by_words, f"{TFIDF} {ASPECTS_WEIGHT} {lexicon().digest}"

    def embed(texts: Sequence[str]) -> Vectors:
        return open_embedder(name, texts, judges_file).embed(texts)

    return embed, identity_of(name, judges_file)


def by_words(texts: Sequence[str]) -> Vectors:
    """Return the vectors of `tfidf`, as described at the top of this module."""
    # Imported here: it takes a second.
    from scipy.sparse import diags, hstack

    stems = [content_stems(text) for text in texts]
    aspects = lexicon().aspects
    named = [sorted({aspects[each] for each in own if each in aspects}) for own in stems]
    of_words, of_aspects = _weights(stems), _weights(named)
    has_words = np.asarray(of_words.getnnz(axis=1) > 0, float)
    has_aspects = np.asarray(of_aspects.getnnz(axis=1) > 0, float)
    # A word of an aspect is a word, so that none has aspects alone.
    part = ASPECTS_WEIGHT * has_aspects
    return hstack(
        [diags(np.sqrt((1 - part) * has_words)) @ of_words, diags(np.sqrt(part)) @ of_aspects]
    ).tocsr()


def _weights(terms: Sequence[Sequence[str]]) -> Any:
    """Return TF-IDF weights of terms, a row of length 1 (or 0) for each list."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(terms):
        return csr_matrix((len(terms), 1))
    vectoriser = TfidfVectorizer(analyzer=lambda own: own, sublinear_tf=True, dtype=np.float64)
    return vectoriser.fit_transform(terms)
