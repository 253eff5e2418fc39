"""The command line. Commands that only look never import Dagster; the others run its assets."""

import sys
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer
from typer.core import TyperGroup

from orchestration.commands import figure_commands as figures
from orchestration.commands import ingest, judges, pipelines, run_commands, sample, serve
from orchestration.console import ERR, Say, State, print_line, say
from orchestration.failures import STOPPED, exit_code, explanation, stopped, was_stopped
from orchestration.operation import Operation, add_command, option
from warehouse.home import Home, find_home

WAREHOUSE = typer.Typer(
    help="Where the warehouse is: a file in the home, or a lake that many machines share.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@WAREHOUSE.callback()
def _group() -> None:
    """Keep the one command under its own name."""


class Move(Operation):
    """Copy what was loaded between the home's file and the lake of ROSTRUM_WAREHOUSE.

    Every raw table is compared after it is copied, and where it came from stays as it was.
    """

    example: ClassVar[str] = "warehouse move --to lake"

    to: Literal["lake", "file"] = option("Where what was loaded goes.")

    def run(self, home: Home, say: Say = say) -> None:
        """Copy the raw tables, and say how many rows there are."""
        from orchestration.progress import print_notice
        from warehouse.lake.move import move

        rows = move(home.ensure(), to_lake=self.to == "lake", notify=print_notice)
        tables = f"{sum(rows.values()):,} rows of {len(rows)} raw tables"
        say(f"{tables} copied to the {self.to}, and compared")
        setting = "with" if self.to == "lake" else "without"
        say(f"next: rostrum build, {setting} ROSTRUM_WAREHOUSE")


_COMMANDS: dict[str, dict[str, type[Operation] | typer.Typer]] = {
    "Data": {
        "ingest": ingest.app,
        "import": ingest.Import,
        "sample": sample.DrawSample,
        "curate": pipelines.Curate,
        "transcribe": pipelines.Transcribe,
        "verify": pipelines.Verify,
    },
    "Judges": {
        "judges": judges.app,
        "experiments": run_commands.Experiments,
        "plan": run_commands.Plan,
        "run": run_commands.Run,
        "anchor": run_commands.anchor_app,
        "tournament": run_commands.Tournament,
        "keypoints": pipelines.KeyPoints,
        "request": run_commands.Request,
        "reparse": figures.Reparse,
    },
    "Figures": {
        "build": figures.Build,
        "compare": figures.Compare,
        "decide": figures.Decide,
        "report": figures.Report,
        "export": figures.Export,
        "sql": figures.Sql,
        "replicate": figures.Replicate,
    },
    "Home": {
        "demo": serve.Demo,
        "serve": serve.Serve,
        "status": figures.Status,
        "doctor": figures.Doctor,
        "warehouse": WAREHOUSE,
    },
}


class _Commands(TyperGroup):
    """All commands, in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        width = max(map(len, self.commands))
        for title, names in _COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str(60))
                        for name in names
                    ]
                )


app = typer.Typer(
    cls=_Commands,
    help="Judge the judges of debates: ingest data, run judge models, read their agreement.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _options(
    home: Annotated[
        Path | None,
        typer.Option(readable=False, help="Where all state lives; ROSTRUM_HOME, else .rostrum."),
    ] = None,
) -> None:
    State.home = find_home(home)


add_command(WAREHOUSE, "move", Move)
for _group_of_commands in _COMMANDS.values():
    for _name, _command in _group_of_commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name)
        else:
            add_command(app, _name, _command)


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line.

    Exit codes: 0 done, 1 failed with a named error, 2 wrong usage, 130 stopped by Ctrl-C or TERM.
    """
    try:
        app(args=arguments)
    except BaseException as error:
        # Typer turns Ctrl-C into an exit without a word.
        if was_stopped(error):
            print_line(ERR, stopped(error))
            sys.exit(STOPPED)
        if isinstance(error, SystemExit):
            raise
        home: Home | None = getattr(State, "home", None)
        message = explanation(error, home.root if home else None)
        if message is None:
            raise
        print_line(ERR, f"error: {message}")
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
