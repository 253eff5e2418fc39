"""Oversight: tournaments of debaters."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import dagster as dg

from inference.oversight.tournament_plan import load_tournament
from inference.prices import as_dollars
from inference.tally import Progress
from orchestration.assets.derived import Log, asset_of
from orchestration.commands.run_commands import Tournament
from orchestration.progress import notice, tell
from orchestration.tournaments.costs import show_plan
from orchestration.tournaments.matchups import spent_text
from orchestration.tournaments.play import hold_tournament, standing_lines
from warehouse.home import Home

_REPORT_EVERY_S = 10.0


def _play(home: Home, wanted: Tournament, log: Log) -> Mapping[str, Any]:
    """Play a tournament, or go on with it."""
    plan = replace(load_tournament(wanted.name, [home.tournaments]), limit=wanted.limit)
    show_plan(home, plan, wanted.budget_usd, log)
    notify = notice(log)
    started = last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        tell(progress)
        if time.monotonic() - last > _REPORT_EVERY_S:
            last = time.monotonic()
            cost = "unknown" if progress.cost_usd is None else as_dollars(progress.cost_usd)
            done = f"{progress.done} of {progress.total} requests, {progress.failed} failed"
            notify(f"  {done}, cost {cost}")

    found = hold_tournament(
        home, plan, budget_usd=wanted.budget_usd, notify=notify, progress=report
    )
    matchups = [matchup for each in found.rounds for matchup in each.matchups]
    return {
        "status": found.status,
        "rounds": len(found.rounds),
        "games": sum(matchup.games for matchup in matchups),
        "void_games": sum(matchup.void_games for matchup in matchups),
        "cost": spent_text(home, plan),
        "reason": found.reason,
        "standing": dg.MetadataValue.md("\n".join(standing_lines(found.places))),
        "seconds": round(time.monotonic() - started, 2),
    }


ASSETS = [
    asset_of(
        "oversight/tournament",
        Tournament,
        _play,
        "A tournament of debaters: round by round debates are held, judged and loaded. "
        "Materialize it again to go on where it was interrupted.",
        ["sources/sample", "sources/dataset"],
    )
]
