import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.errors import BadTournament
from inference.oversight.tournament import (
    ROUND_ROBIN,
    SWISS,
    Matchup,
    Place,
    Round,
    enough_rounds,
    most_rounds,
    pair,
    standing,
)
from inference.oversight.tournament_plan import load_tournament

SHARES = st.sampled_from([None, 0.0, 0.25, 0.5, 0.75, 1.0])
PLAN = """
name = "mine"
dataset = "made-up"
debaters = ["simulated/one", "simulated/two", "simulated/three"]
judge = "simulated/judge"
[questions]
cross_play = 3
"""


def _names(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


def _is_legal_pairing_there(players: list[str], rounds: list[Round], places: list[Place]) -> bool:
    active = [place.player for place in places if not place.is_withdrawn]
    met = {frozenset((each.first, each.second)) for played in rounds for each in played.matchups}
    without_one = [[each for each in active if each != left] for left in active]
    fields = without_one if len(active) % 2 else [active]
    return any(field and _can_all_be_matched(frozenset(field), met) for field in fields)


def _can_all_be_matched(left: frozenset[str], met: set[frozenset[str]]) -> bool:
    if not left:
        return True
    first = min(left)
    return any(
        _can_all_be_matched(left - {first, other}, met)
        for other in left - {first}
        if frozenset((first, other)) not in met
    )


@settings(deadline=None)
@given(st.data(), st.integers(2, 11))
def test_swiss_pairing_finds_a_legal_round_if_any(data: st.DataObject, count: int) -> None:
    players = _names(count)
    rounds: list[Round] = []
    for number in range(most_rounds(count) + 1):
        found = pair(SWISS, players, rounds)
        assert found == pair(SWISS, players, list(rounds))
        places = standing(players, rounds)
        assert (found is not None) == _is_legal_pairing_there(players, rounds, places)
        if found is None:
            # Enough rounds to sort the field can always be played, unless somebody withdrew.
            assert number >= enough_rounds(count) or any(each.withdrawn for each in rounds)
            break
        active = [place.player for place in places if not place.is_withdrawn]
        seated = [*itertools.chain(*found.pairs), *([found.bye] if found.bye else [])]
        assert sorted(seated) == sorted(active)
        met = {
            frozenset((each.first, each.second)) for played in rounds for each in played.matchups
        }
        assert not met & {frozenset(two) for two in found.pairs}
        matchups = []
        for first, second in found.pairs:
            share = data.draw(SHARES)
            matchups.append(Matchup(first, second, share, 0 if share is None else 2))
        withdrawn = data.draw(st.sampled_from([(), (), (), tuple(seated[:1])]))
        rounds.append(Round(tuple(matchups), found.bye, withdrawn))


@pytest.mark.parametrize("count", [2, 3, 6, 7, 10])
def test_in_a_round_robin_everybody_meets_everybody_once(count: int) -> None:
    players = _names(count)
    rounds: list[Round] = []
    while (found := pair(ROUND_ROBIN, players, rounds)) is not None:
        seated = [*itertools.chain(*found.pairs), *([found.bye] if found.bye else [])]
        assert sorted(seated) == players
        rounds.append(Round(tuple(Matchup(*two, 0.5, 2) for two in found.pairs), found.bye))
    assert len(rounds) == most_rounds(count)
    met = [frozenset((each.first, each.second)) for played in rounds for each in played.matchups]
    assert sorted(map(sorted, met)) == [list(two) for two in itertools.combinations(players, 2)]
    byes = [played.bye for played in rounds if played.bye]
    assert sorted(byes) == (players if count % 2 else [])


def test_a_void_matchup_is_neither_won_nor_lost_and_a_bye_goes_to_the_lowest() -> None:
    # Round 1: a beats b by 3/4 of 4 games; c and d: void, d withdraws; e has nobody.
    void = Matchup("c", "d", None, 0, 4, "endpoint died")
    rounds = [Round((Matchup("a", "b", 0.75, 4), void), "e", ("d",))]
    places = {place.player: place for place in standing("abcde", rounds)}
    points = {name: place.points for name, place in places.items()}
    assert list(points.items()) == [("a", 1), ("c", 0.5), ("d", 0.5), ("e", 0.5), ("b", 0)]
    assert (places["a"].won, places["b"].lost, places["c"].void, places["e"].byes) == (1, 1, 1, 1)
    assert places["a"].win_rate == 0.75
    assert places["b"].win_rate == 0.25
    assert places["c"].win_rate is None
    assert places["d"].is_withdrawn
    # Four are left: a meets the nearest below it, and e the last.
    following = pair(SWISS, "abcde", rounds)
    assert following is not None
    assert following.pairs == (("a", "c"), ("e", "b"))
    assert following.bye is None
    # Of games of different numbers the rate is that of all games: (3/4 of 4 + 0 of 2) / 6.
    more = [*rounds, Round((Matchup("a", "c", 0.0, 2),))]
    assert standing("abcde", more)[0].player == "c"
    assert {each.player: each.win_rate for each in standing("abcde", more)}["a"] == 0.5


def test_a_plan_is_read_with_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(PLAN)
    plan = load_tournament("mine", [tmp_path])
    assert (plan.rounds, plan.matchup_count, plan.pairing) == (2, 2, SWISS)
    assert plan.debate.tournament == "mine"
    assert plan.debate.word_limit == 150
    (tmp_path / "mine.toml").write_text(PLAN.replace("[q", "budget_usd = 3\n[q"))
    assert load_tournament("mine", [tmp_path]).definition_hash == plan.definition_hash
    assert load_tournament("sample-tournament").matchup_count == 6


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"simulated/two", "simulated/three"', "", "nobody to debate with"),
        ("simulated/two", "simulated/one", "'simulated/one' twice"),
        ("[questions]", "words = 3\n[questions]", "unknown key 'words'"),
        ("cross_play = 3", "cross_play = 3\nhard = true", "unknown key 'questions.hard'"),
        ("cross_play = 3", "cross_play = 0", "1 or more"),
        ("cross_play = 3", "seed = 3", "lacks the key 'questions.cross_play'"),
        ("[questions]", "rounds = 4\n[questions]", "nobody meets twice"),
        ("[questions]", 'rounds = 2\npairing = "round_robin"\n[questions]', "in 3 rounds"),
        ("[questions]", "[debate]\nbest_of = 4\n[questions]", "belong together"),
        (
            "[questions]",
            '[debate]\nbest_of = 4\npreference_judge = "simulated/judge"\n[questions]',
            "and then judge it",
        ),
        ('name = "mine"', 'name = "other"', "make the two agree"),
        ("[questions]", "[questions", "not valid TOML"),
    ],
)
def test_a_wrong_tournament_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "mine.toml").write_text(PLAN.replace(old, new))
    with pytest.raises(BadTournament, match=said):
        load_tournament("mine", [tmp_path])
    with pytest.raises(BadTournament, match="no tournament named"):
        load_tournament("../mine", [tmp_path])
