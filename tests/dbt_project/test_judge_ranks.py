"""Which judges are told apart, and their places, against plain loops and SciPy."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.dbt_project.compiled_models import Built, one
from tests.dbt_project.test_agreement_by_reference import by_annotator, kappa
from tests.dbt_project.test_intervals_by_brute_force import (
    REPLICATES,
    tau_c,
    values_of,
    weights,
)
from warehouse.catalogue import read_catalogue
from warehouse.home import Home
from warehouse.reader import connect, current_version

TOPICS, SOURCES, ANNOTATORS, MIN_SHARED = 13, 3, 11, 6
NOISE = {"j/close": 0.3, "j/fair": 0.9, "j/loose": 2.0, "j/careless": 0.3}


@pytest.fixture(scope="module")
def panel() -> dict[str, Any]:
    """Four judges of unlike noise; one leaves a sixth of its answers without a score."""
    rng = np.random.default_rng(20)
    speeches, ratings, scores = [], [], []
    for topic, source in itertools.product(range(TOPICS), range(SOURCES)):
        item = f"i{topic}.{source}"
        quality = source + 0.7 * rng.normal()
        speeches.append((item, f"t{topic}", f"s{source}"))
        for annotator in range(ANNOTATORS):
            if rng.random() < 0.8:
                value = float(np.clip(round(2 + quality + rng.normal()), 1, 5))
                ratings.append((item, f"a{annotator:02}", value))
        for judge, noise in NOISE.items():
            value = float(np.clip(round(2 + quality + noise * rng.normal()), 1, 5))
            failed = judge == "j/careless" and rng.random() < 1 / 6
            scores.append((judge, item, None if failed else value, None if failed else value))
    return {"speeches": speeches, "ratings": ratings, "scores": scores}


def _scores(panel: dict[str, Any], judge: str) -> dict[str, float]:
    return {
        item: value for who, item, value, _ in panel["scores"] if who == judge and value is not None
    }


def _tau_difference(panel: dict[str, Any], a: str, b: str) -> tuple[float, float, int, int]:
    """Return the difference on shared speeches, its p, the topics and the speeches."""
    topic = {item: debate for item, debate, _ in panel["speeches"]}
    means = {
        item: float(np.mean([value for other, _, value in panel["ratings"] if other == item]))
        for item in topic
    }
    first, second = _scores(panel, a), _scores(panel, b)
    shared = sorted(first.keys() & second.keys())

    def difference(deleted: str | None) -> float:
        sides = []
        for side in (first, second):
            every = {item: (side[item], means[item]) for item in shared}
            kept = [pair for item, pair in every.items() if topic[item] != deleted]
            sides.append(tau_c(kept, values_of(list(every.values()))))
        return sides[0] - sides[1]

    topics = sorted({topic[item] for item in shared})
    left_out = [difference(deleted) for deleted in topics]
    groups, estimate = len(topics), difference(None)
    error = math.sqrt((groups - 1) * float(np.var(left_out)))
    p = 2 * float(stats.t.sf(abs(estimate) / error, groups - 1))
    return estimate, p, groups, len(shared)


def _kappa_difference(panel: dict[str, Any], a: str, b: str) -> tuple[float, float]:
    """Return the difference of mean kappas on shared speeches, and its p."""
    people = by_annotator(panel["ratings"])
    names = sorted(people)
    first, second = _scores(panel, a), _scores(panel, b)
    kappas: dict[tuple[str, str], tuple[float, float]] = {}
    for pair in itertools.combinations(names, 2):
        items = [
            item
            for item in people[pair[0]]
            if item in people[pair[1]] and item in first and item in second
        ]
        if len(items) >= MIN_SHARED:
            one_side, other_side = (
                float(
                    np.mean(
                        [
                            kappa([side[i] for i in items], [people[name][i] for i in items])
                            for name in pair
                        ]
                    )
                )
                for side in (first, second)
            )
            kappas[pair] = (one_side, other_side)
    drawn = []
    for replicate in range(1, REPLICATES + 1):
        counts = dict(zip(names, weights(len(names), replicate), strict=True))
        weight = [counts[x] * counts[y] for x, y in kappas]
        drawn.append(np.average([x - y for x, y in kappas.values()], weights=weight))
    estimate = float(np.mean([x - y for x, y in kappas.values()]))
    return estimate, 2 * float(stats.norm.sf(abs(estimate) / np.std(drawn, ddof=1)))


PAIRS = list(itertools.combinations(sorted(NOISE), 2))


def test_tau_of_two_judges_differs_by_the_jackknife_over_topics_of_shared_speeches(
    built: Built, panel: dict[str, Any]
) -> None:
    models = built(**panel)
    expected = {pair: _tau_difference(panel, *pair) for pair in PAIRS}
    adjusted = stats.false_discovery_control([expected[pair][1] for pair in PAIRS])
    for pair, p_adjusted in zip(PAIRS, adjusted, strict=True):
        row = one(
            models,
            "from int_judge_pairs_adjusted where ranking_id like 'tau_c /%' "
            f"and judge_a = '{pair[0]}' and judge_b = '{pair[1]}'",
        )
        difference, p, topics, speeches = expected[pair]
        assert row["difference"] == pytest.approx(difference, abs=1e-12)
        assert row["p"] == pytest.approx(p, rel=1e-9)
        assert row["p_adjusted"] == pytest.approx(p_adjusted, rel=1e-9)
        assert (row["n_units"], row["n_shared"]) == (topics, speeches)


def test_kappas_of_two_judges_are_compared_on_the_speeches_both_have_scored(
    built: Built, panel: dict[str, Any]
) -> None:
    models = built(**panel)
    for pair in PAIRS:
        row = one(
            models,
            f"from int_speech_judge_pairs where min_shared_items = {MIN_SHARED} "
            f"and judge_a = '{pair[0]}' and judge_b = '{pair[1]}'",
        )
        difference, p = _kappa_difference(panel, *pair)
        assert row["difference"] == pytest.approx(difference, abs=1e-12)
        assert row["p"] == pytest.approx(p, rel=1e-9)
        assert row["n_units"] == ANNOTATORS


def test_places_count_the_judges_that_are_told_apart(built: Built, panel: dict[str, Any]) -> None:
    models = built(**panel)
    p_values = [_tau_difference(panel, *pair)[:2] for pair in PAIRS]
    adjusted = stats.false_discovery_control([p for _, p in p_values])
    better: dict[str, set[str]] = {judge: set() for judge in NOISE}
    for (a, b), (difference, _), p in zip(PAIRS, p_values, adjusted, strict=True):
        if p < 0.05:
            winner, loser = (a, b) if difference > 0 else (b, a)
            better[loser].add(winner)
    assert any(better.values())
    for judge in NOISE:
        row = one(models, f"from rpt_judge_ranks where measure = 'tau_c' and judge_id = '{judge}'")
        worse = sum(judge in winners for winners in better.values())
        assert (row["rank_low"], row["rank_high"]) == (1 + len(better[judge]), 4 - worse)


def test_a_judge_that_repeats_anothers_scores_is_not_told_apart_from_it(
    built: Built, panel: dict[str, Any]
) -> None:
    """The careless judge lacks speeches, but gives the others what the close one gives them."""
    close = _scores(panel, "j/close")
    scores = [
        (judge, item, *(2 * [None if value is None else close[item]]))
        if judge == "j/careless"
        else (judge, item, value, released)
        for judge, item, value, released in panel["scores"]
    ]
    models = built(**{**panel, "scores": scores})
    rows = models.execute(
        "select difference, p from int_speech_judge_pairs "
        "where judge_a = 'j/careless' and judge_b = 'j/close'"
    ).fetchall()
    assert len(rows) == 3
    assert all(difference == pytest.approx(0, abs=1e-12) and p is None for difference, p in rows)


def _direction(measure: str) -> str:
    """Return the direction of a measure, or of what it is a kind of, in the catalogue."""
    found = read_catalogue().measures
    general = measure.partition("_")[2]
    names = (measure, f"house_{measure}", f"speaker_{measure}", f"speaker_score_{measure}", general)
    return next(found[name].direction for name in names if name in found)


def test_values_that_the_catalogue_calls_better_rank_first(built_demo: Home) -> None:
    with connect(current_version(built_demo)) as connection:
        stated = connection.execute(
            "select distinct measure, better from rpt_judge_ranks union "
            "select distinct measure, better from rpt_judge_tasks union "
            "select distinct measure, better from rpt_bp_guessing where better in ('higher', 'lower')"
        ).fetchall()
        ranked = connection.execute(
            "select measure, columns(['dataset_id', 'dimension', 'template', 'variant_id', "
            "'experiment', 'evaluator_id', 'evaluator_template', 'min_shared_items']), estimate, "
            "rank_low, rank_high, n_ranked from rpt_judge_ranks where rank_low is not null"
        ).fetchall()
    assert {(measure, _direction(measure)) for measure, _ in stated} == set(stated)
    rankings: dict[Any, list[Any]] = {}
    for *key, estimate, low, high, n_ranked in ranked:
        rankings.setdefault(tuple(key), []).append((estimate, low, high, n_ranked))
    directions = {measure: _direction(measure) for measure, _ in stated}
    told_apart = set()
    for (measure, *_), judges in rankings.items():
        ordered = sorted(judges, reverse=directions[measure] == "higher")
        # Best to worst, the ends of the places never fall.
        for end in (1, 2):
            ends = [judge[end] for judge in ordered]
            assert ends[0] <= ends[-1], measure
        if ordered[0][2] < ordered[-1][1]:
            told_apart.add(directions[measure])
    assert told_apart == {"higher", "lower"}
