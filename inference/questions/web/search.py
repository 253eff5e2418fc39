"""Addresses for a query: from a search service, or from a file."""

import csv
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

from inference.errors import BadItems, BadSettings, MissingKey, SearchFailed
from inference.judges.endpoint import ForeignJson, TextOrNone, read_json, without_key
from inference.questions.web.fetch import ANYWHERE, Limits, Refused, Snapshot, fetch
from inference.questions.web.settings import RetrievalSettings

_JSON = frozenset({"application/json", "text/json"})
_LIMITS = Limits(max_bytes=5_000_000, timeout_s=30.0)
_MOST_ADDRESSES = 10_000
_HEADER = ["question_id", "address"]


class Result(NamedTuple):
    """An address that may hold something about a query, of one question or for all."""

    address: str
    title: str | None = None
    question_id: str | None = None


class _Page(ForeignJson):
    url: TextOrNone = None
    title: TextOrNone = None


class _Results(ForeignJson):
    results: list[_Page]


class Finder(Protocol):
    """Names addresses for a query."""

    def find(self, query: str, page: int, *, question_id: str | None) -> Sequence[Result] | None:
        """Return a page of results, the best first; none where there are no more.

        None stands for a search that was not made, as nothing is to be sent.

        Args:
            page: Which page of results, from 1.
            question_id: The question it is for, where that is known.
        """


class SearchService:
    """A search service that answers as SearXNG does: `GET ?q=…&format=json&pageno=…`.

    Its own address may be private, as it is the user's choice. It is not followed elsewhere.

    Args:
        is_offline: Whether nothing is to be sent: what is not kept is then unknown.
    """

    def __init__(
        self,
        settings: RetrievalSettings,
        snapshot: Snapshot,
        environ: Mapping[str, str] | None = None,
        *,
        is_offline: bool = False,
    ) -> None:
        address = settings.search or ""
        if urlsplit(address).scheme not in ("http", "https") or "@" in urlsplit(address).netloc:
            raise BadSettings(
                f"search: the search service's address is '{address}'; expected http:// or https://"
                " without a user name, such as http://127.0.0.1:8080/search; a key goes into the "
                "environment variable that key_env names"
            )
        self._address = address
        self._snapshot = snapshot
        self._is_offline = is_offline
        self._headers = {"Accept": "application/json"}
        self._key = ""
        if settings.key_env is not None and not is_offline:
            self._key = (os.environ if environ is None else environ).get(settings.key_env) or ""
            if not self._key:
                raise MissingKey(
                    f"search: the environment variable {settings.key_env} is not set; it should "
                    f"hold the key of the search service at {address}"
                )
            self._headers["Authorization"] = f"Bearer {self._key}"

    def find(self, query: str, page: int, *, question_id: str | None) -> Sequence[Result] | None:
        """Return the results, as they were kept or as the service names them now."""
        asked = {"q": query, "format": "json", **({"pageno": str(page)} if page > 1 else {})}
        joint = "&" if urlsplit(self._address).query else "?"
        address = f"{self._address}{joint}{urlencode(asked)}"
        known = self._snapshot.read("searches", address)
        if known is None:
            if self._is_offline:
                return None
            known = self._searched(address)
        return [
            Result(str(each["address"]), each["title"], question_id) for each in known["results"]
        ]

    def _searched(self, address: str) -> dict[str, list[dict[str, str | None]]]:
        try:
            found = fetch(
                address, ANYWHERE, _LIMITS, headers=self._headers, media_types=_JSON, redirects=0
            )
            text = without_key(found.body.decode("utf-8", "replace"), self._key)
            found = replace(found, body=text.encode())
            results = [
                {"address": each.url, "title": each.title or None}
                for each in read_json(_Results, text).results
                if each.url
            ]
        except Refused as refused:
            raise SearchFailed(
                f"search: {self._address} {refused.detail}; expected SearXNG's JSON (its settings "
                "need json among search.formats); pages found so far are kept, run the same "
                "command again to go on"
            ) from None
        except ValueError as error:
            raise SearchFailed(
                f"search: {self._address} answered no results as SearXNG's JSON has them "
                f"({type(error).__name__}); expected an object with a list 'results', each with a "
                "'url'"
            ) from None
        sha256 = self._snapshot.land(found, address, "search.json")
        return self._snapshot.write("searches", address, {"sha256": sha256, "results": results})


class AddressFile:
    """Addresses in a file: one a line, or a CSV of `question_id,address` for single questions."""

    def __init__(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadItems(
                f"search: cannot read the addresses in {path}: {error}; expected a text file with "
                "an address a line, or a .csv file with question_id,address"
            ) from None
        self.sha256 = hashlib.sha256(text.encode()).hexdigest()
        if path.suffix == ".csv":
            rows = list(csv.reader(text.splitlines()))
            if not rows or [each.strip() for each in rows[0]] != _HEADER:
                raise BadItems(
                    f"search: {path} begins with {rows[0] if rows else 'nothing'}; expected the "
                    f"header {','.join(_HEADER)}"
                )
            for number, row in enumerate(rows[1:], start=2):
                if len(row) != len(_HEADER) or not row[1].strip():
                    raise BadItems(
                        f"search: {path}, line {number}, is {row}; expected a question_id, empty "
                        "for all questions, and an address"
                    )
            self._results = [
                Result(address.strip(), None, question.strip() or None)
                for question, address in rows[1:]
            ]
        else:
            lines = (line.strip() for line in text.splitlines())
            self._results = [Result(line) for line in lines if line and not line.startswith("#")]
        if not 0 < len(self._results) <= _MOST_ADDRESSES:
            raise BadItems(
                f"search: {path} holds {len(self._results):,} addresses; expected 1 to "
                f"{_MOST_ADDRESSES:,}"
            )

    def find(self, query: str, page: int, *, question_id: str | None) -> Sequence[Result]:
        """Return the addresses for a question, and those for all, whatever is looked for."""
        del query
        if page > 1:
            return []
        return [
            each
            for each in self._results
            if each.question_id is None or each.question_id == question_id
        ]
