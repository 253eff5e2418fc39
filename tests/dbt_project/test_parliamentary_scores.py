"""Speakers' scores against NumPy, SciPy and loops."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models
from tests.dbt_project.parliamentary_data import Answer, Room, as_raw, by_name
from tests.dbt_project.references import check_share, jackknife_half

# One score: debate, speech, predicted, official, and the weight that repeats leave it.
Score = tuple[str, int, float, float, float]
POOLED = (
    "rmse",
    "correlation",
    "correlation_between",
    "calibration_slope",
    "calibration_intercept",
    "sd_ratio",
)


def scores_of(rooms: Sequence[Room]) -> list[Score]:
    """Return the readable scores that have an official one beside them."""
    found = []
    for room in rooms:
        for place, official in enumerate(room.scores or ()):
            values = [
                answer.speaker_scores[place]
                for answer in room.answers
                if answer.is_answered and answer.speaker_scores
            ]
            known = [value for value in values if value is not None]
            found += [
                (room.name, place, value, official, 1 / len(known))
                for value in known
                if official is not None
            ]
    return found


def mean_by_debate(
    scores: Sequence[Score], of: Callable[[float, float], float]
) -> dict[str, float]:
    """Return the weighted mean of a figure of each score, by debate."""
    return {
        name: float(
            np.average(
                [
                    of(predicted, official)
                    for debate, _, predicted, official, _ in scores
                    if debate == name
                ],
                weights=[weight for debate, *_, weight in scores if debate == name],
            )
        )
        for name in dict.fromkeys(debate for debate, *_ in scores)
    }


def correlation(x: Any, y: Any, weights: Any = None) -> float | None:
    """Return Pearson's r, None where a side does not vary."""
    if len(x) < 2 or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return None
    table = np.cov(x, y, aweights=weights)
    return float(table[0, 1] / np.sqrt(table[0, 0] * table[1, 1]))


def pooled(scores: Sequence[Score], measure: str) -> float | None:
    """Return a measure made of all speeches together."""
    if not scores:
        return None
    x, y = (np.array([score[place] for score in scores], dtype=float) for place in (2, 3))
    weights = np.array([score[4] for score in scores])
    if measure == "rmse":
        return float(
            np.sqrt(np.mean([*mean_by_debate(scores, lambda p, o: (p - o) ** 2).values()]))
        )
    if measure == "correlation":
        return correlation(x, y, weights)
    if measure == "correlation_between":
        return correlation(
            [*mean_by_debate(scores, lambda p, o: p).values()],
            [*mean_by_debate(scores, lambda p, o: o).values()],
        )
    if measure == "sd_ratio":
        if np.ptp(y) == 0:
            return None
        variances = [
            np.average((one - np.average(one, weights=weights)) ** 2, weights=weights)
            for one in (x, y)
        ]
        return float(np.sqrt(variances[0] / variances[1]))
    if np.ptp(x) == 0:
        return None
    slope, intercept = np.polyfit(x, y, 1, w=np.sqrt(weights))
    return float(slope if measure == "calibration_slope" else intercept)


@st.composite
def rooms_scored(draw: st.DrawFn) -> list[Room]:
    """Draw debates with a judge's scores, some of them unreadable, and repeats."""
    score = st.integers(70, 82)
    half_points = st.sampled_from([72.5, 75.0, 76.5, 80.3])
    return [
        Room(
            f"d{number}",
            None,
            draw(st.lists(score, min_size=8, max_size=8)),
            answers=[
                Answer(
                    None,
                    draw(st.lists(st.none() | half_points, min_size=8, max_size=8)),
                    sample=sample,
                    is_answered=draw(st.sampled_from([True, True, False])),
                )
                for sample in range(draw(st.integers(1, 2)))
            ],
        )
        for number in range(draw(st.integers(1, 8)))
    ]


