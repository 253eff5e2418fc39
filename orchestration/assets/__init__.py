"""Dagster assets, a module per stage. Thin: each calls one plain function and says how it went."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import dagster as dg

# The first part of an asset's key names its module, whose `ASSETS` are all there are.
STAGES = (
    "sources",
    "curation",
    "transcripts",
    "key_points",
    "model_runs",
    "oversight",
    "metrics",
    "published",
)


def assets_of(stages: Iterable[str] = STAGES) -> list[dg.AssetsDefinition]:
    """Return the assets of some stages; no module of another stage is imported for them.

    Args:
        stages: Names of stages; all when not given.
    """
    modules = [import_module(f"{__name__}.{stage}") for stage in stages]
    return [each for module in modules for each in module.ASSETS]
