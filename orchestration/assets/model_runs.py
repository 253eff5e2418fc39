"""Model runs: responses are journalled without touching the warehouse, then loaded."""

import time
from datetime import timedelta

import dagster as dg
from pydantic import Field

from inference.experiments import load_experiment
from inference.parsing import PARSER_VERSION
from inference.prices import as_dollars
from inference.runner import RunSummary, run
from inference.tally import Progress
from ingestion.journals import load_journals
from ingestion.reparse import reparse
from orchestration.commands.run_commands import Run
from orchestration.commands.runs.plan import options_of, sources_of
from orchestration.instance import tag_process
from orchestration.operation import config_of
from orchestration.progress import notice, tell
from orchestration.registry import PAIRS, ensure_judge, pair_of
from orchestration.result_files import markdown_table
from warehouse.home import find_home

_CHANGES_SHOWN = 30
# Characters of the longest bar.
_BAR = 40
_REPORT_EVERY_S = 10.0

EXPERIMENT_WITH_JUDGE = dg.DynamicPartitionsDefinition(name=PAIRS)

# Whoever serves a model may change it behind its name.
_FRESH = dg.FreshnessPolicy.time_window(
    warn_window=timedelta(days=90), fail_window=timedelta(days=180)
)


class RunConfig(config_of(Run)):  # type: ignore[misc]
    """How much of an experiment to run."""

    report_every_s: float | None = Field(
        default=None,
        description="Seconds between two reports of how far the run is. Absent means 10.",
    )


@dg.asset(
    key=["model_runs", "responses"],
    group_name="model_runs",
    partitions_def=EXPERIMENT_WITH_JUDGE,
    deps=[dg.AssetKey(["sources", name]) for name in ("sample", "dataset", "study")],
    description=(
        "Every response of a judge to an experiment, in the journal. Pick a pair and materialize; "
        "run again to go on where a run was interrupted. A new judge is added as "
        "EXPERIMENT|PROVIDER/MODEL, such as speech-score|openai/gpt-4.1-mini. Said to be ageing "
        "90 days after the last run and old after 180: a model may change behind its name."
    ),
    freshness_policy=_FRESH,
)
def responses(context: dg.AssetExecutionContext, config: RunConfig) -> dg.MaterializeResult[None]:
    """Run an experiment with a judge."""
    tag_process(context)
    pair = context.partition_key
    experiment = load_experiment(pair.partition("|")[0], [find_home().experiments])
    if experiment.options.is_journalled:
        # What is judged here was journalled by other runs, which may still be going on.
        _load(context)
    return dg.MaterializeResult(metadata=_ask(context, pair, config))


class Asked(dg.Config):
    """One experiment and the judges that run it, one after the other."""

    experiment: str = Field(description="The experiment's name.")
    judges: list[str] = Field(description="The judges' ids.")
    datasets: list[str] = Field(default=[], description="Data sets to run on; empty means all.")


class SeriesConfig(dg.Config):
    """Experiments in the order they are run."""

    experiments: list[Asked] = Field(description="What is asked of whom.")


@dg.op(description="Run several experiments, each with several judges, and load the answers.")
def series(context: dg.OpExecutionContext, config: SeriesConfig) -> None:
    """Run experiments in one Dagster run, where one run each would cost more than the answers.

    Each pair of experiment and judge is a materialization of `model_runs/responses`, as if it had
    been picked alone.
    """
    tag_process(context)
    count = sum(len(asked.judges) for asked in config.experiments)
    number = 0
    # What other runs have answered, an experiment may judge; after each, so may the next.
    _load(context)
    for asked in config.experiments:
        for judge in asked.judges:
            number += 1
            notice(context.log.info)(f"[{number}/{count}] {asked.experiment} with {judge}")
            pair = pair_of(asked.experiment, judge)
            metadata = _ask(context, pair, RunConfig(datasets=asked.datasets))
            context.log_event(
                dg.AssetMaterialization(asset_key=responses.key, partition=pair, metadata=metadata)
            )
        loaded = _load(context)
        context.log_event(dg.AssetMaterialization(asset_key=scores.key, metadata=loaded))


@dg.job(description="Run several experiments, each with several judges, and load the answers.")
def judge_in_series() -> None:
    """Run what the launchpad lists; build afterwards."""
    series()


def _ask(
    context: dg.AssetExecutionContext | dg.OpExecutionContext,
    pair: str,
    config: RunConfig,
) -> dict[str, dg.MetadataValue | int | float | str]:
    """Run one experiment with one judge; return what is said of it."""
    home = find_home().ensure()
    name, _, judge_id = pair.partition("|")
    values = config.model_dump()
    report_every_s = values.pop("report_every_s") or _REPORT_EVERY_S
    wanted = Run.of(values, experiment=name, judge=judge_id)
    experiment = load_experiment(name, [home.experiments])
    # A judge picked in the web interface that judges.toml does not name gets its provider's
    # defaults, or a named error.
    spec = ensure_judge(home, judge_id)
    started = last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        tell(progress)
        if time.monotonic() - last > report_every_s:
            last = time.monotonic()
            _observe(context, pair, progress, last - started)

    summary = run(
        experiment,
        spec,
        sources_of(home, experiment, wanted.datasets),
        journal_root=home.journal,
        budget_usd=wanted.budget_usd,
        progress=report,
        shards=wanted.split,
        **options_of(home, wanted.limit, is_fresh=wanted.fresh),
    )
    return _metadata(summary)


