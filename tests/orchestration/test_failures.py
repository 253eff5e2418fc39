"""A home that may not be written is a named error, whoever noticed it and however it was wrapped."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from orchestration.cli import main
from orchestration.failures import explanation


def wrapped(error: BaseException) -> BaseException:
    try:
        try:
            raise error
        except BaseException as inner:
            raise RuntimeError("(sqlite3.OperationalError) [SQL: insert into runs]") from inner
    except RuntimeError as outer:
        return outer


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_path_of_the_home_that_is_refused_is_named(tmp_path: Path, code: int) -> None:
    error = OSError(code, os.strerror(code), str(tmp_path / "landing"))
    said = explanation(wrapped(error), tmp_path)
    assert said is not None
    assert f"{tmp_path / 'landing'} cannot be read and written ({os.strerror(code)})" in said
    assert "choose another home with --home" in said


def test_a_database_that_may_not_be_written_names_the_home(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    sqlite3.connect(path).execute("create table t (a)").connection.close()
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with pytest.raises(sqlite3.OperationalError) as caught:
        database.execute("insert into t values (1)")
    said = explanation(wrapped(caught.value), tmp_path)
    assert said is not None
    assert said.startswith(f"rostrum: {tmp_path} cannot be read and written (readonly database)")
    assert "SQL" not in said


def test_a_refused_path_elsewhere_is_named_and_the_home_is_not(tmp_path: Path) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "/elsewhere/table.csv")
    said = explanation(error, tmp_path / "home")
    assert said == (
        "rostrum: /elsewhere/table.csv cannot be opened (Permission denied); check its permissions"
    )


def test_other_errors_stay_unexplained(tmp_path: Path) -> None:
    for error in (
        ValueError("x"),
        OSError(errno.EIO, "I/O error", str(tmp_path)),
        KeyError("home"),
    ):
        assert explanation(error, tmp_path) is None


def test_a_home_that_is_a_file_is_a_named_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.write_text("not a folder")
    with pytest.raises(SystemExit) as ended:
        main(["--home", str(home), "reparse", "--dry-run"])
    assert ended.value.code == 1
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("error: rostrum: ")
    assert "choose another home" in said
