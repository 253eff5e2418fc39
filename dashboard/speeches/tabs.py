"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard.core.selection import Selection
from dashboard.speeches import crowd as speech_crowd
from dashboard.speeches import ensembles as speech_ensembles
from dashboard.speeches import reasons as speech_reasons
from dashboard.speeches import severity as speech_severity
from dashboard.speeches import size as speech_size
from dashboard.speeches import speakers as speech_speakers
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
    "reasons": Tab("reasons first", speech_reasons.draw),
    "size": Tab("size and family", speech_size.draw),
    "severity": Tab("severity", speech_severity.draw),
    "ensembles": Tab("ensembles", speech_ensembles.draw),
    "crowd": Tab("the crowd", speech_crowd.draw),
    "speakers": Tab("models as speakers", speech_speakers.draw),
}