@EXAMPLES
@given(rooms=rooms_scored(), threads=st.sampled_from([1, 4]))
def test_scores_give_the_figures_of_numpy_and_loops(
    built: Built, rooms: list[Room], threads: int
) -> None:
    models = built(**as_raw(rooms), threads=threads)
    rows = by_name(models, "from rpt_bp_speaker_scores", "measure")
    scores = scores_of(rooms)
    debates = list(dict.fromkeys(debate for debate, *_ in scores))
    for measure in POOLED:
        expected = pooled(scores, measure)
        row = rows[measure]
        assert row["value"] == (None if expected is None else pytest.approx(expected, abs=1e-6))
        without = [[score for score in scores if score[0] != name] for name in debates]
        half = (
            jackknife_half([pooled(rest, measure) for rest in without])
            if expected is not None
            else None
        )
        if half is not None and half > 1e-6:
            floor = {"rmse": 0.0, "sd_ratio": 0.0}.get(
                measure, -1.0 if "corr" in measure else -np.inf
            )
            ceiling = 1.0 if "corr" in measure else np.inf
            assert (row["value_low"], row["value_high"]) == pytest.approx(
                (max(floor, expected - half), min(ceiling, expected + half)), rel=1e-5, abs=1e-6
            )
        elif half is None and expected is not None and len(debates) < 5:
            assert (row["value_low"], row["value_high"]) == (None, None)
            assert row["null_reason"] == "fewer than 5 debates"
    within = {
        name: correlation(
            *zip(*[(s[2], s[3]) for s in scores if s[0] == name], strict=True),
            [s[4] for s in scores if s[0] == name],
        )
        for name in debates
    }
    known = [value for value in within.values() if value is not None]
    row = rows["correlation_within"]
    assert (row["n_units"], row["n_undefined"]) == (len(known), len(within) - len(known))
    assert row["value"] == (pytest.approx(np.mean(known), abs=1e-7) if known else None)
    for measure, of in (("mae", lambda p, o: abs(p - o)), ("bias", lambda p, o: p - o)):
        means = [*mean_by_debate(scores, of).values()]
        row = rows[measure]
        assert row["value"] == (pytest.approx(np.mean(means), abs=1e-9) if means else None)
        if len(means) >= 5 and np.ptp(means) > 1e-9:
            low, high = stats.t.interval(
                0.95, len(means) - 1, loc=np.mean(means), scale=stats.sem(means)
            )
            assert row["value_high"] == pytest.approx(high)
            assert row["value_low"] == pytest.approx(low if measure == "bias" else max(low, 0))
    # A failure is nearest at the panel's own score, and farthest at the scale's farther end.
    asked = [
        (room.name, place, None if values is None else values[place], official)
        for room in rooms
        for answer in room.answers
        for values in [answer.speaker_scores if answer.is_answered else None]
        for place, official in enumerate(room.scores)
    ]
    row = rows["mae"]
    assert row["n_values"] + row["missing_count"] == len(asked)
    assert row["n_values"] == sum(value is not None for _, _, value, _ in asked)
    for column, worst in (("value_if_best", False), ("value_if_worst", True)):
        bounds = [
            np.mean(
                [
                    abs(value - official)
                    if value is not None
                    else max(official - 50, 100 - official)
                    if worst
                    else 0
                    for debate, _, value, official in asked
                    if debate == room.name
                ]
            )
            for room in rooms
        ]
        assert row[column] == pytest.approx(np.mean(bounds))


def test_guessing_is_an_even_draw_on_the_scale_and_paired_by_debate(built: Built) -> None:
    rng = np.random.default_rng(5)
    rooms = [
        Room(
            f"d{number}",
            None,
            [int(value) for value in official],
            answers=[
                Answer(None, [float(value) for value in official + rng.normal(0, 3, 8).round(1)])
            ],
        )
        for number, official in enumerate(rng.integers(70, 85, (7, 8)))
    ]
    models = built(**as_raw(rooms))
    rows = by_name(models, "from rpt_bp_speaker_scores", "measure")
    scores = scores_of(rooms)
    official = [s[3] for s in scores]
    # An even guess on the scale, drawn very often: the closed form lies within its error.
    draws = rng.uniform(50, 100, (40_000, len(official)))
    error = np.abs(draws - official).mean(axis=1)
    assert rows["mae"]["by_chance"] == pytest.approx(error.mean(), abs=5 * stats.sem(error))
    squared = ((draws - official) ** 2).mean(axis=1)
    assert rows["rmse"]["by_chance"] ** 2 == pytest.approx(
        squared.mean(), abs=5 * stats.sem(squared)
    )
    # Minus guessing is paired by debate.
    apart = [
        np.mean(
            [
                abs(s[2] - s[3]) - ((s[3] - 50) ** 2 + (100 - s[3]) ** 2) / 100
                for s in scores
                if s[0] == room.name
            ]
        )
        for room in rooms
    ]
    low, high = stats.t.interval(0.95, len(apart) - 1, loc=np.mean(apart), scale=stats.sem(apart))
    row = rows["mae"]
    assert (row["minus_chance"], row["minus_chance_low"], row["minus_chance_high"]) == (
        pytest.approx(np.mean(apart)),
        pytest.approx(low),
        pytest.approx(high),
    )
    check_tolerances(models, rooms)


def is_within(tolerance: int, predicted: float, official: float) -> float:
    """Return 1 for a score within so many points of the panel's."""
    return float(abs(predicted - official) <= tolerance + 1e-9)


def check_tolerances(models: Models, rooms: Sequence[Room]) -> None:
    """Compare the tolerance curve, and those of guessing, with loops."""
    curve = by_name(models, "from rpt_bp_tolerance", "tolerance")
    assert sorted(curve) == list(range(11))
    for tolerance, row in curve.items():
        within = partial(is_within, tolerance)
        means = list(mean_by_debate(scores_of(rooms), within).values())
        check_share(row, "share", means, range(len(means)))
        always, order = [], []
        for room in rooms:
            others = np.array([other.scores for other in rooms if other.name != room.name], float)
            own = np.array(room.scores, dtype=float)
            always.append(np.mean(np.abs(own - others.mean()) <= tolerance + 1e-9))
            order.append(np.mean(np.abs(own - others.mean(axis=0)) <= tolerance + 1e-9))
        assert row["always_mean_share"] == pytest.approx(np.mean(always))
        assert row["speaking_order_share"] == pytest.approx(np.mean(order))
