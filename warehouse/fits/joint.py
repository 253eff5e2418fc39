"""Logistic models of verdicts on possible biases, with errors clustered by debate."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from scipy.special import expit, stdtr, stdtrit
from threadpoolctl import threadpool_limits

from warehouse.fits.arrays import Bools, Floats, Ints, rows_of_last_build, schema_of
from warehouse.fits.logistic import Design, Fitted, fit_logistic

# Part of every fingerprint: raise it when a change here or in the regression changes a figure, and
# all is fitted again.
JOINT_VERSION = 1
# Columns are scaled to length 1 first; a smaller eigenvalue than this is rounding.
_RANK_TOLERANCE = 1e-9
# No number of debates makes a standard error as small as this; only rounding does.
_NO_ERROR = 1e-9
# Judges fitted side by side. A third would wait: half of a fit holds Python's lock.
_FITS_AT_ONCE = 2

_TERMS = {
    "con second": "is_con_second",
    "con closes": "con_closes",
    "log2 length ratio": "log2_length_ratio",
    "human winner con": "human_is_con",
}
_FIT = ("experiment", "dataset_id", "judge_id", "template")
_OF_DEBATES = ("con_closes", "log2_length_ratio", "human_is_con")

_SCHEMA = schema_of(
    ("experiment dataset_id judge_id template term", pa.string()),
    ("n_units n_clusters n_answers split_count incomplete_count", pa.int64()),
    (
        "coefficient coefficient_low coefficient_high marginal_effect marginal_effect_low "
        "marginal_effect_high statistic df p",
        pa.float64(),
    ),
    ("reason fingerprint", pa.string()),
)


@dataclass(frozen=True)
class Term:
    """A regressor with an effect to estimate.

    Attributes:
        values: Its value for each unit; NaN where unknown.
        levels: The two values compared, or None for a slope.
        applies: The units over which its marginal effect is averaged.
        is_of_debates: Whether units of one debate share its value, or units of one variant.
    """

    values: Floats
    levels: tuple[float, float] | None
    applies: Bools
    is_of_debates: bool = False


@dataclass(frozen=True)
class Effect:
    """One term's estimates, see `joint_model`; `reason` for those that are None."""

    coefficient: float | None = None
    coefficient_error: float | None = None
    marginal_effect: float | None = None
    marginal_effect_error: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class JointModel:
    """A fitted joint model; `used` are the units with a verdict and all regressors."""

    effects: dict[str, Effect]
    used: Bools
    n_clusters: int


def joint_model(
    is_con: Floats,
    terms: Mapping[str, Term],
    nuisances: Floats | Bools,
    clusters: Ints,
    *,
    ways: Ints,
    debates: Ints,
    min_clusters: int,
) -> JointModel:
    """Logistic regression of verdicts for Con on all possible biases at once.

    The marginal effect of a term is the change of the share of Con verdicts between its two levels,
    all else as it was, averaged over the units it applies to; of a term without levels it is the
    average slope. Errors are cluster-robust (Liang and Zeger 1986, with the factor
    G / (G - 1) * (n - 1) / (n - k) of statsmodels), those of marginal effects by the delta method.

    Constant and unknown terms are left out, and so are units without a value of any other term.
    Terms that others determine have no effect and do not change the rest. An effect that cannot be
    estimated has a reason.

    Args:
        is_con: 1 for Con, 0 for Pro, NaN where the unit has no majority.
        nuisances: Further regressors of variants as columns, without a constant and all known.
    """
    varied, used, effects = _varied_terms(is_con, terms)
    verdicts = is_con[used]
    of_clusters, groups = np.unique(clusters[used], return_inverse=True)
    n_clusters = len(of_clusters)
    whole = Design.from_columns(
        [
            (np.ones(len(used)), False),
            *((term.values, term.is_of_debates) for term in varied.values()),
            *((column, False) for column in nuisances.T),
        ],
        ways,
        debates,
        used,
    )
    place = {name: 1 + number for number, name in enumerate(varied)}
    kept, determined = _independent_columns(whole, first_dispensable=1 + len(varied))
    design = whole.columns(kept)
    reason = _refusal(verdicts, n_clusters, len(kept), min_clusters)
    fitted = None if reason else fit_logistic(verdicts, design, groups)
    if fitted is None:
        reason = reason or "separated: the terms predict some units' verdicts without fail"
    for name, term in varied.items():
        if fitted is None:
            effects[name] = Effect(reason=reason)
        elif place[name] in determined:
            effects[name] = Effect(reason="determined by other terms")
        else:
            at = kept.index(place[name])
            effects[name] = _effect(fitted, design, at, term.levels, term.applies[used])
    return JointModel({name: effects[name] for name in terms}, used, n_clusters)


