"""Rankings of houses and speakers against brute force, SciPy and loops."""

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.parliamentary_data import Answer, Room, as_raw
from tests.dbt_project.references import share_interval

SHARES = ("exact_match", "pair_accuracy", "top_accuracy", "bottom_accuracy", "place_accuracy")
MEASURES = ("sum_rank_difference", "mean_rank_difference", "kendall_tau", *SHARES)
Figures = dict[str, float | None]


def mid_ranks(scores: Any) -> np.ndarray:
    """Return ranks from 1 for the highest, ties sharing the mean of theirs."""
    return stats.rankdata(-np.asarray(scores, dtype=float))


def measured(predicted: Any, official: Any) -> Figures:
    """Return every measure of one ranking, pair by pair and place by place."""
    predicted, official = np.asarray(predicted, dtype=float), np.asarray(official, dtype=float)
    n = len(official)
    pairs = [
        np.sign((predicted[i] - predicted[j]) * (official[i] - official[j]))
        for i, j in itertools.combinations(range(n), 2)
        if official[i] != official[j]
    ]
    best = predicted == predicted.min()
    worst = predicted == predicted.max()
    # Ranks that the panel leaves open to a place: those its tied places share.
    open_ranks = [
        {1 + int(sum(official < mine)) + step for step in range(int(sum(official == mine)))}
        for mine in official
    ]
    inside = [
        min(ranks) <= mine <= max(ranks) for mine, ranks in zip(predicted, open_ranks, strict=True)
    ]
    total = float(np.abs(predicted - official).sum())
    tau = stats.kendalltau(predicted, official).statistic
    return {
        "sum_rank_difference": total,
        "mean_rank_difference": total / n,
        "kendall_tau": None if np.isnan(tau) else float(tau),
        "exact_match": float(all(pair == 1 for pair in pairs)),
        "pair_accuracy": float(np.mean([(pair + 1) / 2 for pair in pairs])) if pairs else None,
        "top_accuracy": float(np.mean(official[best] == official.min())),
        "bottom_accuracy": float(np.mean(official[worst] == official.max())),
        "place_accuracy": float(np.mean(inside)),
    }


def of_all_permutations(official: Any) -> dict[str, np.ndarray]:
    """Return every measure of every ranking there is."""
    official = np.asarray(official, dtype=float)
    n = len(official)
    ranks = np.array(list(itertools.permutations(range(1, n + 1))), dtype=float)
    low = 1 + (official[None, :] < official[:, None]).sum(axis=1)
    high = low - 1 + (official[None, :] == official[:, None]).sum(axis=1)
    inside = (low <= ranks) & (ranks <= high)
    one, other = np.triu_indices(n, 1)
    told = official[one] != official[other]
    signs = np.sign(
        (ranks[:, one[told]] - ranks[:, other[told]])
        * (official[one[told]] - official[other[told]])
    )
    sums = np.abs(ranks - official).sum(axis=1)
    rows = np.arange(len(ranks))
    found = {
        "sum_rank_difference": sums,
        "mean_rank_difference": sums / n,
        "exact_match": (signs == 1).all(axis=1),
        "top_accuracy": official[ranks.argmin(axis=1)[rows]] == official.min(),
        "bottom_accuracy": official[ranks.argmax(axis=1)[rows]] == official.max(),
        "place_accuracy": inside.mean(axis=1),
    }
    if told.any():
        found["pair_accuracy"] = ((signs + 1) / 2).mean(axis=1)
        found["kendall_tau"] = signs.sum(axis=1) / np.sqrt(len(one) * told.sum())
    return found


PATTERNS = {
    "untied": [78, 71, 80, 75, 74, 79, 73, 76],
    "pair": [78, 71, 80, 75, 74, 79, 78, 76],
    "threes": [78, 78, 78, 75, 75, 75, 73, 80],
    "five": [70, 75, 75, 75, 75, 75, 80, 72],
    "all": [75] * 8,
    "halves": [75, 76, 75, 76, 75, 76, 75, 76],
}


def test_guessing_and_bounds_are_those_of_all_permutations(built: Built) -> None:
    # Judge k answers debate k alone, and judge fails-k fails on it alone.
    rooms = [
        Room(
            name,
            (2, 4, 1, 3),
            scores,
            answers=[
                Answer((1, 2, 3, 4), None, range(1, 9), judge=f"k/{name}"),
                Answer(judge=f"fails/{name}", is_answered=False),
            ],
        )
        for name, scores in PATTERNS.items()
    ]
    models = built(**as_raw(rooms))
    for mart, official_of in (
        ("rpt_bp_verdict", lambda room: np.array(room.ranks, dtype=float)),
        ("rpt_bp_speaker_ranks", lambda room: mid_ranks(room.scores)),
    ):
        rows = {
            (judge, measure): values
            for judge, measure, *values in models.execute(
                f"select judge_id, measure, by_chance, value_if_best, value_if_worst from {mart}"
            ).fetchall()
        }
        for room in rooms:
            every = of_all_permutations(official_of(room))
            for measure in MEASURES:
                chance = rows[(f"k/{room.name}", measure)][0]
                _, best, worst = rows[(f"fails/{room.name}", measure)]
                if measure not in every:
                    assert (chance, best, worst) == (None, None, None)
                    continue
                values = every[measure].astype(float)
                assert chance == pytest.approx(values.mean(), abs=1e-12)
                ends = (values.min(), values.max())
                if measure.endswith("difference"):
                    ends = ends[::-1]
                assert (worst, best) == pytest.approx(ends, abs=1e-12), (room.name, measure)
    known = {
        "sum_rank_difference": 5,
        "mean_rank_difference": 1.25,
        "exact_match": 1 / 24,
        "place_accuracy": 1 / 4,
        "pair_accuracy": 1 / 2,
        "kendall_tau": 0,
        "top_accuracy": 1 / 4,
        "bottom_accuracy": 1 / 4,
    }
    found = dict(
        models.execute(
            "select measure, by_chance from rpt_bp_verdict where judge_id = 'k/untied'"
        ).fetchall()
    )
    assert found == pytest.approx(known)
    speakers = dict(
        models.execute(
            "select measure, by_chance from rpt_bp_speaker_ranks where judge_id = 'k/untied'"
        ).fetchall()
    )
    assert speakers["sum_rank_difference"] == pytest.approx(21)
    assert speakers["mean_rank_difference"] == pytest.approx(2.625)


