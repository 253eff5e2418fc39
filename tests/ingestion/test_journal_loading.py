"""Loading journals: the last answer of each request, parsed here, and nothing twice."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import ingestion.journals
from inference.journal import SCHEMA_VERSION
from inference.parsing import PARSER_VERSION
from ingestion.answers.imported import SETTINGS_HASH
from ingestion.answers.staging import batch_of
from ingestion.batch import Counts
from ingestion.imports import import_file
from ingestion.journals import load_journals
from tests.ingestion.ingestion_files import (
    check_kept,
    one,
    query,
    row_of,
    speeches,
    unchanged,
    write_csv,
    write_jsonl,
)
from tests.ingestion.journal_lines import (
    END,
    HEADER,
    RUN,
    answer_line,
    failed_line,
    write_journal,
)
from warehouse.home import Home


def test_a_journal_becomes_a_run_its_scores_and_its_judge(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1), answer_line(2), END)
    report = load_journals(home)
    assert report.tables == {"runs": Counts(1), "scores": Counts(2), "judges": Counts(1)}
    run = row_of(home, "runs")
    check_kept(run, {**HEADER, **END, "settings": '{"temperature": 0.01}'})
    assert (run["origin"], run["parser_version"]) == ("run", str(PARSER_VERSION))
    assert run["_source_file"] == f"journal/{RUN}/responses.jsonl"
    score = row_of(home, "scores", "request_id = 'request-1'")
    check_kept(score, HEADER | answer_line(1) | {"settings": None, "source_record": "line 2"})
    assert (score["value"], score["value_released"], score["parse_status"]) == (4, 4, "parsed")
    assert (score["request_status"], score["answer_format"]) == ("answered", "text")
    assert (score["attempts"], score["extra"]) == (None, None)
    judge = row_of(home, "judges")
    check_kept(judge, HEADER | {"settings": judge["settings"]})


def test_replies_are_parsed_on_the_scale_of_their_line(home: Home) -> None:
    write_journal(
        home,
        HEADER,
        answer_line(1, response="<score>8</score>"),
        answer_line(2, response="<score>8</score>", scale_max=10),
        answer_line(3, response="no tag"),
        answer_line(4, response=""),
        answer_line(5, response="<score>**3**</score>"),
        failed_line(6),
    )
    load_journals(home)
    assert query(
        home,
        "select value, value_released, parse_status, parse_reason, request_status, "
        "error_kind from raw.scores order by request_id",
    ) == [
        (None, None, "unparsed", "out_of_range", "answered", None),
        (8.0, None, "parsed", None, "answered", None),
        (None, None, "unparsed", "no_score_tag", "answered", None),
        (None, None, "unparsed", "empty_response", "answered", None),
        (3.0, None, "parsed", None, "answered", None),
        (None, None, "not_answered", None, "error", "timeout"),
    ]
    assert json.loads(one(home, "select extra from raw.scores where error_kind is not null")) == {
        "error": "no answer in 60 s"
    }


def test_the_last_answer_wins_and_an_error_takes_none_away(home: Home) -> None:
    write_journal(
        home,
        HEADER,
        failed_line(1),
        answer_line(1, response="<score>1</score>"),
        answer_line(2, response="<score>1</score>"),
        answer_line(2, response="<score>5</score>"),
        answer_line(3, response="<score>3</score>"),
        failed_line(3),
        failed_line(4),
        failed_line(4, latency_s=9.0),
    )
    load_journals(home)
    assert query(
        home, "select value, request_status, latency_s from raw.scores order by request_id"
    ) == [
        (1.0, "answered", 0.5),
        (5.0, "answered", 0.5),
        (3.0, "answered", 0.5),
        (None, "error", 9.0),
    ]


def test_loading_twice_changes_nothing_and_skips_what_is_unchanged(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_journal(home, HEADER, answer_line(1), END)
    load_journals(home)
    with unchanged(home):
        monkeypatch.setattr(ingestion.journals, "read_journal_file", None)
        report = load_journals(home)
        assert (report.load_id, report.new, list(report.notes)) == (
            None,
            0,
            ["0 journals read, 1 unchanged since they were loaded"],
        )


def test_a_run_that_goes_on_adds_its_new_answers(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1), failed_line(2))
    load_journals(home)
    assert query(home, "select status, ended_at from raw.runs") == [("interrupted", None)]
    later = {**HEADER, "started_at": "2026-01-02T10:00:00+00:00", "planned": 5}
    write_journal(home, later, answer_line(2), answer_line(3), END)
    report = load_journals(home)
    assert report.tables["scores"] == Counts(new=1, updated=1, unchanged=1)
    assert report.load_id == 2
    assert query(home, "select planned, started_at, ended_at, status from raw.runs") == [
        (5, datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 10, 5), "complete")
    ]


def test_a_run_started_again_is_not_complete_until_it_ends_again(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1), END, HEADER, answer_line(2))
    load_journals(home)
    assert query(home, "select status, ended_at from raw.runs") == [("interrupted", None)]


def test_a_journal_that_lost_an_answer_takes_it_out_of_raw(home: Home) -> None:
    # A copy from a backup, say: raw follows the journal.
    path = write_journal(home, HEADER, answer_line(1), answer_line(2))
    load_journals(home)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    report = load_journals(home)
    assert report.tables["scores"] == Counts(updated=1, unchanged=1)
    assert report.load_id == 2
    assert query(home, "select request_id from raw.scores") == [("request-1",)]


def test_only_the_runs_asked_for_are_loaded(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1))
    write_journal(home, {**HEADER, "run_id": "other"}, answer_line(1), run_id="other")
    load_journals(home, ["other"])
    assert query(home, "select run_id from raw.runs") == [("other",)]
    load_journals(home)
    assert one(home, "select count(*) from raw.scores") == 2


def test_damaged_lines_are_quarantined_and_the_rest_is_loaded(home: Home) -> None:
    path = write_journal(home, HEADER, answer_line(1))
    with path.open("ab") as journal:
        journal.write(b'{"kind": "answer", "request_\xff\n')
    whole = answer_line(3)
    del whole["item_id"]
    wrong = [
        whole,
        answer_line(4, sample="0"),
        answer_line(5, answered_at="soon"),
        answer_line(6, scale_max=None),
        answer_line(7, response=5),
    ]
    write_journal(home, *wrong, answer_line(2))
    with path.open("ab") as journal:
        journal.write(b'{"kind": "answer", "torn')
    report = load_journals(home)
    assert report.tables["scores"].new == 2
    assert [(reject.record, reject.reason.split(";")[0]) for reject in report.rejects] == [
        ("line 3", "is not a journal line"),
        ("line 4", "is not a whole 'answer' line: lacks 'item_id'"),
        ("line 5", "is not a whole 'answer' line: sample should be a whole number"),
        (
            "line 6",
            "is not a whole 'answer' line: should be a time between 1970 and 2200, "
            "ISO 8601 or seconds since 1970",
        ),
        ("line 7", "is not a whole 'answer' line: scale_max should be a whole number"),
        ("line 8", "is not a whole 'answer' line: response should be text"),
    ]
    assert query(home, "select distinct source, file from raw.quarantine") == [
        ("journals", f"journal/{RUN}/responses.jsonl")
    ]
    with unchanged(home):
        load_journals(home)


@pytest.mark.parametrize(("block_bytes", "most_lines"), [(600, 2), (1_500, 4), (1 << 18, 130)])
def test_a_journal_comes_in_whole_in_blocks_of_bounded_size(
    home: Home, monkeypatch: pytest.MonkeyPatch, block_bytes: int, most_lines: int
) -> None:
    sizes = []

    def counted(table: str, rows: list[Any]) -> Any:
        sizes.append(len(rows))
        return batch_of(table, rows)

    monkeypatch.setattr(ingestion.journals, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(ingestion.journals, "batch_of", counted)
    answers = [answer_line(n, response=f"<score>{1 + n % 5}</score>") for n in range(60)]
    later = [answer_line(n, response="<score>5</score>") for n in range(60) if n % 3 == 0]
    path = write_journal(home, HEADER, *answers, *later, failed_line(1), END)
    damaged = path.read_bytes().replace(b"\n", b"\n{damaged\n", 20)
    path.write_bytes(damaged + b'{"kind": "answer", "torn')
    report = load_journals(home)
    assert max(sizes) <= most_lines
    assert sum(sizes) == len([*answers, *later, failed_line(1)])
    assert [reject.record for reject in report.rejects] == [f"line {n}" for n in range(2, 42, 2)]
    expected = [(f"request-{n}", 5.0 if n % 3 == 0 else 1.0 + n % 5) for n in range(60)]
    found = query(home, "select request_id, value from raw.scores order by request_id")
    assert found == sorted(expected)
    assert query(home, "select status from raw.runs") == [("complete",)]


def test_a_journal_nobody_can_attribute_is_quarantined_and_others_load(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1))
    write_journal(home, answer_line(1), run_id="headless")
    write_journal(home, {**HEADER, "schema_version": SCHEMA_VERSION + 1}, run_id="newer")
    write_journal(home, {**HEADER, "judge_id": "human/x"}, run_id="reserved")
    write_journal(home, {**HEADER, "item_file": True}, run_id="unnamed")
    write_journal(home, run_id="empty")
    report = load_journals(home)
    assert one(home, "select count(*) from raw.runs") == 1
    assert [(r.file.split("/")[1], r.reason.split(";")[0][:60]) for r in report.rejects] == [
        ("headless", "has no 'run' line, so nobody can say which judge answered"),
        ("newer", f"journal: {home.journal}"[:60]),
        ("reserved", "is not a whole 'run' line: judge_id is reserved: sets of jud"),
        ("unnamed", "is not a whole 'run' line: item_file should be text"),
    ]


def test_a_failure_leaves_the_runs_loaded_before_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_journal(home, HEADER, answer_line(1))
    write_journal(home, {**HEADER, "run_id": "z-last"}, answer_line(1), run_id="z-last")
    real = ingestion.journals.record_load

    def fail_on_last(connection: Any, kind: str, source: str, files: Any, *more: Any) -> Any:
        if "z-last" in files[0].label:
            raise RuntimeError("as the test wants it")
        return real(connection, kind, source, files, *more)

    monkeypatch.setattr(ingestion.journals, "record_load", fail_on_last)
    with pytest.raises(RuntimeError):
        load_journals(home)
    assert query(home, "select run_id from raw.scores") == [(RUN,)]
    assert query(home, "select run_id from raw.runs") == [(RUN,)]


def test_a_reply_with_half_a_character_is_kept_as_what_can_be_stored(home: Home) -> None:
    write_journal(home, HEADER, answer_line(1, response="a \ud83d b", error="\ude00"))
    load_journals(home)
    assert one(home, "select response from raw.scores") == "a \ufffd b"


def test_a_run_tells_more_of_a_judge_than_an_import_did(home: Home, tmp_path: Path) -> None:
    from ingestion.ingest import ingest

    ingest(home, "speeches", write_csv(tmp_path / "a.csv", speeches(2)))
    row = {"item": "speeches:s-0", "judge": "openai/gpt-test", "value": 3}
    import_file(home, write_jsonl(tmp_path / "a.jsonl", [row]))
    assert one(home, "select settings_hash from raw.judges") == SETTINGS_HASH
    write_journal(home, HEADER, answer_line(1))
    assert load_journals(home).tables["judges"] == Counts(updated=1)
    assert query(home, "select family, settings_hash from raw.judges") == [
        ("gpt", "feedface00000000")
    ]
