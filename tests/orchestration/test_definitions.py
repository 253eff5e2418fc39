"""What the Dagster UI shows: keys, groups, checks, jobs and the sensor that is on by itself."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.definitions.schedule_definition import ScheduleExecutionData
from dagster._core.loader import LoadingContextForTest

from inference.experiments import load_experiment
from inference.questions.curation.pipeline import STEPS
from inference.registry import spec_for
from inference.speeches.keypoints.results import STEPS as KEY_POINT_STEPS
from orchestration.assets import assets_for
from orchestration.instance import open_instance
from orchestration.loading_assets import note_absent
from orchestration.registry import PAIRS, ensure_registry, pair_of, pairs_of, sync_partitions
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.subjects import SUBJECTS

AUDIT, WAREHOUSE = dg.AssetKey(["metrics", "audit"]), dg.AssetKey(["published", "warehouse"])


@pytest.fixture(scope="module")
def definitions(built_demo: Home) -> Iterator[dg.Definitions]:
    before = os.environ.get("ROSTRUM_HOME")
    os.environ["ROSTRUM_HOME"] = str(built_demo.root)
    from orchestration.definitions import defs

    yield defs
    if before is not None:
        os.environ["ROSTRUM_HOME"] = before


def test_assets_are_grouped_by_stage_and_named_after_it(definitions: dg.Definitions) -> None:
    groups: dict[str, set[str]] = {}
    for spec in definitions.resolve_all_asset_specs():
        groups.setdefault(spec.group_name or "", set()).add("/".join(spec.key.path))
    assert {"sources/sample", "sources/imports"} < groups["sources"]
    assert {"model_runs/responses", "model_runs/scores"} < groups["model_runs"]
    models = {path.stem for path in (DBT_PROJECT / "models").rglob("*.sql")}
    metrics = {name for name in groups if name.startswith("metrics_")}
    assert metrics == {f"metrics_{each}" for each in (*SUBJECTS, "core", "settings", "staging")}
    assert {f"metrics/{name}" for name in models} <= set().union(
        *(groups[name] for name in metrics)
    )
    assert "metrics/rpt_verdict_accuracy" in groups["metrics_debates"]
    assert groups["curation"] == {f"curation/{name}" for name in STEPS}
    assert groups["key_points"] == {f"key_points/{name}" for name in (*KEY_POINT_STEPS, "loaded")}
    stages = "sources curation transcripts model_runs oversight key_points published"
    assert set(groups) == {*stages.split(), *metrics}


def test_lineage_leads_from_sources_through_runs_to_what_is_published(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    upstream = {key.to_user_string() for key in graph.get_ancestor_asset_keys(WAREHOUSE)}
    loads = {f"sources/{name}" for name in ("sample", "annotations", "study", "imports")}
    runs = {f"model_runs/{name}" for name in ("responses", "scores", "reparsed")}
    assert loads | runs | {"metrics/int_annotator_pairs"} <= upstream
    assert not any(name.startswith("raw/") for name in upstream)


def test_dbt_tests_are_asset_checks(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    checks = {(key.asset_key.path[-1], key.name) for key in graph.asset_check_keys}
    assert ("fct_verdict", "holds_fct_verdict") in checks
    assert len(checks) > 100


def test_the_inbox_sensor_is_on_and_runs_are_partitioned_by_pair(
    definitions: dg.Definitions,
) -> None:
    sensor = definitions.resolve_sensor_def("inbox_sensor")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
    job = definitions.resolve_job_def("judge_and_publish")
    assert isinstance(job.partitions_def, dg.DynamicPartitionsDefinition)


def test_nothing_upstream_was_never_materialized_and_nothing_built_looks_out_of_date(
    definitions: dg.Definitions, demo_copy: Callable[[], Home]
) -> None:
    built = dg.AssetKey(["metrics", "stg_raw__human_ratings"])
    graph = definitions.resolve_asset_graph()
    direct = graph.get(built).parent_keys
    with open_instance(demo_copy()) as instance:
        found = instance.get_latest_materialization_events(direct)
        assert {key for key, event in found.items() if event is not None} == direct
        assert dg.AssetKey(["sources", "study"]) in direct
        # The build has said of each what there is to say.
        assert note_absent(instance) == []
        context = LoadingContextForTest(instance)
        resolver = CachingStaleStatusResolver(instance, graph, context)
        for key in (built, WAREHOUSE):
            assert resolver.get_status(key) == StaleStatus.FRESH


def test_a_command_describes_the_audit_as_the_web_interface_does_and_nothing_else(
    definitions: dg.Definitions,
) -> None:
    (alone,) = assets_for(["metrics/audit"])
    assert alone.keys == {AUDIT}
    assert list(alone.check_specs) == []
    whole = definitions.resolve_assets_def(AUDIT)
    assert alone.specs_by_key[AUDIT] == whole.specs_by_key[AUDIT]
    assert alone.op.name == whole.op.name
    for keys in (["metrics"], ["metrics/fct_score", "metrics/audit"]):
        assert [each.keys for each in assets_for(keys)] == [whole.keys]


def test_the_nightly_publication_is_off_and_skips_a_night_with_nothing_new(
    definitions: dg.Definitions, demo_copy: Callable[[], Home]
) -> None:
    nightly = definitions.resolve_schedule_def("nightly_publication")
    assert nightly.default_status == dg.DefaultScheduleStatus.STOPPED
    home = demo_copy()

    def tick() -> ScheduleExecutionData:
        with open_instance(home) as instance, dg.build_schedule_context(instance) as context:
            return nightly.evaluate_tick(context)

    with open_instance(home) as instance:
        note_absent(instance)
    assert not tick().run_requests
    assert "nothing has been loaded" in str(tick().skip_message)
    with open_instance(home) as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization(["model_runs", "scores"]))
    (wanted,) = tick().run_requests or []
    assert wanted.tags["rostrum/loaded"] == "model_runs/scores"


def test_only_pairs_of_an_experiment_and_a_judge_that_fits_can_be_picked(built_demo: Home) -> None:
    pairs = pairs_of(built_demo)
    assert len(pairs) == len(set(pairs))
    for pair in pairs:
        name, _, judge = pair.partition("|")
        kind = load_experiment(name).kind
        assert kind in spec_for(judge, built_demo.judges_file).kinds, pair
    named = {pair.partition("|")[0] for pair in pairs}
    assert "llm-debate-bias-v2" in named
    assert "llm-debate-bias" not in named
    assert pair_of("speech-score", "simulated/faithful") in pairs
    assert pair_of("debate-winner", "simulated/faithful") not in pairs


def test_the_launchpad_of_a_judge_begins_with_a_limit_and_a_budget_that_run(
    definitions: dg.Definitions,
) -> None:
    job = definitions.resolve_job_def("judge_and_publish")
    assert job.partitioned_config is not None
    config = job.partitioned_config.get_run_config_for_partition_key("speech-score|rule/length")
    offered = config["ops"]["model_runs__responses"]["config"]
    assert list(offered) == ["limit", "budget_usd"]
    assert all(offered.values())
    dg.validate_run_config(job, config)


def test_an_experiment_whose_file_is_wrong_keeps_no_other_from_being_picked(tmp_path: Path) -> None:
    home = Home(tmp_path).ensure()
    ensure_registry(home)
    before = pairs_of(home)
    (home.experiments / "torn.toml").write_text("name = ")
    assert pairs_of(home) == before


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("explain_and_publish", {"name": "reasons", "dataset": "sample"}),
        ("curate", {"folder": "work", "model": "openai/gpt-4.1-mini"}),
        ("transcribe", {"path": "final.wav", "title": "Final", "motion": "M"}),
    ],
)
def test_steps_that_take_the_same_settings_are_started_from_one_form(
    definitions: dg.Definitions, name: str, form: dict[str, str]
) -> None:
    job = definitions.resolve_job_def(name)
    assert job.config_mapping is not None
    for_each = job.config_mapping.resolve_from_unvalidated_config(form)["ops"]
    taking_settings = {
        node.name for node in job.graph.node_defs if node.config_schema.as_field().is_required
    }
    assert set(for_each) == taking_settings != set()
    for settings in for_each.values():
        assert form.items() <= settings["config"].items()
    with pytest.raises(dg.DagsterInvalidConfigError):
        dg.validate_run_config(job, {"nothing": "of this"})


def test_a_pair_picked_by_name_is_added_once_whether_or_not_it_is_one_of_the_home(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path).ensure()
    ensure_registry(home)
    mine, new = "speech-score|rule/length", "speech-score|rule/constant-2"
    with dg.DagsterInstance.ephemeral() as instance:
        sync_partitions(home, instance, mine, new)
        sync_partitions(home, instance, mine, new)
        found = list(instance.get_dynamic_partitions(PAIRS))
    assert sorted(found) == sorted([*pairs_of(home), new])
