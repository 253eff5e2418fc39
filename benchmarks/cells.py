"""The cells of `decisions/rates.py`, one after the other."""

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.soak.simulation import clopper_pearson, share_of

__all__ = ["clopper_pearson", "each_cell", "share_of"]


def each_cell(
    cells: Mapping[str, Any],
    study_cell: Callable[..., dict[str, Any]],
    seed: int,
    *,
    step: int = 10,
    only: str | None = None,
) -> list[dict[str, Any]]:
    """Return what cells find, one after the other, and tell how long each takes.

    Args:
        cells: What each cell plants, by name.
        study_cell: Returns what a cell finds, given `seed`.
        seed: The first cell's.
        step: How far apart two cells' seeds are.
        only: The one cell that is wanted; None for all.
    """
    found = []
    for number, (cell, planted) in enumerate(cells.items()):
        if only in (None, cell):
            started = time.monotonic()
            found.append(study_cell(cell, planted, seed=seed + step * number))
            print(f"{cell}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return found
