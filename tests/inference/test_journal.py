import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inference.errors import JournalCorrupt, JournalWriteFailed, RunBusy
from inference.journal import FILE_NAME, Journal, read_header, read_journal


def answer(number: int) -> dict[str, object]:
    return {"kind": "answer", "request_id": f"r{number}", "response": "<score>4</score> é \u2028"}


def test_lines_come_back_in_order_with_schema_version_and_kind(tmp_path: Path) -> None:
    async def write() -> None:
        with Journal.open(tmp_path / "run") as journal:
            journal.append_now({"kind": "run", "run_id": "run"})
            for number in range(5):
                await journal.append(answer(number))

    asyncio.run(write())
    lines = list(read_journal(tmp_path / "run" / FILE_NAME))
    assert [line["kind"] for line in lines] == ["run"] + ["answer"] * 5
    assert all(line["schema_version"] == 1 for line in lines)
    assert lines[3] == {"schema_version": 1, **answer(2)}


def test_a_line_is_synced_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (real(file), events.append("fsync"))[0])

    async def write() -> None:
        with Journal.open(tmp_path / "run") as journal:
            events.clear()
            await journal.append(answer(1))
            events.append("acknowledged")

    asyncio.run(write())
    assert events == ["fsync", "acknowledged"]


def test_waiting_lines_share_few_fsyncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    real = os.fsync

    def counted(file: int) -> None:
        nonlocal count
        count += 1
        real(file)

    async def write() -> None:
        nonlocal count
        with Journal.open(tmp_path / "run") as journal:
            monkeypatch.setattr(os, "fsync", counted)
            await asyncio.gather(*(journal.append(answer(number)) for number in range(500)))

    asyncio.run(write())
    assert 1 <= count <= 5
    ids = [line["request_id"] for line in read_journal(tmp_path / "run" / FILE_NAME)]
    assert ids == [f"r{number}" for number in range(500)]


@pytest.mark.parametrize("ends", ["appended", "closed"])
def test_lines_whose_thread_begins_late_come_before_the_end_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    real = asyncio.to_thread

    async def write() -> None:
        taken, is_over = asyncio.Event(), asyncio.Event()

        async def late(*call: Any) -> Any:
            taken.set()
            await is_over.wait()
            return await real(*call)

        monkeypatch.setattr(asyncio, "to_thread", late)
        with Journal.open(tmp_path / "run") as journal:
            appending = asyncio.create_task(journal.append(answer(1)))
            await taken.wait()
            if ends == "appended":
                journal.append_now({"kind": "end"})
        is_over.set()
        if ends == "closed":
            with pytest.raises(JournalWriteFailed, match="was closed before"):
                await appending
        else:
            await appending

    asyncio.run(write())
    kinds = [line["kind"] for line in read_journal(tmp_path / "run" / FILE_NAME)]
    assert kinds == (["answer", "end"] if ends == "appended" else [])


def test_a_torn_last_line_is_left_out_and_cut_off_on_reopening(tmp_path: Path) -> None:
    path = tmp_path / "run" / FILE_NAME
    with Journal.open(tmp_path / "run") as journal:
        journal.append_now(answer(1))
        journal.append_now(answer(2))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        kept = whole[: whole[:length].rfind(b"\n") + 1]
        assert len(list(read_journal(path))) == kept.count(b"\n")
        with Journal.open(tmp_path / "run") as journal:
            journal.append_now(answer(3))
        assert path.read_bytes().startswith(kept)
        lines = list(read_journal(path))
        assert [line["kind"] for line in lines] == ["answer"] * (kept.count(b"\n") + 1)
        assert lines[-1]["request_id"] == "r3"


def test_a_torn_line_longer_than_a_block_is_cut_off_whole(tmp_path: Path) -> None:
    path = tmp_path / "run" / FILE_NAME
    with Journal.open(tmp_path / "run") as journal:
        journal.append_now(answer(1))
    good = path.read_bytes()
    path.write_bytes(good + b"x" * 300_000)
    Journal.open(tmp_path / "run").close()
    assert path.read_bytes() == good


