"""Severity, ensembles and calibration of speech scores against NumPy, SciPy and scikit-learn."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from sklearn.isotonic import IsotonicRegression

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models
from tests.dbt_project.references import jackknife_half
from warehouse.fits import calibration

SOURCES = ("expert", "student", "machine")
A, B, C = "m/a", "m/b", "m/c"


def _study(built: Built, n_topics: int, judges: dict[str, Any]) -> tuple[Models, Any, Any]:
    """Four raters of three sources on each topic, and judges as functions of people's mean."""
    draws = np.random.Generator(np.random.Philox(n_topics))
    speeches = [
        (f"i{topic:02d}{source}", f"t{topic:02d}", source)
        for topic in range(n_topics)
        for source in SOURCES
    ]
    ratings = [
        (item, f"r{rater}", float(np.clip(4 - SOURCES.index(source) + draws.integers(-1, 2), 1, 5)))
        for item, _, source in speeches
        for rater in range(4)
    ]
    means = {
        item: np.mean([one[2] for one in ratings if one[0] == item]) for item, _, _ in speeches
    }
    scores = []
    for judge, score in judges.items():
        for item, _, source in speeches:
            value = score(means[item], source, draws)
            scores.append((judge, item, value, value))
    return built(speeches=speeches, ratings=ratings, scores=scores), speeches, means


def _table(models: Models, sql: str) -> list[dict[str, Any]]:
    return models.execute(sql).df().to_dict("records")


def _rounded(mean: float, _: str, draws: np.random.Generator) -> float:
    return float(np.clip(np.round(mean + draws.normal(0, 0.7) - 0.6), 1, 5))


def test_shift_spread_and_sharpness_are_numpys_and_their_intervals_leave_topics_out(built):
    models, speeches, means = _study(built, 6, {A: _rounded})
    row = _table(models, "from rpt_severity where scope = 'overall'")[0]
    given_scores = dict(models.execute("select item_id, score from int_item_scores").fetchall())

    def measures(kept: list[tuple[str, str, str]]) -> Any:
        x = np.array([given_scores[item] for item, _, _ in kept])
        y = np.array([means[item] for item, _, _ in kept])
        sources = np.array([source for _, _, source in kept])
        by_source = [
            (x[sources == source].mean(), y[sources == source].mean()) for source in SOURCES
        ]
        slope = np.polyfit([one[1] for one in by_source], [one[0] for one in by_source], 1)[0]
        return np.array([x.mean() - y.mean(), np.log(x.std() / y.std()), slope])

    whole = measures(speeches)
    found = [row["shift"], np.log(row["spread_ratio"]), row["sharpness"]]
    assert found == pytest.approx(whole)
    topics = sorted({topic for _, topic, _ in speeches})
    left_out = np.array(
        [measures([one for one in speeches if one[1] != topic]) for topic in topics]
    )
    half = 2.5705818366147395 * np.sqrt(5 * left_out.var(axis=0))
    high = [row["shift_high"], np.log(row["spread_ratio_high"]), row["sharpness_high"]]
    assert high == pytest.approx(whole + half)


def test_constant_judges_few_topics_and_few_judges_have_reasons(built):
    models, _, _ = _study(built, 2, {A: lambda *_: 3.0, B: _rounded})
    rows = {
        row["judge_id"]: row for row in _table(models, "from rpt_severity where scope = 'overall'")
    }
    assert rows[A]["spread_ratio"] == 0
    assert rows[A]["sharpness"] == pytest.approx(0)
    assert np.isnan(rows[B]["shift_low"])
    trends = _table(models, "from rpt_severity_trend")
    assert {row["undefined_reason"] for row in trends} == {"fewer than 5 judges"}
    mapped = _table(models, f"from rpt_score_calibration where judge_id = '{A}'")
    assert {row["tau_c_reason"] for row in mapped} == {
        "one side has the same value on every speech"
    }
    assert {row["n_folds"] for row in mapped} == {2}
    assert all(np.isnan(row["mae_low"]) for row in mapped)


