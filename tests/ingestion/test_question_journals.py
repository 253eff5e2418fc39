"""Journals about debatable questions: answers, scores of answers, and likelihoods of perspectives."""

import json
from pathlib import Path
from typing import Any

import pytest

from inference.journal import SCHEMA_VERSION
from ingestion.batch import Counts
from ingestion.imports import import_file
from ingestion.journals import load_journals
from ingestion.reparse import reparse
from tests.ingestion.ingestion_files import (
    check_kept,
    check_rejects,
    item_rows,
    one,
    pointer,
    query,
    raw_content,
    row_of,
    unchanged,
    write_jsonl,
)
from tests.ingestion.journal_lines import (
    END,
    HEADER,
    RUN,
    answer_line,
    unscored_line,
    write_journal,
)
from tests.ingestion.question_files import MODEL, load, question, reply, sha256
from warehouse.home import Home

ABOUT = {**HEADER, "experiment": "qa", "judge_id": MODEL, "dataset_id": "debateqa"}
REQUEST = "0123456789abcdef0123456789abcdef"


def _text(number: int) -> str:
    return f"Should village {number} keep its fountain?"


def _reply(number: int, **changes: Any) -> dict[str, Any]:
    """A line of a run that asks questions, as the runner writes it."""
    item = {"item_id": f"debateqa:{number}", "item_hash": sha256(_text(number))}
    item |= {"dataset_id": "debateqa", "item_kind": "question", "template": "qa_basic"}
    asked_for = {"temperature": 0.7, "top_p": 0.9, "target_tokens": None, "retrieval": "none"}
    own = {"request_id": f"{number:x}{REQUEST[1:]}", "response": "Some say yes."}
    return unscored_line(number) | item | asked_for | own | changes


def _failed(number: int, **changes: Any) -> dict[str, Any]:
    return _reply(
        number, response="<html>", status="error", error_kind="timeout", error="late", **changes
    )


def _pairs(**changes: Any) -> dict[str, Any]:
    """A line of an evaluator about one answer."""
    item = {"item_id": "debateqa:1@0123", "item_hash": "h1", "item_kind": "answer"}
    asked_for = {"template": "pd_restate", "metric": "perspective_diversity", "response": ""}
    own = {"request_id": "pairs-1", "answer_token_count": 40, "latency_s": 0.25}
    line = _reply(1, **item, **asked_for, **own)
    line["likelihoods"] = [
        {
            "partial_answer_id": f"debateqa:1/p{place}",
            "text_hash": f"t{place}",
            "status": "scored",
            "value": None,
            "logprob_sum": -12.5 * place,
            "token_count": 10 * place,
            "context_token_count": 50,
        }
        for place in (1, 2)
    ]
    return {**line, **changes}


def _score(number: int, **changes: Any) -> dict[str, Any]:
    item = {"item_id": "debateqa:1@0123", "item_kind": "answer", "dataset_id": "debateqa"}
    scale = {"scale_min": 0, "scale_max": 1, "response": "1"}
    asked_for = dict.fromkeys(("dimension", "template"), "dispute_awareness")
    return answer_line(number, **item, **scale, **asked_for, **changes)


def test_a_line_about_a_question_is_an_answer_with_how_it_was_asked_for(asked: Home) -> None:
    searches = [
        {"query": _text(1), "found": [["debateqa:1/d2", 1]], "reply": None, "decision": "question"},
        {"query": None, "found": [], "reply": "Answer", "decision": "answer", "tokens_in": 90},
    ]
    line = _reply(
        1,
        retrieval="react",
        is_trusted_only=True,
        target_tokens=200,
        searches=searches,
        sample=2,
    )
    write_journal(asked, ABOUT, line, END)
    report = load_journals(asked)
    assert report.tables["answers"] == Counts(1)
    row = row_of(asked, "answers")
    check_kept(row, ABOUT | line | {"source_record": "line 2"})
    assert (row["answer_id"], row["question_id"]) == ("debateqa:1@1123456789abcdef", "debateqa:1")
    assert row["answer_hash"] == sha256(f"{_text(1)}\n\nSome say yes.")
    assert (row["word_count"], row["request_status"]) == (3, "answered")
    assert json.loads(row["extra"]) == {"searches": searches}
    assert query(asked, "from raw.scores") == query(asked, "from raw.verdicts") == []


