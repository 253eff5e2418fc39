"""What simulation studies share: cells one after the other, and shares with their intervals."""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scipy import stats

from benchmarks.report import write_result


def clopper_pearson(hits: int, trials: int, level: float = 0.99) -> tuple[float, float]:
    """Return the exact interval of a share."""
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, hits, trials - hits + 1)) if hits else 0.0
    high = float(stats.beta.isf(tail, hits + 1, trials - hits)) if hits < trials else 1.0
    return low, high


def share_of(name: str, hits: int, trials: int) -> dict[str, float]:
    """Return a share and the ends of its 99 % Clopper-Pearson interval, as a result names them."""
    low, high = clopper_pearson(hits, trials)
    found = {name: hits / trials, f"{name}_low": low, f"{name}_high": high}
    return {each: round(value, 4) for each, value in found.items()}


def covers(hits: int, trials: int) -> dict[str, Any]:
    """Return in how many studies an interval holds the truth, and whether that can be 95 %."""
    _, high = clopper_pearson(hits, trials)
    return {"intervals": trials, **share_of("coverage", hits, trials), "holds": high >= 0.95}


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


def run_cells(
    name: str,
    about: str | None,
    cells: Mapping[str, Any],
    study_cell: Callable[..., dict[str, Any]],
    *,
    seed: int,
    **sizes: int,
) -> None:
    """Run a study's cells as the command line asks, and write its result.

    Args:
        name: The result's name.
        about: The study's description; its first line is the help.
        cells: What each cell plants, by name.
        study_cell: Returns what a cell finds, given `studies` and `seed`.
        seed: The first cell's seed when none is asked for.
        sizes: What else the result says of each study.
    """
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--cell", choices=list(cells), help="this one alone")
    asked = parser.parse_args()
    study = partial(study_cell, studies=asked.studies)
    found = each_cell(cells, study, asked.seed, only=asked.cell)
    result = {"studies": asked.studies, **sizes, "seed": asked.seed, "cells": found}
    write_result(name, result, "" if asked.seed == seed else f"seed-{asked.seed}")
