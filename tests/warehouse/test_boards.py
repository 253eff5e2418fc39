"""Boards of debaters against statsmodels, planted truths and fields that fall apart."""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm

from warehouse.fits.boards import boards
from warehouse.fits.ratings import POINTS

COLUMNS = [
    "dataset_id",
    "judge_id",
    "pro_debater",
    "con_debater",
    "share",
    "weight",
    "min_units",
    "cluster_id",
    "log2_length_ratio",
    "own_family",
    "debate_id",
]
Row = tuple[Any, ...]


def log(seed: int, motions: int, *, family: float, debaters: int = 4, judges: int = 3) -> list[Row]:
    """Every pair from both sides on every motion; judge k is of debater k's family."""
    draws = np.random.default_rng(seed)
    strength = np.linspace(-0.7, 0.7, debaters)
    rows = []
    for motion in range(motions):
        for one in range(debaters):
            for other in range(debaters):
                if one == other:
                    continue
                length = float(draws.normal(0, 0.5))
                for judge in range(judges):
                    own = (one == judge) - (other == judge)
                    odds = strength[one] - strength[other] + 0.2 * (judge - 1) + 0.3 * length
                    share = float(draws.random() < 1 / (1 + np.exp(-odds - family * own)))
                    who = ("d", f"j{judge}", f"m{one}", f"m{other}")
                    debate = (f"t{motion}", length, own, f"{motion} {one} {other}")
                    rows.append((*who, share, 1 / judges, 5, *debate))
    return rows


def fitted(rows: list[Row]) -> dict[tuple[str, str, str], dict[str, Any]]:
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    found = boards(duckdb.connect().from_arrow(pa.table(columns))).to_pylist()
    return {(row["board"], row["quantity"], row["name"]): row for row in found}


def test_ratings_terms_and_errors_are_those_of_statsmodels() -> None:
    rows = log(4, 12, family=0.5)
    found = fitted(rows)
    for board, use in (("panel", rows), ("j1", [row for row in rows if row[1] == "j1"])):
        first, second = ([int(row[at][1]) for row in use] for at in (2, 3))
        players = np.eye(4)[first] - np.eye(4)[second]
        length = np.array([[row[8]] for row in use])
        if board == "panel":
            sides = np.eye(3)[[int(row[1][1]) for row in use]]
            terms = np.hstack([sides, length, np.array([[row[9]] for row in use], dtype=float)])
        else:
            terms = np.hstack([np.ones((len(use), 1)), length])
        # The last debater is the measure of the others; errors of differences are the same.
        design = np.hstack([players[:, :3], terms])
        groups = np.array([int(row[7][1:]) for row in use])
        model = sm.GLM(np.array([row[4] for row in use]), design, family=sm.families.Binomial())
        expected = model.fit(
            cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}, tol=1e-12
        )
        strength = np.append(expected.params[:3], 0.0)
        centre = np.hstack(
            [
                np.eye(4)[:, :3] - np.append(np.full(3, 0.25), 0)[None, :3],
                np.zeros((4, design.shape[1] - 3)),
            ]
        )
        errors = np.sqrt(np.diag(centre @ expected.cov_params() @ centre.T) * 12 / 11)
        for number in range(4):
            row = found[board, "rating", f"m{number}"]
            truth = 1500 + POINTS * (strength[number] - strength.mean())
            assert row["estimate"] == pytest.approx(truth, abs=1e-4)
            assert row["se"] == pytest.approx(POINTS * errors[number], rel=1e-5)
        at = design.shape[1] - 1 - (board == "panel")
        row = found[board, "term", "length"]
        assert row["estimate"] == pytest.approx(POINTS * expected.params[at], abs=1e-4)
        assert row["se"] == pytest.approx(POINTS * expected.bse[at] * np.sqrt(12 / 11), rel=1e-5)


def test_verdicts_behind_the_length_term_are_those_whose_words_are_known() -> None:
    rows = log(4, 12, family=0.5)
    unknown = [(*row[:8], None, *row[9:]) for row in rows]
    found = fitted(unknown[: len(rows) // 3] + rows[len(rows) // 3 :])
    row = found["panel", "term", "length"]
    assert row["n_games"] == len(rows) - len(rows) // 3
    assert row["estimate"] is not None
    row = fitted(unknown)["j1", "term", "length"]
    assert (row["n_games"], row["estimate"]) == (0, None)
    assert row["reason"] == "of no debate are the words of both sides known"


def test_planted_preference_for_ones_own_family_is_found_per_judge_and_per_panel() -> None:
    found = fitted(log(9, 60, family=0.8))
    for board in ("panel", "j0", "j1", "j2"):
        row = found[board, "term", "own_family"]
        assert row["estimate"] == pytest.approx(POINTS * 0.8, abs=3.5 * row["se"])
        assert row["low"] > 0
    # The judge's own board shows what it prefers, the panel's what the models are worth.
    assert found["j0", "rating", "m0"]["minus_panel_low"] > 0
    assert found["panel", "rating", "m3"]["estimate"] == pytest.approx(
        1500 + POINTS * 0.7, abs=3.5 * found["panel", "rating", "m3"]["se"]
    )
    fair = fitted(log(10, 60, family=0.0))["panel", "term", "own_family"]
    assert fair["low"] < 0 < fair["high"]


def test_one_judge_alone_cannot_tell_its_family_from_how_good_the_debaters_are() -> None:
    found = fitted(log(2, 10, family=0.5, judges=1))
    for board in ("panel", "j0"):
        row = found[board, "term", "own_family"]
        assert (row["estimate"], row["reason"]) == (
            None,
            "it never varies, or who debates decides it",
        )


def test_parts_that_no_debate_connects_and_who_never_lost_are_said() -> None:
    common = (0.5, 1.0, 5)
    rows = [
        ("d", "j", one, other, *common, f"t{motion}", 0.0, 0, f"{one}{other}{motion}")
        for motion in range(6)
        for one, other in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))
    ]
    found = fitted(rows)
    assert {found["j", "rating", name]["n_components"] for name in "abcd"} == {2}
    assert found["j", "rating", "a"]["low"] is None
    assert found["j", "rating", "a"]["is_separated"]
    assert (
        fitted(log(1, 3, family=0.0))["panel", "rating", "m0"]["reason"]
        == "an interval needs 5 motions"
    )
