"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard import speech_crowd, speech_ensembles, speech_severity
from dashboard.selection import Selection
from warehouse.reader import Version

# Each draws its own finding, charts and tables over what is chosen on the page, and ends with how
# they were computed.
TABS: Mapping[str, Callable[[Version, Selection], None]] = {
    "crowd": speech_crowd.draw,
    "ensembles": speech_ensembles.draw,
    "severity": speech_severity.draw,
}
NAMES: Mapping[str, str] = {
    "crowd": "the crowd",
    "ensembles": "ensembles",
    "severity": "severity",
}
