"""Every ensemble of up to five judges, and the gain of the best on held-out speeches.

23 judges on 631 speeches of 76 topics are 44,551 subsets; in three poolings, with 200 splits, they
took 39 CPU seconds in November 2026. The time grows with subsets times speeches squared.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.fits.arrays import (
    Bools,
    Floats,
    Ints,
    none_if_nan,
    rows_of_last_build,
    schema_of,
)
from warehouse.fits.concordance import DECIMALS, Reference

# Part of every fingerprint: raise it when a change here changes a figure.
ENSEMBLE_VERSION = 2
LARGEST = 5
LISTED = 5
# Comparing all pairs of more speeches than this would take a gigabyte.
MOST_ITEMS = 10_000
ANY, ALONE = "any", "alone"
POOLINGS = ("mean", "median", "rounded_mean")
_SUBSETS_AT_ONCE = 512

_SCHEMA = schema_of(
    ("dataset_id dimension template search_size search_pooling", pa.string()),
    ("subset_rank", pa.int64()),
    ("members", pa.list_(pa.string())),
    ("member_count", pa.int64()),
    ("pooling best_member_id", pa.string()),
    (
        "tau_c_on_scale best_member_tau_c_on_scale tau_c tau_c_low tau_c_high "
        "best_member_tau_c held_out_tau_c held_out_tau_c_low held_out_tau_c_high "
        "held_out_member_tau_c gain_over_member gain_over_member_low gain_over_member_high "
        "held_out_judge_tau_c gain_over_judge gain_over_judge_low gain_over_judge_high "
        "chosen_share",
        pa.float64(),
    ),
    (
        "value_count best_member_value_count n_subsets n_splits undefined_split_count "
        "n_judges n_items n_units",
        pa.int64(),
    ),
    ("reason fingerprint", pa.string()),
)
_KEY = ("dataset_id", "dimension", "template", "fingerprint")


@dataclass(frozen=True)
class Scored:
    """Scores of one panel's judges on the speeches that all of them scored.

    Attributes:
        scores: A row per judge, a column per speech.
        groups: Jackknife group of each topic.
    """

    judges: list[str]
    scores: Floats
    human_mean: Floats
    topics: Ints
    groups: Ints


@dataclass
class Found:
    """The best subsets of one size and pooling.

    Attributes:
        top: The best over all speeches, as (tau-c on the scale, members), the best first.
        chosen: For each split, the members that were best in the half they were chosen on.
    """

    pooling: str
    top: list[tuple[float, tuple[int, ...]]]
    chosen: list[tuple[int, ...]]
    chosen_tau: Floats
    tested_tau: Floats


def ensemble_searches(
    panels: duckdb.DuckDBPyRelation,
    scores: duckdb.DuckDBPyRelation,
    previous: duckdb.DuckDBPyRelation | None = None,
) -> pa.Table:
    """Search every panel's ensembles, or reuse those of the last build if nothing changed."""
    known = rows_of_last_build(previous, _SCHEMA, _KEY)
    rows: list[dict[str, Any]] = []
    for panel in panels.order("panel_id").to_arrow_table().to_pylist():
        about = {name: panel[name] for name in ("dataset_id", "dimension", "template")}
        about["fingerprint"] = f"{ENSEMBLE_VERSION} {panel['fingerprint']}"
        made = known.get(tuple(about[name] for name in _KEY))
        if made is None:
            given = _scored(scores.filter(f"panel_id = {panel['panel_id']}"))
            made = (
                [about | row for row in searched(given, panel)]
                if given
                else [
                    about
                    | _refused("no speech has scores of all judges", ANY, ANY)
                    | {"n_judges": panel["n_judges"], "n_items": 0, "n_units": 0}
                ]
            )
        rows += made
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def searched(given: Scored, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of one panel: per size and pooling the best subsets, and the search's figures.

    Subsets are compared by tau-c with the number of the scale's points as m, whatever values the
    pooled scores have: with its own m, the coarser of two equal orders has the higher tau-c, and
    rounding alone would win.

    The splits are seeded random halves of the topics. The best subset, its best member and the best
    judge are chosen on one half and evaluated on the other, and then the halves swap. The estimate
    is the mean over both; the interval is the 2.5th to 97.5th percentile (the delete-d jackknife
    with d = n / 2, whose factor (n - d) / d is 1) [1]_, extended to the mean if that is outside.

    References:
        .. [1] Shao and Wu (1989), A general theory for jackknife variance estimation, Annals of
           Statistics 17.
    """
    n_judges, n_items = given.scores.shape
    n_units = int(given.topics.max()) + 1
    common = {"n_judges": n_judges, "n_items": n_items, "n_units": n_units}
    halves = _halves(n_units, settings["ensemble_splits"], settings["bootstrap_seed"])
    whole = np.ones((1, n_units), dtype=bool)
    order = None
    if n_items <= MOST_ITEMS:
        order = Reference(
            given.human_mean, given.topics, np.vstack([whole, halves]), settings["scale_points"]
        )
    left_out = np.array([given.groups != group for group in np.unique(given.groups)])
    whole_and_left_out = np.vstack([whole, left_out])
    singles = None if order is None else order.tau_c(given.scores)
    found: list[Found] = []
    for size in range(1, LARGEST + 1):
        reason = _refusal(given, size, settings["max_ensemble_comparisons"])
        if reason or order is None or singles is None:
            yield common | _refused(str(reason), str(size), ALONE if size == 1 else ANY)
            continue
        # The median of two is their mean.
        poolings = (ALONE,) if size == 1 else POOLINGS if size > 2 else ("mean", "rounded_mean")
        for pooling in poolings:
            one = _best(given, order, size, pooling)
            n_subsets = comb(n_judges, size)
            about = common | {
                "n_subsets": n_subsets,
                "search_size": str(size),
                "search_pooling": pooling,
            }
            yield from _rows(given, one, singles, whole_and_left_out, about, settings)
            if size > 1 and one.top:
                found.append(one)
    about = common | {"search_size": ANY, "search_pooling": ANY}
    if found and singles is not None:
        n_subsets = sum(comb(n_judges, size) for size in {len(one.top[0][1]) for one in found})
        best = _of_any(found)
        yield from _rows(
            given, best, singles, whole_and_left_out, about | {"n_subsets": n_subsets}, settings
        )
    else:
        yield about | _refused("no ensemble could be searched", ANY, ANY)


def pooled(scores: Floats, pooling: str) -> Floats:
    """Pool the members' scores (the second axis from the end); a half rounds to the even number."""
    if pooling == "median":
        return np.asarray(np.median(scores, axis=-2))
    mean: Floats = scores.mean(axis=-2)
    return np.round(np.round(mean, 12)) if pooling == "rounded_mean" else mean


def _scored(relation: duckdb.DuckDBPyRelation) -> Scored | None:
    rows = relation.order("judge_id, topic_index, item_id").fetchnumpy()
    judges = sorted({str(judge) for judge in rows["judge_id"]})
    if not judges:
        return None
    shape = (len(judges), -1)
    topics = rows["topic_index"].reshape(shape)[0]
    groups = np.empty(int(topics.max()) + 1, dtype=np.int64)
    groups[topics] = rows["group_index"].reshape(shape)[0]
    return Scored(
        judges, rows["score"].reshape(shape), rows["human_mean"].reshape(shape)[0], topics, groups
    )


def _halves(n_units: int, splits: int, seed: int) -> Bools:
    """Return seeded halves of the topics, then the other half of each; none of one topic."""
    if n_units < 2:
        return np.zeros((0, n_units), dtype=bool)
    generator = np.random.Generator(np.random.Philox(seed))
    first = np.array([generator.permutation(n_units) < n_units // 2 for _ in range(splits)])
    return np.vstack([first, ~first])


def _refusal(given: Scored, size: int, most: int) -> str | None:
    n_judges, n_items = given.scores.shape
    if n_items > MOST_ITEMS:
        return f"more than {MOST_ITEMS:,} speeches"
    if n_judges < size:
        return f"fewer than {size} judges have scored the same speeches"
    work = comb(n_judges, size) * n_items**2
    if size > 1 and work > most:
        return (
            f"{comb(n_judges, size):,} subsets of {n_items:,} speeches are more than "
            f"max_ensemble_comparisons allows"
        )
    return None


def _refused(reason: str, size: str, pooling: str) -> dict[str, Any]:
    return {"search_size": size, "search_pooling": pooling, "reason": reason}


def _best(given: Scored, order: Reference, size: int, pooling: str) -> Found:
    """Go through all subsets of a size; of equal ones the first counts."""
    subsets = np.array(list(combinations(range(len(given.judges)), size)))
    top: list[tuple[float, tuple[int, ...]]] = []
    best: Floats | None = None
    tested, chosen = np.empty(0), subsets[:0]
    for start in range(0, len(subsets), _SUBSETS_AT_ONCE):
        part = subsets[start : start + _SUBSETS_AT_ONCE]
        tau = order.tau_c(pooled(given.scores[part], pooling))
        on_all, halves = tau[:, 0], tau[:, 1:]
        ranked = np.argsort(-on_all, kind="stable")[:LISTED]
        top += [
            (float(on_all[place]), tuple(map(int, part[place])))
            for place in ranked
            if not np.isnan(on_all[place])
        ]
        top = sorted(top, key=lambda one: -one[0])[:LISTED]
        where = np.argmax(np.nan_to_num(halves, nan=-np.inf), axis=0)
        columns = np.arange(halves.shape[1])
        here, there = halves[where, columns], _other_half(halves)[where, columns]
        if best is None:
            best, tested, chosen = here, there, part[where]
            continue
        better = (here > best) | (np.isnan(best) & ~np.isnan(here))
        best = np.where(better, here, best)
        tested = np.where(better, there, tested)
        chosen = np.where(better[:, None], part[where], chosen)
    in_half = np.empty(0) if best is None else best
    members = [tuple(map(int, one)) for one in chosen]
    return Found(pooling, top, members, in_half, np.where(np.isnan(in_half), np.nan, tested))


def _other_half(halves: Floats) -> Floats:
    return np.roll(halves, halves.shape[1] // 2, axis=1)


def _of_any(found: Iterable[Found]) -> Found:
    """Return the best of several searches, chosen in each half as the others are."""
    first, *others = found
    best = Found(
        first.pooling, first.top[:1], list(first.chosen), first.chosen_tau, first.tested_tau
    )
    for one in others:
        if one.top[0][0] > best.top[0][0]:
            best.pooling, best.top = one.pooling, one.top[:1]
        better = (one.chosen_tau > best.chosen_tau) | (
            np.isnan(best.chosen_tau) & ~np.isnan(one.chosen_tau)
        )
        best.chosen = [
            theirs if is_better else mine
            for theirs, mine, is_better in zip(one.chosen, best.chosen, better, strict=True)
        ]
        best.chosen_tau = np.where(better, one.chosen_tau, best.chosen_tau)
        best.tested_tau = np.where(better, one.tested_tau, best.tested_tau)
    return best


def _rows(
    given: Scored,
    found: Found,
    singles: Floats,
    whole_and_left_out: Bools,
    about: dict[str, Any],
    settings: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    if not found.top:
        yield about | {"reason": "one side has the same value on every speech"}
        return
    alone, halves = singles[:, 0], singles[:, 1:]
    has_interval = about["n_units"] >= settings["min_units"]
    held_out = _held_out(found, halves, has_interval=has_interval)
    observed = Reference(given.human_mean, given.topics, whole_and_left_out)
    for rank, (tau_on_scale, members) in enumerate(found.top, start=1):
        best = max(members, key=lambda place: np.nan_to_num(alone[place], nan=-np.inf))
        scores = pooled(given.scores[list(members)], found.pooling)
        tau, deleted = np.split(
            observed.tau_c(np.vstack([scores, given.scores[best]])), [1], axis=1
        )
        half_width = _half_width(deleted[0]) if has_interval else None
        low = None if half_width is None else max(-1.0, float(tau[0, 0]) - half_width)
        high = None if half_width is None else min(1.0, float(tau[0, 0]) + half_width)
        yield (
            about
            | held_out
            | {
                "subset_rank": rank,
                "members": [given.judges[place] for place in members],
                "member_count": len(members),
                "pooling": found.pooling,
                "best_member_id": given.judges[best],
                "tau_c_on_scale": tau_on_scale,
                "best_member_tau_c_on_scale": none_if_nan(alone[best]),
                "tau_c": float(tau[0, 0]),
                "tau_c_low": low,
                "tau_c_high": high,
                "best_member_tau_c": none_if_nan(tau[1, 0]),
                "value_count": _value_count(scores),
                "best_member_value_count": _value_count(given.scores[best]),
            }
        )


def _value_count(scores: Floats) -> int:
    return len(np.unique(np.round(scores, DECIMALS)))


def _half_width(values: Floats) -> float | None:
    """Half width as in the macro jackknife_half_width."""
    from scipy.special import stdtrit

    groups = len(values)
    width = float(stdtrit(groups - 1.0, 0.975) * np.sqrt((groups - 1) * values.var()))
    return width if width > 1e-9 else None


def _held_out(found: Found, halves: Floats, *, has_interval: bool) -> dict[str, Any]:
    """Return tau-c of each choice in the other half, with its best member and the best judge."""
    n_splits = halves.shape[1]
    there = _other_half(halves)
    known = np.nan_to_num(halves, nan=-np.inf)
    columns = np.arange(n_splits)
    judge = there[np.argmax(known, axis=0), columns]
    member = np.array(
        [
            there[max(group, key=lambda place: known[place, at]), at]
            for at, group in enumerate(found.chosen)
        ]
    )
    tested = found.tested_tau
    kept = ~(np.isnan(tested) | np.isnan(judge) | np.isnan(member))
    row: dict[str, Any] = {"n_splits": n_splits, "undefined_split_count": int((~kept).sum())}
    if not kept.any():
        return row
    first = found.top[0][1]
    row["chosen_share"] = float(np.mean([one == first for one in found.chosen]))
    series = {"held_out_tau_c": tested}
    row["held_out_judge_tau_c"] = float(judge[kept].mean())
    if len(first) > 1:
        row["held_out_member_tau_c"] = float(member[kept].mean())
        series |= {"gain_over_member": tested - member, "gain_over_judge": tested - judge}
    for name, values in series.items():
        mean = float(values[kept].mean())
        low, high = np.quantile(values[kept], [0.025, 0.975]).tolist()
        row[name] = mean
        if has_interval and high - low > 1e-9:
            row |= {f"{name}_low": min(low, mean), f"{name}_high": max(high, mean)}
    return row
