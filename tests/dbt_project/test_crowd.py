"""The crowd of raters from the models, against `krippendorff`, SciPy and sums written out here."""

import itertools
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models, one
from tests.dbt_project.test_agreement_by_reference import by_annotator, by_item, kappa, panels, same
from warehouse.fits.crowd import Sample, draw, equivalent, judge_products, reliability, stepped_up


@EXAMPLES
@given(panel=panels())
def test_alpha_is_krippendorffs_and_icc_the_analysis_of_variance(
    built: Built, panel: dict[str, Any]
) -> None:
    models = built(**panel)
    found = dict(
        models.execute(
            "select measure, value from rpt_crowd_agreement where min_shared_items = 1"
        ).fetchall()
    )
    rated = [values for values in by_item(panel["ratings"]).values() if len(values) > 1]
    everything = list(itertools.chain(*rated))
    if len(set(everything)) < 2:
        assert set(found.values()) <= {None}
        return
    table = np.array([values + [np.nan] * (5 - len(values)) for values in rated]).T
    for name in ("interval", "ordinal"):
        same(found[f"alpha_{name}"], krippendorff.alpha(table, level_of_measurement=name))
    if len(rated) < 2:
        assert found["icc_1"] is None
        return
    sizes = np.array([len(values) for values in rated])
    means = np.array([np.mean(values) for values in rated])
    between = (sizes * (means - np.mean(everything)) ** 2).sum() / (len(rated) - 1)
    within = sum(((np.array(v) - np.mean(v)) ** 2).sum() for v in rated) / (sizes - 1).sum()
    per_item = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(rated) - 1)
    single = (between - within) / (between + (per_item - 1) * within)
    same(found["icc_1"], single)
    if len(set(sizes)) == 1:
        same(found["icc_k"], (between - within) / between if between > 1e-9 else None)


@EXAMPLES
@given(panel=panels())
def test_each_rater_against_the_others(built: Built, panel: dict[str, Any]) -> None:
    models = built(**panel)
    people, items = by_annotator(panel["ratings"]), by_item(panel["ratings"])
    for rater, own in people.items():
        row = one(models, f"from rpt_rater_quality where annotator_id = '{rater}'")
        values, others, pairs = [], [], []
        for item, value in own.items():
            rest = list(items[item])
            rest.remove(value)
            if rest:
                values.append(value)
                others.append(float(np.mean(rest)))
                pairs += [(value, other) for other in rest]
        assert (row["n_ratings"], row["n_shared"]) == (len(own), len(values))
        same(row["mean_rating"], float(np.mean(list(own.values()))))
        gaps = np.array(others) - np.array(values)
        same(row["harshness"], float(gaps.mean()) if len(gaps) else None)
        same(row["residual_sd"], float(gaps.std(ddof=1)) if len(gaps) > 1 else None)
        spread = np.std([other for _, other in pairs], ddof=1) if len(pairs) > 1 else 0
        if len(values) < 2 or spread == 0:
            assert row["spread_ratio"] is None
        else:
            same(row["spread_ratio"], float(np.std(values, ddof=1) / spread))
        assert row["extreme_share"] == pytest.approx(
            np.mean([value in (1, 5) for value in own.values()])
        )
        if len(values) < 4:
            assert row["tau_c"] is None
            assert "fewer than 4" in row["agreement_undefined_reason"]
            continue
        if len({value for pair in pairs for value in pair}) > 1:
            first, second = (list(side) for side in zip(*pairs, strict=True))
            same(row["kappa"], kappa(first, second))
        if len(set(values)) > 1 and len(set(np.round(others, 9))) > 1:
            same(row["tau_c"], stats.kendalltau(values, others, variant="c").statistic)
            same(row["spearman"], stats.spearmanr(values, np.round(others, 9)).statistic)


def study(
    seed: int, *, raters: int = 15, topics: int = 8, per_topic: int = 4
) -> list[tuple[str, str, int, float]]:
    """Topic, item, rater and value: true qualities seen by raters with as much noise again."""
    chance = np.random.default_rng(seed)
    rows = []
    for number in range(topics * per_topic):
        quality = chance.normal(3, 1)
        for rater in range(raters):
            value = float(np.clip(np.round(quality + chance.normal(0, 1)), 1, 5))
            rows.append((f"t{number // per_topic}", f"i{number:02d}", rater, value))
    return rows


def test_panels_and_reference_are_disjoint_raters_of_the_same_items() -> None:
    # Powers of two: a sum says which raters are in it.
    rows = [("t", f"i{item}", rater, float(2**rater)) for item in range(2) for rater in range(15)]
    crowd, _ = draw(rows, 8, 7, 1, 1, 5)
    everybody = 2.0**15 - 1
    assert np.allclose(crowd.reference * 8 + crowd.panels[6] * 7, everybody, rtol=1e-7)
    seats = (np.round(crowd.reference * 8).astype(int)[:, 0, None] >> np.arange(15)) & 1
    assert (seats.sum(axis=1) == 8).all()
    # Every rater sits in the reference about 8 of 15 times.
    assert np.abs(seats.mean(axis=0) - 8 / 15).max() < 0.2


