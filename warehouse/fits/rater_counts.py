"""Correlations of panels of raters, and of judges, with a reference of other raters."""

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.fits.arrays import Floats, Ints, none_if_nan, schema_of
from warehouse.fits.crowd import (
    DRAWS,
    MOST_ITEMS_FOR_TAU,
    PEARSON,
    TAU_C,
    Crowd,
    Sample,
    draw,
    equivalent,
    judge_products,
    reliability,
    stepped_up,
)

EXTRAPOLATED_TO = 20
LESS_THAN_ONE, MORE_THAN_ANY, MORE_THAN_MEASURED = (
    "less_than_one",
    "more_than_any",
    "more_than_measured",
)

_SCHEMA = schema_of(
    ("dataset_id dimension measure", pa.string()),
    ("n_panel", pa.int64()),
    ("judge_id template failure_rule", pa.string()),
    ("correlation correlation_low correlation_high", pa.float64()),
    ("is_extrapolated", pa.bool_()),
    ("worth", pa.float64()),
    ("worth_status", pa.string()),
    ("worth_low", pa.float64()),
    ("worth_low_status", pa.string()),
    ("worth_high", pa.float64()),
    ("worth_high_status", pa.string()),
    ("n_items n_units n_draws", pa.int64()),
    ("reason", pa.string()),
)


def rater_counts(
    panels: duckdb.DuckDBPyRelation,
    ratings: duckdb.DuckDBPyRelation,
    clusters: duckdb.DuckDBPyRelation,
    scores: duckdb.DuckDBPyRelation,
) -> pa.Table:
    """Return a row per data set, dimension, measure and number of raters or judge."""
    rows: list[dict[str, Any]] = []
    usable = panels.filter("panel_size is not null").order("dataset_id, dimension")
    for panel in usable.to_arrow_table().to_pylist():
        rated = (
            ratings.filter(f"panel_index = {panel['panel_index']}")
            .set_alias("ratings")
            .join(clusters.set_alias("clusters"), "item_index")
            .select("debate_id, item_id, annotator_index, value")
            .order("debate_id, item_id, annotator_index")
            .fetchall()
        )
        crowd, places = draw(
            rated,
            panel["reference_raters"],
            panel["panel_size"],
            panel["bootstrap_seed"],
            panel["bootstrap_replicates"],
            panel["min_units"],
        )
        asked = (
            scores.filter(_is("dataset_id", panel) & _is("dimension", panel))
            .filter("failure_rule in ('excluded', 'nearest', 'farthest')")
            .select("judge_id, template, failure_rule, item_id, score")
            .order("judge_id, template, failure_rule, item_id")
            .fetchall()
        )
        common = {
            "dataset_id": panel["dataset_id"],
            "dimension": panel["dimension"],
            "n_draws": DRAWS,
        }
        rows += [common | row for row in _panel_rows(crowd, _by_judge(asked, places))]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _is(column: str, panel: Mapping[str, Any]) -> duckdb.Expression:
    return duckdb.ColumnExpression(column) == duckdb.ConstantExpression(panel[column])


def _panel_rows(
    crowd: Crowd, judges: list[tuple[tuple[str, str, str], Ints, Floats]]
) -> Iterator[dict[str, Any]]:
    everything = np.arange(len(crowd.topic))
    samples: dict[bytes, tuple[Sample, dict[str, Floats]]] = {}

    def sampled(items: Ints) -> tuple[Sample, dict[str, Floats]]:
        key = items.tobytes()
        if key not in samples:
            sample = Sample.from_crowd(crowd, items)
            samples[key] = (sample, _curves(crowd, sample))
        return samples[key]

    whole, curves = sampled(everything)
    for measure, curve in curves.items():
        yield from _curve_rows(crowd, whole, measure, curve)
    for (judge, template, rule), items, scores in judges:
        sample, own_curves = sampled(items)
        for measure, curve in own_curves.items():
            if measure == PEARSON:
                found = sample.pearson(scores, crowd.reference[:, items])
            elif not crowd.has_tau:
                found = np.full(len(sample.weights), np.nan)
            else:
                found = sample.tau_c(judge_products(crowd, items, scores))
            yield {
                "measure": measure,
                "judge_id": judge,
                "template": template,
                "failure_rule": rule,
                **_estimated(crowd, sample, found),
                **_worth(crowd, sample, measure, curve, found),
                "reason": _why_not(crowd, measure, curve, found),
            }


