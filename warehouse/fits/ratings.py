"""Ratings of debaters from judgements: Bradley and Terry's model, with more terms."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from warehouse.fits.arrays import Bools, Floats, Ints
from warehouse.fits.preferences import ELO_SCALE, ELO_START, PRIOR_SD

POINTS = ELO_SCALE / np.log(10)
CENTRE = ELO_START
# No field of real debaters is 15 in log-odds apart, odds of three million to one: a strength that
# has come so far has no finite maximum.
_FAR = 15.0
_MAX_STEPS = 60
_SETTLED = 1e-10
# Columns are compared by squared length; a smaller share of it than this is rounding.
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Games:
    """Judged debates between two of `size` contestants.

    Attributes:
        first: Number of the contestant arguing for answer 0, from 0.
        second: Number of the one arguing for answer 1, never the same.
        share: Share of the judgements for answer 0.
        terms: Other influences, a column each: the first contestant's less the second's.
    """

    first: Ints
    second: Ints
    share: Floats
    weight: Floats
    terms: Floats
    size: int

    def selected(self, where: Bools) -> "Games":
        """Return some of the games, between the same contestants."""
        return Games(
            self.first[where],
            self.second[where],
            self.share[where],
            self.weight[where],
            self.terms[where],
            self.size,
        )


@dataclass(frozen=True)
class Strengths:
    """A fit, in log-odds.

    Attributes:
        values: Contestants' strengths, of mean 0 and NaN without games, then coefficients.
        is_separated: Whether the likelihood has no finite maximum, so that the prior was needed.
    """

    values: Floats
    is_separated: bool


def fit(games: Games, start: Floats | None = None) -> Strengths:
    """Strengths b and coefficients g that maximise the likelihood of the judgements [1]_.

    The log-likelihood is sum(w (s log p + (1 - s) log(1 - p))), p = 1 / (1 + exp(-(b_first -
    b_second + terms @ g))), with s the share for the first and sum(b) = 0. Its maximum is finite
    only if no contestant or group won every game against the rest [2]_. Otherwise, and if the terms
    separate the judgements, each strength and coefficient has a normal prior of standard deviation
    `PRIOR_SD`, which also centres unconnected contestants.

    References:
        .. [1] Bradley and Terry (1952), Rank analysis of incomplete block designs I, Biometrika 39.
        .. [2] Ford (1957), Solution of a ranking problem from binary comparisons, American
           Mathematical Monthly 64.
    """
    played = games.weight > 0
    present = np.unique(np.concatenate([games.first[played], games.second[played]]))
    place = np.zeros(games.size, dtype=np.int64)
    place[present] = np.arange(len(present))
    met = Games(
        place[games.first[played]],
        place[games.second[played]],
        games.share[played],
        games.weight[played],
        games.terms[played],
        len(present),
    )
    used = np.concatenate([present, np.arange(games.size, games.size + games.terms.shape[1])])
    values = np.full(games.size + games.terms.shape[1], np.nan)
    begin = np.zeros(len(used)) if start is None else np.nan_to_num(start[used])
    if _is_finite(met):
        values[used], settled = _newton(met, begin, precision=0.0)
        if settled:
            return Strengths(values, is_separated=False)
    values[used], _ = _newton(met, np.zeros(len(used)), precision=PRIOR_SD**-2)
    return Strengths(values, is_separated=True)


def parts(games: Games) -> Ints:
    """Return each contestant's part of the field, from 1; games connect a part."""
    links = coo_array(
        (np.ones(len(games.first)), (games.first, games.second)), shape=(games.size, games.size)
    )
    labels: Ints = connected_components(links, directed=False)[1].astype(np.int64)
    return labels + 1


def well_connected(games: Games) -> Bools:
    """Return whether contestants are in the largest strongly connected set of their part.

    Games that were not all lost are the links. Strengths within the set are finite. Of several
    largest sets none counts.
    """
    strong = connected_components(_beaten(games), directed=True, connection="strong")[1]
    sizes = np.bincount(strong)
    part = parts(games)
    found = np.zeros(games.size, dtype=bool)
    for number in np.unique(part):
        sets = np.unique(strong[part == number])
        largest = sets[sizes[sets] == sizes[sets].max()]
        if len(largest) == 1 and sizes[largest[0]] > 1:
            found |= strong == largest[0]
    return found


def separable_terms(games: Games) -> Bools:
    """Return the terms that are independent of the contestants and of the terms before them."""
    width = games.size + games.terms.shape[1]
    gram = curvature(games, games.weight)
    kept = list(range(games.size))
    found = np.zeros(games.terms.shape[1], dtype=bool)
    for place in range(games.size, width):
        length = gram[place, place]
        others = gram[np.ix_(kept, kept)]
        along = gram[kept, place]
        left = length - along @ np.linalg.pinv(others, rcond=_RANK_TOLERANCE) @ along
        if length > 0 and left > _RANK_TOLERANCE * length:
            found[place - games.size] = True
            kept.append(place)
    return found


def _is_finite(games: Games) -> bool:
    """Return whether games that were not all lost connect all contestants both ways."""
    count = connected_components(_beaten(games), directed=True, connection="strong")[0]
    return bool(count == 1)


def _beaten(games: Games) -> coo_array:
    """Return links from contestants to those they did not lose every game against."""
    wins, losses = games.share > 0, games.share < 1
    winner = np.concatenate([games.first[wins], games.second[losses]])
    loser = np.concatenate([games.second[wins], games.first[losses]])
    return coo_array((np.ones(len(winner)), (winner, loser)), shape=(games.size, games.size))


def _newton(games: Games, start: Floats, precision: float) -> tuple[Floats, bool]:
    """Return the maximum from a starting point, and whether it was reached."""
    values = start.copy()
    # Without a prior the sum of the strengths is anybody's guess: it is held at 0.
    held = np.zeros((len(values), len(values)))
    held[: games.size, : games.size] = 0.0 if precision else 1.0
    held += precision * np.eye(len(values))
    for _ in range(_MAX_STEPS):
        chance = expit(
            values[games.first] - values[games.second] + games.terms @ values[games.size :]
        )
        pull = games.weight * (games.share - chance)
        gradient = (
            np.concatenate(
                [
                    np.bincount(games.first, pull, games.size)
                    - np.bincount(games.second, pull, games.size),
                    games.terms.T @ pull,
                ]
            )
            - held @ values
        )
        information = curvature(games, games.weight * chance * (1 - chance)) + held
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            return values, False
        # Far from the maximum a whole step may overshoot.
        step *= min(1.0, 2.0 / max(1e-300, float(np.abs(step).max())))
        values = values + step
        if not precision and np.abs(values).max() > _FAR:
            return values, False
        if np.abs(step).max() < _SETTLED:
            return values, True
    return values, False


def curvature(games: Games, weight: Floats) -> Floats:
    """The weighted cross-products of the design's columns: contestants, then terms."""
    size, many = games.size, games.terms.shape[1]
    found = np.zeros((size + many,) * 2)
    met = np.bincount(games.first * size + games.second, weight, size * size).reshape(size, size)
    found[:size, :size] = -(met + met.T)
    np.fill_diagonal(found[:size, :size], met.sum(axis=0) + met.sum(axis=1))
    weighted = games.terms * weight[:, None]
    crossed, among = np.empty((size, many)), games.terms.T @ weighted
    for place, each in enumerate(weighted.T):
        crossed[:, place] = np.bincount(games.first, each, size) - np.bincount(
            games.second, each, size
        )
    found[:size, size:], found[size:, :size], found[size:, size:] = crossed, crossed.T, among
    return found
