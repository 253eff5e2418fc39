"""What a profile is made of: sections, and ways to the pages behind them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from dashboard.core.findings import Row
from dashboard.core.widgets import Chart


class Link(NamedTuple):
    """A way to the page behind a figure.

    Attributes:
        label: What stands on it.
        page: The page's name.
        parameters: Of its address.
    """

    label: str
    page: str
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Section:
    """One part of a profile.

    Attributes:
        title: What it asks.
        name: Name of the table in a file.
        rows: The rows behind it.
        tabled: Makes the table of them: most sections are folded, and thousands of rows take their
            time.
        missing: What to say when there are no rows.
        brief: The answer in a few words, beside the title.
        sentences: What was found.
        charts: Charts, none where nothing is known.
        links: Ways to the pages that open what is listed.
    """

    title: str
    name: str
    rows: Sequence[Row]
    tabled: Callable[[Sequence[Row]], pd.DataFrame]
    missing: str
    brief: str = ""
    sentences: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table shows them."""
        return self.tabled(self.rows)
