"""Key points: what judges say of speeches, from their replies to a few sentences."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
from pydantic import Field

from inference.embeddings import TFIDF
from inference.registry import key_point_model
from inference.speeches.keypoints.pipeline import PIPELINE, Analysis, Task, Tools, limits_for
from inference.speeches.keypoints.polarity import RULES
from inference.speeches.keypoints.results import JUSTIFICATIONS
from inference.steps.files import StepFile
from inference.steps.pipeline import Outcome
from ingestion.speeches.justifications import current_replies
from ingestion.speeches.load_key_points import load_key_points
from orchestration.instance import tag_process
from orchestration.progress import notice, tell
from warehouse.home import Home, find_home

_ELSE = "If absent the model that judges.toml marks with key_points = true, else rules."


class KeyPointsConfig(dg.Config):
    """What is analysed, and with what."""

    name: str = Field(description="What the analysis is called.")
    dataset: str = Field(description="The data set whose speeches were scored.")
    template: str = Field(
        default="speech_score_justified", description="The prompt that asked for reasons."
    )
    dimension: str | None = Field(
        default=None, description="What was scored; may be left out where there is one dimension."
    )
    judges: list[str] = Field(default=[], description="Whose reasons; those of all when empty.")
    rephraser: str | None = Field(
        default=None,
        description=f"Who divides reasons into sentences: rules, or provider/model. {_ELSE}",
    )
    embedder: str = Field(
        default=TFIDF,
        description="What tells how alike sentences are: tfidf, local/MODEL, or an endpoint's id.",
    )
    polarity: str | None = Field(
        default=None,
        description=f"Who says what is for and against: rules, or provider/model. {_ELSE}",
    )
    threshold: float | None = Field(
        default=None,
        description="From which cosine on a sentence matches; fits one embedder only.",
    )
    redundancy: float | None = Field(
        default=None, description="From which cosine on two key points say the same."
    )
    budget_usd: float | None = Field(
        default=None, ge=0, description="What models may cost in dollars, over all starts."
    )
    seed: int = Field(default=0, description="Draws the order of what is equal otherwise.")

    def task_in(self, home: Home) -> Task:
        """The same for the steps, in a home whose `judges.toml` may name a model for them."""
        usual = key_point_model(home.judges_file) or RULES
        return Task(
            self.name,
            self.dataset,
            self.template,
            self.dimension,
            tuple(sorted(self.judges)),
            self.rephraser or usual,
            self.embedder,
            self.polarity or usual,
            limits_for(self.embedder, self.threshold, self.redundancy, self.seed),
        )


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
        context: dg.AssetExecutionContext, config: KeyPointsConfig
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        home = find_home().ensure()
        task = config.task_in(home)
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
        tools = tools_of(home, config.budget_usd)
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
    context: dg.AssetExecutionContext, config: KeyPointsConfig
) -> dg.MaterializeResult[None]:
    """Load the analysis as it stands."""
    tag_process(context)
    home = find_home().ensure()
    report = load_key_points(home, config.name, config.dimension, notify=notice(context.log.info))
    return dg.MaterializeResult(
        metadata={"analysis": config.name, "changed": report.new + report.updated}
    )


ASSETS = [*(_asset(step.name, step.about) for step in PIPELINE.steps), loaded]
