"""Functions that SQL lacks, registered in a connection under the names used here.

They work on whole Arrow vectors: row by row would take ten times as long. A view with one fails in
every connection without it, so such models are tables. Distributions are those of `scipy.special`:
the import of `scipy.stats` takes more than a second.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType
from duckdb.sqltypes import BIGINT, DOUBLE, DuckDBPyType

from warehouse.fits.resampling import (
    calibrated_ece,
    resample_counts,
    resampled_pair_ratios,
    resampled_ratios,
)


def student_t_quantile(probability: pa.ChunkedArray, df: pa.ChunkedArray) -> pa.Array:
    """Quantile of Student's t; null where the degrees of freedom are not positive."""
    degrees = _floats(df)
    with np.errstate(invalid="ignore"):
        values = _special().stdtrit(np.where(degrees > 0, degrees, np.nan), _floats(probability))
    return pa.array(values, from_pandas=True)


def student_t_two_sided(statistic: pa.ChunkedArray, df: pa.ChunkedArray) -> pa.Array:
    """Two-sided p of Student's t; null where the degrees of freedom are not positive."""
    degrees = _floats(df)
    with np.errstate(invalid="ignore"):
        tail = _special().stdtr(np.where(degrees > 0, degrees, np.nan), -np.abs(_floats(statistic)))
    return pa.array(2 * tail, from_pandas=True)


def normal_quantile(probability: pa.ChunkedArray) -> pa.Array:
    """Quantile of the standard normal distribution; null outside 0 to 1."""
    return pa.array(_special().ndtri(_floats(probability)), from_pandas=True)


def normal_two_sided(z: pa.ChunkedArray) -> pa.Array:
    """Two-sided p of a standard normal statistic; null for null."""
    return pa.array(2 * _special().ndtr(-np.abs(_floats(z))), from_pandas=True)


def chi_square_p(statistic: pa.ChunkedArray, df: pa.ChunkedArray) -> pa.Array:
    """Upper tail of the chi-square distribution; null for null."""
    return pa.array(_special().chdtrc(_floats(df), _floats(statistic)), from_pandas=True)


def binomial_two_sided(successes: pa.ChunkedArray, trials: pa.ChunkedArray) -> pa.Array:
    """Exact two-sided p of a binomial count at one half; null without trials.

    At one half the distribution is symmetric, so the p is twice the smaller tail, at most 1
    (McNemar's exact test, with the discordant pairs as trials).
    """
    count, size = _floats(successes), _floats(trials)
    fewer = np.minimum(count, size - count)
    tail = _special().betainc(size - fewer, fewer + 1, 0.5)
    return pa.array(np.where(size > 0, np.minimum(1.0, 2 * tail), np.nan), from_pandas=True)


def _floats(values: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


@cache
def _special() -> ModuleType:
    """Import SciPy's functions, which most writers never call."""
    return import_module("scipy.special")


_INTEGERS, _DOUBLES = DuckDBPyType(list[int]), DuckDBPyType(list[float])
_FUNCTIONS: tuple[tuple[Callable[..., Any], list[Any], DuckDBPyType], ...] = (
    (student_t_quantile, [DOUBLE, DOUBLE], DOUBLE),
    (student_t_two_sided, [DOUBLE, DOUBLE], DOUBLE),
    (normal_quantile, [DOUBLE], DOUBLE),
    (normal_two_sided, [DOUBLE], DOUBLE),
    (chi_square_p, [DOUBLE, DOUBLE], DOUBLE),
    (binomial_two_sided, [DOUBLE, DOUBLE], DOUBLE),
    (resample_counts, [BIGINT, BIGINT, BIGINT], DuckDBPyType(list[int])),
    (
        resampled_ratios,
        [BIGINT, BIGINT, _INTEGERS, _INTEGERS, _DOUBLES, _DOUBLES],
        _DOUBLES,
    ),
    (
        resampled_pair_ratios,
        [BIGINT, BIGINT, BIGINT, _INTEGERS, _INTEGERS, _DOUBLES, _DOUBLES],
        _DOUBLES,
    ),
    (calibrated_ece, [BIGINT, BIGINT, _DOUBLES, _INTEGERS, DuckDBPyType(list[bool])], DOUBLE),
)


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Make every function of this module and of `resampling` callable from SQL."""
    for function, parameters, returns in _FUNCTIONS:
        connection.create_function(
            function.__name__,
            function,
            parameters,
            returns,
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )
