"""People and judges on one scale: a many-facet Rasch model of their scores."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from warehouse.fits.arrays import Bools, Floats, Ints

_MAX_STEPS = 60
_SETTLED = 1e-5
# Cells of a block of items by raters, or by points of quality: 8 MB of doubles.
_BLOCK_CELLS = 1_000_000
# Quality is added up over evenly spaced points, closer than one standard deviation of what is known
# of the best-known item: the error of such a sum is 2 exp(-2 pi^2), under 1e-8 of it.
_REACH = 7.0
_MIN_POINTS, _MAX_POINTS = 41, 401
# What is missing is a covariance of smooth functions of quality: polynomials of this degree leave
# under 1e-5 of it.
_DEGREE = 3
# Items that do not differ have no spread, whose logarithm has no maximum: it is held here.
_LEAST_SPREAD = 0.02
# With more items than this, the search begins on a part of them.
_MANY_ITEMS = 4000


@dataclass(frozen=True)
class Ratings:
    """Scores of connected raters.

    Attributes:
        item: Number of the item of each score, from 0.
        rater: Number of who gave it, from 0.
        score: Steps above the lowest category; a mean of repeats lies between two.
        cluster: Number of each item's cluster, from 0.
        source: Number of each item's source, from 0.
        is_judge: Of each rater; a judge has a severity for every source, a person one for all.
        n_steps: Steps from the lowest category to the highest.
    """

    item: Ints
    rater: Ints
    score: Floats
    cluster: Ints
    source: Ints
    is_judge: Bools
    n_steps: int


@dataclass(frozen=True)
class Scale:
    """A fitted model, in log-odds.

    Attributes:
        place: Where the severity of a rater (row) for a source (column) stands; -1 for none.
        is_extreme: Raters by sources whose scores there are all at one end of the scale.
        severities: The mean over people's scores is 0, or over judges' where there are no people.
        thresholds: Of each step, mean 0.
        source_means: Mean quality of each source; `spread` is the standard deviation within one.
        influences: What each cluster adds to the severities: a row per cluster.
        source_influences: The same of the sources' means.
        quality: Of each item the mean, given its scores, and beside it the standard deviation.
        fit: Squared residuals, variances, squared standardised residuals and counts of scores: by
            cluster and rater.
        item_fit: The same sums by item.
    """

    place: Ints
    is_extreme: Bools
    severities: Floats
    thresholds: Floats
    source_means: Floats
    spread: float
    log_likelihood: float
    influences: Floats
    source_influences: Floats
    quality: Floats
    quality_error: Floats
    fit: Floats
    item_fit: Floats
    is_settled: bool


class _Block(NamedTuple):
    """Items of one source: their numbers, scores (0 where there is none) and which are there."""

    source: int
    items: Ints
    scores: Floats
    there: Floats


class _Curves(NamedTuple):
    """Of each rater and point of quality: log of the sum, mean and variance, steps taken."""

    log_sum: Floats
    mean: Floats
    variance: Floats
    taken: Floats
    shared: Floats


def subsets(item: Ints, rater: Ints, n_items: int, n_raters: int) -> Ints:
    """Number, from 0, of the connected subset each rater belongs to; scores of an item connect."""
    links = coo_array(
        (np.ones(len(item)), (rater, n_raters + item)), shape=(n_raters + n_items,) * 2
    )
    labels: Ints = connected_components(links, directed=False)[1][:n_raters]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def fit(ratings: Ratings) -> Scale:
    """Maximise the marginal likelihood of a rating-scale model with several facets [1]_.

    The chance of k steps is proportional to exp(sum over h <= k of (quality - severity -
    threshold_h)) [2]_. Qualities are normal around the mean of their source, with one spread: they
    are integrated out [3]_, so that severities are consistent however few scores an item has. A
    judge has a severity for every source, so that people alone say how good a source is. A score
    between two categories counts as parts of both.

    A rater whose scores (for a source) all lie at one end has no finite severity there and says
    nothing of quality: the likelihood is that without those scores. Subsets must be connected; see
    `subsets`.

    Newton's method on the observed information [4]_, with the expected one of the complete data
    where a step does not climb. Influences are those of the sandwich estimator, by cluster.

    References:
        .. [1] Linacre (1989), Many-facet Rasch measurement.
        .. [2] Andrich (1978), A rating formulation for ordered response categories, Psychometrika
           43.
        .. [3] Bock and Aitkin (1981), Marginal maximum likelihood estimation of item parameters,
           Psychometrika 46.
        .. [4] Louis (1982), Finding the observed information matrix when using the EM algorithm,
           Journal of the Royal Statistical Society B 44.
    """
    model = _Model(ratings)
    start = model.start()
    if model.n_items > _MANY_ITEMS:
        start, _ = _maximised(_Model(ratings, every=model.n_items // (_MANY_ITEMS // 2)), start)
    values, settled = _maximised(model, start)
    found = model.at(values, wants_fit=True)
    information = found.complete - found.missing
    held = model.held()
    influences = found.clusters @ np.linalg.pinv(information + held, hermitian=True)
    n_severities = model.n_severities
    uncentred, values = values, model.centred(values)
    # Qualities move with the means of their sources.
    moved = (values - uncentred)[model.of_sources][0]
    return Scale(
        model.place,
        model.is_extreme,
        values[:n_severities],
        values[model.of_steps],
        values[model.of_sources],
        float(np.exp(values[-1])),
        found.log_likelihood,
        influences[:, :n_severities],
        influences[:, model.of_sources],
        found.quality + moved,
        found.quality_error,
        found.fit,
        found.item_fit,
        settled,
    )


@dataclass
class _Found:
    """The likelihood at a point, its gradient, and what standard errors and fit are made of."""

    log_likelihood: float
    gradient: Floats
    complete: Floats
    missing: Floats
    clusters: Floats
    quality: Floats
    quality_error: Floats
    fit: Floats
    item_fit: Floats


class _Model:
    """The likelihood: severities first, then thresholds, means of sources, log of the spread."""

    def __init__(self, ratings: Ratings, every: int = 1) -> None:
        self.ratings = ratings
        self.n_raters, self.n_sources = len(ratings.is_judge), int(ratings.source.max()) + 1
        self.n_clusters, self.n_items = int(ratings.cluster.max()) + 1, len(ratings.source)
        self.place, self.is_extreme, used = _places(ratings)
        self.n_severities = int(self.place.max(initial=-1)) + 1
        steps = ratings.n_steps
        self.of_steps = slice(self.n_severities, self.n_severities + steps)
        self.of_sources = slice(self.of_steps.stop, self.of_steps.stop + self.n_sources)
        self.width = self.of_sources.stop + 1
        used &= ratings.item % every == 0
        self.item, self.rater = ratings.item[used], ratings.rater[used]
        self.score = ratings.score[used]
        order = np.lexsort((self.item, ratings.source[self.item]))
        self.item, self.rater, self.score = self.item[order], self.rater[order], self.score[order]
        self.taken = np.clip(self.score[:, None] - np.arange(steps), 0, 1)
        self.most = int(np.bincount(self.item, minlength=self.n_items).max(initial=0))

    def held(self) -> Floats:
        """What holds the two sums that no score tells: of people's severities, of thresholds."""
        ratings, held = self.ratings, np.zeros((self.width, self.width))
        people = ~ratings.is_judge if not ratings.is_judge.all() else ratings.is_judge
        counts = np.bincount(ratings.rater, minlength=self.n_raters) * people
        own = np.flatnonzero((counts > 0) & (self.place[:, 0] >= 0))
        weight = np.zeros(self.width)
        if own.size:
            weight[self.place[own, 0]] = counts[own] / counts[own].mean()
        held += np.outer(weight, weight)
        held[self.of_steps, self.of_steps] += 1.0
        # What no score is about stays where it is.
        source = ratings.source[self.item]
        seen = np.zeros(self.width)
        seen[self.of_steps] = seen[-1] = 1
        np.add.at(seen, self.place[self.rater, source], 1)
        np.add.at(seen, self.of_sources.start + source, 1)
        empty = np.flatnonzero(seen == 0)
        held[empty, empty] += 1.0
        return held

    def centred(self, values: Floats) -> Floats:
        """Take from the two sums what rounding left of them; the likelihood stays the same."""
        values, weight = values.copy(), self.held()[: self.n_severities, : self.n_severities]
        total = weight.sum(axis=1)
        steps = values[self.of_steps].mean()
        values[self.of_steps] -= steps
        values[: self.n_severities] += steps
        if total.any():
            centre = total @ values[: self.n_severities] / total.sum()
            values[: self.n_severities] -= centre
            values[self.of_sources] -= centre
        return values

    def start(self) -> Floats:
        """Severities 0, thresholds and means from how often each step is taken."""
        values, steps = np.zeros(self.width), self.ratings.n_steps
        reached = np.concatenate([[1.0], np.clip(self.taken.mean(axis=0), 1e-3, 1), [0.0]])
        shares = np.clip(-np.diff(reached), 1e-3, None)
        thresholds = np.log(shares[:-1] / shares[1:])
        values[self.of_steps] = thresholds - thresholds.mean()
        source = self.ratings.source[self.item]
        count = np.bincount(source, minlength=self.n_sources)
        total = np.bincount(source, self.score, self.n_sources)
        mean = np.clip(total / np.maximum(count, 1) / steps, 0.02, 0.98)
        values[self.of_sources] = np.log(mean / (1 - mean))
        return values

    def _blocks(self, n_points: int) -> Iterator[_Block]:
        rows = max(1, _BLOCK_CELLS // max(self.n_raters, n_points))
        source = self.ratings.source[self.item]
        for number in range(self.n_sources):
            first, last = np.searchsorted(source, [number, number + 1])
            items = np.unique(self.item[first:last])
            for begin in range(0, len(items), rows):
                own = items[begin : begin + rows]
                low = first + np.searchsorted(self.item[first:last], own[0])
                high = first + np.searchsorted(self.item[first:last], own[-1], side="right")
                at = np.searchsorted(own, self.item[low:high]), self.rater[low:high]
                scores, there = np.zeros((2, len(own), self.n_raters))
                scores[at] = self.score[low:high]
                there[at] = 1.0
                yield _Block(number, own, scores, there)

    def _curves(self, values: Floats, source: int, points: Floats) -> _Curves:
        steps = self.ratings.n_steps
        place = self.place[:, source]
        severity = np.where(place >= 0, values[np.maximum(place, 0)], 0.0)
        # Nothing below sees the other raters: they have no score in this source.
        passed = np.concatenate([[0.0], np.cumsum(values[self.of_steps])])
        gap = points[None, :] - severity[:, None]
        logits = np.arange(steps + 1)[:, None, None] * gap - passed[:, None, None]
        highest = logits.max(axis=0)
        chance = np.exp(logits - highest)
        total = chance.sum(axis=0)
        chance /= total
        taken = chance[::-1].cumsum(axis=0)[::-1][1:]
        mean = taken.sum(axis=0)
        ends = np.arange(steps + 1)
        square = np.tensordot(ends**2, chance, 1)
        # E[x 1(x >= k)], for the covariance of the score with each step.
        shared = (ends[:, None, None] * chance)[::-1].cumsum(axis=0)[::-1][1:]
        return _Curves(np.log(total) + highest, mean, square - mean**2, taken, shared)

    def points(self, values: Floats, source: int) -> Floats:
        """Return the points of quality that a source's items are added up over."""
        spread = np.exp(values[-1])
        known = 1.0 / np.sqrt(spread**-2 + self.most * max(1.0, self.ratings.n_steps / 4))
        count = int(np.clip(np.ceil(2 * _REACH * spread / known), _MIN_POINTS, _MAX_POINTS))
        found: Floats = values[self.of_sources][source] + spread * np.linspace(
            -_REACH, _REACH, count
        )
        return found

    def at(self, values: Floats, *, wants_fit: bool = False) -> _Found:
        """Everything at a point; residuals and qualities only where they are wanted."""
        spread, steps = float(np.exp(values[-1])), self.ratings.n_steps
        found = _Found(
            0.0,
            np.zeros(self.width),
            np.zeros((self.width, self.width)),
            np.zeros((self.width, self.width)),
            np.zeros((self.n_clusters, self.width)),
            np.full(self.n_items, np.nan),
            np.full(self.n_items, np.nan),
            np.zeros((4, self.n_clusters, self.n_raters)),
            np.zeros((4, self.n_items)),
        )
        taken_by_item = np.column_stack(
            [np.bincount(self.item, self.taken[:, step], self.n_items) for step in range(steps)]
        ).astype(np.float64)
        points = [self.points(values, number) for number in range(self.n_sources)]
        curves = [self._curves(values, number, each) for number, each in enumerate(points)]
        for block in self._blocks(max(len(each) for each in points)):
            at, own = points[block.source], curves[block.source]
            standard = (at - values[self.of_sources][block.source]) / spread
            prior = -0.5 * standard**2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
            prior += np.log(at[1] - at[0])
            place = self.place[:, block.source]
            has_place = place >= 0
            severity = np.where(has_place, values[np.maximum(place, 0)], 0.0)
            constant = -block.scores @ severity - taken_by_item[block.items] @ values[self.of_steps]
            logs = block.scores.sum(axis=1)[:, None] * at + prior
            logs -= block.there @ own.log_sum
            highest = logs.max(axis=1)
            weights = np.exp(logs - highest[:, None])
            total = weights.sum(axis=1)
            found.log_likelihood += float((np.log(total) + highest + constant).sum())
            weights /= total[:, None]
            self._add(found, block, own, weights, standard, taken_by_item, spread)
            if wants_fit:
                self._add_fit(found, block, own, weights, at)
        return found

    def _add(
        self,
        found: _Found,
        block: _Block,
        curves: _Curves,
        weights: Floats,
        standard: Floats,
        taken_by_item: Floats,
        spread: float,
    ) -> None:
        """Add a block's gradient, information and scores by cluster."""
        place = self.place[:, block.source]
        own = np.flatnonzero((place >= 0) & block.there.any(axis=0))
        there = block.there[:, own]
        # Columns of this block: raters, steps, the mean of the source and the spread.
        columns = np.concatenate(
            [
                place[own],
                np.arange(self.of_steps.start, self.of_steps.stop),
                [self.of_sources.start + block.source, self.width - 1],
            ]
        )
        by_step = np.stack([there @ taken[own] for taken in curves.taken])
        scores = np.column_stack(
            [
                there * (weights @ curves.mean[own].T) - block.scores[:, own],
                (by_step * weights).sum(axis=2).T - taken_by_item[block.items],
                weights @ standard / spread,
                weights @ standard**2 - 1,
            ]
        )
        found.gradient[columns] += scores.sum(axis=0)
        clusters = self.ratings.cluster[block.items]
        by_cluster = coo_array(
            (np.ones(len(clusters)), (clusters, np.arange(len(clusters)))),
            shape=(self.n_clusters, len(clusters)),
        ).tocsr()
        found.clusters[:, columns] += by_cluster @ scores
        # What complete data would tell.
        seen = there.T @ weights
        complete = np.zeros((len(columns), len(columns)))
        n_own, steps = len(own), self.ratings.n_steps
        complete[np.arange(n_own), np.arange(n_own)] = (seen * curves.variance[own]).sum(axis=1)
        for step in range(steps):
            cross = curves.shared[step][own] - curves.mean[own] * curves.taken[step][own]
            complete[:n_own, n_own + step] = (seen * cross).sum(axis=1)
            for other in range(step + 1):
                # Who takes a later step has taken the earlier one.
                product = curves.taken[step][own] * (1 - curves.taken[other][own])
                complete[n_own + step, n_own + other] = (seen * product).sum()
        complete[n_own : n_own + steps, :n_own] = complete[:n_own, n_own : n_own + steps].T
        lower = complete[n_own : n_own + steps, n_own : n_own + steps]
        complete[n_own : n_own + steps, n_own : n_own + steps] = (
            np.tril(lower) + np.tril(lower, -1).T
        )
        first, second = weights @ standard, weights @ standard**2
        complete[-2, -2] = len(block.items) / spread**2
        complete[-2, -1] = complete[-1, -2] = 2 * first.sum() / spread
        complete[-1, -1] = 2 * second.sum()
        found.complete[np.ix_(columns, columns)] += complete
        # What is lost because qualities are unknown: the covariance, item by item, of the scores.
        for basis in _polynomials(weights, standard):
            weighted = weights * basis
            lost = np.column_stack(
                [
                    there * (weighted @ curves.mean[own].T),
                    (by_step * weighted).sum(axis=2).T,
                    weighted @ standard / spread,
                    weighted @ standard**2,
                ]
            )
            found.missing[np.ix_(columns, columns)] += lost.T @ lost

    def _add_fit(
        self, found: _Found, block: _Block, curves: _Curves, weights: Floats, points: Floats
    ) -> None:
        """Add the items' qualities and the residuals, averaged over what is known of quality."""
        mean = weights @ points
        found.quality[block.items] = mean
        found.quality_error[block.items] = np.sqrt(np.maximum(weights @ points**2 - mean**2, 0.0))
        scores, there = block.scores, block.there
        clusters = self.ratings.cluster[block.items]
        expected, inverse = curves.mean.T, 1 / np.maximum(curves.variance.T, 1e-12)
        sums = (
            scores**2 - 2 * scores * (weights @ expected) + weights @ expected**2,
            weights @ curves.variance.T,
            scores**2 * (weights @ inverse)
            - 2 * scores * (weights @ (expected * inverse))
            + weights @ (expected**2 * inverse),
            there,
        )
        for number, each in enumerate(sums):
            np.add.at(found.fit[number], clusters, each * there)
            found.item_fit[number, block.items] = (each * there).sum(axis=1)


def _places(ratings: Ratings) -> tuple[Ints, Bools, Bools]:
    """Where each rater's severity for each source stands, who is at an end, and what is left."""
    n_raters, n_sources = len(ratings.is_judge), int(ratings.source.max()) + 1
    # A person has one severity: that of the first source, as it were.
    column = np.where(ratings.is_judge[ratings.rater], ratings.source[ratings.item], 0)
    cell = ratings.rater * n_sources + column
    size = n_raters * n_sources
    count = np.bincount(cell, minlength=size)
    total = np.bincount(cell, ratings.score, size)
    at_end = (count > 0) & ((total <= 1e-9) | (total >= count * ratings.n_steps - 1e-9))
    place = np.full(size, -1)
    there = (count > 0) & ~at_end
    place[there] = np.arange(there.sum())
    table, ends = place.reshape(n_raters, n_sources), at_end.reshape(n_raters, n_sources)
    people = ~ratings.is_judge
    table[people] = table[people, :1]
    ends = ends.copy()
    ends[people] = ends[people, :1]
    return table, ends, there[cell]


def _polynomials(weights: Floats, standard: Floats) -> Iterator[Floats]:
    """Polynomials of quality that are orthonormal under what is known of each item."""
    centre = (weights @ standard)[:, None]
    width = np.sqrt(np.maximum(weights @ standard**2 - centre[:, 0] ** 2, 1e-300))[:, None]
    x = (standard - centre) / width
    known = [np.ones_like(x)]
    for _ in range(_DEGREE):
        raw = known[-1] * x
        for each in known:
            raw = raw - (weights * raw * each).sum(axis=1, keepdims=True) * each
        length = np.sqrt(np.maximum((weights * raw**2).sum(axis=1, keepdims=True), 1e-300))
        known.append(raw / length)
        yield known[-1]


def _maximised(model: _Model, start: Floats) -> tuple[Floats, bool]:
    """Return the maximum from a point whose held sums are 0, and whether it was reached."""
    values, held = start, model.held()
    found = model.at(values)
    for _ in range(_MAX_STEPS):
        if values[-1] < np.log(_LEAST_SPREAD) and found.gradient[-1] < 0:
            held[-1, -1] = 1e12
        for curvature in (
            found.complete - found.missing,
            _expected(found.complete, model.n_items),
        ):
            step = _step(curvature + held, found.gradient)
            if step is None:
                continue
            step *= min(1.0, 1.5 / max(1e-300, float(np.abs(step).max())))
            after = model.at(values + step)
            if after.log_likelihood > found.log_likelihood - 1e-9 * (1 + abs(found.log_likelihood)):
                break
        else:
            return values, False
        values, found = values + step, after
        if np.abs(step).max() < _SETTLED:
            return values, True
    return values, False


def _expected(complete: Floats, n_items: int) -> Floats:
    """The information of complete data where qualities are as the means and spread say.

    Far from the maximum they are not, and what is observed need not be that of any maximum.
    """
    found = complete.copy()
    found[-1], found[:, -1] = 0.0, 0.0
    found[-1, -1] = 2.0 * n_items
    return found


def _step(curvature: Floats, gradient: Floats) -> Floats | None:
    """Return a step uphill, None where the curvature is that of no maximum."""
    try:
        lower = np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return None
    solved: Floats = np.linalg.solve(lower.T, np.linalg.solve(lower, gradient))
    return solved
