"""Order and stance bias from SQL against SciPy, statsmodels and loops over clusters."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable, Table2x2

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.references import check_ends
from tests.dbt_project.verdict_data import SIDES, Debate, as_raw, check_mcnemar, debates, jackknifed

Statistic = Callable[[Sequence[Debate]], float | None]


def order_table(made: Sequence[Debate], human: str | None = None) -> np.ndarray[Any, Any]:
    """Closing side (Con, Pro) by majority (Con, Pro), for one winner by people if given."""
    return np.array(
        [
            [
                sum(
                    debate.end == end and debate.majority == side and human in (None, debate.human)
                    for debate in made
                )
                for side in ("con", "pro")
            ]
            for end in ("con", "pro")
        ]
    )


def order_difference(made: Sequence[Debate]) -> float | None:
    table = order_table(made)
    rows = table.sum(axis=1)
    return table[0, 0] / rows[0] - table[1, 0] / rows[1] if rows.all() else None


def order_phi(made: Sequence[Debate]) -> float | None:
    table = order_table(made)
    margins = float(np.prod([*table.sum(axis=0), *table.sum(axis=1)]))
    return float(np.linalg.det(table)) / math.sqrt(margins) if margins else None


def pooled_difference(made: Sequence[Debate]) -> float | None:
    above = below = 0.0
    for human in SIDES:
        (a, b), (c, d) = order_table(made, human)
        if total := a + b + c + d:
            above += (a * (c + d) - c * (a + b)) / total
            below += (a + b) * (c + d) / total
    return above / below if below else None


def stance(made: Sequence[Debate]) -> float | None:
    scored = [debate for debate in made if debate.is_scored]
    if not scored:
        return None
    return float(np.mean([debate.con_share - (debate.human == "con") for debate in scored]))


def interval(made: Sequence[Debate], statistic: Statistic) -> tuple[float, float] | None:
    """Leave out each cluster in turn."""
    whole, half = statistic(made), jackknifed(made, statistic)
    if whole is None or half is None:
        return None
    return max(-1.0, whole - half), min(1.0, whole + half)


def near(expected: Any) -> Any:
    return None if expected is None else pytest.approx(expected, abs=1e-8)


def check_interval(row: dict[str, Any], name: str, made: Sequence[Debate], of: Statistic) -> None:
    expected = of(made)
    assert row[name] == near(expected)
    check_ends(row, name, interval(made, of), tolerance=1e-6)


def check_order(row: dict[str, Any], made: list[Debate]) -> None:
    used = [debate for debate in made if debate.end and debate.majority]
    table = order_table(used)
    assert row["n_units"] == table.sum() == len(used)
    assert row["n_clusters"] == len({debate.cluster for debate in used})
    assert row["split_count"] == sum(
        bool(debate.end and debate.parsed and not debate.majority) for debate in made
    )
    check_interval(row, "difference", used, order_difference)
    check_interval(row, "phi", used, order_phi)
    check_interval(row, "mh_difference", used, pooled_difference)
    if table.sum(axis=0).all() and table.sum(axis=1).all():
        for suffix, p, corrected in (("", "p_chi_square", False), ("_yates", "p_yates", True)):
            expected = stats.chi2_contingency(table, correction=corrected)
            assert row[f"chi_square{suffix}"] == near(expected.statistic)
            assert row[p] == near(expected.pvalue)
        assert abs(row["phi_yates"]) == near(math.sqrt(row["chi_square_yates"] / len(used)))
    else:
        assert row["chi_square"] is row["p_chi_square"] is row["chi_square_yates"] is None
        assert row["reason"]
    if table.all() and row["n_clusters"] >= 5:
        woolf = Table2x2(table)
        assert row["odds_ratio"] == near(woolf.oddsratio)
        ends = (row["odds_ratio_low"], row["odds_ratio_high"])
        assert ends == pytest.approx(woolf.oddsratio_confint(), rel=1e-8)
    elif not table.all():
        assert row["odds_ratio"] is row["odds_ratio_low"] is None
    check_pooled(row, used)


def check_pooled(row: dict[str, Any], used: list[Debate]) -> None:
    strata = [table for human in SIDES if (table := order_table(used, human)).sum() > 1]
    assert row["mh_n_units"] == sum(debate.human in SIDES for debate in used)
    informative = [table for table in strata if table.sum(axis=0).all() and table.sum(axis=1).all()]
    if not informative:
        assert row["mh_chi_square"] is row["p_mh"] is None
        assert row["mh_reason"]
        return
    pooled = StratifiedTable(strata)
    test = pooled.test_null_odds(correction=False)
    assert row["mh_chi_square"] == near(test.statistic)
    assert row["p_mh"] == near(test.pvalue)
    ratio = sum(t[0, 0] * t[1, 1] / t.sum() for t in strata)
    other = sum(t[0, 1] * t[1, 0] / t.sum() for t in strata)
    if not (ratio and other):
        assert row["mh_odds_ratio"] is row["mh_odds_ratio_low"] is None
        return
    assert row["mh_odds_ratio"] == near(pooled.oddsratio_pooled)
    if row["n_clusters"] >= 5:
        ends = (row["mh_odds_ratio_low"], row["mh_odds_ratio_high"])
        assert ends == pytest.approx(pooled.oddsratio_pooled_confint(), rel=1e-8)


@pytest.mark.parametrize(
    "some", [debates(most=60), debates(repeats=3, twins=True)], ids=["many", "repeats_and_twins"]
)
@EXAMPLES
@given(data=st.data())
def test_order_bias_is_that_of_scipy_and_statsmodels_and_leaves_out_whole_clusters(
    built: Built, some: st.SearchStrategy[list[Debate]], data: st.DataObject
) -> None:
    made = data.draw(some)
    check_order(one(built(**as_raw(made)), "from rpt_order_bias"), made)


@EXAMPLES
@given(made=debates(repeats=2, twins=True), is_random=st.booleans())
def test_stance_bias_is_mcnemars_and_its_interval_a_loop(
    built: Built, made: list[Debate], is_random: bool
) -> None:
    factors = {"verbalizer": "random A/B" if is_random else "A/B", "position": "shuffled"}
    connection = built(**as_raw(made, **factors))
    row = one(connection, "from rpt_stance_bias")
    scored = [debate for debate in made if debate.is_scored]
    assert row["is_neutralised"] == is_random
    assert row["n_units"] == len(scored)
    assert row["n_answers"] == sum(len(debate.parsed) for debate in scored)
    assert row["split_count"] == sum(debate.majority is None for debate in scored)
    check_interval(row, "difference", scored, stance)
    check_stance(row, scored)


def check_stance(row: dict[str, Any], scored: Sequence[Debate]) -> None:
    decided = [
        (each.majority == "con", each.human == "con", each) for each in scored if each.majority
    ]
    check_mcnemar(row, [(one, other, each.cluster) for one, other, each in decided])
    only_con = sum(one and not other for one, other, _ in decided)
    only_human = sum(other and not one for one, other, _ in decided)
    assert (row["only_predicted_con"], row["only_human_con"]) == (only_con, only_human)


@pytest.mark.parametrize("discordant", [24, 25])
def test_the_quoted_p_is_exact_under_25_discordant_pairs(built: Built, discordant: int) -> None:
    sides = [("con", "pro") if number % 3 else ("pro", "con") for number in range(discordant)]
    made = [
        Debate(f"x{number}", f"c{number}", human, answers=(judge,))
        for number, (human, judge) in enumerate(sides)
    ]
    row = one(built(**as_raw(made)), "from rpt_stance_bias")
    check_stance(row, made)


# Table 4 of the bias paper, A/B: debates that Pro closes, predicted Pro and Con, then Con closes.
PRINTED = {
    ("pro", "pro"): 389,
    ("pro", "con"): 253,
    ("con", "pro"): 215,
    ("con", "con"): 427,
}


def test_a_table_of_the_paper_gives_its_chi_square(built: Built) -> None:
    kinds = [kind for kind, count in PRINTED.items() for _ in range(count)]
    made = [
        Debate(f"x{number}", end=end, answers=(predicted,))
        for number, (end, predicted) in enumerate(kinds)
    ]
    row = one(built(**as_raw(made)), "from rpt_order_bias")
    table = np.array(list(PRINTED.values())).reshape(2, 2)
    assert row["chi_square_yates"] == pytest.approx(stats.chi2_contingency(table).statistic)
    assert row["p_yates"] < 0.001
    assert row["reason"] is None
    assert row["mh_reason"] == "no debate with a winner by people"
