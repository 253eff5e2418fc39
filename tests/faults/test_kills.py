"""`kill -9` at every write, fsync and rename of a stage, and at random times.

The points come from a recording of the stage, so a new write is killed at without anybody thinking
of it. The moment before a call is the moment after the call before it, since nothing else happens
on disk between, so a kill "before" is tried only at a stage's first point; "half" is a write of
which only the first half arrived. `make test` tries a fixed point or two and one random time a
stage, `make soak` all points and as many times as `ROSTRUM_FAULT_RUNS` says.
"""

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


def _distinct(points: list[str]) -> list[tuple[int, str]]:
    """Return the points at which the disk can differ, each with its number."""
    numbered = enumerate(points, start=1)
    return [(number, text) for number, text in numbered if number == 1 or " before" not in text]


@pytest.mark.parametrize("layer", ["python", "native"])
@pytest.mark.parametrize("name", STAGES)
def test_a_kill_at_any_point_leaves_a_home_that_goes_on(
    name: str,
    layer: str,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> None:
    count = kill_at_points(name, layer, stages, trials, layers)
    # Two stages ask models and leave the database alone.
    assert count > 5 or (name in ("run_judges", "analyse") and layer == "native")


def kill_at_points(
    name: str,
    layer: str,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> int:
    if layer not in layers:
        pytest.skip("DuckDB's own calls can be reached only on Linux with a C compiler")
    stage, missed = stages[name], []
    every = _distinct(stage.points[layer])
    points = [every[place] for place in sampled([text for _, text in every], is_first=False)]

    def attempt(point: tuple[int, str]) -> list[str]:
        number, text = point

        def after(outcome: Outcome) -> list[str]:
            if outcome.signal != signal.SIGKILL:
                missed.append(point)
            return [] if outcome.signal == signal.SIGKILL or outcome.code == 0 else [str(outcome)]

        plan = Plan("kill", layer, str(number) if layer == "native" else text)
        return trials.problems(stage, f"killed at {number} {text}", plan, after=after)

    problems = trials.each(attempt, points)
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems)
    assert len(missed) <= max(1, MISSED_AT_MOST * len(points)), f"never reached: {missed}"
    print(
        f"{name}: {len(points)} {layer} points of {len(stage.points[layer])}, {len(missed)} missed"
    )
    return len(every)


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
