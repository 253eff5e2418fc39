import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.speeches.keypoints.results import Sentence
from inference.speeches.keypoints.selection import Limits, select
from inference.speeches.keypoints.vectors import by_words

LIMITS = Limits(match_threshold=0.7, redundancy_threshold=0.8)


def on_circle(texts: Sequence[str]) -> np.ndarray:
    angles = np.radians([float(text) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def sentences_at(angles: Sequence[int], polarity: str = "pro") -> list[Sentence]:
    return [
        Sentence(f"s{number:03d}", str(angle), 1, polarity=polarity)
        for number, angle in enumerate(angles)
    ]


def cosine(one: str, other: str) -> float:
    return round(float(np.cos(np.radians(float(one) - float(other)))), 6)


@settings(deadline=None)
@given(st.lists(st.integers(0, 359), max_size=12), st.integers(1, 4))
def test_selection_is_what_brute_force_finds(angles: list[int], at_most: int) -> None:
    limits = Limits(0.7, 0.8, 2, at_most)
    given_sentences = sentences_at(angles)
    found = select(given_sentences, on_circle, limits)
    covered: set[str] = set()
    chosen: list[str] = []
    for point in found.key_points:
        gains = {}
        for each in given_sentences:
            if any(cosine(each.text, other) >= 0.8 for other in chosen):
                continue
            own = {s.sentence_id for s in given_sentences if cosine(s.text, each.text) >= 0.7}
            gains[each.text] = len(own - covered)
        assert gains[point.text] == max(gains.values()) == point.gain >= 2
        covered |= {s.sentence_id for s in given_sentences if cosine(s.text, point.text) >= 0.7}
        chosen.append(point.text)
    for each, fate in zip(given_sentences, found.fates, strict=True):
        best = max((cosine(each.text, text) for text in chosen), default=None)
        is_matched = best is not None and best >= 0.7
        assert (fate.key_point_id is not None) == is_matched == (each.sentence_id in covered)
        assert fate.similarity == (pytest.approx(best) if best is not None else None)
        is_key_point = each.sentence_id in {point.sentence_id for point in found.key_points}
        assert (fate.selection_reason is None) == is_key_point
    pairs = [(a, b) for a in chosen for b in chosen if a < b]
    assert all(cosine(a, b) < 0.8 for a, b in pairs)


def test_nothing_depends_on_the_order_of_the_rows() -> None:
    given_sentences = sentences_at([0, 3, 90, 93, 96, 200, 203, 0, 90])
    shuffled = list(given_sentences)
    random.Random(1).shuffle(shuffled)
    assert select(given_sentences, on_circle, LIMITS) == select(shuffled, on_circle, LIMITS)


def test_sides_never_match_and_what_is_removed_counts_nowhere() -> None:
    pro, con = sentences_at([0, 1]), sentences_at([0, 1], "con")
    con = [Sentence(f"c{each.sentence_id}", each.text, 1, polarity="con") for each in con]
    aside = Sentence(
        "z", "2", 1, polarity="neutral", removal_reason="neutral", candidate_reason="not_matched"
    )
    found = select([*pro, *con, aside], on_circle, LIMITS)
    assert [point.key_point_id for point in found.key_points] == ["pro/1", "con/1"]
    assert {point.gain for point in found.key_points} == {2}
    assert found.fates[-1].key_point_id is None


def test_identical_sentences_make_one_key_point_and_one_sentence_none() -> None:
    same = [Sentence(f"s{n}", "The structure is clear.", 1, polarity="pro") for n in range(5)]
    found = select(same, by_words, LIMITS)
    assert [(point.text, point.gain) for point in found.key_points] == [(same[0].text, 5)]
    assert [fate.selection_reason for fate in found.fates] == [None, *["same_text"] * 4]
    alone = select(same[:1], by_words, LIMITS)
    assert (alone.key_points, alone.fates[0].selection_reason) == ([], "too_few_matches")
    none = [Sentence("s", "It is clear.", 1, polarity="pro", candidate_reason="too_short")]
    assert select(none, by_words, LIMITS).fates[0].selection_reason is None


def test_words_of_one_aspect_are_alike_and_sentences_without_words_are_like_nothing() -> None:
    texts = ["The facts are missing.", "No data is cited.", "The tone is warm.", "It is what it is"]
    product = (by_words(texts) @ by_words(texts).T).toarray()
    assert product[0, 1] > 0.5 > product[0, 2]
    assert np.allclose(np.diag(product), [1, 1, 1, 0])
