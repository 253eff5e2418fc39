"""Do the intervals of rates cover the truth, and how long do the marts take on a large frame?

Each cell draws 2,000 studies of 500 items, 100 of them labelled, from a superpopulation whose mean
or share is known, and sends them through the project's own marts. Judges are biased: a strong one,
a weak one, and one that says the same whatever people say. An interval fails where the 99 %
Clopper-Pearson interval of its coverage lies wholly outside 93 to 97 %. The judge's own mean is
shown for comparison; it is biased and promises nothing.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.building import results_of, run_dbt
from benchmarks.cells import clopper_pearson, each_cell, share_of
from benchmarks.processes import processor_s
from benchmarks.report import write_result
from warehouse.schema import migrate, utc_now

_KINDS = ("true_rate", "corrected_rate", "human_rate", "naive_rate")
# Mean score; Con's share, and how alike clusters are in it: a beta's concentration.
_MEAN, _SHARE, _CONCENTRATION = 4.0, 0.4, 4.0
# Of each judge: bias and noise of its scores; chance to name Con where people do, and where not.
_SCORING = {"strong": (0.8, 0.4), "weak": (-0.5, 2.5), "deaf": (1.0, None)}
_NAMING = {"strong": (0.95, 0.2), "weak": (0.7, 0.45), "deaf": (0.6, 0.6)}


@dataclass(frozen=True)
class World:
    """Where studies are drawn from.

    Attributes:
        is_share: Whether people name winners, not scores.
        cluster_size: Items per cluster.
        strata: Kinds of items, whose means differ; 0 where they are all alike.
    """

    is_share: bool
    cluster_size: int = 1
    strata: int = 0

    @property
    def truth(self) -> float:
        """The superpopulation's mean or share."""
        return _SHARE if self.is_share else _MEAN


CELLS = {
    "scores": World(is_share=False),
    "scores by topic": World(is_share=False, cluster_size=5),
    "scores in strata": World(is_share=False, strata=4),
    "winners": World(is_share=True),
    "winners by topic": World(is_share=True, cluster_size=5),
}


