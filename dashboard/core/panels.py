"""A page's views and panels as declarations: what is asked, said, drawn and listed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from dashboard.core.chart_files import behind
from dashboard.core.data import Answer
from dashboard.core.labels import Metric
from dashboard.core.tables import Column, listing
from warehouse.reader import Version

Answers = list[tuple[str, Answer]]
Ask = Callable[[Version, Any], Answer]
# The most rows of a table that are all shown, and how high it is with more, in pixels.
TALL = (8, 320)


@dataclass(frozen=True)
class Panel:
    """A mart's rows: what they are about, a chart of them, and the table.

    Attributes:
        file: Name of the downloaded table.
        columns: What stands under each heading of the table.
        heading: Stands above the panel, if it has one.
        line: What the panel is about; of a metric its line in the catalogue.
        empty: What is said where there is no row, in place of chart and table.
        command: Brings rows, where there are none.
        may_be_absent: Whether nothing at all is shown where there is no row.
        draw: Draws the rows, beside what else it is given.
        tall: The most rows of the table that are all shown, and its height with more.
    """

    file: str
    columns: Mapping[str, Column]
    heading: str = ""
    line: str | Metric = ""
    empty: str = ""
    command: str = ""
    may_be_absent: bool = False
    draw: Callable[..., object] | None = None
    tall: tuple[int, int] | None = TALL

    def show(self, answer: Answer, *more: Any) -> None:
        """Show the panel.

        Args:
            answer: The rows.
            more: What is drawn takes it beside them.
        """
        rows = answer.rows
        if not rows and self.may_be_absent:
            return
        if self.heading:
            st.subheader(self.heading, anchor=False)
        if self.line:
            st.caption(self.line if isinstance(self.line, str) else self.line.line)
        if not rows and self.empty:
            missing(self.empty, self.command)
            return
        if self.draw is not None:
            with behind(answer, *more):
                self.draw(rows, *more)
        listing(rows, self.columns, raw=answer, name=self.file, tall=self.tall)


def missing(text: str, command: str = "") -> None:
    """Say what is missing, and the command that brings it."""
    st.markdown(text)
    if command:
        st.code(command, language="shell")


class View(NamedTuple):
    """One of a page's views side by side.

    Attributes:
        name: As it stands on its button.
        draw: Draws it: takes what the page has seen already, and the answers. It may return what
            else it asked.
        asks: What it asks for, by the name of each query.
    """

    name: str
    draw: Callable[..., Answers | None]
    asks: Mapping[str, Ask] = {}

    def show(self, version: Version, scope: Any, seen: Any) -> Answers:
        """Ask for what the view needs, draw it, and return what was asked.

        Args:
            scope: What was chosen on the page.
            seen: What the page has seen already.
        """
        asked = {name: ask(version, scope) for name, ask in self.asks.items()}
        more = self.draw(seen, *asked.values())
        return [*asked.items(), *(more or [])]