@st.composite
def rooms_ranked(draw: st.DrawFn) -> list[Room]:
    """Draw debates with a judge's rankings, some of them unreadable, and repeats."""
    ranking = st.permutations(range(1, 9))
    houses = st.permutations(range(1, 5))
    return [
        Room(
            f"d{number}",
            draw(houses) if draw(st.booleans()) else (1, 2, 3, None),
            draw(st.lists(st.integers(72, 76), min_size=8, max_size=8)),
            answers=[
                Answer(
                    draw(st.none() | houses),
                    None,
                    draw(st.none() | ranking),
                    sample=sample,
                    is_answered=draw(st.sampled_from([True, True, False])),
                )
                for sample in range(draw(st.integers(0, 2)))
            ],
        )
        for number in range(draw(st.integers(1, 9)))
    ]


def check(found: dict[str, dict[str, Any]], rooms: list[Room], task: str) -> None:
    official = {
        room.name: (
            mid_ranks(room.scores)
            if task == "speaker_ranks"
            else room.ranks
            if room.ranks and None not in room.ranks
            else None
        )
        for room in rooms
    }
    answers = [(room, answer) for room in rooms for answer in room.answers]
    asked = [(room, answer) for room, answer in answers if official[room.name] is not None]
    read = [
        (room.name, getattr(answer, task))
        for room, answer in asked
        if answer.is_answered and getattr(answer, task) is not None
    ]
    units: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in MEASURES}
    for name, ranking in read:
        for measure, value in measured(ranking, official[name]).items():
            if value is not None:
                units[measure][name].append(value)
    for measure in MEASURES:
        row = found[measure]
        means = [float(np.mean(values)) for values in units[measure].values()]
        assert row["n_units"] == len(means)
        assert row["n_answers"] == len(asked)
        assert row["failed_count"] == len(asked) - len(read)
        assert row["without_official_count"] == len(answers) - len(asked)
        assert row["value"] == (pytest.approx(np.mean(means)) if means else None)
        half = None
        if len(means) >= 5 and np.ptp(means) > 1e-12:
            half = stats.t.ppf(0.975, len(means) - 1) * stats.sem(means)
        ends = (row["value_low"], row["value_high"])
        if len(means) < 5:
            assert ends == (None, None)
        elif measure in SHARES:
            assert ends == pytest.approx(
                share_interval(float(np.mean(means)), half, len(means)), abs=1e-7
            )
        elif half is None:
            assert ends == (None, None)
            assert row["null_reason"] == "every debate has the same value"
        else:
            lowest = -1.0 if measure == "kendall_tau" else 0.0
            highest = 1.0 if measure == "kendall_tau" else np.inf
            mean = float(np.mean(means))
            assert ends == pytest.approx((max(lowest, mean - half), min(highest, mean + half)))


@EXAMPLES
@given(rooms=rooms_ranked(), threads=st.sampled_from([1, 4]))
def test_rankings_are_averaged_by_debate_and_failures_are_counted(
    built: Built, rooms: list[Room], threads: int
) -> None:
    models = built(**as_raw(rooms), threads=threads)
    for mart, task in (
        ("rpt_bp_verdict", "house_ranks"),
        ("rpt_bp_speaker_ranks", "speaker_ranks"),
    ):
        rows = rows_of(models, f"from {mart}")
        if any(room.answers for room in rooms):
            check({row["measure"]: row for row in rows}, rooms, task)
        else:
            assert not rows


def test_confusion_counts_rankings_and_its_rows_add_up_to_one(built: Built) -> None:
    # Two repeats on one debate, of which one is right: half a debate each.
    rooms = [
        Room("a", (1, 2, 3, 4), answers=[Answer((1, 2, 3, 4)), Answer((2, 1, 3, 4), sample=1)]),
        Room("b", (4, 3, 2, 1), answers=[Answer((4, 3, 2, 1))]),
        Room("c", (4, 3, 2, 1), answers=[Answer(None)]),
    ]
    models = built(**as_raw(rooms))
    found = {
        (official, predicted): (n, share)
        for official, predicted, n, share in models.execute(
            "select official_rank, predicted_rank, n, share from rpt_bp_house_confusion"
        ).fetchall()
    }
    assert len(found) == 16
    assert found[1, 1] == (2, 0.75)
    assert found[1, 2] == (1, 0.25)
    assert found[4, 4] == (3, 1.0)
    assert found[4, 1] == (0, 0.0)
    for rank in range(1, 5):
        assert sum(found[rank, other][1] for other in range(1, 5)) == 1
    assert models.execute(
        "select distinct n_units, n_answers from rpt_bp_house_confusion"
    ).fetchall() == [(2, 3)]
