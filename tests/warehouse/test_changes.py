"""What a version changed: compared by hand on estimates of every case."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from warehouse.changes import (
    EstimateChanges,
    UnpublishedChange,
    read_changes,
    unpublished_changes,
    write_changes,
)
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query

COLUMNS = (
    "estimate_id varchar, subject varchar, dataset_id varchar, experiment varchar, "
    "judge_id varchar, setting varchar, population varchar, measure varchar, value double, "
    "low double, high double, n bigint, mart varchar"
)
Estimates = Mapping[str, tuple[float | None, float | None, float | None]]


def write_estimates(
    connection: duckdb.DuckDBPyConnection, table: str, estimates: Estimates
) -> None:
    connection.execute(f"create table {table} ({COLUMNS})")
    for key, values in estimates.items():
        connection.execute(
            f"insert into {table} values "
            "(?, 'debates', 'd', 'e', 'j', ?, '', 'accuracy', ?, ?, ?, 10, ?)",
            [key, key, *values, f"rpt_{key[0]}"],
        )


def publish(home: Home, number: int, estimates: Estimates | None) -> Version:
    """Publish a version of these estimates, each with its interval, and return it."""
    name = f"v{number:06d}-20260101T00000{number}Z"
    path = home.published / f"{name}.duckdb"
    before = current_version(home) if number > 1 else None
    connection = duckdb.connect()
    connection.execute(f"attach '{path}' as published")
    if estimates is not None:
        write_estimates(connection, "published.main.fct_estimate", estimates)
    compared = write_changes(connection, before)
    connection.execute(
        "create table published.main.publication as select ?::varchar as version_before",
        [compared.name if compared else None],
    )
    connection.close()
    home.current.unlink(missing_ok=True)
    home.current.symlink_to(path.name)
    return current_version(home)


BEFORE: Estimates = {
    "same": (0.5, 0.4, 0.6),
    "rounded": (0.1 + 0.2, 0.2, 0.4),
    "gone": (0.5, 0.4, 0.6),
    "undefined_now": (0.5, 0.4, 0.6),
    "defined_now": (None, None, None),
    "within": (0.5, 0.4, 0.6),
    "at_the_end": (0.5, 0.4, 0.6),
    "above": (0.5, 0.4, 0.6),
    "below": (0.5, 0.4, 0.6),
    "no_interval": (0.5, None, None),
    "never": (None, None, None),
}
AFTER: Estimates = {
    "same": (0.5, 0.4, 0.6),
    "rounded": (0.3, 0.2, 0.4),
    "undefined_now": (None, None, None),
    "defined_now": (0.5, 0.4, 0.6),
    "within": (0.55, 0.4, 0.7),
    "at_the_end": (0.6, 0.5, 0.7),
    "above": (0.61, 0.5, 0.7),
    "below": (0.39, 0.3, 0.5),
    "no_interval": (9.0, None, None),
    "never": (None, None, None),
    "new": (0.5, 0.4, 0.6),
    "new_without_value": (None, None, None),
}


def changes_of(version: Version) -> dict[str, str]:
    return dict(run_query(version, "select estimate_id, change from estimate_changes").rows)


def test_each_change_is_named_by_the_interval_the_estimate_had(home: Home) -> None:
    first = publish(home, 1, BEFORE)
    second = publish(home, 2, AFTER)
    assert changes_of(first) == {}
    assert changes_of(second) == {
        "new": "appeared",
        "defined_now": "appeared",
        "gone": "vanished",
        "undefined_now": "vanished",
        "above": "moved",
        "below": "moved",
        "within": "changed",
        "at_the_end": "changed",
        "no_interval": "changed",
    }
    assert read_changes(first) == EstimateChanges(None, 9, 0, 0, 0, 0, ())
    found = read_changes(second)
    assert found == EstimateChanges(first.name, 9, 2, 2, 2, 3, ("rpt_a", "rpt_b", "rpt_d"))
    assert found.sentence == (
        f"estimates against {first.name}: 2 appeared, 2 moved out of their interval, "
        "3 moved within their interval or have none, 2 vanished; most in rpt_a, rpt_b, rpt_d"
    )


def test_a_changed_estimate_keeps_what_it_was(home: Home) -> None:
    publish(home, 1, {"a": (0.5, 0.4, 0.6)})
    version = publish(home, 2, {"a": (0.7, 0.65, 0.75)})
    numbers = "value_before, low_before, high_before, n_before, value, low, high, n"
    row = run_query(
        version, f"select estimate_id, measure, change, {numbers} from estimate_changes"
    )
    expected = ("a", "accuracy", "moved", 0.5, 0.4, 0.6, 10, 0.7, 0.65, 0.75, 10)
    assert row.rows == [expected]


def test_what_a_build_changed_is_the_same_before_it_is_published(home: Home) -> None:
    before = publish(home, 1, BEFORE)
    with duckdb.connect() as connection:
        write_estimates(connection, "later", AFTER)
        connection.execute("update later set estimate_id = null, subject = null")
        found = unpublished_changes(connection, "debates", "later", before)
        of_others = unpublished_changes(connection, "speeches", "later", before)
        first = unpublished_changes(connection, "debates", "later", None)
    published = changes_of(publish(home, 2, AFTER))
    assert Counter(each.change for each in found) == Counter(published.values())
    assert found[0] == UnpublishedChange(
        "moved", "rpt_a", "accuracy", "d", "j", 0.5, 0.61, 0.5, 0.7, 10
    )
    values = [value for value, *_ in AFTER.values() if value is not None]
    assert [each.change for each in first] == ["appeared"] * len(values)
    assert Counter(each.change for each in of_others) == Counter(each.change for each in first)


def test_after_a_version_without_estimates_nothing_counts_as_changed(home: Home) -> None:
    older = publish(home, 1, None)
    assert read_changes(older) is None
    newer = publish(home, 2, AFTER)
    assert changes_of(newer) == {}
    found = read_changes(newer)
    assert found == EstimateChanges(None, 9, 0, 0, 0, 0, ())
    values = "9 estimates with a value"
    assert found.sentence == f"{values}; there is no version before to compare them with"


@pytest.mark.parametrize("folder", ["o'clock", "a b"])
def test_a_home_may_have_any_name(tmp_path: Path, folder: str) -> None:
    home = Home(tmp_path / folder).ensure()
    connection = duckdb.connect()
    path = home.published / "v000001-20260101T000001Z.duckdb"
    quoted = str(path).replace("'", "''")
    connection.execute(f"attach '{quoted}' as published")
    connection.execute("create table published.main.publication as select null as version_before")
    connection.execute(f"create table published.main.fct_estimate ({COLUMNS})")
    connection.execute("detach published")
    home.current.symlink_to(path.name)
    connection.execute("attach ':memory:' as published")
    connection.execute(f"create table published.main.fct_estimate ({COLUMNS})")
    write_changes(connection, current_version(home))
    assert connection.execute(
        "select count(*) from published.main.estimate_changes"
    ).fetchall() == [(0,)]
