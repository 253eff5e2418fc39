"""Joint models against statsmodels on one row per unit, closed forms, and a second build."""

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog

from warehouse.fits import joint

N_CLUSTERS = 40


def simulated(seed: int, *, per_cluster: int = 6, noise: float = 1.0) -> pd.DataFrame:
    """Units of one judge under six variants: two positions, and labels A/B in both orders or P/C."""
    random = np.random.default_rng(seed)
    debates = pd.DataFrame(
        {
            "cluster_key": np.arange(N_CLUSTERS),
            "con_closes": random.random(N_CLUSTERS) < 0.6,
            "log2_length_ratio": random.normal(size=N_CLUSTERS),
            "human_is_con": random.random(N_CLUSTERS) < 0.5,
            "taste": random.normal(size=N_CLUSTERS) * noise,
        }
    )
    variants = pd.DataFrame(
        {
            "setting_id": [1, 2, 3, 4, 5, 6],
            "is_con_second": [True, False] * 3,
            "label_set": ["A/B"] * 4 + ["P/C"] * 2,
            "con_has_second_label": [0.5, 0.5, -0.5, -0.5, 0.5, 0.5],
            "asked": ["t"] * 4 + ["u"] * 2,
        }
    ).head(per_cluster)
    rows = debates.merge(variants, how="cross")
    log_odds = (
        0.5 * rows.is_con_second
        + 0.6 * rows.con_has_second_label
        + 0.4 * rows.con_closes
        + 0.5 * rows.log2_length_ratio
        + rows.human_is_con
        + rows.taste
        - 0.9
    )
    rows["is_con"] = random.random(len(rows)) < 1 / (1 + np.exp(-log_odds))
    return rows


def fitted(
    rows: pd.DataFrame, previous: Any = None, fingerprint: str = "f", judge: str = "j/m"
) -> pa.Table:
    """Return what `joint_models` makes of one judge."""
    connection = duckdb.connect()
    frame = rows.assign(fit_key=1, debate_key=rows.cluster_key, answer_count=2)
    asked = (
        frame[["setting_id", "fit_key", "asked", "label_set"]]
        .drop_duplicates()
        .assign(outcome="winner")
    )
    prints = pd.DataFrame(
        {
            "fit_key": [1],
            "experiment": ["e"],
            "dataset_id": ["d"],
            "judge_id": [judge],
            "template": ["t"],
            "min_clusters": [5],
            "rows_fingerprint": [fingerprint],
        }
    )
    return joint.joint_models(
        connection.from_df(frame),
        connection.from_df(asked),
        connection.from_df(prints),
        None if previous is None else connection.from_arrow(previous),
    )


def by_term(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["term"]: row for row in table.to_pylist()}


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0.0, 2.0]))
def test_everything_is_what_statsmodels_gives_row_by_row(seed: int, noise: float) -> None:
    rows = simulated(seed, per_cluster=4, noise=noise)
    # With one label set in both orders, minus a half and a half are the same model as 0 and 1.
    design = pd.DataFrame(
        {
            "const": 1.0,
            "con second": rows.is_con_second.astype(float),
            "label A/B": (rows.con_has_second_label > 0).astype(float),
            "con closes": rows.con_closes.astype(float),
            "log2 length ratio": rows.log2_length_ratio,
            "human winner con": rows.human_is_con.astype(float),
        }
    )
    result = sm.Logit(rows.is_con.astype(float), design).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": rows.cluster_key}
    )
    effects = result.get_margeff(dummy=True)
    t = stats.t.ppf(0.975, N_CLUSTERS - 1)
    found = by_term(fitted(rows))
    assert list(found) == list(design)[1:]
    for number, (term, row) in enumerate(found.items()):
        assert row["reason"] is None
        assert (row["n_units"], row["n_clusters"], row["n_answers"]) == (
            len(rows),
            40,
            2 * len(rows),
        )
        assert row["coefficient"] == pytest.approx(result.params[term], rel=1e-6, abs=1e-9)
        error = result.bse[term]
        assert row["coefficient_high"] - row["coefficient"] == pytest.approx(t * error, rel=1e-6)
        assert row["marginal_effect"] == pytest.approx(effects.margeff[number], rel=1e-6, abs=1e-9)
        error = effects.margeff_se[number]
        assert row["marginal_effect"] - row["marginal_effect_low"] == pytest.approx(
            t * error, rel=1e-6
        )
        assert row["statistic"] == pytest.approx(effects.tvalues[number], rel=1e-6, abs=1e-9)
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(row["statistic"]), 39))


