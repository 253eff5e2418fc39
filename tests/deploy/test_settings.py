"""Settings that documents and deployments name exist, and each that exists is described."""

import re
from collections.abc import Iterable
from pathlib import Path

from warehouse.home import PROJECT_ROOT

CODE = ("dashboard", "dbt_project", "inference", "ingestion", "orchestration", "warehouse")
# What one process of Rostrum tells another that it starts.
BETWEEN_PROCESSES = {
    "ROSTRUM_BUILD_DB",
    "ROSTRUM_DAGSTER_URL",
    "ROSTRUM_DBT_PLUGINS",
    "ROSTRUM_DBT_TARGET",
    "ROSTRUM_LAKE_SNAPSHOT",
    "ROSTRUM_MADE_IN_STDIN",
    "ROSTRUM_READ_ONLY",
    "ROSTRUM_SPILL",
    "ROSTRUM_STATEMENTS",
}


def named(paths: Iterable[Path]) -> set[str]:
    return {
        name
        for path in paths
        for name in re.findall(r"\bROSTRUM_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))
    }


def test_every_setting_that_is_named_exists_and_every_one_that_exists_is_described() -> None:
    code = named(
        path
        for folder in CODE
        for path in (PROJECT_ROOT / folder).rglob("*")
        if path.suffix in (".py", ".yml", ".sql") and path.is_file()
    )
    assert code > BETWEEN_PROCESSES
    settings = code - BETWEEN_PROCESSES
    # The one that may be a secret may be in a file.
    existing = settings | {"ROSTRUM_DAGSTER_POSTGRES_FILE"}
    described = named([PROJECT_ROOT / "README.md", *(PROJECT_ROOT / "docs").glob("*.md")])
    deployed = named(path for path in (PROJECT_ROOT / "deploy").iterdir() if path.is_file())
    assert described | deployed <= existing
    assert settings <= described