def draw(
    world: World, studies: int, items: int, labelled: int, judges: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the items of all studies with people's labels, and what judges say of them."""
    generator = np.random.default_rng(seed)
    count = studies * items
    study = np.repeat(np.arange(studies), items)
    cluster = np.tile(np.arange(items) // world.cluster_size, studies) + study * items
    number = cluster - cluster.min()
    stratum = np.tile(np.arange(items) % max(world.strata, 1), studies)
    if world.is_share:
        spread = generator.beta(
            _SHARE * _CONCENTRATION, (1 - _SHARE) * _CONCENTRATION, number.max() + 1
        )
        chance = spread[number] if world.cluster_size > 1 else _SHARE
        label = (generator.random(count) < chance).astype(float)
        noise = np.zeros(count)
    else:
        shared = generator.normal(0, 0.7, number.max() + 1)[number]
        own = generator.normal(0, 1, count)
        label = _MEAN + own + (world.cluster_size > 1) * shared
        label += (stratum - (world.strata - 1) / 2) * (world.strata > 0)
        # A judge's whims about a topic.
        noise = (world.cluster_size > 1) * generator.normal(0, 0.5, number.max() + 1)[number]
    place = generator.permuted(np.tile(np.arange(1, items + 1), (studies, 1)), axis=1).ravel()
    frame = pd.DataFrame(
        {
            "dataset_id": [f"s{one}" for one in study],
            "item_id": [f"s{one}:{at}" for one, at in zip(study, np.arange(count), strict=True)],
            "cluster_id": [f"s{one}:c{at}" for one, at in zip(study, cluster, strict=True)],
            "stratum": [f"k{one}" for one in stratum],
            "position": place,
            "label": label,
        }
    )
    if world.strata:
        # Every stratum has its share of the sample, as `rostrum sample --strata` draws it.
        rank = frame.groupby(["dataset_id", "stratum"])["position"].rank()
        start = generator.random(count)
        frame["position"] = (rank + 1e-6 * start).groupby(frame["dataset_id"]).rank().astype(int)
    said = []
    names = [name if at < 3 else f"{name}-{at}" for at, name in enumerate([*_SCORING] * judges)]
    for name in names[:judges]:
        kind = name.partition("-")[0]
        if world.is_share:
            right, wrong = _NAMING[kind]
            answer = (generator.random(count) < np.where(label == 1, right, wrong)).astype(float)
        else:
            bias, sd = _SCORING[kind]
            basis = _MEAN if sd is None else label
            answer = basis + bias + noise + generator.normal(0, sd or 1, count)
        said.append(
            frame[["dataset_id", "item_id", "cluster_id"]].assign(judge=name, answer=answer)
        )
    frame["is_drawn"] = frame["position"] <= labelled
    return frame, pd.concat(said, ignore_index=True)


def fill(
    path: Path, world: World, frame: pd.DataFrame, said: pd.DataFrame, labelled: int, scale: float
) -> None:
    """Write what the marts of rates read: raw samples, items, and annotations."""
    now = utc_now()
    task = "debates" if world.is_share else "speeches"
    dimension = "winner" if world.is_share else "q"
    value = "null::double" if world.is_share else "{}"
    label = "case {} when 1 then 'con' when 0 then 'pro' end" if world.is_share else "null::varchar"
    with duckdb.connect(str(path)) as connection:
        migrate(connection)
        connection.execute("create schema intermediate; create schema marts")
        connection.register("frame", frame)
        connection.register("said", said)
        for statement in (
            "create table intermediate.int_annotations_people as select $task as task, dataset_id, "
            "$dimension as dimension, item_id as instance_id, item_id as text_id, cluster_id, "
            f"'h' as annotator_id, {label.format('label')} as label, {value.format('label')} as "
            "value from frame where is_drawn",
            "create table intermediate.int_annotations_judges as select $task as task, dataset_id, "
            "$dimension as dimension, null::varchar as experiment, 'simulated/' || judge as "
            "judge_id, 't' as template, null::varchar as variant_id, item_id as instance_id, "
            f"item_id as text_id, cluster_id, {label.format('answer')} as label, "
            f"{value.format('answer')} as value from said",
            "create table intermediate.int_debates_judged as select item_id as debate_id, "
            "case label when 1 then 'con' else 'pro' end as human_winner from frame "
            "where is_drawn and $task = 'debates'",
            "insert into raw.samples by name select distinct dataset_id as sample_id, $task as "
            "task, dataset_id, $dimension as dimension, 'people' as labels, $labelled as size, "
            "1 as raters, 0 as seed, $now as drawn_at, 'f' as _source_file, $now as _loaded_at "
            "from frame",
            "insert into raw.sampled_items by name select dataset_id as sample_id, item_id, "
            "position, stratum, 'f' as _source_file, $now as _loaded_at from frame",
            "insert into raw.debates by name select item_id as debate_id, dataset_id, "
            "'m' as motion, 'f' as format, cluster_id, 'f' as _source_file, "
            "$now as _loaded_at from frame where $task = 'debates'",
            "insert into raw.speeches by name select item_id, dataset_id, cluster_id as debate_id, "
            "'s' as source, 't' as text, 1 as word_count, 'h' as item_hash, 'f' as _source_file, "
            "$now as _loaded_at from frame where $task = 'speeches'",
            "insert into raw.dimensions by name select distinct dataset_id, "
            "$dimension as dimension, 'q' as question, -$scale as scale_min, $scale as scale_max, "
            "'f' as _source_file, "
            "$now as _loaded_at from frame where $task = 'speeches'",
            "create table marts.fct_reader_judgement (judge_id varchar, task varchar, "
            "dataset_id varchar, item_id varchar, dimension varchar, value double, "
            "is_stale boolean)",
            "create table intermediate.int_dispute_scores (dataset_id varchar, "
            "question_id varchar, answer_id varchar, metric varchar, evaluator_id varchar, "
            "evaluator_template varchar, score double)",
            "create table intermediate.int_answers_current (answer_id varchar, "
            "question_id varchar, judge_id varchar, is_current boolean, is_stale boolean)",
        ):
            known = {
                "task": task,
                "dimension": dimension,
                "labelled": labelled,
                "now": now,
                "scale": scale,
            }
            used = {name: one for name, one in known.items() if f"${name}" in statement}
            connection.execute(statement, used)


def build(path: Path) -> float:
    """Build the marts of rates, and no others, over a filled database.

    Returns:
        The seconds that the models took, without dbt's start.
    """
    run_dbt(
        "run",
        path,
        "--select",
        "path:models/core/decisions/rates,rpt_rates int_rate_* int_sample*",
        *("stg_raw__samples", "stg_raw__sampled_items", "stg_raw__sample_labels"),
        *("stg_raw__debates", "stg_raw__speeches", "stg_raw__dimensions", "dim_dimension"),
        *("stg_raw__datasets", "stg_raw__human_ratings", "stg_raw__logged_verdicts"),
    ).check_returncode()
    return float(sum(each["execution_time"] for each in results_of(path)))


@contextmanager
def built(world: World, studies: int, items: int, labelled: int, seed: int) -> Iterator[Any]:
    """Draw studies, build the marts over them, and give a connection to read them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        fill(path, world, *draw(world, studies, items, labelled, 3, seed), labelled, 1e6)
        build(path)
        with duckdb.connect(str(path), read_only=True) as connection:
            yield connection


def study_cell(name: str, world: World, *, seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the coverage of every interval in a cell, by judge."""
    with built(world, asked.studies, asked.items, asked.labelled, seed) as marts:
        columns = ", ".join(["judge_id", *_columns(), "labels_saved"])
        rates = marts.execute(f"select {columns} from marts.rpt_rates").df()
    rows = []
    for judge, found in rates.groupby("judge_id"):
        for kind in _KINDS:
            known = found[found[f"{kind}_low"].notna()]
            if known.empty:
                continue
            hits = int(
                (
                    (known[f"{kind}_low"] <= world.truth) & (known[f"{kind}_high"] >= world.truth)
                ).sum()
            )
            low, high = clopper_pearson(hits, len(known))
            width = (known[f"{kind}_high"] - known[f"{kind}_low"]).mean()
            rows.append(
                {
                    "judge": judge,
                    "estimate": kind,
                    "mean": round(float(known[kind].mean()), 4),
                    "mean_width": round(float(width), 4),
                    "intervals": len(known),
                    "without_interval": len(found) - len(known),
                    **share_of("coverage", hits, len(known)),
                    "holds": None if kind == "naive_rate" else high >= 0.93 and low <= 0.97,
                    "median_labels_saved": round(float(known["labels_saved"].median()), 1),
                }
            )
    return {"cell": name, "world": asdict(world), "truth": world.truth, "rows": rows}


def _columns() -> list[str]:
    return [f"{kind}{end}" for kind in _KINDS for end in ("", "_low", "_high")]


def with_pandas(frame: pd.DataFrame, said: pd.DataFrame) -> pd.DataFrame:
    """Return prediction-powered estimates as a user would write them, judge by judge."""
    rows = []
    for judge, answers in said.groupby("judge"):
        both = answers.merge(frame, on=["dataset_id", "item_id", "cluster_id"])
        drawn = both[both["is_drawn"]]
        others = both[~both["is_drawn"]]
        n, m = len(drawn), len(others)
        covariance = np.cov(drawn["label"], drawn["answer"], ddof=0)[0, 1]
        weight = float(np.clip(covariance / ((1 + n / m) * both["answer"].var()), 0, 1))
        rate = drawn["label"].mean() + weight * (others["answer"].mean() - drawn["answer"].mean())
        centred = pd.concat(
            [
                (drawn["label"] - weight * drawn["answer"]).pipe(lambda x: x - x.mean()) / n,
                weight * (others["answer"] - others["answer"].mean()) / m,
            ]
        )
        clusters = both["cluster_id"].reindex(centred.index)
        squares = (centred.groupby(clusters).sum() ** 2).sum()
        groups = drawn["cluster_id"].nunique()
        width = stats.t.ppf(0.975, groups - 1) * np.sqrt(groups / (groups - 1) * squares)
        rows.append((f"simulated/{judge}", rate, rate - width, rate + width))
    return pd.DataFrame(rows, columns=["judge_id", "rate", "low", "high"])


def timed(items: int, judges: int, labelled: int, seed: int) -> dict[str, Any]:
    """Return how long the marts and pandas take on one large frame, and how far they are apart."""
    world = World(is_share=False, cluster_size=5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        frame, said = draw(world, 1, items, labelled, judges, seed)
        fill(path, world, frame, said, labelled, 1e6)
        started, used = time.monotonic(), processor_s()
        models_s = build(path)
        seconds = time.monotonic() - started
        used = processor_s() - used
        with duckdb.connect(str(path), read_only=True) as connection:
            marts = connection.execute(
                "select judge_id, true_rate, true_rate_low, true_rate_high from marts.rpt_rates"
            ).df()
    started, pandas_used = time.monotonic(), processor_s(resource.RUSAGE_SELF)
    beside = with_pandas(frame, said)
    pandas_seconds = time.monotonic() - started
    pandas_used = processor_s(resource.RUSAGE_SELF) - pandas_used
    both = marts.merge(beside, on="judge_id")
    apart = np.abs(
        both[["true_rate", "true_rate_low", "true_rate_high"]].to_numpy()
        - both[["rate", "low", "high"]].to_numpy()
    ).max()
    return {
        "items": items,
        "judges": judges,
        "labelled": labelled,
        "models_s": round(models_s, 1),
        "marts_s": round(seconds, 1),
        "marts_processor_s": round(used, 1),
        "pandas_s": round(pandas_seconds, 1),
        "pandas_processor_s": round(pandas_used, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "compared": len(both),
        "largest_difference": float(apart),
    }


def main() -> None:
    """Run the study and the timing, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--labelled", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--frame", type=int, default=100_000, help="items of the timing's frame")
    parser.add_argument("--judges", type=int, default=50, help="judges of the timing")
    parser.add_argument("--timing", action="store_true", help="measure the time alone")
    asked = parser.parse_args()
    if asked.timing:
        time_taken = timed(asked.frame, asked.judges, 500, asked.seed)
        write_result("decisions_rates", {"time": time_taken}, "timing")
        return
    cells = each_cell(CELLS, partial(study_cell, asked=asked), asked.seed, step=1)
    write_result(
        "decisions_rates",
        {
            "studies": asked.studies,
            "items": asked.items,
            "labelled": asked.labelled,
            "seed": asked.seed,
            "cells": cells,
            "time": timed(asked.frame, asked.judges, 500, asked.seed),
        },
    )


if __name__ == "__main__":
    main()
