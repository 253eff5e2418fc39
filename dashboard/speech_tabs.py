"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard import (
    speech_crowd,
    speech_ensembles,
    speech_reasons,
    speech_severity,
    speech_size,
    speech_speakers,
)
from dashboard.selection import Selection
from warehouse.reader import Version

# Each draws its own finding, charts and tables over what is chosen on the page, and ends with how
# they were computed.
TABS: Mapping[str, Callable[[Version, Selection], None]] = {
    "reasons": speech_reasons.draw,
    "size": speech_size.draw,
    "severity": speech_severity.draw,
    "ensembles": speech_ensembles.draw,
    "crowd": speech_crowd.draw,
    "speakers": speech_speakers.draw,
}
NAMES: Mapping[str, str] = {
    "reasons": "reasons first",
    "size": "size and family",
    "severity": "severity",
    "ensembles": "ensembles",
    "crowd": "the crowd",
    "speakers": "models as speakers",
}
