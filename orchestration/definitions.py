"""Everything Dagster knows of Rostrum: assets in eight groups, the jobs and the inbox sensor."""

from __future__ import annotations

import dagster as dg

from orchestration.assets import curation, key_points, model_runs, oversight, sources, transcripts
from orchestration.assets.metrics import metrics
from orchestration.assets.published import changes, warehouse
from orchestration.assets.reparsed import reparsed
from orchestration.jobs import JOBS
from orchestration.sensors import inbox_sensor

defs = dg.Definitions(
    assets=[
        sources.sample,
        sources.dataset,
        sources.study,
        sources.imports,
        *curation.steps,
        *transcripts.steps,
        *key_points.steps,
        model_runs.responses,
        model_runs.scores,
        oversight.tournament,
        reparsed,
        metrics,
        warehouse,
        changes,
    ],
    jobs=JOBS,
    sensors=[inbox_sensor],
    # One process per run: steps of a run that write would only wait for each other.
    executor=dg.in_process_executor,
)
