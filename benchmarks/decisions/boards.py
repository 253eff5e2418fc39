"""Do ratings of debaters and a judge's preference for its own family cover the truth?

Simulated logs, 2,000 a cell, go through the project's own fit: 24 motions, four debaters of four
families, every pair from both sides on each, judged by three judges. One judge favours its own
family by 0.6 log-odds, the others do not; all give Con 0.2 and 0.3 per doubling of the length. In
the second cell each debater is also better on some motions than on others (standard deviation 0.5),
which the model does not know and the errors by motion have to see to. The truth is what the same
fit finds on 20,000 motions.

Criteria, fixed before the first run: coverage fails where its 99 % Clopper-Pearson interval leaves
95 % out and lies below it; false alarms (the adjusted p under 0.05 of a judge that favours nobody)
fail where theirs lies wholly above 5 %.

With another seed, one cell's coverage is measured again on studies that the first did not see.

    python -m benchmarks.decisions.boards [--studies 2000]
    python -m benchmarks.decisions.boards --studies 8000 --seed 1 --cell "debaters are as they are"
"""

import argparse
from collections import defaultdict
from itertools import permutations
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from scipy import stats

from benchmarks.cells import clopper_pearson
from benchmarks.report import write_result
from warehouse.fits.boards import boards

SEED = 20_261_124
MOTIONS, TRUTH_MOTIONS, BATCH = 24, 20_000, 50
STRENGTHS = np.array([0.7, 0.2, -0.2, -0.7])
PAIRS = np.array(list(permutations(range(4), 2)))
FAVOURS = np.array([0.6, 0.0, 0.0])
CON, LENGTH = 0.2, 0.3
CELLS = {"debaters are as they are": 0.0, "debaters differ by motion": 0.5}


def log(draws: np.random.Generator, dataset: str, motions: int, motion_sd: float) -> pa.Table:
    """Return one log: judge k is of the family of debater k."""
    motion = np.repeat(np.arange(motions), len(PAIRS) * 3)
    pair = np.tile(np.repeat(np.arange(len(PAIRS)), 3), motions)
    judge = np.tile(np.arange(3), motions * len(PAIRS))
    pro, con = PAIRS[pair].T
    debate = motion * len(PAIRS) + pair
    length = draws.normal(0, 0.5, motions * len(PAIRS))[debate]
    form = motion_sd * draws.normal(size=(motions, 4))
    own = (pro == judge).astype(int) - (con == judge).astype(int)
    log_odds = STRENGTHS[pro] + form[motion, pro] - STRENGTHS[con] - form[motion, con]
    log_odds += LENGTH * length - CON + FAVOURS[judge] * own
    won = draws.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))
    return pa.table(
        {
            "dataset_id": [dataset] * len(won),
            "judge_id": [f"judge-{one}" for one in judge],
            "pro_debater": [f"debater-{one}" for one in pro],
            "con_debater": [f"debater-{one}" for one in con],
            "share": won.astype(float),
            "weight": np.full(len(won), 1 / 3),
            "min_units": np.full(len(won), 5),
            "cluster_id": [str(one) for one in motion],
            "log2_length_ratio": length,
            "own_family": own,
            "debate_id": [str(one) for one in debate],
        }
    )


def fitted(logs: list[pa.Table]) -> list[dict[str, Any]]:
    """Return what the project's fit makes of logs."""
    with duckdb.connect() as connection:
        connection.register("logged", pa.concat_tables(logs))
        rows: list[dict[str, Any]] = boards(connection.sql("from logged")).to_pylist()
    return rows


def cell(name: str, studies: int, seed: int) -> dict[str, Any]:
    """Return coverage by what is estimated, and false alarms, of one cell."""
    draws, motion_sd = np.random.default_rng([seed, list(CELLS).index(name)]), CELLS[name]
    truth = {
        (row["board"], row["name"]): row
        for row in fitted([log(draws, "truth", TRUTH_MOTIONS, motion_sd)])
    }
    covered: dict[str, list[bool]] = defaultdict(list)
    alarms: list[bool] = []
    found: list[bool] = []
    for start in range(0, studies, BATCH):
        names = [f"s{number}" for number in range(start, min(start + BATCH, studies))]
        rows = fitted([log(draws, each, MOTIONS, motion_sd) for each in names])
        tests: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        for row in rows:
            if row["quantity"] == "term" and row["p"] is not None:
                tests[row["dataset_id"], row["board"]][row["name"]] = row["p"]
            true = truth[row["board"], row["name"]]
            board = "panel" if row["board"] == "panel" else "one judge"
            what = "rating" if row["quantity"] == "rating" else row["name"]
            if row["low"] is not None:
                is_in = row["low"] <= true["estimate"] <= row["high"]
                covered[f"{board}: {what}"].append(bool(is_in))
            if row["minus_panel_low"] is not None:
                is_in = row["minus_panel_low"] <= true["minus_panel"] <= row["minus_panel_high"]
                covered[f"{board}: {what} less the panel's"].append(bool(is_in))
        # The terms of a board are one family, as in rpt_board_terms.
        for (_, judge), family in tests.items():
            if judge != "panel" and "own_family" in family:
                p = stats.false_discovery_control([*family.values()])
                adjusted = dict(zip(family, p, strict=True))
                kept = found if judge == "judge-0" else alarms
                kept.append(bool(adjusted["own_family"] < 0.05))
    return {
        "cell": name,
        "truth_of_favour": {
            judge: round(truth[judge, "own_family"]["estimate"], 1)
            for judge in ("judge-0", "judge-1", "judge-2")
        },
        "coverage": {what: _share(values) for what, values in sorted(covered.items())},
        "false_alarms": _share(alarms),
        "favour_found": _share(found),
        "fails": sorted(what for what, values in covered.items() if _ends(values)[1] < 0.95)
        + ["false alarms"] * (_ends(alarms)[0] > 0.05),
    }


def _ends(values: list[bool]) -> tuple[float, float]:
    low, high = clopper_pearson(sum(values), len(values))
    return low, high


def _share(values: list[bool]) -> dict[str, float]:
    low, high = _ends(values)
    return {
        "share": round(sum(values) / len(values), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "n": len(values),
    }


def main() -> None:
    """Run the study and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED, help="of the simulated logs")
    parser.add_argument("--cell", choices=list(CELLS), help="this one alone")
    asked = parser.parse_args()
    names = [asked.cell] if asked.cell else list(CELLS)
    cells = [cell(name, asked.studies, asked.seed) for name in names]
    result = {"studies": asked.studies, "seed": asked.seed, "cells": cells}
    write_result("boards", result, "" if asked.seed == SEED else f"seed-{asked.seed}")


if __name__ == "__main__":
    main()
