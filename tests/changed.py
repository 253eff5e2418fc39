"""`make check`: linters, types, and the unit tests of what changed, in under a minute.

Changed is what differs from the merge base with main, committed or not. A test file is chosen if it
changed itself, is named after a changed file, or imports a changed module. A test that would import
or start Dagster, dbt or torch is skipped when it tries to, and so is one for which no time is left:
`make test` runs them all. Of the module, pytest uses the hooks below.
"""

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from fnmatch import fnmatch
from importlib.abc import MetaPathFinder
from pathlib import Path, PurePath
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 55
# Of these; a test that has begun is not stopped.
TEST_SECONDS = 35
# Importing more test files than these takes the time there is.
MOST_FILES = 25
LEFT_OUT = ("browser", "faults", "scale", "shared", "slow", "soak")
HEAVY = {"dagster", "dbt", "torch", "transformers"}
PROGRAMS = HEAVY | {"rostrum", "tests.command_server"}
_UNTIL = pytest.StashKey[float]()
# Tests that read files of these names instead of importing them.
READERS = {
    "tests/docs/": ("*.md", "dbt_project/*.yml", "dbt_project/*.csv"),
    "tests/requirements/": ("pyproject.toml", "constraints.txt", "Makefile", "requirements/*"),
}


def changed_files(root: Path = ROOT) -> list[str]:
    """The files that differ from the merge base with main, or that git does not know yet."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()

    bases = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    changed = git("diff", "--name-only", "--diff-filter=d", *(bases or ["HEAD"]))
    return sorted({*changed, *git("ls-files", "--others", "--exclude-standard")})


def select_tests(changed: Iterable[str], root: Path = ROOT) -> list[str]:
    """The test files of changed files: those named after them first, then those that import them.

    Of the latter, those that import least come first: they are about the change and little else.
    """
    paths = [PurePath(name) for name in changed]
    tests = {path.relative_to(root): path for path in sorted(root.glob("tests/**/test_*.py"))}
    modules = {module for path in paths if path.suffix == ".py" for module in _modules(path)}
    named = [test for test in tests if any(_is_of(test, path) for path in paths)]
    imports = {test: _imports(path, modules) for test, path in tests.items()}
    importing = sorted((test for test in tests if imports[test]), key=lambda test: imports[test])
    return [test.as_posix() for test in dict.fromkeys([*named, *importing])]


def _is_of(test: PurePath, path: PurePath) -> bool:
    """Whether a test is named after a file, is it, or lies where its readers are."""
    top = path.parts[1:2] if path.parts[0] == "tests" else path.parts[:1]
    if path.name == "conftest.py":
        return test.is_relative_to(path.parent)
    if test.parts[1:2] == top and test.stem == f"test_{path.stem.removeprefix('test_')}":
        return test == path or path.parts[0] != "tests"
    return any(
        test.as_posix().startswith(folder) and any(fnmatch(path.as_posix(), each) for each in files)
        for folder, files in READERS.items()
    )


def _modules(path: PurePath) -> set[str]:
    """What an import may call a file; tests import the modules beside them by their bare names."""
    parts = path.with_suffix("").parts
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return {dotted, parts[-1]} if parts[0] == "tests" else {dotted}


def _imports(path: Path, modules: set[str]) -> int:
    """How many names a test file imports; 0 if no changed module is among them."""
    text = path.read_text("utf-8")
    if not any(module.rpartition(".")[2] in text for module in modules):
        return 0
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return 0 if found.isdisjoint(modules) else len(found)


class _Refusal(MetaPathFinder):
    """Skips whoever imports what takes seconds to import."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in HEAVY:
            pytest.skip(f"imports {name.partition('.')[0]}", allow_module_level=True)


def _refuse_programs(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen":
        words = arguments[1] if isinstance(arguments[1], (list, tuple)) else [arguments[1]]
        # Of `python -m dbt` the third word says what it is.
        names = {PurePath(os.fsdecode(word)).name for word in words[:3]}
        if started := sorted(names & PROGRAMS):
            pytest.skip(f"starts {started[0]}")


def pytest_configure(config: pytest.Config) -> None:
    sys.meta_path.insert(0, _Refusal())
    sys.addaudithook(_refuse_programs)
    config.stash[_UNTIL] = time.monotonic() + TEST_SECONDS


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the order of the command line: nearest to the change first."""
    place = {name: number for number, name in enumerate(config.args)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], 0))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.monotonic() > item.config.stash[_UNTIL]:
        pytest.skip(f"no time left of {TEST_SECONDS} s")


def commands(changed: list[str], tests: list[str]) -> dict[str, list[str]]:
    """What checks the changed files; a check that none of them concerns is left out."""
    found = {"style": ["ruff", "check"], "format": ["ruff", "format", "--check"]}
    if any(name.endswith(".py") for name in changed):
        found |= {"imports": ["lint-imports", "--no-logo"], "types": ["mypy"]}
    # .sqlfluffignore leaves macros out.
    if models := [name for name in changed if re.match(r"dbt_project/(models|tests)/.+sql$", name)]:
        found["sql"] = ["sqlfluff", "lint", *models]
    if tests:
        marks = " and ".join(f"not {mark}" for mark in LEFT_OUT)
        plain = ["-p", "tests.changed", "-q", "-o", "addopts=-ra --strict-markers", "-m", marks]
        found["tests"] = ["pytest", *plain, *tests[:MOST_FILES]]
    return found


def main() -> int:
    """Run the checks side by side, print what each found, and return 1 if one failed."""
    begun, folder, has_failed = time.monotonic(), Path(sys.executable).parent, False
    changed = changed_files()
    tests = select_tests(changed)
    print(f"{len(changed)} files changed; {len(tests)} test files are about them", end="")
    print(f", the nearest {MOST_FILES} run" if len(tests) > MOST_FILES else "", flush=True)
    running = {
        name: subprocess.Popen(
            [str(folder / program), *words],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for name, (program, *words) in commands(changed, tests).items()
    }
    for name, process in running.items():
        try:
            output = process.communicate(timeout=max(1.0, begun + SECONDS - time.monotonic()))[0]
            # 5: pytest found no test that is not left out.
            is_good = process.returncode == 0 or (name == "tests" and process.returncode == 5)
            outcome = "ok" if is_good else "FAILED"
        except subprocess.TimeoutExpired:
            process.kill()
            output, is_good = process.communicate()[0], True
            outcome = f"not finished in {SECONDS} s: run 'make lint', or 'make check' once more"
        has_failed |= not is_good
        print(f"{name}: {outcome}")
        if name == "tests" or not is_good:
            print(output)
    print(f"{time.monotonic() - begun:.0f} s")
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