@pytest.mark.parametrize(
    "damage",
    [
        b"{not json",
        b"\x00\x00\x00",
        b"[1, 2]",
        b'{"kind": "answer"}',
        b'{"schema_version": 1}',
        b"\xff\xfe",
        b"",
        b"[" * 100_000,
    ],
)
def test_a_damaged_middle_line_is_reported_with_its_number(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "run" / FILE_NAME
    with Journal.open(tmp_path / "run") as journal:
        journal.append_now({"kind": "run"})
    path.write_bytes(path.read_bytes() + damage + b"\n")
    with Journal.open(tmp_path / "run") as journal:
        journal.append_now(answer(1))
    lines = list(read_journal(path))
    assert [line["kind"] for line in lines] == ["run", "corrupt", "answer"]
    assert lines[1] == {"kind": "corrupt", "line": 2, "text": damage.decode("utf-8", "replace")}


def test_a_journal_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "run" / FILE_NAME
    path.parent.mkdir()
    path.write_text(json.dumps({"schema_version": 99, "kind": "run"}) + "\n")
    with pytest.raises(JournalCorrupt, match="schema version 99"):
        Journal.open(tmp_path / "run")
    with pytest.raises(JournalCorrupt):
        list(read_journal(path))
    assert path.read_text().count("\n") == 1


def test_the_header_is_the_first_run_line(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "run") as journal:
        assert read_header(journal.path) is None
        journal.append_now({"kind": "run", "planned": 1})
        journal.append_now({"kind": "run", "planned": 2})
    header = read_header(tmp_path / "run" / FILE_NAME)
    assert header is not None
    assert header["planned"] == 1


def test_a_second_writer_is_refused_and_told_which_process_writes(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from inference.journal import Journal\n"
        "Journal.open(Path(sys.argv[1])); print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "run")], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(RunBusy, match=f"process {child.pid}"):
            Journal.open(tmp_path / "run")
        child.send_signal(signal.SIGKILL)
        child.wait()
    # The kernel frees a dead writer's lock.
    Journal.open(tmp_path / "run").close()


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_full_disk_is_a_clear_error_and_harms_no_acknowledged_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    real_write = os.write

    def full(file: int, data: bytes = b"") -> int:
        if call == "write" and len(data) > 40:
            return real_write(file, bytes(data)[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    async def write() -> None:
        with Journal.open(tmp_path / "run") as journal:
            await journal.append(answer(1))
            with monkeypatch.context() as patch:
                patch.setattr(os, call, full)
                results = await asyncio.gather(
                    *(journal.append(answer(number)) for number in (2, 3)), return_exceptions=True
                )
            assert all(isinstance(result, JournalWriteFailed) for result in results)
            assert "No space left" in str(results[0])
            # After a failed write nothing more is taken: nobody knows what the disk holds.
            with pytest.raises(JournalWriteFailed):
                await journal.append(answer(4))

    asyncio.run(write())
    with Journal.open(tmp_path / "run") as journal:
        journal.append_now(answer(5))
    ids = [line["request_id"] for line in read_journal(tmp_path / "run" / FILE_NAME)]
    assert ids == ["r1", "r5"]


def test_kill_9_at_any_moment_keeps_every_acknowledged_line(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from inference.journal import Journal\n"
        "async def one(journal, n):\n"
        "    await journal.append({'kind': 'answer', 'n': n, 'response': 'x' * 3000})\n"
        "    print(n, flush=True)\n"
        "async def main():\n"
        "    journal = Journal.open(Path(sys.argv[1]))\n"
        "    for start in range(0, 10**6, 20):\n"
        "        await asyncio.gather(*(one(journal, n) for n in range(start, start + 20)))\n"
        "asyncio.run(main())"
    )
    for attempt, wait in enumerate((0.05, 0.15, 0.3)):
        folder = tmp_path / f"run{attempt}"
        with subprocess.Popen(
            [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            told = [int(child.stdout.readline())]
            time.sleep(wait)
            child.send_signal(signal.SIGKILL)
            told += [int(line) for line in child.stdout.read().splitlines() if line.strip()]
        Journal.open(folder).close()
        lines = list(read_journal(folder / FILE_NAME))
        assert all(line["kind"] == "answer" for line in lines)
        assert set(told) <= {line["n"] for line in lines}
