"""Ratings of the debaters of every field with intervals, and slopes of outcomes on them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.fits.arrays import Bools, Floats, Ints, schema_of
from warehouse.fits.ratings import (
    CENTRE,
    POINTS,
    Games,
    fit,
    parts,
    separable_terms,
    well_connected,
)
from warehouse.fits.resampling import drawn_counts

REPLICATES = 200
MIN_DEBATERS = 3
TERMS = ("shown_first", "double_length", "argues_right")
BOTH, RIGHT, WRONG = "both", "right", "wrong"
_APART = "no chain of debates joins its right and its wrong sides"
_UNBEATEN = "it won or lost every game against the rest: only the prior keeps its rating finite"

_SCHEMA = schema_of(
    ("field_id quantity name debater_id", pa.string()),
    ("estimate low high se intercept", pa.float64()),
    ("n_debaters n_units component n_components", pa.int64()),
    ("is_separated", pa.bool_()),
    ("n_replicates", pa.int64()),
    ("separated_share", pa.float64()),
    ("reason", pa.string()),
)
_ROWS = """
select
    field_id, used_for, debater_0, debater_1, share_0, weight, right_answer,
    dense_rank() over (partition by field_id order by cluster_id) - 1 as story,
    if(answer_order = '01', 1.0, -1.0) as shown_first,
    coalesce(log2_length_ratio, 0.0) as double_length
from contests
where share_0 is not null and used_for in ('rating', 'accuracy')
order by field_id, transcript_id, answer_order
"""


@dataclass(frozen=True)
class Field:
    """The judged debates of one field, a row per debate and order of the answers.

    Attributes:
        first: Number of the one arguing for answer 0.
        second: Number of the one arguing for answer 1.
        share: Share of the judgements for answer 0.
        weight: The rows of a debate sum to 1.
        right: The right answer; NaN where it is withheld.
        is_rated: False for a debater against itself.
        shown_first: 1 where answer 0 was shown first, else -1.
        double_length: Binary logarithm of how many times as long the first side was.
    """

    names: tuple[str, ...]
    first: Ints
    second: Ints
    share: Floats
    weight: Floats
    right: Floats
    story: Ints
    is_rated: Bools
    shown_first: Floats
    double_length: Floats
    min_units: int
    seed: int

    def resamples(self) -> Floats:
        """Draws of each story, a row per replicate."""
        return drawn_counts(self.seed, REPLICATES, int(self.story.max()) + 1)


@dataclass(frozen=True)
class Fitted:
    """One fit of a field and of its resamples, strengths and coefficients in points.

    Attributes:
        values: Contestants' ratings, then the terms' points; NaN for none.
        replicates: The same by resample; NaN for the unbeaten.
        is_separated: Whether the prior was needed.
        is_unbeaten: Contestants that won or lost every game against most of their part.
        separated_share: Share of the resamples that needed the prior.
        units: Stories of each contestant, then of all games for every term.
    """

    values: Floats
    replicates: Floats
    is_separated: Bools
    is_unbeaten: Bools
    separated_share: float
    units: Ints
    parts: Ints


def rated(games: Games, story: Ints, counts: Floats) -> Fitted:
    """Fit the games, and again with the stories of each resample.

    A contestant that won or lost every game against the rest has a rating from the prior and no
    interval. The others are rated from the games among them, with a mean of 1500.
    """
    core = well_connected(games)
    inner = core[games.first] & core[games.second]
    if inner.all() or not inner.any():
        found = _rated(games, story, counts)
    else:
        found = _rated(games.selected(inner), story[inner], counts)
        whole, part = _rated(games, story, counts[:0]), parts(games)
        for number in np.unique(part[~core]):
            own = part == number
            level = whole.values[: games.size][own & core].mean() if (own & core).any() else CENTRE
            outside = np.flatnonzero(own & ~core)
            found.values[outside] = whole.values[outside] - level + CENTRE
            found.units[outside] = whole.units[outside]
        found = replace(found, parts=part)
    unbeaten = np.flatnonzero(~core & ~np.isnan(found.values[: games.size]))
    found.replicates[:, unbeaten] = np.nan
    found.is_separated[unbeaten] = found.is_unbeaten[unbeaten] = True
    return found


def _rated(games: Games, story: Ints, counts: Floats) -> Fitted:
    kept = separable_terms(games)
    seen = replace(games, terms=games.terms[:, kept])
    whole = fit(seen)
    shape = games.size + games.terms.shape[1]
    places = np.concatenate([np.ones(games.size, dtype=bool), kept])
    replicates = np.full((len(counts), shape), np.nan)
    separated = 0
    for number, drawn in enumerate(counts):
        weight = games.weight * drawn[story]
        if weight.any():
            found = fit(replace(seen, weight=weight), whole.values)
            replicates[number, places] = found.values
            separated += found.is_separated
    values = np.full(shape, np.nan)
    values[places] = whole.values
    offset = np.concatenate([np.full(games.size, CENTRE), np.zeros(games.terms.shape[1])])
    units = np.full(shape, len(np.unique(story)))
    met = np.unique(
        np.stack([np.concatenate([games.first, games.second]), np.tile(story, 2)]), axis=1
    )
    units[: games.size] = np.bincount(met[0], minlength=games.size)
    return Fitted(
        offset + POINTS * values,
        offset + POINTS * replicates,
        np.full(shape, whole.is_separated),
        np.zeros(shape, dtype=bool),
        separated / max(1, len(counts)),
        units,
        parts(games),
    )


def debater_ratings(contests: duckdb.DuckDBPyRelation, fields: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return the ratings, terms and slopes of every field."""
    table = [row for key, field in _fields(contests, fields) for row in _field_rows(key, field)]
    return pa.Table.from_pylist(table, schema=_SCHEMA)


