"""`make check` chooses the tests that a change concerns, and starts nothing heavy for them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.changed import MOST_FILES, changed_files, commands, select_tests
from warehouse.home import PROJECT_ROOT

FILES = {
    "inference/journal.py": "",
    "inference/judges/base.py": "",
    "tests/stub.py": "",
    "tests/inference/test_journal.py": "",
    "tests/inference/test_runner.py": "from inference.judges import base, rule",
    "tests/inference/judges/test_rule.py": "import pytest\n\n\ndef test_it():\n    import inference.judges.base",
    "tests/ingestion/test_journal.py": "# inference.journal is what this reads about",
    "tests/ingestion/test_loading.py": "from stub import rows\nfrom inference.journal import read",
    "tests/ingestion/conftest.py": "",
    "tests/docs/test_links.py": "",
    "tests/requirements/test_locks.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("inference/journal.py", ["inference/test_journal", "ingestion/test_loading"]),
        ("inference/judges/base.py", ["inference/judges/test_rule", "inference/test_runner"]),
        ("tests/inference/test_journal.py", ["inference/test_journal"]),
        ("tests/stub.py", ["ingestion/test_loading"]),
        ("tests/ingestion/conftest.py", ["ingestion/test_journal", "ingestion/test_loading"]),
        ("inference/prompts/journal.txt", ["inference/test_journal"]),
        ("README.md", ["docs/test_links"]),
        ("dbt_project/models/core/fct_a.yml", ["docs/test_links"]),
        ("constraints.txt", ["requirements/test_locks"]),
        ("dbt_project/models/core/fct_a.sql", []),
    ],
)
def test_the_tests_of_a_change_are_its_namesakes_and_those_that_import_it(
    project: Path, changed: str, chosen: list[str]
) -> None:
    assert select_tests([changed], project) == [f"tests/{name}.py" for name in chosen]


def test_namesakes_come_before_importers(project: Path) -> None:
    found = select_tests(["tests/stub.py", "inference/journal.py"], project)
    assert found == ["tests/inference/test_journal.py", "tests/ingestion/test_loading.py"]


def test_what_was_committed_edited_and_added_since_main_has_changed(project: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    git("add", ".")
    git("commit", "--message", "first")
    git("checkout", "-b", "branch")
    (project / "inference" / "journal.py").write_text("committed")
    git("commit", "--all", "--message", "second")
    (project / "tests" / "stub.py").write_text("edited")
    (project / "added.py").write_text("")
    (project / "tests" / "ingestion" / "conftest.py").unlink()
    assert changed_files(project) == ["added.py", "inference/journal.py", "tests/stub.py"]


def test_only_what_changed_is_checked() -> None:
    assert set(commands([], [])) == {"style", "format"}
    found = commands(["dbt_project/macros/a.sql", "dbt_project/models/b.sql"], [])
    assert found["sql"] == ["sqlfluff", "lint", "dbt_project/models/b.sql"]
    tests = [f"tests/test_{number}.py" for number in range(99)]
    found = commands(["warehouse/home.py"], tests)
    assert set(found) == {"style", "format", "imports", "types", "tests"}
    assert found["tests"][-MOST_FILES:] == tests[:MOST_FILES]


def test_a_test_that_starts_something_heavy_is_skipped_with_the_reason(tmp_path: Path) -> None:
    bodies = [
        "import torch",
        "from dagster import asset",
        "subprocess.run(['/bin/rostrum', 'status'])",
        "subprocess.run([sys.executable, '-m', 'dbt'])",
        "subprocess.run([sys.executable, '--version'])",
    ]
    tests = [f"def test_{number}():\n    {body}\n" for number, body in enumerate(bodies)]
    (tmp_path / "test_it.py").write_text("\n".join(["import subprocess, sys", *tests]))
    words = [sys.executable, "-m", "pytest", "-p", "tests.changed", "-rs", "test_it.py"]
    environment = {"PYTHONPATH": str(PROJECT_ROOT)}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, env=environment)
    said = done.stdout.decode()
    assert "1 passed, 4 skipped" in said, said
    for reason in ("imports torch", "imports dagster", "starts rostrum", "starts dbt"):
        assert reason in said