def test_one_term_alone_is_the_difference_of_two_shares() -> None:
    # Con second: 6 of 8 for Con; Con first: 3 of 10. Every unit is its own cluster, so the error is
    # that of two independent shares, times the small-sample factor 18/17 * 17/16.
    units = [(True, 1)] * 6 + [(True, 0)] * 2 + [(False, 1)] * 3 + [(False, 0)] * 7
    rows = pd.DataFrame(units, columns=["is_con_second", "is_con"])
    rows = rows.assign(
        cluster_key=range(18),
        setting_id=1,
        con_has_second_label=None,
        label_set=None,
        asked="t",
        con_closes=True,
        log2_length_ratio=None,
        human_is_con=None,
    )
    found = by_term(fitted(rows))
    effect = found["con second"]
    assert effect["marginal_effect"] == pytest.approx(6 / 8 - 3 / 10)
    error = np.sqrt((0.75 * 0.25 / 8 + 0.3 * 0.7 / 10) * 18 / 16)
    assert effect["statistic"] == pytest.approx((6 / 8 - 3 / 10) / error)
    assert effect["coefficient"] == pytest.approx(np.log(3) - np.log(3 / 7))
    assert found["con closes"]["reason"] == "the same for every unit"
    assert found["human winner con"]["reason"] == "unknown for every unit"
    assert found["log2 length ratio"]["reason"] == "unknown for every unit"


def test_a_labels_effect_is_averaged_over_the_units_that_have_its_set() -> None:
    rows = simulated(1)
    found = by_term(fitted(rows))
    # P/C comes in one order only: what it does cannot be told from a liking for Con.
    assert found["label P/C"]["reason"] == "the same for every unit"
    of_set = rows.label_set == "A/B"
    design = np.column_stack(
        [
            np.ones(len(rows)),
            rows.is_con_second,
            np.where(of_set, rows.con_has_second_label, 0),
            rows.con_closes,
            rows.log2_length_ratio,
            rows.human_is_con,
            rows.label_set == "P/C",
        ]
    ).astype(float)
    result = sm.Logit(rows.is_con.astype(float), design).fit(disp=False)
    with_it, without_it = design[of_set].copy(), design[of_set].copy()
    with_it[:, 2], without_it[:, 2] = 0.5, -0.5
    expected = (result.predict(with_it) - result.predict(without_it)).mean()
    assert found["label A/B"]["marginal_effect"] == pytest.approx(expected)
    # Template u and set P/C go together; that costs neither of the terms anything.
    assert found["con second"]["reason"] is None


def test_units_without_majority_or_with_an_unknown_term_are_counted_and_left_out() -> None:
    rows = simulated(2, per_cluster=4).astype({"is_con": object, "log2_length_ratio": object})
    whole = rows[rows.cluster_key >= 10]
    rows.loc[rows.cluster_key < 4, "is_con"] = None
    rows.loc[(rows.cluster_key >= 4) & (rows.cluster_key < 10), "log2_length_ratio"] = None
    with_gaps, without = by_term(fitted(rows)), by_term(fitted(whole))
    for term, row in with_gaps.items():
        assert (row["split_count"], row["incomplete_count"]) == (16, 24)
        assert row["n_units"] == 120
        assert row["marginal_effect"] == without[term]["marginal_effect"]
        assert row["p"] == without[term]["p"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows.assign(is_con=rows.con_closes), "separated"),
        (lambda rows: rows.assign(is_con=rows.is_con | rows.is_con_second), "separated"),
        (lambda rows: rows.assign(is_con=True), "one class only"),
        (lambda rows: rows.assign(cluster_key=rows.cluster_key % 4), "fewer than 5 clusters"),
        (lambda rows: rows.assign(cluster_key=rows.cluster_key % 6), "no more clusters than"),
        (lambda rows: rows.assign(is_con=None), "no unit with a majority"),
    ],
)
def test_what_cannot_be_estimated_says_why(change: Any, reason: str) -> None:
    found = by_term(fitted(change(simulated(3, per_cluster=4))))
    assert len(found) == 5
    for row in found.values():
        assert row["reason"].startswith(reason)
        assert row["marginal_effect"] is None
        assert row["coefficient"] is None
        assert row["p"] is None


