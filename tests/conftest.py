"""Fixtures every test may use: a temporary home, a demo built once, and the public data pack."""

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import cache, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest
from filelock import FileLock
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from tests.command_server import SERVER
from tests.small_project import models_of, read_manifest, write_small_project
from warehouse import build_file, writer
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import connect, current_version

ROSTRUM = Path(sys.executable).with_name("rostrum")
# Files that wait most of their time: for servers, leases, a browser. At most two are under way at
# once, so that the other workers keep the processors busy.
_WAITING = (
    "test_shards.py",
    "test_builds_with_dbt.py",
    "test_web_launch.py",
    "test_journeys.py",
    "test_dashboard.py",
    "test_command_line.py",
    "test_serve.py",
    "test_serve_stopping.py",
    "test_secrets.py",
)
_WAITING_AT_ONCE = 2
# Files that take longest go first, so that no worker is left alone with them at the end: one that
# builds the demo, those that wait, then those that do without the demo, until it is there. In the
# sweeps one file takes as long as all others.
_LONGEST_FIRST = (
    "test_faults_on_lake.py",
    "test_reparsing.py",
    *_WAITING,
    "faults",
    "ingestion",
    "test_unit_tests.py",
    "replication",
    "orchestration",
    "dbt_project",
    "docs",
)
# One worker does for all of them what takes long: records the same stages, or imports torch.
_TOGETHER = {
    "faults": ("test_kills.py", "test_full_disk.py", "test_two_writers.py"),
    "torch": (
        "test_curation_tools.py",
        "test_embeddings.py",
        "test_local.py",
        "test_local_answers.py",
        "test_local_likelihood.py",
        "test_local_serve.py",
        "test_perplexity.py",
    ),
}
# Property tests that name no number of examples take the profile's. In CI the examples are the same
# each time, so that a change is judged by itself; elsewhere they are drawn anew.
settings.register_profile("test", max_examples=20, deadline=None, derandomize="CI" in os.environ)
settings.register_profile("soak", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("ROSTRUM_HYPOTHESIS", "test"))
_MEMORY = Path("/dev/shm")
# Files take 5 GB at once, as those of a test that passed are removed, and four workers another 6.
_ROOM_BYTES = 12 * 2**30


def pytest_configure() -> None:
    """Keep the tests' files in memory where there is room: they write 16 GB and wait for the disk."""
    if not (_MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)):
        return
    room = min(shutil.disk_usage(_MEMORY).free, psutil.virtual_memory().available)
    if room > _ROOM_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def pytest_sessionstart() -> None:
    """Let DuckDB run in one thread in the tests' own processes, but for the sweeps.

    Threads that find nothing to do in a few rows wait by running, for a twelfth of the time. What
    runs in a process of its own, such as commands, builds and servers, keeps its threads.
    """
    if settings.get_current_profile_name() == "soak":
        return
    usual = duckdb.connect

    @wraps(usual)
    def connect(*given: Any, **named: Any) -> duckdb.DuckDBPyConnection:
        connection = usual(*given, **named)
        # An instance that is open already may have closed its settings off.
        with suppress(duckdb.Error):
            connection.execute("set threads = 1")
        return connection

    duckdb.connect = connect


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests by file and folder; within one they stay as they were.

    Those marked `scale` are skipped where a module that they name is missing, and left to `make
    test-scale` by a choice of marks that does not name them.
    """
    choice = config.getoption("markexpr")
    for item in items:
        for mark in item.iter_markers("scale"):
            missing = [name for name in mark.args if find_spec(name) is None]
            if missing:
                reason = f"needs {', '.join(missing)}, which make test-scale installs"
                item.add_marker(pytest.mark.skip(reason=reason))
            elif choice and "scale" not in choice:
                item.add_marker(pytest.mark.skip(reason="run by make test-scale"))
    rank = {name: place for place, name in enumerate(_LONGEST_FIRST)}
    last = len(rank)
    items.sort(
        key=lambda item: min(rank.get(item.path.name, last), rank.get(item.path.parent.name, last))
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while modules are imported: there is hardly any."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave what was imported out of every search for garbage: a million objects."""
    gc.collect()
    gc.freeze()


class _ByFile(LoadFileScheduling):
    """Gives each worker whole files, and one worker those that share what takes long to make."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", maxsplit=1)[0]
        return next((group for group, files in _TOGETHER.items() if file.endswith(files)), file)

    def _assign_work_unit(self, node: Any) -> None:
        """Give a worker the next file; of those that wait, none while two are under way."""
        under_way = [
            scope
            for units in self.assigned_work.values()
            for scope, unit in units.items()
            if scope.endswith(_WAITING) and not all(unit.values())
        ]
        if len(under_way) >= _WAITING_AT_ONCE:
            others = (scope for scope in self.workqueue if not scope.endswith(_WAITING))
            first = next(others, None) or next(iter(self.workqueue))
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _ByFile:
    """Return what deals the tests out to the workers."""
    return _ByFile(config, log)


@pytest.fixture(autouse=True)
def _no_ambient_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test may touch the developer's own home, or spend the developer's own key."""
    monkeypatch.setenv("ROSTRUM_HOME", str(tmp_path / "home"))
    tokens = ("_API_KEY", "HF_TOKEN")
    for name in [name for name in os.environ if name.endswith(tokens)]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def _empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Return an empty warehouse of today's schema, made when first asked for."""

    @cache
    def made() -> Path:
        home = Home(tmp_path_factory.mktemp("empty")).ensure()
        with writer.open_writer(home, "tests"):
            return home.build_db

    return made


