"""Files that are whole and on disk, or not there at all."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from warehouse.files import replacing, sha256_bytes, sha256_file, write_atomically


def test_a_file_is_written_whole_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"content")
    assert path.read_bytes() == b"content"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_when_writing_fails_the_old_bytes_stay_and_no_part_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("as the test wants it")

    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="as the test wants it"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_threads_that_make_one_file_do_not_write_into_each_others_part(tmp_path: Path) -> None:
    path, both = tmp_path / "file", Barrier(2)

    def make(content: bytes) -> tuple[bytes, bytes]:
        with replacing(path) as temporary:
            temporary.write_bytes(content)
            both.wait(timeout=10)
            kept = temporary.read_bytes()
            both.wait(timeout=10)
        return content, kept

    with ThreadPoolExecutor() as threads:
        made = list(threads.map(make, [b"one", b"other"]))
    assert made == [(b"one", b"one"), (b"other", b"other")]
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() in (b"one", b"other")


def test_the_bytes_are_on_disk_before_the_name_is_and_the_name_before_returning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        steps.append("fsync folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "fsync file")
        real_fsync(handle)

    def replace(*names: Any) -> None:
        steps.append("rename")
        real_replace(*names)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomically(tmp_path / "file", b"x")
    assert len(steps) == 3
    assert steps[1] == "rename"
    if os.path.isdir("/proc/self/fd"):
        assert steps == ["fsync file", "rename", "fsync folder"]


def test_hashes_are_sha256_in_hexadecimal(tmp_path: Path) -> None:
    content = b"x" * 3_000_000
    (tmp_path / "file").write_bytes(content)
    expected = hashlib.sha256(content).hexdigest()
    assert sha256_bytes(content) == expected
    assert sha256_file(tmp_path / "file") == expected
