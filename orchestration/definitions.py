"""Everything Dagster knows of Rostrum: assets in four groups, two jobs and the inbox sensor."""

from __future__ import annotations

import dagster as dg

from orchestration.assets import metrics as metrics_assets
from orchestration.assets import model_runs, published, sources
from orchestration.jobs import JOBS
from orchestration.sensors import inbox_sensor

defs = dg.Definitions(
    assets=[
        *dg.load_assets_from_modules([sources, model_runs, published]),
        metrics_assets.metrics,
    ],
    jobs=JOBS,
    sensors=[inbox_sensor],
    # One process per run: steps of a run that write would only wait for each other.
    executor=dg.in_process_executor,
)
