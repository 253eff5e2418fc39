"""The Dagster UI's own calls: pick an experiment and a new judge, materialize; drop a file, wait."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest
from web_driving import Web, serving, wait

from warehouse.home import Home
from warehouse.reader import current_version, run_query

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def web(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    home = Home(tmp_path_factory.mktemp("web") / "home")
    shutil.copytree(built_demo.root, home.root, symlinks=True)
    with serving(home, 18501, 13000) as web:
        yield web


def test_a_judge_picked_in_the_web_interface_is_run_built_and_published(web: Web) -> None:
    before = current_version(web.home).name
    web.add_judge("rule/constant-2")
    run_id = web.launch("rule/constant-2", {"limit": 10})
    assert wait(lambda: web.ended(run_id), "the run to end") == "SUCCESS"
    version = current_version(web.home)
    assert version.name > before
    rows = run_query(
        version, "select count(*), min(value) from fct_score where judge_id = 'rule/constant-2'"
    ).rows
    assert rows == [(10, 2.0)]
    assert "rule/constant-2" in web.home.judges_file.read_text()


def test_a_file_dropped_into_the_inbox_stands_beside_the_humans_by_itself(web: Web) -> None:
    query = "select item_id from dim_item where dataset_id = 'sample'"
    items = [row[0] for row in run_query(current_version(web.home), query).rows]
    lines = [
        {"item": item, "judge": "acme/dropped", "response": f"<score>{1 + at % 5}</score>"}
        for at, item in enumerate(items)
    ]
    lines.append({"item": "sample:nowhere", "judge": "acme/dropped", "value": 3})
    good = web.home.inbox / "dropped.jsonl"
    good.write_text("\n".join(json.dumps(line) for line in lines))
    bad = web.home.inbox / "broken.parquet"
    bad.write_bytes(b"PAR1 this is not parquet")

    def published() -> bool:
        rows = run_query(
            current_version(web.home),
            "select n_answers + unrated_count, unparsed_count, mean_kappa is not null "
            "from rpt_rater_agreement "
            "where judge_id = 'acme/dropped' and min_shared_items = 50",
        ).rows
        return rows == [(len(items), 0, True)]

    wait(published, "the dropped scores to be published")
    kinds = run_query(
        current_version(web.home),
        "select judge_kind from dim_judge where judge_id = 'acme/dropped'",
    )
    assert kinds.rows == [("imported",)]
    assert not good.exists()
    reason = web.home.inbox / "rejected" / "broken.parquet.reason.txt"
    wait(reason.exists, "the broken file to be refused")
    assert "broken.parquet" in reason.read_text()
    assert not bad.exists()
