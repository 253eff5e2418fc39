"""Agreement of judges' verdicts against scikit-learn, statsmodels and krippendorff, and by loops."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.references import check_ends, check_share, jackknife_half
from tests.dbt_project.verdict_data import Debate, debate_rows

Votes = list[tuple[str, str, str]]
CODES = {"pro": 0.0, "con": 1.0, "tie": np.nan}


@st.composite
def panels(draw: st.DrawFn) -> tuple[Votes, dict[str, str]]:
    """Judge, debate and verdict of two to four judges; and each debate's cluster, some of twins."""
    debates = [f"d{number:02d}" for number in range(draw(st.integers(2, 14)))]
    twins = draw(st.booleans())
    clusters = {
        name: debates[number - number % 2] if twins and number < 8 else name
        for number, name in enumerate(debates)
    }
    judges = ["j/a", "j/b", "j/c", "rule/r"][: draw(st.integers(2, 4))]
    lean = draw(st.sampled_from([["pro", "con"], ["con", "con", "con", "pro"], ["con"]]))
    gaps = draw(st.sampled_from([[], ["tie", None]]))
    votes = []
    for judge in judges:
        for debate in debates:
            winner = draw(st.sampled_from(lean * 3 + gaps))
            if winner is not None:
                votes.append((judge, debate, winner))
    return votes, clusters


def agreement_of(built: Built, votes: Votes, clusters: dict[str, str]) -> list[dict[str, Any]]:
    verdicts = [
        {"judge_id": judge, "debate_id": debate, "winner": winner}
        for judge, debate, winner in votes
    ]
    debates = debate_rows(Debate(name, cluster) for name, cluster in clusters.items())
    connection = built(raw=debates | {"verdicts": verdicts})
    return rows_of(connection, "from rpt_judge_agreement")


def matrix(votes: Votes, judges: list[str], debates: list[str]) -> np.ndarray:
    """Rows are judges, columns debates; NaN where there is no majority."""
    found = np.full((len(judges), len(debates)), np.nan)
    for judge, debate, winner in votes:
        if judge in judges and debate in debates:
            found[judges.index(judge), debates.index(debate)] = CODES[winner]
    return found


def jackknife(
    statistic: Callable[[np.ndarray], float | None], data: np.ndarray, groups: np.ndarray
) -> tuple[float, float] | None:
    """Return the t interval from leaving out each cluster, or None where there is none."""
    names = np.unique(groups)
    half = jackknife_half([statistic(data[:, groups != name]) for name in names])
    whole = statistic(data)
    if whole is None or half is None:
        return None
    return max(-1.0, whole - half), min(1.0, whole + half)


def cohen(data: np.ndarray) -> float | None:
    if not data.size or np.ptp(data) == 0:
        return None
    return float(cohen_kappa_score(data[0], data[1], labels=[0, 1]))


def fleiss(data: np.ndarray) -> float | None:
    if not data.size or np.ptp(data) == 0:
        return None
    return float(fleiss_kappa(aggregate_raters(data.T.astype(int), n_cat=2)[0]))


def alpha(data: np.ndarray) -> float | None:
    pairable = data[:, (~np.isnan(data)).sum(axis=0) >= 2]
    if not pairable.size or np.nanmin(pairable) == np.nanmax(pairable):
        return None
    return float(krippendorff.alpha(pairable, level_of_measurement="nominal"))


