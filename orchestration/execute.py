"""Runs Dagster assets in this process, against the home's instance, where each run shows."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from orchestration.instance import PID_TAG, open_instance
from orchestration.registry import ensure_registry, sync_partitions
from warehouse.home import Home


def materialize(
    home: Home,
    assets: Sequence[str],
    *,
    config: Mapping[str, Mapping[str, Any]] | None = None,
    partition: Mapping[str, str] | None = None,
) -> dg.ExecuteInProcessResult:
    """Materialize assets by key.

    Args:
        home: The home to work in.
        assets: Keys such as `sources/sample`; `metrics` stands for every dbt model.
        config: Per operation (an asset's key with `__` for `/`) what its Launchpad would hold.
        partition: Experiment and judge, for `model_runs/responses`.

    Raises:
        Exception: What the asset raised, unchanged.
    """
    home.ensure()
    ensure_registry(home)
    logging.getLogger("dagster").setLevel(logging.ERROR)
    with open_instance(home) as instance:
        sync_partitions(home, instance)
        # Imported here: the definitions read the home from the environment the instance has set.
        from orchestration.assets.metrics import metrics  # noqa: PLC0415
        from orchestration.definitions import defs  # noqa: PLC0415

        keys = []
        for name in assets:
            keys += list(metrics.keys) if name == "metrics" else [dg.AssetKey(name.split("/"))]
        return defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            asset_selection=keys,
            partition_key=str(dg.MultiPartitionKey(dict(partition))) if partition else None,
            run_config={
                "ops": {name: {"config": dict(values)} for name, values in (config or {}).items()},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
            tags={PID_TAG: str(os.getpid())},
        )


def metadata_of(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, Any]:
    """Return what a materialized asset said of itself, as plain values."""
    for event in result.get_asset_materialization_events():
        if event.asset_key == dg.AssetKey(asset.split("/")):
            return {
                key: getattr(value, "value", None)
                for key, value in event.materialization.metadata.items()
            }
    return {}
