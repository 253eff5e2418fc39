"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard.core.selection import Selection
from dashboard.speeches import ensembles, reasons, severity, size
from dashboard.speeches.crowd import panels as crowd
from dashboard.speeches.speakers import panels as speakers
from warehouse.reader import Version


class Tab(NamedTuple):
    """One tab of the page on speeches.

    Attributes:
        name: What it is called.
        draw: Draws its finding, charts and tables over what is chosen on the page, and ends with
            how they were computed.
    """

    name: str
    draw: Callable[[Version, Selection], None]


TABS: Mapping[str, Tab] = {
    "reasons": Tab("reasons first", reasons.draw),
    "size": Tab("size and family", size.draw),
    "severity": Tab("severity", severity.draw),
    "ensembles": Tab("ensembles", ensembles.draw),
    "crowd": Tab("the crowd", crowd.draw),
    "speakers": Tab("models as speakers", speakers.draw),
}
