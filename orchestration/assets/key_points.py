"""Key points: what judges say of speeches, from their replies to a few sentences."""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from inference.speeches.keypoints.pipeline import PIPELINE, Analysis, Tools
from inference.speeches.keypoints.results import JUSTIFICATIONS
from inference.steps.files import StepFile
from inference.steps.pipeline import Outcome
from ingestion.speeches.justifications import current_replies
from ingestion.speeches.load_key_points import load_key_points
from orchestration.commands.pipelines import KeyPoints
from orchestration.instance import tag_process
from orchestration.operation import config_of
from orchestration.progress import notice, tell
from warehouse.home import Home, find_home

CONFIG = config_of(KeyPoints)


def tools_of(home: Home, budget_usd: float | None = None) -> Tools:
    """Return what the steps work with in a home."""
    return Tools(
        home.key_points / "replies",
        home.judges_file,
        home.prompts,
        home.prices_file,
        budget_usd,
        tell,
    )


def _asset(step: str, about: str) -> dg.AssetsDefinition:
    after = PIPELINE.base_of(step)

    @dg.asset(
        key=["key_points", step],
        group_name="key_points",
        deps=[dg.AssetKey(["key_points", after] if after else ["model_runs", "scores"])],
        description=about,
    )
    def made(
        context: dg.AssetExecutionContext,
        config: CONFIG,  # type: ignore[valid-type]
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        home = find_home().ensure()
        chosen = KeyPoints.of(config)
        task = chosen.task_in(home)
        rows: Sequence[dict[str, Any]] = ()
        if step == JUSTIFICATIONS:
            rows = current_replies(
                home,
                task.dataset,
                task.template,
                dimension=task.dimension,
                judges=task.judges,
                notify=notice(context.log.info),
            )
        tools = tools_of(home, chosen.budget_usd)
        work = Analysis(home.key_points / task.name, task, tools, rows)
        outcome = PIPELINE.run_step(step, work)
        context.log.info(f"{step}: {outcome.status}")
        return dg.MaterializeResult(metadata=_metadata(task.name, outcome))

    return made


def _metadata(name: str, outcome: Outcome[StepFile]) -> dict[str, int | str]:
    records = outcome.result.records if outcome.result else ()
    found: dict[str, int | str] = {"analysis": name, "status": outcome.status}
    if outcome.step in ("justifications", "sentences"):
        for row in records:
            found[row["status"]] = int(found.get(row["status"], 0)) + 1
    elif outcome.step == "polarity":
        for row in records:
            kind = row["polarity"] or "unreadable"
            found[kind] = int(found.get(kind, 0)) + 1
    elif outcome.step == "candidates":
        found["candidates"] = sum(row["candidate_reason"] is None for row in records)
    else:
        (row,) = records
        fates = row["fates"]
        found["key_points"] = len(row["key_points"])
        found["sentences"] = len(fates)
        found["matched"] = sum(each["key_point_id"] is not None for each in fates)
    return found


@dg.asset(
    key=["key_points", "loaded"],
    group_name="key_points",
    deps=[dg.AssetKey(["key_points", step]) for step in PIPELINE.names],
    description="The analysis in the warehouse, in the place of an earlier one of its name.",
)
def loaded(
    context: dg.AssetExecutionContext,
    config: CONFIG,  # type: ignore[valid-type]
) -> dg.MaterializeResult[None]:
    """Load the analysis as it stands."""
    tag_process(context)
    home = find_home().ensure()
    chosen = KeyPoints.of(config)
    report = load_key_points(home, chosen.name, chosen.dimension, notify=notice(context.log.info))
    return dg.MaterializeResult(
        metadata={"analysis": chosen.name, "changed": report.new + report.updated}
    )


ASSETS = [*(_asset(step.name, step.about) for step in PIPELINE.steps), loaded]
