"""Failures from SQL against plain loops: how many of each kind, and what they could hide."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inference.errors import ERROR_KINDS
from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.test_agreement_by_reference import (
    by_annotator,
    correlations,
    kappa,
    mean,
    panels,
    same,
)
from warehouse.audit import DBT_PROJECT

ANSWERED = ("unparsed", "refused", "filtered", "truncated")
STATUSES = sorted({*ERROR_KINDS, *ANSWERED})
# Where each status is counted; all others are other errors.
COLUMNS = {
    "unparsed": "unreadable_count",
    "refused": "refused_count",
    "filtered": "filtered_count",
    "truncated": "truncated_count",
    "context_overflow": "context_overflow_count",
    "timeout": "timeout_count",
    "malformed": "malformed_count",
    "rate_limited": "rate_limited_count",
    "overloaded": "rate_limited_count",
    "authentication": "account_error_count",
    "billing": "account_error_count",
    "no_reference": "no_reference_count",
}


@st.composite
def failing_panels(draw: st.DrawFn) -> dict[str, Any]:
    """A panel whose judge fails in any of the ways there are, or not at all."""
    panel = draw(panels())
    failures = {}
    scores = []
    for judge, item, value, released in panel["scores"]:
        status = draw(st.sampled_from([None, None, *STATUSES]))
        if status is None and value is not None:
            scores.append((judge, item, value, released))
            continue
        scores.append((judge, item, None, None))
        if status not in (None, "unparsed"):
            failures[judge, item] = status
    return {**panel, "scores": scores, "failures": failures}


def statuses_of(panel: dict[str, Any]) -> list[str]:
    return [
        "parsed" if value is not None else panel["failures"].get((judge, item), "unparsed")
        for judge, item, value, _ in panel["scores"]
    ]


@EXAMPLES
@given(panel=failing_panels())
def test_every_way_to_fail_has_its_own_count_and_they_add_up(
    built: Built, panel: dict[str, Any]
) -> None:
    connection = built(**panel)
    expected = Counter(statuses_of(panel))
    assert Counter(
        status for (status,) in connection.execute("select answer_status from fct_score").fetchall()
    ) == Counter(expected)
    row = one(connection, "from rpt_run_health")
    columns: Counter[str] = Counter()
    for status, amount in expected.items():
        if status != "parsed":
            columns[COLUMNS.get(status, "other_error_count")] += amount
    for column in {*COLUMNS.values(), "other_error_count"}:
        assert row[column] == columns[column], column
    # What lacks a reference is no failure.
    judged = len(panel["scores"]) - expected["no_reference"]
    failed = judged - expected["parsed"]
    assert row["failure_count"] == failed
    assert row["unparsed_count"] + row["error_count"] == failed
    ends = (row["failure_share"], row["failure_share_low"], row["failure_share_high"])
    if judged:
        whole = stats.binomtest(failed, judged).proportion_ci(method="wilson")
        assert ends == pytest.approx((failed / judged, whole.low, whole.high), abs=1e-9)
    else:
        assert ends == (None, None, None)
    # The project's own test, which stops a build.
    test = (DBT_PROJECT / "tests/assert_every_request_has_one_outcome.sql").read_text("utf-8")
    reading = test.replace("{{ ref('rpt_run_health') }}", "rpt_run_health")
    assert connection.execute(reading).fetchall() == []
    long = dict(
        connection.execute("select answer_status, failure_count from rpt_failures").fetchall()
    )
    assert long == {
        status: n for status, n in expected.items() if status not in ("parsed", "no_reference")
    }


@EXAMPLES
@given(panel=failing_panels())
def test_every_way_to_fail_reaches_the_bounds_of_agreement(
    built: Built, panel: dict[str, Any]
) -> None:
    """A failure is left out of the headline, and stands at the nearest and the farthest score in
    the bounds: answers that could not be read and requests that were never answered alike."""
    connection = built(**panel)
    people = by_annotator(panel["ratings"])
    ranks = one(connection, "from rpt_rank_agreement where judge_id = 'j/m'")
    kappas = one(
        connection, "from rpt_rater_agreement where judge_id = 'j/m' and min_shared_items = 3"
    )
    scored = {item: value for _, item, value, _ in panel["scores"] if value is not None}
    same(ranks["tau_c"], tau_c(scored, people))
    rated = {item for item, _, _ in panel["ratings"]}
    for row in (ranks, kappas):
        assert row["unparsed_count"] + row["unanswered_count"] == len(rated - scored.keys())
        assert row["n_answers"] == len(rated)
        assert row["unrated_count"] == len(panel["scores"]) - len(rated)
    for rule in ("nearest", "farthest"):
        whole = scored | {
            item: at(rule, [own[item] for own in people.values() if item in own])
            for _, item, value, _ in panel["scores"]
            if value is None and any(item in own for own in people.values())
        }
        expected = tau_c(whole, people)
        # Where a bound cannot be computed the headline stands in its place.
        if not math.isnan(expected):
            same(ranks[f"tau_c_failures_{rule}"], expected)
        kappa_expected = mean_kappa(whole, people, minimum=3)
        if kappa_expected is not None:
            same(kappas[f"mean_kappa_failures_{rule}"], kappa_expected)


def at(rule: str, ratings: list[float]) -> float:
    middle = float(np.mean(ratings))
    by_distance = sorted(range(1, 6), key=lambda point: (abs(point - middle), -point))
    if rule == "nearest":
        return by_distance[0]
    return 1 if middle - 1 >= 5 - middle else 5


def tau_c(scores: dict[str, float], people: dict[str, dict[str, float]]) -> float:
    pairs = [
        (value, float(np.mean([own[item] for own in people.values() if item in own])))
        for item, value in scores.items()
        if any(item in own for own in people.values())
    ]
    return correlations([x for x, _ in pairs], [y for _, y in pairs])["tau_c"]


def mean_kappa(
    scores: dict[str, float], people: dict[str, dict[str, float]], minimum: int
) -> float | None:
    kappas = []
    for a, b in itertools.combinations(sorted(people), 2):
        shared = [item for item in set(people[a]) & set(people[b]) if item in scores]
        if len(shared) >= minimum:
            kappas += [
                kappa([scores[i] for i in shared], [people[one][i] for i in shared])
                for one in (a, b)
            ]
    return mean(kappas)
