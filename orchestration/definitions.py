"""Everything Dagster knows of Rostrum: assets, jobs, the inbox sensor and a schedule."""

import dagster as dg

from orchestration.assets import assets_of
from orchestration.jobs import JOBS
from orchestration.schedules import nightly_publication
from orchestration.sensors import inbox_sensor

defs = dg.Definitions(
    assets=assets_of(),
    jobs=JOBS,
    sensors=[inbox_sensor],
    schedules=[nightly_publication],
    # One process per run: steps of a run that write would only wait for each other.
    executor=dg.in_process_executor,
)
