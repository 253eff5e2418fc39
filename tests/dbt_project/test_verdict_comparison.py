"""Judges beside judges, settings and people, and judges beside themselves, against plain loops."""

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import false_discovery_control

from tests.dbt_project.compiled_models import EXAMPLES, Built, one, rows_of
from tests.dbt_project.references import check_mean, share_interval
from tests.dbt_project.test_verdict_contrasts import (
    Setting,
    Unit,
    check_paired,
    paired_on_con,
    same,
    studies,
    study_of,
    units,
    verdict,
)

JUDGES: list[Setting] = [
    (judge, template, "A/B", "shuffled", "winner")
    for judge in ("j/a", "j/b", "j/c")
    for template in ("t", "u")
]
WAYS: list[Setting] = [
    ("j/a", "t", "A/B", "shuffled", "winner"),
    ("j/a", "t", "P/C", "shuffled", "winner"),
    ("j/a", "t", "A/B", "shuffled", "loser"),
    ("j/a", "u", "A/B", "shuffled", "winner"),
    ("j/a", "u", "A/B", "pro_first", "winner"),
]


def right(unit: Unit, winner: str) -> tuple[float, bool | None]:
    """Return how much of a unit names the winner, and whether its majority does."""
    if winner == "con":
        return unit.share, unit.is_con
    return 1 - unit.share, None if unit.is_con is None else not unit.is_con


@EXAMPLES
@given(study=studies(JUDGES))
def test_judges_and_templates_are_compared_on_the_debates_people_decided(
    built: Built, study: dict[str, Any]
) -> None:
    said = units(study["verdicts"])
    winners = {row["debate_id"]: row["winner"] for row in study["debate_outcomes"]}
    found = {
        ((row["judge_a"], row["template_a"]), (row["judge_b"], row["template_b"])): row
        for row in rows_of(
            built(raw=study),
            "select report.*, a.template as template_a, b.template as template_b "
            "from rpt_verdict_comparison as report "
            "inner join int_verdict_settings as a "
            "on a.judge_id = judge_a and a.variant_id = variant_a "
            "inner join int_verdict_settings as b "
            "on b.judge_id = judge_b and b.variant_id = variant_b",
        )
    }
    asked = sorted({(row["judge_id"], row["template"]) for row in study["verdicts"]})
    expected = {
        (one_way, other)
        for one_way, other in itertools.combinations(asked, 2)
        if (one_way[0] == other[0]) != (one_way[1] == other[1])
    }
    assert set(found) == expected
    for (one_way, other), row in found.items():
        first, second = (
            said.get((*each, "A/B", "shuffled", "winner"), {}) for each in (one_way, other)
        )
        on_con = paired_on_con(study, first, second)
        pairs = []
        for debate in study["debates"]:
            name = debate["debate_id"]
            if name in first and name in second and winners[name] in ("pro", "con"):
                shares = [right(each[name], winners[name]) for each in (first, second)]
                pairs.append(
                    (shares[0][0], shares[1][0], shares[0][1], shares[1][1], debate["cluster_id"])
                )
        check_paired(row, pairs, ("both_right", "only_a_right", "only_b_right", "both_wrong"))
        assert row["comparison"] == ("judge" if one_way[0] != other[0] else "template")
        assert row["n_shared"] == len(on_con)
        if pairs:
            assert same(row["accuracy_a"], float(np.mean([pair[0] for pair in pairs])))
            assert same(row["accuracy_b"], float(np.mean([pair[1] for pair in pairs])))
        if on_con:
            gaps = [pair[0] - pair[1] for pair in on_con]
            check_mean(row, "con_share_difference", gaps, [pair[4] for pair in on_con])
        decided = [pair for pair in on_con if None not in pair[2:4]]
        alike = [pair[2] is pair[3] for pair in decided]
        assert same(row["agreement"], float(np.mean(alike)) if alike else None)
    for family in {row["family_id"] for row in found.values()}:
        rows = [
            row for row in found.values() if row["family_id"] == family and row["p"] is not None
        ]
        if rows:
            adjusted = false_discovery_control([row["p"] for row in rows])
            for row, value in zip(rows, adjusted, strict=True):
                assert same(row["p_adjusted"], value)


def flips(groups: dict[Any, list[list[Any]]]) -> tuple[int, int]:
    """Return how many pairs within a list differ, and how many pairs there are."""
    pairs = [
        pair
        for lists in groups.values()
        for each in lists
        for pair in itertools.combinations(each, 2)
    ]
    return sum(first != second for first, second in pairs), len(pairs)


