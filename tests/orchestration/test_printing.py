"""What commands print and write: safe on a terminal, and what other programs read."""

import csv
import io
import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table

import dashboard.core.widgets
from orchestration.cli import main
from orchestration.commands.reports.export import write_export
from orchestration.commands.reports.tables import write_result
from orchestration.console import terminal
from orchestration.result_files import text_of
from warehouse.reader import Result

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b"
ROWS = Result(
    ["name", "value", "value"],
    ["VARCHAR", "DOUBLE", "INTEGER"],
    [(HOSTILE, -0.5, 1), ("=1+1", math.nan, None), ("-", -math.inf, -3)],
    truncated=False,
)


class Terminal(io.TextIOWrapper):
    """Standard output that is a terminal."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


def as_terminal(patch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    patch.setattr("sys.stdout", made)
    # Without colours, each escape that is written comes from the data.
    patch.setenv("TERM", "dumb")
    return made


@pytest.mark.parametrize("file_format", ["table", "csv", "json", "jsonl"])
def test_no_result_sends_a_terminal_a_control_sequence(
    monkeypatch: pytest.MonkeyPatch, file_format: str
) -> None:
    tty = as_terminal(monkeypatch)
    write_result(ROWS, file_format, terminal(width=120))
    assert "owned" in tty.text()
    assert not {"\x1b", "\x9b", "\x07"} & set(tty.text())


def test_a_console_writes_out_what_any_table_or_line_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tty = as_terminal(monkeypatch)
    console = terminal(width=120)
    table = Table("column")
    table.add_row(HOSTILE)
    console.print(table)
    console.print(HOSTILE, markup=False, highlight=False, soft_wrap=True)
    assert r"\x1b]0;owned" in tty.text()
    assert not {"\x1b", "\x9b", "\x07"} & set(tty.text())


def test_an_error_writes_out_the_name_of_a_hostile_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home\x1b[31m"
    home.mkdir()
    with pytest.raises(SystemExit) as ended:
        main(["--home", str(home), "sql", "select 1"])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "\x1b" not in said


def test_json_is_one_array_and_jsonl_a_line_for_each_row() -> None:
    array = json.loads(text_of(ROWS, "json"))
    assert array == [
        {"name": HOSTILE, "value": -0.5, "value_1": 1},
        {"name": "=1+1", "value": None, "value_1": None},
        {"name": "-", "value": "-Infinity", "value_1": -3},
    ]
    assert [json.loads(line) for line in text_of(ROWS, "jsonl").splitlines()] == array
    empty = Result(["a"], ["INTEGER"], [], truncated=False)
    assert json.loads(text_of(empty, "json")) == []
    assert text_of(empty, "jsonl") == ""


def test_json_keeps_every_column_and_nested_values_are_json() -> None:
    at = datetime(2026, 11, 22, 7, 0, 1)
    rows = Result(["a", "a", "a_1"], ["X"] * 3, [([math.nan, {"b": at}], at, 1)], truncated=False)
    (line,) = json.loads(text_of(rows, "json"))
    assert line == {"a": [None, {"b": str(at)}], "a_2": str(at), "a_1": 1}


@pytest.mark.parametrize("is_raw", [False, True])
def test_csv_holds_rows_alone_and_no_text_that_a_spreadsheet_runs(is_raw: bool) -> None:
    text = text_of(ROWS, "csv", is_raw=is_raw)
    names, *rows = csv.reader(io.StringIO(text))
    assert names == ["name", "value", "value"]
    assert [row[0] for row in rows[1:]] == (["=1+1", "-"] if is_raw else ["'=1+1", "'-"])
    assert [row[1] for row in rows] == ["-0.5", "nan", "-inf"]


@pytest.mark.parametrize("file_format", ["csv", "json", "jsonl"])
def test_an_export_has_its_metadata_in_a_file_beside_it(tmp_path: Path, file_format: str) -> None:
    metadata = {"mart": "rpt_x", "version": "v1", "citation": "Rostrum 1, mart rpt_x"}
    out = tmp_path / f"table.{file_format}"
    (said,) = write_export(b"rows\n", metadata, file_format, out)
    assert out.read_bytes() == b"rows\n"
    assert json.loads((tmp_path / f"table.{file_format}.meta.json").read_text()) == metadata
    assert f"table.{file_format}.meta.json" in said


@pytest.mark.parametrize("file_format", ["parquet", "latex"])
def test_what_holds_its_metadata_has_no_file_beside_it(tmp_path: Path, file_format: str) -> None:
    write_export(b"rows", {"citation": "x"}, file_format, tmp_path / "table")
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_download_of_a_page_runs_in_no_spreadsheet(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    offered: dict[str, Any] = {}
    monkeypatch.setattr(
        dashboard.core.widgets.st, "download_button", lambda *_, **more: offered.update(more)
    )
    frame = pd.DataFrame({"=name": ["@a", None], "share": [-0.25, float("nan")], "n": [-1, 2]})
    dashboard.core.widgets.download(frame, "table")
    assert offered["data"]() == b"'=name,share,n\n'@a,-0.25,-1\n,,2\n"
