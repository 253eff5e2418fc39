"""Intervals, risk-coverage curve and thresholds of routing against NumPy."""

import hashlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built

SEED = "20250611"
LOW, HIGH = 1.0, 5.0


def _order(name: str) -> tuple[str, str]:
    return hashlib.md5(f"{SEED} {name}".encode()).hexdigest(), name


def _study(n_topics: int, per_topic: int, seed: int) -> list[dict[str, Any]]:
    draws = np.random.Generator(np.random.Philox(seed))
    rows = []
    for topic in range(n_topics):
        for place in range(per_topic):
            mean = float(np.clip(3 + draws.normal(0, 0.8), LOW, HIGH))
            noise = draws.normal(0, 0.4 + 1.2 * abs(mean - 3))
            rows.append(
                {
                    "item": f"i{topic:02d}-{place}",
                    "topic": f"t{topic:02d}",
                    "people": round(mean, 1),
                    "judge": None
                    if draws.random() < 0.05
                    else round(float(np.clip(mean + noise, LOW, HIGH)), 1),
                }
            )
    return rows


def _by_numpy(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with prediction, half width, whether it is covered, and error."""
    topics = sorted({row["topic"] for row in rows}, key=_order)
    fold = {topic: (place + 1) % 3 for place, topic in enumerate(topics)}
    known = [row | {"fold": fold[row["topic"]]} for row in rows if row["judge"] is not None]
    found = []
    for tested in range(3):
        fit = [row for row in known if row["fold"] == (tested + 1) % 3]
        x, y = (np.array([row[one] for row in fit]) for one in ("judge", "people"))
        slope, intercept = np.polyfit(x, y, 1)
        edges = np.quantile(x, [0.2, 0.4, 0.6, 0.8]) + 1e-9
        off = np.abs(y - intercept - slope * x)
        bands = np.searchsorted(edges, x, side="left")

        def spread(value: float, off: Any = off, bands: Any = bands, edges: Any = edges) -> float:
            mine = off[bands == np.searchsorted(edges, value, side="left")]
            if not len(mine):
                return float(off.mean())
            return float((mine.sum() + 5 * off.mean()) / (len(mine) + 5))

        def predicted(row: dict[str, Any], a: float = intercept, b: float = slope) -> float:
            return float(a + b * row["judge"])

        distances = []
        for topic in topics:
            mine = [row for row in known if row["topic"] == topic]
            if fold[topic] == (tested + 2) % 3 and mine:
                drawn = min(mine, key=lambda row: _order(row["item"]))
                off_by = abs(drawn["people"] - predicted(drawn))
                distances.append(off_by / spread(drawn["judge"]))
        assume(len(distances) >= 9)
        radius = sorted(distances)[math.ceil(round((len(distances) + 1) * 0.9, 9)) - 1]
        for row in known:
            if row["fold"] == tested:
                half = radius * spread(row["judge"])
                error = abs(row["people"] - np.clip(predicted(row), LOW, HIGH)) / (HIGH - LOW)
                found.append(
                    row
                    | {
                        "prediction": predicted(row),
                        "half": half,
                        "covered": abs(row["people"] - predicted(row)) <= half + 1e-12,
                        "error": float(error),
                    }
                )
    return found


def _clustered(values: Any, topics: list[str]) -> float:
    """Half width of a mean's interval, by topic, by its textbook formula."""
    values, names = np.asarray(values), sorted(set(topics))
    mean, which = values.mean(), np.array(topics)
    sums = [(values[which == name] - mean).sum() for name in names]
    g = len(names)
    variance = g / (g - 1) * sum(one**2 for one in sums) / len(values) ** 2
    return float(stats.t.ppf(0.975, g - 1) * math.sqrt(variance))


def _built(built: Built, rows: list[dict[str, Any]]) -> Any:
    return built(
        speeches=[(row["item"], row["topic"], "expert") for row in rows],
        ratings=[(row["item"], "r", row["people"]) for row in rows],
        scores=[("m/j", row["item"], row["judge"], row["judge"]) for row in rows],
        scale=(LOW, HIGH),
    )


@EXAMPLES
@given(n_topics=st.integers(33, 45), per_topic=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_intervals_and_the_curve_are_numpys(
    built: Built, n_topics: int, per_topic: int, seed: int
) -> None:
    rows = _study(n_topics, per_topic, seed)
    models = _built(built, rows)
    expected = {row["item"]: row for row in _by_numpy(rows)}
    found = models.execute(
        "select instance_id, prediction, prediction_low, prediction_high, uncertainty, is_covered, "
        "error from rpt_routing_answers where uncertainty is not null"
    ).fetchall()
    assert {row[0] for row in found} == expected.keys()
    for name, prediction, low, high, half, is_covered, error in found:
        mine = expected[name]
        ends = [mine["prediction"] + sign * mine["half"] for sign in (-1, 1)]
        assert prediction == pytest.approx(np.clip(mine["prediction"], LOW, HIGH))
        assert (low, high) == pytest.approx(tuple(np.clip(ends, LOW, HIGH)))
        assert half == pytest.approx(mine["half"])
        assert is_covered == mine["covered"]
        assert error == pytest.approx(mine["error"])

    by_topic: dict[str, list[bool]] = {}
    for mine in expected.values():
        by_topic.setdefault(mine["topic"], []).append(mine["covered"])
    coverage, n_units = models.execute(
        "select coverage, n_units from rpt_routing_coverage where part = 'all'"
    ).fetchall()[0]
    assert coverage == pytest.approx(np.mean([np.mean(each) for each in by_topic.values()]))
    assert n_units == len(by_topic)

    # Equally uncertain answers stand by the share of them that people do not see.
    unsure = np.array([mine["half"] for mine in expected.values()])
    wrong = np.array([mine["error"] for mine in expected.values()])
    left = []
    for step in range(21):
        sent = math.ceil(len(wrong) * step / 20)
        last = (unsure[None] >= unsure[:, None] - 1e-9).sum(axis=1)
        alike = (np.abs(unsure[None] - unsure[:, None]) < 1e-9).sum(axis=1)
        left.append(float((wrong * np.clip((last - sent) / alike, 0, 1)).mean()))

    whole = np.mean([mine["error"] for mine in expected.values()])
    width = _clustered(
        [mine["error"] for mine in expected.values()], [one["topic"] for one in expected.values()]
    )
    effective = whole * (1 - whole) * (stats.t.ppf(0.975, len(by_topic) - 1) / width) ** 2
    z = stats.norm.ppf(0.975)
    centre = (whole + z**2 / 2 / effective) / (1 + z**2 / effective)
    off = z * math.sqrt(whole * (1 - whole) / effective + z**2 / 4 / effective**2)
    off /= 1 + z**2 / effective
    curve = models.execute(
        "select combined_error, combined_error_low, combined_error_high from rpt_routing_curve "
        "order by wanted_share"
    ).fetchall()
    assert curve[0] == pytest.approx((whole, centre - off, centre + off))
    assert curve[-1] == (0.0, None, None)
    assert [row[0] for row in curve] == pytest.approx(left)
    assert all(one[0] >= other[0] for one, other in pairwise(curve))


def test_a_threshold_keeps_the_error_it_was_chosen_for_and_sends_the_least_sure(
    built: Built,
) -> None:
    models = _built(built, _study(90, 3, 1))
    rows = models.execute(
        "select wanted_error, achieved_error, sent_share from rpt_routing_thresholds "
        "order by wanted_error"
    ).fetchall()
    assert all(achieved <= wanted for wanted, achieved, _ in rows)
    shares = [row[2] for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert 0 < shares[2] < 1
    surest, unsure = models.execute(
        "select max(uncertainty) filter (where not is_for_people) - min(uncertainty), "
        "avg(uncertainty) filter (where is_for_people) "
        "- avg(uncertainty) filter (where not is_for_people) from rpt_routing_answers"
    ).fetchall()[0]
    assert surest > 0
    assert unsure > 0


def test_too_few_topics_are_refused_with_the_reason(built: Built) -> None:
    models = _built(built, _study(20, 2, 2))
    for mart, column in (
        ("rpt_routing_coverage", "coverage"),
        ("rpt_routing_thresholds", "achieved_error"),
    ):
        rows = models.execute(f"select {column}, reason from {mart}").fetchall()
        assert rows
        assert all(value is None and "fewer than 9 topics" in reason for value, reason in rows)
    assert models.execute("select count(*) from rpt_routing_curve").fetchall() == [(0,)]
    answers = models.execute(
        "select distinct answer, would_change from rpt_decisions where topic = 'route'"
    ).fetchall()
    assert [row[0] for row in answers] == ["cannot tell"]


def test_labels_are_sorted_by_the_judges_own_probability(built: Built) -> None:
    draws = np.random.Generator(np.random.Philox(3))
    debates, outcomes, verdicts = [], [], []
    for number in range(400):
        odds = draws.normal(0, 2)
        p_con = 1 / (1 + math.exp(-odds))
        won = "con" if draws.random() < p_con else "pro"
        name = f"x:{number}"
        debates.append({"debate_id": name, "motion": "m", "format": "two-sided"})
        outcomes.append({"debate_id": name, "winner": won})
        verdicts.append(
            {
                "judge_id": "m/j",
                "debate_id": name,
                "pro_label": "Pro",
                "con_label": "Con",
                "first_side": "pro",
                "winner": "con" if p_con > 0.5 else "pro",
                "p_pro": 1 - p_con,
            }
        )
    models = built(raw={"debates": debates, "debate_outcomes": outcomes, "verdicts": verdicts})
    curve = models.execute(
        "select combined_error, random_error, gain_low from rpt_routing_curve "
        "where wanted_share in (0, 0.2) order by wanted_share"
    ).fetchall()
    assert curve[1][0] < curve[0][0]
    assert curve[1][2] > 0
    rows = models.execute(
        "select judge_value, people_value, prediction_set, is_covered from rpt_routing_answers"
    ).fetchall()
    assert len(rows) == 400
    for _, people, found, is_covered in rows:
        assert is_covered == (("con" if people else "pro") in found)
