"""Agreement the usual way: pandas for the tables, scikit-learn and SciPy for each number.

`direct` is a careful script: a pivot table, then one library call per pair. `row_by_row` finds each
pair's shared speeches by walking the rows, as studies of this kind commonly do.
"""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import cohen_kappa_score

LABELS = [1, 2, 3, 4, 5]
MIN_SHARED = 50
MIN_ITEMS = 30


class Estimates(NamedTuple):
    """Point estimates of one panel; judges in the order given."""

    human_kappa: float
    judge_kappas: list[float]
    human_tau_c: float
    judge_tau_c: list[float]
    judge_tau_c_on_human_items: list[float]
    source_means: dict[str, float]


def _kappa(x: np.ndarray, y: np.ndarray) -> float:
    return float(cohen_kappa_score(x, y, weights="quadratic", labels=LABELS))


def _tau_c(x: pd.Series, y: pd.Series) -> float:
    return float(stats.kendalltau(x, y, variant="c").statistic)


def direct(ratings: pd.DataFrame, scores: pd.DataFrame, sources: pd.Series) -> Estimates:
    """Compute everything from a pivot table.

    Args:
        ratings: Columns item, annotator, value.
        scores: Columns judge, item, value.
        sources: Source per item.
    """
    table = ratings.pivot(index="item", columns="annotator", values="value")
    judges = scores.pivot(index="item", columns="judge", values="value").reindex(table.index)
    human: list[float] = []
    judged: dict[str, list[float]] = {judge: [] for judge in judges}
    for a, b in itertools.combinations(table.columns, 2):
        shared = table[a].notna() & table[b].notna()
        if shared.sum() < MIN_SHARED:
            continue
        x, y = table.loc[shared, a].to_numpy(int), table.loc[shared, b].to_numpy(int)
        human.append(_kappa(x, y))
        for judge in judges:
            z = judges.loc[shared, judge].to_numpy(int)
            judged[judge] += [_kappa(z, x), _kappa(z, y)]
    return Estimates(
        float(np.mean(human)),
        [float(np.mean(values)) for values in judged.values()],
        *_ranks(table, judges),
        _source_means(ratings, sources),
    )


def row_by_row(ratings: pd.DataFrame, scores: pd.DataFrame, sources: pd.Series) -> Estimates:
    """Compute the same, looking for each pair's shared items in every row of the table."""
    table = ratings.pivot(index="item", columns="annotator", values="value")
    judges = scores.pivot(index="item", columns="judge", values="value").reindex(table.index)
    panels = [
        (item, dict(zip(group["annotator"], group["value"], strict=True)))
        for item, group in ratings.groupby("item")
    ]
    rows = pd.DataFrame(panels, columns=["item", "panel"])
    shared: dict[tuple[str, str], list[str]] = {}
    for a, b in itertools.combinations(table.columns, 2):
        for _, row in rows.iterrows():
            if a in row["panel"] and b in row["panel"]:
                shared.setdefault((a, b), []).append(row["item"])
    pairs = {pair: items for pair, items in shared.items() if len(items) >= MIN_SHARED}
    human = [
        _kappa(table.loc[items, a].to_numpy(int), table.loc[items, b].to_numpy(int))
        for (a, b), items in pairs.items()
    ]
    judge_kappas = []
    for judge in judges:
        kappas = []
        for pair, items in pairs.items():
            for annotator in pair:
                x, z = [], []
                for item in items:
                    row = rows[rows["item"] == item].iloc[0]
                    x.append(int(row["panel"][annotator]))
                    z.append(int(judges.loc[item, judge]))
                kappas.append(_kappa(np.array(z), np.array(x)))
        judge_kappas.append(float(np.mean(kappas)))
    return Estimates(
        float(np.mean(human)), judge_kappas, *_ranks(table, judges), _source_means(ratings, sources)
    )


def _ranks(table: pd.DataFrame, judges: pd.DataFrame) -> tuple[float, list[float], list[float]]:
    means, sums, counts = table.mean(axis=1), table.sum(axis=1), table.count(axis=1)
    human: list[float] = []
    on_human_items: dict[str, list[float]] = {judge: [] for judge in judges}
    for annotator in table.columns:
        own = table[annotator].dropna()
        if len(own) < MIN_ITEMS:
            continue
        others = (sums[own.index] - own) / (counts[own.index] - 1)
        human.append(_tau_c(own, others))
        for judge in judges:
            on_human_items[judge].append(_tau_c(judges.loc[own.index, judge], others))
    return (
        float(np.mean(human)),
        [_tau_c(judges[judge], means) for judge in judges],
        [float(np.mean(values)) for values in on_human_items.values()],
    )


def _source_means(ratings: pd.DataFrame, sources: pd.Series) -> dict[str, float]:
    return {
        str(source): float(value)
        for source, value in ratings.groupby(ratings["item"].map(sources))["value"].mean().items()
    }
