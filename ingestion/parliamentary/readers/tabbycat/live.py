"""A tournament fetched from a live Tabbycat site: every document whole, or nothing at all.

The token is read from `TABBYCAT_TOKEN` only, is sent to the site the user named and to no other,
and stands in no file and no message. What the documents say of how to reach people, and the keys of
their private pages, is left out before anything is kept.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx2

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.readers.tabbycat.export import Export, export_of, parse_json
from ingestion.parliamentary.readers.tabs.files import MAX_ALL, MAX_FILE, SmallFiles, land_together
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.core import Dataset

TOKEN_VARIABLE = "TABBYCAT_TOKEN"  # noqa: S105 - a variable's name, no token
_TOURNAMENT = re.compile(r"/api/v1/tournaments/[A-Za-z0-9_-]+/?")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LISTS = ("motions", "rounds", "teams", "adjudicators")
# A site may not have these, or not show them: rooms without a name are still rooms.
_OPTIONAL = ("speakers", "venues")
_PRIVATE = frozenset(
    {
        "email",
        "phone",
        "url_key",
        "gender",
        "pronoun",
        "barcode",
        "ip_address",
        "private_url",
        "participant_submitter",
        "submitter",
        "confirmer",
    }
)
_TIMEOUT_S = 60.0
_TRIES = 4
_WAIT_AT_MOST_S = 60.0
_MAX_PAGES = 1_000
_MAX_REDIRECTS = 3
_BUSY = (429, 500, 502, 503, 504)


def fetch_tournament(
    home: Home, address: str, dataset: Dataset, *, sleep: Callable[[float], None] = time.sleep
) -> Export:
    """Fetch and land a tournament.

    Raises:
        SourceUnreadable: The address is no such tournament's, or the site does not give all of it.
    """
    site = _site(address)
    token = os.environ.get(TOKEN_VARIABLE)
    if token is not None and (not token.strip().isascii() or not token.strip().isprintable()):
        raise SourceUnreadable(
            f"ingestion: {TOKEN_VARIABLE} holds characters no token has; copy it again from your "
            "profile on the site"
        )
    base = f"{site.scheme}://{site.netloc}{site.path.rstrip('/')}"
    with httpx2.Client(
        headers={"Authorization": f"Token {token.strip()}"} if token and token.strip() else {},
        follow_redirects=False,
        timeout=_TIMEOUT_S,
    ) as client:
        fetching = _Fetching(client, base, bool(token), sleep)
        files = dict(_documents(fetching))
    landed = land_together(
        home, files, dataset, name=f"tabbycat-{base.rpartition('/')[2]}", origin=base
    )
    return export_of(SmallFiles(landed, files))


def _site(address: str) -> SplitResult:
    try:
        site = urlsplit(address)
        _ = site.port
    except ValueError:
        raise SourceUnreadable("ingestion: the address is no valid one; check it") from None
    # An address with a password in it is not repeated.
    if site.username or site.password or "@" in site.netloc:
        raise SourceUnreadable(
            f"ingestion: the address of {site.hostname} holds a user's name; give the address "
            f"alone, and the token in {TOKEN_VARIABLE}"
        )
    if not _TOURNAMENT.fullmatch(site.path) or site.query or site.fragment:
        raise SourceUnreadable(
            f"ingestion: {address} is no tournament; expected "
            "https://<site>/api/v1/tournaments/<slug>, without anything after it"
        )
    if site.scheme != "https" and site.hostname not in _LOCAL:
        raise SourceUnreadable(
            f"ingestion: {address} is not encrypted, and a token would be seen on the way; use "
            "https://"
        )
    return site


def _documents(fetching: _Fetching) -> Iterator[tuple[str, bytes]]:
    """Yield every document of the tournament with the name it is kept under."""
    yield from fetching.document("tournament", path="")
    rounds: list[Any] = []
    for name in (*_LISTS, *_OPTIONAL):
        for kept, content in fetching.document(name, is_optional=name in _OPTIONAL):
            if name == "rounds":
                rounds += _entries(json.loads(content))
            yield kept, content
    for number in (_number(each, "seq", fetching.base) for each in rounds):
        path = f"rounds/{number}/pairings"
        pairings: list[Any] = []
        for kept, content in fetching.document(path):
            pairings += _entries(json.loads(content))
            yield kept, content
        for each in pairings:
            pairing = _number(each, "id", fetching.base)
            yield from fetching.document(f"{path}/{pairing}/ballots")


class _Fetching:
    """Fetches documents below one tournament, and counts what it has fetched."""

    def __init__(
        self, client: httpx2.Client, base: str, has_token: bool, sleep: Callable[[float], None]
    ) -> None:
        self._client, self.base, self._has_token = client, base, has_token
        self._sleep, self._left = sleep, MAX_ALL

    def document(
        self, name: str, *, path: str | None = None, is_optional: bool = False
    ) -> Iterator[tuple[str, bytes]]:
        """Yield a document's pages, each under the name of its file."""
        first = f"{self.base}/{name if path is None else path}".rstrip("/")
        address, page = first, 1
        while True:
            content = self._get(address, is_optional=is_optional)
            if content is None:
                return
            value = _without_private(parse_json(content, address))
            kept = json.dumps(value, ensure_ascii=False, sort_keys=True).encode(
                "utf-8", "backslashreplace"
            )
            yield (f"{name}.json" if page == 1 else f"{name}.page-{page}.json"), kept
            following = value.get("next") if isinstance(value, dict) else None
            if name == "tournament" or following is None:
                return
            address, page = self._next(first, following), page + 1
            if page > _MAX_PAGES:
                raise SourceUnreadable(
                    f"ingestion: {first} has more than {_MAX_PAGES:,} pages; nothing was loaded: "
                    "save the documents yourself and name the folder with --from"
                )

    def _next(self, first: str, following: Any) -> str:
        there = _joined(first, following)
        address = there.geturl() if there else ""
        if address.partition("?")[0].rstrip("/") != first:
            raise SourceUnreadable(
                f"ingestion: {first} says that its next page is {shown(following)}, which is "
                "another place; it was not asked and nothing was loaded"
            )
        return address

    def _get(self, address: str, *, is_optional: bool) -> bytes | None:
        for _ in range(_MAX_REDIRECTS):
            status, content, to = self._patiently(address)
            if status == httpx2.codes.OK:
                return content
            if is_optional and status in (httpx2.codes.NOT_FOUND, httpx2.codes.FORBIDDEN):
                return None
            if not 300 <= status < 400:
                raise self._refused(address, status)
            here, there = urlsplit(address), _joined(address, to)
            if there is None or (there.scheme, there.netloc) != (here.scheme, here.netloc):
                elsewhere = there.hostname if there else "no valid address"
                raise SourceUnreadable(
                    f"ingestion: {address} sends to another site ({elsewhere}), which was "
                    "not asked; nothing was loaded: name that site with --from if you trust it"
                )
            address = there.geturl()
        raise SourceUnreadable(f"ingestion: {address} sends from one address to the next; check it")

    def _patiently(self, address: str) -> tuple[int, bytes, str]:
        """Return status, content and where to go instead, after waiting for a busy site."""
        wait = 1.0
        for tried in range(1, _TRIES + 1):
            try:
                status, content, headers = self._once(address)
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                if tried == _TRIES:
                    raise SourceUnreadable(
                        f"ingestion: {address} could not be fetched ({type(error).__name__}) in "
                        f"{_TRIES} tries; nothing was loaded: check the network and try again"
                    ) from None
            else:
                if status not in _BUSY or tried == _TRIES:
                    return status, content, headers.get("location", "")
                asked = headers.get("retry-after", "")
                wait = max(wait, float(asked)) if asked.isdecimal() else wait
            self._sleep(min(wait, _WAIT_AT_MOST_S))
            wait *= 2
        raise AssertionError("the last try returns or raises")

    def _once(self, address: str) -> tuple[int, bytes, Mapping[str, str]]:
        content = bytearray()
        with self._client.stream("GET", address) as answer:
            if answer.status_code == httpx2.codes.OK:
                for chunk in answer.iter_bytes():
                    content += chunk
                    if len(content) > min(MAX_FILE, self._left):
                        raise SourceUnreadable(
                            f"ingestion: {address} is larger than a tab can be; nothing was loaded"
                        )
            headers = {name.lower(): value for name, value in answer.headers.items()}
            self._left -= len(content)
            return answer.status_code, bytes(content), headers

    def _refused(self, address: str, status: int) -> SourceUnreadable:
        if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
            why = (
                f"the token in {TOKEN_VARIABLE} is not one that may read it"
                if self._has_token
                else f"it is not public: set {TOKEN_VARIABLE} to a token of yours"
            )
        elif status == httpx2.codes.NOT_FOUND:
            why = "check the site and the tournament's slug, and that its API is switched on"
        elif status in _BUSY:
            why = f"{_TRIES} tries were in vain; try again later"
        else:
            why = "check the address"
        return SourceUnreadable(
            f"ingestion: {address} answered {status} and nothing was loaded: {why}"
        )


def _joined(address: str, to: Any) -> SplitResult | None:
    """Return where a site points to; None where that is no address."""
    try:
        return urlsplit(urljoin(address, to)) if isinstance(to, str) and to else None
    except ValueError:
        return None


def _entries(value: Any) -> list[Any]:
    listed = value.get("results") if isinstance(value, dict) else value
    return listed if isinstance(listed, list) else []


def _number(entry: Any, name: str, base: str) -> int:
    """Return what an address is made of; nothing but a number may be."""
    value = entry.get(name) if isinstance(entry, dict) else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SourceUnreadable(
            f"ingestion: {base} lists something whose {name} is {shown(value)}; expected a number: "
            "check that it is a Tabbycat site of version 2.5 or later"
        )
    return value


def _without_private(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_private(each) for name, each in value.items() if name not in _PRIVATE
        }
    return [_without_private(each) for each in value] if isinstance(value, list) else value
