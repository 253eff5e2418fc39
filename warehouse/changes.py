"""Estimates that appeared, vanished or moved since the previous version.

They are computed once, when a version is published, as its table `estimate_changes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from warehouse.compare import differ
from warehouse.errors import QueryFailed
from warehouse.reader import Version, run_query

if TYPE_CHECKING:
    import duckdb

ESTIMATES, TABLE = "fct_estimate", "estimate_changes"
_ABOUT = (
    "Which estimates this version changed against the one before. appeared, vanished: only one of "
    "both has a value; moved: the value lies outside the interval it had; changed: it differs, "
    "within that interval or without one. One row per changed estimate."
)
_WHICH = (
    "estimate_id",
    "subject",
    "dataset_id",
    "experiment",
    "judge_id",
    "setting",
    "population",
    "measure",
    "mart",
)
_CHANGE = """
    case
        when earlier.value is null then 'appeared'
        when later.value is null then 'vanished'
        when later.value < earlier.low or later.value > earlier.high then 'moved'
        else 'changed'
    end as change
"""
_DIFFERS = differ("earlier.value", "later.value")


class EstimateChanges(NamedTuple):
    """Counts of estimates that a version changed against the previous one.

    Attributes:
        moved: Values outside their previous interval.
        changed: Values within their previous interval, or without one.
        marts: At most three marts with the most estimates that appeared or moved.
    """

    version_before: str | None
    estimates: int
    appeared: int
    vanished: int
    moved: int
    changed: int
    marts: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The counts as text."""
        if self.version_before is None:
            values = f"{self.estimates:,} estimates with a value"
            return f"{values}; there is no version before to compare them with"
        counts = {
            "appeared": self.appeared,
            "moved out of their interval": self.moved,
            "moved within their interval or have none": self.changed,
            "vanished": self.vanished,
        }
        found = [f"{count:,} {what}" for what, count in counts.items() if count]
        if not found:
            return f"no estimate differs from {self.version_before}"
        where = f"; most in {', '.join(self.marts)}" if self.marts else ""
        return f"estimates against {self.version_before}: {', '.join(found)}{where}"


def write_changes(connection: duckdb.DuckDBPyConnection, before: Version | None) -> Version | None:
    """Add the changed estimates to the version attached as `published`.

    Args:
        before: The current version. Nothing is listed if there is none, or if it has no estimates.

    Returns:
        The version compared with; None for none.
    """
    if not _has_estimates(connection, "published"):
        return None
    with _attached(connection, before) as known:
        earlier = f"before.main.{ESTIMATES}" if known else f"published.main.{ESTIMATES}"
        which = ", ".join(f"coalesce(later.{name}, earlier.{name}) as {name}" for name in _WHICH)
        connection.execute(f"""
            create table published.main.{TABLE} as
            select
                {which},
                {_CHANGE},
                earlier.value as value_before,
                earlier.low as low_before,
                earlier.high as high_before,
                earlier.n as n_before,
                later.value,
                later.low,
                later.high,
                later.n
            from {earlier} as earlier
            full join published.main.{ESTIMATES} as later using (estimate_id)
            where {_DIFFERS}
            order by change, mart, estimate_id
        """)
        connection.execute(f"comment on table published.main.{TABLE} is '{_ABOUT}'")
    return before if known else None


class UnpublishedChange(NamedTuple):
    """A change of an estimate by a build that is not published."""

    change: str
    mart: str
    measure: str
    dataset_id: str | None
    judge_id: str | None
    before: float | None
    value: float | None
    low: float | None
    high: float | None
    n: int | None


def unpublished_changes(
    connection: duckdb.DuckDBPyConnection, subject: str, later: str, before: Version | None
) -> list[UnpublishedChange]:
    """Return the estimates of a subject that differ between a version and the build database.

    Args:
        later: SQL name of the table with the subject's estimates.
    """
    earlier = f"select * from before.main.{ESTIMATES} where subject = '{subject}'"
    same = " and ".join(
        f"later.{name} is not distinct from earlier.{name}"
        for name in _WHICH
        if name not in ("estimate_id", "subject", "mart")
    )
    which = ", ".join(
        f"coalesce(later.{name}, earlier.{name})"
        for name in ("mart", "measure", "dataset_id", "judge_id")
    )
    with _attached(connection, before) as known:
        rows = connection.execute(f"""
            select
                {_CHANGE}, {which}, earlier.value, later.value, later.low, later.high, later.n
            from ({earlier if known else f"select * from {later} limit 0"}) as earlier
            full join {later} as later on {same}
            where {_DIFFERS}
            order by list_position(['moved', 'appeared', 'vanished', 'changed'], change), 2, 3, 4, 5
        """).fetchall()
    return [UnpublishedChange(*row) for row in rows]


def read_changes(version: Version) -> EstimateChanges | None:
    """Return how many estimates a version changed; None if it was published without that list."""
    try:
        # One query: opening a version takes longer than counting.
        counts = run_query(
            version,
            f"""
            select
                (select version_before from publication),
                (select count(value) from {ESTIMATES}),
                count(*) filter (change = 'appeared'),
                count(*) filter (change = 'vanished'),
                count(*) filter (change = 'moved'),
                count(*) filter (change = 'changed'),
                (
                    select list(mart order by rows desc, mart)
                    from (
                        select mart, count(*) as rows
                        from {TABLE}
                        where change in ('appeared', 'moved')
                        group by mart
                        order by rows desc, mart
                        limit 3
                    )
                )
            from {TABLE}
        """,
        ).rows[0]
    except QueryFailed:
        return None
    before, estimates, appeared, vanished, moved, changed, marts = counts
    return EstimateChanges(
        before, estimates, appeared, vanished, moved, changed, tuple(marts or ())
    )


@contextmanager
def _attached(connection: duckdb.DuckDBPyConnection, version: Version | None) -> Iterator[bool]:
    """Attach a version as `before`, and yield whether it has estimates."""
    from warehouse.lake.versions import attach_version

    if version is None:
        yield False
        return
    attach_version(connection, version.path, "before")
    try:
        yield _has_estimates(connection, "before")
    finally:
        connection.execute("detach before")


def _has_estimates(connection: duckdb.DuckDBPyConnection, database: str) -> bool:
    found = connection.execute(
        "select count(*) from duckdb_tables() "
        f"where database_name = '{database}' and table_name = '{ESTIMATES}'"
    ).fetchone()
    return bool(found and found[0])
