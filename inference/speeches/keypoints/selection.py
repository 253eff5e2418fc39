"""Key points: the few candidates that stand for the most sentences of their polarity.

A candidate matches a sentence when their cosine reaches the match threshold. Candidates are taken
greedily: always the one that matches the most sentences no key point matches yet. Of those that
match equally many the one that matches the most in all comes first, then the shorter one, then the
one a draw from the seed puts first. One that says what a key point says (the same text, or a cosine
from the redundancy threshold on) is passed over. It ends when no candidate brings enough sentences,
or there are enough key points. Then each sentence is counted under its most similar key point.

Nothing depends on the order of the sentences.
"""

import hashlib
import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inference.embeddings import cosines
from inference.speeches.keypoints.polarity import CON, PRO
from inference.speeches.keypoints.results import Sentence
from inference.speeches.keypoints.vectors import Vectorise
from inference.speeches.keypoints.words import words

# How many candidates are compared with all sentences at once.
_BLOCK = 256
# Why texts of candidates became no key points, by place, and the key point with the same content.
_Reasons = dict[int, tuple[str, str | None]]


@dataclass(frozen=True)
class KeyPoint:
    """A sentence that stands for many; its id is polarity and place, such as `pro/1`.

    Attributes:
        gain: How many sentences it matched that none before it did.
    """

    key_point_id: str
    polarity: str
    text: str
    sentence_id: str
    position: int
    gain: int


@dataclass(frozen=True)
class Match:
    """The cosine of a sentence and a key point, and whether it reaches the threshold."""

    sentence_id: str
    key_point_id: str
    similarity: float
    is_matched: bool
    is_best: bool


@dataclass(frozen=True)
class SentenceOutcome:
    """Outcome of a sentence in the selection.

    Attributes:
        selection_reason: Why a candidate became no key point; None for others.
        redundant_with: The key point with the same content, where that is the reason.
        key_point_id: The key point it is counted under; None for nothing.
        similarity: Cosine with that or, where it has none, with the most similar key point.
    """

    sentence_id: str
    selection_reason: str | None = None
    redundant_with: str | None = None
    key_point_id: str | None = None
    similarity: float | None = None


@dataclass(frozen=True)
class Limits:
    """Limits of the selection.

    Attributes:
        matches_at_least: How many sentences a key point must bring, itself among them.
        key_points_at_most: The most key points of each polarity.
    """

    match_threshold: float
    redundancy_threshold: float
    matches_at_least: int = 2
    key_points_at_most: int = 20
    seed: int = 0


class Selected(NamedTuple):
    """Key points, matches, and the outcome of every sentence, each in order."""

    key_points: list[KeyPoint]
    matches: list[Match]
    fates: list[SentenceOutcome]


def select(sentences: Sequence[Sentence], vectorise: Vectorise, limits: Limits) -> Selected:
    """Return the key points of sentences, and what each sentence is counted under.

    Raises:
        EmbeddingFailed: The sentences cannot be embedded.
    """
    fates = {each.sentence_id: SentenceOutcome(each.sentence_id) for each in sentences}
    held = sorted(
        (each for each in sentences if each.removal_reason is None), key=lambda one: one.sentence_id
    )
    texts = sorted({each.plain for each in held})
    if not texts:
        return Selected([], [], [fates[name] for name in sorted(fates)])
    vectors = vectorise(texts)
    row_of = {text: row for row, text in enumerate(texts)}
    key_points: list[KeyPoint] = []
    matches: list[Match] = []
    for polarity in (PRO, CON):
        own = [each for each in held if each.polarity == polarity]
        found = _Side(own, vectors, row_of, limits).select(polarity)
        key_points += found.key_points
        matches += found.matches
        fates.update((fate.sentence_id, fate) for fate in found.fates)
    return Selected(key_points, matches, [fates[name] for name in sorted(fates)])


