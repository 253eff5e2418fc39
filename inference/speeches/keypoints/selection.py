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
from inference.speeches.keypoints.records import Fate, KeyPoint, Match, Sentence
from inference.speeches.keypoints.vectors import Vectorise
from inference.speeches.keypoints.words import words

# How many candidates are compared with all sentences at once.
_BLOCK = 256
# Why texts of candidates became no key points, by place, and the key point that says the same.
_Reasons = dict[int, tuple[str, str | None]]


@dataclass(frozen=True)
class Limits:
    """What a key point is.

    Attributes:
        match_threshold: From which cosine on a sentence matches.
        redundancy_threshold: From which cosine on two key points say the same.
        matches_at_least: How many sentences one must bring, itself among them.
        key_points_at_most: How many there are of each polarity at most.
        seed: Draws the order of candidates that are equal otherwise.
    """

    match_threshold: float
    redundancy_threshold: float
    matches_at_least: int = 2
    key_points_at_most: int = 20
    seed: int = 0


class Selected(NamedTuple):
    """What was found: key points, matches, and the outcome of every sentence, each in order."""

    key_points: list[KeyPoint]
    matches: list[Match]
    fates: list[Fate]


def select(sentences: Sequence[Sentence], vectorise: Vectorise, limits: Limits) -> Selected:
    """Return the key points of sentences, and what each sentence is counted under.

    Args:
        sentences: All sentences, with polarity and candidacy.
        vectorise: Makes vectors of texts; given every text that is compared, once each.
        limits: What a key point is.

    Raises:
        EmbeddingFailed: The sentences cannot be embedded.
    """
    fates = {each.sentence_id: Fate(each.sentence_id) for each in sentences}
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
        """Return the key points of this side."""
        chosen, gains = self._greedy()
        key_points = [
            KeyPoint(
                f"{polarity}/{position}",
                polarity,
                self._texts[place],
                self._sentence_for(place).sentence_id,
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
        return Selected(
            key_points,
            matches,
            self._fates(reasons, best, {each.sentence_id for each in key_points}),
        )

    def _matched_by_candidates(self) -> list[NDArray[np.int64]]:
        """Return, for each candidate, the texts it matches. A candidate matches itself."""
        found = []
        for start in range(0, len(self._candidates), _BLOCK):
            block = self._candidates[start : start + _BLOCK]
            similar = cosines(self._rows[block], self._rows.T)
            found += [np.flatnonzero(row >= self._limits.match_threshold) for row in similar]
        return [
            np.union1d(own, [place]) for place, own in zip(self._candidates, found, strict=True)
        ]

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
            own = self._matched[number]
            now = -int(self._counts[own[~covered[own]]].sum())
            if -now < self._limits.matches_at_least:
                continue
            # Gains only fall: one that has not fallen is the largest there is.
            if now != gain:
                heapq.heappush(heap, (now, total, length, drawn, number))
                continue
            place = self._candidates[number]
            if chosen and self._is_redundant(place, chosen):
                continue
            chosen.append(place)
            gains.append(-now)
            covered[own] = True
        return chosen, gains

    def _is_redundant(self, place: int, chosen: list[int]) -> bool:
        similar = cosines(self._rows[[place]], self._rows[chosen].T)
        return bool((similar >= self._limits.redundancy_threshold).any())

    def _reasons(
        self,
        chosen: list[int],
        key_points: list[KeyPoint],
        similar: NDArray[np.float64],
    ) -> _Reasons:
        """Return why each other candidate's text became no key point."""
        covered = np.zeros(len(self._texts), bool)
        by_place = dict(zip(self._candidates, self._matched, strict=True))
        for place in chosen:
            covered[by_place[place]] = True
        reasons: _Reasons = {}
        for place in self._candidates:
            nearest = int(np.argmax(similar[place]))
            own = by_place[place]
            brings = int(self._counts[own[~covered[own]]].sum())
            if place in chosen:
                reasons[place] = ("same_text", key_points[chosen.index(place)].key_point_id)
            elif similar[place, nearest] >= self._limits.redundancy_threshold:
                reasons[place] = ("redundant", key_points[nearest].key_point_id)
            elif brings < self._limits.matches_at_least:
                reasons[place] = ("too_few_matches", None)
            else:
                reasons[place] = ("beyond_limit", None)
        return reasons

    def _matches(
        self, key_points: list[KeyPoint], similar: NDArray[np.float64]
    ) -> tuple[list[Match], dict[int, tuple[str | None, float]]]:
        """Return all matches, and what each text is counted under."""
        matches: list[Match] = []
        best: dict[int, tuple[str | None, float]] = {}
        threshold = self._limits.match_threshold
        own = {point.text: number for number, point in enumerate(key_points)}
        for place, text in enumerate(self._texts):
            row = similar[place]
            # A key point is its own, also where a vector of zeros is like nothing.
            top = own.get(text, int(np.argmax(row)))
            is_own = text in own
            best[place] = (
                key_points[top].key_point_id if is_own or row[top] >= threshold else None,
                1.0 if is_own else float(row[top]),
            )
            for number, point in enumerate(key_points):
                is_matched = bool(row[number] >= threshold) or own.get(text) == number
                if is_matched or number == top:
                    cosine = 1.0 if own.get(text) == number else float(row[number])
                    matches += [
                        Match(
                            each.sentence_id, point.key_point_id, cosine, is_matched, number == top
                        )
                        for each in self._by_text[text]
                    ]
        return matches, best

    def _fates(
        self,
        reasons: _Reasons,
        best: dict[int, tuple[str | None, float]],
        key_sentences: set[str],
    ) -> list[Fate]:
        fates = []
        for place, text in enumerate(self._texts):
            key_point_id, similarity = best.get(place, (None, None))
            for each in self._by_text[text]:
                is_judged = each.candidate_reason is None and each.sentence_id not in key_sentences
                reason, same = reasons[place] if is_judged else (None, None)
                fates.append(Fate(each.sentence_id, reason, same, key_point_id, similarity))
        return fates

    def _sentence_for(self, place: int) -> Sentence:
        own = [each for each in self._by_text[self._texts[place]] if each.candidate_reason is None]
        return min(own, key=lambda each: each.sentence_id)
