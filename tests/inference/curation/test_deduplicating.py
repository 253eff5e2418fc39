import itertools
import math
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.embeddings import TfidfEmbedder, Vectors
from inference.questions.curation.questions import alike, cover, deduplicate
from inference.questions.curation.records import Question


class Fixed:
    identity = "fixed"

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._vectors[: len(texts)]


def questions(count: int) -> list[Question]:
    return [
        Question(f"made-up:{number}", f"Question {number}?", "made-up") for number in range(count)
    ]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], float]]:
    count = draw(st.integers(1, 9))
    pairs = list(itertools.combinations(range(count), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return count, dict.fromkeys(chosen, 0.9)


def smallest(count: int, edges: Sequence[tuple[int, int]]) -> int:
    for size in range(count + 1):
        for chosen in itertools.combinations(range(count), size):
            if all(set(edge) & set(chosen) for edge in edges):
                return size
    raise AssertionError


@given(graphs())
@settings(deadline=None)
def test_a_cover_touches_every_edge_tightly(
    graph: tuple[int, dict[tuple[int, int], float]],
) -> None:
    count, edges = graph
    gone = cover(count, edges)
    assert all(set(edge) & gone for edge in edges)
    # None can come back: each has a neighbour that stays.
    for vertex in gone:
        assert any(set(edge) - {vertex} - gone for edge in edges if vertex in edge)
    best = smallest(count, list(edges))
    degrees = [sum(vertex in edge for edge in edges) for vertex in range(count)]
    # The greedy bound: the harmonic number of the highest degree times the best.
    harmonic = sum(1 / place for place in range(1, max(degrees) + 1))
    assert best <= len(gone) <= math.floor(best * harmonic + 1e-9)


def test_the_one_that_is_like_many_goes_rather_than_the_many() -> None:
    assert cover(4, {(0, 1): 0.9, (0, 2): 0.9, (0, 3): 0.9}) == {0}


def test_of_equals_the_later_one_goes() -> None:
    assert cover(2, {(0, 1): 0.9}) == {1}


@given(st.integers(0, 12), st.integers(0, 2**32 - 1), st.floats(0.1, 0.95))
@settings(deadline=None)
def test_no_kept_questions_are_alike_and_removals_say_why(
    count: int, seed: int, threshold: float
) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, 3))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    step = deduplicate(questions(count), Fixed(vectors), threshold)
    place = {question.question_id: number for number, question in enumerate(questions(count))}
    kept = [place[question.question_id] for question in step.kept]
    assert not alike(vectors[kept], threshold)
    assert len(kept) + len(step.removed) == count
    for removed in step.removed:
        assert removed.because_of is not None
        assert place[removed.because_of] in kept
        cosine = float(vectors[place[removed.item_id]] @ vectors[place[removed.because_of]])
        assert cosine >= threshold - 1e-5
        assert all(
            float(vectors[place[removed.item_id]] @ vectors[k]) <= cosine + 1e-5 for k in kept
        )
    (rule,) = step.rules
    assert (rule.rule_order, rule.rule) == (1, "near_duplicate")
    assert (rule.n_before, rule.n_removed) == (count, len(step.removed))


def test_blocks_of_rows_meet_each_other() -> None:
    # More rows than are compared at once, the first and the last of them alike.
    vectors = np.zeros((1100, 1100), np.float32)
    vectors[np.arange(1100), np.arange(1100)] = 1
    vectors[1099] = vectors[0]
    assert list(alike(vectors, 0.9)) == [(0, 1099)]


def test_the_same_question_from_two_sources_is_kept_once() -> None:
    asked = [
        Question("a:1", "Should schools ban phones?", "a"),
        Question("a:2", "Is homework useful?", "a"),
        Question("b:1", "Should phones be banned? Should schools ban them?", "b"),
        Question("b:2", "should schools ban phones", "b"),
    ]
    step = deduplicate(asked, TfidfEmbedder([each.question for each in asked]), 0.9)
    assert [question.question_id for question in step.kept] == ["a:1", "a:2", "b:1"]
    (removed,) = step.removed
    assert (removed.item_id, removed.because_of) == ("b:2", "a:1")
    assert "cosine 1.000 with 'Should schools ban phones?'" in removed.detail
    assert step.notes == {"pairs_over_threshold": 1}


def test_no_question_is_no_work() -> None:
    step = deduplicate([], Fixed(np.zeros((0, 3), np.float32)))
    assert step.kept == step.removed == ()
