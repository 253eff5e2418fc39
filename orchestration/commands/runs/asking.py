"""Commands that ask judges, or say what asking them would cost.

The command line registers them among the others.
"""

from typing import Annotated

import typer

from orchestration.console import OUT, State, say
from orchestration.operation import Build
from orchestration.result_files import write_text

ExperimentName = Annotated[
    str, typer.Argument(help="speech-score, debate-winner, or another (docs/experiments.md).")
]
JudgeId = Annotated[str, typer.Option(help="The judge, as provider/model.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask about this many items at most.")]
Datasets = Annotated[list[str] | None, typer.Option(help="Data set to run on. Repeatable.")]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Ask anew what was answered before, in a run of its own.")
]

FORMATS = ("table", "json")
Format = Annotated[
    str, typer.Option("--format", help="table for people; json for programs, without any key.")
]


def is_json(file_format: str) -> bool:
    """Whether a listing is wanted as JSON; anything but the two formats is wrong usage."""
    if file_format not in FORMATS:
        raise typer.BadParameter(f"--format is one of {', '.join(FORMATS)}, not {file_format}")
    return file_format == "json"


def run(
    experiment: ExperimentName,
    judge: JudgeId,
    limit: Limit = None,
    dataset: Datasets = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0, help="Stop before the run has cost more dollars than this, over all its starts."
        ),
    ] = None,
    fresh: Fresh = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be asked and cost; send nothing.")
    ] = False,
    build: Build = True,
    shards: Annotated[
        int | None, typer.Option(min=1, help="Split the run over this many workers.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Where workers run: ray, or ray://HOST:PORT; processes here if absent."),
    ] = None,
) -> None:
    """Run an experiment with a judge, going on where an earlier run stopped, and publish."""
    if dry_run:
        plan(experiment, judge, limit=limit, dataset=dataset, fresh=fresh)
        return
    from orchestration.commands.runs import run as commands

    split = None
    if shards is not None or on is not None:
        from inference.shards.asking import Shards

        split = Shards(shards or 1, on)
    raise typer.Exit(
        commands.run(
            State.home,
            experiment,
            judge,
            limit=limit,
            datasets=dataset or [],
            budget_usd=budget,
            is_fresh=fresh,
            is_built=build,
            shards=split,
            say=say,
        )
    )


def plan(
    experiment: Annotated[
        str,
        typer.Argument(
            help="An experiment; or labels: how many labels of people a mean or share needs."
        ),
    ],
    judge: Annotated[
        str | None, typer.Option(help="The judge, as provider/model; of labels all if absent.")
    ] = None,
    limit: Limit = None,
    dataset: Datasets = None,
    fresh: Fresh = False,
    file_format: Format = "table",
    half_width: Annotated[
        float | None, typer.Option(help="labels: half of the 95 % interval that is wanted.")
    ] = None,
    items: Annotated[
        int | None, typer.Option(min=2, help="labels: items that the judge answers.")
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option(min=0, help="labels: spread of the labels, instead of a pilot's."),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(min=-1, max=1, help="labels: of labels and judge, instead of a pilot's."),
    ] = None,
) -> None:
    """Show the requests, tokens and cost to come, and of verdicts what could be found.

    Nothing is sent. With 'labels': how many labels of people an estimate needs.
    """
    if experiment == "labels":
        if half_width is None or half_width <= 0:
            raise typer.BadParameter("plan labels needs --half-width, such as 0.03, above 0")
        from orchestration.commands.runs.label_plan import show_label_plan

        show_label_plan(
            State.home, half_width, judge, items=items, sd=sd, correlation=correlation, out=OUT
        )
        return
    if judge is None:
        raise typer.BadParameter("plan needs --judge; 'rostrum judges' lists them")
    if is_json(file_format):
        from orchestration.commands.runs.facts import as_json, plan_facts

        facts = plan_facts(
            State.home, experiment, judge, limit=limit, datasets=dataset or [], fresh=fresh
        )
        write_text(as_json(facts))
        return
    from orchestration.commands.runs.plan import plan_and_show

    plan_and_show(
        State.home, experiment, judge, limit=limit, datasets=dataset or [], fresh=fresh, out=OUT
    )


def experiments(
    judge: Annotated[
        str | None, typer.Option(help="Show what each would ask this judge, and cost.")
    ] = None,
    dataset: Datasets = None,
    file_format: Format = "table",
) -> None:
    """List all experiments with what each asks; with a judge, its requests and cost to come.

    Nothing is sent.
    """
    if is_json(file_format):
        if judge is not None or dataset:
            raise typer.BadParameter(
                "--format json lists experiments; for what one asks of a judge: rostrum plan "
                "EXPERIMENT --judge JUDGE --format json"
            )
        from orchestration.commands.runs.facts import as_json, experiment_facts

        write_text(as_json(experiment_facts(State.home)))
        return
    from orchestration.commands.runs.plan import show_experiments

    show_experiments(State.home, judge, dataset or [], OUT)


def request(
    request_id: Annotated[
        str, typer.Argument(help="The request, or an answer to it (request_id of dim_response).")
    ],
) -> None:
    """Print one request as JSON: the prompt as sent, every try, and what came back.

    Nothing is sent.
    """
    import json

    from orchestration.commands.reports.request import request_trace

    typer.echo(json.dumps(request_trace(State.home, request_id), indent=1))


def tournament(
    name: Annotated[
        str, typer.Argument(help="A tournament's file, or sample-tournament (docs/oversight.md).")
    ],
    limit: Annotated[
        int | None, typer.Option(min=1, help="Debate this many questions of each sort at most.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0, help="Stop before it has cost more dollars than this, over all its starts."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be held and cost; send nothing.")
    ] = False,
    build: Build = True,
) -> None:
    """Let debaters meet each other round by round, going on where it stopped, and publish."""
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.runs import tournament as holding

    code = holding.tournament(
        State.home, name, limit=limit, budget_usd=budget, is_dry=dry_run, say=say
    )
    if not dry_run:
        publish_loaded(State.home, say, is_wanted=build)
    raise typer.Exit(code)
