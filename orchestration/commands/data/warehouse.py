"""What `rostrum warehouse` does: move what was loaded between the home's file and its lake."""

from typing import Literal

import typer

from orchestration.console import State, say

app = typer.Typer(
    help="Where the warehouse is: a file in the home, or a lake that many machines share.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Keep the one command under its own name."""


@app.command(epilog="Example: rostrum warehouse move --to lake")
def move(
    to: Literal["lake", "file"] = typer.Option(help="Where what was loaded goes."),
) -> None:
    """Copy what was loaded between the home's file and the lake of ROSTRUM_WAREHOUSE.

    Every raw table is compared after it is copied, and where it came from stays as it was.
    """
    from orchestration.progress import print_notice
    from warehouse.lake.move import move as moved

    rows = moved(State.home.ensure(), to_lake=to == "lake", notify=print_notice)
    say(f"{sum(rows.values()):,} rows of {len(rows)} raw tables copied to the {to}, and compared")
    setting = "with" if to == "lake" else "without"
    say(f"next: rostrum build, {setting} ROSTRUM_WAREHOUSE")
