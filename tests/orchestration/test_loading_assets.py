"""The writers of raw tables: each is declared, and what a load writes agrees with it."""

import pytest

from orchestration.commands.ingest import Sample
from orchestration.errors import NoWriter
from orchestration.loading_assets import LOADERS, loaders_of, raw_writers
from warehouse.home import Home
from warehouse.records.tables import TABLES
from warehouse.writer import open_writer


def test_every_raw_table_has_declared_writers_that_are_loaders() -> None:
    writers = raw_writers()
    assert {*TABLES, "quarantine"} <= set(writers)
    loaders = {key.to_user_string() for key in LOADERS}
    assert set().union(*writers.values()) <= loaders
    assert loaders_of("ensembles") == []


def test_a_raw_table_without_a_declared_writer_is_refused() -> None:
    with pytest.raises(NoWriter, match=r"no writer of raw\.pair_verdicts is declared"):
        loaders_of("pair_verdicts")


def test_the_sample_writes_no_table_that_is_not_declared_to_be_its_own(home: Home) -> None:
    Sample().load(home, print)
    with open_writer(home, "look") as connection:
        filled = [
            table
            for table in TABLES
            if connection.execute(f"select count(*) from raw.{table}").fetchone() != (0,)
        ]
    assert len(filled) > 10
    assert [table for table in filled if "sources/sample" not in raw_writers()[table]] == []
