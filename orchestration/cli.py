"""The command line. Commands that only look never import Dagster; the others run its assets."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from orchestration.commands import ingest, judges, pipelines
from orchestration.commands import serve as serving
from orchestration.commands.data import sample as sampling
from orchestration.commands.data import warehouse
from orchestration.commands.reports import sharing
from orchestration.commands.runs import anchor, asking
from orchestration.console import ERR, OUT, State, say
from orchestration.errors import NoHome
from orchestration.failures import STOPPED, exit_code, explanation, stopped, was_stopped
from orchestration.operation import Build, add_command
from warehouse.home import Home, find_home
from warehouse.lake.settings import SETTING
from warehouse.subjects import SUBJECTS

app = typer.Typer(
    help="Judge the judges of debates: ingest data, run judge models, read their agreement.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(judges.app, name="judges")
app.add_typer(anchor.app, name="anchor")
app.add_typer(warehouse.app, name="warehouse")


@app.callback()
def _options(
    home: Annotated[
        Path | None,
        typer.Option(readable=False, help="Where all state lives; ROSTRUM_HOME, else .rostrum."),
    ] = None,
) -> None:
    State.home = find_home(home)


def _need_home() -> None:
    """Refuse a home that is not there: a misspelt one is not made without a word."""
    # A machine that shares a lake may have nothing of its own yet.
    if not State.home.root.exists() and SETTING not in os.environ:
        raise NoHome(
            f"home: there is no home at {State.home.root}; name another with --home or "
            "ROSTRUM_HOME, or begin this one with 'rostrum demo' or 'rostrum ingest'"
        )


@app.command(epilog="Example: rostrum demo --no-serve")
def demo(
    serve: Annotated[
        bool, typer.Option(help="Leave the dashboard and the Dagster UI up until Ctrl-C.")
    ] = True,
) -> None:
    """Load the bundled sample, judge it offline, build, publish, and serve."""
    from orchestration.commands.demo import run_demo

    raise typer.Exit(run_demo(State.home, serve=serve, say=say))


app.add_typer(ingest.app, name="ingest")
add_command(app, "import", ingest.Import)
add_command(app, "curate", pipelines.Curate)
add_command(app, "transcribe", pipelines.Transcribe)
add_command(app, "verify", pipelines.Verify)
add_command(app, "keypoints", pipelines.KeyPoints)
app.command(epilog="Example: rostrum sample my-study --size 60 --seed 7 --out labels.csv")(
    sampling.sample
)


app.command(epilog="Example: rostrum run speech-score --judge openai/gpt-4.1-mini --limit 50")(
    asking.run
)
app.command(epilog="Example: rostrum plan speech-score --judge openai/gpt-4.1-mini")(asking.plan)
app.command(epilog="Example: rostrum request d0a00702a2df2655")(asking.request)
app.command(epilog="Example: rostrum experiments --judge openai/gpt-4.1-mini")(asking.experiments)
app.command(epilog="Example: rostrum tournament sample-tournament --dry-run")(asking.tournament)


@app.command(epilog="Example: rostrum build")
def build(
    full: Annotated[
        bool,
        typer.Option("--full", help="Build every model, also those that nothing has changed for."),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            help="Build and test one subject with what it needs, and say what changes: "
            f"{', '.join(SUBJECTS)}. Published only if nothing else is stale."
        ),
    ] = None,
) -> None:
    """Build and test the marts that what is loaded has changed, and publish them."""
    from orchestration.commands import build as commands

    if full and only is not None:
        raise typer.BadParameter("--full builds everything, --only one subject; give one of them")
    if only is None:
        commands.build(State.home, say, is_full=full)
    else:
        commands.build_subject(State.home, only, say)


@app.command(epilog="Example: rostrum replicate llm_debate_bias")
def replicate(
    paper: Annotated[
        str,
        typer.Argument(
            help="llm_debate_bias, debatable_intelligence, debatebench, persuasive_debate or "
            "alt_test."
        ),
    ] = "llm_debate_bias",
    location: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="alt_test: folder with a folder per study, each with human_annotations.json and "
            "llm_annotations.json.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every figure, not only what asks for a look.")
    ] = False,
) -> None:
    """Send a paper's printed figures through the models, and compare with what it prints.

    They are built in replication/PAPER within the home, apart from your data. Exit code 1 if a
    figure that the printed ones give comes out otherwise, or none was compared.
    """
    from orchestration.commands import build as commands

    if location is not None and paper != "alt_test":
        raise typer.BadParameter("--from is for alt_test; other papers come with their figures")
    raise typer.Exit(
        commands.replicate(State.home, paper, OUT, say, show_all=show_all, location=location)
    )


@app.command(epilog="Example: rostrum reparse --dry-run")
def reparse(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show which answers would change; write nothing.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="CSV file for every changed number, not the largest only.")
    ] = None,
    build: Build = True,
) -> None:
    """Read every stored reply again with the present parser, and show what that changes."""
    from orchestration.commands import reparse as commands

    if dry_run:
        commands.reparse_dry(State.home, OUT)
        return
    if out is not None:
        sharing.check_folder(out)
    if out is not None and not build:
        raise typer.BadParameter("--out lists what a build changes; leave out --no-build")
    file = out.expanduser().absolute() if out else None
    commands.reparse(State.home, file, OUT, say, is_built=build)


app.command(epilog="Example: rostrum compare v000001 v000002 --out changes.csv")(sharing.compare)
app.command(epilog="Example: rostrum serve --dashboard-port 9000")(serving.serve)
app.command(epilog='Example: rostrum sql "from rpt_rater_agreement" --format csv')(sharing.sql)
app.command(epilog="Example: rostrum export rpt_rank_agreement --format latex --out table.tex")(
    sharing.export
)
app.command(epilog="Example: rostrum report --subject debates --out study.html")(sharing.report)
app.command(
    epilog="Example: rostrum decide replace --judge simulated/faithful --data sample --html a.html"
)(sharing.decide)


@app.command(epilog="Example: rostrum status")
def status() -> None:
    """Show the home: versions, row counts, runs and who holds the writer lock."""
    from orchestration.commands.reports.tables import status_report

    status_report(State.home, OUT)


@app.command(epilog="Example: rostrum doctor")
def doctor() -> None:
    """Check versions, ports and which keys are set, without showing any."""
    from orchestration.commands.reports.tables import doctor_report

    raise typer.Exit(doctor_report(State.home, OUT))


# What brings something into a home, and so makes one, or needs none.
_WITHOUT_HOME = frozenset({"demo", "doctor", "replicate", "serve"})


class _AtHome(TyperCommand):
    """A command that needs a home."""

    def invoke(self, ctx: Any) -> Any:
        _need_home()
        return super().invoke(ctx)


for _command in (*app.registered_commands, *anchor.app.registered_commands):
    _name = _command.name or getattr(_command.callback, "__name__", "")
    if _command.cls is TyperCommand and _name not in _WITHOUT_HOME:
        _command.cls = _AtHome


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line.

    Exit codes: 0 done, 1 failed with a named error, 2 wrong usage, 130 stopped by Ctrl-C or TERM.
    """
    try:
        app(args=arguments)
    except BaseException as error:
        # Typer turns Ctrl-C into an exit without a word.
        if was_stopped(error):
            ERR.print(stopped(error), markup=False, highlight=False, soft_wrap=True)
            sys.exit(STOPPED)
        if isinstance(error, SystemExit):
            raise
        home: Home | None = getattr(State, "home", None)
        said = explanation(error, home.root if home else None)
        if said is None:
            raise
        ERR.print(f"error: {said}", markup=False, highlight=False, soft_wrap=True)
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
