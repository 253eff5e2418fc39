"""What measures and terms mean, from the catalogue; hover texts and the glossary read it here."""

from __future__ import annotations

from functools import cache

from warehouse.catalogue import Catalogue, Measure, read_catalogue

BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "neither"}


@cache
def catalogue() -> Catalogue:
    """Return the catalogue, read once."""
    return read_catalogue()


def range_of(measure: Measure) -> str:
    """Return the least and the greatest value, as in `0 to 1`; empty if there is no bound."""
    if measure.low and measure.high:
        return f"{measure.low} to {measure.high}"
    return f"at least {measure.low}" if measure.low else measure.high and f"at most {measure.high}"
