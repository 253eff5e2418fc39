"""Agreement from SQL against scikit-learn and SciPy on random data, odd cases among them."""

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from tests.dbt_project.compiled_models import EXAMPLES, Built, one

LABELS = [0, 1, 2, 3, 4, 5]


@st.composite
def panels(draw: st.DrawFn) -> dict[str, Any]:
    """Items on a few topics, annotators who rated some of them, one judge with failures."""
    n_items = draw(st.integers(4, 14))
    annotators = draw(st.integers(1, 5))
    items = [f"i{number:02d}" for number in range(n_items)]
    ratings = []
    for annotator in range(annotators):
        constant = draw(st.sampled_from([None, None, None, 4]))
        for item in items:
            if draw(st.integers(0, 4)):
                value = constant if constant is not None else draw(st.integers(1, 5))
                ratings.append((item, f"a{annotator}", float(value)))
    constant = draw(st.sampled_from([None, None, None, 3]))
    scores: list[tuple[str, str, float | None, float | None]] = []
    for item in items:
        value: float | None = float(constant or draw(st.integers(1, 5)))
        if draw(st.integers(0, 7)) == 0:
            value = None
        scores.append(("j/m", item, value, value))
    return {
        "speeches": [(item, f"t{at % 3}", f"s{at % 4}") for at, item in enumerate(items)],
        "ratings": ratings,
        "scores": scores,
    }


def by_annotator(ratings: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for item, annotator, value in ratings:
        table.setdefault(annotator, {})[item] = value
    return table


def by_item(ratings: list[tuple[str, str, float]]) -> dict[str, list[float]]:
    table: dict[str, list[float]] = {}
    for item, _, value in ratings:
        table.setdefault(item, []).append(value)
    return table


def kappa(x: list[float], y: list[float]) -> float:
    """scikit-learn's quadratic kappa; nan where both raters are constant on one value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(
            cohen_kappa_score(
                [int(value) for value in x],
                [int(value) for value in y],
                weights="quadratic",
                labels=LABELS,
            )
        )


def mean(values: list[float]) -> float | None:
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else None


def same(found: float | None, expected: float | None) -> None:
    if expected is None or math.isnan(expected):
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@EXAMPLES
@given(panel=panels(), minimum=st.sampled_from([3, 6]))
def test_kappas_equal_scikit_learn_for_people_and_judge(
    built: Built, panel: dict[str, Any], minimum: int
) -> None:
    connection = built(**panel)
    people = by_annotator(panel["ratings"])
    judge = {item: value for _, item, value, _ in panel["scores"]}
    human, judged, released, paired, dropped = [], [], [], [], 0
    for a, b in itertools.combinations(sorted(people), 2):
        shared = sorted(set(people[a]) & set(people[b]))
        if len(shared) < minimum:
            continue
        human.append(kappa([people[a][i] for i in shared], [people[b][i] for i in shared]))
        with_failures = [judge[i] or 0 for i in shared]
        released += [kappa(with_failures, [people[c][i] for i in shared]) for c in (a, b)]
        scored = [i for i in shared if judge[i] is not None]
        if len(scored) < minimum:
            dropped += 1
            continue
        x = [judge[i] for i in scored]
        judged += [kappa(x, [people[c][i] for i in scored]) for c in (a, b)]
        between = kappa([people[a][i] for i in scored], [people[b][i] for i in scored])
        paired += [value - between for value in judged[-2:]]
    if panel["ratings"]:
        row = one(
            connection,
            f"from rpt_rater_agreement where judge_id = 'human' and min_shared_items = {minimum}",
        )
        same(row["mean_kappa"], mean(human))
        assert row["pair_count"] == len(human)
        assert row["undefined_pair_count"] == sum(map(math.isnan, human))
        assert (row["mean_kappa"] is None) == (row["undefined_reason"] is not None)
    row = one(
        connection,
        f"from rpt_rater_agreement where judge_id = 'j/m' and min_shared_items = {minimum}",
    )
    same(row["mean_kappa"], mean(judged))
    same(row["median_kappa"], float(np.nanmedian(judged)) if mean(judged) is not None else None)
    assert row["dropped_pair_count"] == dropped
    assert row["comparison_count"] == len(judged)
    rated = {item for item, _, _ in panel["ratings"]}
    assert row["n_answers"] == len(rated)
    assert row["unparsed_count"] == sum(judge[item] is None for item in rated)
    assert row["unrated_count"] == len(judge) - len(rated)
    # Where a judge, or the people, are as constant as each other, the comparison counts on neither side.
    same(row["kappa_minus_human"], mean(paired))
    if released and any(value is None for value in judge.values()):
        zeros = [0.0 if math.isnan(value) else value for value in released]
        same(row["mean_kappa_released"], float(np.mean(zeros)))


@EXAMPLES
@given(panel=panels())
def test_rank_correlations_equal_scipy(built: Built, panel: dict[str, Any]) -> None:
    connection = built(**panel)
    people = by_annotator(panel["ratings"])
    items = by_item(panel["ratings"])
    x, y = [], []
    for _, item, value, _ in panel["scores"]:
        if value is not None and item in items:
            x.append(value)
            y.append(float(np.mean(items[item])))
    row = one(connection, "from rpt_rank_agreement where judge_id = 'j/m'")
    expected = correlations(x, y)
    for name, value in expected.items():
        same(row[name], value)
    assert row["n_items"] == len(x)

    taus = []
    for own in people.values():
        pairs = [
            (value, (sum(items[item]) - value) / (len(items[item]) - 1))
            for item, value in own.items()
            if len(items[item]) > 1
        ]
        if len(pairs) >= 4:
            taus.append(correlations(*map(list, zip(*pairs, strict=True)))["tau_c"])
    if panel["ratings"]:
        row = one(connection, "from rpt_rank_agreement where judge_id = 'human'")
        same(row["tau_c"], mean(taus))
        assert row["n_annotators"] == len(taus)
        assert row["undefined_annotator_count"] == sum(map(math.isnan, taus))


def correlations(x: list[float], y: list[float]) -> dict[str, float]:
    if len(set(x)) < 2 or len({round(value, 9) for value in y}) < 2:
        return dict.fromkeys(("tau_c", "tau_b", "spearman", "pearson"), math.nan)
    return {
        "tau_c": float(stats.kendalltau(x, y, variant="c").statistic),
        "tau_b": float(stats.kendalltau(x, y).statistic),
        "spearman": float(stats.spearmanr(x, y).statistic),
        "pearson": float(stats.pearsonr(x, y).statistic),
    }


@EXAMPLES
@given(panel=panels())
def test_every_answer_about_a_rated_speech_is_counted_once_in_its_distribution(
    built: Built, panel: dict[str, Any]
) -> None:
    connection = built(**panel)
    found = dict(
        connection.execute(
            "select score_label, answer_count from rpt_score_distribution where judge_id = 'j/m'"
        ).fetchall()
    )
    rated = {item for item, _, _ in panel["ratings"]}
    values = [
        value for _, item, value, _ in panel["scores"] if item in rated or not panel["ratings"]
    ]
    if not values:
        assert found == {}
        return
    for point in range(1, 6):
        assert found[str(point)] == values.count(float(point))
    assert found["unparsed"] == values.count(None)
