"""The battery: which p-values are corrected together, against SciPy and statsmodels."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from tests.dbt_project.compiled_models import EXAMPLES, Compiled, over, rows_of

KEYS = (
    "experiment varchar, dataset_id varchar, judge_id varchar, template varchar, outcome varchar, "
)
SIZES = (
    "n_units bigint, n_clusters bigint, n_answers bigint, split_count bigint, reason varchar, "
    "p double, "
)
EFFECT = "difference double, difference_low double, difference_high double, "
PAIRED = (
    KEYS + EFFECT + SIZES + "contrast varchar, variant_a varchar, variant_b varchar, "
    "mcnemar_of_clusters double, p_kind varchar"
)
ONE_WAY = KEYS + EFFECT + SIZES + "variant_id varchar, "
TABLES = {
    "intermediate.int_bias_arms": KEYS + "setting_id bigint, variant_id varchar, wording varchar, "
    "group_id bigint, block_arm_count bigint, why_descriptive varchar",
    "intermediate.int_bias_pairs": "setting_a bigint, setting_b bigint, why_descriptive varchar",
    "intermediate.int_bias_pooled": KEYS
    + SIZES
    + "wording varchar, bias varchar, contrast varchar, "
    "effect double, effect_low double, effect_high double, statistic double, "
    "statistic_kind varchar, df double, incomplete_count bigint, arm_count bigint, q double, "
    "q_df double, q_p double, i_squared double, q_reason varchar, is_heterogeneous boolean, "
    "group_id bigint",
    "marts.rpt_position_bias": PAIRED,
    "marts.rpt_label_bias": PAIRED,
    "marts.rpt_order_bias": ONE_WAY + "mh_difference double, mh_difference_low double, "
    "mh_difference_high double, mh_chi_square double, p_mh double, mh_n_units bigint, "
    "mh_reason varchar",
    "marts.rpt_stance_bias": ONE_WAY + "mcnemar_of_clusters double, p_kind varchar",
    "marts.rpt_verbosity_bias": ONE_WAY + "statistic double, df double, "
    "difference_per_ten_pct_words double, difference_per_ten_pct_words_low double, "
    "difference_per_ten_pct_words_high double",
    "marts.rpt_bias_joint": KEYS + SIZES + "incomplete_count bigint, term varchar, "
    "marginal_effect double, marginal_effect_low double, marginal_effect_high double, "
    "share_change double, share_change_low double, share_change_high double, "
    "statistic double, df double",
}
P_VALUES = st.one_of(st.none(), st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.04, 0.05]))


def battery(compiled: Compiled, tables: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the battery made from rows of the marts it reads."""
    common = {"experiment": "e", "dataset_id": "d", "template": "t", "outcome": "winner"}
    common |= dict.fromkeys(("n_units", "n_clusters", "n_answers"), 9)
    known = {
        table: [
            {name: value for name, value in (common | row).items() if f"{name} " in columns}
            for row in tables.get(table.split(".")[1], ())
        ]
        for table, columns in TABLES.items()
    }
    return rows_of(over(compiled, TABLES, known), "from rpt_bias_battery")