def _fields(
    contests: duckdb.DuckDBPyRelation, fields: duckdb.DuckDBPyRelation
) -> Iterator[tuple[str, Field]]:
    settings = {
        key: (units, seed)
        for key, units, seed in fields.project("field_id, min_units, bootstrap_seed").fetchall()
    }
    rows = contests.query("contests", _ROWS).to_arrow_table()
    for key in sorted(set(rows["field_id"].to_pylist())):
        yield key, _field(rows.filter(pc.equal(rows["field_id"], key)), *settings[key])


def _field(own: pa.Table, min_units: int, seed: int) -> Field:
    debaters = pa.chunked_array([*own["debater_0"].chunks, *own["debater_1"].chunks])
    names = sorted(pc.unique(debaters).to_pylist())
    index = pa.array(names)

    def numbers(column: str) -> Ints:
        found: Ints = pc.index_in(own[column], index).to_numpy().astype(np.int64)
        return found

    def floats(column: str) -> Floats:
        found: Floats = own[column].to_numpy().astype(np.float64)
        return found

    return Field(
        tuple(names),
        numbers("debater_0"),
        numbers("debater_1"),
        floats("share_0"),
        floats("weight"),
        floats("right_answer"),
        floats("story").astype(np.int64),
        pc.equal(own["used_for"], "rating").to_numpy(),
        floats("shown_first"),
        floats("double_length"),
        min_units,
        seed,
    )


