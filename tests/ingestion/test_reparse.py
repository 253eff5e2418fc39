"""Stored replies read again: what a better parser reads, and nothing else, changes."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inference.kinds.debates
import inference.kinds.speeches
import ingestion.journals
from inference.parsing import PARSER_VERSION, ParsedLabel, ParsedScore
from ingestion.imports import import_file
from ingestion.journals import load_journals
from ingestion.raw_tables import change_rows
from ingestion.reparse import Change, reparse
from tests.ingestion.ingestion_files import one, query, raw_content, unchanged, write_jsonl
from tests.ingestion.journal_lines import HEADER, answer_line, failed_line, write_journal
from warehouse.home import PROJECT_ROOT, Home
from warehouse.raw import append_rows
from warehouse.writer import open_writer

JUDGE = "openai/gpt-test"


def worse_score(*args: Any, **kwargs: Any) -> ParsedScore:
    """Reads nothing but a 4 that stands alone, and takes a 5 for a 1."""
    if args[0] == "<score>4</score>":
        return ParsedScore(4.0, "parsed", None)
    if args[0] == "<score>5</score>":
        return ParsedScore(1.0, "parsed", None)
    return ParsedScore(None, "unparsed", "no_score_tag")


@pytest.fixture
def badly_read(loaded: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Home:
    """A home whose journal and imports a worse parser has read."""
    write_journal(
        loaded,
        HEADER,
        answer_line(1),
        answer_line(2, response="<score>5</score>"),
        answer_line(3, response="<score>**3**</score>"),
        answer_line(4, response="I decline", finish_reason="refusal"),
        answer_line(5, response='{"score": 2}', answer_format="json_schema"),
        failed_line(6),
    )
    rows = [
        {"item": "speeches:s-1", "judge": "acme/read", "response": "<score>[2]</score>"},
        {"item": "speeches:s-1", "judge": "acme/given", "value": 3, "response": "<score>5</score>"},
    ]
    with monkeypatch.context() as patch:
        patch.setattr(inference.kinds.speeches, "read_score", worse_score)
        patch.setattr(ingestion.journals, "PARSER_VERSION", PARSER_VERSION - 1)
        load_journals(loaded)
        import_file(loaded, write_jsonl(tmp_path / "scores.jsonl", rows))
    return loaded


def read(home: Home) -> list[tuple[Any, ...]]:
    return query(
        home,
        "select judge_id, coalesce(response, ''), value, parse_status, parse_reason "
        "from raw.scores order by 1, request_id",
    )


def test_what_the_present_parser_reads_differently_changes_and_what_was_supplied_stays(
    badly_read: Home,
) -> None:
    loads = one(badly_read, "select max(load_id) from raw.loads")
    report = reparse(badly_read)
    assert read(badly_read) == [
        ("acme/given", "<score>5</score>", 3.0, "supplied", None),
        ("acme/read", "<score>[2]</score>", 2.0, "parsed", None),
        (JUDGE, "<score>4</score>", 4.0, "parsed", None),
        (JUDGE, "<score>5</score>", 5.0, "parsed", None),
        (JUDGE, "<score>**3**</score>", 3.0, "parsed", None),
        (JUDGE, "I decline", None, "unparsed", "refused"),
        (JUDGE, '{"score": 2}', 2.0, "parsed", None),
        (JUDGE, "", None, "not_answered", None),
    ]
    assert (report.read, report.changed, report.skipped, report.runs) == (6, 5, 0, 1)
    assert set(report.changes) == {
        Change("acme/read", "imported", "unparsed: no_score_tag", "2", 1),
        Change(JUDGE, "speech_score", "1", "5", 1),
        Change(JUDGE, "speech_score", "unparsed: no_score_tag", "3", 1),
        Change(JUDGE, "speech_score", "unparsed: no_score_tag", "unparsed: refused", 1),
        Change(JUDGE, "speech_score", "unparsed: no_score_tag", "2", 1),
    }
    assert query(
        badly_read,
        "select load_id, kind, rows_updated from raw.loads order by load_id desc limit 1",
    ) == [(loads + 1, "reparse", 6)]
    assert query(badly_read, "select distinct parser_version from raw.runs") == [
        (str(PARSER_VERSION),)
    ]


def test_reading_twice_changes_nothing(badly_read: Home) -> None:
    reparse(badly_read)
    with unchanged(badly_read):
        report = reparse(badly_read)
        assert (report.load_id, report.changed, report.runs) == (None, 0, 0)
    assert load_journals(badly_read).load_id is None


def test_a_dry_run_says_the_same_and_writes_nothing(badly_read: Home) -> None:
    before, file = raw_content(badly_read), badly_read.build_db.read_bytes()
    dry = reparse(badly_read, is_dry=True)
    assert raw_content(badly_read) == before
    assert badly_read.build_db.read_bytes() == file
    assert dry.load_id is None
    assert dry.changes == reparse(badly_read).changes


def test_the_later_load_still_counts_after_an_earlier_answer_was_read_again(
    badly_read: Home,
) -> None:
    times = "select run_id, request_id, _loaded_at, _source_file from raw.scores order by all"
    before = query(badly_read, times)
    reparse(badly_read)
    assert query(badly_read, times) == before


def test_a_scale_that_nobody_knows_leaves_an_answer_as_it_is(badly_read: Home) -> None:
    write_journal(
        badly_read, {**HEADER, "run_id": "other"}, answer_line(1, dimension="gone"), run_id="other"
    )
    load_journals(badly_read, ["other"])
    assert reparse(badly_read).skipped == 1


def test_verdicts_are_read_with_their_labels_and_outcome(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_writer(home, "test") as connection:
        append_rows(
            connection,
            "debates",
            "select 'judgebench:1' as debate_id, 'judgebench' as dataset_id, 'Trees' as motion, "
            "'debate' as format, 'test' as _source_file, now() as _loaded_at",
        )
    labels = {"pro_label": "A", "con_label": "B", "outcome": "loser"}
    rows = [
        {"item": "judgebench:1", "judge": "acme/a", "response": "Con"},
        {"item": "judgebench:1", "judge": "acme/b", "response": "A", **labels},
        {"item": "judgebench:1", "judge": "acme/c", "winner": "pro", "response": "con"},
    ]

    def nothing(*_: Any) -> ParsedLabel:
        return ParsedLabel(None, "unparsed", "not_json")

    with monkeypatch.context() as patch:
        patch.setattr(inference.kinds.debates, "read_verdict", nothing)
        import_file(home, write_jsonl(tmp_path / "verdicts.jsonl", rows), wanted_format="verdicts")
    report = reparse(home)
    assert query(home, "select judge_id, winner, parse_status from raw.verdicts order by 1") == [
        ("acme/a", "con", "parsed"),
        ("acme/b", "con", "parsed"),
        ("acme/c", "pro", "supplied"),
    ]
    assert report.changed == 2


def test_what_the_files_own_program_could_not_read_stays(badly_read: Home) -> None:
    with open_writer(badly_read, "test") as connection:
        change_rows(
            connection,
            "scores",
            {"value": "null", "parse_status": "'unparsed'", "parse_reason": "'unread_at_source'"},
            "where judge_id = 'acme/read'",
        )
    reparse(badly_read)
    assert (
        one(badly_read, "select parse_reason from raw.scores where judge_id = 'acme/read'")
        == "unread_at_source"
    )


_KILLED = """
import os, signal, sys
from pathlib import Path
import ingestion.reparse
from warehouse.home import Home

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

ingestion.reparse.record_load = die
ingestion.reparse.reparse(Home(Path(sys.argv[1])))
"""


def test_a_killed_reparse_leaves_the_old_state_and_the_next_one_is_whole(
    badly_read: Home, tmp_path: Path
) -> None:
    # No process but the one that is killed has it open.
    home = Home(shutil.copytree(badly_read.root, tmp_path / "closed"))
    with unchanged(home):
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, str(home.root)],
            cwd=PROJECT_ROOT,
            env=os.environ,
            check=False,
            timeout=60,
        )
        assert done.returncode == -signal.SIGKILL
    assert reparse(home).changed == 5