def joint_models(
    rows: duckdb.DuckDBPyRelation,
    settings: duckdb.DuckDBPyRelation,
    fingerprints: duckdb.DuckDBPyRelation,
    previous: duckdb.DuckDBPyRelation | None = None,
) -> pa.Table:
    """Fit each joint model, or reuse that of the last build if nothing changed."""
    reusable = rows_of_last_build(previous, _SCHEMA, (*_FIT, "fingerprint"))
    ways = _records(settings.select("setting_id, fit_key, asked, outcome, label_set"))
    fits: list[list[dict[str, Any]] | Future[list[dict[str, Any]]]] = []
    waiting: deque[Future[list[dict[str, Any]]]] = deque()
    with (
        # Threads of linear algebra wait for each other longer than these matrices take one.
        threadpool_limits(1, user_api="blas"),
        ThreadPoolExecutor(_FITS_AT_ONCE) as threads,
    ):
        for fit in _records(fingerprints.order("fit_key")):
            fingerprint = f"{JOINT_VERSION} {fit['min_clusters']} {fit['rows_fingerprint']}"
            about = {**{name: fit[name] for name in _FIT}, "fingerprint": fingerprint}
            made = reusable.get(tuple(about.values()))
            if made is not None:
                fits.append(made)
                continue
            # No rows are read ahead but those of one judge.
            if len(waiting) > _FITS_AT_ONCE:
                waiting.popleft().result()
            asked = [way for way in ways if way["fit_key"] == fit["fit_key"]]
            # In a fixed order, so that the same rows give the same figures to the last bit.
            of_fit = rows.filter(f"fit_key = {fit['fit_key']}")
            columns = of_fit.order("cluster_key, debate_key, setting_id").fetchnumpy()
            waiting.append(threads.submit(_fit_judge, columns, asked, about, fit["min_clusters"]))
            fits.append(waiting[-1])
    table = [row for fit in fits for row in (fit.result() if isinstance(fit, Future) else fit)]
    return pa.Table.from_pylist(table, schema=_SCHEMA)


