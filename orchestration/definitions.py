"""Everything Dagster knows of Rostrum: assets, jobs, the inbox sensor and a schedule."""

import dagster as dg

from orchestration.assets import assets_of
from orchestration.assets.published import WAREHOUSE
from orchestration.jobs import JOBS, build_and_publish
from orchestration.loading_assets import loaded_since
from orchestration.sensors import inbox_sensor


@dg.schedule(
    job=build_and_publish,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Each night at three (UTC), builds, tests and publishes what was loaded since the "
    "last publication; skips a night that has nothing new. Off until you switch it on: a home that "
    "builds after each command needs none.",
)
def nightly_publication(
    context: dg.ScheduleEvaluationContext,
) -> dg.RunRequest | dg.SkipReason:
    """Ask for a build if anything was loaded since the published version was made."""
    loaded = loaded_since(context.instance, WAREHOUSE)
    if not loaded:
        return dg.SkipReason("nothing has been loaded since the last publication")
    names = ", ".join(key.to_user_string() for key in loaded)
    return dg.RunRequest(tags={"rostrum/loaded": names})


defs = dg.Definitions(
    assets=assets_of(),
    jobs=JOBS,
    sensors=[inbox_sensor],
    schedules=[nightly_publication],
    # One process per run: steps of a run that write would only wait for each other.
    executor=dg.in_process_executor,
)
