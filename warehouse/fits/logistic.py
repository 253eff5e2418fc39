"""Logistic regression over units that cross variants and debates, with clustered errors.

Each regressor belongs to the variant or to the debate, so sums over units are sums over variants
and debates, which are a hundred times fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from warehouse.fits.arrays import Bools, Floats, Ints

# Newton's method needs under ten steps where there is a maximum. Separated data have none: each
# step adds about 1 to the log-odds of the units concerned, and so it never settles.
_MAX_STEPS = 35
# Steps have settled once no coefficient moves by more. The ridge keeps the last ones solvable.
_SETTLED, _RIDGE = 1e-8, 1e-10


@dataclass(frozen=True)
class Design:
    """Regressors as columns over units that cross variants and debates.

    Attributes:
        of_ways: A row per variant, with zeros in the columns of debates.
        of_debates: A row per debate, with zeros in the columns of variants.
    """

    way: Ints
    debate: Ints
    of_ways: Floats
    of_debates: Floats

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[tuple[Floats | Bools, bool]],
        ways: Ints,
        debates: Ints,
        used: Bools,
    ) -> Design:
        """Return the design of columns over units, each of debates or of variants."""
        numbers: list[Ints] = []
        values: list[Floats] = []
        places = np.flatnonzero(used)
        for codes, is_of_debates in ((ways, False), (debates, True)):
            _, first, number = np.unique(codes[used], return_index=True, return_inverse=True)
            first = places[first]
            own = [each[first] * (of_debates == is_of_debates) for each, of_debates in columns]
            numbers.append(number)
            values.append(np.column_stack(own))
        return cls(numbers[0], numbers[1], values[0], values[1])

    def columns(self, kept: Sequence[int]) -> Design:
        """Return the design of some columns."""
        return replace(self, of_ways=self.of_ways[:, kept], of_debates=self.of_debates[:, kept])

    def units(self, chosen: Bools) -> Design:
        """Return the design of some units."""
        return replace(self, way=self.way[chosen], debate=self.debate[chosen])

    def times(self, coefficients: Floats) -> Floats:
        """Return the sum of a unit's regressors, each times its coefficient."""
        found: Floats = (self.of_ways @ coefficients)[self.way]
        return found + (self.of_debates @ coefficients)[self.debate]

    def sums(self, weights: Floats) -> Floats:
        """Return each column's sum over the units, weighted."""
        found: Floats = self._by_way(weights) @ self.of_ways
        return found + self._by_debate(weights) @ self.of_debates

    def products(self, weights: Floats) -> Floats:
        """Return the sum over the units of each two columns' product, weighted."""
        of_ways = self.of_ways.T @ (self._by_way(weights)[:, None] * self.of_ways)
        of_debates = self.of_debates.T @ (self._by_debate(weights)[:, None] * self.of_debates)
        crossed = np.zeros_like(self.of_ways)
        for column in np.flatnonzero(self.of_debates.any(axis=0)):
            crossed[:, column] = self._by_way(weights * self.of_debates[self.debate, column])
        both: Floats = self.of_ways.T @ crossed
        return of_ways + of_debates + both + both.T

    def sums_within(self, groups: Ints, weights: Floats) -> Floats:
        """Return each column's weighted sum over the units of each group, a row per group."""
        by_way: Floats = csr_array((weights, (groups, self.way))) @ self.of_ways
        by_debate: Floats = csr_array((weights, (groups, self.debate))) @ self.of_debates
        return by_way + by_debate

    def _by_way(self, weights: Floats) -> Floats:
        return np.asarray(np.bincount(self.way, weights, len(self.of_ways)), dtype=np.float64)

    def _by_debate(self, weights: Floats) -> Floats:
        return np.asarray(np.bincount(self.debate, weights, len(self.of_debates)), dtype=np.float64)


@dataclass(frozen=True)
class Fitted:
    """A fitted regression.

    Attributes:
        coefficients: Log-odds by column of the design.
        covariance: Their cluster-robust covariance.
    """

    coefficients: Floats
    covariance: Floats


def fit_logistic(verdicts: Floats, design: Design, groups: Ints) -> Fitted | None:
    """Return coefficients and their cluster-robust covariance; None without a maximum."""
    n_units, width = len(verdicts), design.of_ways.shape[1]
    coefficients = np.zeros(width)
    with np.errstate(all="ignore"):
        for _ in range(_MAX_STEPS):
            share = expit(design.times(coefficients))
            curvature = design.products(share * (1 - share)) / n_units
            slope = design.sums(verdicts - share) / n_units
            try:
                step = np.linalg.solve(curvature + _RIDGE * np.eye(width), slope)
            except np.linalg.LinAlgError:
                return None
            coefficients = coefficients + step
            # What is not a number has not settled, and never will.
            if np.abs(step).max() <= _SETTLED:
                break
        else:
            return None
        share = expit(design.times(coefficients))
        scores = design.sums_within(groups, verdicts - share)
        n_groups = len(scores)
        try:
            bread = np.linalg.inv(design.products(share * (1 - share)))
        except np.linalg.LinAlgError:
            return None
        factor = n_groups / (n_groups - 1) * (n_units - 1) / (n_units - width)
        covariance = factor * bread @ (scores.T @ scores) @ bread
    return Fitted(coefficients, covariance) if np.isfinite(covariance).all() else None
