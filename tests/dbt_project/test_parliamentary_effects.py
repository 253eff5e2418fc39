"""Whom a judge favours and whether length matters, from SQL against SciPy and statsmodels."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Compiled, over, rows_of
from tests.dbt_project.parliamentary_effects_data import COLUMNS, OUTCOMES, Made, draw
from warehouse.records.bp import HOUSE_OF, ROLES

_ORDERS = {"a": "og-oo-cg-co", "b": "co-cg-oo-og", "c": "cg-co-og-oo"}
_GOVERNMENT, _OPENING = ("og", "cg"), ("og", "oo")
Found = dict[tuple[Any, ...], dict[str, Any]]
seeds = st.integers(0, 2**32 - 1)


def bias(compiled: Compiled, made: Made) -> Found:
    rows = rows_of(over(compiled, COLUMNS, made.rows()), "from rpt_bp_bias")
    return {(row["setting_id"], row["effect"], row["outcome"]): row for row in rows}


def contrast(made: Made, setting: str, outcome: str, houses: tuple[str, ...]) -> dict[str, float]:
    """Return by debate how much better places of some houses fare than the others."""
    found = {}
    for debate in made.official:
        differences = [
            np.mean(
                [value for place, value in favour.items() if HOUSE_OF.get(place, place) in houses]
            )
            - np.mean(
                [
                    value
                    for place, value in favour.items()
                    if HOUSE_OF.get(place, place) not in houses
                ]
            )
            for favour in made.whole(setting, outcome, debate)
        ]
        if differences:
            found[debate] = float(np.mean(differences))
    return found


def speaking_slopes(made: Made, setting: str, outcome: str) -> dict[str, float]:
    found = {}
    for debate in made.official:
        slopes = [
            stats.linregress(range(1, 9), [favour[role] for role in ROLES]).slope
            for favour in made.whole(setting, outcome, debate)
        ]
        if slopes:
            found[debate] = float(np.mean(slopes))
    return found


def agrees_with_one_sample(row: Mapping[str, Any], values: list[float]) -> None:
    assert row["n_units"] == len(values)
    test = stats.ttest_1samp(values, 0)
    interval = test.confidence_interval(0.95)
    expected = [np.mean(values), test.statistic, test.pvalue, interval.low, interval.high, test.df]
    names = ("estimate", "statistic", "p", "estimate_low", "estimate_high", "df")
    assert [row[name] for name in names] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@EXAMPLES
@given(seed=seeds)
def test_halves_benches_and_speaking_places_are_t_tests_over_debates(
    compiled: Compiled, seed: int
) -> None:
    made = draw(np.random.default_rng(seed), 9, {"a": _ORDERS["a"]})
    found = bias(compiled, made)
    for outcome in OUTCOMES:
        for effect, houses in (("opening_half", _OPENING), ("government", _GOVERNMENT)):
            values = contrast(made, "a", outcome, houses)
            agrees_with_one_sample(found["a", effect, outcome], list(values.values()))
    for outcome in ("speaker_score", "speaker_rank"):
        slopes = speaking_slopes(made, "a", outcome)
        agrees_with_one_sample(found["a", "late_speaker", outcome], list(slopes.values()))


@EXAMPLES
@given(seed=seeds)
def test_longer_speeches_are_a_regression_within_debates_with_clustered_errors(
    compiled: Compiled, seed: int
) -> None:
    made = draw(np.random.default_rng(seed), 12, {"a": _ORDERS["a"]})
    row = bias(compiled, made)["a", "longer_speech", "speaker_score"]
    words, favours, debates = [], [], []
    for debate, counts in made.words.items():
        whole = made.whole("a", "speaker_score", debate)
        if whole and len(set(counts.values())) > 1:
            lengths = np.array([counts[role] / 100 for role in ROLES])
            mean = np.mean([[favour[role] for role in ROLES] for favour in whole], axis=0)
            words += list(lengths - lengths.mean())
            favours += list(mean - mean.mean())
            debates += [debate] * 8
    clusters = np.unique(debates, return_inverse=True)[1]
    n = len(set(debates))
    fit = sm.OLS(favours, words).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    error = fit.bse[0] * (n / (n - 1)) ** 0.5
    half = stats.t.ppf(0.975, n - 1) * error
    expected = [
        fit.params[0],
        fit.params[0] - half,
        2 * stats.t.sf(abs(fit.params[0] / error), n - 1),
    ]
    assert [row["estimate"], row["estimate_low"], row["p"]] == pytest.approx(expected, rel=1e-9)
    # Debates whose speeches are all of one length tell nothing of it, and are counted.
    assert row["n_units"] == n
    assert row["n_answers"] + row["left_out_count"] == len(made.answers)


@EXAMPLES
@given(seed=seeds)
def test_contentious_motions_against_others_are_welchs_test(compiled: Compiled, seed: int) -> None:
    made = draw(np.random.default_rng(seed), 30, {"a": _ORDERS["a"]})
    row = bias(compiled, made)["a", "contentious_government", "house_rank"]
    values = contrast(made, "a", "house_rank", _GOVERNMENT)
    kinds = [
        [value for debate, value in values.items() if made.contentious[debate] is flag]
        for flag in (True, False)
    ]
    assert (row["n_contentious"], row["n_units"]) == (len(kinds[0]), sum(map(len, kinds)))
    if min(map(len, kinds)) < 5:
        assert row["p"] is None
        assert row["null_reason"] == "fewer than 5 debates of one kind"
        return
    test = stats.ttest_ind(*kinds, equal_var=False)
    interval = test.confidence_interval(0.95)
    assert row["estimate"] == pytest.approx(np.mean(kinds[0]) - np.mean(kinds[1]))
    assert [row["statistic"], row["df"], row["p"], row["estimate_low"], row["estimate_high"]] == (
        pytest.approx([test.statistic, test.df, test.pvalue, interval.low, interval.high], rel=1e-9)
    )


@EXAMPLES
@given(seed=seeds)
def test_being_named_first_is_paired_over_the_same_houses_of_the_same_debates(
    compiled: Compiled, seed: int
) -> None:
    made = draw(np.random.default_rng(seed), 8, _ORDERS)
    found = bias(compiled, made)
    for outcome, (_, places, sign) in OUTCOMES.items():
        values = []
        for debate in made.official:
            ends: dict[tuple[str, int], list[float]] = {}
            for answer in (each for each in made.answers if each.debate == debate):
                for end in (0, -1):
                    house = answer.named_order.split("-")[end]
                    own = [
                        answer.predicted[outcome][place]
                        for place in places
                        if HOUSE_OF.get(place, place) == house
                    ]
                    if None not in own:
                        ends.setdefault((house, end), []).append(sign * float(np.mean(own)))  # type: ignore[arg-type]
            pairs = [
                np.mean(ends[house, 0]) - np.mean(ends[house, -1])
                for house in ("og", "oo", "cg", "co")
                if (house, 0) in ends and (house, -1) in ends
            ]
            if pairs:
                values.append(float(np.mean(pairs)))
        row = found[None, "named_first", outcome]
        if len(values) < 5:
            assert (row["n_units"], row["p"]) == (len(values), None)
        else:
            agrees_with_one_sample(row, values)


@EXAMPLES
@given(seed=seeds)
def test_every_tested_contrast_brings_one_p_to_its_judges_family(
    compiled: Compiled, seed: int
) -> None:
    rows = list(bias(compiled, draw(np.random.default_rng(seed), 12, _ORDERS)).values())
    assert {row["family_id"] for row in rows} == {"d / j/m"}
    tested = [row for row in rows if row["p"] is not None]
    expected = stats.false_discovery_control([row["p"] for row in tested])
    assert [row["p_adjusted"] for row in tested] == pytest.approx(expected)
    # Three outcomes of five effects, two of them of speeches alone, by three settings; three
    # outcomes of the order of the houses.
    assert len(rows) == 3 * (3 * 3 + 2 * 2) + 3


@EXAMPLES
@given(seed=seeds)
def test_error_against_tokens_is_a_regression_over_debates(compiled: Compiled, seed: int) -> None:
    made = draw(np.random.default_rng(seed), 14, {"a": _ORDERS["a"]})
    rows = (
        over(compiled, COLUMNS, made.rows())
        .execute(
            "select part, value, value_low, n_units, n_answers, tokens_mean, tokens_low, tokens_high, "
            "no_tokens_count from rpt_context_length where measure = 'score_error' order by part, bin"
        )
        .fetchall()
    )
    tokens, errors, n_answers = [], [], 0
    for debate, official in made.official.items():
        kept = [each for each in made.answers if each.debate == debate and each.tokens is not None]
        given_values = [
            [
                abs(value - official["speaker_score"][role])
                for role, value in each.predicted["speaker_score"].items()
                if value is not None
            ]
            for each in kept
        ]
        if kept:
            tokens.append(float(np.mean([each.tokens for each in kept])))
            errors.append(float(np.mean([np.mean(values) for values in given_values])))
            n_answers += len(kept)
    fit = stats.linregress(tokens, errors)
    low = fit.slope - stats.t.ppf(0.975, len(tokens) - 2) * fit.stderr
    part, slope, slope_low, n_units, counted, *_, no_tokens = rows[-1]
    assert part == "slope"
    assert [slope, slope_low] == pytest.approx([1e4 * fit.slope, 1e4 * low], rel=1e-7)
    assert (n_units, counted, no_tokens) == (len(tokens), n_answers, len(made.answers) - n_answers)
    # The bins share out the debates, in order, and their errors average to all errors.
    bins = rows[:-1]
    assert sum(row[3] for row in bins) == n_units
    assert sum(row[1] * row[3] for row in bins) / n_units == pytest.approx(np.mean(errors))
    assert all(one[7] < other[6] for one, other in itertools.pairwise(bins))
    assert len(bins) == len(tokens) // 5
