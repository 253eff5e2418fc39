"""A live Tabbycat site on 127.0.0.1: what is asked of it, what is told to it, what is kept."""

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import Reading
from ingestion.parliamentary.readers.tabbycat.export import Export
from ingestion.parliamentary.readers.tabbycat.live import fetch_tournament
from ingestion.parliamentary.readers.tabbycat.rooms import DATASET, read_rooms
from tests.http_stub import Answer, serve
from tests.ingestion.tab_files import ballot, documents, sheet
from warehouse.home import Home

TOKEN = "0123456789abcdef0123"
ROOT = "/api/v1/tournaments/spring"


@dataclass
class Site:
    """What the stub was asked: each path with its authorisation."""

    address: str
    asked: list[tuple[str, str | None]]


@contextmanager
def _serve(answer: Callable[[str], Answer]) -> Iterator[Site]:
    asked: list[tuple[str, str | None]] = []

    def answered(request: BaseHTTPRequestHandler) -> Answer:
        asked.append((request.path, request.headers.get("Authorization")))
        return answer(request.path)

    with serve(answered) as address:
        yield Site(f"{address}{ROOT}", asked)


def _documents(found: Mapping[str, Any]) -> Callable[[str], Answer]:
    def answer(path: str) -> Answer:
        name = path.removeprefix(ROOT).strip("/") or "tournament"
        if name not in found:
            return 404, {}, b"<html>no such page</html>"
        return 200, {"Content-Type": "application/json"}, json.dumps(found[name]).encode()

    return answer


def _found() -> dict[str, Any]:
    return documents({7: [ballot(sheet())], 8: [ballot(sheet())]})


def _fetch(home: Home, site: Site) -> Export:
    return fetch_tournament(home, site.address, DATASET, sleep=lambda _: None)


def _everything_under(folder: Path) -> bytes:
    kept = b""
    for path in folder.rglob("*"):
        if path.is_file():
            kept += path.name.encode() + path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    kept += b"".join(archive.read(name) for name in archive.namelist())
    return kept


