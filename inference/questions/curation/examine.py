"""Examination of a curation: relevant documents, complete and distinct points of view.

Each examination gives rows; their means and shares are the marts'.

- Documents are cut into chunks of 1,000 tokens, each with its cosine with the question.
- Each of the five chunks nearest to its question has the point of view nearest to it, and whether
  annotators found all of it covered (null until somebody looked).
- Each two points of view of a question have their cosine; below 0.75 they count as distinct, above
  somebody should read them.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from inference.embeddings import Embedder, cosines
from inference.questions.chunking import Spans, token_chunks, word_spans
from inference.questions.curation.files import Row, csv_text, read_rows, stripped
from inference.questions.curation.questions import alike
from inference.questions.curation.records import (
    Evidence,
    ExaminedChunk,
    ExaminedPair,
    PointOfView,
    Question,
)

TOKENS_PER_CHUNK = 1000
NEAREST_CHUNKS = 5
# From this cosine on DebateQA's authors read two points of view (gte-Qwen2-1.5B-instruct).
DISTINCT_BELOW = 0.75

# Whether a chunk is covered, by its id and the hash of what annotators saw, where they state it.
Covered = dict[tuple[str, str], bool]


class _CoverageRow(Row):
    chunk_id: Annotated[str, Field(min_length=1)]
    is_covered: Annotated[bool | None, BeforeValidator(lambda value: stripped(value) or None)]
    asked_hash: str | None = None


def examine_chunks(
    questions: Sequence[Question],
    evidence: Mapping[str, Sequence[Evidence]],
    points: Sequence[PointOfView],
    make_embedder: Callable[[Sequence[str]], Embedder],
    *,
    covered: Covered | None = None,
    spans: Spans = word_spans,
) -> list[ExaminedChunk]:
    """Return every chunk of the questions' documents."""
    parts = {
        question.question_id: [
            (each.document.document_id, place, text)
            for each in evidence[question.question_id]
            for place, text in enumerate(
                token_chunks(each.document.text, TOKENS_PER_CHUNK, spans), start=1
            )
            if text.strip()
        ]
        for question in questions
    }
    sides: dict[str, list[PointOfView]] = {question.question_id: [] for question in questions}
    for point in points:
        sides[point.question_id].append(point)
    corpus = [
        *(question.question for question in questions),
        *(text for found in parts.values() for _, _, text in found),
        *(point.point_of_view for point in points),
    ]
    if not corpus:
        return []
    embedder, made = make_embedder(corpus), list[ExaminedChunk]()
    for question in questions:
        own, near = parts[question.question_id], sides[question.question_id]
        if own:
            made += _chunks_of(question, own, near, embedder, covered or {})
    return made


def _chunks_of(
    question: Question,
    parts: Sequence[tuple[str, int, str]],
    points: Sequence[PointOfView],
    embedder: Embedder,
    covered: Covered,
) -> list[ExaminedChunk]:
    rows = embedder.embed([text for _, _, text in parts])
    similar = cosines(rows, embedder.embed([question.question])[0]).tolist()
    order = sorted(range(len(parts)), key=lambda place: -similar[place])
    rank = {place: number for number, place in enumerate(order, start=1)}
    near = embedder.embed([point.point_of_view for point in points]) if points else None
    found = []
    for place, (document_id, position, text) in enumerate(parts):
        chunk_id = f"{question.question_id}/{document_id}/{position}"
        chunk = ExaminedChunk(
            chunk_id, question.question_id, document_id, position, similar[place], rank[place]
        )
        if rank[place] <= NEAREST_CHUNKS and near is not None:
            to_points = cosines(near, rows[place]).tolist()
            nearest = max(range(len(points)), key=lambda number: (to_points[number], -number))
            asked = asked_hash(text, points)
            chunk = ExaminedChunk(
                *(chunk_id, question.question_id, document_id, position),
                similarity=similar[place],
                chunk_rank=rank[place],
                text=text,
                nearest_partial_answer_id=points[nearest].partial_answer_id,
                nearest_similarity=to_points[nearest],
                is_covered=covered.get((chunk_id, asked), covered.get((chunk_id, ""))),
            )
        found.append(chunk)
    return found


def examine_pairs(points: Sequence[PointOfView], embedder: Embedder) -> list[ExaminedPair]:
    """Return every two points of view of the same question."""
    found = []
    for name, group in itertools.groupby(points, key=lambda point: point.question_id):
        sides = list(group)
        ids = [point.partial_answer_id for point in sides]
        # Cosines are never below -1, so these are all pairs.
        pairs = alike(embedder.embed([point.point_of_view for point in sides]), -2.0)
        found += [
            ExaminedPair(name, ids[one], ids[other], cosine, cosine < DISTINCT_BELOW)
            for (one, other), cosine in sorted(pairs.items())
        ]
    return found


def coverage_form(chunks: Iterable[ExaminedChunk], points: Sequence[PointOfView]) -> str:
    """Return the file in which annotators state whether the points of view cover a chunk."""
    sides: dict[str, list[PointOfView]] = {}
    for point in points:
        sides.setdefault(point.question_id, []).append(point)
    rows = []
    for chunk in chunks:
        if chunk.text is not None:
            own = sides.get(chunk.question_id, [])
            shown = "\n".join(point.point_of_view for point in own)
            rows.append([chunk.chunk_id, chunk.text, shown, "", asked_hash(chunk.text, own)])
    return csv_text(["chunk_id", "chunk", "points_of_view", "is_covered", "asked_hash"], rows)


def asked_hash(text: str, points: Sequence[PointOfView]) -> str:
    """Return the hash of what annotators see: a chunk, and its question's points of view."""
    shown = "\n".join([text, *(point.point_of_view for point in points)])
    return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]


def read_coverage(path: Path) -> Covered:
    """Return the filled-in form: a `.csv` with `chunk_id` and `is_covered`.

    A line without an answer is left out. No file means that nobody looked. With the form's column
    `asked_hash` an answer counts only as long as the chunk and the points of view are as they were.

    Raises:
        CurationFailed: It is not in the form.
    """
    if not path.is_file():
        return {}
    expected = "expected are a chunk's id, and 1 or 0, yes or no, or nothing"
    return {
        (row.chunk_id, row.asked_hash or ""): row.is_covered
        for _, row in read_rows("examine", path, _CoverageRow, expected)
        if row.is_covered is not None
    }
