"""`rostrum run`, `plan`, `experiments`, `request`, `tournament` and `anchor`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import typer
from pydantic import model_validator

from orchestration.console import OUT, Say, say
from orchestration.operation import Operation, Publishing, add_command, argument, option
from orchestration.result_files import write_text
from warehouse.home import Home

if TYPE_CHECKING:
    from inference.items import ItemSource
    from inference.oversight.tournament_plan import TournamentPlan
    from inference.shards.asking import Shards

FileFormat = Literal["table", "json"]
_FORMAT = "table for people; json for programs, without any key."
_BUDGET = "Stop before it has cost more dollars than this, over all its starts."
_SHOW_ONLY = "Show what would be asked and cost; send nothing."


class _Asking(Operation):
    """Options of operations that ask: data sets, how much, and whether again."""

    limit: int | None = option("Ask about this many items at most.", None, ge=1)
    datasets: list[str] = option("Data set to run on. Repeatable.", [], name="dataset")
    fresh: bool = option("Ask again what was answered before, in a run of its own.", False)

    @property
    def extent(self) -> dict[str, Any]:
        """Options that say how much is asked."""
        return {"limit": self.limit, "datasets": self.datasets, "fresh": self.fresh}


class Run(_Asking, Publishing):
    """Run an experiment with a judge, going on where an earlier run stopped, and publish."""

    example: ClassVar[str] = "run speech-score --judge openai/gpt-4.1-mini --limit 50"

    experiment: str = argument(
        "speech-score, debate-winner, or another (docs/experiments.md).", exclude=True
    )
    judge: str = option("The judge, as provider/model.", exclude=True)
    budget_usd: float | None = option(
        f"{_BUDGET} A judge whose price is unknown takes none.", None, ge=0, name="budget"
    )
    dry_run: bool = option(_SHOW_ONLY, False, exclude=True)
    shards: int | None = option("Split the run over this many workers.", None, ge=1)
    on: str | None = option(
        "Where workers run: ray, or ray://HOST:PORT; processes here if absent.", None
    )

    @property
    def split(self) -> Shards | None:
        """Workers of the run; None for one process."""
        from inference.shards.asking import Shards

        is_split = self.shards is not None or self.on is not None
        return Shards(self.shards or 1, self.on) if is_split else None

    def run(self, home: Home, say: Say = say) -> int | None:
        """Run the experiment, load its answers and publish, or show what it would ask."""
        if self.dry_run:
            Plan(experiment=self.experiment, judge=self.judge, **self.extent).run(home, say)
            return None
        from orchestration.commands.runs.run import run

        return run(home, self, say)


class Plan(_Asking):
    """Show the requests, tokens and cost to come, and of verdicts what could be found.

    Nothing is sent. With 'labels': how many labels of people an estimate needs.
    """

    example: ClassVar[str] = "plan speech-score --judge openai/gpt-4.1-mini"

    experiment: str = argument(
        "An experiment; or labels: how many labels of people a mean or share needs."
    )
    judge: str | None = option("The judge, as provider/model; of labels all if absent.", None)
    file_format: FileFormat = option(_FORMAT, "table", name="format")
    half_width: float | None = option(
        "labels: half of the 95 % interval that is wanted.", None, gt=0
    )
    items: int | None = option("labels: items that the judge answers.", None, ge=2)
    sd: float | None = option("labels: spread of the labels, instead of a pilot's.", None, ge=0)
    correlation: float | None = option(
        "labels: of labels and judge, instead of a pilot's.", None, ge=-1, le=1
    )

    @model_validator(mode="after")
    def _check_needs(self) -> Self:
        if self.experiment == "labels" and self.half_width is None:
            raise ValueError("plan labels needs --half-width, such as 0.03")
        if self.experiment != "labels" and self.judge is None:
            raise ValueError("plan needs --judge; 'rostrum judges' lists them")
        return self

    def run(self, home: Home, say: Say = say) -> None:
        """Print the plan."""
        if self.experiment == "labels":
            from orchestration.commands.runs.label_plan import show_label_plan

            show_label_plan(home, self, OUT)
        elif self.file_format == "json":
            from orchestration.commands.runs.facts import as_json, plan_facts

            write_text(as_json(plan_facts(home, self)))
        else:
            from orchestration.commands.runs.plan import plan_and_show

            plan_and_show(home, self, OUT)


class Experiments(Operation):
    """List all experiments with what each asks; with a judge, its requests and cost to come.

    Nothing is sent.
    """

    example: ClassVar[str] = "experiments --judge openai/gpt-4.1-mini"

    judge: str | None = option("Show what each would ask this judge, and cost.", None)
    datasets: list[str] = option("Data set to run on. Repeatable.", [], name="dataset")
    file_format: FileFormat = option(_FORMAT, "table", name="format")

    @model_validator(mode="after")
    def _check_format(self) -> Self:
        if self.file_format == "json" and (self.judge is not None or self.datasets):
            raise ValueError(
                "--format json lists experiments; for what one asks of a judge: rostrum plan "
                "EXPERIMENT --judge JUDGE --format json"
            )
        return self

    def run(self, home: Home, say: Say = say) -> None:
        """Print the experiments."""
        if self.file_format == "json":
            from orchestration.commands.runs.facts import as_json, experiment_facts

            write_text(as_json(experiment_facts(home)))
        else:
            from orchestration.commands.runs.plan import show_experiments

            show_experiments(home, self.judge, self.datasets, OUT)


class Request(Operation):
    """Print one request as JSON: the prompt as sent, every try, and what came back.

    Nothing is sent.
    """

    example: ClassVar[str] = "request d0a00702a2df2655"

    request_id: str = argument("The request, or an answer to it (request_id of dim_response).")

    def run(self, home: Home, say: Say = say) -> None:
        """Print the request."""
        from orchestration.commands.reports.request import request_trace

        typer.echo(json.dumps(request_trace(home, self.request_id), indent=1))


class Tournament(Publishing):
    """Let debaters meet each other round by round, going on where it stopped, and publish."""

    example: ClassVar[str] = "tournament sample-tournament --dry-run"

    name: str = argument("A tournament's file, or sample-tournament (docs/oversight.md).")
    limit: int | None = option("Debate this many questions of each sort at most.", None, ge=1)
    budget_usd: float | None = option(f"{_BUDGET} Its file's if absent.", None, ge=0, name="budget")
    dry_run: bool = option("Show what would be held and cost; send nothing.", False, exclude=True)

    def run(self, home: Home, say: Say = say) -> int:
        """Say what the tournament will hold and cost, hold it, and publish."""
        code = self.hold(home, say)
        if not self.dry_run:
            self.publish(home, say)
        return code

    def hold(self, home: Home, say: Say) -> int:
        """Say what the tournament will hold and cost, hold it, and return the exit code."""
        from dataclasses import replace

        from inference.oversight.tournament_plan import load_tournament
        from orchestration.registry import ensure_registry
        from orchestration.tournaments.costs import show_plan

        plan = replace(load_tournament(self.name, [home.tournaments]), limit=self.limit)
        home.ensure()
        ensure_registry(home)
        show_plan(home, plan, self.budget_usd, say)
        if self.dry_run:
            say("nothing was sent (--dry-run)")
            return 0
        from orchestration.execute import materialize, metadata_of

        result = materialize(
            home, ["oversight/tournament"], config={"oversight__tournament": self.config()}
        )
        facts = metadata_of(result, "oversight/tournament")
        say(
            f"{facts['status'].replace('_', ' ')}: {facts['rounds']} of {plan.rounds} rounds, "
            f"{facts['games']:,} games, {facts['void_games']:,} void, cost {facts['cost']} "
            f"({facts['seconds']} s)"
        )
        say("standing:")
        for line in facts["standing"].splitlines():
            say(line)
        if facts["reason"]:
            say(facts["reason"])
        if facts["status"] == "over_budget":
            say(self._over_budget(plan))
            return 1
        if facts["void_games"]:
            from orchestration.tournaments.play import ROUNDS_FILE

            rounds = home.tournaments / plan.label / ROUNDS_FILE
            say(
                f"{facts['void_games']:,} games are void. To try them again once whoever failed "
                f"can be reached, delete {rounds} and run the same command: what was answered is "
                "kept"
            )
        say("its figures are on the page Oversight, views ratings and tournament")
        return 0

    def _over_budget(self, plan: TournamentPlan) -> str:
        budget = plan.budget_usd if self.budget_usd is None else self.budget_usd
        few = "" if self.limit is None else f" --limit {self.limit}"
        return (
            f"stopped before passing the budget of ${budget:,.2f}; nothing is paid for twice, and "
            "a message whose reply was lost counts as paid in full in the start that lost it. Go "
            f"on: rostrum tournament {self.name}{few} --budget DOLLARS"
        )


class AnchorMake(Operation):
    """Freeze items of a data set, drawn at random by the experiment's seed."""

    example: ClassVar[str] = "anchor make spring speech-score --dataset sample --size 60"

    name: str = argument("What the set is called.")
    experiment: str = argument("How its items are asked about.")
    dataset: str = option("The data set its items come from.")
    size: int | None = option("How many items; all if absent.", None, ge=1)
    source: str | None = option("Only speeches of this source: the outputs of one system.", None)
    follows: str | None = option(
        "The set of an earlier version of the system whose outputs these are.", None
    )

    def run(self, home: Home, say: Say = say) -> None:
        """Freeze the items, and say how many."""
        from inference.anchors import freeze, read_set
        from inference.experiments import load_experiment
        from inference.items import find_item_sources

        home.ensure()
        experiment = load_experiment(self.experiment, [home.experiments])
        if self.follows is not None:
            read_set(home.anchors, self.follows)
        items = find_item_sources(home.items, [self.dataset])[0]
        made = freeze(
            home.anchors,
            self.name,
            experiment,
            items,
            size=self.size,
            only=None if self.source is None else _written_by(items, self.source),
            follows=self.follows,
        )
        count = len(made.items)
        say(f"anchor set {self.name}: {count:,} items of {self.dataset} frozen; judge them with")
        say(f"  rostrum anchor run {self.name} --judge JUDGE")


