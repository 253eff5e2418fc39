"""What the servers must find: the instance's settings, the manifest, and every partition."""

from __future__ import annotations

from orchestration.dbt import ensure_manifest
from orchestration.instance import open_instance
from orchestration.registry import ensure_registry, sync_partitions
from warehouse.home import Home


def prepare(home: Home) -> None:
    """Make a home ready to be served."""
    home.ensure()
    ensure_registry(home)
    ensure_manifest(home)
    with open_instance(home) as instance:
        sync_partitions(home, instance)
