"""Intervals from SQL against the plain loops they stand for."""

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.dbt_project.compiled_models import Built, one
from tests.dbt_project.references import check_mean, jackknife_half
from tests.dbt_project.test_agreement_by_reference import by_annotator, by_item, kappa
from warehouse.fits.resampling import resample_counts

TOPICS = 9
SEED = 20250611
REPLICATES = 50


@pytest.fixture(scope="module")
def panel() -> dict[str, Any]:
    """Nine topics of three speeches, seven annotators, one judge that fails now and then."""
    rng = np.random.default_rng(7)
    speeches, ratings, scores = [], [], []
    for topic, source in itertools.product(range(TOPICS), range(3)):
        item = f"i{topic}{source}"
        quality = source + rng.normal()
        speeches.append((item, f"t{topic}", f"s{source}"))
        for annotator in range(7):
            if rng.random() < 0.8:
                value = float(np.clip(round(2 + quality + rng.normal()), 1, 5))
                ratings.append((item, f"a{annotator}", value))
        value = float(np.clip(round(2 + quality + rng.normal()), 1, 5))
        failed = rng.random() < 0.1
        scores.append(("j/m", item, None if failed else value, None if failed else value))
    return {"speeches": speeches, "ratings": ratings, "scores": scores}


def tau_c(pairs: list[tuple[float, float]], m: int) -> float:
    """Tau-c with the number of values held at m."""
    total = sum(
        np.sign(first[0] - second[0]) * np.sign(round(first[1] - second[1], 9))
        for first, second in itertools.combinations(pairs, 2)
    )
    return 2 * m * float(total) / (len(pairs) ** 2 * (m - 1))


def values_of(pairs: list[tuple[float, float]]) -> int:
    return min(len({pair[0] for pair in pairs}), len({round(pair[1], 9) for pair in pairs}))


def test_the_tau_interval_deletes_one_topic_at_a_time(built: Built, panel: dict[str, Any]) -> None:
    row = one(built(**panel), "from rpt_rank_agreement where judge_id = 'j/m'")
    topic = {item: debate for item, debate, _ in panel["speeches"]}
    ratings = by_item(panel["ratings"])
    observed = {
        item: (value, float(np.mean(ratings[item])))
        for _, item, value, _ in panel["scores"]
        if value is not None
    }
    m = values_of(list(observed.values()))
    left_out, spearmans = [], []
    for deleted in sorted(set(topic.values())):
        kept = [pair for item, pair in observed.items() if topic[item] != deleted]
        left_out.append(tau_c(kept, m))
        spearmans.append(float(stats.spearmanr(*zip(*kept, strict=True)).statistic))
    assert row["tau_c_high"] - row["tau_c"] == pytest.approx(jackknife_half(left_out), abs=1e-12)
    assert row["tau_c"] - row["tau_c_low"] == pytest.approx(jackknife_half(left_out), abs=1e-12)
    assert row["spearman"] - row["spearman_low"] == pytest.approx(
        jackknife_half(spearmans), abs=1e-9
    )
    assert row["n_units"] == TOPICS


@pytest.mark.parametrize(
    ("is_complete", "flat"),
    [(False, False), (False, True), (True, True)],
    ids=["some items failed", "somebody gives one score", "no item failed"],
)
def test_the_difference_to_people_is_paired_on_the_items_both_scored(
    built: Built, panel: dict[str, Any], is_complete: bool, flat: bool
) -> None:
    panel = dict(panel)
    if flat:
        panel["ratings"] = panel["ratings"] + [
            (item, "flat", 3.0) for item, _, _ in panel["speeches"]
        ]
    if is_complete:
        panel["scores"] = [
            (judge, item, score or 2.0, released or 2.0)
            for judge, item, score, released in panel["scores"]
        ]
    row = one(built(**panel), "from rpt_rank_agreement where judge_id = 'j/m'")
    topic = {item: debate for item, debate, _ in panel["speeches"]}
    judge = {item: value for _, item, value, _ in panel["scores"] if value is not None}
    ratings = by_item(panel["ratings"])
    series = []
    for own in by_annotator(panel["ratings"]).values():
        shared = [item for item in own if item in judge and len(ratings[item]) > 1]
        if len(shared) >= 4:
            others = {
                item: (sum(ratings[item]) - own[item]) / (len(ratings[item]) - 1) for item in shared
            }
            series.append(
                (
                    {item: (judge[item], others[item]) for item in shared},
                    {item: (own[item], others[item]) for item in shared},
                )
            )

    def difference(deleted: str | None) -> tuple[float, float]:
        sides = []
        for pair in series:
            taus = []
            for side in pair:
                kept = [xy for item, xy in side.items() if topic[item] != deleted]
                m = values_of(list(side.values()))
                taus.append(tau_c(kept, m) if m > 1 else math.nan)
            sides.append(taus)
        # Somebody who gives one score throughout has no tau, and the judge's beside it does not count.
        judged, people = np.array(sides).T
        return float(np.nanmean(judged)), float(np.nanmean(judged - people))

    on_human_items, estimate = difference(None)
    left_out = [difference(deleted)[1] for deleted in sorted(set(topic.values()))]
    assert row["tau_c_on_human_items"] == pytest.approx(on_human_items, abs=1e-12)
    assert row["tau_c_minus_human"] == pytest.approx(estimate, abs=1e-12)
    assert row["tau_c_minus_human_high"] - estimate == pytest.approx(
        jackknife_half(left_out), abs=1e-12
    )


