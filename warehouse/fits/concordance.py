"""Kendall's tau-c of many score vectors against one reference, over many samples of topics."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from warehouse.fits.arrays import Bools, Floats, Ints

# Equal means of fractional scores must tie in whatever order they were summed.
DECIMALS = 9
# Sums of whole numbers below 2^24 are exact in single precision, at half the time; of more items
# than this they may be larger.
_MOST_IN_SINGLE = 5_000

Bytes = NDArray[np.int8]


class Reference:
    """Reference values, and the samples of topics over which scores are compared with them.

    Pairs of items are compared once for each score vector and summed by pairs of topics; a sample
    of topics is a product with these sums, so a thousand samples cost little more than one.
    """

    def __init__(
        self, values: Floats, topics: Ints, samples: Bools, points: int | None = None
    ) -> None:
        """Prepare the comparisons."""
        sizes = np.bincount(topics)
        # Items stand by their place within their topic, large topics first: the n-th items of all
        # topics are one block, and adding the blocks up adds up the topics.
        rank = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
        by_topic = np.argsort(topics, kind="stable")
        place = np.empty(len(topics), dtype=np.int64)
        place[by_topic] = np.arange(len(topics)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._order = np.lexsort((rank[topics], place))
        self._blocks = np.concatenate([[0], np.cumsum(np.bincount(place))])
        self._narrow = np.int8 if sizes.max() < 128 else np.int32
        ordered = np.round(values[self._order], DECIMALS)
        self._signs: Bytes = np.sign(ordered[:, None] - ordered).astype(np.int8)
        drawn = samples[:, np.argsort(rank)].astype(np.float32)
        first, second = np.triu_indices(len(sizes))
        self._pairs = (first, second)
        self._drawn = (drawn[:, first] * drawn[:, second]).T.copy()
        self._sizes = drawn.astype(np.float64) @ np.sort(sizes)[::-1]
        self._values = len(np.unique(ordered))
        self._points = points

    def tau_c(self, values: Floats) -> Floats:
        """Tau-c of each score vector over each sample: 2 m S / (n^2 (m - 1)) [1]_.

        S is concordant less discordant pairs. The smaller number of distinct values m is that of
        all items, in every sample: it would jump if a sample lacked one rare score. NaN where a
        side has a single value, and over a sample without items.

        Args:
            values: A row per score vector, a column per item.

        References:
            .. [1] Stuart (1953), The estimation and comparison of strengths of association in
               contingency tables, Biometrika 40.
        """
        codes = _codes(np.round(values[:, self._order], DECIMALS))
        sums = np.empty((len(codes), len(self._pairs[0])), dtype=np.float32)
        for row, code in enumerate(codes):
            sums[row] = self._by_topics(code)
        exact = np.float32 if len(self._order) <= _MOST_IN_SINGLE else np.float64
        concordance = (sums.astype(exact, copy=False) @ self._drawn.astype(exact)).astype(
            np.float64
        )
        least = np.minimum(codes.max(axis=1) + 1.0, self._values)
        m = least if self._points is None else np.full(len(least), float(self._points))
        scale = np.where(least > 1, 2 * m / np.maximum(m - 1, 1), np.nan)
        with np.errstate(invalid="ignore"):
            tau: Floats = scale[:, None] * concordance / self._sizes**2
        return tau

    def _by_topics(self, code: Ints) -> Floats:
        """Concordant less discordant pairs of items, by pairs of topics."""
        products: Bytes = np.greater(code[:, None], code).view(np.int8)
        products *= self._signs
        rows = self._folded(products, self._narrow)
        both = self._folded(np.ascontiguousarray(rows.T), np.int32)
        both += both.T
        # Within a topic a pair has been counted in both orders of the topic with itself.
        found: Floats = both[self._pairs].astype(np.float32)
        found[self._pairs[0] == self._pairs[1]] /= 2
        return found

    def _folded(self, matrix: NDArray[Any], kind: type) -> NDArray[Any]:
        folded: NDArray[Any] = matrix[: self._blocks[1]].astype(kind)
        for start, end in zip(self._blocks[1:-1], self._blocks[2:], strict=True):
            folded[: end - start] += matrix[start:end]
        return folded


def _codes(values: Floats) -> Ints:
    """Return each row's values as ranks among its distinct ones, in the smallest type."""
    codes = np.array([np.unique(row, return_inverse=True)[1] for row in values])
    return codes.astype(np.min_scalar_type(int(codes.max())))
