"""Do the battery's intervals cover the truth, and do its tests keep their level and their power?

Each cell plants biases in a simulated judge, draws 2,000 experiments of 200 debates and sends them
through the project's own marts. The truth of an effect is what the same marts find on a million
debates. Criteria, fixed before the first run:

- coverage fails where its 99 % Clopper-Pearson interval lies wholly below 95 %, and is reported as
  more than promised where it lies wholly above;
- false alarms fail where theirs, of experiments with anything significant after correction while
  nothing is planted, lies wholly above 5 %;
- power fails where the share of experiments with p < 0.05 is more than 5 points from what
  `rostrum plan` computes with the population's own shares.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from scipy import stats

from benchmarks.calibration.simulate import Planted, fill
from benchmarks.report import write_result
from warehouse.home import PROJECT_ROOT
from warehouse.power import Stratum, mcnemar_power, slope_power, stratified_power

_PROJECT = PROJECT_ROOT / "dbt_project"
_MODERATE = {"position": 0.6, "label": 0.4, "order": 0.5, "stance": 0.3, "length": 0.25}
CELLS: dict[str, Planted] = {
    "nothing planted": Planted(),
    "nothing planted, debates differ": Planted(debate_sd=2.0),
    "all planted": Planted(**_MODERATE),
    "all planted, debates differ": Planted(**_MODERATE, debate_sd=2.0),
    "all planted, debates as they come": Planted(**_MODERATE, is_balanced=False),
}
# What tells one contrast from another in every experiment.
_KEY = "bias, variant_a, variant_b"
Key = tuple[str, str | None, str | None]


@contextmanager
def built(planted: Planted, replications: int, debates: int, seed: int) -> Iterator[Any]:
    """Draw experiments, build the marts over them with dbt, and give a connection to read them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        with duckdb.connect(str(path)) as connection:
            fill(connection, planted, replications=replications, debates=debates, seed=seed)
        subprocess.run(
            [
                str(Path(sys.executable).with_name("dbt")), "build", "--quiet",
                "--select", "+rpt_bias_battery",
                "--exclude-resource-type", "unit_test", "--exclude-resource-type", "test",
                "--project-dir", str(_PROJECT), "--profiles-dir", str(_PROJECT),
                "--target-path", f"{folder}/target", "--log-path", f"{folder}/target",
            ],
            env=os.environ | {
                "ROSTRUM_BUILD_DB": str(path), "ROSTRUM_DBT_PLUGINS": str(_PROJECT / "plugins"),
            },
            check=True,
        )  # fmt: skip
        with duckdb.connect(str(path), read_only=True) as connection:
            connection.execute("set search_path = 'marts,intermediate'")
            yield connection


def clopper_pearson(hits: int, trials: int, level: float = 0.99) -> tuple[float, float]:
    """Return the exact interval of a share."""
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, hits, trials - hits + 1)) if hits else 0.0
    high = float(stats.beta.isf(tail, hits + 1, trials - hits)) if hits < trials else 1.0
    return low, high


def truths(planted: Planted, debates: int, seed: int) -> dict[Key, dict[str, float]]:
    """Return each contrast's true effect and what its power depends on, from a large experiment."""
    with built(planted, 1, debates, seed) as marts:
        found: dict[Key, dict[str, float]] = {}
        for *key, effect, low, high in marts.execute(
            f"select {_KEY}, effect, effect_low, effect_high from rpt_bias_battery "
            "where effect is not null"
        ).fetchall():
            found[tuple(key)] = {"effect": effect}
            if key[0] == "verbosity":
                error = (high - low) / 2 / stats.norm.ppf(0.975)
                found[tuple(key)]["unit_error"] = error * math.sqrt(debates)
        for table in ("position", "label"):
            for first, second, share in marts.execute(
                "select variant_a, variant_b, (only_a_con + only_b_con) / n_units "
                f"from rpt_{table}_bias"
            ).fetchall():
                found[table, first, second]["discordant"] = share
        for variant, share in marts.execute(
            "select variant_id, (only_predicted_con + only_human_con) / n_units "
            "from rpt_stance_bias"
        ).fetchall():
            found["stance", variant, None]["discordant"] = share
        for variant, low, high in marts.execute(
            "select variant_id, avg(con_share) filter (where not human_is_con), "
            "avg(con_share) filter (where human_is_con) from int_verdict_units "
            "inner join int_verdict_settings using (setting_id) group by variant_id"
        ).fetchall():
            found["order", variant, None] |= {"con_if_pro_won": low, "con_if_con_won": high}
    return found


