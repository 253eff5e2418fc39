"""Boards of debaters from logs of debates: one judge's beside that of all judges together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import coo_array, csr_array, hstack
from scipy.special import expit, stdtr, stdtrit

from warehouse.fits.arrays import Bools, Floats, Ints, schema_of
from warehouse.fits.ratings import CENTRE, POINTS, Games, curvature, fit, parts, separable_terms

PANEL = "panel"
SIDE, LENGTH, FAMILY = "side", "length", "own_family"
_NOT_TOLD = "it never varies, or who debates decides it"
_NO_FAMILY = "no debater here is of its family, or both are in every debate"
_NO_LENGTH = "of no debate are the words of both sides known"
_SEPARATED = "somebody won or lost every game against the rest: only the prior keeps it finite"

_SCHEMA = schema_of(
    ("dataset_id board quantity name", pa.string()),
    ("estimate low high se p minus_panel minus_panel_low minus_panel_high", pa.float64()),
    ("n_units n_games component n_components", pa.int64()),
    ("is_separated", pa.bool_()),
    ("reason", pa.string()),
)
_ROWS = """
select
    dataset_id, judge_id, pro_debater, con_debater, share, weight, min_units,
    dense_rank() over (partition by dataset_id order by cluster_id) - 1 as cluster,
    coalesce(log2_length_ratio, 0.0)::double as length, log2_length_ratio is not null as has_length,
    own_family::double as family
from games
where share is not null
order by dataset_id, judge_id, debate_id
"""


@dataclass(frozen=True)
class Board:
    """One fit: values in log-odds, and what each cluster adds to them, a row per cluster.

    Attributes:
        kept: Places of the contestants and terms that have a value.
        clusters: Clusters behind it.
        games: Games of each contestant, then all of them for every term.
    """

    values: Floats
    influences: Floats
    is_separated: bool
    clusters: int
    games: Ints
    parts: Ints


def rated(games: Games, cluster: Ints, n_clusters: int) -> Board:
    """Fit the games, with the influence of each cluster on the values.

    The influences are those of the sandwich estimator [1]_: the inverse of the information times
    the cluster's part of the gradient.

    References:
        .. [1] Liang and Zeger (1986), Longitudinal data analysis using generalized linear models,
           Biometrika 73.
    """
    kept = separable_terms(games)
    size = games.size
    seen = Games(games.first, games.second, games.share, games.weight, games.terms[:, kept], size)
    found = fit(seen)
    present = ~np.isnan(found.values)
    known = np.nan_to_num(found.values)
    chance = expit(known[games.first] - known[games.second] + seen.terms @ known[size:])
    rows = np.arange(len(games.first))
    ones = np.ones(len(rows))
    players = coo_array(
        (
            np.concatenate([ones, -ones]),
            (np.tile(rows, 2), np.concatenate([games.first, games.second])),
        ),
        shape=(len(rows), size),
    ).tocsr()
    design = csr_array(np.zeros((len(rows), 0))) if not kept.any() else csr_array(seen.terms)
    # Two blocks: terms are few and dense, players many and sparse.
    pull = games.weight * (games.share - chance)
    by_cluster = coo_array((ones, (cluster, rows)), shape=(n_clusters, len(rows))).tocsr()
    score = np.hstack(
        [
            (by_cluster @ players.multiply(pull[:, None]).tocsr()).toarray(),
            (by_cluster @ design.multiply(pull[:, None]).tocsr()).toarray(),
        ]
    )
    held = np.zeros((score.shape[1],) * 2)
    held[:size, :size] = 1.0
    information = curvature(seen, games.weight * chance * (1 - chance)) + held
    influence = score @ np.linalg.pinv(information, hermitian=True)
    shape = size + games.terms.shape[1]
    places = np.concatenate([np.ones(size, dtype=bool), kept])
    values, influences = np.full(shape, np.nan), np.zeros((n_clusters, shape))
    values[places] = np.where(present, found.values, np.nan)
    influences[:, places] = influence
    count = np.full(shape, len(rows))
    count[:size] = np.bincount(games.first, minlength=size) + np.bincount(
        games.second, minlength=size
    )
    return Board(
        values, influences, found.is_separated, len(np.unique(cluster)), count, parts(games)
    )


def boards(games: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return the ratings and terms of every board.

    Returns:
        The table `int_boards_fitted`.
    """
    rows = games.query("games", _ROWS).to_arrow_table()
    table: list[dict[str, Any]] = []
    for dataset in sorted(set(rows["dataset_id"].to_pylist())):
        own = rows.filter(pc.equal(rows["dataset_id"], dataset))
        table += [{"dataset_id": dataset, **row} for row in _dataset_rows(own)]
    return pa.Table.from_pylist(table, schema=_SCHEMA)


