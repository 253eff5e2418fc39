"""Verbosity bias from SQL against least squares of statsmodels with clustered errors."""

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.references import check_mean, check_share
from tests.dbt_project.verdict_data import Debate, as_raw, debates


def expected_slopes(used: list[Debate]) -> dict[str, Any]:
    """Fit judge, people and their difference; CR1 errors, t with one less than the clusters."""
    doublings = np.array([math.log2(debate.words[1] / debate.words[0]) for debate in used])
    judge = np.array([debate.con_share for debate in used])
    human = np.array([float(debate.human == "con") for debate in used])
    clusters = np.unique([debate.cluster for debate in used], return_inverse=True)[1]
    found: dict[str, Any] = {}
    for name, values in {
        "judge_slope": judge,
        "human_slope": human,
        "difference": judge - human,
    }.items():
        fit = sm.OLS(values, sm.add_constant(doublings)).fit(
            cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True}, use_t=True
        )
        low, high = fit.conf_int()[1]
        found |= {name: fit.params[1], f"{name}_low": low, f"{name}_high": high}
        found |= {"statistic": fit.tvalues[1], "p": fit.pvalues[1], "error": fit.bse[1]}
    return found


def check(row: dict[str, Any], made: list[Debate]) -> None:
    used = [debate for debate in made if debate.is_scored and all(debate.words)]
    clusters = len({debate.cluster for debate in used})
    assert (row["n_units"], row["n_clusters"]) == (len(used), clusters)
    assert row["n_answers"] == sum(len(debate.parsed) for debate in used)
    ratios = {math.log2(debate.words[1] / debate.words[0]) for debate in used}
    if len(ratios) < 2:
        assert row["judge_slope"] is row["human_slope"] is row["difference"] is row["p"] is None
        assert row["reason"]
    elif clusters < 5:
        assert row["difference_low"] is row["p"] is None
        steepest = max(abs(row[name]) for name in ("judge_slope", "human_slope", "difference"))
        beyond = "for 10 % more words the share would change by more than 1"
        expected_reason = beyond if steepest * math.log2(1.1) > 1 else "fewer than 5 clusters"
        assert row["reason"].startswith(expected_reason)
    else:
        expected = expected_slopes(used)
        if expected["error"] > 1e-9:
            assert row["statistic"] == pytest.approx(expected["statistic"], rel=1e-6, abs=1e-9)
            assert row["p"] == pytest.approx(expected["p"], abs=1e-8)
            assert row["df"] == clusters - 1
        for name in ("judge_slope", "human_slope", "difference"):
            assert row[name] == pytest.approx(expected[name], abs=1e-8)
            found = (row[f"{name}_low"], row[f"{name}_high"])
            low, high = expected[f"{name}_low"], expected[f"{name}_high"]
            if high - low > 1e-8:
                assert found == pytest.approx((low, high), abs=1e-8)
            else:
                assert found == (None, None)
    check_longer([debate for debate in used if debate.words[0] != debate.words[1]], row)


def check_longer(unequal: list[Debate], row: dict[str, Any]) -> None:
    if not unequal:
        assert row["longer_wins_judge"] is row["longer_difference"] is None
        return
    is_con = [debate.words[1] > debate.words[0] for debate in unequal]
    judge = [
        debate.con_share if con else 1 - debate.con_share
        for debate, con in zip(unequal, is_con, strict=True)
    ]
    human = [
        float((debate.human == "con") == con) for debate, con in zip(unequal, is_con, strict=True)
    ]
    assert row["longer_wins_human"] == pytest.approx(np.mean(human))
    clusters = [debate.cluster for debate in unequal]
    differences = [a - b for a, b in zip(judge, human, strict=True)]
    check_mean(row, "longer_difference", differences, clusters)
    check_share(row, "longer_wins_judge", judge, clusters)


@pytest.mark.parametrize(
    "some", [debates(most=60), debates(repeats=3, twins=True)], ids=["many", "repeats_and_twins"]
)
@EXAMPLES
@given(data=st.data())
def test_slopes_are_those_of_statsmodels_and_twins_are_one_cluster_of_their_errors(
    built: Built, some: st.SearchStrategy[list[Debate]], data: st.DataObject
) -> None:
    made = data.draw(some)
    check(one(built(**as_raw(made)), "from rpt_verbosity_bias"), made)
