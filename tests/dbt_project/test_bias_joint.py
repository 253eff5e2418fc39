"""The joint model from raw verdicts to the mart, and what a second build makes of changed data."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ingestion.raw_tables import remove_rows
from tests.dbt_project.compiled_models import EXAMPLES, Built, run_python_model
from tests.dbt_project.raw_rows import NOW, insert
from tests.dbt_project.verdict_data import Debate, debate_rows
from tests.dbt_runs import run_dbt
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.writer import build_connection

Rows = list[dict[str, Any]]
N_DEBATES = 24
FITS = DBT_PROJECT / "models/debates/bias/int_bias_joint_fitted.py"
# Models made in parts, with what their rows are counted by.
IN_PARTS = {
    "int_bias_verdicts": "int_verdict_units",
    "int_bias_contrasts": "int_verdict_units",
    "int_bias_means": "int_bias_verdicts",
    "int_bias_differences": "int_bias_verdicts",
    "int_bias_orders": "int_bias_verdicts",
}
IN_ORDER = "order by experiment, judge_id, term"
VARIANTS = [
    (position, labels) for position in ("pro", "con") for labels in (("A", "B"), ("B", "A"))
]


def raw_tables(seed: int, judges: Iterable[str]) -> dict[str, Rows]:
    """Debates, and judges' verdicts on them under two positions and two orders of labels.

    Each debate draws who wins, who closes and the lengths by its own number, and each judge its
    verdicts by its own name, so that one judge's rows do not depend on which others there are.
    """
    random = np.random.default_rng(seed)
    debates = [
        Debate(
            f"d{number:02d}",
            f"c{number:02d}",
            str(random.choice(["pro", "con"])),
            str(random.choice(["pro", "con"])),
            3,
            (int(random.integers(1, 9)), int(random.integers(1, 9))),
        )
        for number in range(N_DEBATES)
    ]
    verdicts = []
    for judge in judges:
        random = np.random.default_rng([seed, *judge.encode()])
        for number in range(N_DEBATES):
            for first_side, (pro_label, con_label) in VARIANTS:
                verdicts.append(
                    {
                        "judge_id": judge,
                        "debate_id": f"d{number:02d}",
                        "first_side": first_side,
                        "pro_label": pro_label,
                        "con_label": con_label,
                        "winner": str(random.choice(["pro", "con", "con"])),
                    }
                )
    return debate_rows(debates) | {"verdicts": verdicts}


@EXAMPLES
@given(seed=st.integers(0, 10_000))
def test_the_mart_holds_what_statsmodels_makes_of_the_raw_verdicts(built: Built, seed: int) -> None:
    tables = raw_tables(seed, ["j/a"])
    verdicts = tables["verdicts"]
    found = (
        built(raw=tables)
        .execute(
            "select term, n_units, n_clusters, marginal_effect, statistic, df, p, reason "
            "from rpt_bias_joint"
        )
        .fetchall()
    )
    words = {row["item_id"]: row["word_count"] for row in tables["speeches"]}
    winner = {row["debate_id"]: row["winner"] for row in tables["debate_outcomes"]}
    closing = {row["debate_id"]: row["end_side"] for row in tables["debates"]}
    design = np.array(
        [
            [
                1,
                row["first_side"] == "pro",
                row["pro_label"] == "A",
                closing[row["debate_id"]] == "con",
                np.log2(words[f"{row['debate_id']}-con"] / words[f"{row['debate_id']}-pro"]),
                winner[row["debate_id"]] == "con",
            ]
            for row in verdicts
        ],
        dtype=float,
    )
    is_con = np.array([row["winner"] == "con" for row in verdicts], dtype=float)
    groups = np.array([int(row["debate_id"][1:]) for row in verdicts])
    result = sm.Logit(is_con, design).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": groups}
    )
    effects = result.get_margeff(dummy=True)
    assert [row[0] for row in found] == [
        "con second",
        "label A/B",
        "con closes",
        "log2 length ratio",
        "human winner con",
    ]
    for number, row in enumerate(found):
        assert row[1:3] == (len(verdicts), N_DEBATES)
        assert row[3] == pytest.approx(effects.margeff[number], rel=1e-6, abs=1e-9)
        assert row[4] == pytest.approx(effects.tvalues[number], rel=1e-5, abs=1e-9)
        assert row[5] == N_DEBATES - 1
        assert row[6] == pytest.approx(2 * stats.t.sf(abs(effects.tvalues[number]), N_DEBATES - 1))
        assert row[7] is None


def load(home: Home, tables: Mapping[str, Rows]) -> None:
    """Make these the only rows of the raw tables."""
    for number, row in enumerate(tables["verdicts"]):
        row |= {"request_id": str(number), "answered_at": NOW}
    with build_connection(home) as connection:
        for table, rows in tables.items():
            remove_rows(connection, table, "true")
            insert(connection, table, rows)


def stored(home: Home) -> list[tuple[Any, ...]]:
    """Return the fits as they are stored."""
    with build_connection(home) as connection:
        return connection.execute(f"from intermediate.{FITS.stem} {IN_ORDER}").fetchall()


def fitted_anew(home: Home) -> list[tuple[Any, ...]]:
    """Return what the model gives where nothing has been fitted before."""
    with build_connection(home) as connection:
        fits = run_python_model(connection, FITS)  # noqa: F841
        return connection.execute(f"from fits {IN_ORDER}").fetchall()


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose fits, and what is made in parts, have been built of three judges."""
    home = Home(tmp_path_factory.mktemp("once") / "home").ensure()
    load(home, raw_tables(1, ["j/a", "j/b", "j/c"]))
    selected = [f"+{name}" for name in (FITS.stem, *IN_PARTS)]
    run_dbt(home, "run", "--select", *selected, "--vars", '{"rows_per_part": 30}')
    return home


