"""Every query of the dashboard. One published version per page run, and its name in every key."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.core.findings import records
from warehouse.errors import NothingPublished
from warehouse.free_sql.queries import Limits, run_freely
from warehouse.home import find_home
from warehouse.reader import Result, Version, connect, current_version, run_query

if TYPE_CHECKING:
    import duckdb

LIFETIME = timedelta(hours=1)
ROWS_SHOWN = 5_000
FREE_LIMITS = Limits(answer_bytes=20_000_000, max_rows=ROWS_SHOWN)
WORST_PER_JUDGE = 50
# As many as one box offers: a browser takes a second to open one of a hundred thousand.
OFFERED = 500

_CACHED_QUERIES = 300
_CACHED_FREE_QUERIES = 20
# The one that is shown, and one that a reader who came before it still looks at.
_OPEN_VERSIONS = 2
_VERSION_KEY = "app_version"
_ASKED_KEY = "app_asked"
# Set in the session of whoever takes several pages, which are to be of one version.
PINNED = "app_pinned"
_NUMERIC = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE")
# What a table in the browser can show as it is; structs, maps, bytes and the like become text.
_SHOWN_AS_IS = re.compile(r"VARCHAR|BOOLEAN|DATE|TIME.*|DECIMAL.*|ENUM.*|JSON|[A-Z]+\[\]")
_LARGEST = 2**63 - 1
# A placeholder, or what may hold a dollar sign that begins none: texts, quoted names, comments.
_PLACEHOLDER = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\$(\w+)""")


@dataclass(frozen=True)
class Answer:
    """A frame and the query that gave it, ready to run anywhere.

    Attributes:
        sql: The query with its values filled in.
    """

    frame: pd.DataFrame
    sql: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the frame as mappings."""
        return records(self.frame)


@dataclass(frozen=True)
class Chosen:
    """What is chosen on a page."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Values for the placeholders that most queries share, each named after its field."""
        return {
            one.name.removesuffix("_id"): _or_empty(getattr(self, one.name)) for one in fields(self)
        }


@dataclass(frozen=True)
class View(Chosen):
    """What a page shows.

    Attributes:
        dimension: Which question was asked about each speech.
        templates: Prompts whose answers count.
        judges: Judges to show; people always stand beside them.
        min_shared: Least number of speeches a pair of people must share for its kappa to count.
    """

    dataset_id: str
    dimension: str
    templates: tuple[str, ...]
    judges: tuple[str, ...] = ()
    min_shared: int = 50


@contextmanager
def one_version() -> Iterator[Version]:
    """Take the published version that a page run uses from its first query to its last.

    Raises:
        NothingPublished: There is none yet.
    """
    version = st.session_state.get(PINNED) or current_version(find_home())
    st.session_state[_VERSION_KEY] = version
    st.session_state[_ASKED_KEY] = {}
    try:
        yield version
    finally:
        del st.session_state[_VERSION_KEY]


def version_of_run() -> Version | None:
    """Return the version of the page run that is going on, if one is."""
    version: Version | None = st.session_state.get(_VERSION_KEY)
    return version


def newest_version() -> Version:
    """Return the version that is current at this moment. Not cached: it is a look at a link."""
    return current_version(find_home())


def replicated_version(paper_id: str) -> Version | None:
    """Return the version that `rostrum replicate` published of a paper, in a home of its own."""
    try:
        return current_version(find_home().replication(paper_id))
    except NothingPublished:
        return None


# Opening a file takes longer than most queries. While it is open all connections share it, so one
# that nobody asks anything keeps it open for every reader.
@st.cache_resource(
    ttl=LIFETIME,
    max_entries=_OPEN_VERSIONS,
    show_spinner=False,
    on_release=lambda connection: connection.close(),
)
def _keep_open(
    version_file: str,  # noqa: ARG001 - part of the cache key; its name is the version's
    _version: Version,
) -> duckdb.DuckDBPyConnection:
    return connect(_version, can_search=True)


# A resource, as data are pickled when they are kept and again whenever they are taken.
@st.cache_resource(ttl=LIFETIME, max_entries=_CACHED_QUERIES, show_spinner=False)
def _cached(
    version_file: str,
    sql: str,
    parameters: dict[str, Any],
    _version: Version,
) -> pd.DataFrame:
    _keep_open(version_file, _version)
    return frame_of(run_query(_version, sql, parameters or None))


