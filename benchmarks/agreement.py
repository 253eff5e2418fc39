"""How long agreement takes: the warehouse's SQL beside pandas with scikit-learn, in one run.

Run `python -m benchmarks.agreement [--speeches FILE] [--replicas 100]`. FILE is the released CSV of
rated speeches; without it a made-up panel of the same shape is measured. The baseline is timed on
one replica and multiplied by their number, and marked so. Results: `benchmarks/results/`.
"""

import argparse
import csv
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from benchmarks.agreement_baseline import Estimates, direct, row_by_row
from benchmarks.report import write_result
from orchestration.builds.dbt import dbt_command, dbt_environment
from tests.dbt_project.compiled_models import NOW, Compiled, compile_project
from warehouse import functions, schema
from warehouse.home import Home

JUDGES = 4
ROUNDS = 5
INTERVALS = (
    "int_annotators_drawn",
    "int_kappas_replicated",
    "int_rank_clusters",
    "int_rank_jackknifed",
    "int_spearman_jackknifed",
    "int_kappas_on_grounds",
    "int_rank_intervals",
    "int_source_correlations",
    "rpt_source_agreement",
)
POINTS = (
    "int_human_means",
    "int_scores_current",
    "int_answers_pooled",
    "int_answer_counts",
    "int_item_scores",
    "int_ratings_indexed",
    "int_annotator_pairs",
    "int_judge_pairs",
    "int_kappas",
    "int_kappas_paired",
    "int_rank_judges",
    "int_judge_grounds",
    "int_rank_observations",
    "int_rank_item_sums",
    "int_rank_statistics",
    "int_rank_estimates",
    "rpt_source_scores",
)


DEBATES = "debate_id, dataset_id, motion, format, context, _source_file, _loaded_at"
SPEECHES = (
    "item_id, dataset_id, debate_id, source, text, word_count, item_hash, extra, _source_file, "
    "_loaded_at"
)
RUNS = (
    "run_id, experiment, judge_id, origin, settings_hash, settings, item_file, planned, "
    "code_version, started_at, ended_at, status, _source_file, _loaded_at"
)
SCORES = (
    "run_id, request_id, experiment, judge_id, settings_hash, dataset_id, item_id, item_hash, "
    "template, wording, prompt_hash, dimension, sample, response, request_status, error_kind, "
    "finish_reason, value, value_released, parse_status, parse_reason, tokens_in, tokens_out, "
    "latency_s, cost_usd, answered_at, extra, _source_file, _loaded_at"
)


def made_up_panel() -> pd.DataFrame:
    """Return ratings of the released file's shape: 631 speeches, 15 of 82 annotators each."""
    rng = np.random.default_rng(11)
    weight = rng.gamma(0.6, size=82)
    rows = []
    for item in range(631):
        quality = rng.normal(3.6, 0.6)
        chosen = rng.choice(82, size=15, replace=False, p=weight / weight.sum())
        rows += [
            (
                f"i{item:03d}",
                f"t{item % 76:02d}",
                f"source {item % 8}",
                f"a{annotator:02d}",
                float(np.clip(round(quality + rng.normal()), 1, 5)),
            )
            for annotator in chosen
        ]
    return pd.DataFrame(rows, columns=["item", "topic", "source", "annotator", "value"])


def released_panel(path: Path) -> pd.DataFrame:
    """Return the ratings of the released CSV."""
    with path.open(newline="", encoding="utf-8") as handle:
        rows = [
            (row["id"], row["topic_id"], row["source"], f"a{annotator}", float(value))
            for row in csv.DictReader(handle)
            for annotator, value in zip(
                json.loads(row["labeler_ids"]), json.loads(row["goodopeningspeech"]), strict=True
            )
        ]
    return pd.DataFrame(rows, columns=["item", "topic", "source", "annotator", "value"])


