"""Accuracy and confusion of verdicts against scikit-learn, and their intervals against loops."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.references import check_ends, share_interval
from tests.dbt_project.verdict_data import Debate, as_raw, debates, jackknifed

MEASURES = ("accuracy", "f1_weighted", "f1_macro", "mcc", "kappa")


def by_sklearn(made: list[Debate]) -> dict[str, float | None]:
    """Return every measure of the scored debates; each verdict is a case, a tie half of each."""
    return _measured(
        tuple(sorted((str(each.human), each.con_share) for each in made if each.is_scored))
    )


# Debates that are left out in turn are often alike.
@lru_cache(maxsize=4096)
def _measured(scored: tuple[tuple[str, float], ...]) -> dict[str, float | None]:
    cases = [
        (human, side, share)
        for human, con_share in scored
        for side, share in (("con", con_share), ("pro", 1 - con_share))
        if share > 0
    ]
    if not cases:
        return dict.fromkeys(MEASURES)
    people, judge, weight = (list(column) for column in zip(*cases, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: dict[str, float | None] = {
            "accuracy": metrics.accuracy_score(people, judge, sample_weight=weight),
            "f1_weighted": metrics.f1_score(
                people, judge, average="weighted", sample_weight=weight
            ),
            "f1_macro": metrics.f1_score(people, judge, average="macro", sample_weight=weight),
            "mcc": metrics.matthews_corrcoef(people, judge, sample_weight=weight),
            "kappa": metrics.cohen_kappa_score(people, judge, sample_weight=weight),
        }
    if len(set(people)) == 1 or len(set(judge)) == 1:
        found["mcc"] = None
    if len({*people, *judge}) == 1:
        found["kappa"] = None
    return found


def by_loop(made: list[Debate], measure: str) -> tuple[float, float] | None:
    """Return a measure's interval from leaving out each cluster in turn."""
    scored = [debate for debate in made if debate.is_scored]
    n_clusters = len({debate.cluster for debate in scored})
    whole = by_sklearn(scored)[measure]
    if n_clusters < 5 or whole is None:
        return None
    half = jackknifed(scored, lambda kept: by_sklearn(kept)[measure])
    if measure == "accuracy":
        return share_interval(whole, half, n_clusters)
    if half is None:
        return None
    lowest = -1.0 if measure in ("mcc", "kappa") else 0.0
    return max(lowest, whole - half), min(1.0, whole + half)


def check(row: dict[str, Any], made: list[Debate]) -> None:
    scored = [debate for debate in made if debate.is_scored]
    assert row["n_units"] == len(scored)
    assert row["n_clusters"] == len({debate.cluster for debate in scored})
    for measure, expected in by_sklearn(made).items():
        assert row[measure] == (None if expected is None else pytest.approx(expected, abs=1e-8))
        check_ends(row, measure, by_loop(made, measure), tolerance=1e-6)
    asked = [debate for debate in made if debate.human in ("pro", "con")]
    counts = [answer for debate in asked for answer in debate.answers]
    assert row["n_answers"] == len(counts)
    for answer in ("tie", "unparsed", "unanswered"):
        assert row[f"{answer}_count"] == counts.count(answer)
    if asked:
        for bound, worth in (("wrong", 0), ("right", 1)):
            values = [
                np.mean(
                    [
                        {debate.human: 1.0, "tie": 0.5, "unparsed": worth, "unanswered": worth}.get(
                            answer, 0.0
                        )
                        for answer in debate.answers
                    ]
                )
                for debate in asked
            ]
            assert row[f"accuracy_all_{bound}"] == pytest.approx(np.mean(values))


@pytest.mark.parametrize(
    "some",
    [debates(), debates(repeats=3, twins=True)],
    ids=["one_verdict_each", "repeats_and_twins"],
)
@EXAMPLES
@given(data=st.data())
def test_figures_are_those_of_scikit_learn_and_intervals_leave_out_whole_clusters(
    built: Built, some: st.SearchStrategy[list[Debate]], data: st.DataObject
) -> None:
    made = data.draw(some)
    connection = built(**as_raw(made))
    check(one(connection, "from rpt_verdict_accuracy where round_count is null"), made)
    for rounds in {debate.rounds for debate in made}:
        row = one(connection, f"from rpt_verdict_accuracy where round_count = {rounds}")
        check(row, [debate for debate in made if debate.rounds == rounds])


@EXAMPLES
@given(made=debates())
def test_confusion_counts_every_answer_and_is_wilsons_where_answers_are_independent(
    built: Built, made: list[Debate]
) -> None:
    connection = built(**as_raw(made))
    rows = connection.execute(
        "select human_winner, predicted, n_answers, n_units, share, share_low, share_high "
        "from rpt_confusion where round_count is null"
    ).fetchall()
    assert len(rows) == 5 * len({each.human for each in made if each.human in ("pro", "con")})
    for human, predicted, n_answers, n_units, share, low, high in rows:
        given_answers = [debate.answers[0] for debate in made if debate.human == human]
        assert n_answers == n_units == given_answers.count(predicted)
        assert share == pytest.approx(n_answers / len(given_answers))
        if len(given_answers) < 5:
            assert low is None
            assert high is None
            continue
        # The spread between clusters has n - 1 in place of n.
        size = len(given_answers) - (share not in (0, 1))
        assert (low, high) == pytest.approx(
            proportion_confint(share * size, size, method="wilson"), abs=1e-6
        )


@EXAMPLES
@given(made=debates(repeats=3, twins=True))
def test_shares_of_confusion_add_up_and_lie_in_their_intervals(
    built: Built, made: list[Debate]
) -> None:
    connection = built(**as_raw(made))
    for total, answers, inside in connection.execute(
        "select sum(share), sum(n_answers), "
        "bool_and(coalesce(share between share_low - 1e-9 and share_high + 1e-9, true)) "
        "from rpt_confusion group by round_count, human_winner"
    ).fetchall():
        assert total == pytest.approx(1)
        assert answers > 0
        assert inside
