"""What a journal says of the way an answer was asked for, and what becomes of one that failed."""

import json
import math

import pytest

import ingestion.journals
from inference.parsing import PARSER_VERSION
from ingestion.batch import Counts
from ingestion.journals import load_journals
from tests.ingestion.ingestion_files import check_rejects, one, query, unchanged
from tests.ingestion.journal_lines import (
    HEADER,
    RUN,
    answer_line,
    failed_line,
    write_journal,
)
from warehouse.home import Home


def test_how_an_answer_was_asked_for_is_kept(home: Home) -> None:
    known = {"tokens_cached": 512, "model_version": "gpt-test-2026-01-01"}
    write_journal(
        home,
        HEADER,
        answer_line(1, answer_format="choice", response="4", attempts=3, **known),
        answer_line(2),
    )
    load_journals(home)
    columns = "answer_format, attempts, tokens_cached, source_record, value"
    assert query(home, f"select {columns} from raw.scores order by request_id") == [
        ("choice", 3, 512, "line 2", 4.0),
        ("text", None, None, "line 3", 4.0),
    ]
    extra = one(home, "select extra from raw.scores where attempts = 3")
    assert json.loads(extra) == {"model_version": "gpt-test-2026-01-01"}
    assert one(home, "select parser_version from raw.runs") == str(PARSER_VERSION)


READ = [
    ({"answer_format": "json_schema", "response": '{"score": 4}'}, 4, "parsed", None),
    (
        {"answer_format": "json_schema", "response": '{"reasons": "x", "score": 2}'},
        2,
        "parsed",
        None,
    ),
    (
        {"answer_format": "json_schema", "response": '{"score": 9}'},
        None,
        "unparsed",
        "out_of_range",
    ),
    ({"answer_format": "label_scoring", "response": "3"}, 3, "parsed", None),
    ({"answer_format": "choice", "response": "three"}, None, "unparsed", "not_a_label"),
    ({"finish_reason": "refusal", "response": "I cannot."}, None, "unparsed", "refused"),
    ({"finish_reason": "content_filter", "response": ""}, None, "unparsed", "filtered"),
    ({"finish_reason": "length", "response": "<scratchpad>So"}, None, "unparsed", "truncated"),
    ({"finish_reason": "length"}, 4, "parsed", None),
]


def test_an_answer_is_read_by_its_format_and_explained_by_its_end(home: Home) -> None:
    lines = [answer_line(number, **row[0]) for number, row in enumerate(READ, start=1)]
    write_journal(home, HEADER, *lines)
    load_journals(home)
    columns = "value, parse_status, parse_reason"
    assert query(home, f"select {columns} from raw.scores order by request_id") == [
        row[1:] for row in READ
    ]


def test_a_failed_request_keeps_what_the_endpoint_sent_instead(home: Home) -> None:
    line = failed_line(1) | {"error_kind": "malformed", "response": "<html>502</html>"}
    write_journal(home, HEADER, line)
    load_journals(home)
    columns = "request_status, error_kind, parse_status, parse_reason, value, response"
    assert query(home, f"select {columns} from raw.scores") == [
        ("error", "malformed", "not_answered", None, None, "<html>502</html>")
    ]


def test_label_probabilities_are_made_to_sum_to_one_or_bounded(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 0.25 and 0.25 of all: each has half, exactly.
    whole = {"labels": ["1", "2"], "label_logprobs": dict.fromkeys("12", math.log(0.25))}
    # "3" was not reported: between nothing and a tenth, against a half that was seen.
    bounded = {"labels": ["1", "2", "3"], "label_logprob_ceiling": math.log(0.1)}
    bounded["label_logprobs"] = {"1": math.log(0.5), "2": math.log(0.2)}
    unknown = answer_line(3, labels=["1", "2", "3"])
    write_journal(home, HEADER, answer_line(1, **whole), answer_line(2, **bounded), unknown)
    report = load_journals(home)
    assert report.tables["label_probabilities"] == Counts(new=5)
    found = query(
        home,
        "select request_id, label, round(p, 6), round(p_low, 6), round(p_high, 6), logprob is null "
        "from raw.label_probabilities order by all",
    )
    assert found == [
        ("request-1", "1", 0.5, 0.5, 0.5, False),
        ("request-1", "2", 0.5, 0.5, 0.5, False),
        # 0.5 / (0.7 + 0.1) and 0.5 / 0.7; 0.2 / 0.8 and 0.2 / 0.7; 0 and 0.1 / 0.8
        ("request-2", "1", None, 0.625, 0.714286, False),
        ("request-2", "2", None, 0.25, 0.285714, False),
        ("request-2", "3", None, 0.0, 0.125, True),
    ]
    assert query(home, "select distinct run_id from raw.label_probabilities") == [(RUN,)]
    with unchanged(home):
        monkeypatch.setattr(ingestion.journals, "_is_new", lambda *args: True)
        assert load_journals(home).load_id is None


def test_the_probabilities_are_those_of_the_answer_that_counts(home: Home) -> None:
    write_journal(
        home,
        HEADER,
        answer_line(1, label_logprobs={"1": -0.1, "2": -3.0}),
        answer_line(1, label_logprobs={"1": -3.0, "2": -0.1}),
        failed_line(1),
    )
    load_journals(home)
    assert dict(query(home, "select label, logprob from raw.label_probabilities")) == {
        "1": -3.0,
        "2": -0.1,
    }
    write_journal(home, answer_line(1))
    report = load_journals(home)
    assert report.tables["label_probabilities"] == Counts(updated=2)
    assert query(home, "from raw.label_probabilities") == []


IMPOSSIBLE = [
    ({"label_logprobs": {"1": "high"}}, "a log-probability should be a number"),
    ({"label_logprobs": {"1": 0.5}}, "finite and at most 0; found 0.5"),
    ({"label_logprobs": {"1": -1}, "labels": ["1", "1"]}, "labels should be there once each"),
    ({"label_logprobs": [-1], "labels": ["1"]}, "label_logprobs should be an object"),
    ({"answer_format": "xml"}, "answer_format should be text, json_schema"),
    ({"item_kind": "sonnet"}, "item_kind should be one of"),
    ({"attempts": "two"}, "attempts should be a whole number"),
    ({"tokens_cached": True}, "tokens_cached should be a whole number"),
    ({"attempts": 2**31}, "attempts should be a whole number below 2147483648"),
]


def test_lines_with_an_impossible_field_are_quarantined(home: Home) -> None:
    bad = [answer_line(number, **row[0]) for number, row in enumerate(IMPOSSIBLE, start=1)]
    write_journal(home, HEADER, *bad, answer_line(9))
    faults = [(changes, None, reason) for changes, reason in IMPOSSIBLE]
    check_rejects(load_journals(home).rejects, faults, first=2, place="line {0}")
    assert query(home, "select request_id from raw.scores") == [("request-9",)]


def test_an_answer_of_an_unknown_kind_is_quarantined_by_name(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1), answer_line(2, item_kind="song"))
    report = load_journals(home)
    assert report.tables["scores"].new == 1
    (reject,) = report.rejects
    assert "item_kind should be one of" in reject.reason
    assert "found 'song'" in reject.reason
