"""Ratings, persuasiveness, quotes and standings of debaters against other ways to compute them."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.dbt_project.compiled_models import Built, rows_of
from tests.dbt_project.oversight_data import Game, as_raw

A, B, C = "m/a", "m/b", "m/c"
POINTS = 400 / np.log(10)
UNBEATEN = "it won or lost every game against the rest: only the prior keeps its rating finite"


def likeliest(design: list[list[int]], won: list[float], size: int) -> np.ndarray:
    """Return the ratings under which the verdicts are likeliest, by another optimiser."""
    matrix, sign = np.array(design, dtype=float), 2 * np.array(won) - 1
    width = matrix.shape[1]

    def loss(values: np.ndarray) -> float:
        return float(np.logaddexp(0, -sign * (matrix @ values)).sum() + values[:size].sum() ** 2)

    found = minimize(loss, np.zeros(width), method="BFGS", options={"gtol": 1e-8}).x
    return 1500 + POINTS * found[:size]


def field_of_three() -> tuple[list[Game], dict[str, int | None]]:
    """Every pair on twelve stories from both sides, and each debater against itself on eight."""
    generator = np.random.default_rng(3)
    strength = {A: 0.9, B: 0.0, C: -0.9}
    right: dict[str, int | None] = {f"q{number}": number % 2 for number in range(20)}
    games = []
    for number in range(12):
        for first, second in ((A, B), (B, A), (A, C), (C, A), (B, C), (C, B)):
            truth = 0.6 if number % 2 == 0 else -0.6
            chance = 1 / (1 + np.exp(-(strength[first] - strength[second] + truth)))
            verdict = {order: float(generator.random() < chance) for order in ("01", "10")}
            games.append(Game(f"q{number}", first, second, verdict))
    for number in range(12, 20):
        for debater, skill in ((A, 0.9), (B, 0.75), (C, 0.5)):
            is_right = float(generator.random() < skill)
            said = is_right if number % 2 == 0 else 1 - is_right
            games.append(Game(f"q{number}", debater, debater, {"01": said, "10": said}))
    # A question that a rated debate is about says nothing of accuracy.
    games.append(Game("q0", A, A, {"01": 0.0}))
    return games, right


def test_ratings_and_slope_are_what_scipy_and_numpy_give(built: Built) -> None:
    games, right = field_of_three()
    models = built(**as_raw(games, right))
    found = rows_of(models, "from rpt_debater_rating")
    assert len(found) == 9
    assert {row["is_separated"] for row in found} == {False}
    names = (A, B, C)
    sided = [f"{name} {side}" for side in ("right", "wrong") for name in names]
    design, by_side, won = [], [], []
    for game in games[:72]:
        truth = 1 if right[game.question] == 0 else -1
        sides = ("right", "wrong") if truth > 0 else ("wrong", "right")
        for order, said in game.verdicts.items():
            shown = 1 if order == "01" else -1
            pair = [(name == game.first) - (name == game.second) for name in names]
            argued = (f"{game.first} {sides[0]}", f"{game.second} {sides[1]}")
            design.append([*pair, shown, truth])
            by_side.append([*((name == argued[0]) - (name == argued[1]) for name in sided), shown])
            won.append(said)
    expected = dict(zip(names, likeliest(design, won, 3), strict=True))
    for row in found:
        if row["argued"] == "both":
            assert row["rating"] == pytest.approx(expected[row["debater_id"]], abs=0.1)
            assert row["rating_low"] < row["rating"] < row["rating_high"]
            assert (row["n_units"], row["n_contests"], row["n_opponents"]) == (12, 48, 2)
    expected = dict(zip(sided, likeliest(by_side, won, 6), strict=True))
    for row in found:
        if row["argued"] != "both":
            name = f"{row['debater_id']} {row['argued']}"
            assert row["rating"] == pytest.approx(expected[name], abs=0.1)
    assert sum(row["rating"] for row in found if row["argued"] == "both") == pytest.approx(4500)

    points = rows_of(models, "from rpt_rating_accuracy order by debater_id")
    assert [(row["n_contests"], row["shared_question_count"]) for row in points] == [
        (8, 1),
        (8, 0),
        (8, 0),
    ]
    expected_accuracy = [
        np.mean(
            [
                game.verdicts["01"] if right[game.question] == 0 else 1 - game.verdicts["01"]
                for game in games[72:-1]
                if game.first == name
            ]
        )
        for name in names
    ]
    assert [row["accuracy"] for row in points] == pytest.approx(expected_accuracy)
    [slope] = rows_of(models, "from rpt_rating_slope where outcome = 'judge_accuracy'")
    line = np.polyfit(
        [(row["rating"] - 1500) / 100 for row in points],
        expected_accuracy,
        1,
        w=[1 / row["rating_se"] for row in points],
    )
    assert (slope["slope"], slope["intercept"]) == pytest.approx(tuple(line))
    assert slope["slope_low"] < slope["slope"] < slope["slope_high"]

    told = rows_of(models, "from rpt_persuasiveness order by debater_id")
    ratings = {(row["debater_id"], row["argued"]): row["rating"] for row in found}
    for row in told:
        name = row["debater_id"]
        assert row["right_minus_wrong"] == pytest.approx(
            ratings[name, "right"] - ratings[name, "wrong"]
        )
        won = [
            said if game.first == name else 1 - said
            for game in games[:72]
            if name in (game.first, game.second)
            for said in game.verdicts.values()
        ]
        assert row["win_share"] == pytest.approx(np.mean(won))
        assert (row["n_contests_right"], row["n_contests_wrong"]) == (24, 24)


def test_an_undefeated_debater_is_rated_with_the_prior_and_two_islands_are_told_apart(
    built: Built,
) -> None:
    games = [
        Game("q", A, B, {"01": 1.0, "10": 0.9}),
        Game("q", C, "m/d", {"01": 0.5}),
        Game("q", B, A, {"01": None}),
    ]
    models = built(**as_raw(games, {"q": None}))
    found = {row["debater_id"]: row for row in rows_of(models, "from rpt_debater_rating")}
    assert found[A]["rating"] + found[B]["rating"] == pytest.approx(3000)
    assert found[A]["rating"] > 1600
    assert found[C]["rating"] == found["m/d"]["rating"] == pytest.approx(1500)
    assert {name for name, row in found.items() if row["is_separated"]} == {A, B}
    assert {name: row["component"] for name, row in found.items()} == {A: 1, B: 1, C: 2, "m/d": 2}
    assert [found[name]["failed_count"] for name in (A, C)] == [1, 0]
    reasons = {name: row["null_reason"] for name, row in found.items()}
    assert reasons[A] == reasons[B] == UNBEATEN
    assert reasons[C] == reasons["m/d"] == "an interval needs 5 stories"
    assert {row["slope"] for row in rows_of(models, "from rpt_rating_slope")} == {None}
    assert all(row["null_reason"] for row in rows_of(models, "from rpt_persuasiveness"))


def test_an_undefeated_debater_has_no_interval_and_leaves_the_others_theirs(built: Built) -> None:
    games, right = field_of_three()
    names = [A, B, C]
    unbeaten = [
        Game(f"q{number}", *pair, {"01": float(pair[0] == "m/z"), "10": float(pair[0] == "m/z")})
        for number in range(12)
        for pair in (("m/z", C), (B, "m/z"))
    ]
    fields = {
        name: {
            (row["debater_id"], row["argued"]): row
            for row in rows_of(built(**as_raw(games + more, right)), "from rpt_debater_rating")
        }
        for name, more in {"alone": [], "with": unbeaten}.items()
    }
    for key, row in fields["alone"].items():
        other = fields["with"][key]
        shared = ("rating", "rating_low", "rating_high", "rating_se", "is_separated")
        assert [other[name] for name in shared] == pytest.approx([row[name] for name in shared])
    for argued in ("both", "right", "wrong"):
        row = fields["with"]["m/z", argued]
        assert (row["rating_low"], row["null_reason"]) == (None, UNBEATEN)
        assert row["is_separated"]
        assert row["rating"] > max(fields["with"][name, argued]["rating"] for name in names)


def test_what_the_truth_is_worth_is_unknown_in_a_ring_of_four_and_known_in_one_of_three(
    built: Built,
) -> None:
    # Around an even ring the right sides of every other debater meet wrong sides of the rest alone.
    right: dict[str, int | None] = {f"q{number}": number % 2 for number in range(6)}
    known = {}
    for ring in (((A, B), ("m/d", C), (A, C), (B, "m/d")), ((A, B), (B, C), (C, A))):
        games = [
            Game(question, one, other, {"01": float((number + place) % 3 != 0)})
            for number, question in enumerate(right)
            for place, pair in enumerate(ring)
            for one, other in (pair, pair[::-1])
        ]
        models = built(**as_raw(games, right))
        ratings = rows_of(models, "from rpt_debater_rating where argued = 'both'")
        assert {row["n_components"] for row in ratings} == {1}
        told = rows_of(models, "from rpt_persuasiveness")
        assert {row["right_minus_wrong_low"] is None for row in told} == {len(ring) == 4}
        known[len(ring)] = {(row["right_minus_wrong"] is None, row["null_reason"]) for row in told}
    assert known == {
        3: {(False, None)},
        4: {(True, "no chain of debates joins its right and its wrong sides")},
    }


def test_a_standing_counts_games_judged_from_both_sides_and_nobody_loses_a_void_one(
    built: Built,
) -> None:
    def game(question: str, first: str, second: str, number: int, p: float | None) -> Game:
        verdicts = {} if p is None else {"01": p, "10": p}
        status = "void" if p is None else "complete"
        return Game(question, first, second, verdicts, tournament_round=number, status=status)

    models = built(
        **as_raw(
            [
                # On q the first side wins either way; on r only one side was debated.
                game("q", A, B, 1, 0.7),
                game("q", B, A, 1, 0.4),
                game("r", A, B, 1, 0.0),
                game("r", B, A, 1, None),
                game("q", A, C, 2, 0.5),
                game("q", C, A, 2, 0.5),
            ],
            {"q": 0, "r": 1},
        )
    )
    found = {
        (row["tournament_round"], row["debater_id"]): row
        for row in rows_of(models, "from rpt_tournament")
    }
    # (0.7 + 0.6) / 2 of the games on q; those on r count for nobody.
    assert found[1, A]["win_share"] == pytest.approx(0.65)
    assert found[1, B]["win_share"] == pytest.approx(0.35)
    assert (found[1, A]["game_count"], found[1, A]["void_count"]) == (2, 2)
    assert found[1, C]["is_bye"]
    assert [found[1, name]["points"] for name in (A, B, C)] == [1, 0, 0.5]
    # B sits out: 0.5; A and C are level in the second round.
    assert [found[2, name]["points_so_far"] for name in (A, B, C)] == [1.5, 0.5, 1]
    assert [found[2, name]["standing"] for name in (A, B, C)] == [1, 3, 2]


def test_quotes_are_counted_by_turn_and_side(built: Built) -> None:
    quotes = (
        [("one two", True, 1.0), ("One two", True, 1.0), ("near it", False, 0.95)],
        [("far off from it", False, 0.4)],
    )
    games = [
        Game("q", A, B, {"01": 0.9}, (20, 10), quotes, turn={"is_concession": True}),
        Game("r", A, B, {"01": 0.9}, (20, 10)),
        Game("q", A, B, {}, (20, 10), quotes, status="partial"),
    ]
    models = built(**as_raw(games, {"q": 0, "r": 0}))
    found = {
        (row["debater_id"], row["argued"]): row for row in rows_of(models, "from rpt_quote_use")
    }
    assert found.keys() == {(A, "both"), (A, "right"), (B, "both"), (B, "wrong")}
    own = found[A, "right"]
    assert (own["quote_count"], own["verified_count"], own["near_miss_count"]) == (3, 2, 1)
    assert (own["turn_count"], own["turns_without_quote_count"]) == (2, 1)
    assert (own["repeated_count"], own["concession_count"]) == (1, 1)
    # Six of forty words are quoted, four of them found.
    assert own["quoted_words_share"] == pytest.approx(0.15)
    assert own["verified_words_share"] == pytest.approx(0.1)
    assert own["verified_share"] == pytest.approx(2 / 3)
    assert own["mean_similarity"] == pytest.approx(0.95)
    assert own["null_reason"] == "an interval needs 5 stories"
    assert found[B, "wrong"]["near_miss_count"] == 0
