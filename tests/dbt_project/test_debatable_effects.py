"""Effects of how a model is asked, against SciPy and statsmodels."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models, one
from tests.dbt_project.question_data import Likelihood, answer, likelihoods, questions, score

PAIR = st.tuples(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(4, 7),
    st.integers(4, 7),
    st.booleans(),
    st.booleans(),
)


def effects(built: Built, drawn: list[tuple[Any, ...]]) -> Models:
    """Return the mart of one model that was given two prompts."""
    names = [f"q{number}" for number in range(len(drawn))]
    answers, found, scores = [], [], []
    for name, (one_loss, other_loss, short, long, one_aware, other_aware) in zip(
        names, drawn, strict=True
    ):
        for prompt, loss, size, aware in (
            ("basic", one_loss, short, one_aware),
            ("detailed", other_loss, long, other_aware),
        ):
            made = answer(name, "a", words=2**size, template=prompt)
            answers.append(made)
            found += likelihoods(made, [Likelihood(-float(loss), 1)])
            scores.append(score(made, float(aware)))
    return built(
        raw=questions(dict.fromkeys(names, 1))
        | {"answers": answers, "likelihoods": found, "scores": scores}
    )


@EXAMPLES
@given(drawn=st.lists(PAIR, min_size=2, max_size=12))
def test_effects_are_paired_tests_of_scipy_and_statsmodels(
    built: Built, drawn: list[tuple[Any, ...]]
) -> None:
    connection = effects(built, drawn)
    diverse = one(connection, "from rpt_answer_effects where metric = 'perspective_diversity'")
    aware = one(connection, "from rpt_answer_effects where metric = 'dispute_awareness'")
    assert (diverse["level_a"], diverse["level_b"]) == ("basic", "detailed")
    losses = np.exp([[each[0], each[1]] for each in drawn])
    difference = losses[:, 1] - losses[:, 0]
    assert diverse["difference"] == pytest.approx(difference.mean())
    if np.ptp(difference) < 1e-9:
        assert diverse["p"] is None
        assert diverse["reason"] == "every question differs alike"
    else:
        expected = stats.ttest_rel(losses[:, 1], losses[:, 0])
        assert diverse["statistic"] == pytest.approx(expected.statistic)
        assert diverse["p"] == pytest.approx(expected.pvalue)
        if len(drawn) >= 5:
            interval = expected.confidence_interval()
            assert (diverse["difference_low"], diverse["difference_high"]) == pytest.approx(
                (interval.low, interval.high)
            )
    check_equal_length(diverse, difference, np.array([each[3] - each[2] for each in drawn]))
    only_a = sum(each[4] and not each[5] for each in drawn)
    only_b = sum(each[5] and not each[4] for each in drawn)
    assert (aware["only_a"], aware["only_b"]) == (only_a, only_b)
    if only_a + only_b:
        exact = mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue
        assert (aware["p"], aware["p_kind"]) == (pytest.approx(exact), "exact")
    else:
        assert (aware["p"], aware["reason"]) == (None, "no discordant questions")
    known = [row["p"] for row in (diverse, aware) if row["p"] is not None]
    if known:
        adjusted = multipletests(known, method="fdr_bh")[1]
        found = [row["p_adjusted"] for row in (diverse, aware) if row["p"] is not None]
        assert found == pytest.approx(adjusted)


def check_equal_length(row: dict[str, Any], difference: Any, longer: Any) -> None:
    """Compare the difference at equal length with the intercept of a regression."""
    overlap = min((longer >= 0).mean(), (longer <= 0).mean())
    assert row["length_overlap_share"] == pytest.approx(overlap)
    if overlap == 0 or len(longer) < 5 or np.ptp(longer) == 0:
        assert row["difference_at_equal_length"] is None
        return
    fitted = sm.OLS(difference, sm.add_constant(longer.astype(float))).fit()
    assert row["difference_at_equal_length"] == pytest.approx(fitted.params[0], abs=1e-6)
    low, high = fitted.conf_int()[0]
    assert row["difference_at_equal_length_low"] == pytest.approx(low, abs=1e-5)
    assert row["difference_at_equal_length_high"] == pytest.approx(high, abs=1e-5)


def test_from_25_discordant_questions_mcnemar_is_the_uncorrected_one(built: Built) -> None:
    drawn = [(1, 2, 5, 5, False, True)] * 20 + [(1, 2, 5, 5, True, False)] * 6
    row = one(effects(built, drawn), "from rpt_answer_effects where metric = 'dispute_awareness'")
    expected = mcnemar([[0, 6], [20, 0]], exact=False, correction=False)
    assert row["p_kind"] == "uncorrected"
    assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue))


def test_a_baseline_shared_by_two_experiments_is_compared_in_both(built: Built) -> None:
    answers = []
    for name in ("q0", "q1"):
        base = answer(name, "a", temperature=0.0)
        answers += [
            base,
            base | {"run_id": "later", "experiment": "f", "answered_at": "2026-02-01 00:00:00"},
            answer(name, "a", template="detailed", temperature=0.0),
            answer(name, "a", temperature=1.0) | {"experiment": "f"},
        ]
    connection = built(
        raw=questions({"q0": 1, "q1": 1})
        | {
            "answers": answers,
            "scores": [score(each, 1.0) for each in answers if each["run_id"] != "later"],
        }
    )
    found = connection.execute(
        "select experiment, factor, level_a, level_b, n_questions from rpt_answer_effects order by all"
    ).fetchall()
    assert found == [("e", "prompt", "basic", "detailed", 2), ("f", "temperature", "0.0", "1.0", 2)]
