"""Jobs: what people start from the web interface with one click."""

from __future__ import annotations

import dagster as dg

from orchestration.assets.metrics import metrics
from orchestration.assets.model_runs import EXPERIMENT_BY_JUDGE

_PUBLISH = dg.AssetSelection.assets(metrics) | dg.AssetSelection.keys(
    dg.AssetKey(["published", "warehouse"])
)

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
    selection=dg.AssetSelection.keys(dg.AssetKey(["sources", "imported_scores"])) | _PUBLISH,
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

JOBS = [
    judge_and_publish, build_and_publish, import_and_publish, reparse_and_publish,
    tournament_and_publish,
]  # fmt: skip
