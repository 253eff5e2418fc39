"""People and judges on one scale, from raw rows to decisions."""

import json
from typing import Any

import numpy as np
import pytest

from tests.dbt_project.compiled_models import Built, Models

FAIR, STRICT, BOT = "m/fair", "m/strict", "m/bot"
SOURCES = ("Sample expert", "Sample essay", "Sample list", "Sample rambler")
# Of people's two and of machines' two, one is good and one is not.
QUALITY = (1.0, -0.4, 0.8, -0.6)


def study(built: Built, topics: int) -> Models:
    """Eight people and three judges: one like people, one stricter, one milder on machines."""
    draws = np.random.Generator(np.random.Philox(8))
    speeches = [
        (f"i{topic:03d}{number}", f"t{topic:03d}", source)
        for topic in range(topics)
        for number, source in enumerate(SOURCES)
    ]
    ratings, scores = [], []
    for item, _, source in speeches:
        quality = QUALITY[SOURCES.index(source)] + 0.7 * draws.normal()

        def score(severity: float, quality: float = quality) -> float:
            passed = np.concatenate([[0.0], np.cumsum([-1.5, -0.5, 0.5, 1.5])])
            chance = np.exp(np.arange(5) * (quality - severity) - passed)
            return float(1 + draws.choice(5, p=chance / chance.sum()))

        ratings += [
            (item, f"r{rater}", score((rater - 3.5) / 4))
            for rater in draws.choice(8, 5, replace=False)
        ]
        machine = SOURCES.index(source) > 1
        for judge, severity in ((FAIR, 0.0), (STRICT, 1.2), (BOT, -1.0 if machine else 0.0)):
            value = score(severity)
            scores.append((judge, item, value, value))
    return built(speeches=speeches, ratings=ratings, scores=scores)


def table(models: Models, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        models.execute(sql).df().replace({np.nan: None}).to_dict("records")
    )
    return found


def test_planted_severity_and_favour_are_found_and_nothing_else(built: Built) -> None:
    models = study(built, 100)
    found = {
        (row["judge_id"], row["difference"]): row
        for row in table(models, "from rpt_scale_differences where difference != 'source'")
    }
    assert len(found) == 9
    for judge, severity, favour in ((FAIR, 0.0, 0.0), (STRICT, 1.2, 0.0), (BOT, -0.5, 1.0)):
        truths = {"severity": severity, "favour": favour, "favour_at_equal_quality": favour}
        for difference, truth in truths.items():
            row = found[judge, difference]
            assert row["value"] == pytest.approx(truth, abs=4 * row["value_se"])
            assert row["value_se"] < 0.25
            assert row["value_low"] < row["value"] < row["value_high"]
            assert row["p_adjusted"] >= row["p"]
    answers = {
        (row["judge_id"], row["question"].split()[0]): row
        for row in table(models, "from int_decisions_scale")
    }
    assert answers[STRICT, "Is"]["answer"] == "yes"
    assert answers[BOT, "Is"]["answer"] == "no"
    assert answers[BOT, "Does"]["answer"] == "yes"
    numbers = json.loads(answers[BOT, "Does"]["numbers"])
    assert numbers[0]["value"] == pytest.approx(found[BOT, "favour"]["value"])


def test_raters_facets_items_and_subsets_fit_together(built: Built) -> None:
    models = study(built, 25)
    raters = table(models, "from rpt_scale_raters")
    assert len(raters) == 11
    assert {row["n_subsets"] for row in raters} == {1}
    people = [row for row in raters if row["annotator_id"]]
    order = [row["annotator_id"] for row in sorted(people, key=lambda row: row["severity"])]
    assert order[0] in ("r0", "r1")
    assert order[-1] in ("r7", "r6")
    assert np.average(
        [row["severity"] for row in people], weights=[row["n_items"] for row in people]
    ) == pytest.approx(0, abs=1e-6)
    facets = {row["facet"]: row for row in table(models, "from rpt_scale_facets")}
    for name in ("people", "judges", "items"):
        row = facets[name]
        assert row["reliability_low"] <= row["reliability"] <= row["reliability_high"]
        assert row["separation"] == pytest.approx(
            np.sqrt(row["reliability"] / (1 - row["reliability"]))
        )
    items = table(models, "from rpt_scale_items")
    assert len(items) == 100
    assert {row["n_raters"] for row in items} == {8}
    subset = table(models, "from rpt_scale_subsets")
    assert [(row["n_people"], row["n_judges"], row["n_items"]) for row in subset] == [(8, 3, 100)]
    assert subset[0]["members"].startswith("r0; r1; ")


def test_few_topics_one_kind_of_source_and_no_people_have_their_reasons(built: Built) -> None:
    speeches = [(f"i{number}", f"t{number // 4}", "Sample list") for number in range(12)]
    ratings = [
        (item, f"r{rater}", float((number + rater) % 4 + 1))
        for number, (item, _, _) in enumerate(speeches)
        for rater in range(3)
    ]
    scores = [
        (judge, item, float((number + shift) % 3 + 1), 1.0)
        for number, (item, _, _) in enumerate(speeches)
        for judge, shift in ((FAIR, 0), (STRICT, 1))
    ]
    models = built(speeches=speeches, ratings=ratings, scores=scores)
    rows = {
        (row["judge_id"], row["difference"]): row
        for row in table(models, "from rpt_scale_differences")
    }
    assert rows[FAIR, "severity"]["interval_reason"] == "an interval needs 5 clusters"
    assert rows[FAIR, "favour"]["null_reason"] == "no source here is known to be either"
    alone = built(speeches=speeches, scores=scores)
    found = table(alone, "from rpt_scale_differences where difference = 'severity'")
    assert {row["null_reason"] for row in found} == {"no person scored these items"}
    assert {row["answer"] for row in table(alone, "from int_decisions_scale")} == {"cannot tell"}
    severities = [row["severity"] for row in table(alone, "from rpt_scale_raters")]
    assert sum(severities) == pytest.approx(0, abs=1e-6)


def test_items_that_nobody_tells_apart_have_no_reliability(built: Built) -> None:
    items = [f"i{number}" for number in range(30)]
    models = built(
        speeches=[(item, item, "not stated") for item in items],
        ratings=[(item, f"r{rater}", 2.0) for item in items for rater in range(4)],
        scores=[("m/j", item, 2.5, 2.5) for item in items],
        scale=(2, 2.5),
    )
    (row,) = table(models, "from rpt_scale_facets where facet = 'items'")
    assert row["reliability"] == row["separation"] == 0