class AnchorRun(Publishing):
    """Ask a judge about every item of a set again, and say whether it changed."""

    example: ClassVar[str] = "anchor run spring --judge openai/gpt-4.1-mini"

    name: str = argument("The set.")
    judge: str = option("The judge, as provider/model.")
    wave: str | None = option(
        "What this time is called, such as the model's version; today's date if absent.", None
    )
    succeeds: str | None = option(
        "The judge that this one is the next version of: they are compared.", None
    )
    experiment: str | None = option(
        "Another experiment, such as one with a new prompt; the set's own if absent.", None
    )
    budget_usd: float | None = option(
        "Stop before the wave has cost more dollars than this.", None, ge=0, name="budget"
    )

    def run(self, home: Home, say: Say = say) -> int:
        """Run the wave, load it, and publish."""
        from inference.anchors import check_name, frozen_items, journal_of, read_set
        from inference.experiments import load_experiment
        from inference.plan import Wave
        from inference.prices import load_prices
        from inference.registry import check_judge_id
        from inference.runner import run
        from ingestion.anchors import load_anchors
        from orchestration.commands.runs.run import after_failures
        from orchestration.registry import ensure_judge, ensure_registry

        check_judge_id(self.judge)
        anchor = read_set(home.ensure().anchors, self.name)
        wave = check_name(self.wave or f"{datetime.now(UTC):%Y-%m-%d}", "wave")
        experiment = load_experiment(self.experiment or anchor.experiment, [home.experiments])
        ensure_registry(home)
        summary = run(
            experiment,
            ensure_judge(home, self.judge),
            [frozen_items(home.anchors, anchor)],
            journal_root=journal_of(home.anchors, anchor),
            budget_usd=self.budget_usd,
            prompts_folder=home.prompts,
            judges_file=home.judges_file,
            prices=load_prices(home.prices_file),
            wave=Wave(wave, self.succeeds or self.judge),
        )
        say(
            f"wave {wave}: {summary.requests:,} requests, {summary.answered:,} answered now, "
            f"{summary.already_answered:,} before, {sum(summary.errors.values()):,} failed"
        )
        for line in after_failures(summary.errors):
            say(line)
        load_anchors(home)
        self.publish(home, say)
        say(f"next: rostrum decide drift --judge {self.succeeds or self.judge}")
        return 0 if summary.status == "complete" else 1


def _written_by(items: ItemSource, source: str) -> set[str]:
    """Return the speeches of one source."""
    from inference.errors import BadItems
    from inference.items import read_rows

    rows = list(read_rows(items.dataset_id, items.items_file, ("item_id", "source")))
    known = sorted({str(row["source"]) for row in rows})
    if source not in known:
        raise BadItems(
            f"anchor: no speech of '{items.dataset_id}' is of source '{source}'; there are "
            f"{', '.join(known) or 'none'}"
        )
    return {str(row["item_id"]) for row in rows if row["source"] == source}


anchor_app = typer.Typer(
    help="Freeze items and judge them again in waves: did the judge change?",
    rich_markup_mode=None,
    no_args_is_help=True,
)
add_command(anchor_app, "make", AnchorMake)
add_command(anchor_app, "run", AnchorRun)
