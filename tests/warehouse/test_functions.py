"""Functions that SQL lacks, against SciPy and against what chance must give."""

import math
from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from scipy import stats

from warehouse.functions import register


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        register(connection)
        yield connection


@pytest.mark.parametrize("df", [1, 2, 4.5, 30, 1e6])
@pytest.mark.parametrize("probability", [0.001, 0.025, 0.5, 0.975, 0.999])
def test_t_quantiles_are_scipys(
    connection: duckdb.DuckDBPyConnection, probability: float, df: float
) -> None:
    (found,) = connection.execute("select student_t_quantile(?, ?)", [probability, df]).fetchone()
    assert found == pytest.approx(stats.t.ppf(probability, df), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("df", [1, 4, 30])
@pytest.mark.parametrize("statistic", [-40.0, -2.228, 0.0, 1.5])
def test_the_p_of_t_is_twice_scipys_tail(
    connection: duckdb.DuckDBPyConnection, statistic: float, df: float
) -> None:
    (found,) = connection.execute("select student_t_two_sided(?, ?)", [statistic, df]).fetchone()
    assert found == pytest.approx(2 * stats.t.cdf(-abs(statistic), df), rel=1e-12)


def test_normal_quantiles_are_scipys(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "select p, normal_quantile(p) from (select unnest([0.025, 0.5, 0.975, 0.999])::double as p)"
    ).fetchall()
    for probability, quantile in rows:
        assert quantile == pytest.approx(stats.norm.ppf(probability), rel=1e-12, abs=1e-12)
    assert round(rows[2][1], 6) == 1.959964


@pytest.mark.parametrize(
    "call",
    [
        "student_t_quantile(0.975, 0)",
        "student_t_quantile(0.975, -1)",
        "student_t_quantile(0.975, null)",
        "student_t_quantile(null, 5)",
        "student_t_quantile(1.5, 5)",
        "normal_quantile(1.5)",
        "normal_quantile(-0.1)",
        "normal_quantile(null)",
        "student_t_two_sided(1, 0)",
        "student_t_two_sided(null, 5)",
    ],
)
def test_where_there_is_no_quantile_there_is_null(
    connection: duckdb.DuckDBPyConnection, call: str
) -> None:
    assert connection.execute(f"select {call}").fetchall() == [(None,)]


def _counts(
    connection: duckdb.DuckDBPyConnection, seed: int, size: int, replicates: str
) -> dict[int, list[int]]:
    return dict(
        connection.execute(
            f"select r, resample_counts({seed}, {size}, r) from {replicates} as t(r)"
        ).fetchall()
    )


def test_each_replicate_draws_as_many_units_as_there_are(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    counts = _counts(connection, 7, 13, "range(1, 201)")
    assert all(len(row) == 13 and sum(row) == 13 and min(row) >= 0 for row in counts.values())


def test_draws_do_not_depend_on_batching_threads_or_order(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    whole = _counts(connection, 7, 9, "range(1, 6001)")
    backwards = _counts(connection, 7, 9, "(select * from range(1, 6001) as s(r) order by r desc)")
    assert whole == backwards
    for number in (1, 2048, 2049, 6000):
        assert _counts(connection, 7, 9, f"(values ({number}))") == {number: whole[number]}
    with duckdb.connect(config={"threads": 1}) as single:
        register(single)
        assert _counts(single, 7, 9, "range(1, 6001)") == whole


def test_seeds_and_replicates_differ(connection: duckdb.DuckDBPyConnection) -> None:
    first, second = (_counts(connection, seed, 40, "range(1, 51)") for seed in (1, 2))
    assert len({tuple(row) for row in (*first.values(), *second.values())}) == 100


def test_every_unit_is_drawn_once_on_average_and_as_often_as_chance_says(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    size, replicates = 10, 4000
    counts = np.array(list(_counts(connection, 3, size, f"range(1, {replicates + 1})").values()))
    # A count is binomial(n, 1/n): mean 1, variance 1 - 1/n.
    error = math.sqrt((1 - 1 / size) / replicates)
    assert np.all(np.abs(counts.mean(axis=0) - 1) < 4.5 * error)
    assert counts.var() == pytest.approx(1 - 1 / size, rel=0.03)
    # A unit is left out with probability (1 - 1/n)^n = 0.3487.
    assert (counts == 0).mean() == pytest.approx((1 - 1 / size) ** size, abs=0.01)


def test_a_pinned_replicate_never_changes(connection: duckdb.DuckDBPyConnection) -> None:
    # Published intervals depend on these draws; change them only together with the intervals.
    assert _counts(connection, 11, 6, "(values (5))") == {5: [0, 1, 2, 2, 0, 1]}
    assert _counts(connection, 20240607, 8, "(values (1))") == {1: [0, 0, 1, 3, 1, 1, 2, 0]}


@pytest.mark.parametrize("size", [5, 256, 257])
def test_the_error_of_calibrated_forecasts_is_the_mean_over_drawn_outcomes(
    connection: duckdb.DuckDBPyConnection, size: int
) -> None:
    generator = np.random.default_rng(size)
    chance, bins = generator.random(size), generator.integers(0, 4, size)
    ties = generator.random(size) < 0.2
    found = connection.execute(
        "select calibrated_ece(7, 20, $1::double[], $2::bigint[], $3::boolean[])",
        [chance.tolist(), bins.tolist(), ties.tolist()],
    ).fetchone()
    order = np.argsort(bins, kind="stable")
    errors = []
    for replicate in range(1, 21):
        key = np.array([7, replicate], dtype=np.uint64)
        draws = np.random.Generator(np.random.Philox(key=key)).random(size)
        outcome = np.where(ties[order], 0.5, draws < chance[order])
        sums = np.bincount(bins[order], outcome - chance[order])
        errors.append(np.abs(sums).sum() / size)
    assert found == (pytest.approx(np.mean(errors), rel=1e-12),)


@pytest.mark.parametrize("at_a_time", [3, 2_000])
def test_ratios_over_pairs_weigh_each_pair_by_the_draws_of_both_its_units(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    """Lists of one panel have pairs of their own; a panel of another size has other draws."""
    monkeypatch.setattr("warehouse.fits.resampling._PAIRS_AT_A_TIME", at_a_time)
    rng = np.random.default_rng(4)
    made = []
    for size in (6, 6, 9):
        pairs = [(a, b) for a in range(1, size + 1) for b in range(a + 1, size + 1)]
        kept = [pair for pair in pairs if rng.random() < 0.7]
        made.append((size, kept, rng.random(len(kept)), rng.integers(0, 3, len(kept))))
    # The only pair of a list counts nothing, or is not drawn.
    made.append((6, [(2, 5)], np.array([0.0]), np.array([0])))
    made.append((6, [(2, 5)], np.array([0.5]), np.array([1])))
    connection.execute(
        "create or replace table lists (id int, n int, a int[], b int[], s double[], c double[])"
    )
    for at, (size, pairs, sums, counts) in enumerate(made):
        connection.execute(
            "insert into lists values (?, ?, ?, ?, ?, ?)",
            [at, size, *map(list, zip(*pairs, strict=True)), sums.tolist(), counts.tolist()],
        )
    found = dict(
        connection.execute(
            "select id, resampled_pair_ratios(11, 30, n, a, b, s, c) from lists"
        ).fetchall()
    )
    for at, (size, pairs, sums, counts) in enumerate(made):
        drawn = _counts(connection, 11, size, "range(1, 31)")
        for replicate in range(1, 31):
            weights = [drawn[replicate][a - 1] * drawn[replicate][b - 1] for a, b in pairs]
            below = sum(w * c for w, c in zip(weights, counts, strict=True))
            above = sum(w * s for w, s in zip(weights, sums, strict=True))
            expected = pytest.approx(above / below, rel=1e-12) if below else None
            assert found[at][replicate - 1] == expected
    assert set(found[3]) == {None}
    assert None in found[4]
    assert 0.5 in found[4]
