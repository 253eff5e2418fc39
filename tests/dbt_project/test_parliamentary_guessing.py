"""What guessing and single adjudicators reach, against loops that leave one out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models
from tests.dbt_project.parliamentary_data import Room, Values, as_raw, by_name
from tests.dbt_project.test_parliamentary_rankings import measured, mid_ranks


def guessed(models: Models, baseline: str, task: str) -> dict[Any, dict[str, Any]]:
    return by_name(
        models,
        f"from rpt_bp_guessing where baseline = '{baseline}' and task = '{task}' "
        "and setting_id is null",
        "measure",
    )


@EXAMPLES
@given(seed=st.integers(0, 1000), n_ballots=st.integers(1, 4))
def test_guessing_leaves_out_the_debate_or_the_ballot_it_is_held_against(
    built: Built, seed: int, n_ballots: int
) -> None:
    rng = np.random.default_rng(seed)
    rooms = [
        Room(
            f"d{number}",
            [int(r) for r in rng.permutation(4) + 1],
            [int(s) for s in rng.integers(72, 80, 8)],
            {
                f"d:adj{one}": (
                    [int(r) for r in rng.permutation(4) + 1],
                    [int(s) for s in rng.integers(72, 78, 8)],
                )
                for one in range(n_ballots)
            },
        )
        for number in range(6)
    ]
    models = built(**as_raw(rooms))
    order: dict[str, list[dict[str, float | None]]] = {"house_ranks": [], "speaker_ranks": []}
    human: dict[str, list[list[dict[str, float | None]]]] = {"house_ranks": [], "speaker_ranks": []}
    human_errors = []
    for room in rooms:
        rest = [other for other in rooms if other.name != room.name]
        means = np.mean([other.ranks for other in rest], axis=0)
        order["house_ranks"].append(
            measured(np.argsort(np.argsort(means, kind="stable")) + 1, room.ranks)
        )
        means = np.mean([mid_ranks(other.scores) for other in rest], axis=0)
        order["speaker_ranks"].append(
            measured(np.argsort(np.argsort(means, kind="stable")) + 1, mid_ranks(room.scores))
        )
        ranks = np.array([ballot[0] for ballot in room.ballots.values()], dtype=float)
        scores = np.array([ballot[1] for ballot in room.ballots.values()], dtype=float)
        if n_ballots == 1:
            continue
        human["house_ranks"].append(
            [
                measured(ranks[one], stats.rankdata(np.delete(ranks, one, axis=0).sum(axis=0)))
                for one in range(n_ballots)
            ]
        )
        human["speaker_ranks"].append(
            [
                measured(
                    mid_ranks(scores[one]), mid_ranks(np.delete(scores, one, axis=0).sum(axis=0))
                )
                for one in range(n_ballots)
            ]
        )
        human_errors.append(
            np.mean(
                [
                    np.abs(scores[one] - np.delete(scores, one, axis=0).mean(axis=0))
                    for one in range(n_ballots)
                ]
            )
        )
    for task in ("house_ranks", "speaker_ranks"):
        for measure, row in guessed(models, "speaking_order", task).items():
            known = [found[measure] for found in order[task] if found[measure] is not None]
            assert row["value"] == pytest.approx(np.mean(known))
        rows = guessed(models, "human_adjudicator", task)
        assert bool(rows) == (n_ballots > 1)
        for measure, row in rows.items():
            means = [
                np.mean([found[measure] for found in ballots if found[measure] is not None])
                for ballots in human[task]
            ]
            assert row["value"] == pytest.approx(np.mean(means))
            assert row["n_answers"] == 6 * n_ballots
    always = guessed(models, "always_mean", "speaker_scores")
    errors = [
        np.abs(np.array(room.scores) - np.mean([o.scores for o in rooms if o.name != room.name]))
        for room in rooms
    ]
    assert always["mae"]["value"] == pytest.approx(np.mean(errors))
    assert always["correlation_between"]["value"] is None
    if n_ballots > 1:
        row = guessed(models, "human_adjudicator", "speaker_scores")["mae"]
        assert row["value"] == pytest.approx(np.mean(human_errors))
    random = guessed(models, "uniform_random", "house_ranks")
    assert random["sum_rank_difference"]["value"] == 5
    assert random["sum_rank_difference"]["null_reason"] == "an expected value has no interval"


def test_a_ballot_that_the_tab_ignores_is_none_of_the_panels(built: Built) -> None:
    ballots: dict[str, tuple[Values, Values]] = {
        "d:adj0": ((1, 2, 3, 4), [75.0] * 8),
        "d:adj1": ((1, 2, 3, 4), [77.0] * 8),
        "d:adj2": ((4, 3, 2, 1), [90.0] * 8),
    }
    data = as_raw([Room(f"d{number}", (1, 2, 3, 4), [76] * 8, ballots) for number in range(5)])
    for row in data["raw"]["team_results"] + data["raw"]["speaker_results"]:
        is_ignored = row["decided_by"] == "d:adj2"
        row["extra"] = '{"is_ignored": true}' if is_ignored else None
    models = built(**data)
    row = guessed(models, "human_adjudicator", "speaker_scores")["mae"]
    assert (row["value"], row["n_answers"]) == (2, 10)
    row = guessed(models, "human_adjudicator", "house_ranks")["sum_rank_difference"]
    assert (row["value"], row["n_answers"]) == (0, 10)


def test_one_debate_has_nothing_to_leave_out(built: Built) -> None:
    rooms = [Room("a", (1, 2, 3, 4), [75] * 8)]
    models = built(**as_raw(rooms))
    row = guessed(models, "always_mean", "speaker_scores")["mae"]
    assert (row["value"], row["n_units"]) == (None, 0)
    assert row["null_reason"] == "no debate with an official result and a readable value"
