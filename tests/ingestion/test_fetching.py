"""Files named by an address: fetched when asked for, whole or not at all."""

import io
import json
import zipfile
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.ingest import ingest
from ingestion.registry import sources
from tests.http_stub import Answer, serve
from tests.ingestion.debate_files import convokit_folder, ddo_debate, iq2_debate
from tests.ingestion.ingestion_files import is_empty, one
from warehouse.home import Home


def _serve(
    content: bytes, *, status: int = 200, promised: int | None = None
) -> AbstractContextManager[str]:
    def answer(request: BaseHTTPRequestHandler) -> Answer:
        if request.path.startswith("/moved"):
            return 302, {"Location": "/debates.json"}, b""
        return status, {"Content-Length": str(promised or len(content))}, content

    return serve(answer)


def _manifests(home: Home) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in home.landing.glob("*/manifest.json")]


def test_a_file_is_fetched_landed_and_read(home: Home) -> None:
    content = json.dumps({"a": ddo_debate()}).encode()
    with _serve(content) as address:
        report = ingest(home, "ddo", f"{address}/moved/debates.json")
    assert report.tables["debates"].new == 1
    (manifest,) = _manifests(home)
    assert manifest["origin"] == f"{address}/moved/debates.json"
    assert manifest["bytes"] == len(content)
    assert one(home, "select count(*) from raw.speeches") == 6


def test_the_convokit_corpus_is_fetched_by_its_name(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = convokit_folder(tmp_path / "corpus", {"a": iq2_debate()})
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for each in folder.iterdir():
            archive.write(each, f"iq2-corpus/{each.name}")
    with _serve(sink.getvalue()) as address:
        addresses: Any = sources()["iq2"].addresses
        monkeypatch.setitem(addresses, "convokit", f"{address}/iq2_corpus.zip")
        report = ingest(home, "iq2", "convokit")
    assert report.tables["speeches"].new == 8


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"content": b'{"a": ', "promised": 5000}, "could not be fetched whole"),
        ({"content": b"no", "status": 404}, r"debates\.json answered 404; check the address"),
    ],
)
def test_a_transfer_that_fails_loads_nothing(
    home: Home, answer: dict[str, Any], message: str
) -> None:
    with _serve(**answer) as address, pytest.raises(SourceUnreadable, match=message):
        ingest(home, "ddo", f"{address}/debates.json")
    assert list(home.landing.iterdir()) == []
    assert is_empty(home)


def test_an_address_nobody_answers_says_so(home: Home) -> None:
    with _serve(b"") as address:
        pass
    with pytest.raises(SourceUnreadable, match="could not be fetched whole"):
        ingest(home, "ddo", f"{address}/debates.json")


def test_a_damaged_archive_says_so(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "debates.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("debates.json", json.dumps({"a": ddo_debate()}))
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(SourceUnreadable, match="damaged archive"):
        ingest(home, "ddo", path)
    assert is_empty(home)
