"""The demo as a user meets it: every mart filled, every answer reachable, every run on record."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pyarrow.parquet as pq
import pytest

from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.journal import FILE_NAME, read_journal
from inference.kinds import KIND, raw_tables
from inference.kinds.protocol import Kind
from inference.registry import add_judge_text, spec_for
from inference.runner import run
from tests.conftest import run_rostrum
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.reader import current_version, run_query

MARTS = sorted(
    path.stem
    for path in (DBT_PROJECT / "models").rglob("*.sql")
    if path.stem.startswith(("dim_", "fct_", "rpt_"))
)
# What the demo asks no judge, and what only a curated folder has. Their own tests fill them.
EMPTY_ON_SAMPLE = {
    "dim_transcript_segment",
    "rpt_annotation_outcomes",
    "rpt_bp_transcript_match",
    "fct_reader_judgement",
    "fct_review",
    "fct_answer_document",
    "rpt_judge_against_people",
    "rpt_page_outcomes",
    "rpt_retrieval_coverage",
    "rpt_side_comparison",
    "rpt_curation_funnel",
    "rpt_curation_removals",
    "rpt_score_change",
    "rpt_document_relevance",
    "rpt_missing_viewpoints",
    "rpt_reader_record",
    "rpt_reading_funnel",
    "rpt_transcript_queue",
    "rpt_view_coverage",
    "rpt_view_distinctness",
}
TO_STDOUT = {"csv": "judge_id,", "json": '[\n{"judge_id": ', "jsonl": '{"judge_id": '}


def asked(home: Home, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on the newest version."""
    return run_query(current_version(home), query).rows


def test_only_those_marts_are_empty_on_the_sample_that_it_has_nothing_for(
    built_demo: Home,
) -> None:
    counts = " union all ".join(f"select '{mart}', count(*) from {mart}" for mart in MARTS)
    assert {mart for mart, count in asked(built_demo, counts) if count == 0} == EMPTY_ON_SAMPLE


def test_every_estimate_of_the_sample_has_its_interval(built_demo: Home) -> None:
    rows = asked(
        built_demo,
        "select judge_id from rpt_rater_agreement where min_shared_items = 50 "
        "and mean_kappa is not null and (kappa_low is null or kappa_high is null) "
        "union all select judge_id from rpt_rank_agreement where tau_c is not null "
        "and (tau_c_low is null or spearman_low is null or pearson_low is null)",
    )
    assert rows == []


def test_simulated_judges_come_out_in_the_order_they_were_planted(built_demo: Home) -> None:
    taus = dict(
        asked(
            built_demo,
            "select judge_id, tau_c from rpt_rank_agreement where template = 'speech_score'",
        )
    )
    assert taus["simulated/faithful"] > taus["simulated/noisy"] > taus["simulated/coin"]
    shift = dict(
        asked(
            built_demo,
            "select judge_id, avg(minus_human) from rpt_source_scores "
            "where template = 'speech_score' group by judge_id",
        )
    )
    assert shift["simulated/harsh"] < shift["simulated/faithful"] - 0.3
    assert taus["rule/constant-4"] is None


def test_metrics_of_answers_stand_beside_what_simulated_annotators_say(built_demo: Home) -> None:
    closest = asked(
        built_demo,
        "select spearman, n_questions, n_annotators from rpt_metric_alignment where "
        "metric = 'perspective_diversity' and scope = 'within_question' and spearman_low > 0.5 "
        "and spearman_high < 1",
    )
    assert {row[1:] for row in closest} == {(15, 3)}
    judged = "select judge_id from fct_answer_metric where judge_id like 'sample/%'"
    assert len(asked(built_demo, f"{judged} and score is not null")) == 4 * 45
    agreement = asked(built_demo, "select estimate from rpt_annotation_agreement")
    assert len(agreement) == 3
    assert all(0.5 < estimate < 0.95 for (estimate,) in agreement)


def test_a_second_demo_builds_nothing(built_demo: Home) -> None:
    before = current_version(built_demo).name
    done = run_rostrum(built_demo, "demo", "--no-serve")
    assert done.returncode == 0
    assert before in done.stdout
    assert current_version(built_demo).name == before


def test_every_command_is_a_run_with_its_lineage(built_demo: Home) -> None:
    with dg.DagsterInstance.from_config(str(built_demo.dagster)) as instance:
        statuses = {run.status for run in instance.get_runs()}
        assert statuses == {dg.DagsterRunStatus.SUCCESS}
        responses = dg.AssetKey(["model_runs", "responses"])
        partitions = instance.get_materialized_partitions(responses)
        assert "speech-score|simulated/faithful" in partitions
        for key in (
            ["sources", "sample"],
            ["metrics", "rpt_rank_agreement"],
            ["published", "warehouse"],
        ):
            assert instance.get_latest_materialization_event(dg.AssetKey(key)) is not None
        event = instance.get_latest_materialization_event(responses)
        assert event is not None
        assert event.asset_materialization is not None
        metadata = event.asset_materialization.metadata
        assert {"requests", "failed", "unparsed_share", "cost_usd", "outcome"} <= set(metadata)


