"""The DebateBench paper's printed figures against what was computed from them without this project."""

import csv
import re
from typing import Any

import pytest
from scipy import stats

from tests.dbt_project.compiled_models import Compiled, over, rows_of
from tests.dbt_project.parliamentary_effects_data import COLUMNS
from warehouse.audit import DBT_PROJECT

_PAPER = "debatebench"
_CHECKS = DBT_PROJECT / "seeds" / "published" / "published_checks.csv"
# The mart's other papers, none of whose figures are asked about here.
_OTHERS = dict.fromkeys(
    (
        "intermediate.int_speech_figures_compared",
        "intermediate.int_alt_test_figures_compared",
        "intermediate.int_bias_figures_compared",
        "intermediate.int_debateqa_figures_compared",
        "intermediate.int_persuasive_figures_compared",
    ),
    "paper_id varchar",
)
Rows = list[dict[str, Any]]


def compared(compiled: Compiled, given: dict[str, Rows]) -> Rows:
    """Return the mart's rows of this paper alone."""
    return rows_of(over(compiled, COLUMNS | _OTHERS, given), "from rpt_published_comparison")


@pytest.fixture(scope="module")
def rows(compiled: Compiled) -> Rows:
    return compared(compiled, {})


def checks() -> list[dict[str, str]]:
    with _CHECKS.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["paper_id"] == _PAPER]


def test_every_check_of_the_paper_has_its_status_and_its_number(rows: Rows) -> None:
    status = {"yes": "agrees", "no": "contradicted", "not_published": "not_published"}
    assert len(checks()) == 16
    for check in checks():
        own = [row for row in rows if row["check_id"] == check["check_id"]]
        assert own, check
        # The rounds listed are rows that come with the project, counted.
        expected = "shipped" if check["item"] == "rounds listed" else status[check["agrees"]]
        assert {row["agreement_status"] for row in own} == {expected}, check
        number = re.match(r"[\d.]+", check["recomputed_value"])
        if check["kind"] == "recompute" and number:
            [row] = own
            assert row["warehouse_value"] == pytest.approx(float(number[0]), rel=1e-6), check


def test_the_constant_guess_is_the_normal_distribution_with_the_printed_spread(rows: Rows) -> None:
    share = {
        row["qualifier"]: row["warehouse_value"]
        for row in rows
        if row["statistic"].startswith("share")
    }
    [check] = [row for row in checks() if row["item"].startswith("constant guess")]
    printed = dict(re.findall(r"(\d): ([\d.]+)", check["other_variants"]))
    assert share.keys() == {f"{points} points" for points in printed}
    for points, value in printed.items():
        expected = 100 * (1 - 2 * stats.norm.sf(int(points) / 2.69))
        assert share[f"{points} points"] == pytest.approx(expected)
        assert round(expected, 1) == float(value)


def test_chance_of_both_rankings_stands_per_ranking_and_per_item(rows: Rows) -> None:
    found = {
        (row["statistic"].split()[1], row["qualifier"]): row["warehouse_value"]
        for row in rows
        if row["statistic"].endswith("by chance")
    }
    assert found == {
        ("sum", "4 ranks"): 5,
        ("rank", "4 ranks"): 1.25,
        ("sum", "8 ranks"): 21,
        ("rank", "8 ranks"): 2.625,
    }


def test_the_released_data_set_is_compared_where_it_is_loaded_and_only_then(
    compiled: Compiled, rows: Rows
) -> None:
    missing = [row for row in rows if row["qualifier"] == "released data set"]
    assert {row["agreement_status"] for row in missing} == {"no_data"}
    assert {row["warehouse_value"] for row in missing} == {None}
    words = [884395 // 32] * 31 + [884395 - 31 * (884395 // 32)]
    debates = [
        {
            "debate_id": f"debatebench:{n}",
            "dataset_id": _PAPER,
            "speech_count": 8,
            "word_count": count,
        }
        for n, count in enumerate(words)
    ]
    # Another data set, and a row of results without a transcript, are none of the paper's.
    debates += [
        {"debate_id": "other:1", "dataset_id": "other", "speech_count": 8, "word_count": 9},
        {"debate_id": "debatebench:x", "dataset_id": _PAPER, "speech_count": 0, "word_count": 0},
    ]
    # The standard deviation of a sample, 256 scores as far above the mean as below it.
    spread = 2.69 * (255 / 256) ** 0.5
    scores = [
        {"debate_id": debate["debate_id"], "decided_by": "panel", "score": 80.25 + shift}
        for debate in debates[:32]
        for shift in [spread, -spread] * 4
    ]
    scores.append({"debate_id": "debatebench:x", "decided_by": "panel", "score": 50.0})
    scores.append({"debate_id": "debatebench:0", "decided_by": "chair", "score": 50.0})
    found = compared(
        compiled,
        {"marts.dim_parliamentary_debate": debates, "staging.stg_raw__speaker_results": scores},
    )
    loaded = {
        row["statistic"]: (row["agreement_status"], row["n"])
        for row in found
        if row["qualifier"] == "released data set"
    }
    assert loaded == {
        "debates": ("agrees", 32),
        "speeches_total": ("agrees", 32),
        "words_total": ("agrees", 256),
        "words_per_speech_mean": ("contradicted", 256),
        "speaker_score_mean": ("agrees", 256),
        "speaker_score_sd": ("agrees", 256),
    }
