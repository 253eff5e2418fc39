"""The search for ensembles against SciPy, plain loops, and data whose answer is known."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from warehouse.fits.concordance import Reference
from warehouse.fits.ensembles import POOLINGS, Scored, pooled, searched

SETTINGS = {
    "ensemble_splits": 20,
    "bootstrap_seed": 7,
    "min_units": 5,
    "max_ensemble_comparisons": 10**9,
    "scale_points": 5,
}


def _scored(scores: Any, human_mean: Any, topics: Any) -> Scored:
    matrix = np.asarray(scores, dtype=float)
    places = np.asarray(topics)
    names = [f"j/{place}" for place in range(len(matrix))]
    groups = np.arange(int(places.max()) + 1)
    return Scored(names, matrix, np.asarray(human_mean, dtype=float), places, groups)


def _noisy(noises: list[float], n_topics: int = 24, each: int = 8) -> Scored:
    draws = np.random.Generator(np.random.Philox(3))
    human = draws.uniform(1, 5, n_topics * each)
    scores = [np.clip(np.round(human + draws.normal(0, one, human.size)), 1, 5) for one in noises]
    return _scored(scores, human, np.repeat(np.arange(n_topics), each))


def _rows(one: Scored, **changed: int) -> dict[tuple[str, str], dict[str, Any]]:
    """The first row of each search by size and pooling."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in searched(one, SETTINGS | changed):
        found.setdefault((row["search_size"], row["search_pooling"]), row)
    return found


@settings(deadline=None)
@given(data=st.data())
def test_tau_c_over_samples_of_topics_is_scipys_but_for_the_number_of_values(data):
    n = data.draw(st.integers(2, 25))
    topics = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    topics = np.unique(topics, return_inverse=True)[1]
    x = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))) / 3
    y = np.array(data.draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))) / 7
    some = np.arange(topics.max() + 1) % 2 == 0
    whole, part = Reference(y, topics, np.vstack([some | True, some])).tau_c(x[None])[0]
    m = min(len(set(x)), len(set(y)))
    if m < 2:
        assert np.isnan(whole)
        return
    assert whole == pytest.approx(kendalltau(x, y, variant="c").statistic)
    kept = some[topics]
    signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y))
    expected = signs[np.ix_(kept, kept)].sum() * m / (kept.sum() ** 2 * (m - 1))
    assert part == pytest.approx(expected)


def test_topics_of_more_speeches_than_a_byte_counts_are_added_up_whole():
    values = np.arange(300.0)
    assert Reference(values, np.zeros(300, int), np.ones((1, 1), bool)).tau_c(
        values[None]
    ) == pytest.approx(1)


def test_the_best_subset_is_the_one_a_plain_search_with_scipy_finds():
    one = _noisy([0.6, 0.9, 1.2, 1.5], n_topics=6, each=4)
    rows = _rows(one)
    for size in (2, 3):
        for pooling in POOLINGS[: 1 if size == 2 else 3]:
            every = {
                members: kendalltau(
                    pooled(one.scores[list(members)], pooling), one.human_mean, variant="c"
                ).statistic
                for members in combinations(range(4), size)
            }
            # Two sums of equal scores differ in the last bit only.
            on_scale = {
                members: every[members] * 1.25 * (m - 1) / m
                for members in every
                for m in [len(np.unique(pooled(one.scores[list(members)], pooling).round(9)))]
            }
            best = max(on_scale, key=lambda members: round(on_scale[members], 9))
            row = rows[str(size), pooling]
            assert row["tau_c"] == pytest.approx(every[best])
            assert row["tau_c_on_scale"] == pytest.approx(on_scale[best])
            assert row["members"] == [f"j/{place}" for place in best]
            assert row["n_subsets"] == len(every)


def test_means_medians_and_means_rounded_half_to_even():
    scores = np.array([[2, 4, 1], [3, 5, 1], [3, 3, 5]])
    assert pooled(scores[:2], "rounded_mean").tolist() == [2, 4, 1]
    assert pooled(scores, "median").tolist() == [3, 4, 1]
    assert pooled(scores, "mean") == pytest.approx([8 / 3, 4, 7 / 3])


def test_among_judges_that_know_nothing_the_best_in_sample_is_worth_nothing_elsewhere():
    row = _rows(_noisy([60.0] * 10))["any", "any"]
    assert row["tau_c_on_scale"] > 0.08
    assert row["held_out_tau_c_low"] < 0 < row["held_out_tau_c_high"]
    assert row["gain_over_member_low"] < 0 < row["gain_over_member_high"]
    assert row["held_out_tau_c"] < row["tau_c_on_scale"] - 0.08


def test_independent_errors_average_out_and_the_gain_is_held_up():
    row = _rows(_noisy([1.2] * 5))["5", "mean"]
    assert row["gain_over_member_low"] > 0
    assert row["gain_over_member"] == pytest.approx(
        row["held_out_tau_c"] - row["held_out_member_tau_c"]
    )


def test_rounding_gains_nothing_by_being_coarse():
    fine = _noisy([1.0])
    coarse = np.where(fine.scores[0] > 2, 5, 1)
    as_observed = [
        kendalltau(scores, fine.human_mean, variant="c").statistic
        for scores in (fine.scores[0], coarse)
    ]
    assert as_observed[1] > as_observed[0]
    row = _rows(_scored([fine.scores[0], coarse], fine.human_mean, fine.topics))["1", "alone"]
    assert row["members"] == ["j/0"]
    assert row["tau_c"] == pytest.approx(as_observed[0])


def test_equal_judges_add_nothing_and_claim_no_interval():
    one = _noisy([0.8])
    rows = _rows(_scored(np.repeat(one.scores, 3, axis=0), one.human_mean, one.topics))
    assert rows["3", "median"]["gain_over_member"] == 0
    assert "gain_over_member_low" not in rows["3", "median"]
    assert rows["3", "mean"]["members"] == ["j/0", "j/1", "j/2"]
    assert rows["4", "any"]["reason"] == "fewer than 4 judges have scored the same speeches"


def test_one_judge_constant_judges_and_few_topics_have_reasons_or_no_interval():
    alone = _rows(_noisy([0.8]))
    assert alone["1", "alone"]["tau_c"] > 0.5
    assert alone["any", "any"]["reason"] == "no ensemble could be searched"
    constant = _rows(_scored([[3] * 8, [3] * 8], range(8), [0, 0, 1, 1, 2, 2, 3, 3]))
    assert constant["2", "mean"]["reason"] == "one side has the same value on every speech"
    two = _rows(_scored([[1, 2, 3, 4], [2, 1, 4, 3]], range(4), [0, 0, 1, 1]))
    assert two["2", "mean"]["held_out_tau_c"] is not None
    assert "held_out_tau_c_low" not in two["2", "mean"]
    one = _rows(_scored([[1, 2, 3, 4], [2, 1, 4, 3]], range(4), [0] * 4))
    assert one["2", "mean"]["n_splits"] == 0
    assert "held_out_tau_c" not in one["2", "mean"]


def test_a_size_that_would_take_too_long_is_refused_with_the_reason():
    rows = _rows(_noisy([0.8] * 6, n_topics=5, each=2), max_ensemble_comparisons=1500)
    assert rows["2", "mean"]["n_subsets"] == 15
    assert rows["3", "any"]["reason"] == (
        "20 subsets of 10 speeches are more than max_ensemble_comparisons allows"
    )
    # Of four there are 15 again, and 6 of five.
    assert rows["any", "any"]["n_subsets"] == 36
