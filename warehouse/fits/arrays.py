"""Shared by all fits: types of arrays, and schemas and rows of their tables."""

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def schema_of(*groups: tuple[str, pa.DataType]) -> pa.Schema:
    """Return a schema."""
    return pa.schema([(name, kind) for names, kind in groups for name in names.split()])


def rows_of_last_build(
    previous: duckdb.DuckDBPyRelation | None, schema: pa.Schema, key: Sequence[str]
) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """Return the rows of a fitted table of the last build, by the columns of a key."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    if previous is not None and set(previous.columns) == set(schema.names):
        for row in previous.to_arrow_table().to_pylist():
            found.setdefault(tuple(row[name] for name in key), []).append(row)
    return found


def none_if_nan(value: float) -> float | None:
    """Return a number, or None for NaN."""
    return None if np.isnan(value) else float(value)
