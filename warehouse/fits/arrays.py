"""What all fits share: types of arrays, schemas of the tables they return, draws of a bootstrap."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.fits.resampling import resample_counts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def schema_of(*groups: tuple[str, pa.DataType]) -> pa.Schema:
    """Return a schema.

    Args:
        groups: Names of neighbouring columns, with spaces between them, and their type.
    """
    return pa.schema([(name, kind) for names, kind in groups for name in names.split()])


def drawn_counts(seed: int, replicates: int, units: int) -> Floats:
    """How often each unit is drawn, a row per replicate; the draws of `resample_counts`."""
    counts = resample_counts(
        pa.chunked_array([[seed] * replicates]),
        pa.chunked_array([[units] * replicates]),
        pa.chunked_array([list(range(1, replicates + 1))]),
    )
    found: Floats = np.asarray(counts.flatten(), dtype=np.float64).reshape(replicates, units)
    return found
