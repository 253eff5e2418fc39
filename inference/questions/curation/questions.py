"""The questions: read and merged, without near duplicates, and with search queries for each.

Questions whose embeddings have at least the threshold's cosine are joined by an edge. The removed
ones are a vertex cover of that graph: one end of every edge. The smallest one is hard to find, so
the question with the most edges left goes first, until none is left; of equals, the one that came
last goes, so that sources named first keep their questions. Then whatever went without need comes
back: each removed question has a neighbour that stays.
"""

import heapq
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inference.embeddings import Embedder, Vectors, cosines
from inference.errors import CurationFailed
from inference.prompt_files import Prompt, PromptFile
from inference.questions.curation.files import TABLES, Row, read_rows
from inference.questions.curation.records import Queries, Question, Reason, Step, sift
from inference.steps.asking import Ask

# Below this cosine DebateQA's authors found no true duplicates among 500 pairs, embedded by
# gte-large-en-v1.5; another embedder needs a threshold of its own.
THRESHOLD = 0.78
# Rows compared at once: with ten thousand questions, 40 MB of cosines.
_BLOCK = 1024
QUERIES = PromptFile("curation", "search_queries", ("question",))
MOST_QUERIES = 10
# What makes any of a reply's lines too long for a query.
_LONGEST_QUERY = 400
_LINE = re.compile(r"[*_ ]*Query (\d{1,3})[*_ ]*:[*_ ]*(.*?)[*_ ]*", re.IGNORECASE)

Edges = dict[tuple[int, int], float]


class _QuestionRow(Row):
    question: str | None
    id: str | None = None


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of a folder: every file is a source, named as the file.

    A `.csv` or `.jsonl` file has a column `question`, and may have an `id`, which else is the line.
    Sources come in the order of the files' names.

    Raises:
        CurationFailed: There is no source, one cannot be read, or has an id twice.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix in TABLES)
    if not paths:
        raise CurationFailed(
            f"questions: {folder} has no .csv or .jsonl file; put the questions there, one file "
            "per source, with a column 'question'"
        )
    found: dict[str, Question] = {}
    for path in paths:
        for number, row in read_rows("questions", path, _QuestionRow):
            name = f"{path.stem}:{row.id or number}"
            if name in found:
                raise CurationFailed(
                    f"questions: {path}, line {number}: the id of '{name}' was there before; give "
                    "each question of a source an id of its own"
                )
            found[name] = Question(name, " ".join((row.question or "").split()), path.stem)
    return list(found.values())


def merge(questions: Sequence[Question]) -> Step[Question]:
    """Remove questions without a text."""
    return sift(
        "merge",
        "question",
        questions,
        lambda each: each.question_id,
        [("blank_question", lambda each: None if each.question else Reason("no text in it"))],
    )


def deduplicate(
    questions: Sequence[Question], embedder: Embedder, threshold: float = THRESHOLD
) -> Step[Question]:
    """Remove questions until no two are alike.

    Raises:
        EmbeddingFailed: A question cannot be embedded.
    """
    edges = alike(embedder.embed([question.question for question in questions]), threshold)
    gone = cover(len(questions), edges)
    # The neighbours that stay of each that goes, the nearest first.
    nearest: dict[int, tuple[float, int]] = {}
    for (one, other), cosine in edges.items():
        for place, neighbour in ((one, other), (other, one)):
            if place in gone and neighbour not in gone:
                candidate = (-cosine, neighbour)
                nearest[place] = min(candidate, nearest.get(place, candidate))
    reasons: dict[str, Reason] = {}
    for place, (cosine, neighbour) in nearest.items():
        kept = questions[neighbour]
        detail = f"cosine {-cosine:.3f} with '{kept.question}'"
        reasons[questions[place].question_id] = Reason(detail, kept.question_id)
    return sift(
        "deduplicate",
        "question",
        questions,
        lambda each: each.question_id,
        [("near_duplicate", lambda each: reasons.get(each.question_id))],
        {"pairs_over_threshold": len(edges)},
    )


def alike(vectors: Vectors, threshold: float) -> Edges:
    """Return the pairs of rows whose cosine reaches a threshold, each with its cosine."""
    found: Edges = {}
    for start in range(0, len(vectors), _BLOCK):
        block = cosines(vectors[start : start + _BLOCK], vectors[start:].T)
        rows, columns = np.nonzero(np.triu(block >= threshold, k=1))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            found[start + row, start + column] = float(block[row, column])
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


class ParsedQueries(NamedTuple):
    """The queries in a reply, or the reason why it cannot be read."""

    queries: tuple[str, ...]
    reason: str | None = None


def search_queries(questions: Sequence[Question], ask: Ask, prompt: Prompt) -> Step[Queries]:
    """Return the search queries for each question; without any it is removed, its reply kept."""
    replies = ask([prompt.fill({"question": question.question}) for question in questions])
    unread: dict[str, Reason] = {}
    queries = []
    for question, reply in zip(questions, replies, strict=True):
        parsed = read_queries(reply.text)
        queries.append(Queries(question.question_id, parsed.queries))
        if parsed.reason is not None:
            unread[question.question_id] = Reason.of_reply(reply, parsed.reason)
    return sift(
        "queries",
        "question",
        queries,
        lambda each: each.question_id,
        [("unreadable_queries", lambda each: unread.get(each.question_id))],
    )


def read_queries(reply: str) -> ParsedQueries:
    """Return the queries in a reply: lines `Query 1: ...` counted from 1, and nothing else.

    Blank lines and Markdown emphasis are passed over. A line of another form, a number out of
    turn, an empty or overlong query, the same one twice or too many spoil the whole reply.
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if not lines:
        return ParsedQueries((), "empty_response")
    found: list[str] = []
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            return ParsedQueries((), "not_a_query")
        query = match[2].strip().strip('"')
        if int(match[1]) != number:
            return ParsedQueries((), "wrong_number")
        if not query or len(query) > _LONGEST_QUERY:
            return ParsedQueries((), "no_query")
        found.append(query)
    if len({query.casefold() for query in found}) < len(found):
        return ParsedQueries((), "repeated_query")
    if len(found) > MOST_QUERIES:
        return ParsedQueries((), "too_many_queries")
    return ParsedQueries(tuple(found))
