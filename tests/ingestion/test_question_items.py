"""The item files of questions: who answers never opens the perspectives, evaluators find them all."""

import hashlib
from pathlib import Path

import pytest

from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.items import renew_items
from ingestion.raw_tables import remove_rows
from tests.ingestion.ingestion_files import (
    item_rows,
    pointer,
    query,
    speeches,
    write_csv,
    write_jsonl,
)
from tests.ingestion.question_files import (
    MODEL,
    PASSAGES,
    load,
    passages,
    question,
    questions,
    release,
    released,
    sha256,
)
from warehouse.home import Home
from warehouse.writer import open_writer


@pytest.fixture
def asked(home: Home, tmp_path: Path) -> Home:
    """A home with two questions, one of them with documents, and an answer to each."""
    files = {"test.jsonl": questions(2), PASSAGES: [passages(1)]}
    ingest(home, "debateqa", release(tmp_path / "release", files))
    _import(home, tmp_path, [released(1, "Some do."), released(2, "")])
    return home


def _import(home: Home, tmp_path: Path, rows: list[dict[str, object]]) -> None:
    path = write_jsonl(tmp_path / f"answers-{len(rows)}.jsonl", rows)
    import_file(home, path, judge=MODEL, dataset="debateqa")


def test_questions_hold_nothing_of_their_perspectives(asked: Home) -> None:
    text = "Should village 1 keep its fountain?"
    rows = item_rows(asked, "debateqa", "questions")
    assert rows[0] == {
        "question_id": "debateqa:1",
        "item_hash": sha256(text),
        "question": text,
        "split": "test",
        "domain": None,
        "word_count": 6,
    }
    assert "View 1" not in str(rows)


def test_perspectives_documents_and_answers_have_a_file_each(asked: Home) -> None:
    said = "View 1 of village 1"
    why = "People of kind 1 say the water matters.\nThey live there."
    assert item_rows(asked, "debateqa", "partial_answers")[0] == {
        "partial_answer_id": "debateqa:1/p1",
        "question_id": "debateqa:1",
        "position": 1,
        "point_of_view": said,
        "explanation": why,
        "text_hash": sha256(f"{said}\n\n{why}"),
    }
    assert item_rows(asked, "debateqa", "documents")[1] == {
        "document_id": "debateqa:1/d2",
        "question_id": "debateqa:1",
        "position": 2,
        "url": "https://water.example.org/1/2",
        "top_level_domain": "org",
        "title": "Fountains, part 2",
        "text": "Text 2 about village 1.",
        "word_count": 5,
    }
    question_text = "Should village 1 keep its fountain?"
    (answer_id,) = query(
        asked, "select answer_id from raw.answers where question_id = 'debateqa:1'"
    )[0]
    assert item_rows(asked, "debateqa", "answers")[0] == {
        "answer_id": answer_id,
        "answer_hash": sha256(f"{question_text}\n\nSome do."),
        "question_id": "debateqa:1",
        "question": question_text,
        "answer": "Some do.",
        "word_count": 2,
        "judge_id": MODEL,
    }


def test_a_file_is_named_by_its_kind_and_its_bytes(asked: Home) -> None:
    for kind in ("questions", "partial_answers", "documents", "answers"):
        name = str(pointer(asked, "debateqa")[kind])
        content = (asked.items / "debateqa" / name).read_bytes()
        assert name == f"{kind}-{hashlib.sha256(content).hexdigest()}.parquet"


def test_a_data_set_without_rows_of_a_kind_has_no_such_file(home: Home, tmp_path: Path) -> None:
    load(home, tmp_path, [question(1, partial_answers=[])])
    assert {"questions", "partial_answers", "documents", "answers"} & set(
        pointer(home, "debateqa")
    ) == {"questions"}
    ingest(home, "speeches", write_csv(tmp_path / "speeches.csv", speeches()))
    assert set(pointer(home, "speeches")) == {"items", "reference", "rows", "topics"}


def test_loading_the_questions_again_keeps_the_answers(asked: Home, tmp_path: Path) -> None:
    before = pointer(asked, "debateqa")
    ingest(asked, "debateqa", tmp_path / "release")
    assert pointer(asked, "debateqa") == before
    # What a kill after the load left undone is done by the next.
    (asked.items / "debateqa" / before["answers"]).unlink()
    ingest(asked, "debateqa", tmp_path / "release")
    assert len(item_rows(asked, "debateqa", "answers")) == 2


def test_writing_answers_again_writes_what_is_missing(asked: Home) -> None:
    path = asked.items / "debateqa" / pointer(asked, "debateqa")["answers"]
    path.unlink()
    with open_writer(asked, "a test") as connection:
        renew_items(connection, asked, ["answers"])
        assert path.is_file()
        remove_rows(connection, "answers", "question_id = 'debateqa:1'")
        renew_items(connection, asked, ["answers"])
    assert [row["question_id"] for row in item_rows(asked, "debateqa", "answers")] == ["debateqa:2"]
