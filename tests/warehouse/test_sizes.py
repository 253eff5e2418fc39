"""Where agreement bends with size, against a plain search, expanded resamples and planted bends."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from warehouse.fits.sizes import _tested, bends, resampled_tau_c

SIZES = (0.5, 1.5, 3.0, 7.0, 14.0, 32.0, 72.0)


def squares(columns: list[np.ndarray], values: np.ndarray) -> tuple[float, int]:
    design = np.column_stack(columns)
    found = np.linalg.lstsq(design, values, rcond=None)
    return float(((values - design @ found[0]) ** 2).sum()), int(found[2])


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(SIZES), st.integers(0, 1), st.integers(-20, 20)),
        min_size=7,
        max_size=14,
    ).filter(lambda rows: len({row[0] for row in rows if row[1] == 0}) >= 5)
)
def test_the_bend_is_the_best_of_all_inner_sizes(rows: list[tuple[float, int, int]]) -> None:
    x = np.log2([row[0] for row in rows])
    families = np.array([row[1] for row in rows])
    values = np.array([row[2] / 20 for row in rows])
    found = bends(x, families, values[:, None])
    base = [(families == one).astype(float) for one in sorted(set(families))] + [x]
    line, rank = squares(base, values)
    tried = []
    for knot in sorted(set(x))[1:-1]:
        error, bent_rank = squares([*base, np.maximum(0, x - knot)], values)
        if bent_rank > rank:
            tried.append((error, knot))
    assert found.sse_line[0] == pytest.approx(line, abs=1e-9)
    assert found.sse_bent[0] == pytest.approx(min(tried)[0], abs=1e-9)
    assert (
        min(abs(found.knot[0] - knot) for error, knot in tried if error < min(tried)[0] + 1e-9) == 0
    )


def test_tau_c_of_resamples_is_that_of_the_topics_written_out() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(1, 6, 30).astype(float), rng.integers(4, 16, 30) / 4
    topics = np.repeat(np.arange(6), 5)
    counts = rng.multinomial(6, [1 / 6] * 6, size=20).astype(float)
    found = resampled_tau_c(x, y, topics, counts)
    assert resampled_tau_c(x, y, topics, np.ones((1, 6)))[0] == pytest.approx(
        stats.kendalltau(x, y, variant="c").statistic
    )
    m = min(len(set(x)), len(set(y)))
    for one, drawn in zip(found, counts, strict=True):
        places = np.concatenate(
            [np.repeat(np.flatnonzero(topics == t), int(w)) for t, w in enumerate(drawn)]
        )
        total = sum(
            np.sign(x[a] - x[b]) * np.sign(y[a] - y[b])
            for a, b in itertools.combinations(places, 2)
        )
        assert one == pytest.approx(2 * m * total / (len(places) ** 2 * (m - 1)))


def members_of(agreements: Iterable[float], replicates: int) -> list[dict[str, Any]]:
    """Return models of a family, one of each size, with these agreements."""
    common = {"measure": "tau_c", "family": "f", "bootstrap_replicates": replicates}
    return [
        common | {"size_b_params": size, "agreement": value}
        for size, value in zip(SIZES, agreements, strict=True)
    ]


def trend(values: np.ndarray, noise: float, rng: np.random.Generator) -> dict[str, float]:
    """What is found of models of these true agreements, each moved by topics alone."""
    centre = values + noise * rng.normal(size=len(SIZES))
    drawn = centre[:, None] + noise * rng.normal(size=(len(SIZES), 199))
    return _tested(members_of(centre, 199), drawn, 40)


def test_a_planted_bend_is_found_and_a_line_seldom_bends() -> None:
    rng = np.random.default_rng(5)
    x = np.log2(SIZES)
    bent = [trend(np.minimum(0, x - np.log2(7)) * 0.1 + 0.5, 0.03, rng) for _ in range(100)]
    assert np.mean([row["p"] < 0.05 for row in bent]) > 0.9
    assert (
        np.mean([row["turning_size_low"] <= 7 <= row["turning_size_high"] for row in bent]) > 0.95
    )
    straight = [trend(0.05 * x, 0.03, rng)["p"] for _ in range(200)]
    # 95 % Clopper-Pearson of 200 tests at 5 % is about 2 to 9 in 100.
    assert 0.01 < np.mean(np.array(straight) < 0.05) < 0.1


def test_scatter_of_models_does_not_pass_for_a_bend_when_models_are_shuffled() -> None:
    rng = np.random.default_rng(9)
    found = [
        trend(0.05 * np.log2(SIZES) + 0.1 * rng.normal(size=7), 0.001, rng) for _ in range(200)
    ]
    # Topics alone would call nearly every scatter a bend: why the other p stands beside.
    assert np.mean([row["p"] < 0.05 for row in found]) > 0.9
    assert np.mean([row["p_permuted"] < 0.05 for row in found]) < 0.1


def test_too_few_topics_leave_the_bend_without_interval_and_p() -> None:
    members = members_of([0.1 * at for at in range(len(SIZES))], 9)
    row = _tested(members, np.ones((7, 9)), 4)
    assert row["reason"] == "fewer than 5 topics"
    assert "p" not in row
    row = _tested(members, np.ones((7, 9)), 5)
    assert row["reason"] == "nothing varies between the resamples"
