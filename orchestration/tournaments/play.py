"""Plays a tournament round by round, going on where it stopped.

A round that is over is written down and never played again. One that was interrupted is begun
again: every debate and every judgement in it that was paid for is in a journal, and is taken from
there.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import TypeAdapter

from inference.errors import BadTournament
from inference.oversight.tournament import Matchup, Pairing, Place, Round, pair, standing
from inference.oversight.tournament_plan import TournamentPlan
from inference.tally import Progress
from orchestration.registry import ensure_judge
from orchestration.tournaments.matchups import OverBudget, PairResult, TournamentRuns
from warehouse.files import write_atomically
from warehouse.home import Home

ROUNDS_FILE = "rounds.json"


class Table(Protocol):
    """Holds debates and has them judged."""

    def play(self, number: int, pairs: Sequence[tuple[str, str]]) -> Iterator[PairResult]:
        """Yield the games of each pair of a round."""

    def play_alone(self, players: Sequence[str]) -> None:
        """Have players debate themselves."""


class Outcome(NamedTuple):
    """State of a tournament: `complete`, or `over_budget` where it stopped before its budget.

    The reason is why there were fewer rounds than planned; empty where there were not.
    """

    status: str
    rounds: tuple[Round, ...]
    places: tuple[Place, ...]
    reason: str = ""


def hold_tournament(
    home: Home,
    plan: TournamentPlan,
    *,
    budget_usd: float | None,
    notify: Callable[[str], None],
    progress: Callable[[Progress], None],
) -> Outcome:
    """Play a tournament to its end, going on where an earlier call stopped.

    Args:
        budget_usd: The most that everything may cost over all its starts; the plan's unless given.

    Raises:
        BadItems: The data set has too few questions about stories.
        BadTournament: No judgement of a round could be read, or what was written down is damaged.
        JudgeUnavailable: Who judges, chooses or asks could not be reached; call again to go on.
        RunInterrupted: A signal came; call again to go on.
    """
    limit = plan.budget_usd if budget_usd is None else budget_usd
    for judge_id in (*plan.debaters, plan.judge):
        ensure_judge(home, judge_id)
    runs = TournamentRuns(home, plan, limit, notify, progress)
    path = runs.folder / ROUNDS_FILE
    return play(plan, read_rounds(path), runs, lambda rounds: write_rounds(path, rounds), notify)


def play(
    plan: TournamentPlan,
    played: Sequence[Round],
    table: Table,
    keep: Callable[[Sequence[Round]], None],
    notify: Callable[[str], None],
) -> Outcome:
    """Play what is left of a tournament, keeping the rounds that are over after each."""
    rounds = list(played)
    status, reason = "complete", ""
    try:
        while len(rounds) < plan.rounds:
            pairing = pair(plan.pairing, plan.debaters, rounds)
            if pairing is None:
                reason = (
                    f"after round {len(rounds)} nobody is left to meet whom they have not met; "
                    f"{plan.rounds} rounds were planned"
                )
                notify(reason)
                break
            rounds.append(_round(plan, rounds, pairing, table, notify))
            keep(rounds)
            notify(f"standing after round {len(rounds)}:")
            for line in standing_lines(standing(plan.debaters, rounds)):
                notify(line)
        if plan.self_count:
            left = [place for place in standing(plan.debaters, rounds) if not place.is_withdrawn]
            notify(f"self-play, about questions of other stories: {len(left)} debaters")
            table.play_alone(sorted((place.player for place in left), key=plan.debaters.index))
    except OverBudget:
        status = "over_budget"
    return Outcome(status, tuple(rounds), tuple(standing(plan.debaters, rounds)), reason)


def _round(
    plan: TournamentPlan,
    rounds: Sequence[Round],
    pairing: Pairing,
    table: Table,
    notify: Callable[[str], None],
) -> Round:
    number = len(rounds) + 1
    bye = f"; {pairing.bye} sits out" if pairing.bye else ""
    pairs = len(pairing.pairs)
    notify(f"round {number} of {plan.rounds}: {pairs} matchup{'s' if pairs > 1 else ''}{bye}")
    withdrawn = {player for each in rounds for player in each.withdrawn}
    open_pairs = [two for two in pairing.pairs if withdrawn.isdisjoint(two)]
    met = {
        (each.matchup.first, each.matchup.second): each for each in table.play(number, open_pairs)
    }
    matchups, gone = [], []
    for first, second in pairing.pairs:
        found = met.get((first, second))
        if found is None:
            who = ", ".join(sorted(withdrawn & {first, second}))
            matchup = Matchup(first, second, None, 0, 2 * plan.cross_count, f"{who} has withdrawn")
        else:
            matchup = found.matchup
            gone += [found.withdrawn] if found.withdrawn else []
        notify(matchup_line(matchup))
        matchups.append(matchup)
    for player in gone:
        notify(f"{player} could not go on, and withdraws")
    return Round(tuple(matchups), pairing.bye, tuple(gone))


def matchup_line(matchup: Matchup) -> str:
    """Return what came of a matchup, as text."""
    void = f"{matchup.void_games} void ({matchup.reason})"
    if matchup.share is None:
        return f"  {matchup.first} and {matchup.second}: no game counts, {void}"
    return (
        f"  {matchup.first} {matchup.share:.3f} : {1 - matchup.share:.3f} {matchup.second}, "
        f"{matchup.games} games{', ' + void if matchup.void_games else ''}"
    )


def standing_lines(places: Sequence[Place]) -> list[str]:
    """Return a standing, a line for each player."""
    lines = []
    for number, place in enumerate(places, start=1):
        rate = "no games"
        if place.win_rate is not None:
            rate = f"share {place.win_rate:.3f} of {place.games} games"
        outcomes = (
            (place.won, "won"),
            (place.tied, "tied"),
            (place.lost, "lost"),
            (place.void, "void"),
            (place.byes, "sat out"),
        )
        said = ", ".join(f"{count} {word}" for count, word in outcomes if count)
        lines.append(
            f"  {number}. {place.player}: points {place.points:g}"
            f"{f' ({said})' if said else ''}, {rate}"
            f"{', withdrawn' if place.is_withdrawn else ''}"
        )
    return lines


def write_rounds(path: Path, rounds: Sequence[Round]) -> None:
    """Write down the rounds that are over."""
    content = {"rounds": [asdict(each) for each in rounds]}
    write_atomically(path, json.dumps(content, indent=1).encode())


def read_rounds(path: Path) -> list[Round]:
    """Return the rounds that are over; none where none was played.

    Raises:
        BadTournament: The file is damaged.
    """
    if not path.is_file():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return TypeAdapter(list[Round]).validate_python(content["rounds"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadTournament(
            f"tournament: {path} is damaged ({error!r}); delete it: the rounds are then worked out "
            "again from the journals, and nothing is paid for twice"
        ) from None
