"""The landing: whole copies named by their content, and a manifest that says where from."""

import contextvars
import errno
import gzip
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import NoSpace, SourceUnreadable, TooManyRejected
from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.landing import Landed, kept_if_loaded, land
from ingestion.load import load
from ingestion.sources.containers import MAX_SOURCE_VARIABLE, opener_of
from ingestion.speeches.readers.sample_speeches import sample_batch
from tests.ingestion.ingestion_files import speeches, write_csv
from warehouse.home import Home


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of one byte."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"x")
    return path


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


def test_the_manifest_says_what_it_is_and_where_it_came_from(home: Home, source: Path) -> None:
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


def test_a_landing_cut_short_before_its_manifest_is_completed(home: Home, source: Path) -> None:
    first = _land(home, source)
    (first.path.parent / "manifest.json").unlink()
    assert _land(home, source).path == first.path
    assert (first.path.parent / "manifest.json").is_file()


def test_what_a_killed_copy_left_behind_is_removed(home: Home, source: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = home.landing / f".{dead.pid}-0a1b2c3d.part"
    left.write_bytes(b"half")
    alive = home.landing / f".{os.getpid()}-0a1b2c3d.part"
    alive.write_bytes(b"another thread's")
    _land(home, source)
    assert not left.exists()
    assert alive.exists()


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_a_path_that_is_no_file_is_named(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceUnreadable, match=str(tmp_path)):
        _land(home, tmp_path / name)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_no_part_and_says_so(
    home: Home, source: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, failing, full)
        with pytest.raises(NoSpace, match=r"full while copying .*a\.csv; free some space"):
            _land(home, source)
    assert not [path for path in home.landing.rglob("*") if path.is_file()]
    assert _land(home, source).path.is_file()


def _landed(home: Home) -> list[str]:
    return sorted(path.name for path in home.landing.iterdir()) if home.landing.exists() else []


def test_a_refused_file_leaves_nothing_in_the_landing(home: Home, tmp_path: Path) -> None:
    rows = tmp_path / "speeches.csv"
    rows.write_text("id,topic_id,topic,source,text\n" + "1,,,,\n" * 20)
    with pytest.raises((SourceUnreadable, TooManyRejected)):
        ingest(home, "speeches", rows)
    scores = tmp_path / "scores.jsonl"
    scores.write_text("no json at all\n")
    with pytest.raises(SourceUnreadable):
        import_file(home, scores)
    assert _landed(home) == []


def test_what_was_landed_before_stays_when_the_same_bytes_are_refused(
    home: Home, tmp_path: Path, source: Path
) -> None:
    before = _land(home, source)
    (tmp_path / "b.csv").write_bytes(b"y")

    @kept_if_loaded()
    def refused() -> None:
        for name in ("a.csv", "b.csv"):
            _land(home, tmp_path / name)
        raise SourceUnreadable("refused")

    with pytest.raises(SourceUnreadable, match="refused"):
        refused()
    assert _landed(home) == [before.sha256]
    with kept_if_loaded():
        after = _land(home, tmp_path / "b.csv")
    assert after.path.is_file()


def test_a_refused_file_stays_while_another_loads_the_same_bytes(home: Home, source: Path) -> None:
    lands = (
        "import sys; from pathlib import Path; from ingestion.landing import kept_if_loaded, land;"
        "from warehouse.home import Home\n"
        "with kept_if_loaded():\n"
        "    found = land(Home(Path(sys.argv[1])), Path(sys.argv[2]), source='speeches',"
        " licence='CC0', origin='here')\n"
        "    print('landed', flush=True); sys.stdin.readline()\n"
        "    found.path.read_bytes()\n"
    )
    others = []

    @kept_if_loaded()
    def refused() -> None:
        _land(home, source)
        other = subprocess.Popen(
            [sys.executable, "-c", lands, str(home.root), str(source)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        others.append(other)
        assert other.stdout is not None
        assert other.stdout.readline() == "landed\n"
        raise SourceUnreadable("refused")

    with pytest.raises(SourceUnreadable, match="refused"):
        refused()
    others[0].communicate("go on\n", timeout=60)
    assert others[0].returncode == 0
    assert len(_landed(home)) == 1


def _is_whole_each_time(home: Home, source: Path) -> bool:
    for _ in range(60):
        with suppress(SourceUnreadable), kept_if_loaded():
            if _land(home, source).path.read_bytes() != b"x":
                return False
            raise SourceUnreadable("refused")
    return True


def test_a_file_is_whole_whoever_removes_it_while_it_is_landed(home: Home, source: Path) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        asked = [processes.submit(_is_whole_each_time, home, source) for _ in range(2)]
    assert all(one.result() for one in asked)
    # All were refused: the last of them leaves nothing, however they met.
    assert _landed(home) == []


def test_the_last_of_two_refused_at_once_leaves_nothing_and_one_that_loads_keeps_the_file(
    home: Home, source: Path
) -> None:

    def refuse_while(meanwhile: Callable[[], None]) -> None:
        with suppress(SourceUnreadable), kept_if_loaded():
            _land(home, source)
            # In a context of its own, as in another process.
            contextvars.Context().run(meanwhile)
            raise SourceUnreadable("refused")

    refuse_while(lambda: refuse_while(lambda: None))
    assert _landed(home) == []

    def load() -> None:
        with kept_if_loaded():
            _land(home, source)

    refuse_while(load)
    assert len(_landed(home)) == 1
    refuse_while(lambda: None)
    assert len(_landed(home)) == 1
    (folder,) = home.landing.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "manifest.json"]


def test_what_a_process_left_that_was_killed_before_it_could_decide_stays(
    home: Home, source: Path
) -> None:
    landed = _land(home, source)
    (landed.path.parent / ".unloaded").touch()
    with suppress(SourceUnreadable), kept_if_loaded():
        _land(home, source)
        raise SourceUnreadable("refused")
    assert _landed(home) == [landed.sha256]


def test_what_a_killed_load_landed_goes_with_the_next_load_unless_it_was_loaded(
    home: Home, tmp_path: Path, source: Path
) -> None:
    lands = (
        "import os, sys; from pathlib import Path; from ingestion.landing import kept_if_loaded;"
        "from ingestion.landing import land; from warehouse.home import Home\n"
        "with kept_if_loaded():\n"
        "    land(Home(Path(sys.argv[1])), Path(sys.argv[2]), source='x', licence='x')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", lands, str(home.root), str(source)], check=False)
    assert len(_landed(home)) == 1
    loaded = ingest(home, "speeches", write_csv(tmp_path / "speeches.csv", speeches()))
    assert loaded.load_id is not None
    (kept,) = home.landing.iterdir()
    (kept / ".unloaded").touch()
    with kept_if_loaded():
        waiting = _land(home, source)
        load(home, sample_batch())
        assert sorted(_landed(home)) == sorted([kept.name, waiting.sha256])
    assert not list(home.landing.glob("*/.unloaded"))


def test_a_file_larger_than_the_limit_is_refused_before_a_byte_is_copied(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sparse = tmp_path / "sparse.csv"
    with sparse.open("wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(SourceUnreadable, match=r"5,368,709,120 bytes .* at most 4,294,967,296"):
        _land(home, sparse)
    monkeypatch.setenv(MAX_SOURCE_VARIABLE, "100")
    small = tmp_path / "small.csv"
    small.write_bytes(b"x" * 101)
    with pytest.raises(SourceUnreadable, match=f"set {MAX_SOURCE_VARIABLE} to more"):
        _land(home, small)
    assert _landed(home) == []
    monkeypatch.setenv(MAX_SOURCE_VARIABLE, "101")
    assert _land(home, small).size == 101


@pytest.mark.parametrize("said", ["0", "-1", "4 GiB", "1e9", "\u0661", "9" * 30])
def test_a_limit_that_is_no_number_of_bytes_is_named(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv(MAX_SOURCE_VARIABLE, said)
    (tmp_path / "a").write_bytes(b"x")
    with pytest.raises(SourceUnreadable, match=MAX_SOURCE_VARIABLE):
        _land(home, tmp_path / "a")


def test_a_file_that_the_disk_cannot_hold_is_refused_before_a_byte_is_copied(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("ingestion.landing.shutil.disk_usage", lambda _: usage._replace(free=9))
    monkeypatch.setattr("ingestion.landing._copy", lambda *_: pytest.fail("it was copied"))
    (tmp_path / "a").write_bytes(b"x" * 10)
    with pytest.raises(NoSpace, match="has 10 bytes, and the disk"):
        _land(home, tmp_path / "a")


@pytest.mark.parametrize("kind", ["gzip", "zip"])
def test_unpacking_ends_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv(MAX_SOURCE_VARIABLE, str(2**20))
    path, bomb = tmp_path / "bomb", b" " * 64 * 2**20
    if kind == "gzip":
        path.write_bytes(gzip.compress(bomb, 1))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.json", bomb)
    read: list[int] = []

    def unpack() -> None:
        with opener_of(path, "a.json", "bomb")() as stream:
            read.extend(len(chunk) for chunk in iter(lambda: stream.read(2**16), b""))

    with pytest.raises(SourceUnreadable, match="at most 1,048,576 are read"):
        unpack()
    assert sum(read) <= 2**20


def test_a_gzip_file_that_breaks_off_is_a_named_error(tmp_path: Path) -> None:
    whole = gzip.compress(os.urandom(10_000))
    for content in (whole[:5_000], whole[:5_000] + b"\xff" * 100 + whole[5_100:]):
        path = tmp_path / "a.gz"
        path.write_bytes(content)
        with (
            pytest.raises(SourceUnreadable, match="damaged"),
            opener_of(path, None, "a.gz")() as it,
        ):
            it.read()
