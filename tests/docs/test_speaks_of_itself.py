"""The repository speaks of itself alone, and not of how, where or by whom it was written."""

import re
from pathlib import Path

import pytest

from tests.docs.documents import project_files
from warehouse.home import PROJECT_ROOT

# Put together here, so that this file does not trip itself.
_FOLDERS = "|".join(("wo" + "rk", "ro" + "ot", "Users", "home/[a-z]+"))
# Not the paths inside an address, or below a folder of the project.
MACHINE_PATH = re.compile(rf"(?<![\w.:}}>/-])/(?:{_FOLDERS})/[\w.]")
FOREIGN_WORDS = re.compile("|".join(("sub" + "agent", r"\biss" + "ue [0-9]")), re.IGNORECASE)


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(PROJECT_ROOT)}:{number}: {line.strip()[:100]}"
        for path in project_files()
        if (text := text_of(path)) is not None
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    assert lines_with(MACHINE_PATH) == []


def test_no_file_speaks_of_how_it_was_made() -> None:
    assert lines_with(FOREIGN_WORDS) == []


@pytest.mark.parametrize(
    ("line", "is_machine_path"),
    [
        ("see /" + "wo" + "rk/notes.md", True),
        ('open("/' + "ro" + 'ot/.cache/file")', True),
        ("in /Users" + "/someone/rostrum", True),
        ("https://example.org/" + "wo" + "rk/paper.html", False),
        ("<home>/" + "wo" + "rk/file", False),
        ("network/" + "ro" + "ot/file", False),
    ],
)
def test_machine_paths_are_told_from_others(line: str, is_machine_path: bool) -> None:
    assert (MACHINE_PATH.search(line) is not None) == is_machine_path
