"""What a profile is made of: sections, and ways to the pages behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

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
        table: The rows behind it; empty where there are none.
        missing: What to say when the table is empty.
        brief: The answer in a few words, beside the title.
        sentences: What was found.
        charts: Charts, none where nothing is known.
        links: Ways to the pages that open what is listed.
    """

    title: str
    name: str
    table: pd.DataFrame
    missing: str
    brief: str = ""
    sentences: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
