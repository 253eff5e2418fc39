"""A copy of the product whose dbt project has a few marts, and what they are made from.

A whole build takes a minute. What builds, publishes and serves is the same code with fewer models.
"""

import json
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from warehouse.audit import DBT_PROJECT
from warehouse.home import PROJECT_ROOT

_PACKAGES = ("dashboard", "inference", "ingestion", "orchestration", "warehouse", ".streamlit")
_OF_ALL_MODELS = ("dbt_project.yml", "profiles.yml", "macros", "plugins", "seeds/measures.csv")
_SETTINGS = ("seeds/columns.csv", "seeds/_catalogue__seeds.yml")
Manifest = Mapping[str, Any]


def write_small_project(
    folder: Path,
    manifest: Manifest,
    marts: Iterable[str],
    stubs: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Write the product with some marts, and return its folder.

    Args:
        folder: Where it is written.
        manifest: dbt's manifest of the whole project.
        marts: Names of the marts.
        stubs: SQL of models by name, in the place of their own; what it reads is named among the
            marts.
    """
    for package in _PACKAGES:
        shutil.copytree(PROJECT_ROOT / package, folder / package)
    files = {*_OF_ALL_MODELS, *_SETTINGS}
    stubbed = {f"model.rostrum.{name}": sql for name, sql in stubs.items()}
    kept = with_ancestors(manifest, marts, stubbed)
    for name in kept:
        node = manifest["nodes"].get(name) or manifest["sources"][name]
        if name in stubbed:
            target = folder / "dbt_project" / node["original_file_path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(stubbed[name], encoding="utf-8")
            continue
        files.add(node["original_file_path"])
        if node.get("patch_path"):
            files.add(node["patch_path"].partition("://")[2])
    for node in manifest["nodes"].values():
        parents = node.get("depends_on", {}).get("nodes", ())
        has_parents = kept.issuperset(parents) and stubbed.keys().isdisjoint(parents)
        if node["original_file_path"].startswith("tests/") and has_parents:
            files.add(node["original_file_path"])
    for name in sorted(files):
        source, target = DBT_PROJECT / name, folder / "dbt_project" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.name.startswith("_") and name.startswith("models/"):
            described = {each.split(".")[-1] for each in kept - stubbed.keys()}
            target.write_text(_of_models(source, described))
        else:
            shutil.copy(source, target)
    return folder


def _of_models(path: Path, models: Collection[str]) -> str:
    """Return what a file that describes many models says of some."""
    said = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    for what, named in (("models", "name"), ("unit_tests", "model")):
        if what in said:
            said[what] = [each for each in said[what] if each[named] in models]
    return yaml.safe_dump(said)


def with_ancestors(
    manifest: Manifest, models: Iterable[str], stubs: Collection[str] = ()
) -> set[str]:
    """Return the unique ids of models, and of all that they are made from but what stubs are."""
    found: set[str] = set()
    waiting = [f"model.rostrum.{name}" for name in models]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            node = manifest["nodes"].get(name) or manifest["sources"][name]
            if name not in stubs:
                waiting += node.get("depends_on", {}).get("nodes", ())
    return found


def models_of(project: Path) -> set[str]:
    """Return the names of a project's models and seeds."""
    folder = project / "dbt_project"
    found = [*(folder / "models").rglob("*.*"), *(folder / "seeds").rglob("*.csv")]
    return {path.stem for path in found if path.suffix != ".yml"}


def read_manifest(path: Path) -> dict[str, Any]:
    """Return a manifest as dbt wrote it."""
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found
