"""Growth of agreement with the number of raters, and the number of raters that a judge equals.

Of each item some raters are drawn as the reference; the mean of k of its other raters, and a judge,
are correlated with the reference's mean. That is averaged over seeded draws. A judge equals as many
raters as correlate with the reference as it does: interpolated between the numbers measured, beyond
them by Spearman and Brown's formula [1]_ (Pearson's correlation only).

References:
    .. [1] Spearman (1910) and Brown (1910), British Journal of Psychology 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from warehouse.fits.arrays import Floats, Ints
from warehouse.fits.resampling import drawn_counts

DRAWS = 100
# Tau-c compares every item with every other.
MOST_ITEMS_FOR_TAU = 2000
PEARSON, TAU_C = "pearson", "tau_c"
_TINY = 1e-10


@dataclass(frozen=True)
class Crowd:
    """Drawn raters of one panel's items, in the order of topics.

    Attributes:
        topic: Number of each item's topic, ascending from 0.
        reference: Mean of the reference's raters, a row per draw.
        panels: Mean of the first k of the other raters: k (from 1), draw, item.
    """

    topic: Ints
    reference: Floats
    panels: Floats
    reference_size: int
    seed: int
    replicates: int
    min_units: int

    @cached_property
    def has_tau(self) -> bool:
        """True for few enough items to compare all pairs."""
        return len(self.topic) <= MOST_ITEMS_FOR_TAU

    @cached_property
    def panel_signs(self) -> list[Floats]:
        """For each k, contributions of pairs of items to tau-c, averaged over the draws."""
        return [_averaged_products(panel, self.reference) for panel in self.panels]

    @cached_property
    def reference_signs(self) -> dict[int, tuple[int, Floats]]:
        """Signs of pairs of references, summed over the draws with as many values."""
        sums: dict[int, tuple[int, Floats]] = {}
        for values in self.reference:
            levels = len(np.unique(values))
            number, total = sums.get(levels, (0, np.zeros((len(values), len(values)))))
            sums[levels] = (number + 1, total + _signs(values))
        return sums


@dataclass(frozen=True)
class Sample:
    """Items of a crowd that a judge has scored.

    Attributes:
        weights: How often each topic is drawn: once in the first row, then a row per resample.
    """

    items: Ints
    starts: Ints
    weights: Floats

    @classmethod
    def from_crowd(cls, crowd: Crowd, items: Ints) -> Sample:
        """Return the sample of these items, with the draws of `drawn_counts`."""
        starts = np.unique(crowd.topic[items], return_index=True)[1]
        drawn = drawn_counts(crowd.seed, crowd.replicates, len(starts))
        return cls(items, starts, np.concatenate([np.ones((1, len(starts))), drawn]))

    def totals(self, values: Floats) -> Floats:
        """Weighted sums over the items (the last axis), a row per resample."""
        return self.weights @ np.add.reduceat(np.atleast_2d(values), self.starts, axis=1).T

    @cached_property
    def sizes(self) -> Floats:
        """Number of items of each resample."""
        return self.totals(np.ones(len(self.items)))[:, 0]

    def pearson(self, x: Floats, y: Floats) -> Floats:
        """Pearson's correlation per resample, averaged over the draws in which both vary.

        `y` has a row per draw, and `x` one too or one for all.
        """
        x, y = _standardised(np.atleast_2d(x)), _standardised(y)
        n = self.sizes[:, None]
        mean_x, mean_y = self.totals(x) / n, self.totals(y) / n
        variance_x = self.totals(x * x) / n - mean_x**2
        variance_y = self.totals(y * y) / n - mean_y**2
        covariance = self.totals(x * y) / n - mean_x * mean_y
        is_varied = (variance_x > _TINY) & (variance_y > _TINY)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.clip(covariance / np.sqrt(variance_x * variance_y), -1, 1)
        return _mean_of_known(np.where(is_varied, found, np.nan))

    def tau_c(self, products: Floats) -> Floats:
        """Kendall's tau-c per resample; the number of values stays that of the whole."""
        by_topic = np.add.reduceat(
            np.add.reduceat(products, self.starts, axis=0), self.starts, axis=1
        )
        found: Floats = ((self.weights @ by_topic) * self.weights).sum(axis=1) / self.sizes**2
        return found


def draw(
    ratings: list[tuple[Any, ...]],
    reference_size: int,
    panel_size: int,
    seed: int,
    replicates: int,
    min_units: int,
) -> tuple[Crowd, dict[str, int]]:
    """Draw each item's reference and panels; return them, and each item's place.

    Each draw shuffles the raters of an item: the first ones are the reference, the next k the panel
    of k. Draw d uses a Philox generator keyed by seed and d, over items by topic and id and raters
    in order.

    Args:
        ratings: Topic, item, rater and value, in this order.
        panel_size: Raters of the largest panel; items with fewer than both together are left out.
    """
    needed = reference_size + panel_size
    items: dict[tuple[str, str], list[float]] = {}
    for topic, item, _, value in ratings:
        items.setdefault((topic, item), []).append(value)
    kept = {key: values for key, values in items.items() if len(values) >= needed}
    width = max(len(values) for values in kept.values())
    values = np.full((len(kept), width), np.nan)
    for place, own in enumerate(kept.values()):
        values[place, : len(own)] = own
    topics = {topic: number for number, topic in enumerate(sorted({key[0] for key in kept}))}
    reference = np.empty((DRAWS, len(kept)))
    panels = np.empty((panel_size, DRAWS, len(kept)))
    sizes = np.arange(1, panel_size + 1)
    for number in range(DRAWS):
        generator = np.random.Generator(
            np.random.Philox(key=np.array([seed, number + 1], dtype=np.uint64))
        )
        chance = np.where(np.isnan(values), 2.0, generator.random(values.shape))
        shuffled = np.take_along_axis(values, chance.argsort(axis=1), axis=1)
        # Rounded for ties alone, as everywhere: equal means must tie in whatever order summed.
        reference[number] = shuffled[:, :reference_size].mean(axis=1).round(9)
        others = shuffled[:, reference_size:needed].cumsum(axis=1) / sizes
        panels[:, number] = others.round(9).T
    crowd = Crowd(
        np.array([topics[key[0]] for key in kept]),
        reference,
        panels,
        reference_size,
        seed,
        replicates,
        min_units,
    )
    return crowd, {key[1]: place for place, key in enumerate(kept)}


