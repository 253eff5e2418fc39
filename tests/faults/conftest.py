"""Fixtures of the fault tests: servers that fork, input files, and a home before each stage."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.faults.harness import native
from tests.faults.harness.client import Pool
from tests.faults.harness.inputs import write_inputs
from tests.faults.harness.trial import Stage, Trials, record

# What leads up to each stage, from an empty home.
_LOADED = ("ingest_first", "import_first", "run_judges", "load_journals", "build")
_OLD = (*_LOADED, "publish_build")
_CHANGED = (*_OLD, "ingest_changed")
_RAN = (*_CHANGED, "run_judges")
# As many versions as are kept, so that publishing prunes one.
_PRUNING = (*_OLD, "publish_build", "publish_build", "ingest_changed", "build")
_BEFORE = {
    "ingest_changed": _OLD,
    "ingest_first": (),
    "import_changed": _OLD,
    "run_judges": _CHANGED,
    "analyse": (),
    "load_journals": _RAN,
    "build": (*_RAN, "load_journals"),
    "publish_build": _PRUNING,
}
STAGES = tuple(_BEFORE)
# Over 10 runs are `make soak`: then every point of every stage is tried.
FAULT_RUNS = int(os.environ.get("ROSTRUM_FAULT_RUNS", "1"))
IS_SOAK = FAULT_RUNS > 10


def sampled(points: Sequence[str], *, is_first: bool = True) -> list[int]:
    """Return the places of a stage's points to try: all in a soak, else one and its last commit."""
    if IS_SOAK:
        return list(range(len(points)))
    commits = [at for at, point in enumerate(points) if point.startswith("execute commit")]
    return sorted({len(points) * (1 if is_first else 2) // 3, *commits[-1:]}) if points else []


# The homes take a tenth of it; containers often have 64 MB.
_ROOM_BYTES = 2**30


@pytest.fixture(scope="session")
def workplace() -> Iterator[Path]:
    """A folder in memory where there is room in it: no test here needs the disk to be slow."""
    memory = Path("/dev/shm")
    is_usable = memory.is_dir() and os.access(memory, os.W_OK)
    has_room = is_usable and shutil.disk_usage(memory).free > _ROOM_BYTES
    root = memory if has_room else None
    with tempfile.TemporaryDirectory(prefix="rostrum-faults-", dir=root) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def layers(workplace: Path) -> dict[str, Path | None]:
    """The layers whose points can be reached here; the native one needs a compiler and Linux."""
    shim = native.build(workplace)
    return {"python": None} | ({"native": shim} if shim else {})


@pytest.fixture(scope="session")
def trials(workplace: Path, layers: dict[str, Path | None]) -> Iterator[Trials]:
    inputs = write_inputs(workplace / "inputs")
    pool = Pool(2, workplace / "server.log", shim=layers.get("native"))
    yield Trials(pool, inputs, workplace)
    pool.close()


@pytest.fixture(scope="session")
def stages(trials: Trials, layers: dict[str, Path | None]) -> dict[str, Stage]:
    return record_all(trials, layers)


def record_all(
    trials: Trials,
    layers: Mapping[str, Path | None],
    before: Mapping[str, tuple[str, ...]] = _BEFORE,
) -> dict[str, Stage]:
    """Make the home that each stage starts from, and record the stage there."""
    homes: dict[tuple[str, ...], Path] = {(): trials.empty().root}
    for chain in sorted(before.values(), key=len):
        for length in range(1, len(chain) + 1):
            if chain[:length] in homes:
                continue
            home = trials.copy_of(homes[chain[: length - 1]])
            outcome = trials.run(chain[length - 1], home)
            assert outcome.code == 0, outcome.error
            homes[chain[:length]] = home.root
    return {name: record(trials, name, homes[chain], layers) for name, chain in before.items()}


@pytest.fixture
def resized(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A small file system in memory, made (or resized) to the size asked for."""
    place = tmp_path / "small"
    place.mkdir()

    def mount(size: str) -> Path:
        option = f"size={size}" if not os.path.ismount(place) else f"remount,size={size}"
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(place)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")
        return place

    if shutil.which("mount") is None or os.name != "posix":
        pytest.skip("there is no mount command here")
    yield mount
    if os.path.ismount(place):
        subprocess.run(["umount", str(place)], check=True)