def test_dagster_knows_of_each_model_and_seed_what_it_was_made_from(built_demo: Home) -> None:
    with duckdb.connect(str(built_demo.build_db), read_only=True) as connection:
        made = connection.execute(
            "select unique_id, fingerprint from audit.nodes where unique_id not like 'test.%'"
        ).fetchall()
    with dg.DagsterInstance.from_config(str(built_demo.dagster)) as instance:
        for name, fingerprint in made:
            key = dg.AssetKey(["metrics", name.rpartition(".")[2]])
            record = instance.get_latest_data_version_record(key)
            assert record is not None
            assert record.event_log_entry.tags == {
                "dagster/data_version": fingerprint,
                "dagster/data_version_is_user_provided": "true",
            }


@pytest.mark.parametrize("file_format", sorted(TO_STDOUT))
def test_sql_writes_what_other_programs_read(built_demo: Home, file_format: str) -> None:
    done = run_rostrum(
        built_demo, "sql", "select judge_id, tau_c from rpt_rank_agreement", "--format", file_format
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(TO_STDOUT[file_format])


def test_a_wrong_query_is_a_named_error(built_demo: Home) -> None:
    wrong = run_rostrum(built_demo, "sql", "from nowhere")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("error: sql:")
    assert "Traceback" not in wrong.stderr


@pytest.mark.parametrize("file_format", ["csv", "json", "jsonl", "latex", "parquet"])
def test_an_export_says_where_its_numbers_come_from(
    built_demo: Home, tmp_path: Path, file_format: str
) -> None:
    version = current_version(built_demo)
    out = tmp_path / f"table.{file_format}"
    done = run_rostrum(
        built_demo, "export", "rpt_rank_agreement", "--format", file_format, "--out", str(out)
    )
    assert done.returncode == 0, done.stderr
    ((count,),) = asked(built_demo, "select count(*) from rpt_rank_agreement")
    if file_format == "parquet":
        table = pq.read_table(out)
        assert table.num_rows == count
        assert table.schema.metadata[b"version"] == version.name.encode()
        return
    text = out.read_text()
    if file_format != "latex":
        beside = json.loads((tmp_path / f"{out.name}.meta.json").read_text())
        assert (beside["mart"], beside["version"]) == ("rpt_rank_agreement", version.name)
        assert "#" not in text
    if file_format == "csv":
        assert len(text.splitlines()) == count + 1
    elif file_format in ("json", "jsonl"):
        lines = json.loads(text) if file_format == "json" else text.splitlines()
        rows = [json.loads(line) if isinstance(line, str) else line for line in lines]
        assert len(rows) == count
        assert {"tau_c", "tau_c_low", "n_items"} <= set(rows[0])
    else:
        assert version.name in text
        assert r"\toprule" in text
        assert "speech\\_score" in text
        assert "n\\_items" in text
        assert "[" in text


def test_publishing_alone_after_new_data_is_refused(demo_copy: Callable[[], Home]) -> None:
    home = demo_copy()
    before = current_version(home).name
    scores = home.root / "mine.csv"
    scores.write_text("item,judge,value\nsample:free-buses-expert,acme/one,4\n")
    assert run_rostrum(home, "import", str(scores), "--no-build").returncode == 0
    alone = run_rostrum(home, str(home.root), call="tests.orchestration.calls:publish_alone")
    assert alone.returncode != 0
    assert "data were loaded after build" in alone.stderr
    assert current_version(home).name == before


@pytest.mark.parametrize(
    "name", ["bp-adjudication", "debatable-answers-prompts", "story-baselines", "story-judgement"]
)
def test_a_run_played_back_gives_each_way_of_asking_its_own_reply(
    name: str, built_demo: Home, tmp_path: Path
) -> None:
    recorded, *_ = sorted(built_demo.journal.glob(f"{name}--*/{FILE_NAME}"))
    experiment = load_experiment(name, [built_demo.experiments])
    kind = KIND[experiment.kind]
    judges = tmp_path / "judges.toml"
    judges.write_text(add_judge_text("", "replay/it", {"file": str(recorded)}))
    sources = [
        each for each in find_item_sources(built_demo.items) if kind.items(experiment, each).exist()
    ]
    run(
        experiment,
        spec_for("replay/it", judges, {}),
        sources,
        journal_root=tmp_path / "journal",
        prompts_folder=built_demo.prompts,
    )
    (played,) = tmp_path.glob(f"journal/*/{FILE_NAME}")
    assert replies(played, kind) == replies(recorded, kind)


def replies(journal: Path, kind: Kind) -> dict[tuple[Any, ...], str]:
    """Return the replies by item, prompt, repeat and way of asking."""
    names = ("item_id", "template", "sample", *kind.asked_fields)
    return {
        tuple(line.get(name) for name in names): line["response"]
        for line in read_journal(journal)
        if line.get("status") == "answered"
    }


@pytest.mark.parametrize("model", ["int_answers_unioned", "dim_response"])
def test_the_answers_of_every_kind_count_in_runs_and_can_be_read(
    model: str, built_demo: Home
) -> None:
    manifest = json.loads((built_demo.dbt_target / "manifest.json").read_text())
    found: set[str] = set()
    waiting = [f"model.rostrum.{model}"]
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += set(manifest["parent_map"].get(name, ())) - found
    missing = [table for table in raw_tables() if f"source.rostrum.raw.{table}" not in found]
    assert missing == []
