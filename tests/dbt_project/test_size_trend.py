"""Agreement against size, against regressions of other libraries on the same judges."""

import itertools
from typing import Any

import numpy as np
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from tests.dbt_project.compiled_models import Built, Models, one
from tests.dbt_project.references import jackknife_half
from tests.dbt_project.test_agreement_by_reference import by_item
from tests.dbt_project.test_intervals_by_brute_force import tau_c, values_of

TOPICS = 8
FAMILIES = {"a": (0.5, 2, 4, 7, 32), "b": (8, 70), "c": (3,)}
JUDGES = {
    f"j/{family}{size}": (family, float(size))
    for family, sizes in FAMILIES.items()
    for size in sizes
}
FAMILY_A = "from rpt_size_trend where family = 'a' and measure = "


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """Judges whose scores are the closer to people's the larger they are; one of them fails."""
    rng = np.random.default_rng(21)
    speeches, ratings, scores = [], [], []
    for topic, source in itertools.product(range(TOPICS), range(3)):
        item, quality = f"i{topic}{source}", source - 1 + rng.normal()
        speeches.append((item, f"t{topic}", f"s{source}"))
        for annotator in range(6):
            value = float(np.clip(round(3 + quality + rng.normal()), 1, 5))
            ratings.append((item, f"p{annotator}", value))
        for judge, (_, size) in JUDGES.items():
            heard = min(1.0, 0.2 + 0.25 * np.log2(2 * size))
            value = float(np.clip(round(3 + heard * quality + (1.2 - heard) * rng.normal()), 1, 5))
            given = None if judge == "j/a2" and rng.random() < 0.2 else value
            scores.append((judge, item, given, given))
    return {"speeches": speeches, "ratings": ratings, "scores": scores}


@pytest.fixture(scope="module")
def models(built: Built, data: dict[str, Any]) -> Models:
    models = built(**data)
    for judge, (family, size) in JUDGES.items():
        models.execute(
            "update build.raw.judges set family = ?, size_b_params = ? where judge_id = ?",
            [family, size, judge],
        )
    return models


def taus(data: dict[str, Any], judge: str) -> list[float]:
    """A judge's tau-c on everything, then without each topic."""
    ratings = by_item(data["ratings"])
    scored = {
        item: (value, float(np.mean(ratings[item])))
        for name, item, value, _ in data["scores"]
        if name == judge and value is not None
    }
    m = values_of(list(scored.values()))
    return [
        tau_c([pair for item, pair in scored.items() if item[1] != f"{left_out}"], m)
        for left_out in (None, *range(TOPICS))
    ]


def test_the_slope_within_a_family_is_that_of_a_regression_with_topics_left_out_of_all(
    models: Models, data: dict[str, Any]
) -> None:
    row = one(models, FAMILY_A + "'tau_c'")
    members = [name for name, (family, _) in JUDGES.items() if family == "a"]
    x = np.log2([JUDGES[name][1] for name in members])
    columns = zip(*(taus(data, name) for name in members), strict=True)
    slopes = [stats.linregress(x, list(column)).slope for column in columns]
    assert row["slope"] == pytest.approx(slopes[0])
    assert row["slope_high"] - row["slope"] == pytest.approx(jackknife_half(slopes[1:]))
    assert row["line_largest"] - row["line_smallest"] == pytest.approx(6 * slopes[0])
    assert (row["n_judges"], row["n_sizes"], row["n_units"], row["unit"]) == (
        5,
        5,
        TOPICS,
        "topics",
    )
    assert row["turning_size"] in (2, 4, 7)
    family = models.execute(
        "select p, p_adjusted from rpt_size_trend where measure = 'tau_c' and p is not null"
    ).fetchall()
    assert len(family) > 1
    assert [one[1] for one in family] == pytest.approx(
        stats.false_discovery_control([one[0] for one in family])
    )
    assert row["sse_bent"] < row["sse_line"]


def test_the_slope_over_families_gives_each_a_level_of_its_own(
    models: Models, data: dict[str, Any]
) -> None:
    row = one(models, "from rpt_size_trend where scope = 'pooled' and measure = 'tau_c'")
    rows = [
        {"tau": taus(data, name)[0], "family": family, "x": np.log2(size)}
        for name, (family, size) in JUDGES.items()
    ]
    table = {key: [each[key] for each in rows] for key in rows[0]}
    fitted = smf.ols("tau ~ C(family) + x", table).fit()
    assert row["slope"] == pytest.approx(fitted.params["x"])
    assert row["sse_line"] == pytest.approx(fitted.ssr)
    bent = [
        smf.ols("tau ~ C(family) + x + I(np.maximum(0, x - np.log2(knot)))", table | {"knot": knot})
        for knot in (2, 4, 7, 8, 32)
    ]
    errors = {knot: model.fit().ssr for knot, model in zip((2, 4, 7, 8, 32), bent, strict=True)}
    assert row["turning_size"] == min(errors, key=lambda knot: errors[knot])
    assert row["sse_bent"] == pytest.approx(min(errors.values()))
    assert (row["n_judges"], row["n_families"]) == (8, 2)
    assert row["fitted_turning"] is None


def test_families_with_few_sizes_are_refused_a_turning_point_and_say_why(models: Models) -> None:
    found = models.execute(
        "select family, slope is null, slope_reason, turning_size, turning_reason "
        "from rpt_size_trend where measure = 'tau_c' and family in ('b', 'c') order by family"
    ).fetchall()
    few = "; a turning point needs 5"
    assert found == [
        ("b", False, None, None, f"agreement is known at 2 sizes{few}"),
        (
            "c",
            True,
            "agreement is known at fewer than two sizes",
            None,
            f"agreement is known at 1 size{few}",
        ),
    ]


def test_kappas_of_all_judges_share_the_draws_of_annotators(models: Models) -> None:
    row = one(models, FAMILY_A + "'kappa' and min_shared_items = 6")
    members = [name for name, (family, _) in JUDGES.items() if family == "a"]
    x = np.log2([JUDGES[name][1] for name in members])
    drawn: dict[int, dict[str, float]] = {}
    for judge, replicate, kappa in models.execute(
        "select judge_id, replicate, mean_kappa from int_kappas_replicated "
        "where min_shared_items = 6 and mean_kappa is not null"
    ).fetchall():
        drawn.setdefault(replicate, {})[judge] = kappa
    slopes = [
        stats.linregress(x, [found[name] for name in members]).slope for found in drawn.values()
    ]
    low, high = np.quantile(slopes, [0.025, 0.975])
    assert (row["slope_low"], row["slope_high"]) == pytest.approx((low, high))
    assert (row["n_units"], row["unit"]) == (6, "annotators")
    assert row["turning_size_low"] <= row["turning_size_high"]
