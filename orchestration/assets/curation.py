"""Curation: a set of debatable questions, step by step, each with what its rules removed."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from inference.errors import BadSettings
from inference.questions.curation.pipeline import PIPELINE, funnel
from inference.questions.curation.questions import THRESHOLD
from inference.questions.curation.ranking import WebSource
from inference.questions.curation.tools import DECODING, SCORING, Curation, Settings, tools_for
from inference.questions.documents import TRUSTED
from inference.questions.web.settings import ADDRESSES, SEARCH, RetrievalSettings
from inference.steps.asking import open_model
from inference.steps.pipeline import Outcome
from orchestration.assets.derived import Log, asset_of
from orchestration.commands.pipelines import Curate
from orchestration.commands.runs.plan import web_of
from orchestration.result_files import markdown_table
from warehouse.home import Home


def _source(home: Home, config: Curate) -> WebSource | None:
    """Return where documents come from, if that is not the folder's own."""
    if config.search is None and config.addresses is None:
        return None
    if config.search is not None and config.addresses is not None:
        raise BadSettings(
            "curation: both a search service and a file of addresses are named; name one of them"
        )
    settings = RetrievalSettings(
        retriever=SEARCH if config.search is not None else ADDRESSES,
        search=config.search,
        addresses=str(config.addresses) if config.addresses else None,
        domains=tuple(config.domains or TRUSTED),
        key_env=config.search_key_env,
        snapshot=config.snapshot or RetrievalSettings.snapshot,
    )
    return WebSource(web_of(home).pages(settings))


def _do(home: Home, name: str, config: Curate) -> Outcome:
    judge = None
    if config.reranker and not config.reranker.startswith("local/"):
        judge = open_model(config.reranker, home.judges_file, home.prices_file, decoding=SCORING)
    tools = tools_for(
        config.embedder,
        open_model(config.model, home.judges_file, home.prices_file, decoding=DECODING),
        reranker=config.reranker,
        judge=judge,
        source=_source(home, config),
        judges_file=home.judges_file,
        prompts_folder=home.prompts,
    )
    settings = Settings(
        threshold=THRESHOLD if config.threshold is None else config.threshold,
        domains=tuple(config.domains or TRUSTED),
        test_questions=config.test_questions,
    )
    work = Curation(config.folder, tools, settings)
    return PIPELINE.run_step(name, work)


def _metadata(outcome: Outcome) -> dict[str, dg.MetadataValue | int | str]:
    rules = funnel([outcome])
    rows = [
        (rule["unit"], rule["rule"].replace("_", " "), rule["n_before"], rule["n_removed"])
        for rule in rules
    ]
    return {
        "status": outcome.status,
        "waits_for": outcome.waits_for or "nothing",
        "removed": sum(rule["n_removed"] for rule in rules),
        "funnel": dg.MetadataValue.md(
            markdown_table("of", "removed by", "before:", "removed:", rows=rows)
        ),
    }


def _asset(step: str, about: str) -> dg.AssetsDefinition:
    def do(home: Home, options: Curate, log: Log) -> Mapping[str, Any]:
        outcome = _do(home, step, options)
        log(f"{step}: {outcome.waits_for or outcome.status}")
        return _metadata(outcome)

    before = PIPELINE.base_of(step)
    return asset_of(f"curation/{step}", Curate, do, about, [f"curation/{before}"] if before else [])


ASSETS = [_asset(step.name, step.about) for step in PIPELINE.steps]
