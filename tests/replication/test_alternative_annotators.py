"""The alternative annotator test's reference values, from its own files through the real loader."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.annotations import ingest_folder
from tests.dbt_project.compiled_models import Models, as_shipped, one, rows_of
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.writer import build_connection

pytestmark = [pytest.mark.shared, pytest.mark.slow]
FIGURES = DBT_PROJECT / "seeds" / "published" / "alt_test.csv"


@pytest.fixture(scope="module")
def models(
    shared_data: Path, built_demo: Home, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Models]:
    home = Home(tmp_path_factory.mktemp("replication") / "home").ensure()
    ingest_folder(home, shared_data / "alt_test", prefix="alt-test-")
    with build_connection(home) as connection:
        yield Models(as_shipped(built_demo), connection)


def test_all_values_of_the_notebook_come_out(models: Models) -> None:
    with FIGURES.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    assert len(published) == 24
    for row in published:
        dataset = f"alt-test-{row['dataset'].replace('_', '-')}"
        found = one(
            models,
            f"from rpt_judge_replacement where dataset_id = '{dataset}' and judge_id <> 'human' "
            f"and split_part(judge_id, '/', -1) = '{row['judge']}' and epsilon = {row['epsilon']}",
        )
        assert found["winning_rate_paper"] == pytest.approx(float(row["winning_rate"]), abs=1e-9)
        assert found["advantage_probability"] == pytest.approx(
            float(row["advantage_probability"]), abs=1e-9
        )
        assert f"{found['winning_rate_paper']:.2f}" == row["printed_winning_rate"]
        assert f"{found['advantage_probability']:.2f}" == row["printed_advantage_probability"]
        assert (found["n_annotators"], found["n_instances"]) == (
            int(row["annotators"]),
            int(row["instances"]),
        )


def test_the_comparison_says_that_each_figure_agrees(models: Models) -> None:
    rows = rows_of(
        models,
        "select agreement_status, count(*) as n from rpt_published_comparison "
        "where paper_id = 'alt_test' group by all",
    )
    assert rows == [{"agreement_status": "agrees", "n": 96}]
