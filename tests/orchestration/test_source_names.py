"""A source that needs files says where they are before anything is started for it."""

from pathlib import Path

import pytest

from ingestion.errors import UnknownSource
from ingestion.registry import sources
from orchestration.commands.data.sources import check_source, study_config


@pytest.mark.parametrize("source", [each for each in sources() if each != "sample"])
def test_a_source_without_a_location_says_how_to_give_one(source: str) -> None:
    with pytest.raises(UnknownSource, match=f"'{source}' needs --from.+"):
        check_source(source, None)
    check_source(source, "a.file")


def test_a_source_that_is_none_is_told_the_others() -> None:
    with pytest.raises(
        UnknownSource, match=r"no source named 'debatbench'; expected sample, .*debatebench"
    ):
        check_source("debatbench", None)


def _bounds(scale: str) -> tuple[float, float]:
    there = {"items": Path("i.csv"), "ratings": Path("r.csv"), "columns": (), "policy": None}
    config = study_config(name="own", question="How good is it?", scale=scale, **there)
    return config["scale_min"], config["scale_max"]


def test_the_scale_of_a_study_may_begin_below_zero() -> None:
    assert _bounds("1-5") == (1, 5)
    assert _bounds("-100-100") == (-100, 100)
    assert _bounds("-5--1") == (-5, -1)


@pytest.mark.parametrize("scale", ["", "-", "15", "1-", "a-b", "1-2-3"])
def test_a_scale_that_is_not_two_numbers_is_refused(scale: str) -> None:
    with pytest.raises(UnknownSource, match=f"--scale '{scale}' is not two numbers such as 1-5"):
        _bounds(scale)
