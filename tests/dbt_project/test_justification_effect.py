"""What reasons before the score change, against plain loops over the same answers."""

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from tests.dbt_project.compiled_models import Built, Models, one
from tests.dbt_project.raw_rows import NOW, outcome
from tests.dbt_project.references import jackknife_half
from tests.dbt_project.test_agreement_by_reference import by_annotator, by_item
from tests.dbt_project.test_intervals_by_brute_force import tau_c, values_of
from warehouse.fits.resampling import resample_counts

PLAIN, JUSTIFIED = "speech_score", "speech_score_justified"
TOPICS, SEED, REPLICATES, SHARED = 8, 20250611, 50, 6
ROW = "from rpt_justification_effect where judge_id = 'j/m' and measure = "


def answer(
    item: str, template: str, value: float | None, number: int, **more: Any
) -> dict[str, Any]:
    return {
        "request_id": f"{number}",
        "judge_id": "j/m",
        "item_id": item,
        "item_hash": "h",
        "dimension": "q",
        "template": template,
        "prompt_hash": "p",
        "answered_at": NOW,
        "value": value,
        "value_released": value,
        **outcome(value, None),
        **more,
    }


@pytest.fixture(scope="module")
def panel() -> dict[str, Any]:
    """Eight topics of three rated speeches and an unrated one; both prompts fail now and then."""
    rng = np.random.default_rng(11)
    speeches, ratings, scores = [], [], []
    for topic, source in itertools.product(range(TOPICS), range(4)):
        item, quality = f"i{topic}{source}", source + rng.normal()
        speeches.append((item, f"t{topic}", f"s{source}"))
        for annotator in range(7):
            if source < 3 and rng.random() < 0.8:
                value = float(np.clip(round(2 + quality + rng.normal()), 1, 5))
                ratings.append((item, f"a{annotator}", value))
        for template, share, shift in ((PLAIN, 0.1, 2.5), (JUSTIFIED, 0.2, 1.8)):
            value = float(np.clip(round(shift + quality + rng.normal()), 1, 5))
            tokens = int(rng.integers(2, 5)) + 40 * (template == JUSTIFIED)
            scores.append(
                answer(
                    item,
                    template,
                    None if rng.random() < share else value,
                    len(scores),
                    tokens_out=tokens,
                    cost_usd=None,
                )
            )
    return {"speeches": speeches, "ratings": ratings, "raw": {"scores": scores}}


@pytest.fixture(scope="module")
def models(built: Built, panel: dict[str, Any]) -> Models:
    return built(**panel)


def answers_of(panel: dict[str, Any], template: str) -> dict[str, dict[str, Any]]:
    return {row["item_id"]: row for row in panel["raw"]["scores"] if row["template"] == template}


def both(panel: dict[str, Any]) -> dict[str, tuple[float, float]]:
    plain, justified = answers_of(panel, PLAIN), answers_of(panel, JUSTIFIED)
    return {
        item: (plain[item]["value"], justified[item]["value"])
        for item in plain
        if plain[item]["value"] is not None and justified[item]["value"] is not None
    }


def clustered(pairs: list[tuple[str, float, float]]) -> float:
    """Half width of the mean of x, or of the ratio of x to y, over topics."""
    topics = sorted({topic for topic, _, _ in pairs})
    total_x, total_y = (sum(pair[at] for pair in pairs) for at in (1, 2))
    squares = sum(
        sum(x - total_x / total_y * y for topic, x, y in pairs if topic == one_topic) ** 2
        for one_topic in topics
    )
    n = len(topics)
    return float(stats.t.ppf(0.975, n - 1) * math.sqrt(n / (n - 1) * squares) / total_y)


def test_means_differ_by_the_items_answered_under_both_prompts(
    models: Models, panel: dict[str, Any]
) -> None:
    scored = both(panel)
    row = one(models, ROW + "'score'")
    pairs = [(f"t{item[1]}", after - before, 1.0) for item, (before, after) in scored.items()]
    assert row["n_items"] == len(scored) > len([item for item in scored if item[2] != "3"])
    assert row["difference"] == pytest.approx(np.mean([pair[1] for pair in pairs]))
    assert row["difference_high"] - row["difference"] == pytest.approx(clustered(pairs))
    plain, justified = answers_of(panel, PLAIN), answers_of(panel, JUSTIFIED)
    row = one(models, ROW + "'unparsed_share'")
    pairs = [
        (f"t{item[1]}", float(justified[item]["value"] is None) - (plain[item]["value"] is None), 1)
        for item in plain
    ]
    assert row["n_items"] == len(plain)
    assert row["difference"] == pytest.approx(np.mean([pair[1] for pair in pairs]))
    assert row["difference"] - row["difference_low"] == pytest.approx(clustered(pairs))
    row = one(models, ROW + "'tokens_out'")
    tokens = [
        (f"t{item[1]}", justified[item]["tokens_out"], plain[item]["tokens_out"]) for item in plain
    ]
    assert row["ratio"] == pytest.approx(
        sum(pair[1] for pair in tokens) / sum(pair[2] for pair in tokens)
    )
    assert row["ratio_high"] - row["ratio"] == pytest.approx(clustered(tokens))
    row = one(models, ROW + "'cost_usd'")
    assert (row["difference"], row["n_items"]) == (None, 0)
    assert row["reason"] == "no item has its cost recorded under both prompts"


