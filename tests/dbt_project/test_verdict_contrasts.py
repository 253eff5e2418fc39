"""Paired contrasts of settings from SQL against statsmodels and plain loops, odd cases among them."""

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportions_ztest

from tests.dbt_project.compiled_models import EXAMPLES, Built, Compiled, one, rows_of
from tests.dbt_project.references import check_mean
from tests.dbt_project.verdict_data import Debate, check_mcnemar, debate_rows

Setting = tuple[str, str, str, str, str]
FIXED, SHUFFLED = "con second - con first", "fixed - shuffled"


class Unit(NamedTuple):
    """What one setting said on one debate: Con's share, its majority, the verdicts read."""

    share: float
    is_con: bool | None
    parsed: int


def study_of(
    winners: Mapping[tuple[str, str], str | None], verdicts: list[dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Return raw rows: of debate and cluster the winner by people, and the verdicts of judges."""
    debates = [Debate(name, cluster, winner) for (name, cluster), winner in winners.items()]
    return debate_rows(debates) | {"verdicts": verdicts}


def verdict(setting: Setting, debate: str, sample: int, winner: str | None) -> dict[str, Any]:
    judge, template, labels, position, outcome = setting
    return {
        "judge_id": judge,
        "template": template,
        "verbalizer": labels,
        "position": position,
        "outcome": outcome,
        "debate_id": debate,
        "sample": sample,
        "winner": winner,
        "parse_status": "parsed" if winner else "unparsed",
    }


@st.composite
def studies(draw: st.DrawFn, grid: list[Setting]) -> dict[str, Any]:
    """Debates, some of them twins, judged under each setting, with ties, repeats and failures."""
    n_clusters = draw(st.integers(1, 14))
    twins = draw(st.booleans())
    winners, rows = {}, []
    for number in range(n_clusters):
        for half in range(draw(st.integers(1, 3)) if twins else 1):
            winner = draw(st.sampled_from(["pro", "con", "con", "tie", None]))
            winners[f"d{number:02d}{half}", f"c{number}"] = winner
    repeats = draw(st.sampled_from([1, 1, 3]))
    for setting in grid:
        lean = draw(st.sampled_from(["pro", "con"]))
        for debate, _ in winners:
            for sample in range(repeats):
                said = draw(st.sampled_from(["pro", "con", lean, lean, "tie", None]))
                if said is not None or draw(st.booleans()):
                    rows.append(verdict(setting, debate, sample, said))
    return study_of(winners, rows)


def units(rows: list[dict[str, Any]]) -> dict[Setting, dict[str, Unit]]:
    said: dict[Setting, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = (row["judge_id"], row["template"], row["verbalizer"], row["position"], row["outcome"])
        if row["winner"]:
            said[key][row["debate_id"]].append(row["winner"])
    worth = {"con": 1.0, "tie": 0.5, "pro": 0.0}
    found: dict[Setting, dict[str, Unit]] = defaultdict(dict)
    for key, by_debate in said.items():
        for debate, winners in by_debate.items():
            con, pro = winners.count("con"), winners.count("pro")
            found[key][debate] = Unit(
                sum(worth[winner] for winner in winners) / len(winners),
                None if con == pro else con > pro,
                len(winners),
            )
    return found


def same(found: float | None, expected: float | None, tolerance: float = 1e-9) -> bool:
    if found is None or expected is None or math.isnan(expected):
        return found is None and (expected is None or math.isnan(expected))
    return found == pytest.approx(expected, abs=tolerance)


def check_paired(
    row: dict[str, Any],
    pairs: list[tuple[float, float, bool | None, bool | None, str]],
    names: tuple[str, str, str, str],
) -> None:
    """Hold one row of a mart against statsmodels.

    Args:
        pairs: Per debate in both settings: the two shares, the two majorities, the cluster.
        names: The columns of the table: both, only the first, only the second, neither.
    """
    clusters = [pair[4] for pair in pairs]
    assert row["n_units"] == len(pairs)
    assert row["n_clusters"] == len(set(clusters))
    table = [
        sum(pair[2] is first and pair[3] is second for pair in pairs)
        for first, second in ((True, True), (True, False), (False, True), (False, False))
    ]
    assert [row[name] for name in names] == table
    assert row["split_count"] == len(pairs) - sum(table)
    if pairs:
        differences = [pair[0] - pair[1] for pair in pairs]
        check_mean(row, "difference", differences, clusters)
    else:
        assert row["difference"] is None
    check_mcnemar(row, [pair[2:] for pair in pairs if None not in pair[2:4]])


def paired_on_con(
    study: dict[str, Any], first: dict[str, Unit], second: dict[str, Unit]
) -> list[tuple[float, float, bool | None, bool | None, str]]:
    return [
        (
            first[name].share,
            second[name].share,
            first[name].is_con,
            second[name].is_con,
            debate["cluster_id"],
        )
        for debate in study["debates"]
        if (name := debate["debate_id"]) in first and name in second
    ]


ORDERS: list[Setting] = [
    ("j/a", "t", "A/B", position, "winner") for position in ("pro_first", "con_first", "shuffled")
]
FLIPS: list[Setting] = [("j/a", "t", labels, "shuffled", "winner") for labels in ("B/A", "A/B")]


@EXAMPLES
@given(study=studies(ORDERS))
def test_position_bias_is_statsmodels_on_the_debates_both_orders_have(
    built: Built, study: dict[str, Any]
) -> None:
    connection = built(raw=study)
    said = units(study["verdicts"])
    found = {row["contrast"]: row for row in rows_of(connection, "from rpt_position_bias")}
    fixed, con_first, shuffled = (said.get(setting, {}) for setting in ORDERS)
    for contrast, other in ((FIXED, con_first), (SHUFFLED, shuffled)):
        row = found.get(contrast)
        if row is None:
            asked = {each["position"] for each in study["verdicts"]}
            assert not {"pro_first", "con_first" if contrast == FIXED else "shuffled"} <= asked
            continue
        pairs = paired_on_con(study, fixed, other)
        check_paired(row, pairs, ("both_con", "only_a_con", "only_b_con", "both_pro"))
        assert row["n_answers"] == sum(
            fixed[name].parsed + other[name].parsed for name in fixed.keys() & other.keys()
        )
        if fixed and other:
            sums = [sum(unit.share for unit in each.values()) for each in (fixed, other)]
            sizes = [len(fixed), len(other)]
            pooled = sum(sums) / sum(sizes)
            if 1e-9 < pooled < 1 - 1e-9:
                z, p = proportions_ztest(sums, sizes)
                assert same(row["z_paper"], z, 1e-7)
                assert same(row["p_z_paper"], p, 1e-7)
            else:
                assert row["z_paper"] is None


@EXAMPLES
@given(study=studies(FLIPS))
def test_label_bias_is_statsmodels_with_the_papers_order_of_labels(
    built: Built, study: dict[str, Any]
) -> None:
    connection = built(raw=study)
    said = units(study["verdicts"])
    for row in rows_of(connection, "from rpt_label_bias"):
        assert row["contrast"] == "A/B - B/A"
        pairs = paired_on_con(study, said.get(FLIPS[1], {}), said.get(FLIPS[0], {}))
        check_paired(row, pairs, ("both_con", "only_a_con", "only_b_con", "both_pro"))


def test_more_debates_than_a_block_of_bits_are_all_counted(
    built: Built, compiled: Compiled
) -> None:
    connection = built()
    connection.execute(
        "insert into int_verdict_contrasts (contrast_id, kind, setting_a, setting_b) "
        "values (1, 'judge', 1, 2)"
    )
    connection.execute(
        "insert into int_debates_judged (debate_key, dataset_id, cluster_key, human_winner) "
        "select i, 'd', i, case when i % 3 = 0 then 'con' when i % 3 = 1 then 'pro' end "
        "from range(5000) as numbers(i)"
    )
    connection.execute(
        "insert into int_verdict_units "
        "(setting_id, debate_key, cluster_key, parsed_count, con_share, is_con, human_is_con) "
        "select s, i, i, 1, (i % (s + 4) = 0)::double, i % (s + 4) = 0, "
        "case when i % 3 < 2 then i % 3 = 0 end "
        "from range(5000) as numbers(i), range(1, 3) as settings(s) where i % 11 >= s"
    )
    codes = {name: code for _, name, code in compiled.models}
    for name in ("int_verdict_contrasts_packed", "int_verdict_contrasts_counted"):
        connection.execute(f"create or replace table intermediate.{name} as {codes[name]}")
    row = one(connection, "from int_verdict_contrasts_counted")
    both = [i for i in range(5000) if i % 11 >= 2]
    assert row["con_units"] == row["con_clusters"] == len(both)
    assert row["con_only_a"] == sum(i % 5 == 0 and i % 6 != 0 for i in both)
    assert row["con_only_b"] == sum(i % 6 == 0 and i % 5 != 0 for i in both)
    assert row["right_both"] == sum(
        i % 3 < 2 and (i % 5 == 0) == (i % 6 == 0) == (i % 3 == 0) for i in both
    )


def test_each_pair_of_settings_is_declared_once_and_only_where_one_factor_differs(
    built: Built,
) -> None:
    grid: list[Setting] = [
        (judge, template, labels, position, outcome)
        for judge in ("j/a", "j/b")
        for template in ("t", "u")
        for labels in ("A/B", "B/A", "-1/1", "1/-1", "random A/B")
        for position in ("pro_first", "con_first", "shuffled")
        for outcome in ("winner", "loser")
    ]
    study = study_of({("d", "d"): "con"}, [verdict(setting, "d", 0, "con") for setting in grid])
    connection = built(raw=study)
    found = rows_of(
        connection,
        "select kind, contrast, a.judge_id as judge_a, b.judge_id as judge_b, "
        "[a.template, a.verbalizer, a.position, a.outcome] as factors_a, "
        "[b.template, b.verbalizer, b.position, b.outcome] as factors_b "
        "from int_verdict_contrasts "
        "inner join int_verdict_settings as a on setting_a = a.setting_id "
        "inner join int_verdict_settings as b on setting_b = b.setting_id",
    )
    place = {"template": 0, "labels": 1, "label": 1, "position": 2, "outcome": 3}
    seen = set()
    for row in found:
        differing = [
            at
            for at, pair in enumerate(zip(row["factors_a"], row["factors_b"], strict=True))
            if pair[0] != pair[1]
        ]
        assert differing == ([] if row["kind"] == "judge" else [place[row["kind"]]])
        assert (row["judge_a"] < row["judge_b"]) == (row["kind"] == "judge")
        seen.add(
            frozenset([(row["judge_a"], *row["factors_a"]), (row["judge_b"], *row["factors_b"])])
        )
    assert len(seen) == len(found)
    counts = defaultdict(int)
    for row in found:
        counts[row["kind"], row["contrast"] if row["kind"] in ("position", "label") else ""] += 1
    assert counts == {
        ("judge", ""): 60,
        ("template", ""): 2 * 5 * 3 * 2,
        ("outcome", ""): 2 * 2 * 5 * 3,
        ("position", FIXED): 2 * 2 * 5 * 2,
        ("position", SHUFFLED): 2 * 2 * 5 * 2,
        ("label", "A/B - B/A"): 2 * 2 * 3 * 2,
        ("label", "1/-1 - -1/1"): 2 * 2 * 3 * 2,
        # 1/-1 against A/B as the sets are written, and both turned round.
        ("labels", ""): 2 * 2 * 3 * 2 * 2,
    }