def test_what_an_answer_was_shown_is_loaded_with_it(asked: Home) -> None:
    chunk = {
        "document_id": "debateqa:1/d2",
        "position": 3,
        "similarity": 0.5,
        "search": 1,
        "question_id": "debateqa:1",
        "url": None,
        "text_hash": "t",
    }
    pages = [
        {"address": "http://a.org/", "status": "taken", "detail": None, "sha256": "ab"},
        {"address": "http://b.org/", "status": "too_slow", "detail": "took long", "sha256": None},
    ]
    shown = {
        "retriever": "web:1a2b3c4d",
        "status": "shown",
        "pages": pages,
        "chunks": [chunk, {**chunk, "position": 1, "question_id": None}],
    }
    none = {"retriever": "data_set", "status": "no_documents", "chunks": []}
    bad = {**shown, "chunks": [{**chunk, "position": "third"}]}
    write_journal(
        asked,
        ABOUT,
        _reply(1, retrieval="vanilla", documents=shown),
        _reply(2, retrieval="vanilla", documents=none),
        _reply(3, retrieval="vanilla", documents=bad),
        _reply(4, retrieval="vanilla"),
    )
    report = load_journals(asked)
    assert [reject.reason for reject in report.rejects] == [
        "is not a whole 'answer' line: position should be a whole number; found 'third'"
    ]
    assert query(
        asked, "select question_id, retriever, documents_status from raw.answers order by 1"
    ) == [
        ("debateqa:1", "web:1a2b3c4d", "shown"),
        ("debateqa:2", "data_set", "no_documents"),
        ("debateqa:4", None, None),
    ]
    assert query(
        asked,
        "select document_rank, document_id, chunk, similarity, question_id, search "
        "from raw.answer_documents order by 1",
    ) == [(1, "debateqa:1/d2", 3, 0.5, "debateqa:1", 1), (2, "debateqa:1/d2", 1, 0.5, None, 1)]
    assert query(
        asked, "select address, page_status, detail, sha256 from raw.answer_pages order by 1"
    ) == [("http://a.org/", "taken", None, "ab"), ("http://b.org/", "too_slow", "took long", None)]
    assert load_journals(asked).new == 0


def test_an_error_is_no_answer_and_an_empty_reply_is_one(asked: Home) -> None:
    write_journal(asked, ABOUT, _failed(1), _reply(2, response=""), _reply(3))
    load_journals(asked)
    assert query(
        asked,
        "select question_id, request_status, error_kind, word_count, "
        "answer_hash is not null from raw.answers order by 1",
    ) == [
        ("debateqa:1", "error", "timeout", None, False),
        ("debateqa:2", "answered", None, 0, True),
        ("debateqa:3", "answered", None, 3, True),
    ]
    assert [
        (row["question_id"], row["answer"]) for row in item_rows(asked, "debateqa", "answers")
    ] == [
        ("debateqa:2", ""),
        ("debateqa:3", "Some say yes."),
    ]


def test_loading_twice_changes_nothing_and_more_lines_renew_the_answers(asked: Home) -> None:
    write_journal(asked, ABOUT, _reply(1))
    load_journals(asked)
    before, files = raw_content(asked), pointer(asked, "debateqa")
    assert load_journals(asked).load_id is None
    assert (raw_content(asked), pointer(asked, "debateqa")) == (before, files)
    write_journal(asked, _reply(2))
    load_journals(asked)
    assert pointer(asked, "debateqa")["answers"] != files["answers"]
    assert {
        name: file for name, file in pointer(asked, "debateqa").items() if name != "answers"
    } == {name: file for name, file in files.items() if name != "answers"}
    # A run that reads the older file finds it.
    assert (asked.items / "debateqa" / files["answers"]).is_file()


def test_an_answer_to_an_unknown_question_is_loaded_once_the_question_is(
    asked: Home, tmp_path: Path
) -> None:
    write_journal(asked, ABOUT, _reply(1), _reply(9))
    report = load_journals(asked)
    assert [(reject.record, reject.field, reject.original) for reject in report.rejects] == [
        ("line 3", "question_id", "debateqa:9")
    ]
    assert "an answer to a question that is not there" in report.rejects[0].reason
    assert load_journals(asked).load_id is None
    load(asked, tmp_path, [question(9)], "more.jsonl")
    assert load_journals(asked).tables["answers"] == Counts(1, 0, 1)


