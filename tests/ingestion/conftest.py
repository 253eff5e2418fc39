"""Homes to load into. Each is a copy: creating the tables of raw takes a second.

A test's own is kept open: whoever opens a closed one reads the whole catalogue, and writes it again
where anything changed, which takes three times as long as a small load.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import speeches, write_csv
from tests.ingestion.question_files import load, questions
from warehouse.home import Home
from warehouse.writer import open_writer

NewHome = Callable[[Path], Home]


def _copied(template: Path) -> NewHome:
    def copy(root: Path) -> Home:
        shutil.copytree(template, root, dirs_exist_ok=True)
        return Home(root)

    return copy


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> NewHome:
    """Makes an empty home with all tables in a folder."""
    home = Home(tmp_path_factory.mktemp("empty") / "home").ensure()
    with open_writer(home, "create the tables"):
        pass
    return _copied(home.root)


@pytest.fixture(scope="session")
def new_home_with_speeches(new_home: NewHome, tmp_path_factory: pytest.TempPathFactory) -> NewHome:
    """Makes a home with forty speeches in a folder."""
    folder = tmp_path_factory.mktemp("template")
    home = new_home(folder / "home")
    ingest(home, "speeches", write_csv(folder / "speeches.csv", speeches(40)))
    return _copied(home.root)


@pytest.fixture(scope="session")
def new_home_with_sample(new_home: NewHome, tmp_path_factory: pytest.TempPathFactory) -> NewHome:
    """Makes a home with the bundled sample in a folder."""
    home = new_home(tmp_path_factory.mktemp("sample") / "home")
    ingest(home, "sample")
    return _copied(home.root)


@contextmanager
def _kept_open(home: Home) -> Iterator[Home]:
    with duckdb.connect(str(home.build_db)):
        yield home


@pytest.fixture
def home(new_home: NewHome, tmp_path: Path) -> Iterator[Home]:
    """An empty home of this test's own."""
    with _kept_open(new_home(tmp_path / "home")) as home:
        yield home


@pytest.fixture
def loaded(new_home_with_speeches: NewHome, tmp_path: Path) -> Iterator[Home]:
    """A home of this test's own with forty speeches in it."""
    with _kept_open(new_home_with_speeches(tmp_path / "home")) as home:
        yield home


@pytest.fixture
def sampled(new_home_with_sample: NewHome, tmp_path: Path) -> Iterator[Home]:
    """A home of this test's own with the bundled sample in it."""
    with _kept_open(new_home_with_sample(tmp_path / "home")) as home:
        yield home


@pytest.fixture
def asked(home: Home, tmp_path: Path) -> Home:
    """A home of this test's own with four debatable questions in it."""
    load(home, tmp_path, questions())
    return home
