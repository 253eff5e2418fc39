"""The audit: what a build makes and tests, told to Dagster, and whether it may be published.

Here is the asset that commands materialize, the audit alone; `metrics` is the same with every model
and test beside it, for the web interface. To describe those takes Dagster a second, which a build
from the command line need not spend.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from ingestion.judge_tables import load_judges
from orchestration.builds.dbt import ensure_manifest, read_manifest, run_dbt
from orchestration.builds.progress import Follower, durations, keep_durations
from orchestration.commands.figure_commands import Build
from orchestration.errors import BuildFailed
from orchestration.instance import tag_process
from orchestration.loading_assets import DATA_VERSION_TAG, note_absent
from orchestration.operation import config_of
from orchestration.progress import notice
from orchestration.registry import ensembles_of, judge_rows, judges_are_loaded
from warehouse.audit import PASSED, begin_build, finish_build
from warehouse.fingerprints import audited_nodes, parents_of
from warehouse.home import find_home
from warehouse.writer import build_connection, open_writer, settle_raw, write_lock

# What is published depends on, instead of on some hundred marts one by one.
AUDIT = dg.AssetKey(["metrics", "audit"])
# The operation, under which a Launchpad holds the settings.
OPERATION = "metrics"
_MARTS = ("dim_", "fct_", "rpt_")


def model_key(node: Mapping[str, Any]) -> dg.AssetKey:
    """Return the key of a model's or seed's asset."""
    return dg.AssetKey(["metrics", node["name"]])


def tested_by(node: Mapping[str, Any]) -> str | None:
    """Return the model that a test is of; None where it is of several."""
    parents = parents_of(node)
    return node.get("attached_node") or (parents[0] if len(parents) == 1 else None)


def audit_spec(manifest: Mapping[str, Any]) -> dg.AssetSpec:
    """Describe the audit, which every mart must pass."""
    nodes = audited_nodes(manifest).values()
    return dg.AssetSpec(
        AUDIT,
        deps=[
            model_key(node)
            for node in nodes
            if node["resource_type"] != "test" and node["name"].startswith(_MARTS)
        ],
        description="What vouches for the marts: each model, seed and test is made and passed.",
        group_name="metrics_core",
        kinds={"duckdb"},
    )


# Unit tests try the SQL on rows of their own: what they show does not depend on the data.
_BUILD = ("build", "--exclude-resource-type", "unit_test")


def _without(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Leave nodes out of a build, with the tests that look at nothing else."""
    if not nodes:
        return []
    return ["--indirect-selection", "cautious", "--exclude", *map(_full_name, nodes)]


def _full_name(node: Mapping[str, Any]) -> str:
    return ".".join(node["fqn"])


CONFIG = config_of(Build)


def build_metrics(
    context: dg.AssetExecutionContext,
    config: CONFIG,  # type: ignore[valid-type]
) -> Iterator[Any]:
    """Build and test what has changed, and write down whether the marts may be published."""
    home, wanted = find_home(), Build.of(config)
    tag_process(context)
    notify = notice(context.log.info)
    # Said before the build: what is said later would make all that is built look out of date.
    note_absent(context.instance)
    with write_lock(home, "build", notify=notify):
        with open_writer(home, "build", notify=notify) as connection:
            is_loaded = judges_are_loaded(home, connection)
        if not is_loaded:
            load_judges(home, judge_rows(home), ensembles_of(home), notify=notify)
        # Read anew: the project may be another one than when this process began.
        parsed = ensure_manifest(home)
        manifest = read_manifest(parsed)
        nodes = manifest["nodes"]
        settle_raw(home)
        with build_connection(home, notify=notify) as connection:
            build = begin_build(
                connection, home.dbt_target, manifest, is_full=wanted.full, only=wanted.only
            )
        if marts := [name for name in build.retired if name.startswith(_MARTS)]:
            notify(
                f"build: removed {len(marts)} tables that this version of Rostrum no longer "
                f"makes: {', '.join(marts)}"
            )
        wanted = context.selected_asset_keys
        picked = [
            _full_name(node)
            for name in build.parents
            if (node := nodes[name])["resource_type"] != "test" and model_key(node) in wanted
        ]
        # What somebody picks by name is made again, whatever its record says.
        is_picked = AUDIT not in wanted
        is_successful = True
        if is_picked or not build.is_current:
            context.log.info(
                f"{len(build.current)} models and seeds are current; {len(build.selected)} nodes "
                "to do"
            )
            left = [nodes[name] for name in (*build.current, *sorted(build.left))]
            follower = Follower(build.selected, durations(home))

            def hear(name: str, status: str, seconds: float) -> None:
                follower.hear(name)
                version = build.fingerprints.get(name, "")
                if seconds and (event := _event_of(name, status, seconds, nodes, version)):
                    context.log_event(event)

            chosen = ["--select", *picked] if is_picked else _without(left)
            made = () if is_picked else build.made
            # Publishing and comparing read it there; dbt is kept from writing it anew.
            home.dbt_target.mkdir(parents=True, exist_ok=True)
            shutil.copy(parsed, home.dbt_target / parsed.name)
            is_successful = run_dbt(home, (*_BUILD, *chosen), hear, made, parsed=parsed)
            keep_durations(home)
        with build_connection(home, notify=notify) as connection:
            audit = finish_build(connection, build, home.dbt_target)
    context.log.info(
        f"build {audit.build_id}: {audit.passed_count} of {audit.expected_count} models and tests "
        f"passed{'; ' + audit.problems if audit.problems else ''}"
    )
    if not is_successful:
        message = (
            f"build: {audit.problems or 'dbt failed'}; see {home.dbt_target / 'dbt.log'}. "
            "The version published before is untouched"
        )
        raise BuildFailed(message)
    if not is_picked:
        yield dg.MaterializeResult(
            asset_key=AUDIT,
            metadata={
                "build": audit.build_id,
                "current": len(build.current),
                "built and tested": len(build.selected),
                "problems": audit.problems or "none",
            },
        )


def _event_of(
    name: str, status: str, seconds: float, nodes: Mapping[str, Any], version: str
) -> dg.AssetMaterialization | dg.AssetCheckEvaluation | None:
    """Return the event of a node's result; None where Dagster has no such asset or check.

    Its data version is the fingerprint of what it was made from.
    """
    node = nodes.get(name)
    if node is None:
        return None
    metadata: dict[str, Any] = {"seconds": seconds, "status": status}
    if node["resource_type"] != "test":
        if status not in PASSED:
            return None
        tags = {DATA_VERSION_TAG: version, f"{DATA_VERSION_TAG}_is_user_provided": "true"}
        return dg.AssetMaterialization(model_key(node), metadata=metadata, tags=tags)
    tested = nodes.get(tested_by(node) or "")
    if tested is None:
        return None
    return dg.AssetCheckEvaluation(
        model_key(tested), node["name"], passed=status in PASSED, metadata=metadata, blocking=True
    )


ASSETS = [
    dg.multi_asset(
        specs=[audit_spec(read_manifest(ensure_manifest(find_home().ensure())))],
        can_subset=True,
        name=OPERATION,
    )(build_metrics)
]
