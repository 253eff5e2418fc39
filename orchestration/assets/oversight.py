"""Oversight: tournaments of debaters."""

import time
from dataclasses import replace

import dagster as dg
from pydantic import Field

from inference.oversight.tournament_plan import load_tournament
from inference.prices import as_dollars
from inference.tally import Progress
from orchestration.instance import tag_process
from orchestration.progress import notice, tell
from orchestration.tournaments.costs import show_plan
from orchestration.tournaments.matchups import spent_text
from orchestration.tournaments.play import hold_tournament, standing_lines
from warehouse.home import find_home


class TournamentConfig(dg.Config):
    """Which tournament, and how much of it."""

    name: str = Field(
        description="The tournament, a file in the home's tournaments/ or a shipped one."
    )
    limit: int | None = Field(
        default=None, ge=1, description="Debate this many questions of each sort at most."
    )
    budget_usd: float | None = Field(
        default=None,
        ge=0,
        description=(
            "Stop before it has cost more dollars than this, over all its starts; run again with "
            "more to go on. Absent means what its file says."
        ),
    )
    report_every_s: float = Field(
        default=10.0, description="Seconds between two reports of how far a run of it is."
    )


@dg.asset(
    key=["oversight", "tournament"],
    group_name="oversight",
    deps=[dg.AssetKey(["sources", name]) for name in ("sample", "dataset")],
    description=(
        "A tournament of debaters: round by round debates are held, judged and loaded. Materialize "
        "it again to go on where it was interrupted."
    ),
)
def tournament(
    context: dg.AssetExecutionContext, config: TournamentConfig
) -> dg.MaterializeResult[None]:
    """Play a tournament, or go on with it."""
    tag_process(context)
    home = find_home().ensure()
    plan = replace(load_tournament(config.name, [home.tournaments]), limit=config.limit)
    show_plan(home, plan, config.budget_usd, context.log.info)
    notify = notice(context.log.info)
    started = last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        tell(progress)
        if time.monotonic() - last > config.report_every_s:
            last = time.monotonic()
            cost = "unknown" if progress.cost_usd is None else as_dollars(progress.cost_usd)
            done = f"{progress.done} of {progress.total} requests, {progress.failed} failed"
            notify(f"  {done}, cost {cost}")

    found = hold_tournament(
        home, plan, budget_usd=config.budget_usd, notify=notify, progress=report
    )
    matchups = [matchup for each in found.rounds for matchup in each.matchups]
    return dg.MaterializeResult(
        metadata={
            "status": found.status,
            "rounds": len(found.rounds),
            "games": sum(matchup.games for matchup in matchups),
            "void_games": sum(matchup.void_games for matchup in matchups),
            "cost": spent_text(home, plan),
            "reason": found.reason,
            "standing": dg.MetadataValue.md("\n".join(standing_lines(found.places))),
            "seconds": round(time.monotonic() - started, 2),
        }
    )


ASSETS = [tournament]
