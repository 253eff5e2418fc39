"""A key never reaches a file under the home, a log, a Dagster event or an error."""

from __future__ import annotations

from collections.abc import Callable

from tests.conftest import run_rostrum
from warehouse.home import Home

CANARY = "sk-canary-5f1b7c3d9e2a4860"


def test_a_key_is_nowhere_after_runs_that_fail_and_commands_that_look(
    demo_copy: Callable[[], Home],
) -> None:
    home = demo_copy()
    env = {
        "OPENAI_API_KEY": CANARY,
        # Nothing listens here: every request fails, and every failure is journalled.
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    added = run_rostrum(
        home, "judges", "add", "openai/canary", "--set", "max_retries=0", "--set", "timeout_s=2",
        env=env,
    )  # fmt: skip
    assert added.returncode == 0, added.stderr
    ran = run_rostrum(
        home, "run", "speech-score", "--judge", "openai/canary", "--limit", "3", env=env
    )
    assert ran.returncode == 1
    outputs = [
        added,
        ran,
        run_rostrum(home, "doctor", env=env),
        run_rostrum(home, "judges", env=env),
    ]
    assert "OPENAI_API_KEY" in outputs[2].stdout
    leaks = [
        path.relative_to(home.root).as_posix()
        for path in home.root.rglob("*")
        if path.is_file() and CANARY.encode() in path.read_bytes()
    ]
    assert leaks == []
    assert not any(CANARY in done.stdout + done.stderr for done in outputs)
    assert list(home.journal.glob("*openai*/responses.jsonl"))


def test_a_missing_key_is_named_and_nothing_is_written(demo_copy: Callable[[], Home]) -> None:
    home = demo_copy()
    before = sorted(path.name for path in home.journal.iterdir())
    done = run_rostrum(home, "run", "speech-score", "--judge", "openai/gpt-4.1-mini")
    assert done.returncode == 1
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in home.journal.iterdir()) == before
