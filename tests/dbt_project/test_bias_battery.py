"""The battery: which p-values are corrected together, against SciPy and statsmodels."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from tests.dbt_project.compiled_models import EXAMPLES, Compiled
from tests.dbt_project.test_verdict_contrasts import FIXED, SHUFFLED, fetch

KEYS = "experiment varchar, dataset_id varchar, judge_id varchar, "
SIZES = "n_units bigint, n_clusters bigint, n_answers bigint, reason varchar"
EFFECT = "difference double, difference_low double, difference_high double, p double, "
PAIRED = (
    KEYS + EFFECT + SIZES + ", contrast varchar, variant_a varchar, variant_b varchar, "
    "mcnemar_of_clusters double, p_kind varchar"
)
TABLES = {
    "rpt_position_bias": PAIRED,
    "rpt_label_bias": PAIRED,
    "rpt_order_bias": KEYS + SIZES + ", variant_id varchar, mh_difference double, "
    "mh_difference_low double, mh_difference_high double, mh_chi_square double, p_mh double, "
    "mh_n_units bigint, mh_reason varchar",
    "rpt_stance_bias": KEYS + EFFECT + SIZES + ", variant_id varchar, mcnemar_of_clusters double, "
    "p_kind varchar, is_neutralised boolean",
    "rpt_verbosity_bias": KEYS
    + EFFECT
    + SIZES
    + ", variant_id varchar, statistic double, df double",
    "rpt_bias_joint": KEYS + SIZES + ", term varchar, marginal_effect double, "
    "marginal_effect_low double, marginal_effect_high double, statistic double, df double, p double",
}
P_VALUES = st.one_of(st.none(), st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.04, 0.05]))


def battery(compiled: Compiled, tables: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the battery made from rows of the marts it reads."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("attach ':memory:' as build; use build; create schema marts")
    for name, columns in TABLES.items():
        connection.execute(f"create table marts.{name} ({columns})")
        for known in tables.get(name, []):
            row = {
                "experiment": "e", "dataset_id": "d", "n_units": 9, "n_clusters": 9, "n_answers": 9,
                **known,
            }  # fmt: skip
            connection.execute(
                f"insert into marts.{name} ({', '.join(row)}) values ({', '.join('?' * len(row))})",
                list(row.values()),
            )
    code = next(code for _, name, code in compiled.models if name == "rpt_bias_battery")
    assert not isinstance(code, Path)
    return fetch(connection, code)


@settings(EXAMPLES, max_examples=40)
@given(
    position=st.lists(st.tuples(st.booleans(), st.booleans(), P_VALUES, P_VALUES), max_size=4),
    label=st.lists(P_VALUES, max_size=5),
    order=st.lists(P_VALUES, max_size=4),
    stance=st.lists(P_VALUES, max_size=4),
    verbosity=st.lists(P_VALUES, max_size=4),
    joint=st.lists(P_VALUES, max_size=5),
    data=st.data(),
)
def test_every_contrast_brings_one_p_to_the_family_of_its_judge(
    compiled: Compiled,
    position: list[tuple[bool, bool, float | None, float | None]],
    label: list[float | None],
    order: list[float | None],
    stance: list[float | None],
    verbosity: list[float | None],
    joint: list[float | None],
    data: st.DataObject,
) -> None:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    families: dict[str, list[float]] = defaultdict(list)
    shown_only = 0

    def add(table: str, row: dict[str, Any], p: float | None, suffix: str = "") -> str:
        judge = data.draw(st.sampled_from(["j/a", "j/b"]))
        tables[table].append({"judge_id": judge, **row})
        if p is not None:
            families[f"e / d / {judge}{suffix}"].append(p)
        return judge

    for at, (has_both, has_shuffled, p, other) in enumerate(position):
        variant = {"variant_a": f"v{at}", "judge_id": "j/a"}
        if has_both:
            row = {**variant, "contrast": FIXED, "variant_b": "c", "p": p}
            add("rpt_position_bias", row, None)
            if p is not None:
                families["e / d / j/a"].append(p)
        if has_shuffled:
            row = {**variant, "contrast": SHUFFLED, "variant_b": "s", "p": other}
            add("rpt_position_bias", row, None)
            if other is not None and not has_both:
                families["e / d / j/a"].append(other)
            shown_only += has_both and other is not None
    for at, p in enumerate(label):
        add("rpt_label_bias", {"contrast": f"A/B - B/A{at}", "variant_a": "v", "p": p}, p)
    for at, p in enumerate(order):
        add("rpt_order_bias", {"variant_id": f"v{at}", "p_mh": p}, p)
    for name, values in (("stance", stance), ("verbosity", verbosity)):
        for at, p in enumerate(values):
            add(f"rpt_{name}_bias", {"variant_id": f"v{at}", "p": p}, p)
    for at, p in enumerate(joint):
        add("rpt_bias_joint", {"term": f"term {at}", "p": p}, p, " / joint model")
    add("rpt_bias_joint", {"term": "human winner con", "p": 0.0}, None)

    rows = battery(compiled, tables)
    assert len(rows) == sum(len(each) for each in tables.values())
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["p_adjusted"] is not None:
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
    untested = [row for row in rows if row["p"] is not None and row["p_adjusted"] is None]
    assert len(untested) == shown_only + 1
    assert all(row["reason"] for row in untested)


def test_the_sentence_says_which_way_by_how_much_and_never_that_there_is_no_bias(
    compiled: Compiled,
) -> None:
    paired = {
        "judge_id": "j/a", "contrast": "1/-1 - -1/1", "variant_b": "w", "p_kind": "uncorrected",
        "mcnemar_of_clusters": 1.0,
    }  # fmt: skip
    rows = battery(
        compiled,
        {
            "rpt_label_bias": [
                {**paired, "variant_a": "a", "difference": 0.5, "difference_low": 0.42,
                 "difference_high": 0.58, "p": 1e-9},
                {**paired, "variant_a": "b", "difference": -0.5, "difference_low": None,
                 "difference_high": None, "p": 1e-9, "reason": "every cluster differs alike"},
                {**paired, "variant_a": "c", "difference": 0.001, "difference_low": -0.002,
                 "difference_high": 0.004, "p": 0.9, "n_units": 5000},
                {**paired, "variant_a": "d", "difference": None, "p": None, "n_units": 0,
                 "reason": "no debate in both"},
            ],
            "rpt_stance_bias": [
                {"judge_id": "j/a", "variant_id": "e", "difference": -0.2, "p": 0.001,
                 "is_neutralised": False},
            ],
        },
    )  # fmt: skip
    found = {row["variant_a"]: (row["finding"], row["reason"]) for row in rows}
    clause = "when Con has the label -1 than when it has 1"
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
            "Names Con less often than people name it (labels and positions not both drawn at "
            "random): -20.0 points (no interval)",
            None,
        ),
    }