def test_the_kappa_interval_draws_annotators_and_pairs_none_with_itself(
    built: Built, panel: dict[str, Any]
) -> None:
    row = one(
        built(**panel),
        "from rpt_rater_agreement where judge_id = 'j/m' and min_shared_items = 6",
    )
    people = by_annotator(panel["ratings"])
    names = sorted(people)
    judge = {item: value for _, item, value, _ in panel["scores"]}
    kappas: dict[tuple[str, str], tuple[float, list[float]]] = {}
    for a, b in itertools.combinations(names, 2):
        shared = [i for i in people[a] if i in people[b] and judge[i] is not None]
        x = [judge[i] for i in shared]
        kappas[a, b] = (
            kappa([people[a][i] for i in shared], [people[b][i] for i in shared]),
            [kappa(x, [people[c][i] for i in shared]) for c in (a, b)],
        )
    means, differences = [], []
    for replicate in range(1, REPLICATES + 1):
        counts = weights(len(names), replicate)
        weight = {(a, b): counts[names.index(a)] * counts[names.index(b)] for a, b in kappas}
        total = sum(weight.values())
        judged = sum(w * np.mean(kappas[pair][1]) for pair, w in weight.items()) / total
        human = sum(w * kappas[pair][0] for pair, w in weight.items()) / total
        means.append(judged)
        differences.append(judged - human)
    assert row["kappa_low"] == pytest.approx(np.quantile(means, 0.025), abs=1e-12)
    assert row["kappa_high"] == pytest.approx(np.quantile(means, 0.975), abs=1e-12)
    assert row["kappa_minus_human_low"] == pytest.approx(np.quantile(differences, 0.025), abs=1e-12)
    assert row["n_units"] == len(names)


def weights(size: int, replicate: int) -> list[int]:
    import pyarrow as pa

    column = [pa.chunked_array([[number]]) for number in (SEED, size, replicate)]
    return resample_counts(*column).to_pylist()[0]


def test_no_number_depends_on_threads_or_on_the_order_of_rows(
    built: Built, panel: dict[str, Any]
) -> None:
    shuffled = {name: list(rows) for name, rows in panel.items()}
    for rows in shuffled.values():
        random.Random(3).shuffle(rows)
    first, second = built(**panel, threads=1), built(**shuffled, threads=4)
    for mart in (
        "rpt_rater_agreement",
        "rpt_rank_agreement",
        "rpt_source_agreement",
        "rpt_source_scores",
        "rpt_score_distribution",
    ):
        one_way = first.execute(f"from {mart} order by all").fetchall()
        other_way = second.execute(f"from {mart} order by all").fetchall()
        for row, twin in zip(one_way, other_way, strict=True):
            for value, other in zip(row, twin, strict=True):
                if isinstance(value, float):
                    assert value == pytest.approx(other, abs=1e-12)
                else:
                    assert value == other


def test_source_means_and_their_intervals_cluster_by_topic(
    built: Built, panel: dict[str, Any]
) -> None:
    row = one(built(**panel), "from rpt_source_scores where judge_id = 'human' and source = 's1'")
    topic = {item: debate for item, debate, _ in panel["speeches"]}
    given = [(topic[item], value) for item, _, value in panel["ratings"] if item.endswith("1")]
    topics, values = zip(*given, strict=True)
    check_mean(row, "mean_score", values, topics, within=(1.0, 5.0))
    assert row["n_units"] == len(set(topics))


def test_too_few_units_leave_the_interval_unknown_and_the_estimate_known(built: Built) -> None:
    speeches = [(f"i{at}", f"t{at % 2}", "s") for at in range(8)]
    ratings = [
        (item, annotator, float(1 + (at * step) % 5))
        for at, (item, _, _) in enumerate(speeches)
        for annotator, step in (("a", 1), ("b", 2))
    ]
    scores = [("j/m", f"i{at}", float(1 + at % 5), float(1 + at % 5)) for at in range(8)]
    connection = built(speeches=speeches, ratings=ratings, scores=scores)
    ranks = one(connection, "from rpt_rank_agreement where judge_id = 'j/m'")
    assert ranks["tau_c"] is not None
    assert ranks["tau_c_low"] is None
    raters = one(
        connection, "from rpt_rater_agreement where judge_id = 'human' and min_shared_items = 6"
    )
    assert raters["mean_kappa"] is not None
    assert (raters["kappa_low"], raters["n_units"]) == (None, 2)
