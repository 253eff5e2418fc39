"""People and judges on one scale, against an independent likelihood and planted truths."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

from warehouse.fits.facets import Ratings, fit, subsets
from warehouse.fits.scales import categories, scales

STEPS = np.array([-1.2, 0.1, 1.1])


class Planted(NamedTuple):
    ratings: Ratings
    people: np.ndarray
    judge: np.ndarray


def planted(seed: int, topics: int, *, people: int = 8, per_item: int = 5) -> Planted:
    """Three sources, people who score some of the items each, and a judge who scores all."""
    draws = np.random.default_rng(seed)
    source = np.tile(np.arange(3), topics)
    quality = np.array([-0.6, 0.3, 0.9])[source] + 0.7 * draws.normal(size=3 * topics)
    severity = np.linspace(-0.8, 0.8, people)
    judge = np.array([0.9, 0.2, 0.4])
    item = np.repeat(np.arange(3 * topics), per_item + 1)
    rater = np.concatenate(
        [[*draws.choice(people, per_item, replace=False), people] for _ in range(3 * topics)]
    )
    strict = np.where(rater < people, severity[np.minimum(rater, people - 1)], judge[source[item]])
    passed = np.concatenate([[0.0], np.cumsum(STEPS)])
    chance = np.exp(np.arange(4) * (quality[item] - strict)[:, None] - passed)
    chance /= chance.sum(axis=1, keepdims=True)
    score = (draws.random(len(item))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    is_judge = np.arange(people + 1) == people
    return Planted(
        Ratings(
            item, rater, score.astype(float), np.repeat(np.arange(topics), 3), source, is_judge, 3
        ),
        severity,
        judge,
    )


def likeliest(ratings: Ratings) -> np.ndarray:
    """People's severities, the judge's by source, thresholds: by SciPy, quality on a fine grid."""
    people = int((~ratings.is_judge).sum())
    table = np.full((len(ratings.source), people + 1), -1)
    table[ratings.item, ratings.rater] = ratings.score.astype(int)
    # In units of the spread: a fixed grid misses a spread below its steps, which can be likeliest.
    grid = np.linspace(-8, 8, 321)
    density = norm.logpdf(grid) + np.log(grid[1] - grid[0])
    weight = np.bincount(ratings.rater, minlength=people + 1)[:people]

    def unpacked(values: np.ndarray) -> tuple[np.ndarray, ...]:
        steps = values[people + 3 : people + 6] - values[people + 3 : people + 6].mean()
        strict = values[:people] - weight @ values[:people] / weight.sum()
        return strict, values[people : people + 3], steps, values[people + 6 : people + 9]

    def loss(values: np.ndarray) -> float:
        strict, judge, steps, means = unpacked(values)
        passed = np.concatenate([[0.0], np.cumsum(steps)])
        total = 0.0
        for source in range(3):
            own = table[ratings.source == source]
            quality = means[source] + np.exp(values[-1]) * grid
            logs = density + np.zeros((len(own), 1))
            for rater in range(people + 1):
                severity = strict[rater] if rater < people else judge[source]
                each = np.arange(4)[:, None] * (quality - severity) - passed[:, None]
                each -= np.logaddexp.reduce(each, axis=0)
                there = own[:, rater] >= 0
                logs[there] += each[own[there, rater]]
            total += np.logaddexp.reduce(logs, axis=1).sum()
        return -total

    start = np.zeros(people + 10)
    found = minimize(loss, start, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-13}).x
    return np.concatenate([*unpacked(found), [np.exp(found[-1])], [loss(found)]])


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**31))
@example(20919)
def test_the_fit_is_the_maximum_that_scipy_finds_of_an_independent_likelihood(seed: int) -> None:
    data = planted(seed, 15, people=4, per_item=3)
    scale, expected = fit(data.ratings), likeliest(data.ratings)
    assert scale.is_settled
    found = np.concatenate([scale.severities, scale.thresholds, scale.source_means])
    # A likeliest spread of nothing is held at 0.02, nearly as likely.
    is_held = expected[-2] < 0.02
    assert -scale.log_likelihood == pytest.approx(expected[-1], abs=0.01 if is_held else 1e-4)
    assert found == pytest.approx(expected[:-2], abs=5e-3)
    assert scale.spread == pytest.approx(0.02 if is_held else expected[-2], abs=5e-3)


def test_qualities_have_the_centre_of_severities() -> None:
    # The likelihood tells only differences: its maximum has a source's mean at its items' mean.
    for seed in range(4):
        ratings = planted(seed, 15, people=4, per_item=3).ratings
        scale = fit(ratings)
        means = [scale.quality[ratings.source == number].mean() for number in range(3)]
        assert means == pytest.approx(scale.source_means, abs=1e-5)


def test_planted_severities_are_recovered_within_their_errors() -> None:
    data = planted(11, 400)
    scale = fit(data.ratings)
    errors = np.sqrt((scale.influences**2).sum(axis=0))
    weight = np.bincount(data.ratings.rater)[:8]
    truth = np.concatenate([data.people, data.judge]) - weight @ data.people / weight.sum()
    assert np.abs((scale.severities - truth) / errors).max() < 3.5
    assert scale.spread == pytest.approx(0.7, abs=0.05)
    assert scale.thresholds == pytest.approx(STEPS, abs=0.15)
    squared, variance, standard, count = scale.fit.sum(axis=1)
    # Scores are as the model says: squared residuals as large as their variances.
    assert squared / variance == pytest.approx(np.ones(9), abs=0.1)
    assert standard / count == pytest.approx(np.ones(9), abs=0.15)


def test_two_raters_who_differ_on_some_items_are_as_far_apart_as_the_odds_of_it() -> None:
    # Of two categories, and with items whose scores sum to 1, the first rater has the higher score
    # on 3 and the second on 1: by the conditional likelihood the severities differ by log(3). The
    # marginal one is near it, and by symmetry about 0.
    pairs = [(1, 0)] * 30 + [(0, 1)] * 10 + [(1, 1)] * 40 + [(0, 0)] * 40
    item = np.repeat(np.arange(len(pairs)), 2)
    rater = np.tile([0, 1], len(pairs))
    score = np.array(pairs, dtype=float).ravel()
    zeros = np.zeros(len(pairs), dtype=np.int64)
    scale = fit(
        Ratings(item, rater, score, np.arange(len(pairs)), zeros, np.zeros(2, dtype=bool), 1)
    )
    assert scale.severities.sum() == pytest.approx(0, abs=1e-9)
    assert scale.severities[1] - scale.severities[0] == pytest.approx(np.log(3), abs=0.05)
    # The same likelihood by adaptive quadrature.
    gap, mean, spread = scale.severities[1], scale.source_means[0], scale.spread

    def chance(pair: tuple[int, int]) -> float:
        def at(quality: float) -> float:
            one, other = quality + gap, quality - gap
            likely = np.exp(pair[0] * one + pair[1] * other)
            return float(
                likely / (1 + np.exp(one)) / (1 + np.exp(other)) * norm.pdf(quality, mean, spread)
            )

        return float(quad(at, mean - 12 * spread, mean + 12 * spread)[0])

    total = sum(np.log(chance(pair)) for pair in pairs)
    assert scale.log_likelihood == pytest.approx(total, abs=1e-6)


def test_influences_are_those_of_the_sandwich_by_brute_force() -> None:
    data = planted(5, 30, people=4, per_item=3)
    whole = fit(data.ratings)
    topic = data.ratings.cluster[data.ratings.item]
    for left_out in (0, 7):
        kept = topic != left_out
        one = fit(
            Ratings(
                data.ratings.item[kept],
                data.ratings.rater[kept],
                data.ratings.score[kept],
                data.ratings.cluster,
                data.ratings.source,
                data.ratings.is_judge,
                3,
            )
        )
        moved = whole.severities - one.severities
        centre = np.average(
            one.severities[:4], weights=np.bincount(data.ratings.rater, minlength=5)[:4]
        )
        # To first order; the second is as small as a topic's share of the data.
        assert moved + centre == pytest.approx(whole.influences[left_out], abs=0.03)


def test_raters_without_an_item_in_common_are_in_different_subsets() -> None:
    item, rater = np.array([0, 0, 1, 1, 2, 3, 3]), np.array([0, 1, 1, 2, 3, 3, 4])
    assert subsets(item, rater, 4, 5).tolist() == [0, 0, 0, 1, 1]


def test_disconnected_raters_are_named_and_never_put_on_one_scale() -> None:
    draws = np.random.default_rng(2)
    rows: list[tuple[Any, ...]] = []
    for group, size in (("a", 3), ("b", 2)):
        for item, rater in product(range(20), range(size)):
            about = (f"{group}{item}", f"{group}t{item // 2}", "x", None)
            score = float(draws.integers(1, 5))
            rows.append(("s", f"{group}{rater}", False, *about, score, 5))
    rows += [("s", "alone", False, "z", "zt", "x", None, 3.0, 5)]
    found = fitted(rows)
    raters = {row["name"]: row for row in found if row["quantity"] == "rater"}
    assert {row["n_subsets"] for row in found} == {3}
    parts = {"a0": 1, "a1": 1, "a2": 1, "b0": 2, "b1": 2, "alone": 3}
    assert {name: row["subset"] for name, row in raters.items()} == parts
    for group in ("a", "b"):
        own = [row for name, row in raters.items() if name.startswith(group) and name != "alone"]
        # Each subset has its own centre.
        assert sum(row["estimate"] for row in own) == pytest.approx(0, abs=1e-6)
    assert raters["alone"]["estimate"] is None
    assert raters["alone"]["reason"] == "nobody else scored its items"


def test_a_rater_at_one_end_has_a_reason_and_changes_nothing() -> None:
    data = planted(3, 40).ratings

    def said(rater: str, item: int, score: float) -> tuple[Any, ...]:
        source = data.source[item]
        origin = "human" if source == 0 else "machine"
        about = (f"i{item}", f"t{data.cluster[item]}", f"x{source}", origin)
        return ("s", rater, rater == "r8", *about, float(score), 5)

    given_scores = zip(data.rater, data.item, data.score, strict=True)
    common = [said(f"r{rater}", item, score) for rater, item, score in given_scores]
    ends = [said("top", item, 3.0) for item in range(120)]
    plain, more = (
        {row["name"]: row for row in fitted(rows) if row["quantity"] == "rater"}
        for rows in (common, common + ends)
    )
    assert more["top"]["estimate"] is None
    assert more["top"]["reason"] == "all its scores lie at one end of the scale"
    for name, row in plain.items():
        assert more[name]["estimate"] == pytest.approx(row["estimate"], abs=1e-6)


def test_scores_between_two_of_peoples_are_parts_of_both_and_fine_scales_are_refused() -> None:
    is_judge = np.array([False, False, True])
    assert categories(np.array([1.0, 4.0, 2.5]), is_judge).tolist() == [1, 2, 3, 4]
    assert categories(np.array([1.5, 4.0, 2.2]), is_judge).tolist() == [1.5, 4.0]
    rows = [
        ("s", f"r{rater}", False, f"i{item}", f"t{item}", "x", None, item + rater / 2, 5)
        for item in range(12)
        for rater in range(2)
    ]
    assert {row["reason"] for row in fitted(rows)} == {"people's scores have more than 11 values"}


def fitted(rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = [
        "scale_id",
        "rater_key",
        "is_judge",
        "instance_id",
        "cluster_id",
        "source",
        "origin",
        "value",
        "min_units",
    ]
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    found: list[dict[str, Any]] = scales(duckdb.connect().from_arrow(table)).to_pylist()
    return found