def ask(version: Version, sql: str, **parameters: Any) -> Answer:
    """Run one of the dashboard's own queries, or take its cached answer.

    Args:
        parameters: Values for its placeholders; those it does not name are left out.

    Raises:
        VersionGone: The version has been pruned since it was looked up.
        QueryFailed: The published version lacks what the query names.
    """
    named = {name: parameters[name] for name in _placeholders(sql) if name in parameters}
    kept = _cached(str(version.path), sql, named, version)
    # Whoever changes the copy changes nobody else's: pandas copies what is written to.
    answer = Answer(kept.copy(deep=False), filled_in(sql, named))
    st.session_state.setdefault(_ASKED_KEY, {})[answer.sql] = None
    return answer


def asked_so_far() -> tuple[str, ...]:
    """Return the queries that the page has asked until now, in order."""
    return tuple(st.session_state.get(_ASKED_KEY, ()))


def rows_of(mart: str, order_by: str, where: str, columns: str = "*") -> str:
    """Return the query of those rows of a mart that meet a condition, in order."""
    return f"\nselect {columns}\nfrom {mart}\nwhere {where}\norder by {order_by}"


def query(sql: str) -> Callable[..., Answer]:
    """Return a function that asks a query of the version it is called with.

    What is chosen on a page fills the placeholders it names, other values the rest, in the order
    in which these stand in the query.
    """
    names = _placeholders(sql)

    def answer(version: Version, *given: Any) -> Answer:
        filled: dict[str, Any] = {}
        for one in given:
            filled |= one.parameters if isinstance(one, Chosen) else {}
        values = [_or_empty(one) for one in given if not isinstance(one, Chosen)]
        rest = [name for name in names if name not in filled]
        return ask(version, sql, **filled, **dict(zip(rest, values, strict=True)))

    return answer


def _or_empty(value: Any) -> Any:
    """Return a value as a query takes it; of no values a list, whose kind the database can tell."""
    return (list(value) or [""]) if isinstance(value, list | tuple) else value


def asking(
    mart: str, order_by: str, where: str = "dataset_id = $dataset", columns: str = "*"
) -> Callable[..., Answer]:
    """Return a function that asks for those rows of a mart that meet a condition, in order."""
    return query(rows_of(mart, order_by, where, columns))


@st.cache_data(ttl=LIFETIME, max_entries=_CACHED_FREE_QUERIES, show_spinner=False)
def _cached_freely(
    version_file: str,  # noqa: ARG001 - part of the cache key; its name is the version's
    sql: str,
    _version: Version,
) -> Result:
    return run_freely(_version, sql, FREE_LIMITS)


def ask_freely(version: Version, sql: str) -> Result:
    """Run a reader's own query in a process of its own, within `FREE_LIMITS`.

    Raises:
        VersionGone: The version has been pruned since it was looked up.
        QueryFailed: The query is wrong, is none, went over a limit, or too many run already.
    """
    return _cached_freely(str(version.path), sql, version)


def frame_of(result: Result) -> pd.DataFrame:
    """Return a result as a frame that any table can show; names that occur twice get a number."""
    seen: dict[str, int] = {}
    names = []
    for name in result.columns:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    # A frame whose columns are replaced one by one takes twice as long.
    columns: dict[str, Any] = {}
    index = pd.RangeIndex(len(result.rows))
    for at, (name, kind) in enumerate(zip(names, result.types, strict=True)):
        values = [row[at] for row in result.rows]
        fits = all(not isinstance(one, int) or abs(one) <= _LARGEST for one in values)
        if _NUMERIC.fullmatch(kind) and fits:
            columns[name] = pd.to_numeric(pd.array(values, dtype=object).to_numpy())
        elif _SHOWN_AS_IS.fullmatch(kind):
            columns[name] = pd.Series(values, index, dtype=object)
        else:
            columns[name] = [None if one is None else str(one) for one in values]
    return pd.DataFrame(columns, index)


def _placeholders(sql: str) -> dict[str, None]:
    """Names of a query's placeholders, in order."""
    return dict.fromkeys(name for name in _PLACEHOLDER.findall(sql) if name)


def filled_in(sql: str, parameters: dict[str, Any]) -> str:
    """Return a query with its placeholders replaced by SQL literals, ready to copy."""

    def fill(match: re.Match[str]) -> str:
        return _literal(parameters[match[1]]) if match[1] else match[0]

    return _PLACEHOLDER.sub(fill, sql).strip()


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_literal(part) for part in value) + "]"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    text = "'" + str(value).replace("'", "''") + "'"
    kind = {float: "double", datetime: "timestamp", date: "date"}.get(type(value))
    return f"{text}::{kind}" if kind else text
