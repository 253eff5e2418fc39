"""What routing takes over 100,000 items and 50 judges, beside pandas on the same rows.

pandas does what a user would write: per judge a line fitted on a third of the topics, residuals
scaled by their mean in fifths, the 90 % quantile over one drawn answer a topic of the second
third, intervals for the last, all three thirds in turn, and the error that is left by the share
that people see, without intervals. Both get the joined rows.
"""

import time
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from benchmarks.decisions.built import built
from benchmarks.report import asked_for, write_result

MODELS = "path:models/core/decisions/routing"
_PER_TOPIC = 4


def made_up(items: int, judges: int) -> pd.DataFrame:
    """Return people's means and the scores of every judge."""
    generator = np.random.Generator(np.random.Philox(1))
    people = np.clip(3 + generator.standard_normal(items), 1, 5)
    frames = []
    for judge in range(judges):
        noise = generator.standard_normal(items) * (0.2 + judge / judges)
        frames.append(
            pd.DataFrame(
                {
                    "judge": f"m/{judge}",
                    "item": np.arange(items),
                    "topic": np.arange(items) // _PER_TOPIC,
                    "people": people,
                    "score": np.clip(people + noise, 1, 5),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def fill(connection: duckdb.DuckDBPyConnection, rows: pd.DataFrame) -> None:
    """Make the tables that routing reads."""
    connection.register("made_up", rows)
    ids = "'speeches' as task, 'd' as dataset_id, 'q' as dimension"
    item = "'d:' || item as instance_id, 'd:' || topic as cluster_id"
    connection.execute(
        f"create table intermediate.int_annotations_judges as select {ids}, {item}, null::varchar "
        "as experiment, judge as judge_id, 't' as template, null::varchar as variant_id, "
        "null::varchar as label, score as value from made_up"
    )
    connection.execute(
        f"create table intermediate.int_annotations_people as select distinct {ids}, {item}, "
        "'p' as annotator_id, people as value from made_up"
    )
    connection.execute(
        "create table marts.dim_dimension as select 'd' as dataset_id, 'q' as dimension, "
        "1.0 as scale_min, 5.0 as scale_max"
    )
    connection.execute(
        "create table staging.stg_raw__speeches as select distinct 'd:' || item as item_id, "
        "'s' as source from made_up"
    )
    for name, columns in (
        (
            "intermediate.int_debates_judged",
            "debate_key bigint, human_winner varchar, "
            "dataset_id varchar, debate_id varchar, cluster_id varchar",
        ),
        (
            "intermediate.int_verdict_units",
            "debate_key bigint, setting_id bigint, p_pro double, con_share double",
        ),
        (
            "intermediate.int_verdict_settings",
            "setting_id bigint, dataset_id varchar, "
            "experiment varchar, judge_id varchar, variant_id varchar",
        ),
        ("marts.dim_variant", "variant_id varchar, verbalizer varchar, position varchar"),
    ):
        connection.execute(f"create table {name} ({columns})")


def by_pandas(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the coverage and the curve of every judge."""
    generator = np.random.Generator(np.random.Philox(2))
    fold = pd.Series(generator.permutation(rows["topic"].max() + 1) % 3)
    rows = rows.assign(fold=rows["topic"].map(fold), drawn=generator.random(len(rows)))
    found = {}
    for judge, mine in rows.groupby("judge"):
        tested = []
        for turn in range(3):
            fit = mine[mine["fold"] == (turn + 1) % 3]
            slope, intercept = np.polyfit(fit["score"], fit["people"], 1)
            edges = fit["score"].quantile([0.2, 0.4, 0.6, 0.8]).to_numpy()
            off = (fit["people"] - intercept - slope * fit["score"]).abs()
            by_band = off.groupby(np.searchsorted(edges, fit["score"])).mean()
            calibration = mine[mine["fold"] == (turn + 2) % 3]
            calibration = calibration.sort_values("drawn").drop_duplicates("topic")
            scaled = (
                calibration["people"] - intercept - slope * calibration["score"]
            ).abs() / by_band.reindex(np.searchsorted(edges, calibration["score"])).to_numpy()
            radius = scaled.quantile(0.9)
            test = mine[mine["fold"] == turn].copy()
            test["error"] = (test["people"] - intercept - slope * test["score"]).abs()
            test["half"] = (
                radius * by_band.reindex(np.searchsorted(edges, test["score"])).to_numpy()
            )
            tested.append(test)
        whole = pd.concat(tested).sort_values("half", ascending=False)
        left = whole["error"][::-1].cumsum()[::-1].to_numpy() / len(whole)
        coverage = (whole["error"] <= whole["half"]).groupby(whole["topic"]).mean().mean()
        found[judge] = (coverage, left[:: len(left) // 20])
    return found


def main() -> None:
    """Time both and write the result."""
    asked = asked_for((__doc__ or "").splitlines()[0], items=100_000, judges=50)
    rows = made_up(asked.items, asked.judges)
    started = time.monotonic()
    expected = by_pandas(rows)
    by_hand = time.monotonic() - started
    with built(lambda base: fill(base, rows), MODELS) as (marts, took):
        found = dict(
            marts.execute(
                "select judge_id, coverage from rpt_routing_coverage "
                "where part = 'all' and answer_form = 'recalibrated'"
            ).fetchall()
        )
    apart = max(abs(found[judge] - coverage) for judge, (coverage, _) in expected.items())
    write_result(
        "routing-speed",
        {
            "items": asked.items,
            "judges": asked.judges,
            "marts_s": round(took, 1),
            "pandas_s": round(by_hand, 1),
            "largest_difference_of_coverage": round(apart, 4),
        },
    )


if __name__ == "__main__":
    main()
