"""Power before a run: against enumeration, against simulation, and where it must be null."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from warehouse.power import (
    Stratum,
    effective_units,
    first_rank_alpha,
    half_width,
    labels_needed,
    mcnemar_power,
    smallest_difference,
    smallest_mean_difference,
    smallest_slope,
    smallest_stratified_difference,
    stratified_power,
)


def quoted_p(b: int, c: int) -> float:
    if b + c == 0:
        return 1.0
    if b + c < 25:
        return float(stats.binomtest(b, b + c, 0.5).pvalue)
    return float(stats.chi2.sf((b - c) ** 2 / (b + c), 1))


@pytest.mark.parametrize(("discordant", "difference"), [(0.4, 0.3), (0.9, 0.0), (0.5, 0.5)])
def test_power_is_the_sum_over_every_table_of_a_small_experiment(
    discordant: float, difference: float
) -> None:
    units = 40
    one, other = (discordant + difference) / 2, (discordant - difference) / 2
    expected = sum(
        stats.multinomial.pmf([b, c, units - b - c], units, [one, other, 1 - discordant])
        for b, c in itertools.product(range(units + 1), repeat=2)
        if b + c <= units and quoted_p(b, c) < 0.05
    )
    assert mcnemar_power(units, discordant, difference) == pytest.approx(expected, abs=1e-9)


def test_a_test_holds_its_level_where_nothing_is_there() -> None:
    assert mcnemar_power(50, 0.2, 0.0) < 0.05
    assert mcnemar_power(5000, 0.2, 0.0) == pytest.approx(0.05, abs=0.003)


def test_the_smallest_difference_has_the_power_asked_for_and_shrinks_with_more_debates() -> None:
    found = [smallest_difference(units, 0.2).difference for units in (200, 800, 3200)]
    assert all(found)
    for units, difference in zip((200, 800, 3200), found, strict=True):
        assert difference is not None
        assert mcnemar_power(units, 0.2, difference) == pytest.approx(0.8, abs=1e-3)
    # Four times the debates halve it, but for the switch from the exact test to the chi-square.
    assert found[1] is not None
    assert found[2] is not None
    assert found[1] / found[2] == pytest.approx(2, rel=0.05)
    assert smallest_difference(200, 0.2, first_rank_alpha(20)).difference > found[0]  # type: ignore[operator]


def test_where_nothing_could_be_found_it_says_so() -> None:
    found = smallest_difference(8, 0.2)
    assert found.difference is None
    assert found.reason is not None
    assert "too few pairs" in found.reason
    assert smallest_stratified_difference([Stratum(1, 500, 0.5)]).difference is None
    with pytest.raises(ValueError, match="no difference"):
        mcnemar_power(100, 0.1, 0.2)


def test_a_stratified_test_has_the_power_a_simulation_shows() -> None:
    strata = [Stratum(75, 150, 0.3), Stratum(150, 75, 0.7)]
    found = smallest_stratified_difference(strata)
    assert found.difference is not None
    generator = np.random.Generator(np.random.Philox(7))
    numerator, variance = np.zeros(20_000), np.zeros(20_000)
    for stratum in strata:
        first, second = int(stratum.con_closes), int(stratum.pro_closes)
        total = first + second
        a = generator.binomial(first, stratum.share + found.difference * second / total, 20_000)
        b = generator.binomial(second, stratum.share - found.difference * first / total, 20_000)
        named = a + b
        numerator += a - first * named / total
        variance += first * second * named * (total - named) / (total**2 * (total - 1))
    rejected = numerator**2 / variance > stats.chi2.isf(0.05, 1)
    assert np.mean(rejected) == pytest.approx(0.8, abs=0.01)
    assert stratified_power(strata, 0.0) == pytest.approx(0.05, abs=0.002)


def test_a_slope_is_found_at_two_point_eight_standard_errors() -> None:
    found = smallest_slope(0.01).difference
    assert found == pytest.approx(0.028016, abs=1e-6)
    assert stats.norm.sf(stats.norm.isf(0.025) - found / 0.01) == pytest.approx(0.8, abs=1e-4)


def test_twins_that_agree_wholly_are_worth_their_number_of_clusters() -> None:
    assert effective_units(50, 25, 1.0) == 25
    assert effective_units(50, 25, 0.0) == 50
    assert effective_units(50, 50, 0.7) == 50


@pytest.mark.parametrize(("pairs", "printed"), [(5, 1.682), (10, 0.996), (20, 0.660), (100, 0.283)])
def test_the_smallest_mean_difference_is_that_of_the_paired_t_test(
    pairs: int, printed: float
) -> None:
    # As R's power.t.test(n, power = 0.8, type = "paired") has it.
    found = smallest_mean_difference(pairs).difference
    assert found == pytest.approx(printed, abs=5e-4)
    draws = np.random.default_rng(1).normal(found, 1, (4000, pairs))
    share = np.mean(stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05)
    assert share == pytest.approx(0.8, abs=0.03)


def test_one_pair_finds_no_mean_difference_and_says_so() -> None:
    found = smallest_mean_difference(1)
    assert found.difference is None
    assert "too few pairs" in str(found.reason)


@pytest.mark.parametrize(
    ("items", "correlation", "labels"),
    [
        # People alone: (1.96 * 0.5 / 0.03)^2 = 1067.1.
        (math.inf, 0.0, 1068),
        # Endless items take off the square of the correlation: 1067.07 * (1 - 0.6^2) = 682.9.
        (math.inf, 0.6, 683),
        (400, 0.9, None),
    ],
)
def test_labels_needed_are_those_of_the_textbook(
    items: float, correlation: float, labels: int | None
) -> None:
    assert labels_needed(0.03, items, 0.5, correlation) == labels


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9, -0.9])
def test_one_label_fewer_is_too_few(correlation: float) -> None:
    found = labels_needed(0.05, 3000, 0.5, correlation)
    assert found is not None
    assert half_width(found, 3000, 0.5, correlation) <= 0.05
    assert half_width(found - 1, 3000, 0.5, correlation) > 0.05
