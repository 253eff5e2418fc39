"""Fetching from the hub: pinned, landed, and clear about everything that can be in the way."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.ingest import ingest
from tests.ingestion.hub_stub import REVISION, serve_hub
from tests.ingestion.ingestion_files import ibm_speech, one, speeches, write_csv, write_parquet
from warehouse.home import Home

NOYSTL = "noystl/speech-quality-dataset"
IBM = "ibm-research/debate_speeches"


@pytest.fixture
def released(tmp_path: Path) -> bytes:
    return write_csv(tmp_path / "made.csv", speeches(4)).read_bytes()


def _manifest(home: Home) -> dict[str, object]:
    (path,) = home.landing.glob("*/manifest.json")
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_the_released_csv_loads_from_the_hub_at_a_pinned_revision(
    home: Home, released: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"README.md": b"# a", "data.csv": released}
    with serve_hub(NOYSTL, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        report = ingest(home, "speeches", f"hf://datasets/{NOYSTL}")
    assert report.tables["speeches"].new == 4
    assert one(home, "select dataset_id from raw.datasets") == "speeches"
    assert _manifest(home)["origin"] == f"hf://datasets/{NOYSTL}@{REVISION}/data.csv"
    assert [path.name for path in home.landing.iterdir()] == [_manifest(home)["sha256"]]
    assert {authorisation for _, _, authorisation in hub.requests} == {None}


def test_a_revision_is_asked_for_and_a_token_sent_when_named(
    home: Home, released: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_canary")
    with serve_hub(NOYSTL, {"data.csv": released}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        ingest(home, "speeches", f"hf://datasets/{NOYSTL}@v1")
    paths = [path for _, path, _ in hub.requests]
    assert f"/api/datasets/{NOYSTL}/revision/v1" in paths
    assert {authorisation for _, _, authorisation in hub.requests} == {"Bearer hf_canary"}
    held = b"".join(path.read_bytes() for path in home.root.rglob("*") if path.is_file())
    assert b"hf_canary" not in held


def test_the_parquet_of_the_parent_data_set_loads_as_its_own(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "opening_speeches/train-00000-of-00001.parquet"
    content = write_parquet(tmp_path / "a.parquet", [ibm_speech(0), ibm_speech(1)]).read_bytes()
    with serve_hub(IBM, {name: content, "other/train-0.parquet": b"x"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        ingest(home, "speeches", f"hf://datasets/{IBM}")
    assert one(home, "select dataset_id from raw.datasets") == "speeches-ibm"
    assert one(home, "select count(*) from raw.human_ratings") == 12
    assert _manifest(home)["licence"] == "CDLA-Permissive-2.0"


def test_a_fetch_that_was_killed_leaves_nothing_for_long(
    home: Home, released: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = home.landing / f".hub.{dead.pid}-ab_12.part"
    (left / "data").mkdir(parents=True)
    (left / "data" / "half.csv").write_bytes(b"half")
    with serve_hub(NOYSTL, {"data.csv": released}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        ingest(home, "speeches", f"hf://datasets/{NOYSTL}")
    assert not left.exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"README.md": b"x"}, r"has no file like data\.csv or .*; it has README\.md"),
        ({"a.csv": b"x", "b.csv": b"y"}, r"has 2 files like \*\.csv where one was expected"),
    ],
)
def test_a_data_set_without_the_one_file_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], message: str
) -> None:
    with serve_hub(NOYSTL, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        with pytest.raises(SourceUnreadable, match=message):
            ingest(home, "speeches", f"hf://datasets/{NOYSTL}")
    assert not list(home.landing.iterdir())


def test_an_unknown_revision_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_hub(NOYSTL, {}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        with pytest.raises(SourceUnreadable, match="@v9 was not found: check the name and the rev"):
            ingest(home, "speeches", f"hf://datasets/{NOYSTL}@v9")


@pytest.mark.parametrize("status", [418, 403])
def test_an_answer_that_is_an_error_is_told_with_its_number(
    home: Home, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with serve_hub(NOYSTL, {}, status=status) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        with pytest.raises(SourceUnreadable, match=f"the hub answered {status} for hf://"):
            ingest(home, "speeches", f"hf://datasets/{NOYSTL}")


def test_a_hub_that_cannot_be_reached_says_what_to_do(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with pytest.raises(SourceUnreadable, match=r"cannot be reached .* fetch the file yourself"):
        ingest(home, "speeches", f"hf://datasets/{NOYSTL}")
    assert not list(home.landing.iterdir())


def test_offline_mode_is_respected_and_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(SourceUnreadable, match=r"cannot be reached .* HF_HUB_OFFLINE"):
        ingest(home, "speeches", f"hf://datasets/{NOYSTL}")


@pytest.mark.parametrize(
    "location", ["hf://datasets/somebody/else", "hf://models/a/b", "hf://datasets/x", "hf://"]
)
def test_only_data_sets_of_known_shape_are_fetched(home: Home, location: str) -> None:
    with pytest.raises(UnknownSource, match="expected one of hf://datasets/noystl/"):
        ingest(home, "speeches", location)
