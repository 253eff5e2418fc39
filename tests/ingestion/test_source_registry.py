"""The registry: every source is declared once, and the help reads the declaration."""

import re
import subprocess
import sys

import pytest
from pydantic import Field

from ingestion.errors import UnknownSource
from ingestion.ingest import ingest
from ingestion.registry import Settings, sources
from warehouse.home import PROJECT_ROOT, Home


@pytest.mark.parametrize("name", sources())
def test_a_source_says_what_it_is_where_its_files_are_and_what_each_setting_means(
    name: str,
) -> None:
    found = sources()[name]
    assert found.about
    assert (found.where is None) == (name == "sample")
    assert all(each.description for each in found.settings.model_fields.values())


class _Settings(Settings):
    is_strict: bool = Field(False, description="strict")
    margin: int = Field(1, ge=0, description="margin")
    dataset: str | None = Field(None, description="name")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, _Settings()),
        ({"is_strict": "true", "margin": " 2 "}, _Settings(is_strict=True, margin=2)),
        ({"is_strict": "maybe"}, "is_strict should be a valid boolean"),
        ({"margin": "true"}, "margin should be a valid integer"),
    ],
)
def test_settings_are_read_as_the_type_of_their_field(
    given: dict[str, str], read: _Settings | str
) -> None:
    if isinstance(read, str):
        with pytest.raises(UnknownSource, match=read):
            _Settings.of(given, "x")
    else:
        assert _Settings.of(given, "x") == read


@pytest.mark.parametrize("name", [each for each in sources() if each != "sample"])
def test_a_source_needs_a_place_and_refuses_a_setting_it_does_not_have(
    home: Home, name: str
) -> None:
    for location, settings in ((None, None), ("x", {"marign": "2"})):
        with pytest.raises(UnknownSource, match=name):
            ingest(home, name, location, settings=settings)


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
