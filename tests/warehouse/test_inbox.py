"""Files handed in through the inbox."""

import os
from pathlib import Path
from typing import Any

import pytest

from warehouse.errors import InboxRefused
from warehouse.home import Home
from warehouse.inbox import drop


def test_a_file_is_whole_in_the_inbox_and_nothing_else_is(tmp_path: Path) -> None:
    path = drop(Home(tmp_path), "verification-a-1.json", b"{}")
    assert path == tmp_path / "inbox" / "verification-a-1.json"
    assert path.read_bytes() == b"{}"
    assert list((tmp_path / "inbox").iterdir()) == [path]


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../up.json",
        "a/b.json",
        "a\\b.json",
        ".hidden.json",
        "a\n.json",
        "a\x00.json",
        "x" * 201,
        "-rf.json",
    ],
)
def test_a_name_that_leaves_the_folder_or_hides_in_it_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InboxRefused, match="cannot be a file's name"):
        drop(Home(tmp_path), name, b"{}")
    assert not (tmp_path / "inbox").exists()


def test_what_still_waits_is_not_written_over(tmp_path: Path) -> None:
    path = drop(Home(tmp_path), "a.json", b"first")
    assert drop(Home(tmp_path), "a.json", b"first") == path
    with pytest.raises(InboxRefused, match="still waits"):
        drop(Home(tmp_path), "a.json", b"second")
    assert path.read_bytes() == b"first"


def test_when_writing_fails_nothing_is_there_to_be_picked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("as the test wants it")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="as the test wants it"):
        drop(Home(tmp_path), "a.json", b"{}")
    assert list((tmp_path / "inbox").iterdir()) == []
