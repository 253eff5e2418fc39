"""`rostrum report` and `rostrum notebook`: what they write, and what is said where they cannot."""

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from orchestration.commands.reports.notebook import FIGURES, write_notebook
from orchestration.commands.reports.study import write_report
from orchestration.errors import ReportFailed, UnknownSubject
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.subjects import SUBJECTS


def test_an_unknown_subject_is_refused_with_the_five(home: Home, tmp_path: Path) -> None:
    with pytest.raises(UnknownSubject, match="no subject named 'songs'; there are") as refused:
        write_report(home, ["songs"], [], tmp_path / "study.html")
    assert all(name in str(refused.value) for name in SUBJECTS)


def test_without_a_published_version_it_says_what_to_run(home: Home, tmp_path: Path) -> None:
    with pytest.raises(NothingPublished, match="rostrum demo"):
        write_report(home, [], [], tmp_path / "study.html")


def test_what_the_dashboard_refuses_is_said_and_no_file_is_written(
    built_demo: Home, tmp_path: Path
) -> None:
    with pytest.raises(ReportFailed, match="no judge named nobody"):
        write_report(built_demo, ["oversight"], ["nobody"], tmp_path / "study.html")
    assert not list(tmp_path.iterdir())


def test_a_study_has_the_subjects_it_was_asked_for_and_no_other(
    built_demo: Home, tmp_path: Path
) -> None:
    out = tmp_path / "study.html"
    assert "wrote" in write_report(built_demo, ["oversight"], [], out)
    assert _subjects_of(out) == ["oversight"]
    assert out.stat().st_size < 5_000_000


@pytest.mark.soak
def test_a_study_of_everything_has_every_subject_and_stays_small(
    built_demo: Home, tmp_path: Path
) -> None:
    out = tmp_path / "study.html"
    assert "wrote" in write_report(built_demo, [], [], out)
    assert _subjects_of(out) == list(SUBJECTS)
    assert out.stat().st_size < 5_000_000


def _subjects_of(study: Path) -> list[str]:
    text = study.read_text("utf-8")
    return [name for name in SUBJECTS if f'<h2 id="{name}">' in text]


def on_a_copy(path: Path, home: Home) -> Path:
    """Let a notebook open a copy: DuckDB opens a file in one way at a time in a process."""
    shown = current_version(home).path
    copy = path.with_name(shown.name)
    shutil.copy(shown, copy)
    path.write_text(path.read_text("utf-8").replace(str(shown), str(copy)), "utf-8")
    return path


def run_cells(path: Path) -> list[Any]:
    """Run a notebook's code as Jupyter would; return what each cell ends with."""
    names: dict[str, Any] = {}
    ends = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            ends.append(
                (names["sql"], eval(compile(ast.Expression(last.value), "cell", "eval"), names))
            )
    names["warehouse"].close()
    return ends


def test_every_cell_of_a_notebook_runs_and_draws_the_marts_own_figures(
    built_demo: Home, tmp_path: Path
) -> None:
    out = tmp_path / "figures.ipynb"
    assert "figures from warehouse version" in write_notebook(built_demo, [], [], out)
    ends = run_cells(on_a_copy(out, built_demo))
    assert len(ends) == len(FIGURES)
    version = current_version(built_demo)
    for sql, chart in ends:
        assert isinstance(chart, alt.VConcatChart)
        drawn = [row for rows in chart.to_dict()["datasets"].values() for row in rows]
        known = run_query(version, f"select label, value, n from ({sql}) where low <= high").rows
        assert known
        values = {(row["label"], row["value"], row["n"]) for row in drawn}
        assert values <= set(run_query(version, f"select label, value, n from ({sql})").rows)


def test_every_row_of_a_figure_has_a_label_of_its_own(built_demo: Home) -> None:
    version = current_version(built_demo)
    for figure in FIGURES:
        twice = f"select label from ({figure.sql}) group by dataset_id, label having count(*) > 1"
        assert run_query(version, twice).rows == [], figure.title


def test_a_notebook_of_one_judge_draws_no_other(built_demo: Home, tmp_path: Path) -> None:
    out = tmp_path / "figures.ipynb"
    write_notebook(built_demo, ["debates"], ["simulated/fair"], out)
    for _, chart in run_cells(on_a_copy(out, built_demo)):
        drawn = [row for rows in chart.to_dict()["datasets"].values() for row in rows]
        assert {row["judge_id"] for row in drawn} == {"simulated/fair"}
    with pytest.raises(ReportFailed, match="no data of debates, nobody"):
        write_notebook(built_demo, ["debates"], ["nobody"], out)


def test_a_notebook_of_a_version_that_is_gone_says_so(built_demo: Home, tmp_path: Path) -> None:
    out = tmp_path / "figures.ipynb"
    write_notebook(built_demo, ["debates"], [], out)
    path = str(current_version(built_demo).path)
    out.write_text(out.read_text("utf-8").replace(path, str(tmp_path / "gone.duckdb")), "utf-8")
    with pytest.raises(FileNotFoundError, match="rostrum notebook"):
        run_cells(out)


def test_a_notebook_refuses_an_unknown_subject(home: Home, tmp_path: Path) -> None:
    with pytest.raises(UnknownSubject, match="notebook: no subject named 'songs'"):
        write_notebook(home, ["songs"], [], tmp_path / "figures.ipynb")


def test_a_file_that_cannot_be_written_is_named(built_demo: Home, tmp_path: Path) -> None:
    with pytest.raises(ReportFailed, match=r"cannot be written .*; choose another with --out"):
        write_notebook(built_demo, ["debates"], [], tmp_path)
