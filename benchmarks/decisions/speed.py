"""What drift and pressure take over 100,000 items and 50 judges, beside pandas.

pandas does what a user would write, judge by judge: a mean of paired differences with its interval
by topic. It gets the rows that the marts get, and finds the same estimates.
Ends of pressure's intervals differ a little: the mart adds two clusters, as Bonett and Price do.

    python -m benchmarks.decisions.speed [--only drift]
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.decisions.built import built
from benchmarks.report import write_result

PER_TOPIC = 4


class Timed(NamedTuple):
    """What both sides took and found.

    Attributes:
        marts_s: Seconds of the project's own models.
        pandas_s: Seconds of pandas on the same rows.
        rows: Rows that both read.
        apart: The largest difference of an estimate.
        ends_apart: The largest difference of an interval's end; None where pandas has none.
    """

    marts_s: float
    pandas_s: float
    rows: int
    apart: float
    ends_apart: float | None = None


def paired(rows: pd.DataFrame, before: str, after: str) -> pd.DataFrame:
    """Return each judge's mean difference with its interval by topic."""
    found = []
    for judge, mine in rows.groupby("judge_id"):
        difference = mine[after] - mine[before]
        mean = difference.mean()
        parts = (difference - mean).groupby(mine["topic"]).sum() / len(mine)
        n = len(parts)
        half = stats.t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1) * (parts**2).sum())
        found.append((judge, mean, mean - half, mean + half))
    return pd.DataFrame(found, columns=["judge_id", "mean", "low", "high"])


def timed_pair(
    rows: pd.DataFrame,
    fill: Callable[[duckdb.DuckDBPyConnection], None],
    models: str,
    found: str,
) -> Timed:
    """Build models over tables that `fill` makes of rows, and compare them with pandas.

    Args:
        rows: One per judge and item, with `before` and `after`.
        fill: Makes the tables that the models read.
        models: The models, as dbt selects them.
        found: A query for each judge's estimate and its interval.
    """
    started = time.monotonic()
    beside = paired(rows, "before", "after")
    pandas_s = time.monotonic() - started
    with built(fill, models) as (marts, marts_s):
        both = marts.execute(found).df().merge(beside, on="judge_id")
    if len(both) != rows["judge_id"].nunique():
        raise RuntimeError(f"{len(both)} judges found by both sides")
    apart = (both["estimate"] - both["mean"]).abs().max()
    ends = max(
        (both["e_low"] - both["low"]).abs().max(), (both["e_high"] - both["high"]).abs().max()
    )
    return Timed(marts_s, pandas_s, len(rows), float(apart), float(ends))


def made_up(items: int, judges: int) -> pd.DataFrame:
    """Return the judges and items, and a standard normal draw for each."""
    generator = np.random.Generator(np.random.Philox(1))
    item = np.tile(np.arange(items), judges)
    judge = np.repeat(np.arange(judges), items)
    names = np.array([f"m/{one}" for one in range(judges)], dtype=object)
    return pd.DataFrame(
        {
            "judge": judge,
            "judge_id": names[judge],
            "item": item,
            "topic": item // PER_TOPIC,
            "draw": generator.standard_normal(len(item)),
        }
    )


def drift(items: int, judges: int) -> Timed:
    """Time two waves of scores over a frozen set."""
    rows = made_up(items, judges)
    generator = np.random.Generator(np.random.Philox(2))
    rows["before"] = 3 + rows["draw"]
    rows["after"] = rows["before"] + rows["judge"] / judges + generator.standard_normal(len(rows))

    def fill(base: duckdb.DuckDBPyConnection) -> None:
        base.register("made_up", rows)
        base.execute(
            "create table intermediate.int_anchor_units as "
            "select 2 * judge + after_it as wave_id, 'i' || item as item_id, "
            "'t' || topic as cluster_id, 's' as source, if(after_it = 1, after, before) as value, "
            "3.0 as people_value from made_up, range(2) as waves(after_it)"
        )
        base.execute(
            "create table intermediate.int_anchor_waves as "
            "select wave_id, 'a' as anchor_set, 'm/' || wave_id // 2 as judge_line, "
            "'q' as dimension, 'w' || wave_id % 2 as wave, 'd' as dataset_id, "
            "['m/' || wave_id // 2] as judge_ids, ['t'] as templates, "
            "timestamp '2026-01-01' as began_at, 0 as failed_count, wave_id % 2 + 1 as place "
            f"from range({2 * judges}) as waves(wave_id)"
        )
        base.execute(
            "create table marts.dim_dimension as select 'd' as dataset_id, 'q' as dimension, "
            "1.0 as scale_min, 5.0 as scale_max"
        )
        base.execute(
            "create table staging.stg_raw__anchor_items as "
            "select 'a' as anchor_set, null::varchar as follows"
        )

    found = "select judge_id, drift as estimate, drift_low as e_low, drift_high as e_high "
    found += "from rpt_drift where since = 'first'"
    return timed_pair(rows, fill, "rpt_drift rpt_score_change int_decisions_drift", found)


def pressure(items: int, judges: int) -> Timed:
    """Time one rebuttal of every verdict, by the side that lost and by the one that won."""
    rows = made_up(items, judges)
    generator = np.random.Generator(np.random.Philox(2))
    turned = 0.1 + 0.3 * rows["judge"] / judges
    rows["before"] = (generator.random(len(rows)) < 0.1).astype(float)
    rows["after"] = (generator.random(len(rows)) < turned).astype(float)

    def fill(base: duckdb.DuckDBPyConnection) -> None:
        base.register("made_up", rows)
        base.execute(
            "create table intermediate.int_pressure_units as "
            "select 'e' as experiment, 'd' as dataset_id, judge_id, 't' as template, "
            "'plain' as rebuttal, unnest(['any', if(draw > 0, 'away', 'toward')]) as direction, "
            "item as debate_id, topic as cluster_key, 1 as pair_count, 0 as failed_count, "
            "after as flip_share, before as control_share, after - before as least_difference, "
            "after - before as most_difference from made_up"
        )

    found = "select judge_id, effect as estimate, effect_low as e_low, effect_high as e_high "
    found += "from rpt_pressure where direction = 'any'"
    return timed_pair(rows, fill, "rpt_pressure int_decisions_pressure", found)


MEASURED: dict[str, Callable[[int, int], Timed]] = {
    "drift": drift,
    "pressure": pressure,
}


def main() -> None:
    """Time what is asked for and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=list(MEASURED), action="append", help="not both")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--judges", type=int, default=50)
    asked = parser.parse_args()
    result: dict[str, Any] = {"items": asked.items, "judges": asked.judges}
    for name in asked.only or MEASURED:
        found = MEASURED[name](asked.items, asked.judges)
        result[name] = {
            "rows": found.rows,
            "marts_s": round(found.marts_s, 1),
            "pandas_s": round(found.pandas_s, 1),
            "ratio": round(found.marts_s / found.pandas_s, 2),
            "largest_difference": found.apart,
            "largest_difference_of_ends": found.ends_apart,
        }
    result["load_average"] = round(os.getloadavg()[0], 1)
    write_result("decisions_speed", result)


if __name__ == "__main__":
    main()