def _records(relation: duckdb.DuckDBPyRelation) -> list[dict[str, Any]]:
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def _fit_judge(
    columns: Mapping[str, Any],
    ways: list[dict[str, Any]],
    about: Mapping[str, Any],
    min_clusters: int,
) -> list[dict[str, Any]]:
    """Fit one judge's joint model and return its rows of the table."""
    setting = np.asarray(columns["setting_id"])
    order = np.argsort([way["setting_id"] for way in ways])
    ways = [ways[number] for number in order]
    which = np.searchsorted([way["setting_id"] for way in ways], setting)
    everywhere = np.ones(len(setting), dtype=np.bool_)

    terms: dict[str, Term] = {}
    labels = _floats(columns["con_has_second_label"])
    for name, column in _TERMS.items():
        levels = None if column == "log2_length_ratio" else (0.0, 1.0)
        values = _floats(columns[column])
        terms[name] = Term(values, levels, everywhere, column in _OF_DEBATES)
        if name == "con second":
            # In one order only, a label cannot be told from the side that carries it: it is the
            # same for every unit it applies to.
            for label_set in sorted({way["label_set"] for way in ways} - {None}):
                of_set = np.array([way["label_set"] == label_set for way in ways])[which]
                values = np.where(of_set, labels, 0.0)
                terms[f"label {label_set}"] = Term(values, (-0.5, 0.5), of_set)

    # A setting may draw anew for each debate who comes first, and who bears which label.
    drawn = [np.nan_to_num(each, nan=2.0) for each in (terms["con second"].values, labels + 0.5)]
    is_con = _floats(columns["is_con"])
    model = joint_model(
        is_con,
        terms,
        _indicators(ways, which),
        np.asarray(columns["cluster_key"], dtype=np.int64),
        ways=(9 * which + 3 * drawn[0] + drawn[1]).astype(np.int64),
        debates=np.asarray(columns["debate_key"], dtype=np.int64),
        min_clusters=min_clusters,
    )
    df = model.n_clusters - 1.0
    quantile = stdtrit(df, 0.975) if df > 0 else np.nan
    counts = {
        **about,
        "n_units": int(model.used.sum()),
        "n_clusters": model.n_clusters,
        "n_answers": int(np.asarray(columns["answer_count"])[model.used].sum()),
        "split_count": int(np.isnan(is_con).sum()),
        "incomplete_count": int((~np.isnan(is_con) & ~model.used).sum()),
    }
    return [
        {"term": name, **counts, **_interval_columns(effect, df, quantile), "reason": effect.reason}
        for name, effect in model.effects.items()
    ]


def _interval_columns(effect: Effect, df: float, quantile: float) -> dict[str, float | None]:
    """Return estimates and, where there are errors, t intervals and the test of no effect."""
    columns: dict[str, float | None] = {
        "coefficient": effect.coefficient,
        "marginal_effect": effect.marginal_effect,
    }
    for name, estimate, error in (
        ("coefficient", effect.coefficient, effect.coefficient_error),
        ("marginal_effect", effect.marginal_effect, effect.marginal_effect_error),
    ):
        if estimate is not None and error is not None:
            columns[f"{name}_low"] = estimate - quantile * error
            columns[f"{name}_high"] = estimate + quantile * error
            statistic = estimate / error
            # Of the two, the marginal effect comes last: its test is the one that is kept.
            columns |= {"statistic": statistic, "df": df, "p": 2 * stdtr(df, -abs(statistic))}
    return columns


