"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.core.selection import Selection
from dashboard.speeches import crowd as speech_crowd
from dashboard.speeches import ensembles as speech_ensembles
from dashboard.speeches import reasons as speech_reasons
from dashboard.speeches import severity as speech_severity
from dashboard.speeches import size as speech_size
from dashboard.speeches import speakers as speech_speakers
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
