"""`rostrum run`: ask what is missing, load the answers, publish."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import FINAL_KINDS, InferenceError
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.journal import FILE_NAME
from inference.prices import FREE
from inference.registry import JudgeSpec, spec_for
from ingestion.errors import IngestionError
from orchestration.commands.build import newest_is_loaded, publish_loaded
from orchestration.commands.run_commands import Run
from orchestration.commands.runs.plan import options_of, sources_of
from orchestration.console import Say
from orchestration.registry import (
    ensure_judge,
    ensure_registry,
    pair_of,
)
from warehouse.home import Home
from warehouse.records.ids import split_judge_id
from warehouse.writer import open_writer

if TYPE_CHECKING:
    pass

# A journal's last line is shorter.
_END_BYTES = 1_000


def run(home: Home, wanted: Run, say: Say) -> int:
    """Run an experiment with a judge, load its answers, publish, and return the exit code."""
    judge_id = wanted.judge
    # What is misspelt is said before Dagster takes its seconds to start.
    spec_for(judge_id, home.judges_file)
    experiment = load_experiment(wanted.experiment, [home.experiments])
    home.ensure()
    ensure_registry(home)
    spec = ensure_judge(home, judge_id)
    if (shards := wanted.split) is not None:
        shards.check(spec)
    found: Mapping[str, Any] | None = None
    if not wanted.fresh and wanted.budget_usd is None:
        found = _standing(home, experiment, spec, wanted.datasets, wanted.limit)
    if found is None:
        found = _asked(home, wanted, say)
    say(
        f"{found['requests']:,} requests: {found['answered_now']:,} answered now, "
        f"{found['already_answered'] + found['reused']:,} answered before, "
        f"{found['failed']:,} failed, {found['unparsed']:,} unparsed, "
        f"{cost_as_text(judge_id, found['cost'])} ({found['seconds']} s)"
    )
    if found["status"] == "over_budget":
        budget = f"stopped before passing the budget of ${wanted.budget_usd:g}"
        say(f"{budget}; go on with a higher --budget")
    for line in after_failures(found["errors_by_kind"]):
        say(line)
    publish_loaded(home, say, is_wanted=wanted.build, standing=found.get("published"))
    return 0 if found["status"] == "complete" else 1


def _standing(
    home: Home, experiment: Experiment, spec: JudgeSpec, datasets: Sequence[str], limit: int | None
) -> dict[str, Any] | None:
    """Return the outcome of a run with nothing to ask and nothing to load; None if there is any.

    Dagster stays asleep for it, and no run of it is recorded.
    """
    from inference.plan import plan_runs
    from inference.runs.history import check_settings, own_answers, slug
    from inference.tally import Tally
    from ingestion.journals import are_loaded
    from orchestration.progress import print_notice

    journals = home.journal.glob(f"{experiment.name}--{slug(spec.judge_id)}--*/{FILE_NAME}")
    # Where all are at work, or none is there, the run plans, and not this as well.
    if not any(_is_complete(path) for path in journals):
        return None
    started = time.monotonic()
    try:
        check_settings(home.journal, spec)
        # One connection for both: to open the file costs more than to look.
        with open_writer(home, "load journals", notify=print_notice):
            if not are_loaded(home):
                return None
            published = newest_is_loaded(home)
        plans = plan_runs(
            experiment,
            spec,
            sources_of(home, experiment, datasets),
            journal_root=home.journal,
            **options_of(home, limit, is_offline=True),
        )
    except (InferenceError, IngestionError):
        # The run meets it again, and its record says so.
        return None
    tally = Tally(0, lambda _: None)
    for plan in plans:
        own = own_answers(home.journal / plan.run_id)
        if own.status != "complete" or any(each not in own for each in plan.requests):
            return None
        tally.add_held(plan.requests, own.answers, own.failures)
    return {
        "status": "complete",
        "requests": sum(len(plan.requests) for plan in plans),
        "answered_now": 0,
        "reused": 0,
        "already_answered": tally.already,
        "failed": tally.errors.total(),
        "unparsed": tally.unparsed.total(),
        "errors_by_kind": dict(sorted(tally.errors.items())),
        "cost": str(tally.spent),
        "seconds": round(time.monotonic() - started, 2),
        "published": published,
    }


def _is_complete(journal: Path) -> bool:
    """Whether a journal's last line says that its run is complete."""
    with journal.open("rb") as file:
        file.seek(max(0, journal.stat().st_size - _END_BYTES))
        return b'"status":"complete"' in file.read().rpartition(b'{"schema_version"')[2]


def _asked(home: Home, wanted: Run, say: Say) -> dict[str, Any]:
    """Ask what is missing, load the answers, and return what the run said of itself."""
    from orchestration.execute import materialize, metadata_of
    from orchestration.progress import progress_bar

    with progress_bar(f"{wanted.experiment} with {wanted.judge}"):
        try:
            result = materialize(
                home,
                ["model_runs/responses", "model_runs/scores"],
                config={"model_runs__responses": wanted.config()},
                partition=pair_of(wanted.experiment, wanted.judge),
            )
        except BaseException:
            # Whatever was answered before a stop is loaded like any other answer.
            result = materialize(home, ["model_runs/scores"])
            loaded = metadata_of(result, "model_runs/scores")
            if loaded["new"] or loaded["updated"]:
                say(
                    f"what was answered until then is loaded ({loaded['new']:,} rows new); the "
                    "same command goes on and publishes, or rostrum build publishes what is there"
                )
            raise
    return metadata_of(result, "model_runs/responses")


def cost_as_text(judge_id: str, cost: str) -> str:
    """Return the cost of a run's answers as text."""
    if split_judge_id(judge_id)[0] in FREE:
        return f"no charge: {judge_id} answers on this machine"
    return f"cost {cost}"


def after_failures(kinds: Mapping[str, int]) -> Iterator[str]:
    """Say which failures another start asks again, and which stand."""
    for is_final, then in (
        (False, "run the same command to ask them again"),
        (True, "the same request would fail again, so they stand and are not asked again"),
    ):
        found = {kind: n for kind, n in kinds.items() if (kind in FINAL_KINDS) == is_final}
        if found:
            listed = ", ".join(f"{kind} {count:,}" for kind, count in found.items())
            yield f"{sum(found.values()):,} failed ({listed}): {then}"
