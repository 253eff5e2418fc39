"""Jobs: what people start from the web interface with one click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,
)

from orchestration.assets import curation, key_points, transcripts
from orchestration.assets.metrics import metrics
from orchestration.assets.model_runs import EXPERIMENT_BY_JUDGE, judge_in_series

_PUBLISH = dg.AssetSelection.assets(metrics) | dg.AssetSelection.keys(
    dg.AssetKey(["published", "warehouse"])
)


def _one_form(config: type[dg.Config], steps: Sequence[dg.AssetsDefinition]) -> dg.ConfigMapping:
    """One form in the launchpad for steps that all take the same settings."""

    def same_for_each(values: dict[str, Any]) -> dict[str, Any]:
        return {"ops": {step.op.name: {"config": values} for step in steps}}

    return dg.config_mapping(config_schema=config.to_fields_dict())(same_for_each)


judge_and_publish = dg.define_asset_job(
    "judge_and_publish",
    selection=dg.AssetSelection.keys(
        dg.AssetKey(["model_runs", "responses"]), dg.AssetKey(["model_runs", "scores"])
    )
    | _PUBLISH,
    partitions_def=EXPERIMENT_BY_JUDGE,
    description="Run an experiment with a judge, load the answers, build, test and publish.",
)

build_and_publish = dg.define_asset_job(
    "build_and_publish",
    selection=_PUBLISH,
    description="Build and test the marts from what is loaded, and publish them.",
)

import_and_publish = dg.define_asset_job(
    "import_and_publish",
    selection=dg.AssetSelection.keys(dg.AssetKey(["sources", "imports"])) | _PUBLISH,
    description="Load a score file made elsewhere, build, test and publish.",
)

reparse_and_publish = dg.define_asset_job(
    "reparse_and_publish",
    selection=dg.AssetSelection.keys(
        dg.AssetKey(["model_runs", "reparsed"]), dg.AssetKey(["published", "changes"])
    )
    | _PUBLISH,
    description=(
        "Read every stored reply again with the present parser, build, test and publish, and say "
        "what changed."
    ),
)

tournament_and_publish = dg.define_asset_job(
    "tournament_and_publish",
    selection=dg.AssetSelection.keys(dg.AssetKey(["oversight", "tournament"])) | _PUBLISH,
    description="Play a tournament of debaters, or go on with it, build, test and publish.",
)

explain_and_publish = dg.define_asset_job(
    "explain_and_publish",
    selection=dg.AssetSelection.assets(*key_points.ASSETS) | _PUBLISH,
    config=_one_form(key_points.KeyPointsConfig, key_points.ASSETS),
    description="Find the key points in judges' reasons, build, test and publish.",
)

curate = dg.define_asset_job(
    "curate",
    selection=dg.AssetSelection.assets(*curation.ASSETS),
    config=_one_form(curation.CurationConfig, curation.ASSETS),
    description="Curate debatable questions in a working folder, going on where it stopped.",
)

transcribe = dg.define_asset_job(
    "transcribe",
    selection=dg.AssetSelection.assets(*transcripts.ASSETS),
    config=_one_form(transcripts.TranscriptConfig, transcripts.ASSETS),
    description="Turn a recording into eight speeches that wait for a person to verify them.",
)


JOBS: list[dg.JobDefinition | UnresolvedAssetJobDefinition] = [
    judge_and_publish,
    judge_in_series,
    build_and_publish,
    import_and_publish,
    reparse_and_publish,
    tournament_and_publish,
    explain_and_publish,
    curate,
    transcribe,
]