def test_correlations_of_panels_and_judges_are_scipys() -> None:
    crowd, places = draw(study(3), 8, 7, 11, 20, 5)
    sample = Sample.from_crowd(crowd, np.arange(len(places)))
    scores = np.random.default_rng(4).integers(1, 6, len(places)).astype(float)
    for k in (1, 7):
        pairs = list(zip(crowd.panels[k - 1], crowd.reference, strict=True))
        expected = np.mean([stats.pearsonr(x, y).statistic for x, y in pairs])
        assert sample.pearson(crowd.panels[k - 1], crowd.reference)[0] == pytest.approx(expected)
        expected = np.mean([stats.kendalltau(x, y, variant="c").statistic for x, y in pairs])
        assert sample.tau_c(crowd.panel_signs[k - 1])[0] == pytest.approx(expected)
    found = sample.tau_c(judge_products(crowd, sample.items, scores))[0]
    taus = [stats.kendalltau(scores, y, variant="c").statistic for y in crowd.reference]
    assert found == pytest.approx(np.mean(taus))
    # A resample is the same as the items of its topics written out as often as they are drawn.
    copies = np.repeat(sample.items, sample.weights[5].astype(int)[crowd.topic])
    written_out = [stats.pearsonr(scores[copies], y[copies]).statistic for y in crowd.reference]
    assert sample.pearson(scores, crowd.reference)[5] == pytest.approx(np.mean(written_out))


def test_what_a_judge_is_worth_by_hand() -> None:
    curve = np.tile([0.4, 0.5, 0.6], (5, 1))
    own = np.array([0.3, 0.4, 0.45, 0.6, np.nan])
    assert equivalent(curve, own, 8, "tau_c").tolist() == pytest.approx(
        [0, 1, 1.5, 3, np.nan], nan_ok=True
    )
    assert equivalent(curve[:1], np.array([0.7]), 8, "tau_c").tolist() == [np.inf]


@given(single=st.floats(0.05, 0.9), size=st.integers(8, 200))
def test_a_panel_beyond_the_curve_is_worth_its_own_size(single: float, size: int) -> None:
    one_rater, reference = np.array([single]), stepped_up(np.array([single]), 8)
    curve = np.sqrt([[stepped_up(one_rater, k)[0] * reference[0] for k in range(1, 8)]])
    assert reliability(curve[:, -1], 7, 8)[0] == pytest.approx(single)
    own = np.sqrt(stepped_up(one_rater, size) * reference)
    assert equivalent(curve, own, 8, "pearson")[0] == pytest.approx(size, rel=1e-5)
    # Nobody's mean correlates better than the reference is reliable.
    assert equivalent(curve, np.sqrt(reference) + 1e-9, 8, "pearson")[0] == np.inf


def crowd_of(built: Built, rows: list[tuple[str, str, int, float]], **more: Any) -> Models:
    return built(
        speeches=sorted({(item, topic, "s") for topic, item, _, _ in rows}),
        ratings=[(item, f"a{rater:02d}", value) for _, item, rater, value in rows],
        **more,
    )


def test_a_judge_that_is_the_mean_of_people_is_worth_many_and_order_changes_nothing(
    built: Built,
) -> None:
    rows = study(5)
    means = {item: np.mean([r[3] for r in rows if r[1] == item]) for _, item, _, _ in rows}
    scores: list[Any] = [("j/mean", item, float(mean), None) for item, mean in means.items()]
    scores += [("j/four", item, 4.0, 4.0) for item in means]
    asked = "select * from rpt_judge_worth order by judge_id, measure, failure_rule"
    models = crowd_of(built, rows, scores=scores)
    again = crowd_of(built, rows[::-1], scores=scores[::-1], threads=3)
    assert models.execute(asked).fetchall() == again.execute(asked).fetchall()
    best = one(models, "from rpt_judge_worth where judge_id = 'j/mean' and measure = 'pearson'")
    assert best["worth_status"] in ("extrapolated", "more_than_any")
    constant = one(models, "from rpt_judge_worth where judge_id = 'j/four' and measure = 'tau_c'")
    assert constant["correlation"] is None
    assert constant["undefined_reason"] == "this judge has the same score on every speech"
    curve = models.execute(
        "select correlation from rpt_rater_count where measure = 'pearson' order by n_raters"
    ).fetchall()
    assert len(curve) == 20
    assert [row[0] for row in curve] == sorted(row[0] for row in curve)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "nobody has rated these speeches"),
        (study(1, raters=8), "no speech was rated by nine people"),
        ([(*row[:3], 3.0) for row in study(1)], "people's means are the same on every speech"),
        (
            [("t", "i00", rater, 1.0 + rater % 5) for rater in range(15)],
            "people's means are the same on every speech",
        ),
    ],
    ids=["no-ratings", "eight-raters", "all-equal", "one-item"],
)
def test_where_nothing_can_be_said_there_is_a_reason(
    built: Built, rows: list[Any], reason: str
) -> None:
    more: dict[str, Any] = {"scores": [("j/m", "i00", 2.0, 2.0)]}
    models = crowd_of(built, rows, **more) if rows else built(speeches=[("i00", "t", "s")], **more)
    found = models.execute("select distinct undefined_reason from rpt_judge_worth").fetchall()
    assert found == [(reason,)]
    assert models.execute("select count(correlation) from rpt_rater_count").fetchone() == (0,)
    undefined = models.execute(
        "select count(*) from rpt_crowd_agreement where (value is null) != "
        "(undefined_reason is not null)"
    ).fetchone()
    assert undefined == (0,)


def test_where_speeches_are_too_many_nobody_has_a_tau_and_the_rest_stays(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = study(5)
    judged: dict[str, Any] = {
        "scores": [("j/m", row[1], row[3], row[3]) for row in rows if row[2] == 0]
    }
    pearson = "select correlation, worth from rpt_judge_worth where measure = 'pearson'"
    few = crowd_of(built, rows, **judged).execute(pearson).fetchall()
    monkeypatch.setattr("warehouse.fits.crowd.MOST_ITEMS_FOR_TAU", 1)
    many = crowd_of(built, rows, **judged)
    assert many.execute(pearson).fetchall() == few
    found = many.execute(
        "select distinct correlation, worth, undefined_reason like 'more than % speeches: too many%' "
        "from rpt_judge_worth where measure = 'tau_c'"
    ).fetchall()
    assert found == [(None, None, True)]
