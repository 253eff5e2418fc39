"""Reading large journals in two processes: as one reads them, and no process outlives a load."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from inference.journal import FILE_NAME, SCHEMA_VERSION
from ingestion.answers import journal_blocks
from ingestion.answers.batches import batch_of
from ingestion.answers.journal_blocks import read_blocks
from ingestion.answers.journal_lines import JournalContent, read_journal_file
from ingestion.journals import load_journals
from tests.ingestion.ingestion_files import query
from tests.ingestion.journal_lines import END, HEADER, RUN, answer_line, failed_line
from warehouse.home import Home

LABEL = "journal/run/responses.jsonl"
PROBABILITIES = {"labels": ["1", "2"], "label_logprobs": {"1": -0.5, "2": -1.5}}
FAILED_PAIRS = {
    "item_kind": "answer",
    "metric": "perplexity",
    "status": "error",
    "error": "no room",
}


def _line(line: dict[str, Any], version: int = SCHEMA_VERSION) -> bytes:
    return json.dumps({"schema_version": version, **line}).encode() + b"\n"


def _made_up(seed: int) -> bytes:
    """A journal with answers and much else, in an order that depends on the seed."""
    drawn = random.Random(seed)
    others = [
        _line(HEADER),
        _line(HEADER | {"code_version": "0.2.0", "started_at": "no time"}),
        _line(HEADER | {"planned": "three"}),
        _line(END),
        _line(END | {"ended_at": None}),
        b"{damaged\n",
        b"\xff\x00\n",
        b"\n",
        _line({"kind": "something else"}),
        _line(answer_line(1, scale_min="1")),
        _line(answer_line(2, outcome="winner")),
        _line(answer_line(3, response="half of a pair: \ud800")),
        _line(answer_line(4, reused_from="another", note=[1, {"a": None}])),
        _line(answer_line(5, **FAILED_PAIRS)),
        _line(answer_line(5, **FAILED_PAIRS) | {"error": "still none"}),
        _line(failed_line(6)),
    ]
    lines = [
        drawn.choice(others)
        if drawn.random() < 0.2
        else _line(answer_line(n % 50, response=f"<score>{n % 7}</score>", **PROBABILITIES))
        for n in range(200)
    ]
    if drawn.random() < 0.3:
        lines[drawn.randrange(len(lines))] = _line(answer_line(7), SCHEMA_VERSION + 1)
    # A torn last line, or none.
    return b"".join(lines) + _line(answer_line(8))[: drawn.choice((0, 40))]


def _whole(path: Path) -> tuple[JournalContent, dict[str, pa.Table], list[Any]]:
    """All that a journal's blocks hold, put together."""
    content, batches, failed = JournalContent(), {}, []
    for block in read_blocks(path, LABEL, content):
        failed += block.failed
        for table, batch in block.batches.items():
            batches.setdefault(table, []).append(batch)
    tables = {table: pa.Table.from_batches(each) for table, each in batches.items()}
    return content, tables, failed


