"""Jobs for tests of a team's Dagster: one that is done at once, and one that holds a slot."""

# No postponed annotations: Dagster looks at the type of `context` itself.

import os
import time
from pathlib import Path

import dagster as dg
from dagster._core.launcher import DefaultRunLauncher, LaunchRunContext

LAUNCHED_BY = "launched-by"


class NotingLauncher(DefaultRunLauncher):
    """Starts a run as Dagster does, and notes on it that it did."""

    def launch_run(self, context: LaunchRunContext) -> None:
        """Note it, and start the run."""
        self._instance.add_run_tags(context.dagster_run.run_id, {LAUNCHED_BY: type(self).__name__})
        super().launch_run(context)


@dg.op
def answer() -> int:
    """Give what a test looks for, and say so."""
    print("the answer is 42")
    return 42


@dg.job
def quick() -> None:
    """Succeeds."""
    answer()


@dg.op(pool="one", config_schema={"file": str, "seconds": float})
def hold(context: dg.OpExecutionContext) -> None:
    """Say in a file who holds the slot, and hold it."""
    Path(context.op_config["file"]).write_text(str(os.getpid()))
    time.sleep(context.op_config["seconds"])


@dg.job
def holding() -> None:
    """Holds the only slot of a pool."""
    hold()


defs = dg.Definitions(jobs=[quick, holding], executor=dg.in_process_executor)
