"""The documents of a Tabbycat tournament, by their path below it in the API.

Two layouts are read: a folder or archive of `rounds.json`, `rounds/1/pairings.json` and so on, at
any depth; and one JSON file whose keys are those paths without `.json`. A list in pages is
`rounds.json`, `rounds.page-2.json` and so on.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed
from ingestion.parliamentary.readers.tabs.files import SmallFiles, read_small_files
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.core import Dataset

TOURNAMENT, ROUNDS = "tournament", "rounds"
# Without these there is no debate to read.
_NEEDED = (ROUNDS, "teams")
_PAGE = re.compile(r"(?P<path>.+?)(?:\.page-(?P<page>\d{1,4}))?\.json", re.IGNORECASE)
_INDEX = "/index"


@dataclass(frozen=True)
class Export:
    """The documents of one tournament.

    Attributes:
        tournament: What the tournament's own document says; empty without one.
        lists: The lists, by their path.
    """

    landed: Landed
    tournament: Mapping[str, Any]
    lists: Mapping[str, list[Any]] = field(default_factory=dict)

    def objects(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a list; a list that is not there has none.

        Raises:
            SourceUnreadable: An entry is no object.
        """
        for place, each in enumerate(self.lists.get(path, [])):
            if not isinstance(each, dict):
                raise SourceUnreadable(
                    f"ingestion: {self.landed.shown}, {path}[{place}] should be an object; found "
                    f"{shown(each)}: fetch that document again"
                )
            yield each


def read_export(home: Home, location: str, dataset: Dataset) -> Export:
    """Land and read a saved tournament.

    Raises:
        SourceUnreadable: It has no list of rounds and teams, or a document is no JSON list.
    """
    found = read_small_files(home, location, dataset, (".json",))
    at = found.landed.shown
    documents = _documents(found)
    lacking = [name for name in _NEEDED if name not in documents]
    if lacking:
        raise SourceUnreadable(
            f"ingestion: {at} has no {' and no '.join(lacking)}; it has {found.names}: expected "
            "the tournament's documents by their paths in the API, such as rounds.json and "
            "rounds/1/pairings.json, or one file with these paths as keys"
        )
    tournament = documents.pop(TOURNAMENT, None)
    if isinstance(tournament, list):
        tournament = tournament[0] if len(tournament) == 1 else None
    lists = {path: _list(value, path, at) for path, value in documents.items()}
    return Export(found.landed, tournament if isinstance(tournament, dict) else {}, lists)


def _documents(found: SmallFiles) -> dict[str, Any]:
    at = found.landed.shown
    if len(found.files) == 1:
        ((name, content),) = found.files.items()
        value = parse_json(content, f"{at} ({name})")
        if isinstance(value, dict) and ROUNDS in value:
            return {path.strip("/"): each for path, each in value.items()}
    pages: dict[str, dict[int, bytes]] = {}
    for name, content in found.files.items():
        matched = _PAGE.fullmatch(name)
        # A single file may have any name, and a member of an archive one of several lines.
        path, page = (matched["path"], matched["page"]) if matched else (name, None)
        pages.setdefault(path.removesuffix(_INDEX), {})[int(page or 1)] = content
    roots = sorted(
        (path.removesuffix(ROUNDS) for path in pages if f"/{path}".endswith(f"/{ROUNDS}")),
        key=lambda root: (root.count("/"), root),
    )
    root = roots[0] if roots else ""
    documents: dict[str, Any] = {}
    for path, own in pages.items():
        # Beside the root lie other tournaments, or the API's own root.
        if path.startswith(root):
            documents[path.removeprefix(root)] = _joined(own, path, at)
        elif path == root.rstrip("/"):
            documents[TOURNAMENT] = _joined(own, path, at)
    return documents


def _joined(pages: Mapping[int, bytes], path: str, at: str) -> Any:
    """Return a document's value; the pages of a list one after another."""
    values = [parse_json(pages[page], f"{at} ({path})") for page in sorted(pages)]
    last = values[-1]
    is_cut = isinstance(last, dict) and "results" in last and last.get("next")
    if is_cut or sorted(pages) != list(range(1, len(pages) + 1)):
        raise SourceUnreadable(
            f"ingestion: {at} has {path} in pages, of which some are missing; save the rest as "
            f"{path}.page-2.json and so on, or fetch it with a larger limit"
        )
    if len(values) == 1:
        return last
    return [each for value in values for each in _list(value, path, at)]


def _list(value: Any, path: str, at: str) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        value = value["results"]
    if not isinstance(value, list):
        raise SourceUnreadable(
            f"ingestion: {at} has {path}, which should be a list; found {shown(value)}: fetch "
            "that document again"
        )
    return value


def parse_json(content: bytes, place: str) -> Any:
    """Return the value of a JSON document from elsewhere.

    Raises:
        SourceUnreadable: It is no JSON, holds NaN or infinity, or is nested too deep.
    """
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else f"is no JSON ({error})"
        raise SourceUnreadable(f"ingestion: {place} {why[:200]}; fetch it again") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")
