"""Do severities and favours for machines cover the truth, and does a fair judge pass as fair?

Simulated studies, 2,000 a cell, go through the project's own fit: 30 topics of four sources, two
of people and two of machines, each speech scored by five of eight people and by two judges on a
scale of five. One judge is like people; the other is 0.6 more severe and 0.8 milder on machines.
In the second cell each rater also differs from topic to topic (standard deviation 0.5), which the
model does not know and the errors by topic have to see to. The truth of a judge's figures is what
the same fit finds on 4,000 topics; people's own are planted.

Criteria, fixed before the first run: coverage fails where its 99 % Clopper-Pearson interval lies
wholly below 95 %; false alarms (the fair judge's adjusted p under 0.05, its family of tests as in
`rpt_scale_differences`) fail where theirs lies wholly above 5 %.

    python -m benchmarks.decisions.scales [--studies 2000] [--timing]
"""

import argparse
import time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from scipy import stats

from benchmarks.report import write_result
from warehouse.fits.facets import Ratings, fit
from warehouse.fits.scales import scales

SEED = 20_261_123
TOPICS, PEOPLE, PER_ITEM = 30, 8, 5
TRUTH_TOPICS = 4000
SOURCE_QUALITY = np.array([0.9, -0.2, 0.6, -0.5])
ORIGINS = ("human", "human", "machine", "machine")
STEPS = np.array([-1.5, -0.5, 0.5, 1.5])
# Severity of the fair and of the other judge for each source.
JUDGES = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.2, 0.2]])
CELLS = {"raters are as they are": 0.0, "raters differ by topic": 0.5}
ABOUT = ("severity", "favour", "favour_at_equal_quality")
BATCH = 50


