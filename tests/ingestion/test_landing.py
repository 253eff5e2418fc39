"""The landing: whole copies named by their content, and a manifest that says where from."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import NoSpace, SourceUnreadable
from ingestion.landing import Landed, land
from warehouse.home import Home


def _land(home: Home, path: Path) -> Landed:
    return land(home, path, source="speeches", licence="CC0", origin="here")


def test_a_landed_file_has_the_same_bytes_under_their_hash(home: Home, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b"id\r\n\xff\x00" * 300_000)
    landed = _land(home, source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert landed.path == home.landing / digest / "a.csv"
    assert landed.path.read_bytes() == source.read_bytes()
    assert landed.label == f"landing/{digest}/a.csv"


def test_the_manifest_says_what_it_is_and_where_it_came_from(home: Home, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b"x")
    landed = _land(home, source)
    manifest = json.loads((landed.path.parent / "manifest.json").read_text())
    assert manifest.pop("fetched_at") == landed.fetched_at
    assert manifest == {
        "schema_version": 1,
        "name": "a.csv",
        "source": "speeches",
        "licence": "CC0",
        "sha256": hashlib.sha256(b"x").hexdigest(),
        "bytes": 1,
        "origin": "here",
    }


def test_landing_the_same_bytes_again_changes_nothing(home: Home, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(b"same")
    first = _land(home, tmp_path / "a.csv")
    stamp = (
        first.path.stat().st_mtime_ns,
        (first.path.parent / "manifest.json").stat().st_mtime_ns,
    )
    second = _land(home, tmp_path / "b.csv")
    assert second.path == first.path
    assert second.shown.endswith("b.csv")
    assert stamp == (
        first.path.stat().st_mtime_ns,
        (first.path.parent / "manifest.json").stat().st_mtime_ns,
    )
    assert [path.name for path in home.landing.iterdir()] == [first.sha256]


def test_a_landing_cut_short_before_its_manifest_is_completed(home: Home, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b"x")
    first = _land(home, source)
    (first.path.parent / "manifest.json").unlink()
    assert _land(home, source).path == first.path
    assert (first.path.parent / "manifest.json").is_file()


def test_what_a_killed_copy_left_behind_is_removed(home: Home, tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = home.landing / f".{dead.pid}-0a1b2c3d.part"
    left.write_bytes(b"half")
    alive = home.landing / f".{os.getpid()}-0a1b2c3d.part"
    alive.write_bytes(b"another thread's")
    source = tmp_path / "a.csv"
    source.write_bytes(b"x")
    _land(home, source)
    assert not left.exists()
    assert alive.exists()


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_a_path_that_is_no_file_is_named(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceUnreadable, match=str(tmp_path)):
        _land(home, tmp_path / name)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_no_part_and_says_so(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    source = tmp_path / "a.csv"
    source.write_bytes(b"x")
    with monkeypatch.context() as patched:
        patched.setattr(os, failing, full)
        with pytest.raises(NoSpace, match=r"full while copying .*a\.csv; free some space"):
            _land(home, source)
    assert not [path for path in home.landing.rglob("*") if path.is_file()]
    assert _land(home, source).path.is_file()