def _observe(
    context: dg.AssetExecutionContext | dg.OpExecutionContext,
    pair: str,
    progress: Progress,
    seconds: float,
) -> None:
    """Say how far the run is, in its log and as an event of the asset."""
    rate = progress.new / max(seconds, 1e-9)
    left = (progress.total - progress.done) / rate if rate else None
    cost = "unknown" if progress.cost_usd is None else as_dollars(progress.cost_usd)
    context.log.info(
        f"{progress.done} of {progress.total} requests, {rate:.1f}/s, {progress.failed} failed, "
        f"{progress.unparsed} unparsed, cost so far {cost}"
    )
    context.log_event(
        dg.AssetObservation(
            asset_key=responses.key,
            partition=pair,
            metadata={
                "done": progress.done,
                "requests": progress.total,
                "failed": progress.failed,
                "errors_by_kind": dg.MetadataValue.json(dict(progress.errors)),
                "unparsed": progress.unparsed,
                "requests_per_s": round(rate, 1),
                "seconds_left": "unknown" if left is None else round(left),
                "cost": cost,
                "cost_usd": "unknown" if progress.cost_usd is None else progress.cost_usd,
            },
        )
    )


def _metadata(summary: RunSummary) -> dict[str, dg.MetadataValue | int | float | str]:
    failed = sum(summary.errors.values())
    unparsed = sum(summary.unparsed.values())
    have = summary.answered + summary.reused + summary.already_answered
    return {
        "status": summary.status,
        "runs": ", ".join(summary.run_ids),
        "requests": summary.requests,
        "answered_now": summary.answered,
        "reused": summary.reused,
        "already_answered": summary.already_answered,
        "failed": failed,
        "unparsed": unparsed,
        "unparsed_share": unparsed / have if have else "no answers",
        "errors_by_kind": dg.MetadataValue.json(dict(summary.errors)),
        "unparsed_by_reason": dg.MetadataValue.json(dict(summary.unparsed)),
        "tokens_in": summary.tokens_in,
        "tokens_cached": summary.tokens_cached,
        "tokens_out": summary.tokens_out,
        "cost": str(summary.spent),
        "cost_usd": "unknown" if summary.cost_usd is None else summary.cost_usd,
        "seconds": round(summary.seconds, 2),
        "outcome": dg.MetadataValue.md(
            _bars(parsed=have - unparsed, unparsed=unparsed, failed=failed)
        ),
    }


def _bars(**requests: int) -> str:
    """Return the outcomes of requests as Markdown: a row each, with a bar of its share."""
    total = sum(requests.values()) or 1
    rows = [(name, n, "█" * round(_BAR * n / total)) for name, n in requests.items()]
    return markdown_table("outcome", "requests:", "", rows=rows)


@dg.asset(
    key=["model_runs", "scores"],
    group_name="model_runs",
    deps=[responses],
    description="Every journalled answer, parsed and loaded. Loading twice changes nothing.",
)
def scores(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Load the journals that have changed."""
    tag_process(context)
    return dg.MaterializeResult(metadata=_load(context))


def _load(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> dict[str, int | float]:
    report = load_journals(find_home().ensure(), notify=notice(context.log.info))
    return {
        "new": report.new,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "quarantined": report.quarantined,
        "seconds": round(report.seconds, 2),
    }


@dg.asset(
    key=["model_runs", "reparsed"],
    group_name="model_runs",
    deps=[scores, dg.AssetKey(["sources", "imports"])],
    description=(
        "Every stored reply, read again by the present parser. Nobody is asked and nothing is "
        "paid. Reading twice changes nothing."
    ),
)
def reparsed(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Read stored replies again, and update the answers that are read differently now."""
    tag_process(context)
    report = reparse(find_home().ensure(), notify=notice(context.log.info))
    return dg.MaterializeResult(
        metadata={
            "read": report.read,
            "changed": report.changed,
            "skipped": report.skipped,
            "reloaded": report.reloaded,
            "older_runs": report.runs,
            "parser_version": PARSER_VERSION,
            "newest_load": report.newest_load,
            "newest_other_load": report.newest_other_load,
            "seconds": round(report.seconds, 2),
            "changes": dg.MetadataValue.json([list(change) for change in report.changes]),
            "differences": dg.MetadataValue.md(
                markdown_table(
                    *("judge", "prompt", "was read as", "is read as", "answers:"),
                    rows=[
                        (each.judge_id, each.template, each.before, each.after, each.answers)
                        for each in report.changes[:_CHANGES_SHOWN]
                    ],
                )
                if report.changes
                else "none"
            ),
        }
    )


ASSETS = [responses, scores, reparsed]
