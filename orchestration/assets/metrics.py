"""Metrics: the dbt project as assets, its tests as asset checks, and the audit of each build."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from orchestration.assets.audit import (
    OPERATION,
    audit_spec,
    build_metrics,
    model_key,
    tested_by,
)
from orchestration.builds.dbt import ensure_manifest, read_manifest
from orchestration.loading_assets import loaders_of
from warehouse.fingerprints import audited_nodes, parents_of
from warehouse.home import find_home


def _model_specs(manifest: Mapping[str, Any]) -> Iterator[dg.AssetSpec]:
    """Make assets of models and seeds, hung on what writes the raw tables."""
    for node in audited_nodes(manifest).values():
        kind = node["resource_type"]
        if kind == "test":
            continue
        yield dg.AssetSpec(
            model_key(node),
            deps=list(dict.fromkeys(_read_by(node, manifest))),
            description=f"{node['description']}\n\n```sql\n{node.get('raw_code', '')}\n```",
            # Models by their folder, which is their subject or layer, and seeds apart.
            group_name=f"metrics_{'settings' if kind == 'seed' else node['fqn'][1]}",
            kinds={"dbt", "duckdb"},
            metadata={
                "dagster/table_name": f"{node['database']}.{node['schema']}.{node['alias']}",
            },
        )


def _read_by(node: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[dg.AssetKey]:
    for name in parents_of(node):
        if name in manifest["sources"]:
            yield from loaders_of(manifest["sources"][name]["name"])
        else:
            yield model_key(manifest["nodes"][name])


def _check_specs(manifest: Mapping[str, Any]) -> Iterator[dg.AssetCheckSpec]:
    nodes = audited_nodes(manifest)
    for node in nodes.values():
        if node["resource_type"] == "test" and (tested := tested_by(node)) in nodes:
            yield dg.AssetCheckSpec(node["name"], asset=model_key(nodes[tested]), blocking=True)


_MANIFEST = read_manifest(ensure_manifest(find_home().ensure()))

metrics = dg.multi_asset(
    specs=[*_model_specs(_MANIFEST), audit_spec(_MANIFEST)],
    check_specs=list(_check_specs(_MANIFEST)),
    can_subset=True,
    name=OPERATION,
)(build_metrics)

ASSETS = [metrics]
