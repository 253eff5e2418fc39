"""Do the battery's intervals cover the truth, and do its tests keep their level and their power?

Each cell plants biases in a simulated judge, draws 2,000 experiments of 200 debates and sends them
through the project's own marts. The truth of an effect is what the same marts find on a million
debates. Criteria, fixed before the first run:

- coverage fails where its 99 % Clopper-Pearson interval excludes 95 %;
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
}
_BIASES = ("position", "label", "order", "stance", "verbosity")


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


def truths(planted: Planted, debates: int, seed: int) -> dict[tuple[str, str], dict[str, float]]:
    """Return each contrast's true effect and what its power depends on, from a large experiment."""
    with built(planted, 1, debates, seed) as marts:
        found = {
            (bias, contrast): {"effect": effect}
            for bias, contrast, effect in marts.execute(
                "select bias, contrast, effect from rpt_bias_battery where effect is not null"
            ).fetchall()
        }
        for table in ("position", "label"):
            for contrast, share in marts.execute(
                "select b.contrast, (r.only_a_con + r.only_b_con) / r.n_units "
                f"from rpt_{table}_bias r "
                "inner join rpt_bias_battery b using (variant_a, variant_b) "
                f"where b.bias = '{table}'"
            ).fetchall():
                found[table, contrast]["discordant"] = share
        for contrast, share in marts.execute(
            "select b.contrast, (s.only_predicted_con + s.only_human_con) / s.n_units "
            "from rpt_stance_bias s inner join rpt_bias_battery b on b.variant_a = s.variant_id "
            "where b.bias = 'stance'"
        ).fetchall():
            found["stance", contrast]["discordant"] = share
        for contrast, low, high in marts.execute(
            "select b.contrast, avg(con_share) filter (where not human_is_con), "
            "avg(con_share) filter (where human_is_con) from int_verdict_units "
            "inner join int_verdict_settings v using (setting_id) "
            "inner join rpt_bias_battery b on b.variant_a = v.variant_id "
            "where b.bias = 'order' group by b.contrast"
        ).fetchall():
            found["order", contrast] |= {"con_if_pro_won": low, "con_if_con_won": high}
        for contrast, error in marts.execute(
            "select b.contrast, (b.effect_high - b.effect_low) / 2 / 1.959963984540054 "
            f"* sqrt({debates}) from rpt_bias_battery b where b.bias = 'verbosity'"
        ).fetchall():
            found["verbosity", contrast]["unit_error"] = error
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
            "select family, bias, contrast, effect_low, effect_high, p from rpt_bias_battery"
        ).fetchall()
        alarmed = marts.execute(
            "select family, count(distinct family_id), count(distinct family_id) "
            "filter (where is_significant) from rpt_bias_battery group by family"
        ).fetchall()
    rows = []
    for bias in sorted({bias for _, bias, *_ in effects}):
        known = [row for row in effects if row[1] == bias and (bias, row[2]) in truth]
        intervals = [row for row in known if row[3] is not None]
        hits = sum(
            low <= truth[bias, contrast]["effect"] <= high
            for _, _, contrast, low, high, _ in intervals
        )
        # The contrasts of one experiment share their debates: the trials are the experiments.
        trials = min(replications, len(intervals))
        share = hits / len(intervals)
        low, high = clopper_pearson(round(share * trials), trials)
        tested = [row for row in known if row[5] is not None]
        rejected = sum(row[5] < 0.05 for row in tested) / len(tested) if tested else None
        contrasts = sorted({row[2] for row in known})
        powers = [predicted_power(bias, truth[bias, each], debates) for each in contrasts]
        expected = [power for power in powers if power is not None]
        rows.append(
            {
                "bias": bias,
                "true_effect": round(truth[bias, contrasts[0]]["effect"], 4),
                "intervals": len(intervals),
                "without_interval": len(known) - len(intervals),
                "coverage": round(share, 4),
                "coverage_low": round(low, 4),
                "coverage_high": round(high, 4),
                "coverage_holds": bool(low <= 0.95 <= high or share > 0.95),
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