def _curves(crowd: Crowd, sample: Sample) -> dict[str, Floats]:
    """Correlation of 1, 2, ... raters' mean with the reference: a row per resample."""
    items = sample.items
    reference = crowd.reference[:, items]
    pearson = [sample.pearson(panel[:, items], reference) for panel in crowd.panels]
    place = np.ix_(items, items)
    tau = (
        [sample.tau_c(products[place]) for products in crowd.panel_signs]
        if crowd.has_tau
        else [np.full(len(sample.weights), np.nan)] * len(crowd.panels)
    )
    return {PEARSON: np.stack(pearson, axis=1), TAU_C: np.stack(tau, axis=1)}


def _curve_rows(
    crowd: Crowd, sample: Sample, measure: str, curve: Floats
) -> Iterator[dict[str, Any]]:
    size = curve.shape[1]
    for number in range(size):
        found = curve[:, number]
        yield {
            "measure": measure,
            "n_panel": number + 1,
            "is_extrapolated": False,
            **_estimated(crowd, sample, found),
            "reason": _why_not(crowd, measure, curve, found),
        }
    if measure == PEARSON and curve[0, -1] > 0:
        raters = crowd.reference_size
        single = reliability(curve[:, -1], size, raters)
        for number in range(size + 1, EXTRAPOLATED_TO + 1):
            found = np.sqrt(stepped_up(single, number) * stepped_up(single, raters))
            yield {
                "measure": measure,
                "n_panel": number,
                "is_extrapolated": True,
                **_estimated(crowd, sample, found),
            }


def _estimated(crowd: Crowd, sample: Sample, found: Floats) -> dict[str, Any]:
    low = high = None
    known = found[1:][~np.isnan(found[1:])]
    if len(sample.starts) >= crowd.min_units and len(known) and not np.isnan(found[0]):
        low, high = np.quantile(known, [0.025, 0.975]).tolist()
    return {
        "correlation": none_if_nan(found[0]),
        "correlation_low": low,
        "correlation_high": high,
        "n_items": len(sample.items),
        "n_units": len(sample.starts),
    }


def _worth(
    crowd: Crowd, sample: Sample, measure: str, curve: Floats, found: Floats
) -> dict[str, Any]:
    numbers = equivalent(curve, found, crowd.reference_size, measure)
    known = np.sort(numbers[1:][~np.isnan(numbers[1:])])
    ends: tuple[float, float] | None = None
    if len(sample.starts) >= crowd.min_units and len(known) and not np.isnan(numbers[0]):
        # Order statistics: between a number and "more than any" there is nothing to interpolate.
        last = len(known) - 1
        ends = known[int(0.025 * last)], known[int(np.ceil(0.975 * last))]
    row: dict[str, Any] = {}
    for name, number in (
        ("worth", numbers[0]),
        *zip(("worth_low", "worth_high"), ends or (), strict=False),
    ):
        status = _status(float(number), curve.shape[1], measure)
        row[f"{name}_status"] = status
        row[name] = float(number) if status in ("interpolated", "extrapolated") else None
    return row


def _status(number: float, size: int, measure: str) -> str:
    if np.isnan(number):
        return "undefined"
    if number == 0:
        return LESS_THAN_ONE
    if np.isinf(number):
        return MORE_THAN_ANY if measure == PEARSON else MORE_THAN_MEASURED
    return "interpolated" if number <= size else "extrapolated"


def _why_not(crowd: Crowd, measure: str, curve: Floats, found: Floats) -> str | None:
    if not np.isnan(found[0]):
        return None
    if measure == TAU_C and not crowd.has_tau:
        return (
            f"more than {MOST_ITEMS_FOR_TAU:,} speeches: too many to compare each with every other"
        )
    if np.isnan(curve[0]).any():
        return "people's means are the same on every speech"
    return "this judge has the same score on every speech"


def _by_judge(
    rows: list[tuple[Any, ...]], places: Mapping[str, int]
) -> list[tuple[tuple[str, str, str], Ints, Floats]]:
    """Scores of each judge, prompt and failure rule by the place of the item."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for judge, template, rule, item, score in rows:
        if item in places:
            found.setdefault((judge, template, rule), {})[places[item]] = round(score, 9)
    return [
        (key, np.array(sorted(own)), np.array([own[place] for place in sorted(own)]))
        for key, own in found.items()
    ]
