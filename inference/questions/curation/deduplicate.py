"""Removing questions that ask what another one asks.

Questions whose embeddings have at least the threshold's cosine are joined by an edge. What must go
is a vertex cover of that graph: one end of every edge. The smallest one is hard to find, so the
question with the most edges left goes first, until none is left; of equals, the one that came last
goes, so that sources named first keep their questions. Then whatever went without need comes back:
each question that is gone has a neighbour that is not.
"""

import heapq
from collections.abc import Collection, Sequence

import numpy as np

from inference.embeddings import Embedder, Vectors, cosines
from inference.questions.curation.records import Question, Reason, Step, sift

# Below this cosine DebateQA's authors found no true duplicates among 500 pairs, embedded by
# gte-large-en-v1.5; another embedder needs a threshold of its own.
THRESHOLD = 0.78

# Rows compared at once: with ten thousand questions, 40 MB of cosines.
_BLOCK = 1024

Edges = dict[tuple[int, int], float]


def deduplicate(
    questions: Sequence[Question], embedder: Embedder, threshold: float = THRESHOLD
) -> Step[Question]:
    """Remove questions until no two are alike.

    Raises:
        EmbeddingFailed: A question cannot be embedded.
    """
    vectors = embedder.embed([question.question for question in questions])
    edges = alike(vectors, threshold)
    gone = cover(len(questions), edges)
    # For each that goes, those like it that stay.
    stays: dict[int, list[tuple[float, int]]] = {place: [] for place in gone}
    for (one, other), cosine in edges.items():
        for place, neighbour in ((one, other), (other, one)):
            if place in gone and neighbour not in gone:
                stays[place].append((-cosine, neighbour))
    reasons: dict[str, Reason] = {}
    for place, neighbours in stays.items():
        cosine, nearest = min(neighbours)
        kept = questions[nearest]
        reasons[questions[place].question_id] = Reason(
            f"cosine {-cosine:.3f} with '{kept.question}'", kept.question_id
        )
    return sift(
        "deduplicate",
        "question",
        questions,
        lambda question: question.question_id,
        [("near_duplicate", lambda question: reasons.get(question.question_id))],
        {"pairs_over_threshold": len(edges)},
    )


def alike(vectors: Vectors, threshold: float) -> Edges:
    """Return the pairs of rows whose cosine reaches a threshold, each with its cosine."""
    found: Edges = {}
    for start in range(0, len(vectors), _BLOCK):
        found_here = cosines(vectors[start : start + _BLOCK], vectors[start:].T)
        rows, columns = np.nonzero(np.triu(found_here >= threshold, k=1))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            found[start + row, start + column] = float(found_here[row, column])
    return found


def cover(count: int, edges: Collection[tuple[int, int]]) -> set[int]:
    """Return vertices that touch every edge, found greedily, none of them without need.

    Args:
        count: How many vertices there are, numbered from 0.
        edges: The edges; of two vertices with as many, the one with the higher number goes.
    """
    around: list[set[int]] = [set() for _ in range(count)]
    for one, other in edges:
        around[one].add(other)
        around[other].add(one)
    left = [len(neighbours) for neighbours in around]
    heap = [(-edges_left, -vertex) for vertex, edges_left in enumerate(left) if edges_left]
    heapq.heapify(heap)
    taken: set[int] = set()
    while heap:
        edges_left, vertex = (-number for number in heapq.heappop(heap))
        if vertex in taken or edges_left != left[vertex]:
            # An entry from when it had more edges.
            continue
        taken.add(vertex)
        for neighbour in around[vertex] - taken:
            left[neighbour] -= 1
            if left[neighbour]:
                heapq.heappush(heap, (-left[neighbour], -neighbour))
    for vertex in sorted(taken):
        if around[vertex] <= taken:
            taken.discard(vertex)
    return taken
