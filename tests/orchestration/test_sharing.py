"""`rostrum report`: what it writes, and what it says where it cannot."""

from pathlib import Path
from typing import get_args

import pytest

from dashboard.study.subjects import STUDIES
from orchestration.commands.reports.study import write_report
from orchestration.errors import ReportFailed
from warehouse.home import Home
from warehouse.subjects import SUBJECTS, Subject


def test_the_subjects_that_are_offered_are_those_that_have_a_study() -> None:
    assert list(STUDIES) == list(SUBJECTS) == list(get_args(Subject))


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


def test_a_file_that_cannot_be_written_is_named(built_demo: Home, tmp_path: Path) -> None:
    with pytest.raises(ReportFailed, match=r"cannot be written .*; choose another with --out"):
        write_report(built_demo, ["oversight"], [], tmp_path)
