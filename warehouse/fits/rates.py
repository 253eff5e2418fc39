"""Mean score or share of a frame of items, from labels of a random sample and a judge's answers.

Three estimates: the mean of the labels, the prediction-powered mean [1]_, and the judge's share
corrected by its sensitivity and specificity [2]_. All are functions of sums over clusters; their
variance is that of a jackknife over clusters, which tunes the judge's weight again each time.

Intervals hold with few and unequal clusters:

- Degrees of freedom are Satterthwaite's [3]_, under a working model in which the items of a cluster
  have one correlation, estimated from the data.
- A mean score has the wider of Student's interval and Hall's, which follows the skewness of the
  clusters' contributions [4]_, at either end.
- A share has Wilson's interval with the number of independent items that the variance implies, and
  Student's quantile; with the number of clusters where all labels are alike.
- A corrected share is a ratio and has Fieller's interval [5]_: none if sensitivity and specificity
  may sum to 1.

References:
    .. [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference.
    .. [2] Rogan and Gladen (1978), American Journal of Epidemiology 107; for LLM judges Lee et al.
       (2025), arXiv 2511.21140.
    .. [3] Bell and McCaffrey (2002), Survey Methodology 28; Imbens and Kolesár (2016), Review of
       Economics and Statistics 98.
    .. [4] Hall (1992), Journal of the Royal Statistical Society B 54.
    .. [5] Fieller (1954), Journal of the Royal Statistical Society B 16.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
from scipy.special import stdtrit

from warehouse.fits.arrays import Floats, none_if_nan, schema_of

SUMS = (
    *("n_labelled", "n_others", "label_sum", "answer_sum", "other_sum", "product_sum"),
    *("label_squares", "answer_squares", "other_squares", "tied_count"),
)
_SCHEMA = schema_of(
    ("frame_key setting_key", pa.uint64()),
    ("n_clusters fewest_labelled", pa.int64()),
    (
        "tuning variance_ratio rate rate_low rate_high human human_low human_high human_error "
        "corrected corrected_low corrected_high positive_answer negative_answer",
        pa.float64(),
    ),
    ("interval_reason corrected_reason corrected_interval_reason", pa.string()),
)
_ROWS = f"""
select frame_key, setting_key, stratum, cluster_key, is_share,
    {", ".join(f"{name}::double as {name}" for name in SUMS)}