def _dataset_rows(own: pa.Table) -> Iterator[dict[str, Any]]:
    debaters = sorted(set(own["pro_debater"].to_pylist()) | set(own["con_debater"].to_pylist()))
    judges = sorted(set(own["judge_id"].to_pylist()))
    index, of_judges = pa.array(debaters), pa.array(judges)

    def numbers(column: str, index: pa.Array) -> Ints:
        found: Ints = pc.index_in(own[column], index).to_numpy().astype(np.int64)
        return found

    first, second = numbers("pro_debater", index), numbers("con_debater", index)
    judge = numbers("judge_id", of_judges)
    share, weight = own["share"].to_numpy(), own["weight"].to_numpy()
    cluster = own["cluster"].to_numpy().astype(np.int64)
    length, family = own["length"].to_numpy(), own["family"].to_numpy()
    has_length = own["has_length"].to_numpy(zero_copy_only=False)
    n_clusters, size = int(cluster.max()) + 1, len(debaters)
    min_units = own["min_units"][0].as_py()

    def by_judge(values: Floats) -> csr_array:
        """A column for each judge, of what belongs to its games."""
        rows = np.arange(len(judge) + 1)
        return csr_array((values, judge, rows), shape=(len(judge), len(judges)))

    def column(values: Floats) -> csr_array:
        return csr_array(values[:, None])

    def board(use: Any, weights: Floats, terms: Floats | csr_array) -> Board:
        games = Games(first[use], second[use], share[use], weights[use], terms[use], size)
        return rated(games, cluster[use], n_clusters)

    everything = np.ones(len(judge), dtype=bool)
    # Sides by judge first: what is left of a family is beyond them, and beyond the debaters.
    sides = [by_judge(np.ones(len(judge))), column(length)]
    panel = board(everything, weight, hstack([*sides, column(family)], format="csr"))
    each = board(everything, weight, hstack([*sides, by_judge(family)], format="csr"))
    n_judges = len(judges)
    yield from _ratings(PANEL, debaters, panel, None, min_units)
    mean_side = np.zeros(size + n_judges + 2)
    mean_side[size : size + n_judges] = 1 / n_judges
    yield _term(PANEL, SIDE, panel, mean_side, min_units)
    yield _length(PANEL, panel, size + n_judges, has_length, min_units)
    yield _term(PANEL, FAMILY, panel, _unit(panel, size + n_judges + 1), min_units)
    for number, name in enumerate(judges):
        use = judge == number
        mine = board(use, np.ones(len(judge)), np.column_stack([np.ones(len(judge)), length]))
        yield from _ratings(name, debaters, mine, panel, min_units)
        yield _term(name, SIDE, mine, _unit(mine, size), min_units)
        yield _length(name, mine, size + 1, has_length[use], min_units)
        # Of one judge alone its family cannot be told from how good the debaters are.
        row = _term(name, FAMILY, each, _unit(each, size + n_judges + 1 + number), min_units)
        n_games = int((use & (family != 0)).sum())
        yield {**row, "n_games": n_games} | ({} if n_games else {"reason": _NO_FAMILY})


def _unit(board: Board, place: int) -> Floats:
    weights = np.zeros(len(board.values))
    weights[place] = 1.0
    return weights


def _ratings(
    name: str, debaters: list[str], board: Board, panel: Board | None, min_units: int
) -> Iterator[dict[str, Any]]:
    met = ~np.isnan(board.values[: len(debaters)])
    groups = board.parts[met]
    numbers = {part: number for number, part in enumerate(dict.fromkeys(groups), 1)}
    for place, debater in enumerate(debaters):
        if not met[place]:
            continue
        weights = _unit(board, place)
        row = {
            "board": name,
            "quantity": "rating",
            "name": debater,
            "component": numbers[board.parts[place]],
            "n_components": len(numbers),
            "n_games": int(board.games[place]),
            **_estimate(board, weights, min_units, CENTRE),
        }
        # A mean over other debaters is another centre: boards of all of them only are compared.
        if panel is not None and met.all() and len(numbers) == 1 and row["low"] is not None:
            gap = float(POINTS * (board.values[place] - panel.values[place]))
            moved = board.influences[:, place] - panel.influences[:, place]
            half = _half_width(moved, board.clusters)
            if not panel.is_separated and half > 1e-9:
                row |= {
                    "minus_panel": gap,
                    "minus_panel_low": gap - half,
                    "minus_panel_high": gap + half,
                }
        yield row


def _half_width(moved: Floats, clusters: int) -> float:
    return float(
        stdtrit(clusters - 1, 0.975)
        * POINTS
        * np.sqrt((moved**2).sum() * clusters / (clusters - 1))
    )


def _term(
    board_name: str, term: str, board: Board, weights: Floats, min_units: int
) -> dict[str, Any]:
    return {
        "board": board_name,
        "quantity": "term",
        "name": term,
        "n_games": int(board.games[-1]),
        **_estimate(board, weights, min_units, 0.0),
    }


def _length(
    board_name: str, board: Board, place: int, known: Bools, min_units: int
) -> dict[str, Any]:
    """The term of length; a debate whose words are not known counts as one of equal lengths."""
    row = _term(board_name, LENGTH, board, _unit(board, place), min_units)
    return {**row, "n_games": int(known.sum())} | ({} if known.any() else {"reason": _NO_LENGTH})


def _estimate(board: Board, weights: Floats, min_units: int, centre: float) -> dict[str, Any]:
    """A weighted sum of values in points, with its interval and test, or why it has none."""
    found: dict[str, Any] = dict.fromkeys(("estimate", "low", "high", "se", "p"))
    found |= {"n_units": board.clusters, "is_separated": board.is_separated}
    used = weights != 0
    if np.isnan(board.values[used]).any():
        return {**found, "reason": _NOT_TOLD}
    value = float(POINTS * weights[used] @ board.values[used])
    found["estimate"] = centre + value
    if board.is_separated:
        return {**found, "reason": _SEPARATED}
    if board.clusters < min_units:
        return {**found, "reason": f"an interval needs {min_units} motions"}
    half = _half_width(board.influences @ weights, board.clusters)
    if half < 1e-9:
        return {**found, "reason": "nothing varies between the motions"}
    se = half / float(stdtrit(board.clusters - 1, 0.975))
    return {
        **found,
        "low": centre + value - half,
        "high": centre + value + half,
        "se": se,
        "p": float(2 * stdtr(board.clusters - 1, -abs(value) / se)),
        "reason": None,
    }
