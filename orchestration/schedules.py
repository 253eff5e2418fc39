"""Schedules, which are off until somebody switches them on."""

import dagster as dg

from orchestration.assets.published import WAREHOUSE
from orchestration.jobs import build_and_publish
from orchestration.loading_assets import loaded_since


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