def _field_rows(key: str, field: Field) -> Iterator[dict[str, Any]]:
    counts, size, common = field.resamples(), len(field.names), {"field_id": key}
    use = field.is_rated
    accuracy, replicated, self_units = _accuracies(field, counts)
    both = sided = None
    if use.any():
        terms = np.column_stack(
            [field.shown_first, field.double_length, np.nan_to_num(1 - 2 * field.right)]
        )[use]
        games = Games(
            field.first[use], field.second[use], field.share[use], field.weight[use], terms, size
        )
        both = rated(games, field.story[use], counts)
        for number, name in enumerate(TERMS):
            yield common | {
                "quantity": "term",
                "name": name,
                **_estimate(both, size + number, field.min_units),
            }
        yield from _ratings(common, field, both, {BOTH: range(size)})
        known = use & ~np.isnan(field.right)
        if known.any():
            sided = rated(_by_side(field, known), field.story[known], counts)
            # Right sides come first: contestant i argues for what is right, size + i for the other.
            yield from _ratings(
                common, field, sided, {RIGHT: range(size), WRONG: range(size, 2 * size)}
            )
    nothing = np.full(size, np.nan), np.full((REPLICATES, size), np.nan)
    gap, gaps = nothing
    if sided is not None:
        # In two parts of the field only the prior would say how far apart the sides are.
        is_apart = sided.parts[:size] != sided.parts[size : 2 * size]
        there = ~np.isnan(sided.values[:size] - sided.values[size : 2 * size])
        gap = np.where(is_apart, np.nan, sided.values[:size] - sided.values[size : 2 * size])
        gaps = sided.replicates[:, :size] - sided.replicates[:, size : 2 * size]
        fewer = np.minimum(sided.units[:size], sided.units[size : 2 * size])
        for number, name in enumerate(field.names):
            if there[number]:
                places = [number, size + number]
                found = _interval(gap[number], gaps[:, number], int(fewer[number]), field.min_units)
                if is_apart[number]:
                    found |= {"low": None, "high": None, "se": None, "reason": _APART}
                elif sided.is_unbeaten[places].any():
                    found["reason"] = _UNBEATEN
                yield common | {
                    "quantity": "right_minus_wrong",
                    "name": "",
                    "debater_id": name,
                    "is_separated": bool(sided.is_separated[places].any()),
                    **found,
                }
        gap[sided.is_unbeaten[:size] | sided.is_unbeaten[size : 2 * size]] = np.nan
    outcomes = {
        "judge_accuracy": (accuracy, replicated, self_units),
        "right_minus_wrong": (gap, gaps, len(np.unique(field.story[use]))),
    }
    for name, (outcome, outcome_replicates, units) in outcomes.items():
        yield common | {
            "quantity": "slope",
            "name": name,
            **_slope(field, both, outcome, outcome_replicates, units),
        }


def _by_side(field: Field, known: Bools) -> Games:
    """Return the games with two contestants for each debater, for right and wrong answers."""
    size, is_right = len(field.names), field.right[known] == 0
    return Games(
        field.first[known] + np.where(is_right, 0, size),
        field.second[known] + np.where(is_right, size, 0),
        field.share[known],
        field.weight[known],
        np.column_stack([field.shown_first, field.double_length])[known],
        2 * size,
    )


def _ratings(
    common: dict[str, Any], field: Field, fitted: Fitted, argued: dict[str, range]
) -> Iterator[dict[str, Any]]:
    present = ~np.isnan(fitted.values)
    components = {
        part: number
        for number, part in enumerate(dict.fromkeys(fitted.parts[present[: len(fitted.parts)]]), 1)
    }
    for name, places in argued.items():
        for debater, place in zip(field.names, places, strict=True):
            if present[place]:
                yield common | {
                    "quantity": "rating",
                    "name": name,
                    "debater_id": debater,
                    "component": components[fitted.parts[place]],
                    "n_components": len(components),
                    **_estimate(fitted, place, field.min_units),
                }


def _estimate(fitted: Fitted, place: int, min_units: int) -> dict[str, Any]:
    found = _interval(
        fitted.values[place], fitted.replicates[:, place], int(fitted.units[place]), min_units
    )
    share = fitted.separated_share if found["low"] is not None else None
    found |= {"is_separated": bool(fitted.is_separated[place]), "separated_share": share}
    if fitted.is_unbeaten[place]:
        found["reason"] = _UNBEATEN
    if found["estimate"] is None:
        found["reason"] = "it never varies, or who debates decides it"
    return found


