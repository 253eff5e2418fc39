import csv
import io
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from curation_fixtures import document, question

from inference.embeddings import TfidfEmbedder, Vectors
from inference.errors import CurationFailed
from inference.questions.curation.examine import (
    coverage_form,
    examine_chunks,
    examine_pairs,
    read_coverage,
)
from inference.questions.curation.records import Evidence, PointOfView


def point(position: int, text: str, question_id: str = "made-up:1") -> PointOfView:
    return PointOfView(question_id, position, text, ("d",))


POINTS = [point(1, "Cars are loud."), point(2, "Shops need cars."), point(3, "Buses are slow.")]
TEXTS = [
    "Towns that ban cars are quiet, and loud cars are gone.",
    "Shops lose: their clients need cars.",
    "Nothing of interest is said here at all.",
]


def evidence(*texts: str) -> dict[str, list[Evidence]]:
    return {
        "made-up:1": [
            Evidence("made-up:1", place, 1.0, document(f"d{place}", text))
            for place, text in enumerate(texts, start=1)
        ]
    }


def test_every_chunk_has_its_cosine_and_its_rank() -> None:
    found = examine_chunks([question()], evidence(*TEXTS), POINTS, TfidfEmbedder)
    corpus = [question().question, *TEXTS, *(p.point_of_view for p in POINTS)]
    vectors = TfidfEmbedder(corpus).embed(corpus)
    expected = [float(vectors[0] @ vectors[place]) for place in (1, 2, 3)]
    assert [chunk.similarity for chunk in found] == pytest.approx(expected, abs=1e-6)
    assert [chunk.chunk_rank for chunk in found] == [1, 2, 3]
    nearest = [chunk.nearest_partial_answer_id for chunk in found]
    assert nearest[:2] == ["made-up:1/p1", "made-up:1/p2"]
    assert found[0].nearest_similarity == pytest.approx(float(vectors[1] @ vectors[4]), abs=1e-6)
    assert [chunk.is_covered for chunk in found] == [None] * 3


def test_chunks_are_of_a_thousand_tokens_and_only_the_nearest_five_are_looked_at() -> None:
    # 7,500 words: seven chunks of 1,000 and one of 500; the question's words are in the last four.
    words = " ".join(["filler"] * 4000 + ["towns"] * 3500)
    found = examine_chunks([question()], evidence(words), POINTS, TfidfEmbedder)
    assert [chunk.position for chunk in found] == list(range(1, 9))
    assert sorted(chunk.chunk_rank for chunk in found) == list(range(1, 9))
    looked_at = [chunk for chunk in found if chunk.text is not None]
    assert [chunk.position for chunk in looked_at] == [1, 5, 6, 7, 8]
    assert len(looked_at[1].text.split()) == 1000
    assert "".join(chunk.text for chunk in looked_at[1:]).split() == ["towns"] * 3500


def test_no_question_gives_no_chunk() -> None:
    assert examine_chunks([], {}, [], TfidfEmbedder) == []


def test_what_people_found_stands_beside_the_chunk(tmp_path: Path) -> None:
    found = examine_chunks([question()], evidence(*TEXTS), POINTS, TfidfEmbedder)
    rows = list(csv.DictReader(io.StringIO(coverage_form(found, POINTS), newline="")))
    assert rows[0]["chunk"] == TEXTS[0]
    assert rows[0]["points_of_view"] == "Cars are loud.\nShops need cars.\nBuses are slow."
    path = tmp_path / "coverage.csv"
    assert read_coverage(path) == {}
    said = zip((row["chunk_id"] for row in rows), ("yes", "0", ""), strict=True)
    path.write_text("\n".join(["chunk_id,is_covered", *map(",".join, said)]))
    covered = read_coverage(path)
    again = examine_chunks([question()], evidence(*TEXTS), POINTS, TfidfEmbedder, covered=covered)
    assert [chunk.is_covered for chunk in again] == [True, False, None]


@pytest.mark.parametrize(
    "content", ["chunk_id,is_covered\na,maybe\n", "chunk_id\na\n", "is_covered\n1\n"]
)
def test_a_coverage_file_that_is_not_in_the_form_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "coverage.csv").write_text(content)
    with pytest.raises(CurationFailed, match="line 2"):
        read_coverage(tmp_path / "coverage.csv")


class Fixed:
    identity = "fixed"

    def embed(self, texts: Sequence[str]) -> Vectors:
        angles = np.array([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_every_two_points_of_view_of_a_question_are_compared_and_of_two_questions_none() -> None:
    # Cosines of the angles between them: 0.7 apart is 0.765, 0.8 apart 0.697, 3.1 apart -0.999.
    angles = ("0", "0.7", "1.5", "3.1")
    points = [point(place, angle) for place, angle in enumerate(angles, start=1)]
    found = examine_pairs([*points, point(1, "0", "other")], Fixed())
    pairs = [(pair.first_id[-1], pair.second_id[-1]) for pair in found]
    assert pairs == list(itertools.combinations("1234", 2))
    assert [pair.is_distinct for pair in found] == [False, True, True, True, True, True]
    assert found[0].similarity == pytest.approx(np.cos(0.7), abs=1e-6)
    assert found[2].similarity == pytest.approx(np.cos(3.1), abs=1e-6)
