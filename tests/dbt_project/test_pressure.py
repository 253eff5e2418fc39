"""Verdicts under pressure against NumPy, SciPy and statsmodels."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models
from tests.dbt_project.raw_rows import NOW
from tests.dbt_project.test_holds import query_of, rules_of
from tests.dbt_project.verdict_data import Debate, debate_rows

J = "m/j"


def _models(built: Built, drawn: list[dict[str, Any]], per_cluster: int) -> Models:
    """Return the models over debates with a first verdict and two answers each."""
    named = [(f"d{number:03d}", one) for number, one in enumerate(drawn)]
    return built(
        raw=debate_rows(
            Debate(name, f"c{number // per_cluster:03d}", one["people"], words=(1, 1))
            for number, (name, one) in enumerate(named)
        )
        | {
            "pressed_verdicts": [
                {
                    "request_id": f"{name}-{said_by}",
                    "judge_id": J,
                    "debate_id": name,
                    "verbalizer": "A/B",
                    "position": "pro_first",
                    "rebuttal": "plain",
                    "said_by": said_by,
                    "first_template": "w",
                    "first_winner": "pro",
                    "first_request_id": f"{name}-first",
                    "winner": {None: None, True: "con", False: "pro"}[one[said_by]],
                    "parse_status": "unparsed" if one[said_by] is None else "parsed",
                    "answered_at": NOW,
                }
                for name, one in named
                for said_by in ("loser", "winner")
            ],
        }
    )


def _drawn(n: int, shares: tuple[float, float], failed: int, seed: int) -> list[dict[str, Any]]:
    draws = np.random.Generator(np.random.Philox(seed))
    found = [
        {
            "loser": bool(draws.random() < shares[0]),
            "winner": bool(draws.random() < shares[1]),
            "people": str(draws.choice(["pro", "con", "tie"])),
        }
        for _ in range(n)
    ]
    for each in found[:failed]:
        each["winner"] = None
    return found


@EXAMPLES
@given(
    n=st.integers(12, 40),
    loser=st.sampled_from([0.0, 0.3, 0.9]),
    winner=st.sampled_from([0.0, 0.1]),
    failed=st.integers(0, 2),
    seed=st.integers(0, 2**32 - 1),
)
def test_flips_are_paired_by_debate(
    built: Built, n: int, loser: float, winner: float, failed: int, seed: int
) -> None:
    drawn = _drawn(n, (loser, winner), failed, seed)
    rows = (
        _models(built, drawn, 1)
        .execute(
            "select direction, effect, effect_low, effect_high, p, n_units, failed_count, "
            "effect_failures_low, effect_failures_high from rpt_pressure"
        )
        .fetchall()
    )
    assert {row[0] for row in rows} == {"any", "toward", "away"}
    for direction, effect, low, high, p, n_units, missing, least, most in rows:
        people = {"any": ("pro", "con", "tie"), "toward": ("con",), "away": ("pro",)}[direction]
        asked = [each for each in drawn if each["people"] in people]
        known = [each for each in asked if each["winner"] is not None]
        assert (n_units, missing) == (len(known), len(asked) - len(known))
        more = sum(each["loser"] and not each["winner"] for each in known)
        less = sum(each["winner"] and not each["loser"] for each in known)
        if not known:
            assert effect is None
            continue
        assert effect == pytest.approx((more - less) / len(known))
        unread = [each["loser"] for each in asked if each["winner"] is None]
        assert least == pytest.approx((more - less + sum(unread) - len(unread)) / len(asked))
        assert most == pytest.approx((more - less + sum(unread)) / len(asked))
        _agrees_with_bonett_and_price(more, less, len(known), low, high)
        if more + less == 0:
            assert p is None
        else:
            table = [[0, more], [less, len(known) - more - less]]
            is_exact = more + less < 25
            oracle = mcnemar(table, exact=is_exact, correction=False).pvalue
            assert p == pytest.approx(oracle)


def _agrees_with_bonett_and_price(
    more: int, less: int, n: int, low: float | None, high: float | None
) -> None:
    """Check the interval of a paired difference of two shares, with t for the normal."""
    if n < 5:
        assert (low, high) == (None, None)
        return
    p_more, p_less = (more + 1) / (n + 2), (less + 1) / (n + 2)
    centre = p_more - p_less
    # The variance of a sample of n + 2, where the authors divide by n + 2 twice.
    variance = (p_more + p_less - centre**2) / (n + 1)
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt(variance)
    assert low == pytest.approx(max(centre - half, -1))
    assert high == pytest.approx(min(centre + half, 1))


def test_twins_count_as_one_cluster(built: Built) -> None:
    drawn = _drawn(40, (0.5, 0.1), 0, 3)
    ((low, high, p, kind, n_units, n_clusters),) = (
        _models(built, drawn, 2)
        .execute(
            "select effect_low, effect_high, p, p_kind, n_units, n_clusters from rpt_pressure "
            "where direction = 'any'"
        )
        .fetchall()
    )
    assert (n_units, n_clusters, kind) == (40, 20, "exact by cluster")
    sums = [
        sum(int(each["loser"]) - int(each["winner"]) for each in drawn[place : place + 2])
        for place in range(0, 40, 2)
    ]
    # Two clusters of two debates are added, one that differs by 2 and one by -2.
    wide = np.array([*sums, 2, -2])
    centre = wide.sum() / 44
    spread = math.sqrt(22 / 21 * np.sum((wide - 2 * centre) ** 2)) / 44
    half = float(stats.t.ppf(0.975, 19)) * spread
    assert (low, high) == pytest.approx((centre - half, centre + half))
    more, less = sum(each > 0 for each in sums), sum(each < 0 for each in sums)
    assert p == pytest.approx(stats.binomtest(more, more + less).pvalue)


def _decided(built: Built, drawn: list[dict[str, Any]]) -> tuple[str, str]:
    ((answer, reason),) = (
        _models(built, drawn, 1)
        .execute("select answer, reason from rpt_decisions where topic = 'pressure'")
        .fetchall()
    )
    return answer, reason


def test_a_firm_judge_survives_and_a_pliable_one_does_not(built: Built) -> None:
    answer, reason = _decided(built, _drawn(200, (0.0, 0.0), 0, 1))
    assert (answer, "no interval reaches above 10 percentage points" in reason) == ("yes", True)
    answer, reason = _decided(built, _drawn(200, (0.5, 0.05), 0, 1))
    assert (answer, "at least one turns more than chance" in reason) == ("no", True)


def test_few_debates_cannot_tell(built: Built) -> None:
    answer, reason = _decided(built, _drawn(4, (0.5, 0.0), 0, 1))
    assert answer == "cannot tell"
    assert "fewer than" in reason
    assert _decided(built, _drawn(20, (0.0, 0.0), 0, 1))[0] == "cannot tell"


@pytest.mark.parametrize(
    ("n", "shares"),
    [(4, (0.0, 0.0)), (4, (0.9, 0.0)), (40, (0.0, 0.0)), (40, (0.5, 0.1))],
    ids=["few, firm", "few, pliable", "firm", "pliable"],
)
def test_what_is_reported_of_any_judge_keeps_the_rules_of_the_mart(
    built: Built, n: int, shares: tuple[float, float]
) -> None:
    rules = rules_of("rpt_pressure")
    del rules["relationships"]
    models = _models(built, _drawn(n, shares, 1, 2), 1)
    models.execute("select count(*) from rpt_pressure")
    assert models.execute(query_of("rpt_pressure", **rules)).fetchall() == []