def test_every_document_is_fetched_with_the_token_and_landed_without_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABBYCAT_TOKEN", TOKEN)
    with _serve(_documents(_found())) as site:
        export = _fetch(home, site)
        again = _fetch(home, site)
    assert {authorisation for _, authorisation in site.asked} == {f"Token {TOKEN}"}
    asked = [path.removeprefix(ROOT) for path, _ in site.asked[: len(site.asked) // 2]]
    assert asked == [
        "",
        "/motions",
        "/rounds",
        "/teams",
        "/adjudicators",
        "/speakers",
        "/venues",
        "/rounds/1/pairings",
        "/rounds/1/pairings/7/ballots",
        "/rounds/1/pairings/8/ballots",
    ]
    rooms = read_rooms(export, Reading("tab"))
    assert [room.identity for room in rooms] == [
        "tab.example.org/spring/7",
        "tab.example.org/spring/8",
    ]
    manifest = json.loads((export.landed.path.parent / "manifest.json").read_text())
    assert manifest["origin"] == site.address
    assert again.landed.sha256 == export.landed.sha256
    kept = _everything_under(home.root)
    assert b"This house would open all parks" in kept
    for secret in (TOKEN.encode(), b"someone@example.org", b"abcdef"):
        assert secret not in kept.replace(export.landed.sha256.encode(), b"")


def test_pages_are_followed_below_the_same_document_alone(home: Home) -> None:
    found = _found()
    drawn = found["rounds/1/pairings"]

    def answer(path: str) -> Answer:
        place, _, query = path.partition("?")
        if place != f"{ROOT}/rounds/1/pairings":
            return _documents(found)(path)
        offset = int(query.partition("=")[2] or 0)
        following = f"{site.address}/rounds/1/pairings?offset=1" if offset == 0 else None
        page = {"count": 2, "next": following, "results": [drawn[offset]]}
        return 200, {}, json.dumps(page).encode()

    with _serve(answer) as site:
        assert len(read_rooms(_fetch(home, site), Reading("tab"))) == 2
    assert all(authorisation is None for _, authorisation in site.asked)


@pytest.mark.parametrize(
    "following",
    [
        "http://127.0.0.1:9/api/v1/x",
        "https://elsewhere.example/steal",
        ROOT + "/teams",
        7,
        "http://[",
    ],
)
def test_a_next_page_elsewhere_is_not_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch, following: Any
) -> None:
    monkeypatch.setenv("TABBYCAT_TOKEN", TOKEN)
    found = _found() | {"motions": {"results": [], "next": following}}
    with _serve(_documents(found)) as site, pytest.raises(SourceUnreadable) as caught:
        _fetch(home, site)
    assert "another place" in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert [path for path, _ in site.asked] == [ROOT, f"{ROOT}/motions"]


def test_a_redirect_to_another_site_is_refused_and_gets_no_token(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABBYCAT_TOKEN", TOKEN)
    with _serve(_documents(_found())) as other:
        moved = {"Location": other.address.replace("127.0.0.1", "localhost")}
        with _serve(lambda _: (302, moved, b"")) as site, pytest.raises(SourceUnreadable) as caught:
            _fetch(home, site)
    assert "sends to another site (localhost)" in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert other.asked == []


def test_a_redirect_within_the_site_is_followed_and_a_circle_is_not(home: Home) -> None:
    plain = _documents(_found())

    def slashed(path: str) -> Answer:
        return plain(path) if path.endswith("/") else (301, {"Location": f"{path}/"}, b"")

    with _serve(slashed) as site:
        assert len(read_rooms(_fetch(home, site), Reading("tab"))) == 2
    with (
        _serve(lambda path: (302, {"Location": path}, b"")) as site,
        pytest.raises(SourceUnreadable, match="from one address to the next"),
    ):
        _fetch(home, site)
    assert len(site.asked) == 3


@pytest.mark.parametrize(
    ("status", "token", "words"),
    [
        (401, None, "set TABBYCAT_TOKEN"),
        (403, TOKEN, "the token in TABBYCAT_TOKEN is not one that may read it"),
        (404, TOKEN, "check the site and the tournament's slug"),
        (418, TOKEN, "check the address"),
        (429, TOKEN, "4 tries were in vain"),
        (503, None, "4 tries were in vain"),
    ],
)
def test_a_refusal_says_what_to_do_and_never_the_token(
    home: Home, monkeypatch: pytest.MonkeyPatch, status: int, token: str | None, words: str
) -> None:
    if token:
        monkeypatch.setenv("TABBYCAT_TOKEN", token)
    echo = f"you sent {token}".encode()
    waits: list[float] = []
    with (
        _serve(lambda _: (status, {"Retry-After": "7"}, echo)) as site,
        pytest.raises(SourceUnreadable) as caught,
    ):
        fetch_tournament(home, site.address, DATASET, sleep=waits.append)
    assert f"answered {status}" in str(caught.value)
    assert words in str(caught.value)
    assert TOKEN not in str(caught.value)
    is_busy = status in (429, 503)
    assert len(site.asked) == (4 if is_busy else 1)
    # As long as the site asks for, and longer each time.
    assert waits == ([7, 14, 28] if is_busy else [])
    assert list(home.landing.glob("*")) == []


def test_a_busy_site_is_asked_again(home: Home) -> None:
    plain, refused = _documents(_found()), ["/rounds", "/teams"]

    def answer(path: str) -> Answer:
        if (name := path.removeprefix(ROOT)) in refused:
            refused.remove(name)
            return 503, {}, b""
        return plain(path)

    with _serve(answer) as site:
        assert len(read_rooms(_fetch(home, site), Reading("tab"))) == 2


def test_one_missing_document_lands_nothing(home: Home) -> None:
    found = _found()
    del found["rounds/1/pairings/8/ballots"]
    with _serve(_documents(found)) as site, pytest.raises(SourceUnreadable, match="answered 404"):
        _fetch(home, site)
    assert list(home.landing.glob("*")) == []


@pytest.mark.parametrize("name", ["speakers", "venues"])
def test_a_site_without_rooms_names_is_read(home: Home, name: str) -> None:
    found = _found()
    del found[name]
    with _serve(_documents(found)) as site:
        assert len(read_rooms(_fetch(home, site), Reading("tab"))) == 2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"rounds": [{"seq": "../../../users"}]}, "whose seq is '../../../users'"),
        ({"rounds": [{"seq": True}]}, "whose seq is True"),
        ({"rounds": b"no"}, "is no JSON"),
    ],
)
def test_what_a_site_says_goes_into_no_address_but_as_a_number(
    home: Home, changed: dict[str, Any], words: str
) -> None:
    found = {**_found(), **changed}
    plain = _documents(found)

    def answer(path: str) -> Answer:
        value = found.get(path.removeprefix(f"{ROOT}/"))
        return (200, {}, value) if isinstance(value, bytes) else plain(path)

    with _serve(answer) as site, pytest.raises(SourceUnreadable, match=words):
        _fetch(home, site)
    assert all("users" not in path for path, _ in site.asked)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://tab.example.org/api/v1/tournaments/spring", "is not encrypted"),
        ("https://tab.example.org/spring/", "is no tournament"),
        ("https://tab.example.org/api/v1/tournaments/spring/rounds", "is no tournament"),
        ("https://tab.example.org/api/v1/tournaments/spring?x=1", "is no tournament"),
        ("https://me:secretword@tab.example.org/api/v1/tournaments/spring", "holds a user's name"),
        ("https://tab.example.org:port/api/v1/tournaments/spring", "is no valid one"),
    ],
)
def test_other_addresses_are_refused_before_anything_is_sent(
    home: Home, address: str, words: str
) -> None:
    with pytest.raises(SourceUnreadable) as caught:
        fetch_tournament(home, address, DATASET)
    assert words in str(caught.value)
    assert "secretword" not in str(caught.value)


def test_a_token_that_cannot_be_one_is_named_without_being_shown(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABBYCAT_TOKEN", "secret\nword")
    with pytest.raises(SourceUnreadable) as caught:
        fetch_tournament(home, f"http://127.0.0.1:9{ROOT}", DATASET)
    assert "TABBYCAT_TOKEN holds characters" in str(caught.value)
    assert "secret" not in str(caught.value)