def _interval(value: float, replicates: Floats, units: int, min_units: int) -> dict[str, Any]:
    """Percentiles and standard deviation of the replicates, with enough stories."""
    there = replicates[~np.isnan(replicates)]
    found: dict[str, Any] = {
        "estimate": None if np.isnan(value) else float(value),
        "n_units": units,
        "n_replicates": len(there),
        "low": None,
        "high": None,
        "se": None,
        "reason": None,
    }
    if units < min_units:
        return found | {"reason": f"an interval needs {min_units} stories"}
    if found["estimate"] is None or len(there) < 2 or np.ptp(there) < 1e-9:
        return found | {"reason": "nothing varies between the resamples"}
    low, high = np.quantile(there, [0.025, 0.975])
    return found | {"low": float(low), "high": float(high), "se": float(there.std(ddof=1))}


def _accuracies(field: Field, counts: Floats) -> tuple[Floats, Floats, int]:
    """Judge accuracy of each debater against itself by resample, and its stories."""
    own = ~field.is_rated & ~np.isnan(field.right)
    size, stories = len(field.names), counts.shape[1]
    cell = field.first[own] * stories + field.story[own]
    weight = field.weight[own]
    is_right = np.where(field.right[own] == 0, field.share[own], 1 - field.share[own])
    total = np.bincount(cell, weight, size * stories).reshape(size, stories)
    right = np.bincount(cell, weight * is_right, size * stories).reshape(size, stories)
    with np.errstate(invalid="ignore"):
        accuracy = right.sum(axis=1) / total.sum(axis=1)
        replicated = (counts @ right.T) / (counts @ total.T)
    return accuracy, replicated, len(np.unique(field.story[own]))


def _slope(
    field: Field, both: Fitted | None, outcome: Floats, replicates: Floats, units: int
) -> dict[str, Any]:
    """Weighted slope of an outcome on ratings, for 100 points."""
    size = len(field.names)
    found: dict[str, Any] = {"n_debaters": 0, "n_units": units, "n_replicates": 0}
    if both is None:
        return found | {"reason": "no debate between two different debaters", "is_separated": False}
    found["is_separated"] = bool(both.is_separated[:size].any())
    ratings = both.values[:size]
    errors = np.array(
        [_estimate(both, place, field.min_units)["se"] or np.nan for place in range(size)]
    )
    used = ~np.isnan(ratings) & ~np.isnan(errors) & ~np.isnan(outcome)
    found["n_debaters"] = int(used.sum())
    if used.sum() < MIN_DEBATERS:
        return found | {"reason": f"a slope needs {MIN_DEBATERS} debaters with both and an error"}
    weight = np.where(used, np.nan_to_num(errors, nan=1.0) ** -2, 0.0)
    slope, level = _line(ratings, outcome, weight)
    if np.isnan(slope):
        return found | {"reason": "the debaters have one rating"}
    lines = np.array(
        [
            _line(one, other, weight)[0]
            for one, other in zip(both.replicates[:, :size], replicates, strict=True)
        ]
    )
    return found | {"intercept": level} | _interval(slope, lines, units, field.min_units)


def _line(rating: Floats, outcome: Floats, weight: Floats) -> tuple[float, float]:
    """Return the slope for 100 points and the value at the centre; NaN for none."""
    used = (weight > 0) & ~np.isnan(rating) & ~np.isnan(outcome)
    if used.sum() < MIN_DEBATERS:
        return np.nan, np.nan
    x, y, w = (rating[used] - CENTRE) / 100, outcome[used], weight[used] / weight[used].sum()
    spread = w @ (x - w @ x) ** 2
    if spread < 1e-12:
        return np.nan, np.nan
    slope = float(w @ ((x - w @ x) * (y - w @ y)) / spread)
    return slope, float(w @ y - slope * (w @ x))
