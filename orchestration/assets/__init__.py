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
# Assets that commands materialize without the others of their stage, and their modules.
_ALONE = {"metrics/audit": "audit"}


def assets_of(modules: Iterable[str] = STAGES) -> list[dg.AssetsDefinition]:
    """Return the assets of some modules; no other is imported for them."""
    found = [import_module(f"{__name__}.{module}") for module in modules]
    return [each for module in found for each in module.ASSETS]


def assets_for(keys: Iterable[str]) -> list[dg.AssetsDefinition]:
    """Return assets of which some are to be materialized, and as few others as there can be."""
    stages = {key: key.partition("/")[0] for key in keys}
    # Beside others of its stage an asset comes with them.
    whole = {stage for key, stage in stages.items() if key not in _ALONE}
    modules = [stage if stage in whole else _ALONE[key] for key, stage in stages.items()]
    return assets_of(dict.fromkeys(modules))