from clusters
where frame_key in (select frame_key from clusters where n_labelled > 0)
order by frame_key, setting_key, cluster_key
"""
# Fieller's interval is given where a judge's error rates happen to be clear. With fewer labels that
# is rare and a matter of luck, and it then covered 87 to 92 % (20 and 30 labels, weak judge).
FEWEST_FOR_RATIO = 50
# Below this a standard error is rounding.
_TINY = 1e-9


@dataclass(frozen=True)
class Sums:
    """Sums over the items of a frame, as `int_rate_clusters` names them, with strata last.

    Attributes:
        values: An array per name of `SUMS`, with or without an axis of clusters.
        weight: Share of the frame's items in each stratum.
    """

    values: dict[str, Floats]
    weight: Floats

    def __getitem__(self, name: str) -> Floats:
        return self.values[name]

    def total(self) -> "Sums":
        """Sums over all clusters."""
        return Sums({name: each.sum(axis=0) for name, each in self.values.items()}, self.weight)

    def without_each(self) -> "Sums":
        """Sums over all clusters but one, a row per cluster left out."""
        left = {name: each.sum(axis=0) - each for name, each in self.values.items()}
        return Sums(left, self.weight)


@dataclass(frozen=True)
class Rates:
    """Estimates from sums; `share`, `positive` and `negative` are the judge's mean answers.

    Attributes:
        human: Mean of the labels.
        rate: Prediction-powered mean.
        tuning: The judge's weight in it, from 0 to 1.
        share: Of items without a label.
        positive: Of items that people call 1, weighted by stratum.
        negative: Of items that people call 0.
    """

    human: Floats
    rate: Floats
    tuning: Floats
    share: Floats
    positive: Floats
    negative: Floats


def rates(sums: Sums) -> Rates:
    """Return the estimates; NaN where a stratum has no label.

    The judge's weight makes the variance of the estimate smallest [1]_. Over strata of weight w
    with n labelled items and N others it is sum(w^2 cov / n) / sum(w^2 var (1 / n + 1 / N)), with
    cov the covariance of labels and answers. It is 0 if all answers are alike or no items are left.
    """
    weight, n, others = sums.weight, sums["n_labelled"], sums["n_others"]
    has_others = others > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        label, answer = sums["label_sum"] / n, sums["answer_sum"] / n
        product, other = sums["product_sum"] / n, sums["other_sum"] / others
        items, answers = n + others, sums["answer_sum"] + sums["other_sum"]
        squares = sums["answer_squares"] + sums["other_squares"]
        variance = np.round((squares - answers**2 / items) / np.maximum(items - 1, 1), 14)
        gain = np.where(has_others, weight**2 * (product - label * answer) / n, 0.0).sum(axis=-1)
        cost = weight**2 * variance * (1 / n + 1 / others)
        cost = np.where(has_others, cost, 0.0).sum(axis=-1)
        tuning = np.where(cost > 0, np.clip(gain / cost, 0.0, 1.0), 0.0)
        human = (weight * label).sum(axis=-1)
        shift = np.where(has_others, weight * (other - answer), 0.0).sum(axis=-1)
        return Rates(
            human=human,
            rate=human + tuning * shift,
            tuning=tuning,
            share=(weight * np.where(has_others, other, answer)).sum(axis=-1),
            positive=(weight * product).sum(axis=-1) / human,
            negative=(weight * (answer - product)).sum(axis=-1) / (1 - human),
        )


def variance_ratio(sums: Sums, tuning: float) -> float | None:
    """Variance of the labels' mean over that of the estimate at a fixed weight of the judge.

    Both are sums of squared contributions of clusters; None if the second is 0.
    """
    total, weight = sums.total(), sums.weight

    def centred(name: str, count: str) -> Floats:
        size = np.maximum(total[count], 1)
        return weight * (sums[name] - sums[count] * total[name] / size) / size

    human = centred("label_sum", "n_labelled")
    shift = centred("other_sum", "n_others") - centred("answer_sum", "n_labelled")
    shift = np.where(total["n_others"] > 0, shift, 0.0)
    squares = float(((human + tuning * shift).sum(axis=1) ** 2).sum())
    return float((human.sum(axis=1) ** 2).sum()) / squares if squares > 0 else None


@dataclass(frozen=True)
class Leverage:
    """Shares of the labels by cluster.

    Attributes:
        by_stratum: Share of each stratum's labels, a row per cluster.
        weighted: The same, times the stratum's weight.
        of_cluster: Mean of `by_stratum` over the cluster's labels.
        correction: Factor of a square of the jackknife: 1 - 1 / G with labels in G clusters.
    """

    by_stratum: Floats
    weighted: Floats
    of_cluster: Floats
    correction: Floats

    @classmethod
    def from_sums(cls, sums: Sums) -> "Leverage":
        """Leverage of the clusters of a frame."""
        labelled = sums["n_labelled"]
        by_stratum = labelled / labelled.sum(axis=0)
        weighted = sums.weight * by_stratum
        of_stratum = weighted / np.maximum(weighted.sum(axis=1, keepdims=True), 1e-300)
        return cls(
            by_stratum,
            weighted,
            (of_stratum * by_stratum).sum(axis=1),
            1 - (of_stratum / (labelled > 0).sum(axis=0)).sum(axis=1),
        )


def degrees_of_freedom(sums: Sums, leverage: Leverage, tuning: float, squares: Floats) -> float:
    """Satterthwaite's degrees of freedom of a jackknife's variance.

    In the working model items of one cluster have a common covariance, which matches the sum of the
    expected squares with that of the jackknife. The covariance matrix of the contributions is then
    diagonal but for the strata's means, so its trace and that of its square take few sums.

    Args:
        tuning: The judge's weight; 0 for the labels alone.
        squares: Of the clusters' contributions.
    """
    total, weight = sums.total(), sums.weight
    n, others = total["n_labelled"], np.maximum(total["n_others"], 1)
    mean = (total["label_sum"] - tuning * total["answer_sum"]) / n
    spread = total["label_squares"] - 2 * tuning * total["product_sum"]
    spread = (spread + tuning**2 * total["answer_squares"]) / n - mean**2
    other_spread = total["other_squares"] / others - (total["other_sum"] / others) ** 2
    per_label, per_other = (weight / n) ** 2, (weight * tuning / others) ** 2
    single = sums["n_labelled"] * per_label
    own = single * spread
    alone = own.sum(axis=1) + (sums["n_others"] * per_other * other_spread).sum(axis=1)
    share = leverage.weighted.sum(axis=1)
    shared = share**2 - single.sum(axis=1)
    free = 1 - leverage.of_cluster
    excess = float((squares * free).sum() - alone.sum())
    most = float(own.sum() / single.sum())
    covariance = min(max(excess / shared.sum(), 0.0), most) if shared.sum() > 1e-12 else 0.0
    # Variance of a cluster's contribution, and its covariance with each stratum's part of it.
    variance = alone + covariance * shared
    by_stratum = own + covariance * (share[:, None] * leverage.weighted - single)
    strata = np.diag((own - covariance * single).sum(axis=0))
    strata = strata + covariance * leverage.weighted.T @ leverage.weighted
    one, none = np.eye(len(weight)), np.zeros((len(weight), len(weight)))
    low_rank = np.hstack([leverage.by_stratum, by_stratum])
    kernel = np.block([[strata, -one], [-one, none]])
    scale = leverage.correction / free**2
    on_diagonal = ((low_rank @ kernel) * low_rank).sum(axis=1)
    inner = kernel @ (low_rank.T @ (scale[:, None] * low_rank))
    trace = (scale * (variance + on_diagonal)).sum()
    of_square = (scale**2 * variance * (variance + 2 * on_diagonal)).sum() + (inner * inner.T).sum()
    return float(max(trace**2 / of_square, 1.0)) if of_square > 0 else 1.0


def mean_interval(mean: float, parts: Floats, df: float) -> tuple[float, float]:
    """95 % interval of a mean: at either end the wider of Student's and Hall's.

    Args:
        parts: Contributions of clusters to its error; their squares sum to the variance.
    """
    error = float(np.sqrt((parts**2).sum()))
    t = float(stdtrit(df, 0.975))
    skewness = float((parts**3).sum()) / error**3
    ends = np.array([t, -t])
    if abs(skewness) > 1e-6:
        hall = (np.cbrt(1 + skewness * (ends - skewness / 6)) - 1) * 3 / skewness
        ends = np.array([max(t, hall[0]), min(-t, hall[1])])
    low, high = mean - error * ends
    return float(low), float(high)


def share_interval(share: float, error: float, df: float, n: float) -> tuple[float, float]:
    """95 % interval of a share: Wilson's, with the independent items that its error implies.

    Args:
        share: The estimate, which may be slightly outside 0 to 1.
        n: Labels. The variance is that of a share at least half a label from 0 and 1.
    """
    t = float(stdtrit(df, 0.975))
    middle = float(np.clip(share, 0.5 / n, 1 - 0.5 / n))
    ratio = t**2 * error**2 / (middle * (1 - middle))
    width = t * error * np.sqrt(1 + ratio / (4 * middle * (1 - middle)))
    centre = middle + ratio / 2
    low, high = (centre - width) / (1 + ratio), (centre + width) / (1 + ratio)
    held = float(np.clip(share, 0.0, 1.0))
    return min(max(low, 0.0), held), max(min(high, 1.0), held)


def interval_of_equal_labels(share: float, n_clusters: int) -> tuple[float, float]:
    """95 % interval of a share from equal labels: Wilson's, each cluster as one item.

    Such labels do not show the correlation within clusters.
    """
    t = float(stdtrit(n_clusters - 1, 0.975))
    width = t**2 / (n_clusters + t**2)
    return (0.0, width) if share < 0.5 else (1.0 - width, 1.0)


def ratio_interval(pair: Floats, parts: Floats, df: float) -> tuple[float, float] | None:
    """95 % interval of a ratio by Fieller; None where the denominator may be 0.

    Args:
        parts: Contributions of clusters to the errors of both, a column each.
    """
    top, bottom = map(float, pair)
    t = float(stdtrit(df, 0.975))
    (of_top, between), (_, of_bottom) = t**2 * (parts.T @ parts)
    square, linear, constant = bottom**2 - of_bottom, top * bottom - between, top**2 - of_top
    if square <= _TINY**2:
        return None
    root = np.sqrt(max(linear**2 - square * constant, 0.0))
    return float((linear - root) / square), float((linear + root) / square)


def frame_rates(sums: Sums, *, is_share: bool) -> dict[str, float | int | str | None]:
    """Return the columns of one frame and judge; no estimates if a stratum has no label.

    Args:
        is_share: Whether the labels are 0 and 1, with 0.5 for a tie.
    """
    total = sums.total()
    n_clusters = int((sums["n_labelled"].sum(axis=1) > 0).sum())
    n_labelled, fewest = float(total["n_labelled"].sum()), int(total["n_labelled"].min())
    row: dict[str, float | int | str | None] = {
        "n_clusters": n_clusters,
        "fewest_labelled": fewest,
    }
    if not fewest:
        return row
    leverage, found, left = Leverage.from_sums(sums), rates(total), rates(sums.without_each())
    scale = np.sqrt(leverage.correction)
    row |= {
        "tuning": float(found.tuning),
        "variance_ratio": variance_ratio(sums, float(found.tuning)),
    }
    df = 1.0
    for name, tuning in (("rate", float(found.tuning)), ("human", 0.0)):
        value, parts = (
            float(getattr(found, name)),
            (getattr(found, name) - getattr(left, name)) * scale,
        )
        row[name] = value
        error = float(np.sqrt((parts**2).sum()))
        ends: tuple[float, float] | None = None
        if np.isnan(error):
            row["interval_reason"] = "one cluster has all labels of a stratum"
        elif error > _TINY:
            row[f"{name}_error"] = error
            df = degrees_of_freedom(sums, leverage, tuning, parts**2)
            if is_share:
                ends = share_interval(value, error, df, n_labelled)
            else:
                ends = mean_interval(value, parts, df)
        elif is_share and min(value, 1 - value) < _TINY:
            ends = interval_of_equal_labels(value, n_clusters)
        else:
            row["interval_reason"] = "the estimate is the same without any one cluster"
        row[f"{name}_low"], row[f"{name}_high"] = ends or (None, None)
    return row | _corrected(found, left, total, scale, df) if is_share else row


def _corrected(
    found: Rates, left: Rates, total: Sums, scale: Floats, df: float
) -> dict[str, float | str | None]:
    """Share corrected by sensitivity and specificity, with its interval or a reason."""
    youden = float(found.positive - found.negative)
    row: dict[str, float | str | None] = {
        "positive_answer": none_if_nan(float(found.positive)),
        "negative_answer": none_if_nan(float(found.negative)),
    }
    positives = round(float(total["label_sum"].sum()))
    for is_so, reason in (
        (
            total["tied_count"].sum() > 0,
            "people call some of the labelled debates a tie, or are evenly divided",
        ),
        (positives in (0, total["n_labelled"].sum()), "all labels are alike"),
        (total["n_others"].sum() == 0, "no debate is left for the judge alone"),
        (
            not youden > 0,
            "sensitivity and specificity together are at most 1: the judge tells no winner",
        ),
    ):
        if is_so:
            return row | {"corrected_reason": reason}
    row["corrected"] = float(np.clip((found.share - found.negative) / youden, 0.0, 1.0))
    pairs = [
        np.stack([each.share - each.negative, each.positive - each.negative], axis=-1)
        for each in (found, left)
    ]
    parts = (pairs[0] - pairs[1]) * scale[:, None]
    if total["n_labelled"].sum() < FEWEST_FOR_RATIO:
        return row | {"corrected_interval_reason": f"fewer than {FEWEST_FOR_RATIO} labels"}
    if np.isnan(parts).any():
        return row | {"corrected_interval_reason": "one cluster has all labels of one kind"}
    ends = ratio_interval(pairs[0], parts, df)
    if ends is None:
        reason = "sensitivity and specificity are too uncertain: together they may be 1"
        return row | {"corrected_interval_reason": reason}
    low, high = np.clip(ends, 0.0, 1.0)
    return row | {"corrected_low": float(low), "corrected_high": float(high)}


def rate_estimates(clusters: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return a row per frame with labels and judge, from the rows of `int_rate_clusters`."""
    return estimates(clusters.query("clusters", _ROWS).to_arrow_table())


