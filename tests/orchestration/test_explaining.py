"""`rostrum keypoints`: what it would ask, what it refuses, and that nothing is done twice."""

from collections.abc import Callable

import pytest

from tests.conftest import run_rostrum
from warehouse.home import Home

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--data", "nowhere"),
            "rostrum run speech-score-justified --judge JUDGE --dataset nowhere",
        ),
        (("--data", "sample", "--judge", "nobody/x"), "those who did are rule/constant-4"),
        (("--data", "sample", "--template", "speech_score"), "asks for no reasons"),
    ],
)
def test_what_cannot_be_analysed_is_refused_with_what_to_do(
    built_demo: Home, arguments: tuple[str, ...], said: str
) -> None:
    done = run_rostrum(built_demo, "keypoints", "mine", *arguments, "--dry-run")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (built_demo.key_points / "mine").exists()


def test_a_dry_run_names_requests_and_the_most_they_cost(built_demo: Home) -> None:
    words = ("--data=sample", "--judge=simulated/faithful", "--polarity=openai/gpt-4.1-mini")
    asked = ("keypoints", "mine", *words, "--dry-run")
    done = run_rostrum(built_demo, *asked, env={"COLUMNS": "200"})
    assert done.returncode == 0, done.stderr
    assert "of 1 judge to speech_score_justified" in done.stdout
    assert "polarity by openai/gpt-4.1-mini:" in done.stdout
    assert "at most $" in done.stdout
    assert "nothing was sent" in done.stdout
    assert not (built_demo.key_points / "mine").exists()


def test_an_analysis_made_before_is_not_made_again(demo_copy: Callable[[], Home]) -> None:
    done = run_rostrum(demo_copy(), "keypoints", "sample", "--data", "sample", "--no-build")
    assert done.returncode == 0, done.stderr
    # Each step is a line of its own; what it is made with is indented.
    steps = [
        line
        for line in done.stdout.splitlines()
        if not line.startswith(" ") and ("sentences" in line or "candidates" in line)
    ]
    assert len(steps) >= 5
    assert all(": unchanged;" in line for line in steps)