def predicted_power(bias: str, truth: dict[str, float], debates: int) -> float | None:
    """Return what `rostrum plan` computes for a test, given the population's own shares."""
    effect = abs(truth["effect"])
    if "discordant" in truth:
        return mcnemar_power(debates, truth["discordant"], min(effect, truth["discordant"]))
    if bias == "order":
        quarter = debates / 4
        strata = [
            Stratum(quarter, quarter, truth[name]) for name in ("con_if_pro_won", "con_if_con_won")
        ]
        return stratified_power(strata, effect)
    if "unit_error" in truth:
        return slope_power(truth["unit_error"] / math.sqrt(debates), effect)
    return None


def study_cell(
    name: str, planted: Planted, *, replications: int, debates: int, population: int, seed: int
) -> dict[str, Any]:
    """Return a cell's rows: coverage and power of each bias, and the false alarms."""
    truth = truths(planted, population, seed + 1)
    with built(planted, replications, debates, seed) as marts:
        effects = marts.execute(
            f"select {_KEY}, effect_low, effect_high, p from rpt_bias_battery"
        ).fetchall()
        alarmed = marts.execute(
            "select family, count(distinct family_id), count(distinct family_id) "
            "filter (where is_significant) from rpt_bias_battery group by family"
        ).fetchall()
    rows = []
    for bias in sorted({row[0] for row in effects}):
        known = [(truth[row[:3]], *row) for row in effects if row[0] == bias and row[:3] in truth]
        intervals = [row for row in known if row[4] is not None]
        hits = sum(row[4] <= row[0]["effect"] <= row[5] for row in intervals)
        # The contrasts of one experiment share their debates: the trials are the experiments.
        trials = min(replications, len(intervals))
        share = hits / len(intervals)
        low, high = clopper_pearson(round(share * trials), trials)
        tested = [row[6] for row in known if row[6] is not None]
        rejected = sum(p < 0.05 for p in tested) / len(tested) if tested else None
        effects_planted = {row[1:4]: row[0] for row in known}
        powers = [predicted_power(bias, each, debates) for each in effects_planted.values()]
        expected = [power for power in powers if power is not None]
        mean_effect = sum(each["effect"] for each in effects_planted.values()) / len(powers)
        rows.append(
            {
                "bias": bias,
                "true_effect": round(mean_effect, 4),
                "intervals": len(intervals),
                "without_interval": len(known) - len(intervals),
                "coverage": round(share, 4),
                "coverage_low": round(low, 4),
                "coverage_high": round(high, 4),
                "coverage_holds": low <= 0.95 <= high,
                "rejected": None if rejected is None else round(rejected, 4),
                "power_planned": (
                    round(sum(expected) / len(expected), 4)
                    if expected and not planted.is_null
                    else None
                ),
            }
        )
    alarms = []
    for family, families, significant in sorted(alarmed):
        low, high = clopper_pearson(significant, families)
        alarms.append(
            {
                "family": family,
                "experiments": families,
                "with_an_alarm": significant,
                "rate_low": round(low, 4),
                "rate_high": round(high, 4),
                "holds": low <= 0.05 if planted.is_null else None,
            }
        )
    return {"cell": name, "planted": vars(planted), "biases": rows, "families": alarms}


def main() -> None:
    """Run the study and write its result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--debates", type=int, default=200, help="of each; a multiple of four")
    parser.add_argument("--population", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20251103)
    asked = parser.parse_args()
    cells = []
    for number, (name, planted) in enumerate(CELLS.items()):
        started = time.monotonic()
        cells.append(
            study_cell(
                name,
                planted,
                replications=asked.replications,
                debates=asked.debates,
                population=asked.population,
                seed=asked.seed + 10 * number,
            )
        )
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    write_result(
        "calibration",
        {
            "replications": asked.replications,
            "debates": asked.debates,
            "population": asked.population,
            "seed": asked.seed,
            "cells": cells,
        },
    )


if __name__ == "__main__":
    main()
