"""Whom a judge favours and whether length matters, from SQL against SciPy and statsmodels."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.parliamentary_data import PLACES, Answer, Room, as_raw
from tests.dbt_project.test_parliamentary_rankings import mid_ranks
from warehouse.records.bp import HOUSE_OF, HOUSES

ORDERS = ("og-oo-cg-co", "co-cg-oo-og", "cg-co-og-oo")
GOVERNMENT, OPENING = ("og", "cg"), ("og", "oo")
# Of each outcome its task, and the sign that makes a residual favour.
OUTCOMES = {
    "speaker_score": ("speaker_scores", 1),
    "speaker_rank": ("speaker_ranks", -1),
    "house_rank": ("house_ranks", -1),
}
Found = dict[tuple[Any, ...], dict[str, Any]]
seeds = st.integers(0, 2**32 - 1)


def draw(seed: int, debates: int, orders: Sequence[str] = ORDERS[:1]) -> list[Room]:
    """Draw debates and answers to them, two for each order; some cannot be read in part.

    One debate in three has speeches of one length, one in four is not marked contentious or not.
    """
    generator = np.random.default_rng(seed)

    def answer(order: str, sample: int) -> Answer:
        scores = generator.integers(68, 86, 8).tolist()
        if generator.random() < 0.2:
            scores[generator.integers(8)] = None
        return Answer(
            None if generator.random() < 0.2 else (generator.permutation(4) + 1).tolist(),
            scores,
            (generator.permutation(8) + 1).tolist(),
            sample=sample,
            house_order=order,
            tokens=None if generator.random() < 0.1 else int(generator.integers(8000, 60000)),
        )

    return [
        Room(
            f"d{number}",
            (generator.permutation(4) + 1).tolist(),
            generator.integers(68, 86, 8).tolist(),
            answers=[answer(order, sample) for order in orders for sample in range(2)],
            words=(900,) * 8 if number % 3 == 0 else generator.integers(600, 1500, 8).tolist(),
            is_contentious=None if number % 4 == 0 else bool(generator.random() < 0.5),
        )
        for number in range(debates)
    ]


def bias(built: Built, rooms: list[Room]) -> Found:
    rows = rows_of(built(**as_raw(rooms)), "from rpt_bp_bias")
    return {(row["house_order"], row["effect"], row["outcome"]): row for row in rows}


def favours(room: Room, outcome: str) -> list[Any]:
    """Return favour by place of each answer that was read as a whole."""
    task, sign = OUTCOMES[outcome]
    official = {
        "house_ranks": room.ranks,
        "speaker_scores": room.scores,
        "speaker_ranks": mid_ranks(room.scores),
    }[task]
    read = [getattr(answer, task) for answer in room.answers]
    return [
        sign * (np.array(values) - np.array(official))
        for values in read
        if values is not None and None not in values
    ]


def contrast(rooms: list[Room], outcome: str, houses: tuple[str, ...]) -> dict[str, float]:
    """Return by debate how much better places of some houses fare than the others."""
    inside = np.array([HOUSE_OF.get(one, one) in houses for one in PLACES[OUTCOMES[outcome][0]]])
    return {
        room.name: float(np.mean([each[inside].mean() - each[~inside].mean() for each in whole]))
        for room in rooms
        if (whole := favours(room, outcome))
    }


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
    built: Built, seed: int
) -> None:
    rooms = draw(seed, 9)
    found = bias(built, rooms)
    for outcome in OUTCOMES:
        for effect, houses in (("opening_half", OPENING), ("government", GOVERNMENT)):
            values = contrast(rooms, outcome, houses)
            agrees_with_one_sample(found[ORDERS[0], effect, outcome], list(values.values()))
    for outcome in ("speaker_score", "speaker_rank"):
        slopes = [
            float(np.mean([stats.linregress(range(1, 9), each).slope for each in whole]))
            for room in rooms
            if (whole := favours(room, outcome))
        ]
        agrees_with_one_sample(found[ORDERS[0], "late_speaker", outcome], slopes)


@EXAMPLES
@given(seed=seeds)
def test_longer_speeches_are_a_regression_within_debates_with_clustered_errors(
    built: Built, seed: int
) -> None:
    rooms = draw(seed, 12)
    row = bias(built, rooms)[ORDERS[0], "longer_speech", "speaker_score"]
    words, gains, debates = [], [], []
    for room in rooms:
        whole = favours(room, "speaker_score")
        if whole and len(set(room.words)) > 1:
            lengths, mean = np.array(room.words) / 100, np.mean(whole, axis=0)
            words += list(lengths - lengths.mean())
            gains += list(mean - mean.mean())
            debates += [room.name] * 8
    clusters = np.unique(debates, return_inverse=True)[1]
    n = len(set(debates))
    fit = sm.OLS(gains, words).fit(
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
    assert row["n_answers"] + row["left_out_count"] == 2 * len(rooms)


@EXAMPLES
@given(seed=seeds)
def test_contentious_motions_against_others_are_welchs_test(built: Built, seed: int) -> None:
    rooms = draw(seed, 30)
    row = bias(built, rooms)[ORDERS[0], "contentious_government", "house_rank"]
    values = contrast(rooms, "house_rank", GOVERNMENT)
    kinds = [
        [values[room.name] for room in rooms if room.name in values and room.is_contentious is flag]
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
    built: Built, seed: int
) -> None:
    rooms = draw(seed, 8, ORDERS)
    found = bias(built, rooms)
    for outcome, (task, sign) in OUTCOMES.items():
        values = []
        for room in rooms:
            ends: dict[tuple[str, int], list[float]] = {}
            for answer in room.answers:
                read = getattr(answer, task) or [None] * len(PLACES[task])
                for end in (0, -1):
                    house = answer.house_order.split("-")[end]
                    own = [
                        value
                        for place, value in zip(PLACES[task], read, strict=True)
                        if HOUSE_OF.get(place, place) == house
                    ]
                    if None not in own:
                        ends.setdefault((house, end), []).append(sign * float(np.mean(own)))
            pairs = [
                np.mean(ends[house, 0]) - np.mean(ends[house, -1])
                for house in HOUSES
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
def test_every_tested_contrast_brings_one_p_to_its_judges_family(built: Built, seed: int) -> None:
    rows = list(bias(built, draw(seed, 12, ORDERS)).values())
    assert {row["family_id"] for row in rows} == {"d / j/a"}
    tested = [row for row in rows if row["p"] is not None]
    expected = stats.false_discovery_control([row["p"] for row in tested])
    assert [row["p_adjusted"] for row in tested] == pytest.approx(expected)
    # Three outcomes of five effects, two of them of speeches alone, by three settings; three
    # outcomes of the order of the houses.
    assert len(rows) == 3 * (3 * 3 + 2 * 2) + 3


@EXAMPLES
@given(seed=seeds)
def test_error_against_tokens_is_a_regression_over_debates(built: Built, seed: int) -> None:
    rooms = draw(seed, 14)
    rows = (
        built(**as_raw(rooms))
        .execute(
            "select part, value, value_low, n_units, n_answers, tokens_mean, tokens_low, tokens_high, "
            "no_tokens_count from rpt_context_length where measure = 'score_error' order by part, bin"
        )
        .fetchall()
    )
    tokens, errors, n_answers = [], [], 0
    for room in rooms:
        kept = [answer for answer in room.answers if answer.tokens is not None]
        if kept:
            tokens.append(float(np.mean([answer.tokens for answer in kept])))
            off = [
                np.nanmean(np.abs(np.array(answer.speaker_scores, dtype=float) - room.scores))
                for answer in kept
            ]
            errors.append(float(np.mean(off)))
            n_answers += len(kept)
    fit = stats.linregress(tokens, errors)
    low = fit.slope - stats.t.ppf(0.975, len(tokens) - 2) * fit.stderr
    part, slope, slope_low, n_units, counted, *_, no_tokens = rows[-1]
    assert part == "slope"
    assert [slope, slope_low] == pytest.approx([1e4 * fit.slope, 1e4 * low], rel=1e-7)
    assert (n_units, counted, no_tokens) == (len(tokens), n_answers, 2 * len(rooms) - n_answers)
    # The bins share out the debates, in order, and their errors average to all errors.
    bins = rows[:-1]
    assert sum(row[3] for row in bins) == n_units
    assert sum(row[1] * row[3] for row in bins) / n_units == pytest.approx(np.mean(errors))
    assert all(one[7] < other[6] for one, other in itertools.pairwise(bins))
    assert len(bins) == len(tokens) // 5