class _Side:
    """The sentences of one polarity, by what they say: equal texts are one, and count as many."""

    def __init__(
        self, sentences: list[Sentence], vectors: Any, row_of: dict[str, int], limits: Limits
    ) -> None:
        self._limits = limits
        self._by_text: dict[str, list[Sentence]] = {}
        for each in sentences:
            self._by_text.setdefault(each.plain, []).append(each)
        self._texts = sorted(self._by_text)
        self._rows = vectors[[row_of[text] for text in self._texts]]
        self._counts = np.array([len(self._by_text[text]) for text in self._texts], np.int64)
        # A text is one speech's where the motion is; another judge's is a candidate with it.
        self._candidates = [
            place
            for place, text in enumerate(self._texts)
            if any(each.candidate_reason is None for each in self._by_text[text])
        ]
        self._matched = self._matched_by_candidates()

    def select(self, polarity: str) -> Selected:
        chosen, gains = self._greedy()
        key_points = [
            KeyPoint(
                f"{polarity}/{position}",
                polarity,
                self._texts[place],
                min(
                    each.sentence_id
                    for each in self._by_text[self._texts[place]]
                    if each.candidate_reason is None
                ),
                position,
                gain,
            )
            for position, (place, gain) in enumerate(zip(chosen, gains, strict=True), start=1)
        ]
        if not chosen:
            alone: _Reasons = dict.fromkeys(self._candidates, ("too_few_matches", None))
            return Selected([], [], self._fates(alone, {}, set()))
        similar = cosines(self._rows, self._rows[chosen].T)
        reasons = self._reasons(chosen, key_points, similar)
        matches, best = self._matches(key_points, similar)
        key_sentences = {each.sentence_id for each in key_points}
        return Selected(key_points, matches, self._fates(reasons, best, key_sentences))

    def _matched_by_candidates(self) -> list[NDArray[np.int64]]:
        """Return, for each candidate, the texts it matches. A candidate matches itself."""
        found: list[NDArray[np.int64]] = []
        for start in range(0, len(self._candidates), _BLOCK):
            block = self._candidates[start : start + _BLOCK]
            similar = cosines(self._rows[block], self._rows.T)
            found += [
                np.union1d(np.flatnonzero(row >= self._limits.match_threshold), [place])
                for place, row in zip(block, similar, strict=True)
            ]
        return found

    def _greedy(self) -> tuple[list[int], list[int]]:
        """Return the places of the key points' texts in the order of selection, and the gains."""
        covered = np.zeros(len(self._texts), bool)
        chosen: list[int] = []
        gains: list[int] = []
        heap = []
        for number, (place, own) in enumerate(zip(self._candidates, self._matched, strict=True)):
            total = int(self._counts[own].sum())
            text = self._texts[place]
            drawn = hashlib.sha256(f"{self._limits.seed} {text}".encode()).hexdigest()
            heap.append((-total, -total, len(words(text)), drawn, number))
        heapq.heapify(heap)
        while heap and len(chosen) < self._limits.key_points_at_most:
            gain, total, length, drawn, number = heapq.heappop(heap)
            place, now = self._candidates[number], -self._gain(number, covered)
            if -now < self._limits.matches_at_least:
                continue
            # Gains only fall: one that has not fallen is the largest there is.
            if now != gain:
                heapq.heappush(heap, (now, total, length, drawn, number))
                continue
            similar = cosines(self._rows[[place]], self._rows[chosen].T) if chosen else np.zeros(0)
            if (similar >= self._limits.redundancy_threshold).any():
                continue
            chosen.append(place)
            gains.append(-now)
            covered[self._matched[number]] = True
        return chosen, gains

    def _gain(self, number: int, covered: NDArray[np.bool_]) -> int:
        own = self._matched[number]
        return int(self._counts[own[~covered[own]]].sum())

    def _reasons(
        self, chosen: list[int], key_points: list[KeyPoint], similar: NDArray[np.float64]
    ) -> _Reasons:
        """Return why each other candidate's text became no key point."""
        covered = np.zeros(len(self._texts), bool)
        for place, own in zip(self._candidates, self._matched, strict=True):
            if place in chosen:
                covered[own] = True
        reasons: _Reasons = {}
        for number, place in enumerate(self._candidates):
            nearest = int(np.argmax(similar[place]))
            if place in chosen:
                reasons[place] = ("same_text", key_points[chosen.index(place)].key_point_id)
            elif similar[place, nearest] >= self._limits.redundancy_threshold:
                reasons[place] = ("redundant", key_points[nearest].key_point_id)
            elif self._gain(number, covered) < self._limits.matches_at_least:
                reasons[place] = ("too_few_matches", None)
            else:
                reasons[place] = ("beyond_limit", None)
        return reasons

    def _matches(
        self, key_points: list[KeyPoint], similar: NDArray[np.float64]
    ) -> tuple[list[Match], dict[int, tuple[str | None, float]]]:
        """Return all matches, and the key point that each text is counted under."""
        matches: list[Match] = []
        best: dict[int, tuple[str | None, float]] = {}
        own = {point.text: number for number, point in enumerate(key_points)}
        for place, text in enumerate(self._texts):
            row = similar[place].copy()
            # A key point is its own, also where a vector of zeros is like nothing.
            if (top := own.get(text)) is None:
                top = int(np.argmax(row))
            else:
                row[top] = 1.0
            is_matched = row >= self._limits.match_threshold
            best[place] = (
                key_points[top].key_point_id if is_matched[top] else None,
                float(row[top]),
            )
            for number, point in enumerate(key_points):
                if is_matched[number] or number == top:
                    matches += [
                        Match(
                            each.sentence_id,
                            point.key_point_id,
                            float(row[number]),
                            bool(is_matched[number]),
                            number == top,
                        )
                        for each in self._by_text[text]
                    ]
        return matches, best

    def _fates(
        self, reasons: _Reasons, best: dict[int, tuple[str | None, float]], key_sentences: set[str]
    ) -> list[SentenceOutcome]:
        fates = []
        for place, text in enumerate(self._texts):
            key_point_id, similarity = best.get(place, (None, None))
            for each in self._by_text[text]:
                is_judged = each.candidate_reason is None and each.sentence_id not in key_sentences
                reason, same = reasons[place] if is_judged else (None, None)
                fates.append(
                    SentenceOutcome(each.sentence_id, reason, same, key_point_id, similarity)
                )
        return fates