def equivalent(curve: Floats, correlation: Floats, reference_size: int, measure: str) -> Floats:
    """Number of raters whose mean correlates with the reference as a judge does.

    Args:
        curve: Correlation of the mean of 1, 2, ... raters; a row per resample.
        correlation: The judge's, one per resample.
        measure: Pearson's correlations are extrapolated; others are not.

    Returns:
        Per resample: 0 below one rater, infinity beyond the range, NaN where undefined.
    """
    own = correlation[:, None]
    reached = curve >= own
    first = reached.argmax(axis=1)
    rows = np.arange(len(curve))
    above, below = curve[rows, first], curve[rows, np.maximum(first - 1, 0)]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = np.where(first == 0, 1.0, first + (correlation - below) / (above - below))
    beyond = np.full(len(curve), np.inf)
    if measure == PEARSON:
        single = reliability(curve[:, -1], curve.shape[1], reference_size)
        wanted = correlation**2 / stepped_up(single, reference_size)
        with np.errstate(invalid="ignore", divide="ignore"):
            number = wanted * (1 - single) / (single * (1 - wanted))
        # Rounding aside, it is more raters than were measured.
        beyond = np.where(wanted < 1, np.maximum(number, curve.shape[1]), np.inf)
        beyond = np.where(np.isnan(single), np.nan, beyond)
    found = np.where(reached.any(axis=1), between, beyond)
    found = np.where(correlation < curve[:, 0], 0.0, found)
    unknown = np.isnan(correlation) | np.isnan(curve).any(axis=1)
    return np.where(unknown, np.nan, found)


def reliability(correlation: Floats, size: int, reference_size: int) -> Floats:
    """Reliability of one rater, from the correlation of two means of raters.

    With parallel raters the correlation is the root of the two means' reliabilities, and each
    reliability is Spearman and Brown's k r / (1 + (k - 1) r): a quadratic equation in r. A
    correlation that is not positive gives NaN.
    """
    squared = np.where(correlation > 0, correlation, np.nan) ** 2
    a = size * reference_size - squared * (size - 1) * (reference_size - 1)
    b = squared * (size + reference_size - 2)
    found: Floats = (b + np.sqrt(b**2 + 4 * a * squared)) / (2 * a)
    return found


def stepped_up(single: Floats, size: float) -> Floats:
    """Reliability of the mean of `size` raters, from that of one (Spearman and Brown)."""
    return size * single / (1 + (size - 1) * single)


def judge_products(crowd: Crowd, items: Ints, scores: Floats) -> Floats:
    """Contributions of pairs of a judge's items to tau-c, averaged over the draws."""
    levels = len(np.unique(scores))
    total = np.zeros((len(items), len(items)))
    draws = 0
    for reference_levels, (number, signs) in crowd.reference_signs.items():
        if min(levels, reference_levels) > 1:
            draws += number
            total += _level_factor(levels, reference_levels) * signs[np.ix_(items, items)]
    found: Floats = total * _signs(scores) / (draws or np.nan)
    return found


def _averaged_products(x: Floats, y: Floats) -> Floats:
    """Contributions of pairs of items to tau-c, averaged over draws in which both sides vary."""
    total = np.zeros((x.shape[1], x.shape[1]))
    draws = 0
    for own, other in zip(x, y, strict=True):
        levels = len(np.unique(own)), len(np.unique(other))
        if min(levels) > 1:
            draws += 1
            total += _level_factor(*levels) * (_signs(own) * _signs(other))
    return total / (draws or np.nan)


def _level_factor(*levels: int) -> float:
    """Stuart's m / (m - 1), with m the smaller number of values."""
    return min(levels) / (min(levels) - 1)


def _signs(values: Floats) -> Floats:
    ranks: Ints = np.unique(values, return_inverse=True)[1].astype(np.int32)
    found: Floats = np.sign(ranks[:, None] - ranks[None, :]).astype(np.int8)
    return found


def _standardised(values: Floats) -> Floats:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    found: Floats = centred / np.where(spread > _TINY, spread, np.inf)
    return found


def _mean_of_known(by_draw: Floats) -> Floats:
    """Mean over the draws with a value."""
    known = ~np.isnan(by_draw)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(known, by_draw, 0).sum(axis=1) / known.sum(axis=1)
    return found
