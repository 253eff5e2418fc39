"""The home: found once, by what was said, the environment, or the project."""

from pathlib import Path

import pytest

from warehouse.home import PROJECT_ROOT, Home, find_home


def test_what_was_said_wins_over_the_environment(tmp_path: Path) -> None:
    assert find_home(tmp_path / "said") == Home((tmp_path / "said").resolve())
    assert find_home() == Home((tmp_path / "home").resolve())


def test_without_a_word_it_lies_in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSTRUM_HOME")
    assert find_home() == Home(PROJECT_ROOT / ".rostrum")
    assert (PROJECT_ROOT / "pyproject.toml").is_file()


def test_every_path_lies_inside_the_home_and_folders_are_made_twice_over(tmp_path: Path) -> None:
    home = Home(tmp_path / "deep" / "home").ensure().ensure()
    paths = {
        name: getattr(home, name)
        for name, value in vars(Home).items()
        if isinstance(value, property) and name != "is_apart"
    }
    assert len(set(paths.values())) == len(paths)
    assert all(path.is_relative_to(home.root) for path in paths.values())
    made = {name for name, path in paths.items() if path.is_dir()}
    assert {"landing", "items", "journal", "published", "inbox", "logs"} <= made
    assert not home.build_db.exists()