def study(draws: np.random.Generator, topics: int, topic_sd: float) -> dict[str, np.ndarray]:
    """Return one study's scores, a column each."""
    n = topics * 4
    source, cluster = np.tile(np.arange(4), topics), np.repeat(np.arange(topics), 4)
    quality = SOURCE_QUALITY[source] + 0.8 * draws.normal(size=n)
    chosen = np.argsort(draws.random((n, PEOPLE)), axis=1)[:, :PER_ITEM]
    rater = np.hstack([chosen, np.tile([PEOPLE, PEOPLE + 1], (n, 1))]).ravel()
    item = np.repeat(np.arange(n), PER_ITEM + 2)
    people = np.linspace(-0.8, 0.8, PEOPLE)
    strict = np.where(
        rater < PEOPLE,
        people[np.minimum(rater, PEOPLE - 1)],
        JUDGES[np.maximum(rater - PEOPLE, 0), source[item]],
    )
    strict = strict + topic_sd * draws.normal(size=(PEOPLE + 2, topics))[rater, cluster[item]]
    passed = np.concatenate([[0.0], np.cumsum(STEPS)])
    chance = np.exp(np.arange(5) * (quality[item] - strict)[:, None] - passed)
    chance /= chance.sum(axis=1, keepdims=True)
    score = (draws.random(len(item))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    return {
        "rater": rater,
        "item": item,
        "cluster": cluster[item],
        "source": source[item],
        "value": score.astype(float),
    }


def fitted(studies: list[dict[str, np.ndarray]]) -> list[dict[str, Any]]:
    """Return what the project's fit makes of studies, numbered as scales."""
    columns = {name: np.concatenate([one[name] for one in studies]) for name in studies[0]}
    number = np.repeat(np.arange(len(studies)), [len(one["item"]) for one in studies])
    rows = pa.table({"number": number, **columns})
    connection = duckdb.connect()
    connection.register("scored", rows)
    relation = connection.sql(
        f"""
        select
            lpad(number::varchar, 6, '0') as scale_id, rater::varchar as rater_key,
            rater >= {PEOPLE} as is_judge, item::varchar as instance_id,
            cluster::varchar as cluster_id, source::varchar as source,
            if(source < 2, 'human', 'machine') as origin, value, 5::bigint as min_units
        from scored
        """
    )
    found = scales(relation)
    connection.register("found", found)
    columns_wanted = "scale_id, quantity, name, estimate, low, high, p"
    wanted = connection.sql(
        f"select {columns_wanted} from found where quantity in ('rater', 'favour', "
        "'favour_at_equal_quality', 'source')"
    )
    rows_found: list[dict[str, Any]] = wanted.to_arrow_table().to_pylist()
    return rows_found


def cell(name: str, topic_sd: float, studies: int) -> dict[str, Any]:
    """Return coverage and false alarms of one cell."""
    seed = [SEED, list(CELLS).index(name)]
    truth = _by_key(fitted([study(np.random.default_rng([*seed, 1]), TRUTH_TOPICS, topic_sd)]))
    draws = np.random.default_rng([*seed, 2])
    covered: dict[str, list[bool]] = {}
    alarms: list[bool] = []
    found_share: list[bool] = []
    for start in range(0, studies, BATCH):
        size = min(BATCH, studies - start)
        rows = fitted([study(draws, TOPICS, topic_sd) for _ in range(size)])
        for number in range(size):
            own = _by_key([row for row in rows if int(row["scale_id"]) == number])
            for (quantity, rater), row in own.items():
                if quantity == "source" or row["low"] is None:
                    continue
                called = f"{quantity} of {_who(int(rater))}"
                true = truth[quantity, rater]["estimate"]
                covered.setdefault(called, []).append(bool(row["low"] <= true <= row["high"]))
            for judge, kept in ((PEOPLE, alarms), (PEOPLE + 1, found_share)):
                tests = [
                    row["p"]
                    for row in rows
                    if int(row["scale_id"]) == number
                    and row["name"] == str(judge)
                    and row["p"] is not None
                ]
                kept.append(bool(stats.false_discovery_control(tests).min() < 0.05))
    return {
        "coverage": {key: _share(values) for key, values in sorted(covered.items())},
        "false alarms on the fair judge": _share(alarms),
        "anything found on the other": _share(found_share),
        "fails": sorted(key for key, values in covered.items() if _interval(values)[1] < 0.95)
        + ["false alarms"] * (_interval(alarms)[0] > 0.05),
    }


def timing(items: int, judges: int) -> dict[str, Any]:
    """Return how long a fit of all judges on all items takes beside a pandas mean by judge."""
    draws = np.random.default_rng(SEED)
    source = draws.integers(0, 8, items)
    quality = np.linspace(-1, 1.5, 8)[source] + 0.8 * draws.normal(size=items)
    item, rater = np.repeat(np.arange(items), judges), np.tile(np.arange(judges), items)
    passed = np.concatenate([[0.0], np.cumsum(STEPS)])
    gap = quality[item] - np.linspace(-1, 1, judges)[rater]
    chance = np.exp(np.arange(5) * gap[:, None] - passed)
    chance /= chance.sum(axis=1, keepdims=True)
    score = (draws.random(len(item))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    ratings = Ratings(
        item,
        rater,
        score.astype(float),
        draws.integers(0, items // 10, items),
        source,
        np.zeros(judges, dtype=bool),
        4,
    )
    started = time.perf_counter()
    scale = fit(ratings)
    took = time.perf_counter() - started
    import pandas as pd

    started = time.perf_counter()
    frame = pd.DataFrame({"item": item, "rater": rater, "score": score})
    frame["gap"] = frame["score"] - frame.groupby("item")["score"].transform("mean")
    frame.groupby("rater")["gap"].agg(["mean", "sem"])
    pandas_took = time.perf_counter() - started
    return {
        "items": items,
        "judges": judges,
        "fit_s": round(took, 1),
        "is_settled": scale.is_settled,
        "pandas_mean_gap_s": round(pandas_took, 1),
    }


def _who(rater: int) -> str:
    return "a person" if rater < PEOPLE else ("fair judge", "other judge")[rater - PEOPLE]


def _by_key(rows: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["quantity"], row["name"]): row for row in rows if row["quantity"] != "source"}


def _interval(values: list[bool]) -> tuple[float, float]:
    found = stats.binomtest(sum(values), len(values)).proportion_ci(0.99, method="exact")
    return float(found.low), float(found.high)


def _share(values: list[bool]) -> dict[str, Any]:
    low, high = _interval(values)
    return {
        "share": round(float(np.mean(values)), 4),
        "n": len(values),
        "low_99": round(low, 4),
        "high_99": round(high, 4),
    }


def main() -> None:
    """Run the study and write its result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--timing", action="store_true")
    asked = parser.parse_args()
    if asked.timing:
        write_result("scales", {"timing": timing(100_000, 50)}, "timing")
        return
    started = time.perf_counter()
    cells = {name: cell(name, sd, asked.studies) for name, sd in CELLS.items()}
    took = time.perf_counter() - started
    write_result("scales", {"studies": asked.studies, "cells": cells, "seconds": round(took)})


if __name__ == "__main__":
    main()