@EXAMPLES
@given(
    pooled=st.lists(P_VALUES, max_size=8),
    ways=st.lists(st.tuples(st.booleans(), P_VALUES), max_size=6),
    joint=st.lists(P_VALUES, max_size=5),
    data=st.data(),
)
def test_one_p_of_each_pooled_test_enters_the_family_and_no_way_of_asking_does(
    compiled: Compiled,
    pooled: list[float | None],
    ways: list[tuple[bool, float | None]],
    joint: list[float | None],
    data: st.DataObject,
) -> None:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    families: dict[str, list[float]] = defaultdict(list)
    for at, p in enumerate(pooled):
        judge = data.draw(st.sampled_from(["j/a", "j/b"]))
        row = {"judge_id": judge, "bias": f"bias {at}", "contrast": "c", "arm_count": 2, "p": p}
        tables["int_bias_pooled"].append(row)
        if p is not None:
            families[f"e / d / {judge}"].append(p)
    for at, (is_neutral, p) in enumerate(ways):
        why = None if is_neutral else "Con is always named second"
        way = {"judge_id": "j/a", "variant_id": f"v{at}", "setting_id": at}
        tables["int_bias_arms"].append({**way, "why_descriptive": why})
        tables["rpt_stance_bias"].append({**way, "p": p, "difference": 0.1})
        tables["rpt_order_bias"].append({**way, "p_mh": p, "mh_difference": 0.1})
    for at, p in enumerate(joint):
        judge = data.draw(st.sampled_from(["j/a", "j/b"]))
        tables["rpt_bias_joint"].append({"judge_id": judge, "term": f"term {at}", "p": p})
        if p is not None:
            families[f"e / d / {judge} / joint model"].append(p)
    tables["rpt_bias_joint"].append({"judge_id": "j/a", "term": "human winner con", "p": 0.0})

    rows = battery(compiled, tables)
    assert len(rows) == len(pooled) + 2 * len(ways) + len(joint) + 1
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["p_adjusted"] is not None:
            assert row["role"] == "test"
            found[row["family_id"]].append((row["p"], row["p_adjusted"]))
            assert row["is_significant"] == (row["p_adjusted"] < 0.05)
        else:
            assert row["is_significant"] is None
    assert set(found) == set(families)
    for family, values in families.items():
        expected = sorted(zip(values, false_discovery_control(values), strict=True))
        assert [p for p, _ in sorted(found[family])] == [p for p, _ in expected]
        assert [q for _, q in sorted(found[family])] == pytest.approx([q for _, q in expected])
        again = multipletests(values, method="fdr_bh")[1]
        assert sorted(again) == pytest.approx(sorted(q for _, q in found[family]))
    for row in rows:
        if row["p"] is not None and row["p_adjusted"] is None:
            assert row["reason"]
            assert (row["role"] == "description" and row["bias"] == "stance") == (
                row["bias"] == "stance" and row["reason"].startswith("descriptive: Con is always")
            )
    roles = [row["role"] for row in rows if row["bias"] == "stance"]
    assert roles.count("arm") == sum(is_neutral for is_neutral, _ in ways)


def test_the_sentence_says_which_way_by_how_much_and_never_that_there_is_no_bias(
    compiled: Compiled,
) -> None:
    pooled = {"judge_id": "j/a", "bias": "label", "contrast": "second label - first label"}
    rows = battery(
        compiled,
        {
            "int_bias_pooled": [
                {
                    **pooled,
                    "wording": "a",
                    "effect": 0.5,
                    "effect_low": 0.42,
                    "effect_high": 0.58,
                    "p": 1e-9,
                },
                {
                    **pooled,
                    "wording": "b",
                    "effect": -0.5,
                    "p": 1e-9,
                    "reason": "every cluster differs alike",
                },
                {
                    **pooled,
                    "wording": "c",
                    "effect": 0.001,
                    "effect_low": -0.002,
                    "effect_high": 0.004,
                    "p": 0.9,
                    "n_units": 5000,
                },
                {**pooled, "wording": "d", "n_units": 0, "reason": "no debate in both"},
            ],
            "int_bias_arms": [
                {
                    "judge_id": "j/a",
                    "variant_id": "v",
                    "setting_id": 1,
                    "wording": "e",
                    "why_descriptive": "Con is always named second",
                },
            ],
            "rpt_stance_bias": [
                {"judge_id": "j/a", "variant_id": "v", "difference": -0.2, "p": 0.001},
            ],
        },
    )
    found = {row["wording"]: (row["finding"], row["reason"]) for row in rows}
    clause = "when Con has the second label of its set than when it has the first"
    assert found == {
        "a": (f"Names Con more often {clause}: +50.0 points (95 % interval +42.0 to +58.0)", None),
        "b": (
            f"Names Con less often {clause}: -50.0 points (no interval)",
            "every cluster differs alike",
        ),
        "c": (
            f"Cannot tell at 5000 debates whether Con is named more or less often {clause}: "
            "+0.1 points (95 % interval -0.2 to +0.4)",
            None,
        ),
        "d": ("Not known: no debate in both", "no debate in both"),
        "e": (
            "Not tested (descriptive: Con is always named second). How much more often Con is named "
            "than people name it: -20.0 points (no interval)",
            "descriptive: Con is always named second",
        ),
    }