@EXAMPLES
@given(panel=panels())
@example(panel=([("j/a", "d01", "con"), ("j/b", "d00", "con")], {"d00": "d00", "d01": "d01"}))
def test_pairs_are_what_scikit_learn_and_a_loop_over_clusters_give(
    built: Built, panel: tuple[Votes, dict[str, str]]
) -> None:
    votes, clusters = panel
    rows = {
        (row["judge_a"], row["judge_b"]): row
        for row in agreement_of(built, votes, clusters)
        if row["scope"] == "pair"
    }
    judges, debates = sorted({vote[0] for vote in votes}), list(clusters)
    groups = np.array(list(clusters.values()))
    asked = {judge: {vote[1] for vote in votes if vote[0] == judge} for judge in judges}
    expected_pairs = {pair for pair in combinations(judges, 2) if asked[pair[0]] & asked[pair[1]]}
    assert set(rows) == expected_pairs
    for pair, row in rows.items():
        data = matrix(votes, list(pair), debates)
        both = ~np.isnan(data).any(axis=0)
        data, kept = data[:, both], groups[both]
        assert row["n_units"] == data.shape[1]
        assert row["n_clusters"] == len(np.unique(kept))
        assert row["split_count"] == len(asked[pair[0]] & asked[pair[1]]) - data.shape[1]
        kappa = cohen(data)
        assert row["cohen_kappa"] == (None if kappa is None else pytest.approx(kappa, abs=1e-9))
        assert (row["reason"] is None) == (kappa is not None)
        check_ends(row, "cohen_kappa", jackknife(cohen, data, kept))
        check_share(row, "raw_agreement", data[0] == data[1], kept)


@EXAMPLES
@given(panel=panels())
def test_panels_are_what_statsmodels_krippendorff_and_a_loop_over_clusters_give(
    built: Built, panel: tuple[Votes, dict[str, str]]
) -> None:
    votes, clusters = panel
    rows = [row for row in agreement_of(built, votes, clusters) if row["scope"] == "panel"]
    # A rule answers without reading; a judge without a single majority has no seat.
    judges = sorted(
        {judge for judge, _, winner in votes if winner != "tie" and not judge.startswith("rule/")}
    )
    if len(judges) < 2:
        assert rows == []
        return
    (row,) = rows
    data, groups = matrix(votes, judges, list(clusters)), np.array(list(clusters.values()))
    complete = ~np.isnan(data).any(axis=0)
    shared = (~np.isnan(data)).sum(axis=0) >= 2
    assert (row["judge_count"], row["n_units"]) == (len(judges), shared.sum())
    assert row["n_clusters"] == len(np.unique(groups[shared]))
    assert row["complete_count"] == complete.sum()
    kappa, level = fleiss(data[:, complete]), alpha(data)
    assert row["fleiss_kappa"] == (None if kappa is None else pytest.approx(kappa, abs=1e-9))
    assert row["krippendorff_alpha"] == (None if level is None else pytest.approx(level, abs=1e-9))
    assert (row["reason"] is None) == (kappa is not None and level is not None)
    fleiss_ends = jackknife(fleiss, data[:, complete], groups[complete])
    check_ends(row, "fleiss_kappa", fleiss_ends)
    check_ends(row, "krippendorff_alpha", jackknife(alpha, data[:, shared], groups[shared]))
    if shared.any():
        pairs = [
            np.mean([one == other for one, other in combinations(votes_on[~np.isnan(votes_on)], 2)])
            for votes_on in data[:, shared].T
        ]
        assert row["raw_agreement"] == pytest.approx(np.mean(pairs))


def test_two_judges_on_more_debates_than_a_block_of_bits_by_hand(built: Built) -> None:
    # Con-Con 40, Con-Pro 20, Pro-Con 10, Pro-Pro 30: agreement 0.7; by chance 0.6 * 0.5 + 0.4 * 0.5
    # = 0.5; kappa (0.7 - 0.5) / 0.5 = 0.4. Debates are compared sixty at a time.
    one = ["con"] * 60 + ["pro"] * 40
    other = ["con"] * 40 + ["pro"] * 20 + ["con"] * 10 + ["pro"] * 30
    debates = {f"d{number}": f"d{number}" for number in range(100)}
    votes = [("j/a", f"d{n}", winner) for n, winner in enumerate(one)]
    votes += [("j/b", f"d{n}", winner) for n, winner in enumerate(other)]
    pair = next(row for row in agreement_of(built, votes, debates) if row["scope"] == "pair")
    assert pair["raw_agreement"] == pytest.approx(0.7)
    assert pair["cohen_kappa"] == pytest.approx(0.4)
    assert pair["cohen_kappa_low"] < 0.4 < pair["cohen_kappa_high"]
