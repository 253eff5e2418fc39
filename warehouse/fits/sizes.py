"""Bends of agreement at a size: a line in log size against two that meet at a size."""

from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.fits.arrays import Floats, Ints, schema_of
from warehouse.fits.resampling import drawn_counts

# With fewer sizes two lines that meet leave under two degrees of freedom, and fit anything.
MIN_SIZES = 5
# Fewer topics or annotators than this say too little of how far agreement would move.
MIN_UNITS = 5
_PERMUTATION_SEED = 20250612
_TOLERANCE = 1e-12
_SCHEMA = schema_of(
    ("trend_id", pa.int64()),
    ("family", pa.string()),
    (
        "turning_size turning_size_low turning_size_high slope_before slope_after "
        "fitted_smallest fitted_turning fitted_largest sse_line sse_bent p p_permuted",
        pa.float64(),
    ),
    ("n_replicates", pa.int64()),
    ("reason", pa.string()),
)


class Bends(NamedTuple):
    """The best two lines that meet, of each column of values.

    Attributes:
        knot: Their meeting point as log2 of a size, the smaller of equally good ones.
        sse_line: Sum of squared errors of one line.
    """

    knot: Floats
    sse_line: Floats
    sse_bent: Floats


def bends(log_sizes: Floats, families: Ints, values: Floats) -> Bends:
    """Fit one line, and two that meet at an inner size, by least squares.

    The model is v = a_f + b x + c max(0, x - k) with x = log2(size), a level a_f of each family and
    k one of the sizes between the smallest and the largest [1]_, with a slope that can be estimated
    on both sides.

    Args:
        values: Agreement of each judge, a column per replicate.

    References:
        .. [1] Hudson (1966), Fitting segmented curves whose join points have to be estimated,
               Journal of the American Statistical Association 61.
    """
    design = _design(log_sizes, families)
    sse_line = _errors(design, values)
    rank = np.linalg.matrix_rank(design)
    knots, errors = [], []
    for knot in np.unique(log_sizes)[1:-1]:
        bent = np.column_stack([design, np.maximum(0.0, log_sizes - knot)])
        if np.linalg.matrix_rank(bent) > rank:
            knots.append(knot)
            errors.append(_errors(bent, values))
    best = np.argmin(np.stack(errors), axis=0)
    return Bends(np.array(knots)[best], sse_line, np.min(np.stack(errors), axis=0))


def _design(log_sizes: Floats, families: Ints) -> Floats:
    levels = (families[:, None] == np.unique(families)).astype(np.float64)
    return np.column_stack([levels, log_sizes])


def _errors(design: Floats, values: Floats) -> Floats:
    basis = np.linalg.svd(design, full_matrices=False)
    kept = basis.U[:, basis.S[0] * 1e-10 < basis.S]
    rest = values - kept @ (kept.T @ values)
    return np.asarray((rest**2).sum(axis=0))


def resampled_tau_c(x: Floats, y: Floats, topics: Ints, counts: Floats) -> Floats:
    """Kendall's tau-c in resamples of topics, with the number of values held as it is.

    An item of a topic drawn w times is w tied observations. With C the sum of concordances between
    the items of two topics, tau-c = m w'Cw / (n^2 (m - 1)).

    Args:
        counts: Draws of each topic, a row per replicate.
    """
    size = counts.shape[1]
    concordance = np.zeros((size, size))
    for topic in np.unique(topics):
        here = topics == topic
        signs = np.sign(x[here, None] - x) * np.sign(y[here, None] - y)
        concordance[topic] = np.bincount(topics, weights=signs.sum(axis=0), minlength=size)
    n = counts @ np.bincount(topics, minlength=size)
    m = min(len(np.unique(x)), len(np.unique(y)))
    if m < 2:
        return np.full(len(counts), np.nan)
    total = np.einsum("rg,gh,rh->r", counts, concordance, counts, optimize=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(n > 0, m * total / (n**2 * (m - 1)), np.nan))


def size_bends(
    points: duckdb.DuckDBPyRelation,
    observations: duckdb.DuckDBPyRelation,
    kappas: duckdb.DuckDBPyRelation,
) -> pa.Table:
    """Return `int_size_bends_fitted`: bends of trends with enough sizes, by family and over all."""
    rows: list[dict[str, Any]] = []
    judged = points.filter("is_tested and agreement is not null").order("trend_id, judge_id")
    trends: dict[int, list[dict[str, Any]]] = {}
    for point in judged.to_arrow_table().to_pylist():
        trends.setdefault(point["trend_id"], []).append(point)
    for trend, members in trends.items():
        if members[0]["measure"] == "tau_c":
            n_units, replicates = _taus(members, observations.filter(f"trend_id = {trend}"))
        else:
            n_units, replicates = _kappas(members, kappas.filter(f"trend_id = {trend}"))
        families = sorted({str(point["family"]) for point in members})
        for family in (*families, None):
            at = [place for place, point in enumerate(members) if family in (None, point["family"])]
            sizes = {members[place]["size_b_params"] for place in at}
            if family is None or len(sizes) >= MIN_SIZES:
                found = _tested([members[place] for place in at], replicates[at], n_units)
                rows.append({"trend_id": trend, "family": family, **found})
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _taus(
    members: list[dict[str, Any]], observations: duckdb.DuckDBPyRelation
) -> tuple[int, Floats]:
    """Return the number of topics, and each judge's tau-c in the same resamples of them."""
    table = observations.order("judge_id, item_index").to_arrow_table()
    names, topics = np.unique(
        table["debate_id"].to_numpy(zero_copy_only=False), return_inverse=True
    )
    judge = table["judge_id"].to_numpy(zero_copy_only=False)
    x, y = (table[name].to_numpy() for name in ("x", "y"))
    seed, number = members[0]["bootstrap_seed"], members[0]["bootstrap_replicates"]
    counts = drawn_counts(seed, number, len(names))
    own = [judge == point["judge_id"] for point in members]
    return len(names), np.stack(
        [resampled_tau_c(x[is_own], y[is_own], topics[is_own], counts) for is_own in own]
    )


