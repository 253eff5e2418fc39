"""`kill -9` at every write, fsync and rename of a stage, and at random times.

The points come from a recording of the stage, so a new write is killed at without anybody thinking
of it. The moment before a call is the moment after the call before it, since nothing else happens
on disk between, so a kill "before" is tried only at a stage's first point; "half" is a write of
which only the first half arrived. `make test` tries a point of every kind and one random time a
stage, `make soak` all points and as many times as `ROSTRUM_FAULT_RUNS` says.
"""

from __future__ import annotations

import random
import signal

import pytest

from tests.faults.conftest import FAULT_RUNS, STAGES, sampled
from tests.faults.harness.client import Outcome
from tests.faults.harness.points import Plan
from tests.faults.harness.trial import Stage, Trials

pytestmark = pytest.mark.faults

# Answers that arrive together share a write, and how many do depends on the moment.
MISSED_AT_MOST = 0.1


def _distinct(points: list[str], layer: str) -> list[str]:
    """Return the points at which the disk can differ, as plans name them."""
    named = list(enumerate(points, start=1)) if layer == "native" else [(p, p) for p in points]
    return [
        str(name) for index, (name, text) in enumerate(named) if index == 0 or " before" not in text
    ]


@pytest.mark.parametrize("layer", ["python", "native"])
@pytest.mark.parametrize("name", STAGES)
def test_a_kill_at_any_point_leaves_a_home_that_goes_on(
    name: str,
    layer: str,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> None:
    if layer not in layers:
        pytest.skip("DuckDB's own calls can be reached only on Linux with a C compiler")
    stage, missed = stages[name], []
    every = _distinct(stage.points[layer], layer)
    texts = [stage.points[layer][int(name) - 1] if layer == "native" else name for name in every]
    points = [every[place] for place in sampled(texts, is_first=False)]

    def attempt(point: str) -> list[str]:
        def after(outcome: Outcome) -> list[str]:
            if outcome.signal != signal.SIGKILL:
                missed.append(point)
            return [] if outcome.signal == signal.SIGKILL or outcome.code == 0 else [str(outcome)]

        text = stage.points[layer][int(point) - 1] if layer == "native" else ""
        return trials.problems(
            stage, f"killed at {point} {text}", Plan("kill", layer, point), after=after
        )

    problems = trials.each(attempt, points)
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems)
    assert len(missed) <= max(1, MISSED_AT_MOST * len(points)), f"never reached: {missed}"
    # Running judges is the one stage that leaves the database alone.
    assert len(every) > 5 or (name, layer) == ("run_judges", "native")
    print(
        f"{name}: {len(points)} {layer} points of {len(stage.points[layer])}, {len(missed)} missed"
    )


@pytest.mark.parametrize("name", STAGES)
def test_a_kill_at_a_random_time_leaves_a_home_that_goes_on(
    name: str, stages: dict[str, Stage], trials: Trials
) -> None:
    stage, draw = stages[name], random.Random(f"kill {name}")
    times = [draw.uniform(0, stage.seconds) for _ in range(FAULT_RUNS)]

    def attempt(seconds: float) -> list[str]:
        return trials.problems(
            stage,
            f"killed after {seconds:.3f} s",
            after=lambda outcome: [] if outcome.signal or outcome.code == 0 else [str(outcome)],
            kill_after=seconds,
        )

    problems = trials.each(attempt, times)
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems)
