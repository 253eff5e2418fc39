"""What `rostrum tournament` does."""

from dataclasses import replace
from typing import Any

from inference.oversight.tournament_plan import load_tournament
from orchestration.console import Say
from orchestration.registry import ensure_registry
from orchestration.tournaments.costs import show_plan
from orchestration.tournaments.play import ROUNDS_FILE
from warehouse.home import Home


def tournament(
    home: Home,
    name: str,
    *,
    limit: int | None,
    budget_usd: float | None,
    is_dry: bool,
    say: Say,
) -> int:
    """Say what a tournament will hold and cost, hold it, and return the exit code."""
    plan = replace(load_tournament(name, [home.tournaments]), limit=limit)
    home.ensure()
    ensure_registry(home)
    show_plan(home, plan, budget_usd, say)
    if is_dry:
        say("nothing was sent (--dry-run)")
        return 0
    from orchestration.execute import materialize, metadata_of

    options = {"limit": limit, "budget_usd": budget_usd}
    config: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    result = materialize(
        home, ["oversight/tournament"], config={"oversight__tournament": {"name": name, **config}}
    )
    found = metadata_of(result, "oversight/tournament")
    say(
        f"{found['status'].replace('_', ' ')}: {found['rounds']} of {plan.rounds} rounds, "
        f"{found['games']:,} games, {found['void_games']:,} void, cost {found['cost']} "
        f"({found['seconds']} s)"
    )
    say("standing:")
    for line in found["standing"].splitlines():
        say(line)
    if found["reason"]:
        say(found["reason"])
    if found["status"] == "over_budget":
        budget = plan.budget_usd if budget_usd is None else budget_usd
        few = "" if limit is None else f" --limit {limit}"
        say(
            f"stopped before passing the budget of ${budget:,.2f}; nothing is paid for twice, and "
            "a message whose reply was lost counts as paid in full in the start that lost it. Go "
            f"on: rostrum tournament {name}{few} --budget DOLLARS"
        )
        return 1
    if found["void_games"]:
        rounds = home.tournaments / plan.label / ROUNDS_FILE
        say(
            f"{found['void_games']:,} games are void. To try them again once whoever failed can be "
            f"reached, delete {rounds} and run the same command: what was answered is kept"
        )
    say("its figures are on the page Oversight, views ratings and tournament")
    return 0
