"""Size and cost of a tournament, for people to read before money is spent."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from inference.oversight.items import SELF
from inference.oversight.tournament_plan import TournamentPlan
from inference.prices import Price, Prices, as_dollars, load_prices, sum_of
from inference.registry import spec_for
from inference.runs.estimate import Estimate, estimate
from orchestration.tournaments.matchups import (
    CROSS_PLAY,
    SELF_PLAY,
    drawn_source,
    spent_text,
    transcripts_of,
)
from orchestration.tournaments.play import ROUNDS_FILE, read_rounds
from warehouse.home import Home

# Of English prose, rounded up, with what stands around it in a prompt.
_TOKENS_PER_WORD = 1.5
_PROMPT_TOKENS = 600
# The shipped experiments' own limit, for judges that set none.
_JUDGE_TOKENS_OUT = 4096


def costs_of(home: Home, plan: TournamentPlan) -> tuple[dict[str, float | None], float | None]:
    """Return the most that each debater's debates and the judge can cost. Nothing is sent.

    Whom a player will meet is not known beforehand, but its half of a debate costs the same against
    anybody: half of a debate against itself. Every player is counted in every round. What has no
    known price is None.

    Raises:
        BadItems: The data set has too few questions about stories.
    """
    prices = load_prices(home.prices_file)
    usd: dict[str, float | None] = {}
    with TemporaryDirectory() as folder:
        for player in plan.debaters:
            alone = _debates_usd(home, plan, player, CROSS_PLAY, Path(folder), prices)
            parts = [None if alone is None else plan.rounds * alone]
            if plan.self_count:
                parts.append(_debates_usd(home, plan, player, SELF_PLAY, Path(folder), prices))
            usd[player] = sum_of(parts)
    judge = spec_for(plan.judge, home.judges_file)
    out = int(judge.settings.get("max_tokens") or _JUDGE_TOKENS_OUT)
    return usd, _judge_usd(plan, prices.price_for(judge), out)


def _debates_usd(
    home: Home, plan: TournamentPlan, player: str, which: str, folder: Path, prices: Prices
) -> float | None:
    """Return what debates of a player against itself can cost, one for each question."""
    found: Estimate = estimate(
        transcripts_of(plan, SELF, None),
        spec_for(player, home.judges_file),
        [drawn_source(home, plan, folder, which)],
        journal_root=folder / "no journal",
        prompts_folder=home.prompts,
        judges_file=home.judges_file,
        prices=prices,
    )
    return sum_of(variant.usd_most for variant in found.variants)


def _judge_usd(plan: TournamentPlan, price: Price | None, tokens_out: int) -> float | None:
    if price is None:
        return None
    words = 2 * plan.debate.rounds * plan.debate.word_limit
    if plan.debate.asker is not None:
        words += (plan.debate.rounds - 1) * plan.debate.word_limit
    tokens_in = round(words * _TOKENS_PER_WORD) + _PROMPT_TOKENS
    usd = price.cost(tokens_in, tokens_out)
    return None if usd is None else 2 * _debates(plan) * usd


def _debates(plan: TournamentPlan) -> int:
    """Return how many debates there will be, if nobody withdraws."""
    return 2 * plan.cross_count * plan.matchup_count + plan.self_count * len(plan.debaters)


def plan_lines(home: Home, plan: TournamentPlan, budget_usd: float | None) -> list[str]:
    """Return what a tournament will hold and can cost, as text.

    Raises:
        BadItems: The data set has too few questions about stories.
    """
    players = len(plan.debaters)
    everybody = players * (players - 1) // 2
    debaters_usd, judge_usd = costs_of(home, plan)
    budget = plan.budget_usd if budget_usd is None else budget_usd
    over = len(read_rounds(home.tournaments / plan.label / ROUNDS_FILE))
    against = f" (a round robin has {everybody})" if plan.matchup_count < everybody else ""
    lines = [
        f"{plan.name}: {players} debaters, {plan.pairing.replace('_', ' ')}, {plan.rounds} rounds, "
        f"{plan.matchup_count} matchups{against}",
        f"each matchup: {plan.cross_count} questions of {plan.dataset} from both sides, "
        f"{2 * plan.cross_count} debates ({plan.debate.turn_order}, {plan.debate.rounds} rounds, "
        f"{plan.debate.word_limit} words, best of {plan.debate.best_of})",
        f"self-play: {plan.self_count} questions of other stories, for each debater",
        f"in all {_debates(plan):,} debates and {2 * _debates(plan):,} judgements of {plan.judge}, "
        "in both orders of the answers",
        *(f"  {player}: at most {_usd(usd)}" for player, usd in debaters_usd.items()),
        f"  {plan.judge}, judging: at most {_usd(judge_usd)}, estimated from the word limit",
        f"together at most {_usd(sum_of([*debaters_usd.values(), judge_usd]))}; spent so far "
        f"{spent_text(home, plan)}; "
        f"budget {'none' if budget is None else _usd(budget)}",
    ]
    return lines + ([f"{over} of {plan.rounds} rounds are over"] if over else [])


def _usd(usd: float | None) -> str:
    return "an unknown amount (no price is known)" if usd is None else as_dollars(usd)


def show_plan(
    home: Home, plan: TournamentPlan, budget_usd: float | None, say: Callable[[str], None]
) -> None:
    """Print the size and the cost of a tournament."""
    for line in plan_lines(home, plan, budget_usd):
        say(line)