def _floats(values: Any) -> Floats:
    """Return a column as numbers, with NaN for null."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan), dtype=np.float64)
    return np.asarray(values, dtype=np.float64)


def _indicators(ways: list[dict[str, Any]], which: Ints) -> Bools:
    """Return indicators of wording, outcome and label set, without the first of each."""
    columns = []
    for factor in ("asked", "outcome", "label_set"):
        levels = sorted({str(way[factor]) for way in ways})
        columns += [
            np.array([str(way[factor]) == level for way in ways])[which] for level in levels[1:]
        ]
    return np.column_stack(columns) if columns else np.zeros((len(which), 0), dtype=np.bool_)


def _varied_terms(
    is_con: Floats, terms: Mapping[str, Term]
) -> tuple[dict[str, Term], Bools, dict[str, Effect]]:
    """Return the terms to fit, their units, and the reasons to leave out the others."""
    has_verdict = ~np.isnan(is_con)
    left_out: dict[str, Effect] = {}
    varied: dict[str, Term] = {}
    for name, term in terms.items():
        values = term.values[has_verdict & term.applies]
        if not len(values):
            left_out[name] = Effect(reason="no unit with a majority")
        elif np.isnan(values).all():
            left_out[name] = Effect(reason="unknown for every unit")
        elif np.nanmin(values) == np.nanmax(values):
            left_out[name] = Effect(reason="the same for every unit")
        else:
            varied[name] = term
    used = has_verdict
    for term in varied.values():
        used = used & ~np.isnan(term.values)
    for name, term in list(varied.items()):
        values = term.values[used & term.applies]
        if not len(values) or values.min() == values.max():
            left_out[name] = Effect(
                reason="the same for every unit where the other terms are known"
            )
            del varied[name]
    return varied, used, left_out


def _refusal(
    verdicts: Floats, n_clusters: int, n_coefficients: int, min_clusters: int
) -> str | None:
    """Return the reason that nothing can be fitted, if any."""
    if not len(verdicts):
        return "no unit with all terms known"
    if np.ptp(verdicts) == 0:
        return "one class only"
    if n_clusters < min_clusters:
        return f"fewer than {min_clusters} clusters"
    if n_clusters <= n_coefficients:
        return "no more clusters than coefficients"
    return None


def _independent_columns(design: Design, *, first_dispensable: int) -> tuple[list[int], set[int]]:
    """Return independent columns that span all, and the others."""
    products = design.products(np.ones(len(design.way)))
    lengths = np.sqrt(np.diag(products))
    present = np.flatnonzero(lengths > 0).tolist()
    gram = products[np.ix_(present, present)] / np.outer(lengths[present], lengths[present])
    # Nuisances come first, so that it is a term that goes where a term adds nothing to them.
    order = sorted(range(len(present)), key=lambda at: 0 < present[at] < first_dispensable)
    kept: list[int] = []
    for at in order:
        trial = [*kept, at]
        if np.linalg.eigvalsh(gram[np.ix_(trial, trial)])[0] > _RANK_TOLERANCE:
            kept = trial
    values, vectors = np.linalg.eigh(gram)
    null_space = vectors[:, values <= _RANK_TOLERANCE]
    determined = {
        present[at] for at in range(len(present)) if (np.abs(null_space[at]) > 1e-6).any()
    }
    return sorted(present[at] for at in kept), determined


def _effect(
    fitted: Fitted,
    design: Design,
    place: int,
    levels: tuple[float, float] | None,
    applies: Bools,
) -> Effect:
    """Return a term's coefficient and average marginal effect with their standard errors."""
    concerned = design if applies.all() else design.units(applies)
    n_units = len(concerned.way)
    coefficient = fitted.coefficients[place]
    log_odds = concerned.times(fitted.coefficients)
    if levels is None:
        share = expit(log_odds)
        density = share * (1 - share)
        marginal_effect = coefficient * density.mean()
        gradient = coefficient * concerned.sums(density * (1 - 2 * share)) / n_units
        gradient[place] += density.mean()
    else:
        marginal_effect = 0.0
        gradient = np.zeros(len(fitted.coefficients))
        own = np.zeros(len(fitted.coefficients))
        own[place] = coefficient
        log_odds -= concerned.times(own)
        for level, sign in zip(levels, (-1, 1), strict=True):
            share = expit(log_odds + coefficient * level)
            density = share * (1 - share)
            part = concerned.sums(density) / n_units
            part[place] = level * density.mean()
            marginal_effect += sign * share.mean()
            gradient += sign * part
    coefficient_error = np.sqrt(max(0.0, fitted.covariance[place, place]))
    marginal_effect_error = np.sqrt(max(0.0, gradient @ fitted.covariance @ gradient))
    if min(coefficient_error, marginal_effect_error) < _NO_ERROR:
        # Every cluster says the same of it, as of position for a judge who never minds it.
        return Effect(
            coefficient=_without_rounding(coefficient),
            marginal_effect=_without_rounding(marginal_effect),
            reason="every cluster shows the same effect",
        )
    return Effect(
        coefficient=float(coefficient),
        coefficient_error=float(coefficient_error),
        marginal_effect=float(marginal_effect),
        marginal_effect_error=float(marginal_effect_error),
    )


def _without_rounding(value: float) -> float:
    return 0.0 if abs(value) < _NO_ERROR else float(value)
