"""Queries that readers keep, in one small file of the home."""

import json
from collections.abc import Mapping

from dashboard.core.access import is_read_only
from warehouse.files import write_atomically
from warehouse.home import Home

FILE = "saved_queries.json"
NAME_LENGTH, QUERY_LENGTH, MOST = 80, 20_000, 200


class NotSaved(Exception):
    """A query cannot be kept; the message says why, and what to do."""


def saved(home: Home) -> dict[str, str]:
    """Return the queries that are kept, by name.

    Raises:
        NotSaved: The file is not what it should be.
    """
    path = home.root / FILE
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NotSaved(f"sql: {path} cannot be read ({error}); mend or remove it") from error
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise NotSaved(f"sql: {path} holds no names with queries; mend or remove it")
    return dict(sorted(found.items()))


def save(home: Home, name: str, query: str) -> None:
    """Keep a query; one of the same name is replaced.

    Raises:
        NotSaved: Name or query are empty or too long, there are too many, or it cannot be written.
    """
    name = " ".join(name.split())
    kept = {**saved(home), name: query}
    if not name or not query.strip():
        raise NotSaved("sql: a saved query needs a name and a query")
    if len(name) > NAME_LENGTH or len(query) > QUERY_LENGTH or len(kept) > MOST:
        limits = f"{NAME_LENGTH} characters of name, {QUERY_LENGTH:,} of query, {MOST} queries"
        raise NotSaved(f"sql: too long, or too many: at most {limits}; shorten or remove one")
    _write(home, kept)


def remove(home: Home, name: str) -> None:
    """Forget a query.

    Raises:
        NotSaved: The file cannot be read or written.
    """
    _write(home, {one: query for one, query in saved(home).items() if one != name})


def _write(home: Home, kept: Mapping[str, str]) -> None:
    if is_read_only():
        raise NotSaved("sql: this dashboard is served read-only, so no query is kept or removed")
    path = home.root / FILE
    try:
        write_atomically(path, (json.dumps(kept, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise NotSaved(f"sql: {path} cannot be written ({error.strerror})") from error
