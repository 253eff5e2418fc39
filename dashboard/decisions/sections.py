"""What the page on decisions has: one section per topic, in the order it shows them."""

from collections.abc import Mapping

from dashboard.decisions import drift, pressure, rates, replacement, routing
from dashboard.decisions.section import Section

# By topic, as `rpt_decisions` names it.
SECTIONS: Mapping[str, Section] = {
    "replace": replacement.SECTION,
    "rate": rates.SECTION,
    "route": routing.SECTION,
    "drift": drift.SECTION,
    "pressure": pressure.SECTION,
}