def test_an_answer_to_a_question_that_changed_keeps_its_hash_and_is_no_item(
    asked: Home, tmp_path: Path
) -> None:
    write_journal(asked, ABOUT, _reply(1), _reply(2))
    load_journals(asked)
    before = query(asked, "select answer_hash from raw.answers order by question_id")
    load(asked, tmp_path, [question(1, question="Should it go?")], "test2.jsonl")
    assert [row["question_id"] for row in item_rows(asked, "debateqa", "answers")] == ["debateqa:2"]
    write_journal(asked, _reply(3))
    load_journals(asked)
    assert query(asked, "select answer_hash from raw.answers order by question_id")[:2] == before


def test_answers_of_several_runs_with_one_id_are_one_item(asked: Home) -> None:
    write_journal(asked, ABOUT, _reply(1), run_id="a")
    write_journal(asked, {**ABOUT, "run_id": "b"}, _reply(1, reused_from="a"), run_id="b")
    load_journals(asked)
    assert query(asked, "select run_id, cost_usd, latency_s from raw.answers order by 1") == [
        ("b", 0.0, None),
        (RUN, 0.001, 0.5),
    ]
    assert len(item_rows(asked, "debateqa", "answers")) == 1


def test_a_line_of_likelihoods_is_a_row_per_perspective(asked: Home) -> None:
    tokens = [["Wat", -0.5], ["er", -12.0]]
    line = _pairs()
    line["likelihoods"][1]["token_logprobs"] = tokens
    write_journal(asked, ABOUT, line)
    report = load_journals(asked)
    assert report.tables["likelihoods"] == Counts(2)
    for place, tokens_kept, latency in ((1, None, 0.25), (2, json.dumps(tokens), None)):
        row = row_of(asked, "likelihoods", f"partial_answer_id = 'debateqa:1/p{place}'")
        source = {**ABOUT, **line, **line["likelihoods"][place - 1]}
        check_kept(row, source | {"latency_s": latency, "token_logprobs": tokens_kept})
        assert (row["answer_hash"], row["source_record"]) == ("h1", "line 2")


def test_of_likelihoods_asked_for_again_the_later_ones_count_whole(asked: Home) -> None:
    first, second = _pairs(), _pairs()
    second["likelihoods"] = [{**second["likelihoods"][0], "logprob_sum": -3.0}]
    write_journal(asked, ABOUT, first, second)
    load_journals(asked)
    assert query(asked, "select partial_answer_id, logprob_sum from raw.likelihoods") == [
        ("debateqa:1/p1", -3.0)
    ]
    with unchanged(asked):
        load_journals(asked)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"status": "empty_answer", "logprob_sum": None, "token_count": None},
            ("empty_answer", None, None),
        ),
        ({"status": "context_overflow", "logprob_sum": None}, ("context_overflow", None, None)),
        ({"logprob_sum": float("nan")}, ("not_finite", None, None)),
        ({"logprob_sum": float("-inf")}, ("not_finite", None, None)),
        ({"logprob_sum": None, "value": 0.25}, ("scored", 0.25, None)),
        ({"logprob_sum": None, "value": float("nan")}, ("not_finite", None, None)),
        ({"status": "empty_context", "value": float("inf")}, ("empty_context", None, None)),
    ],
)
def test_what_is_no_number_is_null_with_its_reason(
    asked: Home, changes: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    line = _pairs()
    line["likelihoods"][0] |= changes
    path = write_journal(asked, ABOUT)
    # The writer of journals takes no such number; another program's may.
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"schema_version": SCHEMA_VERSION}) + "\n")
    load_journals(asked)
    assert query(
        asked,
        "select status, value, logprob_sum from raw.likelihoods where partial_answer_id like '%p1'",
    ) == [expected]


def test_a_request_without_likelihoods_is_quarantined_until_it_has_some(asked: Home) -> None:
    failed = _pairs(status="error", error_kind="out_of_memory", error="no room")
    del failed["likelihoods"]
    write_journal(asked, ABOUT, failed)
    (reject,) = load_journals(asked).rejects
    assert (reject.record, reject.field) == ("line 2", "likelihoods")
    assert "out_of_memory: no room" in reject.reason
    write_journal(asked, _pairs(), failed)
    report = load_journals(asked)
    assert (report.quarantined, report.tables["likelihoods"]) == (0, Counts(2))


