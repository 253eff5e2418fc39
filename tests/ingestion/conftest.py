"""A home with speeches in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import speeches, write_csv
from warehouse.home import Home


@pytest.fixture(scope="session")
def home_with_speeches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    path = write_csv(folder / "speeches.csv", speeches(40))
    ingest(Home(folder / "home").ensure(), "speeches", path)
    return folder / "home"


@pytest.fixture
def loaded(home_with_speeches: Path, tmp_path: Path) -> Home:
    """A home with forty speeches in it, copied: loading them for every test takes longer."""
    shutil.copytree(home_with_speeches, tmp_path / "home", dirs_exist_ok=True)
    return Home(tmp_path / "home")
