"""Whether metrics of answers can be trusted, against SciPy, scikit-learn and statsmodels."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.special import expit
from sklearn import metrics
from statsmodels.stats import inter_rater, proportion

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.question_data import (
    Likelihood,
    answer,
    label,
    likelihoods,
    questions,
    score,
)
from tests.dbt_project.references import jackknife_half
from warehouse.fits import preferences
from warehouse.fits.resampling import resample_counts

# The compiled project's.
REPLICATES, SEED = 50, 20250611


@EXAMPLES
@given(
    drawn=st.lists(
        st.tuples(
            st.lists(st.booleans(), min_size=3, max_size=3), st.sampled_from([0, 1, 1, None])
        ),
        min_size=1,
        max_size=12,
    )
)
def test_labels_and_judgements_give_the_figures_of_scikit_learn_and_statsmodels(
    built: Built, drawn: list[tuple[list[bool], int | None]]
) -> None:
    made = [answer(f"q{number}", "a") for number in range(len(drawn))]
    connection = built(
        raw=questions({f"q{number}": 1 for number in range(len(drawn))})
        | {
            "answers": made,
            "scores": [
                score(each, None if value is None else float(value), value_released=1.0)
                for each, (_, value) in zip(made, drawn, strict=True)
            ],
            "human_ratings": [
                label(each, f"p{person}", int(said))
                for each, (people, _) in zip(made, drawn, strict=True)
                for person, said in enumerate(people)
            ],
        },
    )
    # People's labels of answers are no ratings of speeches, and no judge's score of one is.
    assert connection.execute("select count(*) from rpt_rater_agreement").fetchone() == (0,)
    kappa = one(connection, "from rpt_annotation_agreement where measure = 'fleiss_kappa'")
    table, _ = inter_rater.aggregate_raters(np.array([people for people, _ in drawn], dtype=int))
    if table.shape[1] == 2:
        assert kappa["estimate"] == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-9)
    else:
        assert (kappa["estimate"], kappa["reason"]) == (None, "one label only")
    row = one(connection, "from rpt_dispute_accuracy")
    known = [(int(sum(people) >= 2), value) for people, value in drawn if value is not None]
    assert (row["n_answers"], row["failed_count"]) == (len(known), len(drawn) - len(known))
    if not known:
        assert (row["accuracy"], row["reason"]) == (None, "no labelled answer is scored")
        return
    people, judge = (list(column) for column in zip(*known, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_measures(row, people, judge)


def check_measures(row: dict[str, Any], people: list[int], judge: list[int]) -> None:
    """Compare a row with scikit-learn, and its intervals with leaving out each answer."""
    assert row["accuracy"] == pytest.approx(metrics.accuracy_score(people, judge))
    assert row["baseline_accuracy"] == pytest.approx(max(np.mean(people), 1 - np.mean(people)))
    ones = [1] * len(people)
    assert row["baseline_f1"] == pytest.approx(metrics.f1_score(people, ones, zero_division=0))
    expected = measures(people, judge)
    assert row["auroc_released"] == (0.5 if len(set(people)) == 2 else None)
    for name, value in expected.items():
        assert row[name] == (None if value is None else pytest.approx(value, abs=1e-9))
        replicates = [
            measures(people[:at] + people[at + 1 :], judge[:at] + judge[at + 1 :])[name]
            for at in range(len(people))
        ]
        half = jackknife_half(replicates)
        if value is None or half is None:
            assert row[f"{name}_low"] is None
        else:
            assert row[f"{name}_high"] == pytest.approx(min(1, value + half), abs=1e-6)


def measures(people: list[int], judge: list[int]) -> dict[str, float | None]:
    """Return F1, AUROC, Matthews correlation and gain over the majority, None where undefined."""
    both = len(set(people)) == 2
    majority = max(people.count(0), people.count(1))
    hits = sum(one == other for one, other in zip(people, judge, strict=True))
    return {
        "gain": (hits - majority) / len(people) if people else None,
        "f1": metrics.f1_score(people, judge) if sum(people) + sum(judge) else None,
        "auroc": metrics.roc_auc_score(people, judge) if both else None,
        "mcc": metrics.matthews_corrcoef(people, judge) if both and len(set(judge)) == 2 else None,
    }


@st.composite
def contests(draw: st.DrawFn) -> dict[str, Any]:
    """Three to five models' answers to one to six questions, and two people's choices."""
    names = [f"q{number}" for number in range(draw(st.integers(1, 6)))]
    models = [f"m{number}" for number in range(draw(st.integers(3, 5)))]
    made = {(name, model): answer(name, model) for name in names for model in models}
    losses = {key: draw(st.integers(1, 4)) for key in made}
    choices = [
        (name, person, first, second, draw(st.sampled_from(["a", "b", "tie"])))
        for name in names
        for person in ("p", "r")
        for first, second in itertools.combinations(models, 2)
    ]
    return {"names": names, "models": models, "made": made, "losses": losses, "choices": choices}


def raw_of(field: dict[str, Any]) -> dict[str, Any]:
    made = field["made"]
    return questions(dict.fromkeys(field["names"], 1)) | {
        "answers": list(made.values()),
        "likelihoods": [
            row
            for key, answered in made.items()
            for row in likelihoods(answered, [Likelihood(-float(field["losses"][key]), 1)])
        ],
        "preferences": [
            {
                "question_id": name,
                "annotator_id": person,
                "choice": choice,
                "answer_a": made[name, first]["answer_id"],
                "answer_b": made[name, second]["answer_id"],
            }
            for name, person, first, second, choice in field["choices"]
        ],
    }


def wins(field: dict[str, Any], person: str, names: list[str]) -> list[float]:
    """Return how often a person preferred each model, ties being half."""
    worth = {"a": (1.0, 0.0), "b": (0.0, 1.0), "tie": (0.5, 0.5)}
    total = dict.fromkeys(field["models"], 0.0)
    for name, who, first, second, choice in field["choices"]:
        if name in names and who == person:
            total[first] += worth[choice][0]
            total[second] += worth[choice][1]
    return list(total.values())


@EXAMPLES
@given(field=contests())
def test_alignment_is_the_mean_of_correlations_within_questions(
    built: Built, field: dict[str, Any]
) -> None:
    connection = built(raw=raw_of(field))
    rows = {
        scope: one(
            connection,
            f"from rpt_metric_alignment where scope = '{scope}' and ranking_method = 'wins'",
        )
        for scope in ("within_question", "all_questions")
    }
    for measure, function in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        people, undefined = [], 0
        for person in ("p", "r"):
            found = []
            for name in field["names"]:
                scores = [-field["losses"][name, model] for model in field["models"]]
                found.append(correlation(function, wins(field, person, [name]), scores))
            undefined += found.count(None)
            defined = [value for value in found if value is not None]
            if defined:
                people.append(np.mean(defined))
        row = rows["within_question"]
        assert row["n_undefined"] == undefined
        assert row["n_rankings"] == 2 * len(field["names"])
        expected = pytest.approx(np.mean(people), abs=1e-9) if people else None
        assert row[measure] == expected
        over_all = [
            correlation(
                function,
                wins(field, person, field["names"]),
                [
                    -round(
                        np.mean([np.exp(field["losses"][name, model]) for name in field["names"]]),
                        9,
                    )
                    for model in field["models"]
                ],
            )
            for person in ("p", "r")
        ]
        defined = [value for value in over_all if value is not None]
        expected = pytest.approx(np.mean(defined), abs=1e-9) if defined else None
        assert rows["all_questions"][measure] == expected
    agreed = [
        correlation(stats.spearmanr, wins(field, "p", [name]), wins(field, "r", [name]))
        for name in field["names"]
    ]
    row = one(connection, "from rpt_annotation_agreement where task = 'preference'")
    assert row["n_undefined"] == agreed.count(None)
    defined = [value for value in agreed if value is not None]
    assert row["estimate"] == (pytest.approx(np.mean(defined), abs=1e-9) if defined else None)


def correlation(function: Callable[..., Any], one_side: Any, other: Any) -> float | None:
    """Return a rank correlation, or None where a side is constant."""
    if np.ptp(one_side) == 0 or np.ptp(other) == 0:
        return None
    return float(function(one_side, other)[0])


@EXAMPLES
@given(field=contests())
def test_bradley_terry_is_the_maximum_of_its_posterior_and_elo_keeps_its_mean(
    field: dict[str, Any],
) -> None:
    models = field["models"]
    worth = {"a": 1.0, "b": 0.0, "tie": 0.5}
    first = np.array([models.index(each[2]) for each in field["choices"]])
    second = np.array([models.index(each[3]) for each in field["choices"]])
    share = np.array([worth[each[4]] for each in field["choices"]])

    def loss(strengths: Any) -> float:
        chance = expit(strengths[first] - strengths[second])
        likelihood = share * np.log(chance) + (1 - share) * np.log1p(-chance)
        return float(-likelihood.sum() + (strengths**2).sum() / (2 * preferences.PRIOR_SD**2))

    found = preferences.bradley_terry(first, second, share, len(models))
    expected = optimize.minimize(loss, np.zeros(len(models)), options={"gtol": 1e-9}).x
    assert found == pytest.approx(expected, abs=1e-4)
    assert preferences.elo(first, second, share, len(models)).mean() == pytest.approx(
        preferences.ELO_START
    )


def test_who_wins_every_comparison_is_strongest_by_all_three_ways_and_ties_leave_no_order() -> None:
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    for strengths in (preferences.bradley_terry, preferences.elo):
        won = strengths(first, second, np.ones(3), 3)
        assert won[0] > won[1] > won[2]
        assert np.ptp(strengths(first, second, np.full(3, 0.5), 3)) == pytest.approx(0, abs=1e-9)


def test_stability_is_what_scipy_finds_resample_by_resample(built: Built) -> None:
    """The evaluators agree on a to d but for noise; the second has scored e on two questions only."""
    names = [f"q{number}" for number in range(8)]
    generator = np.random.default_rng(5)
    scores = 2 + np.arange(5)[:, None] / 4 + generator.random((2, 5, 8)).round(2)
    scores[1, 4, 2:] = np.nan
    answers, found = [], []
    for place, model in enumerate("abcde"):
        for number, name in enumerate(names):
            made = answer(name, model)
            answers.append(made)
            for evaluator, value in zip(("e/1", "e/2"), scores[:, place, number], strict=True):
                if np.isfinite(value):
                    found += likelihoods(made, [Likelihood(-np.log(value), 1)], evaluator=evaluator)
    connection = built(
        raw=questions(dict.fromkeys(names, 1)) | {"answers": answers, "likelihoods": found}
    )

    def tau(counts: Any) -> float:
        weights = np.where(np.isnan(scores), 0, counts)
        with np.errstate(invalid="ignore"):
            means = (weights * np.nan_to_num(scores)).sum(axis=2) / weights.sum(axis=2)
        both = np.isfinite(means).all(axis=0)
        return float(stats.kendalltau(*means[:, both].round(12)).statistic)

    replicates = pa.chunked_array([range(1, REPLICATES + 1)])
    drawn = resample_counts(
        pa.chunked_array([[SEED] * REPLICATES]), pa.chunked_array([[8] * REPLICATES]), replicates
    )
    taus = [tau(np.array(counts)) for counts in drawn.to_pylist()]
    low, high = np.quantile(taus, [0.025, 0.975])
    row = one(connection, "select * from rpt_backbone_stability")
    assert (row["n_models"], row["n_questions"], row["undefined_replicate_count"]) == (5, 8, 0)
    assert row["kendall"] == pytest.approx(tau(np.ones(8)))
    assert (row["kendall_low"], row["kendall_high"]) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("missing", [0, 2, 9])
def test_the_share_of_missing_viewpoints_has_wilsons_interval(built: Built, missing: int) -> None:
    """One answer a question: as many independent answers as questions, less one for their spread."""
    names = [f"q{number}" for number in range(9)]
    made = [answer(name, "a") for name in names]
    connection = built(
        raw=questions(dict.fromkeys(names, 1))
        | {
            "answers": made,
            "scores": [
                score(each, 5.0 if place < missing else 4.0, dimension="missing_viewpoints")
                for place, each in enumerate(made)
            ],
        }
    )
    row = one(connection, "select * from rpt_missing_viewpoints")
    share, n = missing / 9, 8 if 0 < missing < 9 else 9
    low, high = proportion.proportion_confint(share * n, n, method="wilson")
    assert (row["missing_count"], row["n_questions"]) == (missing, 9)
    assert row["missing_share"] == pytest.approx(share)
    assert row["missing_share_low"] == pytest.approx(low, abs=1e-9)
    assert row["missing_share_high"] == pytest.approx(high, abs=1e-9)
