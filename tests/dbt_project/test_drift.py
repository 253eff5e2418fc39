"""Drift over waves, and the split of a system's change of score, against NumPy and SciPy."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.references import check_mean, clustered_half

J = "m/j"


def _items(name: str, items: list[str], follows: str | None = None) -> list[dict[str, Any]]:
    return [{"anchor_set": name, "item_id": item, "follows": follows} for item in items]


def _wave(
    name: str, wave: str, day: int, values: dict[str, float | None], judge: str = J
) -> list[dict[str, Any]]:
    return [
        {
            "anchor_set": name,
            "wave": wave,
            "judge_line": J,
            "judge_id": judge,
            "run_id": f"{name}-{wave}",
            "request_id": f"{name}-{wave}-{item}",
            "item_id": item,
            "dimension": "q",
            "value": value,
            "status": "parsed" if value is not None else "unparsed",
            "answered_at": f"2026-01-{day:02d} 00:00:00",
        }
        for item, value in values.items()
    ]


def _half_width(adds: Any, n_topics: int) -> float:
    variance = n_topics / (n_topics - 1) * float(np.sum(np.square(adds)))
    return float(stats.t.ppf(0.975, n_topics - 1)) * math.sqrt(variance)


@EXAMPLES
@given(
    n_topics=st.integers(5, 12),
    per_topic=st.integers(1, 3),
    shift=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_drift_is_the_paired_t_test_by_topic(
    built: Built, n_topics: int, per_topic: int, shift: float, seed: int
) -> None:
    draws = np.random.Generator(np.random.Philox(seed))
    speeches = [(f"i{t}-{k}", f"t{t}", "s") for t in range(n_topics) for k in range(per_topic)]
    before = {item: float(draws.integers(1, 6)) for item, _, _ in speeches}
    after = {item: value + shift + float(draws.integers(-1, 2)) for item, value in before.items()}
    failed = speeches[0][0] if per_topic > 1 else None
    later = {item: None if item == failed else value for item, value in after.items()}
    models = built(
        speeches=speeches,
        ratings=[(item, "r", 3.0) for item, _, _ in speeches],
        raw={
            "anchor_items": _items("a", [item for item, _, _ in speeches]),
            "anchor_answers": [*_wave("a", "w0", 1, before), *_wave("a", "w1", 2, later)],
        },
    )
    kept = [(item, topic) for item, topic, _ in speeches if item != failed]
    change = np.array([after[item] - before[item] for item, _ in kept])
    topics = [topic for _, topic in kept]
    rows = rows_of(models, "from rpt_drift order by since")
    assert [row["since"] for row in rows] == ["before", "first"]
    row = rows[1]
    check_mean(row, "drift", change, topics, within=(-math.inf, math.inf))
    half = clustered_half(change, topics)
    if half is None:
        assert row["p"] == float(abs(change.mean()) < 1e-9)
    else:
        t = abs(change.mean()) / half * stats.t.ppf(0.975, n_topics - 1)
        assert row["p"] == pytest.approx(2 * stats.t.sf(t, n_topics - 1))
    assert row["changed_share"] == pytest.approx(np.mean(np.abs(change) > 1e-9))
    off = [abs(after[item] - 3) - abs(before[item] - 3) for item, _ in kept]
    assert row["error_drift"] == pytest.approx(np.mean(off))
    counts = (row["n_answers"], row["n_units"], row["failed_count"])
    assert counts == (len(kept), n_topics, int(failed is not None))


def _split(built: Built, sources: tuple[str, str], judged_again: bool = True) -> Any:
    draws = np.random.Generator(np.random.Philox(7))
    old = [(f"o{t}", f"t{t}", sources[t % 2]) for t in range(10)]
    new = [(f"n{t}-{k}", f"t{t}", "v2") for t in range(8) for k in range(2)]
    names = [item for item, _, _ in old], [item for item, _, _ in new]
    v00, v10 = ({item: float(draws.integers(1, 6)) for item in names[0]} for _ in range(2))
    v11 = {item: float(draws.integers(2, 6)) for item in names[1]}
    answers = [*_wave("s0", "w0", 1, v00), *_wave("s1", "w1", 3, v11)]
    if judged_again:
        answers += _wave("s0", "w1", 2, v10)
    models = built(
        speeches=[*old, *new],
        raw={
            "anchor_items": [*_items("s0", names[0]), *_items("s1", names[1], "s0")],
            "anchor_answers": answers,
        },
    )
    found = models.execute("from rpt_score_change").df().to_dict("records")
    return found, {"00": v00, "10": v10, "11": v11}, {i: t for i, t, _ in [*old, *new]}


def test_a_change_of_score_is_split_into_judge_and_system(built: Built) -> None:
    found, values, topic_of = _split(built, ("v1", "v1"))
    (row,) = found
    mean = {name: np.mean([*each.values()]) for name, each in values.items()}
    assert row["total_change"] == pytest.approx(mean["11"] - mean["00"])
    assert row["judge_change"] == pytest.approx(mean["10"] - mean["00"])
    assert row["system_change"] == pytest.approx(mean["11"] - mean["10"])
    assert row["total_change"] == pytest.approx(row["judge_change"] + row["system_change"])
    topics = sorted(set(topic_of.values()))

    def adds(name: str) -> Any:
        each = values[name]
        return np.array(
            [
                sum(v - mean[name] for item, v in each.items() if topic_of[item] == topic)
                / len(each)
                for topic in topics
            ]
        )

    for part, later, earlier in (
        ("total", "11", "00"),
        ("judge", "10", "00"),
        ("system", "11", "10"),
    ):
        half = _half_width(adds(later) - adds(earlier), len(topics))
        ends = row[f"{part}_change_low"], row[f"{part}_change_high"]
        whole = row[f"{part}_change"]
        assert ends == pytest.approx((whole - half, whole + half))


def test_a_split_is_refused_where_it_would_not_be_one(built: Built) -> None:
    (mixed,), _, _ = _split(built, ("v1", "v0"))
    assert math.isnan(mixed["judge_change"])
    assert "not the outputs of one system" in mixed["reason"]
    (alone,), _, _ = _split(built, ("v1", "v1"), judged_again=False)
    assert math.isnan(alone["judge_change"])
    assert "has not judged the frozen outputs" in alone["reason"]


def test_waves_enter_no_figure_but_drift(built: Built) -> None:
    speeches = [(f"i{t}", f"t{t}", "s") for t in range(6)]
    values: dict[str, float | None] = {item: 3.0 for item, _, _ in speeches}
    models = built(
        speeches=speeches,
        raw={
            "anchor_items": _items("a", [*values]),
            "anchor_answers": [*_wave("a", "w0", 1, values), *_wave("a", "w1", 2, values)],
        },
    )
    assert models.execute("select count(*) from fct_score").fetchall() == [(0,)]
    assert models.execute(
        "select drift, p, drift_low from rpt_drift where since = 'first'"
    ).fetchall() == [(0.0, 1.0, None)]
    assert models.execute("select answer from rpt_decisions where topic = 'drift'").fetchall() == [
        ("no",)
    ]