def estimates(rows: pa.Table) -> pa.Table:
    """Return a row per frame and judge, from sums by cluster and stratum ordered by their keys."""
    found = [
        {"frame_key": frame, "setting_key": setting} | frame_rates(sums, is_share=is_share)
        for frame, setting, is_share, sums in _frames(rows)
    ]
    return pa.Table.from_pylist(found, _SCHEMA)


def _frames(rows: pa.Table) -> Iterator[tuple[int, int, bool, Sums]]:
    """Yield keys, whether it is a share, and sums of each frame and judge."""
    keys = [rows[name].to_numpy() for name in ("frame_key", "setting_key", "cluster_key")]
    strata = rows["stratum"].to_numpy(zero_copy_only=False)
    is_share = rows["is_share"].to_numpy(zero_copy_only=False)
    values = np.stack([rows[name].to_numpy() for name in SUMS]) if len(rows) else np.zeros((0, 0))
    changes = (keys[0][1:] != keys[0][:-1]) | (keys[1][1:] != keys[1][:-1])
    starts = [
        *np.flatnonzero(np.concatenate([np.ones(min(len(rows), 1), bool), changes])),
        len(rows),
    ]
    for start, end in pairwise(starts):
        cluster = np.unique(keys[2][start:end], return_inverse=True)[1]
        stratum = np.unique(strata[start:end].astype(str), return_inverse=True)[1]
        dense = np.zeros((len(SUMS), cluster.max() + 1, stratum.max() + 1))
        dense[:, cluster, stratum] = values[:, start:end]
        items = (dense[0] + dense[1]).sum(axis=0)
        sums = Sums(dict(zip(SUMS, dense, strict=True)), items / items.sum())
        yield int(keys[0][start]), int(keys[1][start]), bool(is_share[start]), sums