@EXAMPLES
@given(study=studies(WAYS), data=st.data())
def test_a_judge_flips_as_often_as_its_pairs_of_verdicts_differ(
    built: Built, study: dict[str, Any], data: st.DataObject
) -> None:
    said = units(study["verdicts"])
    # Twins are what is declared, whatever shares a cluster; one side's word is enough.
    names = st.sampled_from([debate["debate_id"] for debate in study["debates"]])
    declared = data.draw(st.sets(st.tuples(names, names), max_size=4))
    links = dict(declared)
    study["debates"] = [
        {**debate, "twin_id": links.get(debate["debate_id"])} for debate in study["debates"]
    ]
    pairs = {tuple(sorted(link)) for link in links.items() if len({*link}) == 2}
    cluster_of = {debate["debate_id"]: debate["cluster_id"] for debate in study["debates"]}
    found = rows_of(
        built(raw=study),
        "select report.*, template, verbalizer, position, outcome from rpt_self_consistency as report "
        "left join int_verdict_settings using (judge_id, variant_id)",
    )
    clusters = defaultdict(list)
    for debate in study["debates"]:
        clusters[debate["cluster_id"]].append(debate["debate_id"])
    place = {"templates": 1, "labels": 2, "positions": 3}
    for row in found:
        by_cluster: dict[str, list[list[Any]]] = defaultdict(list)
        if row["kind"] == "repeats":
            key = ("j/a", row["template"], row["verbalizer"], row["position"], row["outcome"])
            samples = defaultdict(list)
            for each in study["verdicts"]:
                names = ("judge_id", "template", "verbalizer", "position", "outcome")
                if each["winner"] and tuple(each[name] for name in names) == key:
                    samples[each["debate_id"]].append(each["winner"])
            for cluster, debates in clusters.items():
                by_cluster[cluster] = [samples[name] for name in debates]
        elif row["kind"] == "twins":
            for pair, each in itertools.product(pairs, said.values()):
                sides = [each[name].is_con for name in pair if name in each]
                if len(sides) == 2 and None not in sides:
                    # Naming one debater in both is naming opposite sides.
                    by_cluster[cluster_of[pair[0]]].append([sides[0], not sides[1]])
        else:
            at = place[row["kind"]]
            alike = defaultdict(list)
            for setting, each in said.items():
                alike[setting[:at] + setting[at + 1 :]].append(each)
            for cluster, debates in clusters.items():
                for group, name in itertools.product(alike.values(), debates):
                    by_cluster[cluster].append(
                        [
                            each[name].is_con
                            for each in group
                            if name in each and each[name].is_con is not None
                        ]
                    )
        flip_count, pair_count = flips(by_cluster)
        assert row["n_pairs"] == pair_count, row
        assert same(row["flip_share"], flip_count / pair_count if pair_count else None)
        counts = np.array([flips({0: lists}) for lists in by_cluster.values()]).reshape(-1, 2)
        counts = counts[counts[:, 1] > 0]
        assert row["n_clusters"] == len(counts)
        if row["flip_share_low"] is not None:
            residuals = counts[:, 0] - flip_count / pair_count * counts[:, 1]
            error = np.sqrt(len(counts) / (len(counts) - 1) * (residuals**2).sum()) / pair_count
            half = _t(len(counts)) * error
            expected = share_interval(row["flip_share"], half, len(counts))
            found = (row["flip_share_low"], row["flip_share_high"])
            assert found == pytest.approx(expected, abs=1e-7)
        else:
            assert row["reason"] is not None


@pytest.mark.parametrize(
    ("twin", "pairs", "flip_share", "reason"),
    [
        ("d0", 1, 1.0, "fewer than 5 clusters"),
        ("d9", 0, None, "no two debates that are declared as twins were both judged"),
        (None, 0, None, "the data set declares no debates as twins with exchanged sides"),
    ],
)
def test_two_debates_of_one_cluster_are_twins_only_where_the_source_says_so(
    built: Built, twin: str | None, pairs: int, flip_share: float | None, reason: str
) -> None:
    study = study_of(
        {("d0", "c"): "pro", ("d1", "c"): "con"},
        [verdict(WAYS[0], name, 0, "con") for name in ("d0", "d1")],
    )
    study["debates"] = [{**study["debates"][0]}, {**study["debates"][1], "twin_id": twin}]
    row = one(built(raw=study), "from rpt_self_consistency where kind = 'twins'")
    found = (row["n_pairs"], row["n_units"], row["flip_share"], row["reason"])
    assert found == (pairs, 2 * pairs, flip_share, reason)


def _t(n_clusters: int) -> float:
    return float(stats.t.ppf(0.975, n_clusters - 1))


@EXAMPLES
@given(study=studies(JUDGES[:1]), data=st.data())
def test_people_are_compared_with_a_judge_on_the_debates_both_judged(
    built: Built, study: dict[str, Any], data: st.DataObject
) -> None:
    read = [
        (debate["debate_id"], data.draw(st.sampled_from(["pro", "con"])))
        for debate in study["debates"]
        if data.draw(st.booleans())
    ]
    by_people = [
        {"judge_id": "human/x", "debate_id": debate, "choice": choice} for debate, choice in read
    ]
    connection = built(raw=study | {"human_verdicts": by_people})
    if not read or not study["verdicts"]:
        assert rows_of(connection, "from rpt_verdict_comparison") == []
        return
    row = one(connection, "from rpt_verdict_comparison")
    assert (row["comparison"], row["judge_a"], row["judge_b"]) == ("human", "human/x", "j/a")
    people = {debate: Unit(float(side == "con"), side == "con", 1) for debate, side in read}
    on_con = paired_on_con(study, people, units(study["verdicts"]).get(JUDGES[0], {}))
    assert row["n_shared"] == len(on_con)
    assert same(
        row["con_share_difference"],
        float(np.mean([pair[0] - pair[1] for pair in on_con])) if on_con else None,
    )


def test_a_template_that_brings_its_own_reasons_is_compared_with_one_that_does_not(
    built: Built,
) -> None:
    plain, explained = JUDGES[0], JUDGES[1]
    rows = [
        verdict(plain, "d", 0, "con") | {"reasoning": False},
        verdict(explained, "d", 0, "con") | {"reasoning": True, "answer_order": "reasons first"},
    ]
    study = study_of({("d", "d"): "con"}, rows)
    found = rows_of(built(raw=study), "from rpt_verdict_comparison")
    assert [row["contrast"] for row in found] == ["t - u"]
    # Where t is also asked for reasons, the pair that changes nothing else is the one compared.
    study["verdicts"] = [
        *rows,
        verdict(plain, "d", 0, "con") | {"reasoning": True, "answer_order": "reasons first"},
    ]
    found = rows_of(built(raw=study), "from rpt_verdict_comparison")
    assert sorted((row["comparison"], row["contrast"]) for row in found) == [
        ("reasoning", "without reasons - with reasons"),
        ("template", "t - u"),
    ]
