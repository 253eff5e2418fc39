"""Key points: what judges say of speeches, from their replies to a few sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from inference.speeches.keypoints.pipeline import PIPELINE, Analysis, Tools
from inference.speeches.keypoints.results import JUSTIFICATIONS
from inference.steps.pipeline import Outcome
from ingestion.speeches.justifications import current_replies
from ingestion.speeches.load_key_points import load_key_points
from orchestration.assets.derived import Log, asset_of
from orchestration.commands.pipelines import KeyPoints
from orchestration.progress import notice, tell
from warehouse.home import Home


def tools_of(home: Home, budget_usd: float | None = None) -> Tools:
    """Return the tools of the steps in a home."""
    return Tools(
        home.key_points / "replies",
        home.judges_file,
        home.prompts,
        home.prices_file,
        budget_usd,
        tell,
    )


def _asset(step: str, about: str) -> dg.AssetsDefinition:
    def do(home: Home, options: KeyPoints, log: Log) -> Mapping[str, Any]:
        task = options.task_in(home)
        rows: Sequence[dict[str, Any]] = ()
        if step == JUSTIFICATIONS:
            rows = current_replies(
                home,
                task.dataset,
                task.template,
                dimension=task.dimension,
                judges=task.judges,
                notify=notice(log),
            )
        tools = tools_of(home, options.budget_usd)
        outcome = PIPELINE.run_step(step, Analysis(home.key_points / task.name, task, tools, rows))
        log(f"{step}: {outcome.status}")
        return _metadata(task.name, outcome)

    before = PIPELINE.base_of(step)
    after = f"key_points/{before}" if before else "model_runs/scores"
    return asset_of(f"key_points/{step}", KeyPoints, do, about, [after])


def _metadata(name: str, outcome: Outcome) -> dict[str, int | str]:
    records: Sequence[Any] = outcome.result.records if outcome.result else ()
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


def _load(home: Home, options: KeyPoints, log: Log) -> Mapping[str, Any]:
    report = load_key_points(home, options.name, options.dimension, notify=notice(log))
    return {"analysis": options.name, "changed": report.new + report.updated}


ASSETS = [
    *(_asset(step.name, step.about) for step in PIPELINE.steps),
    asset_of(
        "key_points/loaded",
        KeyPoints,
        _load,
        "The analysis in the warehouse, in the place of an earlier one of its name.",
        [f"key_points/{step}" for step in PIPELINE.names],
    ),
]
