"""Jobs: what people start from the web interface with one click."""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from orchestration.assets import curation, key_points, transcripts
from orchestration.assets.metrics import metrics
from orchestration.assets.model_runs import EXPERIMENT_WITH_JUDGE, judge_in_series
from orchestration.commands.pipelines import Curate, KeyPoints, Transcribe
from orchestration.operation import Operation, config_of

# What the launchpad holds at first: enough to see that a judge answers, and cheap.
FIRST_RUN = {"limit": 20, "budget_usd": 1.0}
_PUBLISH = dg.AssetSelection.assets(metrics) | dg.AssetSelection.keys(
    dg.AssetKey(["published", "warehouse"])
)


def _one_form(operation: type[Operation], steps: Sequence[dg.AssetsDefinition]) -> dg.ConfigMapping:
    """One form in the launchpad for steps that all take the same settings."""

    def same_for_each(values: dict[str, Any]) -> dict[str, Any]:
        return {"ops": {step.op.name: {"config": values} for step in steps}}

    return dg.config_mapping(config_schema=config_of(operation).to_fields_dict())(same_for_each)


def _job(name: str, description: str, *keys: str, publishes: bool = True, **options: Any) -> Any:
    """Return a job of some assets, with all metrics and the published version if it publishes."""
    selection = dg.AssetSelection.keys(*(dg.AssetKey(key.split("/")) for key in keys))
    return dg.define_asset_job(
        name,
        selection=selection | _PUBLISH if publishes else selection,
        description=description,
        **options,
    )


def _keys(steps: Sequence[dg.AssetsDefinition]) -> list[str]:
    return ["/".join(step.key.path) for step in steps]


import_and_publish = _job(
    "import_and_publish",
    "Load a score file made elsewhere, build, test and publish.",
    "sources/imports",
)
build_and_publish = _job(
    "build_and_publish", "Build and test the marts from what is loaded, and publish them."
)

JOBS: list[Any] = [
    _job(
        "judge_and_publish",
        "Run an experiment with a judge, load the answers, build, test and publish. The launchpad "
        "begins with a few items and a small budget; null stands for all items, and for no budget.",
        "model_runs/responses",
        "model_runs/scores",
        partitions_def=EXPERIMENT_WITH_JUDGE,
        config={"ops": {"model_runs__responses": {"config": FIRST_RUN}}},
    ),
    judge_in_series,
    build_and_publish,
    import_and_publish,
    _job(
        "reparse_and_publish",
        "Read every stored reply again with the present parser, build, test and publish, and say "
        "what changed.",
        "model_runs/reparsed",
        "published/changes",
    ),
    _job(
        "tournament_and_publish",
        "Play a tournament of debaters, or go on with it, build, test and publish.",
        "oversight/tournament",
    ),
    _job(
        "explain_and_publish",
        "Find the key points in judges' reasons, build, test and publish.",
        *_keys(key_points.ASSETS),
        config=_one_form(KeyPoints, key_points.ASSETS),
    ),
    _job(
        "curate",
        "Curate debatable questions in a working folder, going on where it stopped.",
        *_keys(curation.ASSETS),
        config=_one_form(Curate, curation.ASSETS),
        publishes=False,
    ),
    _job(
        "transcribe",
        "Turn a recording into eight speeches that wait for a person to verify them.",
        *_keys(transcripts.ASSETS),
        config=_one_form(Transcribe, transcripts.ASSETS),
        publishes=False,
    ),
]
