"""Looking at what curation made: documents about the question, points of view complete and apart.

Each examination gives rows; what they come to, their means and shares, is for the marts to say.

- Documents are cut into chunks of 1,000 tokens, each with its cosine with the question.
- Of the five chunks of a question that are nearest to it, each has the point of view nearest to it,
  and whether people found everything it says covered (null until somebody looked).
- Each two points of view of a question have their cosine; below 0.75 they count as distinct, above
  somebody should read them.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inference.embeddings import Embedder, cosines
from inference.errors import CurationFailed
from inference.questions.chunking import Spans, token_chunks, word_spans
from inference.questions.curation.deduplicate import alike
from inference.questions.curation.forms import read_rows, table, yes_or_no
from inference.questions.curation.records import Evidence, PointOfView, Question

TOKENS_PER_CHUNK = 1000
NEAREST_CHUNKS = 5
# From this cosine on DebateQA's authors read two points of view (gte-Qwen2-1.5B-instruct).
DISTINCT_BELOW = 0.75


# What people found of a chunk, by its id and the hash of what they looked at, where they say.
Covered = dict[tuple[str, str], bool]


@dataclass(frozen=True)
class ExaminedChunk:
    """A part of a document, as `warehouse.records.questions.CurationChunk` has it.

    The text, and what it is nearest to, are known of a question's five nearest chunks alone.
    """

    chunk_id: str
    question_id: str
    document_id: str
    position: int
    similarity: float
    chunk_rank: int
    text: str | None = None
    nearest_partial_answer_id: str | None = None
    nearest_similarity: float | None = None
    is_covered: bool | None = None


@dataclass(frozen=True)
class ExaminedPair:
    """Two points of view of a question, as `warehouse.records.questions.CurationPair` has them."""

    question_id: str
    first_id: str
    second_id: str
    similarity: float
    is_distinct: bool


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
    embedder = make_embedder(corpus)
    return [
        chunk
        for question in questions
        for chunk in _chunks_of(
            question,
            parts[question.question_id],
            sides[question.question_id],
            embedder,
            covered or {},
        )
    ]


def _chunks_of(
    question: Question,
    parts: Sequence[tuple[str, int, str]],
    points: Sequence[PointOfView],
    embedder: Embedder,
    covered: Covered,
) -> list[ExaminedChunk]:
    if not parts:
        return []
    rows = embedder.embed([text for _, _, text in parts])
    similar = cosines(rows, embedder.embed([question.question])[0]).tolist()
    order = sorted(range(len(parts)), key=lambda place: -similar[place])
    rank = {place: number for number, place in enumerate(order, start=1)}
    near = embedder.embed([point.point_of_view for point in points]) if points else None
    found = []
    for place, (document_id, position, text) in enumerate(parts):
        chunk_id = f"{question.question_id}/{document_id}/{position}"
        facts = (
            chunk_id,
            question.question_id,
            document_id,
            position,
            similar[place],
            rank[place],
        )
        if rank[place] > NEAREST_CHUNKS or near is None:
            found.append(ExaminedChunk(*facts))
            continue
        to_points = cosines(near, rows[place]).tolist()
        nearest = max(range(len(points)), key=lambda number: (to_points[number], -number))
        asked = asked_hash(text, points)
        said = covered.get((chunk_id, asked), covered.get((chunk_id, "")))
        side = points[nearest].partial_answer_id
        found.append(ExaminedChunk(*facts, text, side, to_points[nearest], said))
    return found


def examine_pairs(points: Sequence[PointOfView], embedder: Embedder) -> list[ExaminedPair]:
    """Return every two points of view of the same question."""
    found = []
    for name, group in itertools.groupby(points, key=lambda point: point.question_id):
        sides = list(group)
        # Cosines are never below -1, so these are all pairs.
        pairs = alike(embedder.embed([point.point_of_view for point in sides]), -2.0)
        found += [
            ExaminedPair(
                name,
                sides[one].partial_answer_id,
                sides[other].partial_answer_id,
                cosine,
                cosine < DISTINCT_BELOW,
            )
            for (one, other), cosine in sorted(pairs.items())
        ]
    return found


def coverage_form(chunks: Iterable[ExaminedChunk], points: Sequence[PointOfView]) -> str:
    """Return the file in which people say whether a chunk's sides are all among those found."""
    sides: dict[str, list[PointOfView]] = {}
    for point in points:
        sides.setdefault(point.question_id, []).append(point)
    rows = []
    for chunk in chunks:
        if chunk.text is not None:
            own = sides.get(chunk.question_id, [])
            shown = "\n".join(point.point_of_view for point in own)
            rows.append([chunk.chunk_id, chunk.text, shown, "", asked_hash(chunk.text, own)])
    return table(["chunk_id", "chunk", "points_of_view", "is_covered", "asked_hash"], rows)


def asked_hash(text: str, points: Sequence[PointOfView]) -> str:
    """Return the hash of what people look at: a chunk, and its question's points of view."""
    shown = "\n".join([text, *(point.point_of_view for point in points)])
    return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]


def read_coverage(path: Path) -> Covered:
    """Return what people found: a `.csv` with `chunk_id` and `is_covered`.

    A line without an answer is left out. No file means that nobody looked. With the form's column
    `asked_hash` an answer counts only as long as the chunk and the points of view are as they were.

    Raises:
        CurationFailed: It is not in the form.
    """
    if not path.is_file():
        return {}
    found: Covered = {}
    for number, row in read_rows(path):
        word, chunk_id = row.get("is_covered", ""), row.get("chunk_id", "")
        said = yes_or_no(word)
        if not chunk_id or "is_covered" not in row or (word and said is None):
            raise CurationFailed(
                f"examine: {path}, line {number} has chunk_id '{chunk_id}' and is_covered "
                f"'{word}'; expected a chunk's id, and 1 or 0, yes or no, or nothing"
            )
        if said is not None:
            found[chunk_id, row.get("asked_hash", "")] = said
    return found
