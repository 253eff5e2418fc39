"""What the page on speeches has beside agreement with people: one drawing per tab, by its name."""

from collections.abc import Mapping

from dashboard.core.panels import View
from dashboard.speeches import ensembles, reasons, severity, size
from dashboard.speeches.crowd import panels as crowd
from dashboard.speeches.speakers import panels as speakers

TABS: Mapping[str, View] = {
    "reasons": View("reasons first", reasons.draw),
    "size": View("size and family", size.draw),
    "severity": View("severity", severity.draw),
    "ensembles": View("ensembles", ensembles.draw),
    "crowd": View("the crowd", crowd.draw),
    "speakers": View("models as speakers", speakers.draw),
}