@settings(deadline=None)
@given(seed=st.integers(0, 100_000), planted=st.booleans())
def test_separation_is_seen_exactly_where_a_linear_programme_finds_it(
    seed: int, planted: bool
) -> None:
    # Separated means: some direction names no unit's verdict wrongly and some unit's rightly
    # (Albert and Anderson 1984).
    random = np.random.default_rng(seed)
    n_clusters, per_cluster = random.integers(8, 20), random.integers(1, 4)
    n_units = n_clusters * per_cluster
    is_first = random.random(n_units) < 0.5
    slope = random.normal(size=n_units) * 10.0 ** random.integers(-2, 3)
    verdicts = random.random(n_units) < random.choice([0.05, 0.3, 0.5])
    verdicts |= planted & is_first
    if len(set(verdicts)) < 2 or len(set(is_first)) < 2:
        return
    everywhere = np.ones(n_units, dtype=bool)
    model = joint.joint_model(
        verdicts.astype(float),
        {
            "first": joint.Term(is_first.astype(float), (0.0, 1.0), everywhere),
            "slope": joint.Term(slope, None, everywhere),
        },
        np.zeros((n_units, 0)),
        np.repeat(np.arange(n_clusters), per_cluster),
        ways=np.arange(n_units),
        debates=np.arange(n_units),
        min_clusters=5,
    )
    design = np.column_stack([np.ones(n_units), is_first, slope / np.abs(slope).max()])
    signed = np.where(verdicts, 1, -1)[:, None] * design
    best = linprog(-signed.sum(axis=0), -signed, np.zeros(n_units), bounds=[(-1, 1)] * 3)
    reasons = {effect.reason or "" for effect in model.effects.values()}
    assert (-best.fun > 1e-7) == any(reason.startswith("separated") for reason in reasons)


def test_terms_that_determine_each_other_leave_the_rest_as_it_is() -> None:
    rows = simulated(4, per_cluster=4)
    twice = by_term(fitted(rows.assign(human_is_con=~rows.con_closes)))
    once = by_term(fitted(rows.assign(human_is_con=True)))
    assert twice["con closes"]["reason"] == "determined by other terms"
    assert twice["human winner con"]["reason"] == "determined by other terms"
    for term in ("con second", "label A/B", "log2 length ratio"):
        assert twice[term]["marginal_effect"] == pytest.approx(once[term]["marginal_effect"])
        assert twice[term]["p"] == pytest.approx(once[term]["p"])


def test_a_judge_who_never_minds_the_position_has_an_effect_of_0_and_no_test() -> None:
    rows = simulated(5, per_cluster=4)
    rows["is_con"] = rows.groupby(["cluster_key", "con_has_second_label"]).is_con.transform("first")
    row = by_term(fitted(rows))["con second"]
    assert row["marginal_effect"] == 0
    assert row["p"] is None
    assert row["reason"] == "every cluster shows the same effect"


def test_an_unchanged_fit_is_taken_from_the_last_build_and_a_changed_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = simulated(6)
    first = fitted(rows)
    other_rows = simulated(7)
    fresh = fitted(other_rows, fingerprint="g")
    assert fitted(other_rows, previous=first, fingerprint="g").equals(fresh)
    # A judge that is gone stays gone, whatever the last build held.
    assert fitted(other_rows, previous=first, fingerprint="f", judge="j/other").column(
        "judge_id"
    ).unique().to_pylist() == ["j/other"]
    # A table of an older layout is no help, and no harm.
    assert fitted(rows, previous=first.drop_columns(["df"])).equals(first)

    def no_fit(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(joint, "fit_logistic", no_fit)
    assert fitted(rows, previous=first).equals(first)
    monkeypatch.setattr(joint, "JOINT_VERSION", joint.JOINT_VERSION + 1)
    with pytest.raises(AssertionError):
        fitted(rows, previous=first)


def test_judges_fitted_side_by_side_have_the_rows_that_each_has_alone() -> None:
    connection = duckdb.connect()
    judges = {f"j/{number}": simulated(number) for number in range(7)}
    rows = pd.concat(
        each.assign(fit_key=key, setting_id=each.setting_id + 10 * key)
        for key, each in enumerate(judges.values())
    ).assign(answer_count=2)
    rows["debate_key"] = rows.cluster_key
    asked = rows[["setting_id", "fit_key", "asked", "label_set"]].drop_duplicates()
    prints = pd.DataFrame({"fit_key": range(7), "judge_id": list(judges)}).assign(
        experiment="e", dataset_id="d", template="t", min_clusters=5, rows_fingerprint="f"
    )
    relations = [
        connection.from_df(frame) for frame in (rows, asked.assign(outcome="winner"), prints)
    ]
    alone = [fitted(each, judge=judge) for judge, each in judges.items()]
    assert joint.joint_models(*relations).equals(pa.concat_tables(alone))
    # One that was made before is in its place among those that are made now.
    previous = connection.from_arrow(alone[3])
    assert joint.joint_models(*relations, previous).equals(pa.concat_tables(alone))


def test_importing_the_module_does_not_import_statsmodels() -> None:
    import subprocess
    import sys

    code = "import sys, warehouse.fits.joint; assert 'statsmodels' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.soak
def test_a_judge_of_a_hundred_thousand_units_is_fitted() -> None:
    rows = pd.concat(
        [
            simulated(seed).assign(cluster_key=lambda part, s=seed: part.cluster_key + 40 * s)
            for seed in range(417)
        ]
    )
    assert len(rows) > 100_000
    assert by_term(fitted(rows))["con second"]["reason"] is None
