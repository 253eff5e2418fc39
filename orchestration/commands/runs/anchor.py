"""What `rostrum anchor` does: freeze items, and have a judge say again what it says of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from orchestration.console import Say, State, say
from orchestration.operation import Build
from warehouse.home import Home

if TYPE_CHECKING:
    from inference.items import ItemSource

app = typer.Typer(
    help="Freeze items and judge them again in waves: did the judge change?",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command(epilog="Example: rostrum anchor make spring speech-score --dataset sample --size 60")
def make(
    name: str = typer.Argument(help="What the set is called."),
    experiment: str = typer.Argument(help="How its items are asked about."),
    dataset: str = typer.Option(help="The data set its items come from."),
    size: int | None = typer.Option(None, min=1, help="How many items; all unless given."),
    source: str | None = typer.Option(
        None, help="Only speeches of this source: the outputs of one system."
    ),
    follows: str | None = typer.Option(
        None, help="The set of an earlier version of the system whose outputs these are."
    ),
) -> None:
    """Freeze items of a data set, drawn at random by the experiment's seed."""
    count = make_set(State.home, name, experiment, dataset, size, source, follows)
    say(f"anchor set {name}: {count:,} items of {dataset} frozen; judge them with")
    say(f"  rostrum anchor run {name} --judge JUDGE")


def make_set(
    home: Home,
    name: str,
    experiment: str,
    dataset: str,
    size: int | None,
    source: str | None = None,
    follows: str | None = None,
) -> int:
    """Freeze items, and return how many."""
    from inference.anchors import freeze, read_set
    from inference.experiments import load_experiment
    from inference.items import find_item_sources

    home.ensure()
    asked = load_experiment(experiment, [home.experiments])
    if follows is not None:
        read_set(home.anchors, follows)
    found = find_item_sources(home.items, [dataset])[0]
    only = None if source is None else _written_by(found, source)
    made = freeze(home.anchors, name, asked, found, size=size, only=only, follows=follows)
    return len(made.items)


@app.command(epilog="Example: rostrum anchor run spring --judge openai/gpt-4.1-mini")
def run(
    name: str = typer.Argument(help="The set."),
    judge: str = typer.Option(help="The judge, as provider/model."),
    wave: str | None = typer.Option(
        None, help="What this time is called, such as the model's version; today's date if not."
    ),
    succeeds: str | None = typer.Option(
        None, help="The judge that this one is the next version of: they are compared."
    ),
    experiment: str | None = typer.Option(
        None, help="Another way of asking, such as a new prompt; the set's own unless given."
    ),
    budget: float | None = typer.Option(
        None, min=0, help="Stop before the wave has cost more dollars than this."
    ),
    build: Build = True,
) -> None:
    """Ask a judge about every item of a set anew, and say whether it changed."""
    ended = run_wave(State.home, name, judge, wave, succeeds, experiment, budget, build, say)
    raise typer.Exit(ended)


def run_wave(
    home: Home,
    name: str,
    judge: str,
    wave: str | None,
    succeeds: str | None,
    experiment: str | None,
    budget: float | None,
    is_built: bool,
    say: Say,
) -> int:
    """Run a wave, load it, and return the exit code."""
    from inference.anchors import check_name, frozen_items, journal_of, read_set
    from inference.experiments import load_experiment
    from inference.plan import Wave
    from inference.prices import load_prices
    from inference.registry import check_judge_id
    from inference.runner import run as ask
    from ingestion.anchors import load_anchors
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.runs.run import after_failures
    from orchestration.registry import ensure_judge, ensure_registry

    check_judge_id(judge)
    anchor = read_set(home.ensure().anchors, name)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    named = check_name(wave or today, "wave")
    asked = load_experiment(experiment or anchor.experiment, [home.experiments])
    ensure_registry(home)
    spec = ensure_judge(home, judge)
    summary = ask(
        asked,
        spec,
        [frozen_items(home.anchors, anchor)],
        journal_root=journal_of(home.anchors, anchor),
        budget_usd=budget,
        prompts_folder=home.prompts,
        judges_file=home.judges_file,
        prices=load_prices(home.prices_file),
        wave=Wave(named, succeeds or judge),
    )
    say(
        f"wave {named}: {summary.requests:,} requests, {summary.answered:,} answered now, "
        f"{summary.already_answered:,} before, {sum(summary.errors.values()):,} failed"
    )
    for line in after_failures(summary.errors):
        say(line)
    load_anchors(home)
    publish_loaded(home, say, is_wanted=is_built)
    say(f"next: rostrum decide drift --judge {succeeds or judge}")
    return 0 if summary.status == "complete" else 1


def _written_by(found: ItemSource, source: str) -> set[str]:
    """Return the speeches of one source."""
    from inference.errors import BadItems
    from inference.items import read_rows

    rows = list(read_rows(found.dataset_id, found.items_file, ("item_id", "source")))
    there = sorted({str(row["source"]) for row in rows})
    if source not in there:
        raise BadItems(
            f"anchor: no speech of '{found.dataset_id}' is of source '{source}'; there are "
            f"{', '.join(there) or 'none'}"
        )
    return {str(row["item_id"]) for row in rows if row["source"] == source}
