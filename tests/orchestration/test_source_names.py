"""A source that needs files says where they are before anything is started for it."""

from __future__ import annotations

import pytest

from ingestion.errors import UnknownSource
from ingestion.registry import sources
from orchestration.commands.data.sources import check_source


@pytest.mark.parametrize("source", [each for each in sources() if each != "sample"])
def test_a_source_without_a_location_says_how_to_give_one(source: str) -> None:
    with pytest.raises(UnknownSource, match=f"'{source}' needs --from.+"):
        check_source(source, None)
    check_source(source, "a.file")


def test_parliamentary_debates_can_be_fetched_by_an_address_it_names() -> None:
    with pytest.raises(UnknownSource, match="hf://datasets/utkarsh2105/DebateBench"):
        check_source("debatebench", None)


def test_a_source_that_is_none_is_told_the_others() -> None:
    with pytest.raises(
        UnknownSource, match=r"no source named 'debatbench'; expected sample, .*debatebench"
    ):
        check_source("debatbench", None)
