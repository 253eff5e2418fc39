"""Mappings of a judge's scores to people's means, each topic predicted by a fit to the others."""

from collections.abc import Callable, Mapping
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.fits.arrays import Floats, schema_of

_SCHEMA = schema_of(
    ("series_id", pa.int64()),
    ("item_id method", pa.string()),
    ("prediction", pa.float64()),
)


def linear(scores: Floats, human_means: Floats, wanted: Floats) -> Floats:
    """Predict by least squares: a + b * score.

    If all scores are the same, the prediction is people's mean.
    """
    centred = scores - scores.mean()
    squares = float(centred @ centred)
    slope = float(centred @ human_means) / squares if squares > 0 else 0.0
    return np.asarray(human_means.mean() + slope * (wanted - scores.mean()))


def isotonic(scores: Floats, human_means: Floats, wanted: Floats) -> Floats:
    """Predict by the non-decreasing steps closest in squares (pool adjacent violators) [1]_.

    Speeches of the same score share one step. Between two scores the prediction is interpolated;
    beyond the outermost it is constant.

    References:
        .. [1] Barlow, Bartholomew, Bremner and Brunk (1972), Statistical inference under order
           restrictions, Wiley.
    """
    from scipy.optimize import isotonic_regression

    seen, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    means = np.bincount(place, human_means) / counts
    steps = isotonic_regression(means, weights=counts.astype(np.float64)).x
    return np.asarray(np.interp(wanted, seen, steps), dtype=np.float64)


METHODS: Mapping[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "linear": linear,
    "isotonic": isotonic,
}


def calibrated_scores(items: duckdb.DuckDBPyRelation) -> pa.Table:
    """Predict every speech by fits to the other folds, if there are any."""
    columns = items.order("series_id, item_id").fetchnumpy()
    parts: list[pa.Table] = []
    starts = np.flatnonzero(np.diff(columns["series_id"], prepend=-1))
    for start, end in pairwise([*starts, len(columns["series_id"])]):
        one = {name: np.asarray(values[start:end]) for name, values in columns.items()}
        folds = one["fold"]
        if len(np.unique(folds)) < 2:
            continue
        for method, predict in METHODS.items():
            predicted = np.empty(len(folds))
            for fold in np.unique(folds):
                held = folds == fold
                predicted[held] = predict(
                    one["score"][~held], one["human_mean"][~held], one["score"][held]
                )
            parts.append(
                pa.table(
                    {
                        "series_id": pa.array(one["series_id"], pa.int64()),
                        "item_id": pa.array(one["item_id"].tolist(), pa.string()),
                        "method": pa.array([method] * len(folds), pa.string()),
                        "prediction": pa.array(predicted, pa.float64()),
                    }
                )
            )
    return pa.concat_tables(parts) if parts else _SCHEMA.empty_table()
