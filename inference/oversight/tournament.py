"""Pairings and standings of a tournament, computed from results alone.

Nothing here is drawn: the same players with the same results are paired the same way, so that a
tournament that was interrupted goes on as it would have.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

SWISS, ROUND_ROBIN = PAIRINGS = ("swiss", "round_robin")
# Shares are sums of decimal fractions: as near to one half as this is one half.
_EQUAL = 1e-9


@dataclass(frozen=True)
class Matchup:
    """Outcome of two players meeting.

    Attributes:
        share: The mean share of a game that the first won, 0 to 1; None where no game counts.
        games: Games that count: two of each question, the sides exchanged.
        void_games: Games that were not played or not judged to the end, or whose other side was
            not. They count for nobody.
        reason: Why there are void games; empty where there are none.
    """

    first: str
    second: str
    share: float | None
    games: int
    void_games: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Round:
    """A played round, the player without an opponent, and those who could not go on."""

    matchups: tuple[Matchup, ...]
    bye: str | None = None
    withdrawn: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pairing:
    """Pairs of one round, the higher in the standing first, and the player without an opponent."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None


@dataclass(frozen=True)
class Place:
    """Place of a player in the standing.

    Attributes:
        seed: Its place before the first round, from 1.
        won: Matchups of which it won more than half; `tied` and `lost` likewise.
        void: Matchups without a game that counts.
        byes: Rounds without an opponent.
        win_rate: The mean share of a game it won, 0 to 1; None without games.
    """

    player: str
    seed: int
    won: int
    tied: int
    lost: int
    void: int
    byes: int
    win_rate: float | None
    games: int
    is_withdrawn: bool

    @property
    def points(self) -> float:
        """Matchups won, a tie as a half; so is what was neither won nor lost: a bye, a void one."""
        return self.won + (self.tied + self.void + self.byes) / 2


def settled(
    first: str,
    second: str,
    questions: int,
    shares: Mapping[tuple[str, int], float],
    reason: str = "",
) -> Matchup:
    """Return the outcome of two players meeting over some questions, each from both sides.

    A game counts where the same question with the sides exchanged was judged, too: what favours an
    answer then favours both alike.

    Args:
        questions: How many questions they were to debate.
        shares: By question and by the answer the first argued for, the share of the game it won.
        reason: Why games are missing, where that is known.
    """
    both = sorted(
        {question for question, _ in shares if {(question, 0), (question, 1)} <= shares.keys()}
    )
    won = [shares[question, argued] for question in both for argued in (0, 1)]
    void = 2 * questions - len(won)
    why = (reason or "not judged in both orders of the answers") if void else ""
    share = math.fsum(won) / len(won) if won else None
    return Matchup(first, second, share, len(won), void, why)


def enough_rounds(players: int) -> int:
    """Return the rounds that sort a field by Swiss pairing: log2 of its size, rounded up."""
    return max(1, math.ceil(math.log2(players)))


def most_rounds(players: int) -> int:
    """Return the rounds after which everybody has met everybody, one without an opponent if odd."""
    return players - 1 + players % 2


def standing(players: Sequence[str], rounds: Sequence[Round]) -> list[Place]:
    """Return the standing: by points, then by win rate, then by seed.

    A player without games counts as having won half of them.
    """
    places = [_place(seed, player, rounds) for seed, player in enumerate(players, start=1)]
    return sorted(places, key=_rank)


def _rank(place: Place) -> tuple[float, float, int]:
    rate = 0.5 if place.win_rate is None else place.win_rate
    # Rounded, so that the order of adding up decides nothing.
    return -place.points, -round(rate, 9), place.seed


def _place(seed: int, player: str, rounds: Sequence[Round]) -> Place:
    outcomes: Counter[str] = Counter()
    shares: list[float] = []
    games = 0
    for matchup in (each for played in rounds for each in played.matchups):
        if player not in (matchup.first, matchup.second):
            continue
        if matchup.share is None:
            outcomes["void"] += 1
            continue
        share = matchup.share if player == matchup.first else 1 - matchup.share
        is_tied = abs(share - 0.5) < _EQUAL
        outcomes["tied" if is_tied else "won" if share > 0.5 else "lost"] += 1
        shares.append(share * matchup.games)
        games += matchup.games
    rate = math.fsum(shares) / games if games else None
    return Place(
        player,
        seed,
        outcomes["won"],
        outcomes["tied"],
        outcomes["lost"],
        outcomes["void"],
        sum(played.bye == player for played in rounds),
        rate,
        games,
        any(player in played.withdrawn for played in rounds),
    )


def pair(pairing: str, players: Sequence[str], rounds: Sequence[Round]) -> Pairing | None:
    """Return the pairs of the next round; None where there is no further round.

    Nobody meets anybody twice. By Swiss pairing the highest in the standing meets the nearest
    below it, and so on down, as long as the rest can still be paired; of an odd field the lowest
    of those with the fewest byes has no opponent. Withdrawn players are not paired. In a round
    robin the whole calendar is fixed beforehand; that of a withdrawn player stays in it.
    """
    if pairing == ROUND_ROBIN:
        return _of_calendar(players, len(rounds))
    places = [place for place in standing(players, rounds) if not place.is_withdrawn]
    order = [place.player for place in places]
    met = {frozenset((each.first, each.second)) for played in rounds for each in played.matchups}
    if len(order) < 2:
        return None
    if len(order) % 2 == 0:
        pairs = _matched(order, met)
        return None if pairs is None else Pairing(pairs, None)
    lowest_first = places[::-1]
    for place in sorted(lowest_first, key=lambda place: place.byes):
        pairs = _matched([each for each in order if each != place.player], met)
        if pairs is not None:
            return Pairing(pairs, place.player)
    return None


def _matched(
    order: Sequence[str], met: Collection[frozenset[str]]
) -> tuple[tuple[str, str], ...] | None:
    """Return the pairs that are nearest from the top down; None where not all can be paired."""
    # Who was left once and could not be paired need not be tried again.
    hopeless: set[tuple[str, ...]] = set()

    def matched(left: tuple[str, ...]) -> tuple[tuple[str, str], ...] | None:
        if not left:
            return ()
        if left in hopeless:
            return None
        first, others = left[0], left[1:]
        for place, second in enumerate(others):
            if frozenset((first, second)) not in met:
                rest = matched(others[:place] + others[place + 1 :])
                if rest is not None:
                    return ((first, second), *rest)
        hopeless.add(left)
        return None

    return matched(tuple(order))


def _of_calendar(players: Sequence[str], number: int) -> Pairing | None:
    """Return a round of the circle method: one place stays, the others move on by one."""
    if number >= most_rounds(len(players)):
        return None
    seats: list[str | None] = [*players, None] if len(players) % 2 else list(players)
    moving = seats[1:]
    turned = [seats[0], *moving[-number % len(moving) :], *moving[: -number % len(moving)]]
    pairs, bye = [], None
    for one, other in zip(turned[: len(turned) // 2], reversed(turned), strict=False):
        if one is None or other is None:
            bye = one or other
        else:
            first, second = sorted((one, other), key=players.index)
            pairs.append((first, second))
    return Pairing(tuple(pairs), bye)