def _kappas(members: list[dict[str, Any]], kappas: duckdb.DuckDBPyRelation) -> tuple[int, Floats]:
    """Return the number of annotators, and each judge's mean kappa in the resamples of them."""
    place = {point["judge_id"]: at for at, point in enumerate(members)}
    replicates = np.full((len(members), members[0]["bootstrap_replicates"]), np.nan)
    n_units = 0
    for row in kappas.to_arrow_table().to_pylist():
        n_units = max(n_units, row["n_units"])
        if row["judge_id"] in place and row["agreement"] is not None:
            replicates[place[row["judge_id"]], row["replicate"] - 1] = row["agreement"]
    return n_units, replicates


def _tested(members: list[dict[str, Any]], replicates: Floats, n_units: int) -> dict[str, Any]:
    """Return the knot of two lines, its uncertainty, and the test against one line.

    p is the share of replicates whose scatter about the estimates, added to the straight line,
    bends as much: it resamples topics (or annotators) and fixes the models. p_permuted shuffles the
    models' residuals from the line instead.
    """
    log_sizes = np.log2([point["size_b_params"] for point in members])
    families = np.unique([point["family"] for point in members], return_inverse=True)[1]
    values = np.array([point["agreement"] for point in members])
    known = replicates[:, ~np.isnan(replicates).any(axis=0)]
    found = bends(log_sizes, families, values[:, None])
    knot = float(found.knot[0])
    row: dict[str, Any] = {
        **_lines(log_sizes, families, values, knot),
        "turning_size": _size(members, knot),
        "sse_line": float(found.sse_line[0]),
        "sse_bent": float(found.sse_bent[0]),
        "n_replicates": known.shape[1],
    }
    generator = np.random.Generator(np.random.Philox(key=_PERMUTATION_SEED))
    design = _design(log_sizes, families)
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    shuffled = generator.permuted(np.tile(rest, (members[0]["bootstrap_replicates"], 1)), axis=1).T
    again = bends(log_sizes, families, shuffled)
    # What a line leaves is smaller than the scatter it came from, and so is a gain: shares compare.
    row["p_permuted"] = _share(_part(again), float(_part(found)[0]))
    if n_units < MIN_UNITS:
        unit = "topics" if members[0]["measure"] == "tau_c" else "annotators"
        return row | {"reason": f"fewer than {MIN_UNITS} {unit}"}
    if not known.shape[1] or np.ptp(known, axis=1).max() < _TOLERANCE:
        return row | {"reason": "nothing varies between the resamples"}
    drawn = bends(log_sizes, families, known - known.mean(axis=1, keepdims=True))
    row["p"] = _share(drawn.sse_line - drawn.sse_bent, float((found.sse_line - found.sse_bent)[0]))
    # The ends are sizes there are, the outer ones where a percentile falls between two.
    turning = np.sort(bends(log_sizes, families, known).knot)
    low, high = np.floor(0.025 * (len(turning) - 1)), np.ceil(0.975 * (len(turning) - 1))
    return row | {
        "turning_size_low": _size(members, turning[int(low)]),
        "turning_size_high": _size(members, turning[int(high)]),
    }


def _part(found: Bends) -> Floats:
    """Return the share of a line's squared errors that the bend removes; 0 without errors."""
    errors = np.where(found.sse_line > _TOLERANCE, found.sse_line, 1.0)
    return np.asarray(np.where(found.sse_line > _TOLERANCE, 1 - found.sse_bent / errors, 0.0))


def _share(drawn: Floats, gain: float) -> float:
    """Return the p of a gain, counted among the draws (Phipson and Smyth 2010)."""
    return float((1 + np.sum(drawn >= gain - _TOLERANCE)) / (1 + len(drawn)))


def _size(members: list[dict[str, Any]], log_size: float) -> float:
    return float(
        min((abs(np.log2(one) - log_size), one) for one in (p["size_b_params"] for p in members))[1]
    )


def _lines(
    log_sizes: Floats, families: Ints, values: Floats, knot: float
) -> dict[str, float | None]:
    """Return the slopes on both sides and, within one family, the level of the lines."""
    design = np.column_stack([_design(log_sizes, families), np.maximum(0.0, log_sizes - knot)])
    *levels, slope, change = np.linalg.lstsq(design, values, rcond=None)[0]
    slopes: dict[str, float | None] = {
        "slope_before": float(slope),
        "slope_after": float(slope + change),
    }
    if len(levels) > 1:
        return slopes | dict.fromkeys(("fitted_smallest", "fitted_turning", "fitted_largest"))
    at = {"smallest": log_sizes.min(), "turning": knot, "largest": log_sizes.max()}
    return slopes | {
        f"fitted_{name}": float(levels[0] + slope * x + change * max(0.0, x - knot))
        for name, x in at.items()
    }
