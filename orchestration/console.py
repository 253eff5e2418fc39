"""The home of a call of the command line, and its consoles."""

import sys
from collections.abc import Callable, Iterable

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.segment import Segment

from warehouse.home import Home
from warehouse.safe_text import printable


class _Escaped:
    """Something to print, without what its texts would do to the terminal."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        for segment in console.render(self._inner, options):
            # Rich's own commands to the terminal have `control`; styles are no part of the text.
            yield segment if segment.control else segment._replace(text=printable(segment.text))


class _Escaping(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Escaped(each) for each in renderables]


def terminal(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console that writes control characters out instead of sending them."""
    console = Console(stderr=stderr, width=width)
    console.push_render_hook(_Escaping())
    return console


# Into a pipe or a file a table is as wide as it needs; on a terminal, as wide as that.
OUT = terminal(width=None if sys.stdout.isatty() else 200)
ERR = terminal(stderr=True)


# Takes one sentence for the user.
Say = Callable[[str], None]


class State:
    """State of one call of the command line."""

    home: Home


def print_line(console: Console, text: str) -> None:
    """Print a line as it stands."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def say(message: str) -> None:
    """Print a line to standard output as it stands."""
    print_line(OUT, message)
