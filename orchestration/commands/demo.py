"""The demo: from nothing to a served warehouse, without a key, a model or a download."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

from orchestration.claim import AlreadyServing
from orchestration.console import Say
from orchestration.registry import (
    ANSWER_JUDGES,
    ANSWERING_MODELS,
    DEBATE_JUDGES,
    EVALUATORS,
    OVERSIGHT_JUDGES,
    PARLIAMENTARY_JUDGES,
    SPEAKERS,
    SPEECH_JUDGES,
    STORY_DEBATERS,
    ensure_registry,
    sync_partitions,
)
from warehouse.audit import project_hash
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.serving import Addresses, live_addresses

# What is asked of whom about which part of the sample.
EXPERIMENTS = (
    # First the speeches that models write, then what judges make of all there are.
    ("speech-writing", SPEAKERS, "sample"),
    ("speech-score", SPEECH_JUDGES, "sample"),
    ("speech-score-justified", SPEECH_JUDGES, "sample"),
    ("debate-winner", DEBATE_JUDGES, "sample-debates"),
    # First the answers, then what judges and evaluators make of them.
    ("debatable-answers-prompts", ANSWERING_MODELS, "sample-questions"),
    ("dispute-awareness", ANSWER_JUDGES, "sample-questions"),
    ("perspective-diversity", EVALUATORS, "sample-questions"),
    ("bp-adjudication", PARLIAMENTARY_JUDGES, "sample-parliamentary"),
    # First the debates, then what judges make of them.
    ("story-debate", STORY_DEBATERS, "sample-stories"),
    ("story-consultancy", STORY_DEBATERS, "sample-stories"),
    ("story-baselines", OVERSIGHT_JUDGES, "sample-stories"),
    ("story-judgement", OVERSIGHT_JUDGES, "sample-stories"),
    ("story-judgement-steps", OVERSIGHT_JUDGES, "sample-stories"),
)
# Who debates whom about the stories, for ratings.
TOURNAMENT = "sample-tournament"
# What is found in the judges' reasons.
_KEY_POINTS = {
    "name": "sample",
    "dataset": "sample",
    "rephraser": "rules",
    "polarity": "rules",
}
_NEXT = (
    'sql "from rpt_rank_agreement"',
    "ingest speeches --from hf://datasets/noystl/speech-quality-dataset",
    "run speech-score --judge openai/gpt-4.1-mini --limit 50",
)


def run_demo(home: Home, *, serve: bool, say: Say) -> int:
    """Load the sample, judge it offline, build, publish and serve; return the exit code.

    A home that already has a published version of this code goes straight to serving.

    Args:
        home: The home.
        serve: Whether to leave the servers up until a signal.
        say: Where sentences for the user go.
    """
    if serve and (live := live_addresses(home)):
        _announce(live, say)
        return 0
    if _is_current(home):
        say(f"{current_version(home).name} is published in {home.root}")
    else:
        _fill(home, say)
    if not serve:
        _say_next(say)
        return 0
    return serve_home(home, say=say)


def _is_current(home: Home) -> bool:
    """Whether what is published was built by this code."""
    try:
        current = current_version(home)
    except NothingPublished:
        return False
    built = run_query(current, "select code_version, project_hash from publication").rows[0]
    return bool(built == (version("rostrum"), project_hash()))


def _fill(home: Home, say: Say) -> None:
    # Dagster takes seconds to import; a second demo does without.
    from orchestration.assets.model_runs import judge_in_series
    from orchestration.commands.build import build
    from orchestration.commands.keypoints import analyse
    from orchestration.commands.sources import ingest
    from orchestration.commands.tournament import tournament
    from orchestration.execute import execute_job

    say(f"home: {home.root}")
    say("[1/5] loading the bundled sample (written for this project, not real data)")
    ingest(home, "sample", {}, lambda _: None)
    count = sum(len(judges) for _, judges, _ in EXPERIMENTS)
    say(f"[2/5] {len(EXPERIMENTS)} experiments, {count} runs of offline judges")
    series = {"experiments": _series()}
    execute_job(home, judge_in_series, {"series": series}, lambda line: say(f"  {line}"))
    say(f"[3/5] {TOURNAMENT}: debaters meet each other")
    tournament(home, TOURNAMENT, limit=None, budget_usd=None, is_dry=False, say=lambda _: None)
    say("[4/5] key points in the judges' reasons")
    analyse(home, _KEY_POINTS, lambda _: None)
    say("[5/5] building, testing and publishing the warehouse")
    build(home, say)


def _series() -> list[dict[str, Any]]:
    return [
        {"experiment": experiment, "judges": list(judges), "datasets": [dataset]}
        for experiment, judges, dataset in EXPERIMENTS
    ]


def serve_home(
    home: Home,
    *,
    say: Say,
    dashboard_port: int = 8501,
    dagster_port: int = 3000,
    hosts: Sequence[str] = (),
    read_only: bool = False,
) -> int:
    """Serve a home until a signal comes; return the exit code.

    Args:
        home: The home.
        say: Where sentences for the user go.
        dashboard_port: First port to try for the dashboard.
        dagster_port: First port to try for the Dagster UI.
        hosts: Under which other addresses a tunnel or a proxy passes requests on.
        read_only: Whether nobody may start, hand in or change anything from either address.
    """
    # The servers' own start is slow enough; Dagster is imported by them, and here only to prepare.
    from orchestration.dbt import ensure_manifest
    from orchestration.instance import open_instance
    from orchestration.serve import serve
    from orchestration.services import rostrum_services

    try:
        home.ensure()
        ensure_registry(home)
        ensure_manifest(home)
        with open_instance(home) as instance:
            sync_partitions(home, instance)
        return serve(
            home,
            dashboard_port=dashboard_port,
            dagster_port=dagster_port,
            say=say,
            on_ready=lambda addresses: _announce(addresses, say),
            read_only=read_only,
            services=partial(rostrum_services, hosts=hosts, read_only=read_only),
        )
    except AlreadyServing as already:
        _announce(already.addresses, say)
        return 0


def _announce(addresses: Addresses, say: Say) -> None:
    say(f"dashboard   {addresses.dashboard}")
    say(f"Dagster UI  {addresses.dagster}")
    _say_next(say)


def _say_next(say: Say) -> None:
    """Name three commands as they can be typed here, whether or not the environment is active."""
    program = "rostrum" if shutil.which("rostrum") else os.path.relpath(sys.argv[0])
    say("\nnext:")
    for arguments in _NEXT:
        say(f"  {program} {arguments}")
