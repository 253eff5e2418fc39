"""The commands of sources: what they need, and how a scale is read."""

from pathlib import Path

import pytest

from ingestion.registry import sources
from orchestration import cli
from orchestration.commands.ingest import Study
from warehouse.home import Home

FILED = [name for name, source in sources().items() if source.where is not None]


@pytest.mark.parametrize("source", FILED)
def test_a_source_without_a_location_needs_one_and_its_help_says_where_to_fetch_it(
    home: Home, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, code in (("--no-build", 2), ("--help", 0)):
        with pytest.raises(SystemExit) as caught:
            cli.main(["--home", str(home.root), "ingest", source, option])
        assert caught.value.code == code
        said = capsys.readouterr()
        assert "--from" in said.out + said.err
    where = "".join(str(sources()[source].where).split())
    assert where in "".join(said.out.split())


@pytest.mark.parametrize(
    ("scale", "bounds"), [("1-5", (1, 5)), ("-100-100", (-100, 100)), ("-5--1", (-5, -1))]
)
def test_the_scale_of_a_study_may_begin_below_zero(
    tmp_path: Path, scale: str, bounds: tuple[float, float]
) -> None:
    assert Study(name="own", items=tmp_path, ratings=tmp_path, scale=scale).scale == bounds


@pytest.mark.parametrize("scale", ["", "-", "15", "1-", "a-b", "1-2-3"])
def test_a_scale_that_is_not_two_numbers_is_refused(tmp_path: Path, scale: str) -> None:
    with pytest.raises(ValueError, match="is not two numbers such as 1-5"):
        Study(name="own", items=tmp_path, ratings=tmp_path, scale=scale)
