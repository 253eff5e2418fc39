"""The product imports what pyproject.toml declares, and declares what it imports."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from warehouse.home import PROJECT_ROOT

PROJECT = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PACKAGES = ("dashboard", "inference", "ingestion", "orchestration", "warehouse")
# Run as programs or loaded by another's name.
NEVER_IMPORTED = {
    "dagster-webserver",
    "dbt-core",
    "dbt-duckdb",
    "defusedxml",
    "duckdb-extension-fts",
}


def names_of(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(each).name) for each in requirements}


def imported(path: Path) -> set[str]:
    """The top-level modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return {name.partition(".")[0] for name in found}


def test_every_declared_package_is_imported_and_every_imported_one_is_declared() -> None:
    files = [path for package in PACKAGES for path in (PROJECT_ROOT / package).rglob("*.py")]
    modules = set().union(*map(imported, files)) - set(PACKAGES) - set(sys.stdlib_module_names)
    # Where an extra is not installed, nothing says which package a module of another name is of.
    of_module = {"psycopg2": ["psycopg2-binary"], **packages_distributions()}
    used = {
        canonicalize_name(of_module.get(module, [module])[0].replace("_", "-"))
        for module in modules
    }
    extras = PROJECT["optional-dependencies"]
    optional = names_of([*extras["local"], *extras["metrics"]])
    # Of these, settings of Dagster, DuckDB and Streamlit name most.
    named = names_of([each for extra in ("lake", "store", "ray", "team") for each in extras[extra]])
    declared = names_of(PROJECT["dependencies"])
    assert used - optional - named - declared == set(), (
        "declare it in pyproject.toml, then run 'make lock'"
    )
    assert (declared | optional) - used - NEVER_IMPORTED == set(), "nothing imports it"
