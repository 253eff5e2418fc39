"""Ratings against an independent library, another optimiser and planted strengths."""

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from warehouse.fits.preferences import PRIOR_SD
from warehouse.fits.ratings import POINTS, Games, fit, separable_terms

PAIRS = st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0]))


def games(rows: list[tuple[int, int, float]], size: int, terms: np.ndarray | None = None) -> Games:
    first, second, share = (np.array(column) for column in zip(*rows, strict=True))
    return Games(
        first,
        second,
        share.astype(float),
        np.ones(len(rows)),
        np.zeros((len(rows), 0)) if terms is None else terms,
        size,
    )


@settings(deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=12))
def test_ratings_are_those_of_choix_and_say_when_they_need_its_regularisation(
    drawn: list[tuple[int, int, float]],
) -> None:
    rows = [(one, (one + further) % 4, share) for one, further, share in drawn]
    # Whoever is absent has no rating here and the mean in the library.
    present = sorted({player for one, other, _ in rows for player in (one, other)})
    number = {player: place for place, player in enumerate(present)}
    rows = [(number[one], number[other], share) for one, other, share in rows]
    found = fit(games(rows, len(present)))
    # A game won by half is one won and one lost, each of half the weight; the library knows only
    # whole games, so all of them count twice, and so does the prior.
    data = [
        pair
        for one, other, share in rows
        for pair in [(one, other)] * int(2 * share) + [(other, one)] * int(2 - 2 * share)
    ]
    alpha = PRIOR_SD**-2 if found.is_separated else 0.0
    expected = choix.opt_pairwise(len(present), data, alpha=alpha, tol=1e-12)
    assert found.values == pytest.approx(expected - expected.mean(), abs=1e-4)
    # Ford's condition, by following every chain of games that were not lost.
    reached = {(one, one) for one in range(len(present))} | set(data)
    for _ in present:
        reached |= {(a, d) for a, b in reached for c, d in reached if b == c}
    assert found.is_separated == (len(reached) < len(present) ** 2)


def test_planted_strengths_and_terms_are_recovered_and_the_maximum_is_scipys() -> None:
    generator = np.random.default_rng(7)
    planted = np.array([-0.8, -0.1, 0.2, 0.7])
    effects = np.array([0.3, 0.5])
    first = generator.integers(0, 4, 40_000)
    second = (first + generator.integers(1, 4, len(first))) % 4
    terms = np.column_stack(
        [generator.choice([-1.0, 1.0], len(first)), generator.normal(0, 1, len(first))]
    )
    chance = 1 / (1 + np.exp(-(planted[first] - planted[second] + terms @ effects)))
    share = (generator.random(len(first)) < chance).astype(float)
    played = Games(first, second, share, np.ones(len(first)), terms, 4)
    found = fit(played)
    assert not found.is_separated
    assert found.values == pytest.approx([*planted, *effects], abs=0.05)

    def loss(values: np.ndarray) -> float:
        gap = values[first] - values[second] + terms @ values[4:]
        return float(np.logaddexp(0, np.where(share > 0, -gap, gap)).sum() + values[:4].sum() ** 2)

    best = minimize(loss, np.zeros(6), method="BFGS").x
    assert found.values == pytest.approx(best, abs=1e-4)
    assert pytest.approx(400) == POINTS * np.log(10)


def test_a_term_that_who_debates_decides_is_told_from_one_that_is_not() -> None:
    rows = [(0, 1, 1.0), (0, 1, 0.0), (1, 0, 0.5), (1, 0, 1.0)]
    always_for_zero = [1.0, 1.0, -1.0, -1.0]
    found = separable_terms(
        games(rows, 2, np.array([[0.0] * 4, always_for_zero, [1.0] * 4, [1.0, -1.0, 1.0, 1.0]]).T)
    )
    assert found.tolist() == [False, False, True, True]