def test_trends_over_judges_are_scipys_rank_correlations(built):
    noises = {f"m/{at}": at / 2 for at in range(6)}
    judges = {
        judge: lambda mean, _, draws, noise=noise: float(
            np.clip(np.round(mean + draws.normal(0, noise) - noise / 3), 1, 5)
        )
        for judge, noise in noises.items()
    }
    models, _, _ = _study(built, 8, judges)
    known = _table(
        models,
        "select severity.*, tau_c from rpt_severity as severity "
        "inner join rpt_rank_agreement using (judge_id) where scope = 'overall'",
    )
    for row in _table(models, "from rpt_severity_trend"):
        pairs = np.array([(one["tau_c"], one[row["measure"]]) for one in known])
        whole = spearmanr(*pairs.T).statistic
        left_out = [spearmanr(*np.delete(pairs, at, 0).T).statistic for at in range(len(pairs))]
        assert row["spearman"] == pytest.approx(whole)
        assert row["n_judges"] == len(noises)
        assert row["spearman_high"] == pytest.approx(min(1, whole + jackknife_half(left_out)))


def test_calibration_is_scikit_learns_fitted_without_the_topics_fold(built):
    models, _, _ = _study(built, 12, {A: _rounded})
    items = models.execute("from int_calibration_items order by item_id").df()
    assert items.groupby("debate_id")["fold"].nunique().eq(1).all()
    assert items["fold"].nunique() == 10
    for method in ("linear", "isotonic"):
        expected = np.empty(len(items))
        for fold in items["fold"].unique():
            held = (items["fold"] == fold).to_numpy()
            x, y = items["score"][~held], items["human_mean"][~held]
            if method == "linear":
                expected[held] = np.polyval(np.polyfit(x, y, 1), items["score"][held])
            else:
                fit = IsotonicRegression(out_of_bounds="clip").fit(x, y)
                expected[held] = fit.predict(items["score"][held])
        found = models.execute(
            "select prediction from int_scores_calibrated where method = ? order by item_id",
            [method],
        ).df()["prediction"]
        assert found.to_numpy() == pytest.approx(expected)
        error = expected - items["human_mean"]
        before = (items["score"] - items["human_mean"]).abs().mean()
        row = _table(models, f"from rpt_score_calibration where method = '{method}'")[0]
        assert row["mae"] == pytest.approx(np.abs(error).mean())
        assert row["mae_change"] == pytest.approx(np.abs(error).mean() - before)
        assert row["rmse"] == pytest.approx(np.sqrt((error**2).mean()))
        assert row["bias"] == pytest.approx(error.mean())
        # A rising line changes no order.
        if method == "linear":
            tau = kendalltau(items["score"], items["human_mean"], variant="c").statistic
            assert row["tau_c"] == pytest.approx(tau)


@EXAMPLES
@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.floats(1, 5), st.booleans()), min_size=2, max_size=20
    ).filter(lambda rows: any(row[2] for row in rows))
)
def test_isotonic_steps_are_scikit_learns_for_any_scores(rows):
    scores, means = (np.array([row[place] for row in rows], dtype=float) for place in (0, 1))
    fitted = np.array([row[2] for row in rows])
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores[fitted], means[fitted])
    found = calibration.isotonic(scores[fitted], means[fitted], scores)
    assert found == pytest.approx(expected.predict(scores))


def test_the_kappa_of_a_subset_is_that_of_the_same_ensemble_registered_as_a_judge(built):
    speeches = [(f"i{at:02d}", f"t{at // 3}", SOURCES[at % 3]) for at in range(18)]
    draws = np.random.Generator(np.random.Philox(5))
    ratings = [
        (item, f"r{rater}", float(draws.integers(1, 6)))
        for item, _, _ in speeches
        for rater in range(3)
    ]
    values = draws.integers(1, 6, (3, 18)).astype(float)
    scores = [
        (judge, speech[0], value, value)
        for judge, row in zip((A, B, C), values, strict=True)
        for speech, value in zip(speeches, row, strict=True)
    ]
    models = built(
        speeches=speeches, ratings=ratings, scores=scores, ensembles=[("x", A), ("x", B), ("x", C)]
    )
    subset = _table(
        models, "from rpt_ensemble_subset where search_size = '3' and pooling = 'rounded_mean'"
    )[0]
    registered = _table(
        models, "from rpt_rater_agreement where judge_id = 'ensemble/x' and min_shared_items = 3"
    )[0]
    ranked = _table(models, "from rpt_rank_agreement where judge_id = 'ensemble/x'")[0]
    assert subset["mean_kappa"] == pytest.approx(registered["mean_kappa"])
    assert subset["pair_count"] == 3
    for name in ("tau_c", "tau_c_low", "tau_c_high"):
        assert subset[name] == pytest.approx(ranked[name])
    search = _table(
        models, "from rpt_ensemble_search where search_size = '2' and search_pooling = 'mean'"
    )
    assert search[0]["n_subsets"] == 3
    assert search[0]["n_judges"] == 3
