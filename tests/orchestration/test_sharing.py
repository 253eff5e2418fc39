"""`rostrum report`: a study as one file, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.commands.report import write_report
from orchestration.errors import ReportFailed, UnknownSubject
from warehouse.errors import NothingPublished
from warehouse.home import Home
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


@pytest.mark.slow
def test_a_study_of_everything_has_every_subject_and_stays_small(
    built_demo: Home, tmp_path: Path
) -> None:
    out = tmp_path / "study.html"
    assert "wrote" in write_report(built_demo, [], [], out)
    text = out.read_text("utf-8")
    assert all(f'<h2 id="{name}">' in text for name in SUBJECTS)
    assert out.stat().st_size < 5_000_000