@pytest.fixture(autouse=True)
def _begin_migrated(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    _empty_warehouse: Callable[[], Path],
) -> None:
    """Let new homes begin with a copy, but where making a warehouse is what is tested."""
    if request.path.parent.name in ("warehouse", "faults"):
        return
    create = build_file.create

    def copy(path: Path) -> None:
        if path.exists():
            return
        monkeypatch.setattr(build_file, "create", create)
        template = _empty_warehouse()
        monkeypatch.setattr(build_file, "create", copy)
        shutil.copyfile(template, path)

    monkeypatch.setattr(build_file, "create", copy)


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


# What those tests read that build, without what takes long.
_SMALL_MARTS = (
    "rpt_rank_agreement",
    "rpt_rater_agreement",
    "fct_score",
    "dim_item",
    "dim_judge",
    "dim_run",
    "rpt_run_health",
)
# What a command looks into, in the place of models of every subject.
_STUBS = {
    "rpt_run_health": "select run_id, status, started_at, 0 as answered_count, "
    "0 as unparsed_count, 0 as error_count, 0.0 as cost_usd from {{ ref('dim_run') }}"
}


@pytest.fixture(scope="session", autouse=True)
def _commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Say where the server of commands may write, and end it."""
    SERVER.folder = tmp_path_factory.mktemp("commands")
    yield
    SERVER.close()


def run_rostrum(
    home: Home,
    *arguments: str,
    env: dict[str, str] | None = None,
    timeout: float = 900,
    project: Path = PROJECT_ROOT,
    call: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, forked from one that has imported everything.

    Args:
        home: The home.
        arguments: The command with its arguments.
        env: What its environment has besides this one's.
        timeout: Seconds after which it is killed.
        project: The product's folder, where it is another than this one.
        call: A function as `module:name` to call in the place of a command.
    """
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ = kept | {"ROSTRUM_HOME": str(home.root)} | (env or {})
    words = arguments if call else ("--home", str(home.root), *arguments)
    return SERVER.run(project, list(words), environ, timeout, call)


def start_rostrum(home: Home, *arguments: str, timeout: float) -> subprocess.CompletedProcess[str]:
    """Run the command that is installed, as a user would."""
    return subprocess.run(
        [str(ROSTRUM), "--home", str(home.root), *arguments],
        env=os.environ | {"ROSTRUM_HOME": str(home.root)},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


def once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that the first worker to ask for it makes, and all share."""
    base = tmp_path_factory.getbasetemp()
    root = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    is_built = root / name / "is_built"
    with FileLock(root / f"{name}.lock"):
        if not is_built.exists():
            # What another worker failed to make may lie there.
            shutil.rmtree(root / name, ignore_errors=True)
            make(root / name)
            is_built.touch()
    return root / name


@pytest.fixture(scope="session")
def built_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """The demo, built once by its own command. Read only: copy it with `demo_copy` to change it."""

    def build(folder: Path) -> None:
        done = start_rostrum(Home(folder / "home"), "demo", "--no-serve", timeout=1500)
        assert done.returncode == 0, done.stdout + done.stderr

    home = Home(once(tmp_path_factory, "demo", build) / "home")
    # Who opens a version that nobody has open reads the catalogue of its 200 tables.
    with connect(current_version(home), can_search=True):
        yield home


@pytest.fixture(scope="session")
def small_project(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product with a few marts, for tests that build. Beside it, a home it has built."""

    def build(folder: Path) -> None:
        manifest = read_manifest(built_demo.dbt_target / "manifest.json")
        project = write_small_project(folder / "project", manifest, _SMALL_MARTS, _STUBS)
        home = Home(folder / "home")
        shutil.copytree(built_demo.root, home.root, symlinks=True)
        shutil.rmtree(home.dbt_target)
        with duckdb.connect(str(home.build_db)) as connection:
            tables = connection.execute(
                "select schema_name, table_name from duckdb_tables() "
                "where schema_name in ('marts', 'intermediate', 'seeds')"
            ).fetchall()
            # One that is wanted goes, too: else there would be nothing to build.
            wanted = models_of(project) - {_SMALL_MARTS[0]}
            for schema, table in tables:
                if table not in wanted:
                    connection.execute(f'drop table "{schema}"."{table}" cascade')
        done = run_rostrum(home, "build", project=project)
        assert done.returncode == 0, done.stdout + done.stderr

    return once(tmp_path_factory, "small", build) / "project"


@pytest.fixture(scope="module")
def small_home(small_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home of a module's own with the data of the demo, built by the small project."""
    target = tmp_path_factory.mktemp("small") / "home"
    shutil.copytree(small_project.parent / "home", target, symlinks=True)
    return Home(target)


@pytest.fixture
def demo_copy(built_demo: Home, tmp_path: Path) -> Callable[[], Home]:
    """Makes copies of the built demo that a test may change."""

    def copy() -> Home:
        target = tmp_path / "copied_home"
        shutil.copytree(built_demo.root, target, symlinks=True)
        # Dagster's own settings name its folder; the next command writes them anew.
        return Home(target)

    return copy
