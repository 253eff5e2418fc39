"""Strengths of answers, models or debaters from pairwise preferences."""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from scipy.special import expit

from warehouse.fits.arrays import Floats, Ints, schema_of

# A standard deviation of 3 in log-odds lets one contestant win 20 times of 21 before the prior is
# felt, and keeps who never loses finite.
PRIOR_SD = 3.0
ELO_ORDERS = 100
ELO_K = 32.0
ELO_SCALE = 400.0
ELO_START = 1500.0
_ELO_SEED = 20250611
_RANKING = ("scope", "dataset_id", "annotator_id", "ranking_id")

_STRENGTHS_SCHEMA = schema_of(
    ("scope dataset_id annotator_id ranking_id contestant_id", pa.string()),
    ("bradley_terry elo", pa.float64()),
)


def bradley_terry(first: Ints, second: Ints, share: Floats, size: int) -> Floats:
    """Log-strengths from pairwise preferences, with a normal prior on each of them.

    The strengths b maximise sum(s log p + (1 - s) log(1 - p)) - sum(b^2) / (2 * PRIOR_SD^2), with
    p = 1 / (1 + exp(b_second - b_first)) and s the share of `first`, 0.5 for a tie [1]_. The prior
    gives a maximum also for constant winners and contestants without comparisons, and centres the
    strengths on 0.

    References:
        .. [1] Bradley and Terry (1952), Rank analysis of incomplete block designs I, Biometrika 39.
    """
    design = np.zeros((len(first), size))
    rows = np.arange(len(first))
    design[rows, first] += 1.0
    design[rows, second] -= 1.0
    strengths = np.zeros(size)
    for _ in range(100):
        chance = expit(design @ strengths)
        gradient = design.T @ (share - chance) - strengths / PRIOR_SD**2
        curvature = design.T @ (design * (chance * (1 - chance))[:, None])
        step = np.linalg.solve(curvature + np.eye(size) / PRIOR_SD**2, gradient)
        # Far from the maximum a whole step may overshoot; a strength of 3 more is far enough.
        step *= min(1.0, 3.0 / max(1e-300, float(np.abs(step).max())))
        strengths = strengths + step
        if np.abs(step).max() < 1e-12:
            break
    return strengths


def elo(first: Ints, second: Ints, share: Floats, size: int) -> Floats:
    """Elo ratings after all comparisons, averaged over seeded orders of them.

    A rating moves by ELO_K times the outcome less its expectation, so a single order favours late
    winners. The orders come from a Philox generator and depend on the number of comparisons alone.
    """
    generator = np.random.Generator(np.random.Philox(key=_ELO_SEED))
    orders = np.stack([generator.permutation(len(first)) for _ in range(ELO_ORDERS)])
    ratings = np.full((ELO_ORDERS, size), ELO_START)
    rows = np.arange(ELO_ORDERS)
    for place in range(len(first)):
        one, other = first[orders[:, place]], second[orders[:, place]]
        gap = ratings[rows, one] - ratings[rows, other]
        move = ELO_K * (share[orders[:, place]] - expit(gap * np.log(10) / ELO_SCALE))
        ratings[rows, one] += move
        ratings[rows, other] -= move
    return np.asarray(ratings.mean(axis=0))


def preference_strengths(contests: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return the strengths of all contestants of every ranking."""
    rankings: dict[tuple[str, ...], list[tuple[str, str, float]]] = {}
    for *ranking, one, other, won in contests.order(
        ", ".join([*_RANKING, "contestant_a", "contestant_b", "share_a"])
    ).fetchall():
        rankings.setdefault(tuple(ranking), []).append((one, other, float(won)))
    table: list[dict[str, Any]] = []
    for key, compared in rankings.items():
        names = sorted({name for one, other, _ in compared for name in (one, other)})
        number = {name: place for place, name in enumerate(names)}
        first = np.array([number[one] for one, _, _ in compared])
        second = np.array([number[other] for _, other, _ in compared])
        share = np.array([preferred for _, _, preferred in compared])
        strengths = bradley_terry(first, second, share, len(names))
        ratings = elo(first, second, share, len(names))
        about = dict(zip(_RANKING, key, strict=True))
        table += [
            {**about, "contestant_id": name, "bradley_terry": strength, "elo": rating}
            for name, strength, rating in zip(names, strengths, ratings, strict=True)
        ]
    return pa.Table.from_pylist(table, schema=_STRENGTHS_SCHEMA)
