"""The speech paper's data through the real loader and models: the numbers that are known must come out.

Expected values were computed independently of this project from the released file, with
scikit-learn's and SciPy's functions; the paper itself shows most of them only in figures.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.ingest import ingest
from tests.dbt_project.compiled_models import Models, as_shipped, one
from warehouse.home import Home
from warehouse.writer import build_connection

pytestmark = [pytest.mark.shared, pytest.mark.slow]
EXACT = pytest.approx
# Of one human rating, from a one-way analysis of variance.
ICC_1 = 0.2645779762924076


@pytest.fixture(scope="module")
def models(
    shared_data: Path, built_demo: Home, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Models]:
    home = Home(tmp_path_factory.mktemp("replication") / "home").ensure()
    for name in ("speeches.csv", "gpt_4_1_speeches.csv"):
        ingest(home, "speeches", str(shared_data / "speeches" / name))
    with build_connection(home) as connection:
        yield Models(as_shipped(built_demo), connection)


def test_the_data_set_is_whole(models: Models) -> None:
    row = one(models, "from dim_dataset where dataset_id = 'speeches'")
    assert (row["item_count"], row["rating_count"], row["annotator_count"]) == (631 + 152, 9465, 82)
    assert (row["debate_count"], row["quarantined_count"]) == (76, 0)


def test_human_agreement_is_the_known_one(models: Models) -> None:
    row = one(
        models,
        "from rpt_rater_agreement where judge_id = 'human' and min_shared_items = 50 "
        "and dataset_id = 'speeches'",
    )
    assert row["mean_kappa"] == EXACT(0.270845965769092, abs=1e-9)
    assert row["median_kappa"] == EXACT(0.238214898185899, abs=1e-9)
    assert row["mean_support"] == EXACT(78.95766129032258, abs=1e-9)
    assert (row["pair_count"], row["n_units"]) == (496, 51)
    assert row["mean_kappa_released"] == EXACT(0.270845965769092, abs=1e-9)
    assert row["kappa_low"] < row["mean_kappa"] < row["kappa_high"]


def test_one_rater_against_the_others_is_the_known_tau(models: Models) -> None:
    row = one(models, "from rpt_rank_agreement where judge_id = 'human'")
    assert row["tau_c"] == EXACT(0.4054177106188976, abs=1e-9)
    assert (row["n_annotators"], row["undefined_annotator_count"]) == (64, 0)
    assert row["tau_c_low"] < row["tau_c"] < row["tau_c_high"]


def test_the_crowd_has_the_known_reliability(models: Models) -> None:
    # Krippendorff's alpha as the package krippendorff gives it; ICC from an analysis of variance.
    found = dict(
        models.execute(
            "select measure, value from rpt_crowd_agreement where min_shared_items in (1, 50)"
        ).fetchall()
    )
    assert found["alpha_interval"] == EXACT(0.2642900285773525, abs=1e-9)
    assert found["alpha_ordinal"] == EXACT(0.2509244280958527, abs=1e-9)
    assert found["icc_1"] == EXACT(ICC_1, abs=1e-9)
    assert found["icc_k"] == EXACT(0.8436633306498433, abs=1e-9)
    assert found["mean_kappa"] == EXACT(0.270845965769092, abs=1e-9)
    quality = one(models, "select avg(tau_c) as tau_c, count(tau_c) as n from rpt_rater_quality")
    assert (quality["tau_c"], quality["n"]) == (EXACT(0.4054177106188976, abs=1e-9), 64)


def test_k_people_correlate_with_eight_others_as_their_reliability_says(models: Models) -> None:
    curve = dict(
        models.execute(
            "select n_raters, correlation from rpt_rater_count where measure = 'pearson'"
        ).fetchall()
    )
    for number in range(1, 8):
        # Root of the two means' reliabilities, each stepped up from ICC(1,1).
        several, eight = (k * ICC_1 / (1 + (k - 1) * ICC_1) for k in (number, 8))
        assert curve[number] == EXACT((several * eight) ** 0.5, abs=0.01)


def test_source_means_run_from_summit_to_human_experts(models: Models) -> None:
    rows = models.execute(
        "select source, mean_score, n_answers from rpt_source_scores where judge_id = 'human' "
        "order by mean_score"
    ).fetchall()
    assert rows[0] == ("Summit", EXACT(2.963157894736842, abs=1e-12), 1140)
    assert rows[-1] == ("Human expert", EXACT(4.193859649122807, abs=1e-12), 2280)
    assert len(rows) == 8


def test_every_printed_figure_that_can_be_recomputed_agrees_but_the_words(
    models: Models,
) -> None:
    rows = models.execute(
        "select statistic, qualifier, published_value, warehouse_value, agreement_status "
        "from rpt_published_comparison where paper_id = 'debatable_intelligence'"
    ).fetchall()
    assert [row[0] for row in rows if row[4] == "differs"] == ["words_per_speech_mean"]
    assert len([row for row in rows if row[4] == "agrees"]) == 24
    words = next(row for row in rows if row[0] == "words_per_speech_mean")
    assert words[2] == 613.8
    assert words[3] == EXACT(605.6, abs=0.05)
    # Six pipelines in the text, seven in the appendix; two statements contradict each other in words.
    contradicted = [row for row in rows if row[4] == "contradicted"]
    assert [row[2:4] for row in contradicted if row[2] is not None] == [(6, 7)]
    assert len(contradicted) == 3
    # Findings on judges whose scores are not released.
    assert {row[0] for row in rows if row[4] == "no_data"} == {
        "gap",
        "judges_rating_gpt_4_1_above_humans",
        "mean_score",
        "size_threshold",
    }


def test_the_released_model_wrote_two_speeches_a_topic_and_none_is_too_long(
    models: Models,
) -> None:
    figures = {
        name: (value, other)
        for name, value, other in models.execute(
            "select statistic, warehouse_value, other_value from rpt_published_comparison "
            "where paper_id = 'debatable_intelligence' and agreement_status = 'agrees'"
        ).fetchall()
    }
    assert figures["speeches_generated"] == (152, None)
    assert figures["speeches_per_topic"] == (2, None)
    assert figures["target_length"] == (599, 0)