def test_the_tau_difference_leaves_one_topic_out_of_both(
    models: Models, panel: dict[str, Any]
) -> None:
    row = one(models, ROW + "'tau_c'")
    ratings = by_item(panel["ratings"])
    scored = {item: pair for item, pair in both(panel).items() if item in ratings}

    def taus(deleted: str | None) -> list[float]:
        found = []
        for side in (0, 1):
            every = {
                item: (pair[side], float(np.mean(ratings[item]))) for item, pair in scored.items()
            }
            kept = [xy for item, xy in every.items() if f"t{item[1]}" != deleted]
            found.append(tau_c(kept, values_of(list(every.values()))))
        return found

    plain, justified = taus(None)
    left_out = [after - before for before, after in (taus(f"t{at}") for at in range(TOPICS))]
    assert (row["plain_value"], row["justified_value"]) == pytest.approx((plain, justified))
    assert row["difference_high"] - row["difference"] == pytest.approx(jackknife_half(left_out))
    assert (row["n_items"], row["n_units"], row["unit"]) == (len(scored), TOPICS, "topics")
    bounds = {
        template: (min(ends), max(ends))
        for template, *ends in models.execute(
            "select template, tau_c_failures_nearest, tau_c_failures_farthest "
            "from rpt_rank_agreement where judge_id = 'j/m'"
        ).fetchall()
    }
    assert (row["difference_failures_low"], row["difference_failures_high"]) == pytest.approx(
        (bounds[JUSTIFIED][0] - bounds[PLAIN][1], bounds[JUSTIFIED][1] - bounds[PLAIN][0])
    )


def test_the_kappa_difference_draws_the_same_annotators_for_both(
    models: Models, panel: dict[str, Any]
) -> None:
    row = one(models, ROW + f"'kappa' and min_shared_items = {SHARED}")
    own = by_annotator(panel["ratings"])
    scored = both(panel)
    names = sorted(own)
    differences: dict[tuple[str, str], list[float]] = {}
    sides: list[list[float]] = [[], []]
    drawn_from: set[str] = set()
    for pair in itertools.combinations(names, 2):
        shared = own[pair[0]].keys() & own[pair[1]].keys()
        if len(shared) >= SHARED:
            drawn_from |= set(pair)
        items = sorted(shared & scored.keys())
        if len(items) < SHARED:
            continue
        for person in pair:
            kappas = []
            for side in (0, 1):
                x = np.array([scored[item][side] for item in items])
                y = np.array([own[person][item] for item in items])
                spread = np.var(x) + np.var(y) + (np.mean(x) - np.mean(y)) ** 2
                kappas.append(1 - np.mean((x - y) ** 2) / spread)
                sides[side].append(kappas[-1])
            differences.setdefault(pair, []).append(kappas[1] - kappas[0])
    assert row["plain_value"] == pytest.approx(np.mean(sides[0]))
    assert row["justified_value"] == pytest.approx(np.mean(sides[1]))
    units = sorted(drawn_from)
    replicates = []
    for replicate in range(1, REPLICATES + 1):
        key = [[SEED], [len(units)], [replicate]]
        counts = resample_counts(*(pa.chunked_array([part]) for part in key)).to_pylist()[0]
        weight = dict(zip(units, counts, strict=True))
        top = sum(weight[a] * weight[b] * sum(found) for (a, b), found in differences.items())
        bottom = sum(weight[a] * weight[b] * len(found) for (a, b), found in differences.items())
        if bottom:
            replicates.append(top / bottom)
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((low, high))


def test_two_prompts_with_the_same_scores_differ_by_nothing_and_have_no_interval(
    built: Built, panel: dict[str, Any]
) -> None:
    same = [
        answer(item, template, 1.0 + int(item[1:]) % 5, number)
        for number, (item, template) in enumerate(
            itertools.product([speech[0] for speech in panel["speeches"]], (PLAIN, JUSTIFIED))
        )
    ]
    rows = built(**panel | {"raw": {"scores": same}}).execute(
        "select measure, difference, difference_low, reason from rpt_justification_effect "
        "where measure in ('kappa', 'tau_c', 'score') and coalesce(min_shared_items, 6) = 6 "
        "order by measure"
    )
    assert rows.fetchall() == [
        ("kappa", 0.0, None, "no draw of annotators changes the difference"),
        ("score", 0.0, None, "every topic differs alike"),
        ("tau_c", 0.0, None, "no topic changes the difference"),
    ]
