"""Statistics over many draws: bootstrap replicates of counts and ratios, outcomes of forecasts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.fits.arrays import Bools, Floats, Ints

# Up to so many uniform draws a replicate are kept: 2 MB for a thousand replicates.
_FEW_DRAWS = 256
# Weights of so many pairs in a thousand replicates take 16 MB.
_PAIRS_AT_A_TIME = 2_000


def resample_counts(
    seed: pa.ChunkedArray, n_units: pa.ChunkedArray, replicate: pa.ChunkedArray
) -> pa.Array:
    """Return the count of each of `n_units` units in one bootstrap replicate, with replacement.

    The draws come from a Philox generator keyed by seed and replicate alone, so they are the same
    for any number of threads, any row order and every quantity of the same units.
    """
    lists = []
    for one_seed, size, number in zip(
        seed.to_pylist(), n_units.to_pylist(), replicate.to_pylist(), strict=True
    ):
        key = np.array([one_seed, number], dtype=np.uint64)
        draws = np.random.Generator(np.random.Philox(key=key)).integers(0, size, size=size)
        lists.append(np.bincount(draws, minlength=size).astype(np.int64))
    offsets = np.cumsum([0, *(len(counts) for counts in lists)])
    values = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values))


def drawn_counts(seed: int, replicates: int, units: int) -> Floats:
    """Return the draws of `resample_counts`, a row per replicate."""
    if units == 1:
        return np.ones((replicates, 1))
    counts = resample_counts(
        pa.chunked_array([[seed] * replicates]),
        pa.chunked_array([[units] * replicates]),
        pa.chunked_array([list(range(1, replicates + 1))]),
    )
    return np.asarray(counts.flatten(), dtype=np.float64).reshape(replicates, units)


_kept_counts = lru_cache(maxsize=16)(drawn_counts)


def resampled_ratios(
    seed: pa.ChunkedArray,
    replicates: pa.ChunkedArray,
    rows: pa.ChunkedArray,
    columns: pa.ChunkedArray,
    sums: pa.ChunkedArray,
    counts: pa.ChunkedArray,
) -> pa.Array:
    """Ratio of two sums in each replicate of a bootstrap over two crossed kinds of cluster.

    A replicate draws the clusters of either kind with replacement, those of the first as
    `resample_counts` does and those of the second with the next seed; a cell's weight is the
    product of the counts of its two clusters [1]_. With one cluster of the second kind that is the
    usual bootstrap over the first. The draws do not depend on the sums. Null for a denominator of
    0.

    Args:
        rows: First cluster of each cell, from 1 without gaps; `columns` is the second.
        sums: Numerator of each cell.
        counts: Denominator of each cell.

    References:
        .. [1] Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1.
    """
    lists = []
    for one_seed, number, *cells in zip(
        *(column.to_pylist() for column in (seed, replicates, rows, columns, sums, counts)),
        strict=True,
    ):
        row, column = (np.asarray(cell, dtype=np.int64) - 1 for cell in cells[:2])
        values = np.asarray(cells[2:], dtype=np.float64)
        by_row = _kept_counts(one_seed, number, int(row.max()) + 1)
        by_column = _kept_counts(one_seed + 1, number, int(column.max()) + 1)
        if by_column.shape[1] == 1:
            totals = by_row @ np.stack([np.bincount(row, weights=each) for each in values], axis=1)
        else:
            # A few replicates at a time: all of them for every cell would not fit.
            totals = np.concatenate(
                [
                    (by_row[at : at + 100, row] * by_column[at : at + 100, column]) @ values.T
                    for at in range(0, number, 100)
                ]
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            lists.append(np.where(totals[:, 1] > 0, totals[:, 0] / totals[:, 1], np.nan))
    return _lists(lists)


def resampled_pair_ratios(
    seed: pa.ChunkedArray,
    replicates: pa.ChunkedArray,
    n_units: pa.ChunkedArray,
    first: pa.ChunkedArray,
    second: pa.ChunkedArray,
    sums: pa.ChunkedArray,
    counts: pa.ChunkedArray,
) -> pa.Array:
    """Ratio of two sums over pairs of units in each replicate of a bootstrap over the units.

    A replicate draws the units as `resample_counts` does; a pair's weight is the product of the
    counts of its two units, numbered from 1. Two draws of one unit form no pair.
    """
    # Rows that draw alike share the weights of their pairs.
    draws = list(zip(*(each.to_pylist() for each in (seed, replicates, n_units)), strict=True))
    row_of = np.repeat(np.arange(len(draws)), [len(each) for each in first])
    one, other, above, below = (
        np.asarray(each.combine_chunks().flatten(), dtype=kind)
        for each, kind in (
            (first, np.int64),
            (second, np.int64),
            (sums, np.float64),
            (counts, np.float64),
        )
    )
    lists: list[Floats] = [np.zeros(0)] * len(draws)
    for drawn_alike in dict.fromkeys(draws):
        rows = [at for at, each in enumerate(draws) if each == drawn_alike]
        one_seed, number, size = drawn_alike
        weights = _kept_counts(one_seed, number, size)
        place = np.full(len(draws), -1)
        place[rows] = np.arange(len(rows))
        mine = np.flatnonzero(place[row_of] >= 0)
        pairs, pair_of = np.unique(one[mine] * (size + 1) + other[mine], return_inverse=True)
        totals = np.zeros((number, 2 * len(rows)))
        # Some pairs at a time: the weights of all of them in every replicate may not fit.
        for start in range(0, len(pairs), _PAIRS_AT_A_TIME):
            some = pairs[start : start + _PAIRS_AT_A_TIME]
            chosen = (pair_of >= start) & (pair_of < start + len(some))
            values = np.zeros((len(some), 2, len(rows)))
            at = pair_of[chosen] - start, place[row_of[mine[chosen]]]
            values[at[0], 0, at[1]] = above[mine[chosen]]
            values[at[0], 1, at[1]] = below[mine[chosen]]
            weight = weights[:, some // (size + 1) - 1] * weights[:, some % (size + 1) - 1]
            totals += weight @ values.reshape(len(some), -1)
        upper, lower = totals[:, : len(rows)], totals[:, len(rows) :]
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.where(lower > 0, upper / lower, np.nan)
        for row, ratio in zip(rows, ratios.T, strict=True):
            lists[row] = ratio
    return _lists(lists)


def calibrated_ece(
    seed: pa.ChunkedArray,
    replicates: pa.ChunkedArray,
    forecasts: pa.ChunkedArray,
    bins: pa.ChunkedArray,
    ties: pa.ChunkedArray,
) -> pa.Array:
    """Mean expected calibration error of forecasts that are true.

    Each replicate draws every outcome with its own forecast as probability. The error is
    sum over bins of |sum(outcome - forecast)|, over the number of forecasts: above 0 at any finite
    number, since outcomes scatter.

    Args:
        ties: Whether its outcome is one half instead of being drawn.
    """
    means = np.empty(len(seed))
    # By seed and replicates the lists that are longer than the draws that are kept.
    long: dict[tuple[int, int], list[tuple[int, _Forecasts]]] = {}
    for at, (one_seed, number, *lists) in enumerate(
        zip(
            seed.to_pylist(),
            replicates.to_pylist(),
            *(_arrays(column) for column in (forecasts, bins, ties)),
            strict=True,
        )
    ):
        own = _Forecasts.from_lists(*lists)
        if len(own.chance) <= _FEW_DRAWS:
            hits = _few_uniforms(one_seed, number)[:, : len(own.chance)] < own.chance
            counts = np.add.reduceat(hits, own.edges, axis=1, dtype=np.int64)
            means[at] = np.abs(counts - own.expected).sum() / len(own.chance) / number
        else:
            long.setdefault((one_seed, number), []).append((at, own))
    for (one_seed, number), alike in long.items():
        totals = np.zeros(len(alike))
        for replicate in range(1, number + 1):
            # A replicate's draws start alike whatever their number: all lists share them.
            draws = _uniforms(one_seed, replicate, max(len(own.chance) for _, own in alike))
            totals += [own.miss(draws) for _, own in alike]
        for (at, own), total in zip(alike, totals, strict=True):
            means[at] = total / len(own.chance) / number
    return pa.array(means, pa.float64())


class _Forecasts(NamedTuple):
    """Forecasts in the order of their bins.

    Attributes:
        chance: Probability of each event; below 0 for an outcome that is not drawn.
        edges: Start of each bin.
        expected: Expected events of each bin, without outcomes that are not drawn.
    """

    chance: Floats
    edges: NDArray[np.intp]
    expected: Floats

    @classmethod
    def from_lists(cls, forecasts: Floats, bins: Ints, ties: Bools) -> _Forecasts:
        """Return forecasts in order; the outcome of a tie is a half and not drawn."""
        order = np.argsort(bins, kind="stable")
        chance, is_tie = forecasts[order], ties[order].astype(bool)
        edges = np.unique(bins[order], return_index=True)[1]
        expected = np.add.reduceat(chance - np.where(is_tie, 0.5, 0.0), edges)
        return cls(np.where(is_tie, -1.0, chance), edges, expected)

    def miss(self, draws: Floats) -> float:
        """Return the sum over bins of the distance from the expected events."""
        hits = draws[: len(self.chance)] < self.chance
        ends = (*self.edges[1:], len(hits))
        counts = [np.count_nonzero(hits[a:b]) for a, b in zip(self.edges, ends, strict=True)]
        return float(np.abs(counts - self.expected).sum())


@lru_cache(maxsize=2)
def _few_uniforms(seed: int, replicates: int) -> Floats:
    rows = [_uniforms(seed, replicate, _FEW_DRAWS) for replicate in range(1, replicates + 1)]
    return np.stack(rows)


def _uniforms(seed: int, replicate: int, size: int) -> Floats:
    key = np.array([seed, replicate], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key)).random(size)


def _lists(found: Sequence[Floats]) -> pa.Array:
    """One list per row, null for NaN."""
    offsets = np.cumsum([0, *(len(values) for values in found)])
    flat = np.concatenate(found) if found else np.zeros(0)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat, from_pandas=True))


def _arrays(column: pa.ChunkedArray) -> list[NDArray[Any]]:
    """Return the list of each row, none of which is null."""
    whole = column.combine_chunks()
    lengths = whole.value_lengths().to_numpy(zero_copy_only=False)
    return np.split(whole.flatten().to_numpy(zero_copy_only=False), np.cumsum(lengths))[:-1]