@pytest.mark.slow
def test_models_made_in_parts_have_the_rows_of_one_made_at_once(built_once: Home) -> None:
    results = json.loads((built_once.dbt_target / "run_results.json").read_text())["results"]
    codes = {each["unique_id"].rsplit(".", 1)[1]: each["compiled_code"] for each in results}
    with build_connection(built_once) as connection:
        for name in ("int_verdict_units", *IN_PARTS):
            made = connection.table(f"intermediate.{name}")
            # What is added up in another order differs in the last digit.
            rounded = ", ".join(
                f"round({column}, 9) as {column}" if kind == "DOUBLE" else column
                for column, kind in zip(made.columns, made.types, strict=True)
            )
            rows, at_once = made.project(rounded), connection.sql(codes[name]).project(rounded)
            apart = rows.except_(at_once).fetchall(), at_once.except_(rows).fetchall()
            assert (name, apart, rows.shape) == (name, ([], []), at_once.shape)
        for name, parent in IN_PARTS.items():
            counted = connection.sql(f"select 1 + count(*) // 30 from intermediate.{parent}")
            (parts,) = counted.fetchone() or (0,)
            in_order = connection.sql(
                f"select hash(group_id) % {parts} from intermediate.{name} order by rowid"
            ).fetchall()
            assert in_order == sorted(in_order), name
            assert len(set(in_order)) > 1


@pytest.mark.slow
def test_a_second_build_refits_only_changed_judges_and_ends_as_a_fresh_one(
    built_once: Home,
) -> None:
    home = built_once
    before = stored(home)
    marked = (
        "update intermediate.int_bias_joint_fitted set n_answers = 99 where term = 'con second'"
    )
    with build_connection(home) as connection:
        connection.execute(marked)
    # One judge is gone, one says something else, one is new; and a debate nobody judged shifts keys.
    second = raw_tables(1, ["j/a", "j/b", "j/d"])
    second["debates"].append({**second["debates"][0], "debate_id": "a", "cluster_id": "a"})
    for row in second["verdicts"][:150]:
        if row["judge_id"] == "j/b":
            row["winner"] = "pro"
    load(home, second)
    run_dbt(home, "run", "--select", f"+{FITS.stem}")
    after = stored(home)
    fresh = fitted_anew(home)
    judges = {row[2] for row in fresh}
    assert judges == {"j/a", "j/b", "j/d"}
    # What was marked shows which fit was taken from before; all else is as a fresh build has it.
    kept = [row for row in after if row[2] == "j/a" and row[4] == "con second"]
    assert [row[7] for row in kept] == [99]
    assert [row for row in after if row not in kept] == [
        row for row in fresh if (row[2], row[4]) != ("j/a", "con second")
    ]
    assert [row for row in fresh if row[2] == "j/a"] == [row for row in before if row[2] == "j/a"]
