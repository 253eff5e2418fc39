"""Tournaments are played round by round, go on where they stopped, and void what was not played."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.errors import BadItems, BadTournament, JudgeUnavailable
from inference.items import ItemSource
from inference.oversight.items import DebatePlan
from inference.oversight.tournament import ROUND_ROBIN, SWISS, Round, settled, standing
from inference.oversight.tournament_plan import TournamentPlan
from orchestration.tournaments.matchups import (
    CROSS_PLAY,
    SELF_PLAY,
    OverBudget,
    PairResult,
    TournamentRuns,
    draw_questions,
    write_part,
)
from orchestration.tournaments.play import play, read_rounds, standing_lines, write_rounds
from warehouse.home import Home

PLAYERS = tuple(f"simulated/p{number}" for number in range(7))


def _plan(
    players: Sequence[str] = PLAYERS, pairing: str = SWISS, rounds: int = 3
) -> TournamentPlan:
    return TournamentPlan(
        "mine",
        "made-up",
        tuple(players),
        "simulated/judge",
        rounds,
        2,
        DebatePlan("ov_debater", tournament="mine"),
        pairing=pairing,
        self_play=1,
    )


class _Games:
    """Players win by strength; some cannot go on from a round on, and some starts are stopped."""

    def __init__(self, strength: dict[str, float], dies: dict[str, int] | None = None) -> None:
        self.strength = strength
        self.dies = dies or {}
        self.stops: Iterator[bool] = itertools.repeat(False)
        self.played: list[tuple[int, str, str]] = []
        self.alone: list[str] = []

    def play(self, number: int, pairs: Sequence[tuple[str, str]]) -> Iterator[PairResult]:
        for first, second in pairs:
            if next(self.stops):
                raise OverBudget
            self.played.append((number, first, second))
            share = 0.5 + (self.strength[first] - self.strength[second]) / 20
            gone = next((each for each in (first, second) if self.dies.get(each) == number), None)
            # Who cannot go on has played the first question from both sides, and half of the other.
            games = {("q1", 0): share, ("q1", 1): share, ("q2", 0): share}
            games |= {} if gone else {("q2", 1): share}
            yield PairResult(
                settled(first, second, 2, games, f"{gone} is gone" if gone else ""), gone
            )

    def play_alone(self, players: Sequence[str]) -> None:
        self.alone = list(players)


@settings(max_examples=40, deadline=None)
@given(
    st.permutations(range(7)),
    st.lists(st.booleans(), min_size=1, max_size=12),
    st.sampled_from([SWISS, ROUND_ROBIN]),
    st.integers(1, 3),
)
def test_a_tournament_that_is_stopped_anywhere_ends_as_one_that_is_not(
    strengths: list[int], stops: list[bool], pairing: str, dies_in: int
) -> None:
    strength = {name: float(each) for name, each in zip(PLAYERS, strengths, strict=True)}
    dies = {PLAYERS[2]: dies_in}
    plan = _plan(pairing=pairing, rounds=3 if pairing == SWISS else 7)
    whole = play(plan, [], _Games(strength, dies), lambda _: None, lambda _: None)
    kept: list[Round] = []

    def keep(rounds: Sequence[Round]) -> None:
        kept[:] = rounds

    games = _Games(strength, dies)
    for stop in stops:
        games.stops = itertools.chain([False] * 2, [stop], itertools.repeat(stop))
        play(plan, kept, games, keep, lambda _: None)
    games.stops = itertools.repeat(False)
    assert play(plan, kept, games, keep, lambda _: None) == whole
    assert whole.status == "complete"
    # Who sits out the round cannot be found to be gone in it.
    withdrawn = {name for played in whole.rounds for name in played.withdrawn}
    assert withdrawn <= {PLAYERS[2]}
    assert games.alone == [name for name in PLAYERS if name not in withdrawn]


def test_a_player_that_could_not_go_on_loses_nothing_by_it() -> None:
    names = PLAYERS[:4]
    games = _Games(dict(zip(names, (4.0, 3.0, 2.0, 1.0), strict=True)), {names[0]: 1})
    said: list[str] = []
    found = play(_plan(names, rounds=2), [], games, lambda _: None, said.append)
    first, second = found.rounds
    # Of four games three were played; the one whose other side is missing does not count.
    assert (first.matchups[0].games, first.matchups[0].void_games) == (2, 2)
    assert first.withdrawn == (names[0],)
    assert [(each.first, each.second) for each in second.matchups] == [(names[2], names[1])]
    assert second.bye == names[3]
    places = {place.player: place for place in found.places}
    assert (places[names[0]].won, places[names[0]].lost) == (1, 0)
    assert f"{names[0]} is gone" in "\n".join(said)
    robin = _Games(dict(zip(names, (4.0, 3.0, 2.0, 1.0), strict=True)), {names[0]: 1})
    all_met = play(_plan(names, ROUND_ROBIN, 3), [], robin, lambda _: None, lambda _: None)
    unplayed = [each for played in all_met.rounds for each in played.matchups if not each.games]
    assert [(each.share, each.void_games) for each in unplayed] == [(None, 4), (None, 4)]
    assert {place.player: place.void for place in all_met.places}[names[0]] == 2
    assert "withdrawn" in "\n".join(standing_lines(all_met.places))


def test_n_log_n_matchups_sort_a_field_seeded_backwards_well_enough() -> None:
    names = tuple(f"simulated/p{number:02}" for number in range(16))
    games = _Games({name: float(number) for number, name in enumerate(names)})
    plan = _plan(names, rounds=4)
    found = play(plan, [], games, lambda _: None, lambda _: None)
    assert plan.matchup_count == len(games.played) == 32
    order = [place.player for place in found.places]
    # Who wins all is the strongest, who loses all the weakest: of 120 pairs 32 are looked at.
    assert (order[0], order[-1]) == (names[-1], names[0])
    wrong = sum(a < b for a, b in itertools.combinations(order, 2))
    assert wrong < 0.25 * 120


def test_rounds_are_read_as_they_were_written(tmp_path: Path) -> None:
    games = _Games({name: float(number) for number, name in enumerate(PLAYERS)}, {PLAYERS[1]: 2})
    found = play(_plan(), [], games, lambda _: None, lambda _: None)
    path = tmp_path / "mine" / "rounds.json"
    assert read_rounds(path) == []
    write_rounds(path, found.rounds)
    assert tuple(read_rounds(path)) == found.rounds
    assert tuple(standing(PLAYERS, read_rounds(path))) == found.places
    path.write_text(path.read_text()[:-9])
    with pytest.raises(BadTournament, match="delete it"):
        read_rounds(path)


def test_self_play_is_about_other_stories_and_a_limit_takes_the_first_of_each(
    tmp_path: Path,
) -> None:
    path = tmp_path / "reading.parquet"
    rows = [
        {"question_id": f"made-up:s{story}-{number}", "story_id": f"s{story}"}
        for story in range(10)
        for number in range(3)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    source = ItemSource("made-up", path, {"reading": path})
    story_of = {row["question_id"]: row["story_id"] for row in rows}
    plan = replace(_plan(), cross_play=6, self_play=5)
    drawn = draw_questions(source, plan)
    against = [story_of[each] for each in drawn[CROSS_PLAY]]
    alone = [story_of[each] for each in drawn[SELF_PLAY]]
    # Six stories give a question each, and the four others all of self-play.
    assert (len(set(against)), len(set(alone)), len(alone)) == (6, 4, 5)
    assert not set(against) & set(alone)
    fewer = draw_questions(source, replace(plan, limit=2))
    assert fewer == {which: questions[:2] for which, questions in drawn.items()}
    part = tmp_path / "part.parquet"
    write_part(path, part, "question_id", drawn[CROSS_PLAY])
    assert sorted(pq.read_table(part)["question_id"].to_pylist()) == sorted(drawn[CROSS_PLAY])
    with pytest.raises(BadItems, match="30 about 10 stories"):
        draw_questions(source, replace(plan, self_play=13))
    some = {each for each in story_of if each.endswith("-1")}
    of_part = draw_questions(source, replace(plan, self_play=4, split="dev"), some)
    assert set(of_part[CROSS_PLAY] + of_part[SELF_PLAY]) == some


@pytest.mark.parametrize(
    ("who", "gone"),
    [
        (PLAYERS[1], PLAYERS[1]),
        (PLAYERS[0], PLAYERS[0]),
        (None, PLAYERS[0]),
        ("simulated/asker", None),
    ],
)
def test_who_cannot_be_reached_is_who_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str | None, gone: str | None
) -> None:
    def fail(*_: object) -> None:
        error = JudgeUnavailable(f"{PLAYERS[0]} debates with {who}, who is out of reach")
        error.judge_id = who
        raise error

    monkeypatch.setattr(TournamentRuns, "_run", fail)
    said: list[str] = []
    runs = TournamentRuns(Home(tmp_path).ensure(), _plan(), None, said.append, lambda _: None)
    met = partial(runs._debate, (PLAYERS[0], PLAYERS[1]), 1, ItemSource("made-up", tmp_path))
    if gone is None:
        with pytest.raises(JudgeUnavailable, match="simulated/asker"):
            met()
    else:
        assert met() == gone
    assert any("out of reach" in line for line in said)
