"""Fixtures every test may use: a temporary home, and the public data pack where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from warehouse.home import PROJECT_ROOT, Home


@pytest.fixture(autouse=True)
def _no_ambient_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test may touch the developer's own home, or spend the developer's own key."""
    monkeypatch.setenv("ROSTRUM_HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.endswith("_API_KEY") or name == "HF_TOKEN"]:
        monkeypatch.delenv(name)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home of this test's own."""
    return Home(tmp_path / "home").ensure()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public data pack beside the project. Users do not have it, so its tests are marked."""
    folder = PROJECT_ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data pack is not beside the project")
    return folder
