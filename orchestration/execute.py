"""Runs Dagster assets in this process, against the home's instance, where each run shows."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg

from orchestration.assets import assets_for
from orchestration.command_log import logged
from orchestration.instance import open_instance, process_tags
from orchestration.progress import hearing, print_notice
from orchestration.registry import ensure_registry, sync_partitions
from warehouse.home import Home


def materialize(
    home: Home,
    assets: Sequence[str],
    *,
    config: Mapping[str, Mapping[str, Any]] | None = None,
    partition: str | None = None,
) -> dg.ExecuteInProcessResult:
    """Materialize assets by key.

    Args:
        home: The home to work in.
        assets: Keys such as `sources/sample`; `metrics` stands for every dbt model.
        config: Per operation (an asset's key with `__` for `/`) what its Launchpad would hold.
        partition: Experiment and judge, as `pair_of` names them, for `model_runs/responses`.

    Raises:
        Exception: What the asset raised, unchanged.
    """
    with _opened(home, *([partition] if partition else [])) as instance:
        # Here: the metrics read the home from the environment that the instance has set.
        found = assets_for(assets)
        keys = [
            key
            for each in found
            for key in each.keys
            if {"/".join(key.path), key.path[0]} & set(assets)
        ]
        definitions = dg.Definitions(found, executor=dg.in_process_executor)
        with (
            hearing(print_notice),
            logged(home, assets=list(assets), partition=partition) as entry,
        ):
            result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
                instance=instance,
                asset_selection=keys,
                partition_key=partition,
                run_config=_run_config(config or {}),
                tags=process_tags(),
            )
            entry["dagster_run_id"] = result.run_id
        return result


def execute_job(
    home: Home,
    job: dg.JobDefinition,
    config: Mapping[str, Mapping[str, Any]],
    hear: Callable[[str], None],
) -> None:
    """Run a job of operations, one Dagster run."""
    with _opened(home) as instance, hearing(hear), logged(home, job=job.name) as entry:
        result = job.execute_in_process(
            instance=instance,
            run_config=_run_config(config),
            tags=process_tags(),
        )
        entry["dagster_run_id"] = result.run_id


@contextmanager
def _opened(home: Home, *pairs: str) -> Iterator[dg.DagsterInstance]:
    home.ensure()
    ensure_registry(home)
    logging.getLogger("dagster").setLevel(logging.ERROR)
    # It names each check of a model that is current, and was therefore not tried again.
    logging.getLogger("dagster._core.execution.plan.active").setLevel(logging.ERROR)
    with open_instance(home) as instance:
        sync_partitions(home, instance, *pairs)
        yield instance


def _run_config(ops: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "ops": {name: {"config": dict(values)} for name, values in ops.items()},
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
    }


def metadata_of(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, Any]:
    """Return the metadata of a materialized asset as plain values."""
    for event in result.get_asset_materialization_events():
        if event.asset_key == dg.AssetKey(asset.split("/")):
            return {
                key: getattr(value, "value", None)
                for key, value in event.materialization.metadata.items()
            }
    return {}
