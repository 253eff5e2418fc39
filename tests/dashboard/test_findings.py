import pandas as pd
import pytest
import yaml

from dashboard.core.naming import MIN_CLUSTERS, MIN_UNITS, enough_to_name
from dashboard.speeches.findings import (
    against_people,
    bounds,
    chart_title,
    kappa_finding,
)
from warehouse.home import PROJECT_ROOT

SPACE = "\u00a0"


def _kappa(
    judge_id: str, value: float | None, difference: float | None = None, **more: object
) -> dict:
    known = value is not None
    return {
        "judge_id": judge_id,
        "template": "human" if judge_id == "human" else "speech_score",
        "mean_kappa": value,
        "kappa_low": value - 0.05 if known else None,
        "kappa_high": value + 0.05 if known else None,
        "kappa_minus_human": difference,
        "kappa_minus_human_low": None if difference is None else difference - 0.02,
        "kappa_minus_human_high": None if difference is None else difference + 0.02,
        "pair_count": 496,
        "is_nameable": known and not judge_id.startswith(("human", "ensemble/")),
        "rank_low": 1,
        "rank_high": 2,
        "n_ranked": 2,
        "undefined_reason": None if known else "no pair shares enough speeches",
        **more,
    }


def _shares(**unparsed: float) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "judge_id": judge.replace("_", "/"),
                "template": "speech_score",
                "score_label": "unparsed",
                "share": share,
                "share_low": share - 0.01,
                "share_high": share + 0.01,
            }
            for judge, share in unparsed.items()
        ],
        columns=["judge_id", "template", "score_label", "share", "share_low", "share_high"],
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.09, "better than one person does"),
        (-0.02, 0.05, "about as well as one person does"),
        (-0.2, -0.1, "less well than one person does"),
        (None, None, "(it cannot be compared with one person)"),
    ],
)
def test_words_for_a_judge_follow_the_interval_of_the_difference(low, high, words):
    assert against_people(0.02, low, high) == words


def test_the_finding_names_the_best_judge_with_its_interval_and_that_of_people():
    rows = [_kappa("lab/a", 0.29, 0.01), _kappa("human", 0.27), _kappa("lab/b", 0.1, -0.17)]
    finding = kappa_finding(pd.DataFrame(rows), _shares())
    assert finding.headline == (
        "lab\\/a agrees with people about as well as one person does: "
        f"mean κ 0.290 [0.240,{SPACE}0.340], people 0.270 [0.220,{SPACE}0.320], over 496 pairs of "
        "people."
    )
    assert finding.rest == (
        "Adjusted paired differences put it at place 1 to 2 of 2 asked alike; of 2 judges "
        "1 below, 1 cannot tell."
    )


def test_neither_an_ensemble_nor_a_judge_of_few_speeches_is_named_the_best():
    rows = [
        _kappa("ensemble/all", 0.5, 0.2),
        _kappa("lab/few", 0.4, 0.1, is_nameable=False),
        _kappa("lab/a", 0.29, 0.01),
        _kappa("human", 0.27),
    ]
    assert kappa_finding(pd.DataFrame(rows), _shares()).headline.startswith("lab\\/a agrees")
    finding = kappa_finding(pd.DataFrame([*rows[:2], rows[3]]), _shares())
    assert finding.headline.startswith("People agree with each other")
    assert finding.rest == ("No single judge has 30 units in 10 clusters, so none is named.")


def test_the_rule_for_names_is_that_of_the_marts():
    project = yaml.safe_load((PROJECT_ROOT / "dbt_project" / "dbt_project.yml").read_text())
    assert project["vars"]["min_units_to_name"] == MIN_UNITS
    assert project["vars"]["min_clusters_to_name"] == MIN_CLUSTERS
    assert enough_to_name(30, 10)
    assert not enough_to_name(29, 10)
    assert not enough_to_name(30, 9)
    assert not enough_to_name(None, 10)


def test_an_unreadable_share_over_five_percent_stands_in_the_first_sentence():
    rows = pd.DataFrame([_kappa("lab/a", 0.29, 0.01), _kappa("human", 0.27)])
    assert "⚠" not in kappa_finding(rows, _shares(lab_a=0.05)).headline
    assert "⚠ it left 5.10" in kappa_finding(rows, _shares(lab_a=0.051)).headline
    both = kappa_finding(rows, _shares(lab_a=0.06, lab_b=0.3)).headline
    assert f"⚠ 2 judges left more than 5{SPACE}% of the answers" in both
    assert "most of all lab\\/b, 30.0" in both


def test_bounds_are_said_only_for_a_judge_with_failures():
    row = {"judge_id": "lab/a", "unparsed_count": 6, "unanswered_count": 0, "n_answers": 72}
    row |= {"near": 0.3, "far": 0.2}
    assert "6 answers of 72" in bounds(row, "τ-c", "near", "far")
    assert bounds(row, "τ-c", "near", "far").endswith("τ-c would be 0.200 to 0.300.")
    assert bounds({**row, "unparsed_count": 0}, "τ-c", "near", "far") == ""


def test_a_chart_title_calls_level_only_what_the_mart_does():
    rows = [
        {"judge_id": "a/a", "d_low": 0.1, "d_high": 0.2},
        {"judge_id": "a/b", "d_low": -0.1, "d_high": 0.2},
        {"judge_id": "a/c", "d_low": -0.3, "d_high": -0.2},
        {"judge_id": "a/d", "d_low": None, "d_high": None},
    ]
    people = {"judge_id": "human"}
    assert chart_title("τ-c", rows, "d", people) == (
        "τ-c: 1 above one person, 1 below, 2 cannot tell"
    )
    standings = ["above", "level", "below", "cannot_tell"]
    stood = [row | {"standing": one} for row, one in zip(rows, standings, strict=True)]
    assert chart_title("κ", stood, "d", people) == (
        "κ: 1 above one person, 1 level with one person, 1 below, 1 cannot tell"
    )
    assert chart_title("τ-c", rows[3:], "d", people) == "τ-c of 1 judge"
