"""The registry: every source is declared once, and the help reads the declaration."""

import re
import subprocess
import sys
from dataclasses import fields
from inspect import signature

import pytest

from ingestion.registry import reader_named, settings_help, sources
from warehouse.home import PROJECT_ROOT

HEAVY = ("duckdb", "lxml", "numpy", "pandas", "pyarrow", "pydantic", "dagster")


def test_every_file_of_sources_declares_one() -> None:
    files = [
        path
        for path in (PROJECT_ROOT / "ingestion").glob("*/sources/*.py")
        if path.name != "__init__.py"
    ]
    assert len(files) == len(sources())
    declared = [
        re.findall(r"^@?(?:source|declare)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in files
    ]
    assert {len(each) for each in declared} == {1}


def test_what_reads_a_declared_source_is_a_function_of_home_location_and_settings() -> None:
    readers = [
        re.search(r'reader="(.+)"', path.read_text(encoding="utf-8"))
        for path in (PROJECT_ROOT / "ingestion").glob("*/sources/*.py")
    ]
    named = [found[1] for found in readers if found]
    assert named
    assert {tuple(signature(reader_named(each)).parameters) for each in named} == {
        ("home", "location", "settings")
    }


@pytest.mark.parametrize("name", sources())
def test_a_source_says_what_it_is_where_its_files_are_and_what_each_setting_means(
    name: str,
) -> None:
    found = sources()[name]
    assert found.about
    assert (found.where is None) == (name == "sample")
    assert all(each.metadata["meaning"] for each in fields(found.settings))
    assert all(each.name in settings_help() for each in fields(found.settings))


def _run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROJECT_ROOT,
        env={"COLUMNS": "200", "PYTHONPATH": str(PROJECT_ROOT)},
    )
    return done.stdout


def test_the_help_lists_every_source() -> None:
    code = "from orchestration.entry import main; main()"
    # A line may end within a name, behind its dash.
    words = re.sub(r"-\n\s+", "-", _run(code, "ingest", "--help")).replace(",", " ").split()
    assert not [name for name in sources() if name not in words]


def test_the_order_of_sources_is_the_same_whatever_was_imported_before() -> None:
    code = (
        "import ingestion.speeches.sources.speeches, ingestion.debates.sources.judgebench;"
        "from ingestion.registry import sources; print(*sources())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(sources())


def test_listing_the_sources_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ingestion.registry import settings_help; settings_help(); "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert _run(code) == "[]\n"
