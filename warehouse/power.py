"""Power of the tests on verdicts and numbers of labels, for plans of experiments.

All tests are paired, on the same debates, as in the reports. Differences and shares are between 0
and 1. Clustered debates (side-swapped twins) count for less than their number: `effective_units`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

# Below this many discordant pairs the reports use the exact test.
EXACT_BELOW = 25
TARGET_POWER = 0.8
_Z = float(stats.norm.ppf(0.975))
ALPHA = 0.05
# Fewest debates of a group for the normal approximation of shares.
_FEWEST = 5
# Shares of discordant pairs for a plan without an earlier run.
DISCORDANT_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True)
class Detectable:
    """Smallest effect with the target power, or the reason that there is none."""

    difference: float | None
    alpha: float
    reason: str | None = None


def effective_units(units: float, clusters: float, correlation: float) -> float:
    """Return the number of independent debates that clustered ones are worth.

    Kish's design effect: 1 + (size - 1) x correlation, for clusters of about the same size.

    Args:
        clusters: Groups of dependent debates; as many as debates where all are independent.
        correlation: Correlation of the paired differences within a cluster, 0 to 1.
    """
    size = units / clusters
    return units / (1 + (size - 1) * correlation)


def mcnemar_power(
    units: float, discordant: float, difference: float, alpha: float = ALPHA
) -> float:
    """Return the power of McNemar's test as in the reports.

    The number of discordant pairs is binomial; given it, so is the number on one side. The p is the
    exact one below 25 discordant pairs and that of the uncorrected chi-square from there on. The
    power is the sum over both distributions, exact but for whole numbers of pairs.

    Args:
        units: Pairs; fractions of clustered units are rounded down.
        discordant: Share of discordant pairs.
        difference: Share discordant one way minus share discordant the other way; at most
            `discordant` in size.
    """
    if not 0 < discordant <= 1 or abs(difference) > discordant + 1e-12:
        message = f"power: no difference of {difference} with {discordant} of pairs discordant"
        raise ValueError(message)
    pairs = int(units)
    towards = min(1.0, (discordant + abs(difference)) / (2 * discordant))
    counts = np.arange(1, pairs + 1)
    weight = stats.binom.pmf(counts, pairs, discordant)
    likely = weight > weight.max() * 1e-12
    counts, weight = counts[likely], weight[likely]
    critical = _largest_rejected(counts, alpha)
    given = np.where(
        critical >= 0,
        stats.binom.cdf(critical, counts, 1 - towards)
        + stats.binom.sf(counts - critical - 1, counts, 1 - towards),
        0.0,
    )
    return float(np.sum(weight * given))


def _largest_rejected(counts: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the largest smaller count that is significant among discordant pairs; -1 for none."""
    # (count - 2 b)^2 / count >= critical value.
    largest: NDArray[np.float64] = np.floor(
        (counts - np.sqrt(stats.chi2.isf(alpha, 1) * counts)) / 2 + 1e-12
    )
    for count in range(1, EXACT_BELOW):
        fewer = np.arange(0, count // 2 + 1)
        p = np.minimum(1.0, 2 * stats.binom.cdf(fewer, count, 0.5))
        largest[counts == count] = np.sum(p < alpha) - 1
    return largest


def smallest_difference(units: float, discordant: float, alpha: float = ALPHA) -> Detectable:
    """Return the smallest difference that McNemar's test finds with the target power."""

    def power(difference: float) -> float:
        return mcnemar_power(units, discordant, difference, alpha) if int(units) else 0.0

    return _smallest(power, discordant, alpha, "pairs")


def _smallest(
    power: Callable[[float], float], largest: float, alpha: float, units: str
) -> Detectable:
    if power(largest) < TARGET_POWER:
        reason = f"too few {units}: not even a difference of {largest:g} would be found"
        return Detectable(None, alpha, reason)
    found = optimize.brentq(lambda each: power(each) - TARGET_POWER, 0.0, largest, xtol=1e-6)
    return Detectable(float(found), alpha)


@dataclass(frozen=True)
class Stratum:
    """Debates with one human winner, closed by Con or Pro.

    Attributes:
        share: Share of them in which the judge names Con.
    """

    con_closes: float
    pro_closes: float
    share: float

    @property
    def weight(self) -> float:
        """The stratum's Mantel-Haenszel weight."""
        return self.con_closes * self.pro_closes / (self.con_closes + self.pro_closes)

    @property
    def largest(self) -> float:
        """Largest difference that the share allows."""
        return 2 * min(self.share, 1 - self.share)


def stratified_power(strata: Sequence[Stratum], difference: float, alpha: float = ALPHA) -> float:
    """Return the power of the Mantel-Haenszel test of order bias.

    A normal approximation to the sum over strata; the difference is the same in each.

    Args:
        difference: The true difference of the shares in which Con is named, Con closing minus Pro
            closing.
    """
    null = true = 0.0
    for stratum in strata:
        total = stratum.con_closes + stratum.pro_closes
        high = stratum.share + difference * stratum.pro_closes / total
        low = stratum.share - difference * stratum.con_closes / total
        null += stratum.weight * stratum.share * (1 - stratum.share) * total / max(total - 1, 1)
        true += stratum.weight**2 * (
            max(0.0, high * (1 - high)) / stratum.con_closes
            + max(0.0, low * (1 - low)) / stratum.pro_closes
        )
    return _two_sided_power(
        abs(difference) * sum(stratum.weight for stratum in strata),
        math.sqrt(null),
        math.sqrt(true),
        alpha,
    )


def smallest_stratified_difference(strata: Sequence[Stratum], alpha: float = ALPHA) -> Detectable:
    """Return the smallest order bias found with the target power."""
    fewest = min(min(stratum.con_closes, stratum.pro_closes) for stratum in strata)
    if fewest < _FEWEST:
        reason = f"too few debates: one group has {fewest:g}, and it takes {_FEWEST}"
        return Detectable(None, alpha, reason)
    largest = min(stratum.largest for stratum in strata)
    return _smallest(
        lambda difference: stratified_power(strata, difference, alpha), largest, alpha, "debates"
    )


def smallest_slope(standard_error: float, alpha: float = ALPHA) -> Detectable:
    """Return the smallest slope with the target power (normal approximation), if at most 1.

    The standard error is residual sd / (sd of the length ratio x sqrt(debates)).
    """
    found = float(standard_error * (stats.norm.isf(alpha / 2) + stats.norm.ppf(TARGET_POWER)))
    if found > 1:
        return Detectable(None, alpha, "lengths differ too little")
    return Detectable(found, alpha)


def smallest_mean_difference(units: float) -> Detectable:
    """Return the smallest mean of paired differences, in standard deviations, for the t test."""
    pairs = int(units)
    if pairs < 2:
        return Detectable(None, ALPHA, f"too few pairs: there is {pairs}, and it takes 2")
    bound = stats.t.isf(ALPHA / 2, pairs - 1)

    # The other tail adds nothing at a useful power.
    def lacking(shift: float) -> float:
        return TARGET_POWER - float(stats.nct.sf(bound, pairs - 1, shift))

    most = 2 * bound
    while lacking(most) > 0:
        most *= 2
    return Detectable(float(optimize.brentq(lacking, 0, most)) / math.sqrt(pairs), ALPHA)


def _two_sided_power(effect: float, null_error: float, true_error: float, alpha: float) -> float:
    bound = stats.norm.isf(alpha / 2) * null_error
    if true_error == 0:
        return float(effect > bound)
    return float(
        stats.norm.sf((bound - effect) / true_error)
        + stats.norm.cdf((-bound - effect) / true_error)
    )


def first_rank_alpha(tests: int) -> float:
    """Return the level at which a single effect passes Benjamini-Hochberg among many tests."""
    return ALPHA / max(1, tests)


def half_width(labels: int, items: float, sd: float, correlation: float) -> float:
    """Return the half width of the 95 % interval of a mean with a judge, for large samples.

    With the best weight the variance of the estimate is sd^2 / n (1 - r^2 / (1 + n / N)) for n
    labels and N other items (Angelopoulos, Duchi and Zrnic 2023, PPI++); r = 0 is the mean of the
    labels alone.

    Args:
        items: Items of the frame, n + N; infinite if the judge's answers are free.
        sd: Standard deviation of labels, times the root of the design effect of clusters.
        correlation: Correlation r of labels and the judge's answers.
    """
    others = items - labels
    gain = 0.0 if others <= 0 else correlation**2 / (1 + labels / others)
    return _Z * math.sqrt(max(0.0, sd**2 / labels * (1 - gain)))


def labels_needed(wanted: float, items: float, sd: float, correlation: float) -> int | None:
    """Return the fewest labels for a half width; None if all labels are too few."""
    # The width falls with every label, also where the judge's part of the variance is fixed.
    most = math.ceil((_Z * sd / wanted) ** 2)
    low, high = 1, max(1, most)
    if high > items and half_width(math.floor(items), items, sd, correlation) > wanted:
        return None
    high = int(min(high, items))
    while low < high:
        middle = (low + high) // 2
        if half_width(middle, items, sd, correlation) <= wanted:
            high = middle
        else:
            low = middle + 1
    return low
