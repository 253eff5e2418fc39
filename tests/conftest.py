"""Fixtures every test may use: a temporary home, a demo built once, and the public data pack."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from warehouse.home import PROJECT_ROOT, Home

ROSTRUM = Path(sys.executable).with_name("rostrum")
# Files that take longest go first, so that no worker is left alone with them at the end: one that
# builds the demo, then those that do without it while others would wait for it.
_LONGEST_FIRST = (
    "test_reparsing",
    "test_builds_with_dbt",
    "test_bias_paper",
    "test_kills",
    "test_full_disk",
    "test_web_launch",
    "test_cancelling",
    "orchestration",
    "browser",
    "faults",
    "replication",
    "dbt_project",
    "docs",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by file and folder; within one they stay as they were."""
    rank = {name: place for place, name in enumerate(_LONGEST_FIRST)}
    last = len(rank)
    items.sort(
        key=lambda item: min(rank.get(item.path.stem, last), rank.get(item.path.parent.name, last))
    )


@pytest.fixture(autouse=True)
def _no_ambient_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test may touch the developer's own home, or spend the developer's own key."""
    monkeypatch.setenv("ROSTRUM_HOME", str(tmp_path / "home"))
    tokens = ("_API_KEY", "HF_TOKEN", "TABBYCAT_TOKEN")
    for name in [name for name in os.environ if name.endswith(tokens)]:
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


def run_rostrum(
    home: Home, *arguments: str, env: dict[str, str] | None = None, timeout: float = 900
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user would, in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [str(ROSTRUM), "--home", str(home.root), *arguments],
        env=kept | {"ROSTRUM_HOME": str(home.root)} | (env or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


@pytest.fixture(scope="session")
def built_demo(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The demo, built once by its own command. Read only: copy it with `demo_copy` to change it."""
    base = tmp_path_factory.getbasetemp()
    # Workers that test side by side share one.
    root = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    home, is_built = Home(root / "demo" / "home"), root / "demo" / "is_built"
    with FileLock(root / "demo.lock"):
        if not is_built.exists():
            done = run_rostrum(home, "demo", "--no-serve", timeout=1500)
            assert done.returncode == 0, done.stdout + done.stderr
            is_built.touch()
    return home


@pytest.fixture
def demo_copy(built_demo: Home, tmp_path: Path) -> Callable[[], Home]:
    """Makes copies of the built demo that a test may change."""

    def copy() -> Home:
        target = tmp_path / "copied_home"
        shutil.copytree(built_demo.root, target, symlinks=True)
        # Dagster's own settings name its folder; the next command writes them anew.
        return Home(target)

    return copy
