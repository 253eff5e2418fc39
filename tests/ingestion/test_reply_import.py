"""Answers to questions made elsewhere: each is one answer of one model, named the same for good."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.answers.imported import SETTINGS_HASH
from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import (
    check_kept,
    check_rejects,
    item_rows,
    one,
    pointer,
    query,
    raw_content,
    row_of,
    write_csv,
    write_jsonl,
)
from tests.ingestion.question_files import MODEL, load, question, questions, released, reply, sha256
from warehouse.home import Home


def _import(
    home: Home, tmp_path: Path, rows: list[dict[str, Any]], name: str = "answers.jsonl", **more: Any
) -> LoadReport:
    return import_file(home, write_jsonl(tmp_path / name, rows), **more)


def test_the_released_form_is_told_by_its_shape_and_needs_a_model(
    asked: Home, tmp_path: Path
) -> None:
    report = _import(asked, tmp_path, [released(1), released(2, "No.")], judge=MODEL)
    assert list(report.notes) == ["read as debateqa"]
    assert report.tables == {"runs": Counts(1), "answers": Counts(2), "judges": Counts(1)}
    text = "Some say yes, some say no."
    row = row_of(asked, "answers", "question_id = 'debateqa:1'")
    asked_for = "Should village 1 keep its fountain?"
    expected = dict.fromkeys(("experiment", "template", "wording"), "imported")
    expected |= dict.fromkeys(("temperature", "top_p", "target_tokens", "is_trusted_only"))
    expected |= {"judge_id": MODEL, "settings_hash": SETTINGS_HASH, "response": text}
    expected |= {"retrieval": "none", "sample": 0, "word_count": 6, "source_record": "line 1"}
    expected |= {"request_status": "answered", "item_hash": sha256(asked_for), "extra": None}
    check_kept(row, expected | {"answer_hash": sha256(f"{asked_for}\n\n{text}")})
    assert row["answer_id"] == f"debateqa:1@{row['request_id'][:16]}"
    with pytest.raises(TooManyRejected, match="name the judge with --judge"):
        _import(asked, tmp_path, [released(3)], "nameless.jsonl")


def test_columns_and_flags_say_who_answered_to_which_prompt(asked: Home, tmp_path: Path) -> None:
    rows = [released(1), released(2, judge="acme/other", template="detailed", seed=7)]
    _import(asked, tmp_path, rows, judge=MODEL, template="basic")
    assert query(
        asked, "select question_id, judge_id, template, extra from raw.answers order by 1"
    ) == [
        ("debateqa:1", MODEL, "basic", None),
        ("debateqa:2", "acme/other", "detailed", '{"seed": 7}'),
    ]


def test_every_column_of_our_own_form_is_kept(asked: Home, tmp_path: Path) -> None:
    asked_for = {"template": "qa_detailed", "temperature": 0.7, "top_p": 0.95, "sample": 2}
    asked_for |= {"target_tokens": 300, "retrieval": "react", "is_trusted_only": True}
    cost = {"tokens_in": 40, "tokens_out": 310, "latency_s": 2.5, "cost_usd": 0.002}
    row = reply(3, **asked_for, **cost, at="2026-03-01T12:00:00+02:00", seed=7)
    report = _import(asked, tmp_path, [row])
    assert list(report.notes) == ["read as answers"]
    stored = row_of(asked, "answers")
    check_kept(stored, row)
    assert stored["answered_at"] == datetime(2026, 3, 1, 10)
    assert stored["extra"] == '{"seed": 7}'


def test_an_answer_keeps_its_name_from_file_to_file(asked: Home, tmp_path: Path) -> None:
    _import(asked, tmp_path, [reply(1)])
    before = one(asked, "select answer_id from raw.answers")
    # Bare id, another file, another text: the same answer of the same model.
    _import(asked, tmp_path, [reply(1, question=1, response="Anew.")], "later.jsonl")
    assert query(asked, "select distinct answer_id from raw.answers") == [(before,)]
    assert one(asked, "select count(distinct answer_hash) from raw.answers") == 2


def test_what_can_change_an_answer_makes_it_another_one(asked: Home, tmp_path: Path) -> None:
    rows = [
        reply(1),
        reply(1, judge="acme/other"),
        reply(1, template="basic"),
        reply(1, temperature=0),
        reply(1, top_p=1),
        reply(1, target_tokens=100),
        reply(1, retrieval="vanilla"),
        reply(1, is_trusted_only=False),
        reply(1, sample=1),
        reply(2),
    ]
    assert _import(asked, tmp_path, rows).quarantined == 0
    assert one(asked, "select count(distinct answer_id) from raw.answers") == len(rows)


def test_importing_the_same_file_twice_changes_nothing(asked: Home, tmp_path: Path) -> None:
    _import(asked, tmp_path, [released(1), released(2)], judge=MODEL)
    before, files = raw_content(asked), pointer(asked, "debateqa")
    report = _import(asked, tmp_path, [released(1), released(2)], judge=MODEL)
    assert (report.load_id, report.new, report.updated) == (None, 0, 0)
    assert (raw_content(asked), pointer(asked, "debateqa")) == (before, files)


def test_of_two_answers_of_one_model_the_first_counts_and_the_other_is_quarantined(
    asked: Home, tmp_path: Path
) -> None:
    rows = [released(1, "First."), released(2), released(1, "Second.")]
    report = _import(asked, tmp_path, rows, judge=MODEL, max_rejected=0.5)
    (reject,) = report.rejects
    assert (reject.record, reject.field) == ("record 3 (line 3)", "question")
    assert "duplicate key: record 1 (line 1) has the same question, judge" in reject.reason
    assert one(asked, "select response from raw.answers where question_id like '%:1'") == "First."


def test_an_empty_answer_is_kept_as_one_without_words(asked: Home, tmp_path: Path) -> None:
    rows = [released(1, ""), released(2, " \n "), released(3)]
    assert _import(asked, tmp_path, rows, judge=MODEL).quarantined == 0
    assert query(
        asked, "select response, word_count, request_status from raw.answers order by question_id"
    )[:2] == [("", 0, "answered"), (" \n ", 0, "answered")]
    assert [row["answer"] for row in item_rows(asked, "debateqa", "answers")].count("") == 1


NO_RELEASED = [
    (released(99), "question", "unknown question '99'"),
    ({"generation": "x", "id": None}, "id", "is missing"),
    ({"generation": "x", "id": True}, "id", "is missing"),
    ({"generation": "x"}, "id", "is missing"),
    ({"id": 4}, "generation", "is missing"),
    ({"generation": None, "id": 4}, "generation", "is missing"),
    ({"generation": ["x"], "id": 4}, "generation", "valid string"),
    (released(4, "half \ud800"), "generation", "valid Unicode"),
    (released(4, judge="nobody"), "judge", "should be provider/model"),
]


def test_what_is_no_answer_in_the_released_form_is_quarantined(asked: Home, tmp_path: Path) -> None:
    rows = [released(n) for n in (1, 2, 3)] + [row for row, *_ in NO_RELEASED]
    report = _import(asked, tmp_path, rows, judge=MODEL, max_rejected=1)
    check_rejects(report.rejects, NO_RELEASED, first=4)
    assert one(asked, "select count(*) from raw.answers") == 3


NO_ANSWERS = [
    (reply(9), "question"),
    (reply(4, retrieval="search"), "retrieval"),
    (reply(4, temperature=-1), "temperature"),
    (reply(4, temperature=True), "temperature"),
    (reply(4, top_p=1.2), "top_p"),
    (reply(4, target_tokens=0), "target_tokens"),
    (reply(4, sample=-1), "sample"),
    (reply(4, at="yesterday"), "at"),
    (reply(4, response=None), "response"),
    (reply(4, judge=None), "judge"),
    (reply(4, question={"id": 4}), "question"),
]


def test_what_is_no_answer_in_our_own_form_is_quarantined(asked: Home, tmp_path: Path) -> None:
    rows = [reply(n) for n in (1, 2, 3)] + [row for row, _ in NO_ANSWERS]
    check_rejects(_import(asked, tmp_path, rows, max_rejected=1).rejects, NO_ANSWERS, first=4)


def test_a_bare_id_of_several_data_sets_needs_the_data_set(asked: Home, tmp_path: Path) -> None:
    load(
        asked,
        tmp_path,
        [question(1, question="Other?")],
        "more.jsonl",
        settings={"dataset": "debateqa-dev"},
    )
    with pytest.raises(TooManyRejected, match="ambiguous question '1'"):
        _import(asked, tmp_path, [released(1)], judge=MODEL)
    _import(asked, tmp_path, [released(1)], judge=MODEL, dataset="debateqa-dev")
    assert query(asked, "select question_id from raw.answers") == [("debateqa-dev:1",)]


def test_an_answer_stays_with_the_question_it_was_imported_for(asked: Home, tmp_path: Path) -> None:
    _import(asked, tmp_path, [released(1), released(2)], judge=MODEL)
    before = query(asked, "select item_hash, answer_hash from raw.answers order by question_id")
    rows = [question(1, question="Should it go?"), *questions()[1:]]
    load(asked, tmp_path, rows, "test2.jsonl")
    _import(asked, tmp_path, [released(1), released(2)], judge=MODEL)
    assert (
        query(asked, "select item_hash, answer_hash from raw.answers order by question_id")
        == before
    )
    # Evaluators get no answer to a question that it was no answer to.
    assert [row["question_id"] for row in item_rows(asked, "debateqa", "answers")] == ["debateqa:2"]


def test_evaluators_get_the_newest_reply_and_its_question(asked: Home, tmp_path: Path) -> None:
    at = "2026-03-01T12:00:00Z"
    _import(asked, tmp_path, [reply(1, response="New.", at=at)])
    _import(asked, tmp_path, [reply(1, response="Old.", at="2025-01-01")], "old.jsonl")
    (row,) = item_rows(asked, "debateqa", "answers")
    text = "Should village 1 keep its fountain?"
    assert row == {
        "answer_id": one(asked, "select any_value(answer_id) from raw.answers"),
        "answer_hash": sha256(f"{text}\n\nNew."),
        "question_id": "debateqa:1",
        "question": text,
        "answer": "New.",
        "word_count": 1,
        "judge_id": MODEL,
    }


def test_the_format_can_be_named_and_lacking_columns_are_said(asked: Home, tmp_path: Path) -> None:
    rows = [{"question": 1, "judge": MODEL, "response": "x", "item": "mine"}]
    report = _import(asked, tmp_path, rows, wanted_format="answers")
    assert json.loads(one(asked, "select extra from raw.answers")) == {"item": "mine"}
    assert list(report.notes) == ["read as answers"]
    path = write_csv(tmp_path / "a.csv", [{"question": 1, "judge": MODEL}])
    with pytest.raises(SourceUnreadable, match="lacks the column 'response'"):
        import_file(asked, path, wanted_format="answers")


@pytest.mark.shared
def test_the_released_demonstration_imports_whole(
    home: Home, tmp_path: Path, shared_data: Path
) -> None:
    path = shared_data / "debateqa" / "answers_demo.jsonl"
    if not path.is_file():
        pytest.skip("the pack has no answers")
    load(home, tmp_path, [question(number) for number in range(1, 501)])
    report = import_file(home, path, judge=MODEL, dataset="debateqa")
    assert (list(report.notes), report.quarantined) == (["read as debateqa"], 0)
    assert report.tables["answers"] == Counts(500)
    assert one(home, "select count(*) from raw.answers where word_count = 0") == 0
    assert len(item_rows(home, "debateqa", "answers")) == 500
    # Which questions these were is not in the pack: loading others again makes them stale.
    ingest(home, "debateqa", write_jsonl(tmp_path / "test.jsonl", [question(1, question="Other?")]))
    assert len(item_rows(home, "debateqa", "answers")) == 499