def judge_scores(panel: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of made-up judges that follow the human mean with noise."""
    rng = np.random.default_rng(5)
    means = panel.groupby("item")["value"].mean()
    frames = []
    for number in range(JUDGES):
        noisy = means + rng.normal(0, 0.4 + 0.3 * number, size=len(means))
        frames.append(
            pd.DataFrame(
                {
                    "judge": f"j/{number}",
                    "item": means.index,
                    "value": noisy.round().clip(1, 5).to_numpy(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def load(path: Path, panel: pd.DataFrame, scores: pd.DataFrame, replicas: int) -> None:
    """Write raw tables with so many independent copies of the panel."""
    with duckdb.connect(str(path)) as connection:
        schema.migrate(connection)
        connection.execute(
            "insert into raw.datasets values ('d', 't', 'l', null, null, false, 'f', ?)", [NOW]
        )
        connection.execute("insert into raw.dimensions values ('d', 'q', 'w', 1, 5, 'f', ?)", [NOW])
        connection.register("panel", panel)
        connection.register("judged", scores)
        connection.execute(
            "insert into raw.judges select distinct judge, 'j', judge, null, null, '{}', 's', 'f', "
            f"timestamp '{NOW}' from judged"
        )
        connection.execute(
            f"insert into raw.runs ({RUNS}) select 'r-' || judge, 'e', judge, 'run', 's', '{{}}', "
            "null, 1, "
            f"'v', timestamp '{NOW}', timestamp '{NOW}', 'complete', 'f', timestamp '{NOW}' "
            "from (select distinct judge from judged)"
        )
        copies = f"range({replicas}) as copies(copy)"
        connection.execute(
            f"insert into raw.debates ({DEBATES}) select distinct topic || '-' || copy, 'd', 'm', "
            f"'opening_speech', null, 'f', timestamp '{NOW}' from panel, {copies}"
        )
        connection.execute(
            f"insert into raw.speeches ({SPEECHES}) select distinct item || '-' || copy, 'd', "
            f"topic || '-' || copy, source, 'x', 1, 'h', null, 'f', timestamp '{NOW}' "
            f"from panel, {copies}"
        )
        connection.execute(
            f"insert into raw.human_ratings select 'd', item || '-' || copy, "
            f"annotator || '-' || copy, 'q', value, 'f', timestamp '{NOW}' from panel, {copies}"
        )
        connection.execute(
            f"insert into raw.scores ({SCORES}) select 'r-' || judge, judge || item || copy, 'e', "
            "judge, 's', "
            f"'d', item || '-' || copy, 'h', 't', 'equivalent', 'p', 'q', 0, 'r', 'answered', "
            f"null, "
            f"null, value, value, 'parsed', null, null, null, null, null, timestamp '{NOW}', null, "
            f"'f', timestamp '{NOW}' from judged, {copies}"
        )


def whole_build(path: Path, target: Path) -> tuple[float, int]:
    """Run dbt build, tests included, and return its seconds and its peak memory in MB."""
    started = time.perf_counter()
    done = subprocess.run(
        dbt_command(target, "build", "--quiet"),
        env=os.environ | dbt_environment(Home(target)) | {"ROSTRUM_BUILD_DB": str(path)},
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"dbt build failed; see {target / 'dbt.log'}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return time.perf_counter() - started, peak


def build(path: Path, compiled: Compiled, names: tuple[str, ...]) -> float:
    """Build some of the models in order and return the seconds they took."""
    with duckdb.connect(str(path), config={"threads": 2}) as connection:
        functions.register(connection)
        for layer, name, sql in compiled.models:
            if layer == "staging":
                connection.execute(f"create schema if not exists {layer}")
                connection.execute(f"create or replace view {layer}.{name} as {sql}")
        started = time.perf_counter()
        for layer, name, sql in compiled.models:
            if name in names:
                connection.execute(f"create schema if not exists {layer}")
                connection.execute(f"create or replace table {layer}.{name} as {sql}")
        return time.perf_counter() - started


def found(path: Path) -> tuple[float, float]:
    """Return the human kappa and tau-c the warehouse found, to hold against the baseline."""
    with duckdb.connect(str(path), read_only=True) as connection:
        kappa = connection.execute(
            "select mean_kappa from intermediate.int_kappas where judge_id = 'human'"
        ).fetchone()
        tau = connection.execute(
            "select tau_c from intermediate.int_rank_estimates where role = 'human'"
        ).fetchone()
    assert kappa is not None
    assert tau is not None
    return float(kappa[0]), float(tau[0])


def timed(function: Any, *arguments: Any) -> tuple[float, Estimates]:
    """Return a call's seconds and its result."""
    started = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - started, result


def measure(panel: pd.DataFrame, replicas: int, slow_baseline: bool) -> dict[str, Any]:
    """Time everything, interleaved, and check that both ways give the same numbers."""
    scores = judge_scores(panel)
    sources = panel.drop_duplicates("item").set_index("item")["source"]
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_project(Path(folder), {"min_shared_items": [50]})
        # The models name the catalog `build`, and DuckDB takes it from the file's name.
        one, many = (Path(folder) / name / "build.duckdb" for name in ("one", "many"))
        one.parent.mkdir()
        many.parent.mkdir()
        load(one, panel, scores, 1)
        load(many, panel, scores, replicas)
        sql, baseline, sql_many = [], [], []
        for run in range(ROUNDS):
            sql.append(build(one, compiled, POINTS))
            seconds, expected = timed(direct, panel, scores, sources)
            baseline.append(seconds)
            sql_many.append(build(many, compiled, POINTS))
            print(
                f"run {run + 1}: SQL {sql[-1]:.3f} s, pandas {seconds:.2f} s, "
                f"SQL x{replicas} {sql_many[-1]:.2f} s",
                flush=True,
            )
        for path in (one, many):
            kappa, tau = found(path)
            assert abs(kappa - expected.human_kappa) < 1e-9, (kappa, expected.human_kappa)
            assert abs(tau - expected.human_tau_c) < 1e-9, (tau, expected.human_tau_c)
        intervals = build(one, compiled, INTERVALS)
        intervals_many = build(many, compiled, INTERVALS)
        whole, memory = whole_build(one, Path(folder) / "target_one")
        whole_many, memory_many = whole_build(many, Path(folder) / "target_many")
        by_row = timed(row_by_row, panel, scores, sources)[0] if slow_baseline else None
    median_one, median_many = statistics.median(sql), statistics.median(sql_many)
    usual = statistics.median(baseline)
    return {
        "speeches": int(panel["item"].nunique()),
        "ratings": len(panel),
        "judges": JUDGES,
        "replicas": replicas,
        "sql_s": round(median_one, 4),
        "pandas_scikit_learn_s": round(usual, 3),
        "ratio": round(usual / median_one, 1),
        "sql_replicas_s": round(median_many, 3),
        "pandas_scikit_learn_replicas_s_extrapolated": round(usual * replicas, 1),
        "ratio_replicas": round(usual * replicas / median_many, 1),
        "row_by_row_s": round(by_row, 1) if by_row else None,
        "ratio_row_by_row": round(by_row / median_one, 1) if by_row else None,
        "intervals_s": round(intervals, 3),
        "intervals_replicas_s": round(intervals_many, 2),
        "dbt_build_with_tests_s": round(whole, 1),
        "dbt_build_peak_memory_mb": memory,
        "dbt_build_with_tests_replicas_s": round(whole_many, 1),
        "dbt_build_peak_memory_replicas_mb": memory_many,
        "limit": (
            f"every shared rating read once: {len(panel)} ratings of 8 bytes, "
            f"{len(panel) * 14 // 2} rated pairs of annotators per replica"
        ),
    }


def main() -> None:
    """Measure, print, and write one dated result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speeches", type=Path, help="the released CSV of rated speeches")
    parser.add_argument("--replicas", type=int, default=100)
    parser.add_argument("--row-by-row", action="store_true", help="time the slow baseline too")
    options = parser.parse_args()
    panel = released_panel(options.speeches) if options.speeches else made_up_panel()
    facts = {
        "data": "released file" if options.speeches else "made up, same shape",
        **measure(panel, options.replicas, options.row_by_row),
    }
    write_result("agreement", facts, "released" if options.speeches else "made-up")


if __name__ == "__main__":
    main()
