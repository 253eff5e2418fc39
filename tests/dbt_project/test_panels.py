"""Panels of judges and verdicts averaged over positions, against plain loops and statsmodels."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.references import check_mean, check_share
from tests.dbt_project.verdict_data import Debate, debate_rows

Verdicts = list[dict[str, Any]]
SHARES = {"con": 1.0, "pro": 0.0, "tie": 0.5}


class Field(NamedTuple):
    """Debates with their cluster and winner, and verdicts on them."""

    clusters: dict[str, str]
    winners: dict[str, str | None]
    verdicts: Verdicts


@st.composite
def fields(draw: st.DrawFn) -> Field:
    """Two to four judges, one of them a rule, asked with either side first; some say how sure."""
    debates = [f"d{number:02d}" for number in range(draw(st.integers(1, 12)))]
    twins = draw(st.booleans())
    clusters = {
        name: debates[number - number % 2] if twins and number < 6 else name
        for number, name in enumerate(debates)
    }
    winners = {name: draw(st.sampled_from(["pro", "con", "con", None])) for name in debates}
    verdicts = []
    for judge in ["j/a", "j/b", "j/c", "rule/r"][: draw(st.integers(2, 4))]:
        sure, priced = draw(st.booleans()), draw(st.booleans())
        for first_side in ("pro", "con"):
            for debate in debates:
                winner = draw(st.sampled_from(["pro", "con", "con", "tie", None]))
                if winner is not None:
                    verdicts.append(
                        {
                            "judge_id": judge,
                            "debate_id": debate,
                            "first_side": first_side,
                            "winner": winner,
                            "pro_label": "A",
                            "con_label": "B",
                            "p_pro": draw(st.sampled_from([0.25, 0.5, 0.75, 1.0]))
                            if sure
                            else None,
                            "cost_usd": 0.5 if priced else None,
                        }
                    )
    return Field(clusters, winners, verdicts)


def panels_of(built: Built, field: Field, **data: Any) -> list[dict[str, Any]]:
    debates = [Debate(name, field.clusters[name], won) for name, won in field.winners.items()]
    connection = built(raw=debate_rows(debates) | {"verdicts": field.verdicts}, **data)
    return rows_of(
        connection,
        "select rpt_panel_accuracy.*, settings.position from rpt_panel_accuracy left join "
        "(select distinct variant_id, position from int_verdict_settings) as settings "
        "using (variant_id)",
    )


def decided(lean: float) -> float:
    return (np.sign(lean) + 1) / 2


def check_scores(
    row: dict[str, Any], field: Field, verdicts: dict[str, tuple[float, float]]
) -> None:
    """Hold a row against the panel's and its members' share for Con on each debate."""
    names = [name for name in verdicts if field.winners[name] is not None]
    assert row["n_units"] == len(names)
    if not names:
        assert row["accuracy"] is None
        assert row["reason"].startswith("no debate with a human winner")
        return
    truth = np.array([field.winners[name] == "con" for name in names])
    shares = np.array([verdicts[name] for name in names])
    right = np.where(truth[:, None], shares, 1 - shares)
    groups = np.unique([field.clusters[name] for name in names], return_inverse=True)[1]
    assert row["n_clusters"] == len(np.unique(groups))
    assert row["tie_count"] == (shares[:, 0] == 0.5).sum()
    assert row["single_accuracy"] == pytest.approx(right[:, 1].mean())
    check_share(row, "accuracy", right[:, 0], groups)
    check_mean(row, "difference", right[:, 0] - right[:, 1], groups)


def by_judge(field: Field, first_side: str) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in field.verdicts:
        if row["first_side"] == first_side:
            found.setdefault(row["judge_id"], {})[row["debate_id"]] = row
    return found


@EXAMPLES
@given(field=fields())
def test_panels_of_models_are_what_a_loop_over_their_votes_gives(
    built: Built, field: Field
) -> None:
    rows = {
        (row["panel"], row["position"]): row
        for row in panels_of(built, field)
        if row["panel_name"] == "all models"
    }
    shares: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for side in ("pro", "con"):
        votes = {
            judge: cast
            for judge, cast in by_judge(field, side).items()
            if not judge.startswith("rule/")
        }
        if len(votes) < 3:
            assert ("majority", f"{side}_first") not in rows
            continue
        row = rows["majority", f"{side}_first"]
        assert row["members"] == ", ".join(sorted(votes))
        majority, mean = {}, {}
        for debate in field.clusters:
            cast = [votes[judge][debate] for judge in votes if debate in votes[judge]]
            said = [SHARES[each["winner"]] for each in cast]
            if len(cast) >= 2:
                majority[debate] = (decided(np.sum(said) - len(said) / 2), float(np.mean(said)))
            sure = [each for each in cast if each["p_pro"] is not None]
            if len(sure) >= 2:
                lean = 0.5 - np.mean([each["p_pro"] for each in sure])
                alone = [decided(0.5 - each["p_pro"]) for each in sure]
                mean[debate] = (decided(lean), float(np.mean(alone)))
        check_scores(row, field, majority)
        shares["majority", side] = majority
        sure_judges = [
            judge
            for judge, cast in votes.items()
            if any(each["p_pro"] is not None for each in cast.values())
        ]
        assert (("mean probability", f"{side}_first") in rows) == (len(sure_judges) >= 2)
        if len(sure_judges) >= 2:
            row = rows["mean probability", f"{side}_first"]
            assert row["members"] == ", ".join(sorted(sure_judges))
            check_scores(row, field, mean)
    if len(shares) == 2:
        both = [
            name
            for name in shares["majority", "pro"]
            if name in shares["majority", "con"] and field.winners[name] is not None
        ]
        for side in ("pro", "con"):
            row = rows["majority", f"{side}_first"]
            for place, column in enumerate(["con_share_difference", "single_con_share_difference"]):
                differences = [
                    shares["majority", "pro"][name][place] - shares["majority", "con"][name][place]
                    for name in both
                ]
                expected = pytest.approx(np.mean(differences), abs=1e-9) if both else None
                assert row[column] == expected


@EXAMPLES
@given(field=fields())
def test_a_judge_in_both_positions_is_what_a_loop_gives(built: Built, field: Field) -> None:
    rows = {(row["panel_name"], row["panel"]): row for row in panels_of(built, field)}
    second, first = by_judge(field, "pro"), by_judge(field, "con")
    both = set(second) & set(first)
    assert {judge for judge, panel in rows if panel == "both positions"} == both
    for judge in both:
        pairs = {
            debate: (second[judge][debate], first[judge][debate])
            for debate in set(second[judge]) & set(first[judge])
        }
        is_sure = any(each["p_pro"] is not None for pair in pairs.values() for each in pair)
        choices = {
            debate: [SHARES[each["winner"]] for each in pair] for debate, pair in pairs.items()
        }
        check_positions(rows[judge, "both positions"], field, pairs, choices)
        if is_sure:
            sure = {debate: [1 - each["p_pro"] for each in pair] for debate, pair in pairs.items()}
            check_positions(rows[judge, "both positions, probability"], field, pairs, sure)


def check_positions(
    row: dict[str, Any],
    field: Field,
    pairs: dict[str, tuple[dict[str, Any], ...]],
    leans: dict[str, list[float]],
) -> None:
    """Hold a judge asked both ways against each way alone, decided from the same leanings."""
    verdicts = {
        debate: (decided(np.mean(pair) - 0.5), float(np.mean([decided(x - 0.5) for x in pair])))
        for debate, pair in leans.items()
    }
    check_scores(row, field, verdicts)
    known = [debate for debate in pairs if field.winners[debate] is not None]
    if not known:
        return
    alone = np.array([[decided(x - 0.5) for x in leans[debate]] for debate in known])
    truth = np.array([[field.winners[debate] == "con"] for debate in known])
    right = np.where(truth, alone, 1 - alone).mean(axis=0)
    for which, expected in zip(("second", "first"), right, strict=True):
        name = f"single_accuracy_con_{which}"
        assert row[name] == pytest.approx(expected)
        if row["n_clusters"] >= 5:
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    effect = (alone[:, 0] - alone[:, 1]).mean()
    assert row["single_con_share_difference"] == pytest.approx(effect, abs=1e-9)
    assert row["con_share_difference"] == 0
    is_priced = pairs[known[0]][0]["cost_usd"] is not None
    assert row["cost_usd_per_verdict"] == (1.0 if is_priced else None)
    assert row["single_cost_usd_per_verdict"] == (0.5 if is_priced else None)


def test_an_ensemble_votes_where_all_of_its_members_were_asked(built: Built) -> None:
    debates = {f"d{number}": f"d{number}" for number in range(6)}
    verdicts = [
        {"judge_id": judge, "debate_id": name, "winner": winner, "cost_usd": 0.25}
        for judge, winner in (("j/a", "con"), ("j/b", "pro"), ("rule/r", "con"))
        for name in debates
    ]
    field = Field(debates, dict.fromkeys(debates, "con"), verdicts)
    members = [("with a rule", "j/a"), ("with a rule", "j/b"), ("with a rule", "rule/r")]
    rows = panels_of(built, field, ensembles=[*members, ("gone", "j/a"), ("gone", "j/z")])
    found = {row["panel_name"]: row for row in rows}
    assert set(found) == {"ensemble/with a rule", "ensemble/gone"}
    whole = found["ensemble/with a rule"]
    # Two of three say Con and Con won: the panel is right each time, its members two times of three.
    assert (whole["accuracy"], whole["single_accuracy"]) == (1.0, pytest.approx(2 / 3))
    assert (whole["difference"], whole["judge_count"]) == (pytest.approx(1 / 3), 3)
    assert (whole["cost_usd_per_verdict"], whole["single_cost_usd_per_verdict"]) == (0.75, 0.25)
    assert found["ensemble/gone"]["accuracy"] is None
    assert found["ensemble/gone"]["reason"] == "not all members were asked"