def _line_by_line(path: Path) -> tuple[JournalContent, dict[str, pa.Table], list[Any]]:
    content, rows, failed = JournalContent(), {}, []
    for made in read_journal_file(path, LABEL, content):
        for row in made.rows:
            if row.failure is not None:
                failed.append((made.table, row))
                continue
            rows.setdefault(made.table, []).append(row.row)
            for part, those in row.parts.items():
                rows.setdefault(part, []).extend(those)
    tables = {table: pa.Table.from_batches([batch_of(table, each)]) for table, each in rows.items()}
    return content, tables, failed


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Small journals are read in two processes, the second of which is waited for.

    Returns:
        The process id of the second for each block that it was given.
    """
    monkeypatch.setattr(journal_blocks, "TWO_PROCESSES_FROM", 0)
    monkeypatch.setattr(journal_blocks, "BLOCK_BYTES", 1 << 11)
    # Small blocks fit the pipe many times over; of these it is given two at a time.
    monkeypatch.setattr(journal_blocks, "_AHEAD_BYTES", 1 << 12)
    second = journal_blocks._SecondProcess
    give, found = second.give, []

    def waiting(self: Any, block: Any) -> bool:
        if not self._is_ready:
            self._contents.poll(60)
        is_given = give(self, block)
        if is_given:
            found.append(self._process.pid)
        return is_given

    monkeypatch.setattr(second, "give", waiting)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_two_processes_read_a_journal_as_one_does(
    seed: int, given: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(_made_up(seed))
    expected = _line_by_line(path)
    assert _whole(path) == expected
    assert given
    monkeypatch.setattr(journal_blocks, "TWO_PROCESSES_FROM", 1 << 30)
    assert _whole(path) == expected


def test_a_journal_read_in_two_processes_is_loaded_as_by_one(
    new_home: Any, given: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name, size in (("two", 0), ("one", 1 << 30)):
        monkeypatch.setattr(journal_blocks, "TWO_PROCESSES_FROM", size)
        home = new_home(tmp_path / name)
        folder = home.journal / RUN
        folder.mkdir(parents=True)
        (folder / FILE_NAME).write_bytes(_line(HEADER) + _made_up(0) + b"\n" + _line(HEADER))
        report = load_journals(home)
        rows = [
            query(home, f"from raw.{each} select * exclude (_loaded_at)")
            for each in ("runs", "scores", "label_probabilities")
        ]
        found.append((report.tables, report.rejects, rows))
    assert given
    assert found[0] == found[1]
    assert found[0][0]["scores"].new > 40


@pytest.mark.parametrize("after", [1, 5])
def test_blocks_of_a_process_that_is_killed_are_read_here(
    after: int, given: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give = journal_blocks._SecondProcess.give

    def killed(self: Any, block: Any) -> bool:
        is_given = give(self, block)
        if len(given) == after and self._process is not None:
            os.kill(given[0], signal.SIGKILL)
        return is_given

    monkeypatch.setattr(journal_blocks._SecondProcess, "give", killed)
    path = tmp_path / FILE_NAME
    path.write_bytes(_made_up(0))
    assert _whole(path) == _line_by_line(path)
    assert _is_gone(given[0])


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_without_a_second_process_all_is_read_here(
    program: str, given: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    path = tmp_path / FILE_NAME
    path.write_bytes(_made_up(0))
    assert _whole(path) == _line_by_line(path)
    assert not given


def test_no_process_outlives_a_load_that_is_interrupted(
    home: Home, given: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Any, reject: object, label: str) -> None:
        if given:
            raise KeyboardInterrupt

    monkeypatch.setattr(JournalContent, "take", interrupted)
    folder = home.journal / RUN
    folder.mkdir(parents=True)
    (folder / FILE_NAME).write_bytes(_made_up(0))
    with pytest.raises(KeyboardInterrupt) as error:
        load_journals(home)
    # Also while the error is held, and with it the frames that it came through.
    assert error.tb is not None
    assert _is_gone(given[0])


def test_the_second_process_ends_when_the_first_is_killed(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(_made_up(0))
    code = (
        "import sys, time; from pathlib import Path; from ingestion.answers import journal_blocks\n"
        f"file = open({str(path)!r}, 'rb')\n"
        f"second = journal_blocks._SecondProcess(file, Path('x'), 'x')\n"
        "second._contents.poll(60)\n"
        "print(second._process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    first = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    with first:
        assert first.stdout is not None
        second = int(first.stdout.readline())
        assert not _is_gone(second, patience_s=0)
        first.kill()
    assert _is_gone(second)


def test_blocks_are_cut_at_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_blocks, "BLOCK_BYTES", 5)
    path = tmp_path / FILE_NAME
    path.write_bytes(b"ab\ncdef\n\n\n123456789\nxy")
    with path.open("rb") as file:
        found = [(data, block.place, block.first) for block, data in journal_blocks._blocks(file)]
    assert found == [(b"ab\ncdef\n", 0, 1), (b"\n\n123456789\n", 8, 3), (b"xy", 20, 6)]


def test_what_is_held_behind_an_unanswered_block_is_limited(
    given: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = 1 << 13
    monkeypatch.setattr(journal_blocks, "_FAR_BYTES", far)
    # It has always just not answered yet.
    monkeypatch.setattr(journal_blocks._SecondProcess, "has_answered", lambda _: False)
    path = tmp_path / FILE_NAME
    path.write_bytes(b"".join(_line(answer_line(n)) for n in range(500)))
    cut, yielded = [], 0
    blocks = journal_blocks._blocks

    def counted(file: Any) -> Iterator[Any]:
        for block, data in blocks(file):
            cut.append(block.size)
            yield block, data

    monkeypatch.setattr(journal_blocks, "_blocks", counted)
    held = 0
    for _ in read_blocks(path, LABEL, JournalContent()):
        held = max(held, sum(cut[yielded:]))
        yielded += 1
    assert given
    assert yielded == len(cut)
    assert far < held < far + 3 * max(cut)


def _is_gone(process: int, patience_s: float = 10) -> bool:
    until = time.monotonic() + patience_s
    while True:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
