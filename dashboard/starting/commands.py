"""What could be run, asked of the command line: the dashboard imports nothing that asks judges."""

from typing import Any

import streamlit as st

from dashboard.core.commands import answer_of
from warehouse.home import Home

# A plan reads every item and journal of the judge; real data sets take seconds.
SECONDS_AT_MOST = 120
# What the command line's answers rest on, within a home.
_EXPERIMENTS = ("experiments/*.toml", "items/*/current.json")
_JUDGES = ("judges.toml", "prices.toml")
_ANSWERS = ("prompts/*", "journal/*/journal.jsonl")


def experiments(home: Home) -> list[dict[str, Any]]:
    """Return every experiment, as `rostrum experiments --format json` lists them."""
    found: list[dict[str, Any]] = _asked(home, _EXPERIMENTS, "experiments")
    return found


def judges(home: Home) -> list[dict[str, Any]]:
    """Return every judge of a home, as `rostrum judges --format json` lists them."""
    found: list[dict[str, Any]] = _asked(home, _JUDGES, "judges")
    return found


def plan(
    home: Home, experiment: str, judge: str, *, limit: int | None, datasets: tuple[str, ...]
) -> dict[str, Any]:
    """Return what a run would ask, cost and could find, as `rostrum plan --format json` says.

    Args:
        judge: The judge, known or new.
        datasets: On which data sets; the experiment's own where empty.

    Raises:
        CommandFailed: It cannot be planned; the message says why.
    """
    arguments = run_arguments(experiment, judge, limit=limit, datasets=datasets)
    rests_on = (*_EXPERIMENTS, *_JUDGES, *_ANSWERS)
    found: dict[str, Any] = _asked(home, rests_on, "plan", *arguments)
    return found


def run_arguments(
    experiment: str, judge: str, *, limit: int | None, datasets: tuple[str, ...]
) -> list[str]:
    """Return the arguments that `rostrum plan` and `rostrum run` share."""
    # Joined by an equals sign, a value that begins with a hyphen is no option.
    return [
        experiment,
        f"--judge={judge}",
        *(f"--dataset={each}" for each in datasets),
        *([] if limit is None else [f"--limit={limit}"]),
    ]


def _asked(home: Home, rests_on: tuple[str, ...], *arguments: str) -> Any:
    stamps = [
        (str(path), path.stat().st_mtime_ns, path.stat().st_size)
        for pattern in rests_on
        for path in sorted(home.root.glob(pattern))
    ]
    return _answer(str(home.root), arguments, tuple(stamps))


@st.cache_data(max_entries=50, show_spinner="Asking the command line …")
def _answer(
    root: str,
    arguments: tuple[str, ...],
    stamps: tuple[tuple[str, int, int], ...],
) -> Any:
    # Only of the key: other files make another answer.
    del stamps
    return answer_of(root, *arguments, "--format=json", seconds=SECONDS_AT_MOST)