def test_a_failure_that_is_every_perspectives_outcome_is_a_row_of_each(asked: Home) -> None:
    failed = _pairs(status="error", error_kind="context_overflow", error="too long")
    del failed["likelihoods"]
    write_journal(asked, ABOUT, failed)
    assert load_journals(asked).quarantined == 0
    hashes = query(
        asked,
        "select partial_answer_id, text_hash from raw.partial_answers "
        "where question_id = 'debateqa:1' order by 1",
    )
    assert query(
        asked,
        "select partial_answer_id, text_hash, status, logprob_sum, metric, template "
        "from raw.likelihoods order by 1",
    ) == [
        (identity, text_hash, "context_overflow", None, "perspective_diversity", "pd_restate")
        for identity, text_hash in hashes
    ]
    assert len(hashes) == 3


def test_an_answer_to_a_question_without_perspectives_has_nothing_to_compare(
    asked: Home, tmp_path: Path
) -> None:
    load(asked, tmp_path, [question(8, partial_answers=[])], "bare.jsonl")
    failed = _pairs(item_id="debateqa:8@0123", status="error", error_kind="no_partial_answers")
    del failed["likelihoods"]
    write_journal(asked, ABOUT, failed)
    report = load_journals(asked)
    assert (report.quarantined, report.tables.get("likelihoods")) == (0, None)


NOT_WHOLE = [
    (_pairs(likelihoods=[]), "likelihoods should be a list with an object per perspective"),
    (_pairs(likelihoods=["p1"]), "likelihoods should be objects"),
    (_pairs(likelihoods=[{"status": "scored"}]), "lacks 'partial_answer_id'"),
    (_pairs(likelihoods=[{"partial_answer_id": "a", "status": 1}]), "status should be text"),
    (
        _pairs(likelihoods=[{"partial_answer_id": "a", "status": "scored", "token_count": 1.5}]),
        "token_count should be a whole number",
    ),
    (_pairs(metric=3), "metric should be text"),
    (_reply(1, retrieval=4), "retrieval should be text"),
    (_reply(1, temperature="hot"), "temperature should be a number"),
    (_reply(1, is_trusted_only="yes"), "is_trusted_only should be true or false"),
    (_reply(1, response=None), "response should be text"),
    (_score(1, value_released="1"), "value_released should be a number"),
]


def test_lines_that_are_not_whole_are_quarantined_with_what_they_lack(asked: Home) -> None:
    write_journal(asked, ABOUT, *(line for line, _ in NOT_WHOLE), _reply(2))
    report = load_journals(asked)
    faults = [(line, None, words) for line, words in NOT_WHOLE]
    check_rejects(report.rejects, faults, first=2, place="line {0}")
    assert report.tables["answers"] == Counts(1)


def test_a_score_of_an_answer_says_so_and_keeps_what_the_released_rule_read(asked: Home) -> None:
    write_journal(
        asked,
        ABOUT,
        _score(1, value_released=1),
        _score(2, value_released=1) | {"response": "0"},
        _score(3) | {"response": "It is open."},
        _score(4) | {"response": "4", "dimension": "answer_quality", "scale_max": 5},
    )
    load_journals(asked)
    assert query(
        asked,
        "select item_kind, item_id, dimension, value, value_released, parse_status, extra "
        "from raw.scores order by request_id",
    ) == [
        (
            "answer",
            "debateqa:1@0123",
            dimension,
            value,
            released,
            status,
            json.dumps({"scale_max": high, "scale_min": 0}),
        )
        for dimension, value, released, status, high in (
            ("dispute_awareness", 1.0, 1.0, "parsed", 1),
            ("dispute_awareness", 0.0, 1.0, "parsed", 1),
            ("dispute_awareness", None, None, "unparsed", 1),
            ("answer_quality", 4.0, None, "parsed", 5),
        )
    ]


def test_scores_of_answers_are_read_again_by_their_own_rule(asked: Home) -> None:
    write_journal(
        asked,
        ABOUT,
        _score(1, value_released=1),
        _score(2) | {"response": "4", "scale_max": 5},
        _reply(1),
        _pairs(),
    )
    load_journals(asked)
    with unchanged(asked):
        found = reparse(asked)
        # Both were read; neither the scale nor the reading by the released rule was lost.
        assert (found.read, found.skipped, found.changed) == (2, 0, 0)


def test_the_answers_of_runs_and_files_stand_together(asked: Home, tmp_path: Path) -> None:
    write_journal(asked, ABOUT, _reply(1))
    import_file(asked, write_jsonl(tmp_path / "a.jsonl", [reply(1)]))
    load_journals(asked)
    rows = item_rows(asked, "debateqa", "answers")
    assert len(rows) == 2
    assert one(asked, "select count(*) from raw.answers") == 2
