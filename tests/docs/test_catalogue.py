"""The catalogue says what every column of every mart means, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.marts import read_marts
from warehouse.catalogue import CATALOGUE, read_catalogue


def test_every_row_of_the_catalogue_is_the_meaning_of_a_column_there_is() -> None:
    columns = {(column.name, mart.name) for mart in read_marts() for column in mart.columns}
    names = {name for name, _ in columns}
    catalogue = read_catalogue()
    unused = [
        key for key in catalogue.meanings if (key not in columns if key[1] else key[0] not in names)
    ]
    assert unused == []
    repeated = [
        key
        for key, meaning in catalogue.meanings.items()
        if key[1] and meaning == catalogue.meanings.get((key[0], ""))
    ]
    assert repeated == []


def test_a_mart_with_a_row_of_its_own_is_described_by_it_and_others_by_the_shared_row(
    tmp_path: Path,
) -> None:
    path = tmp_path / "measures.csv"
    path.write_text("measure,mart,meaning\nn_units,,Debates.\nn_units,rpt_a,Topics.\n")
    catalogue = read_catalogue(path)
    assert catalogue.meaning("rpt_a", "n_units") == "Topics."
    assert catalogue.meaning("rpt_b", "n_units") == "Debates."
    assert catalogue.meaning("rpt_b", "unknown") == ""


def test_two_rows_for_one_column_of_a_mart_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "measures.csv"
    path.write_text("measure,mart,meaning\nn_units,rpt_a,Debates.\nn_units,rpt_a,Topics.\n")
    with pytest.raises(ValueError, match="'n_units' has two rows for mart 'rpt_a'"):
        read_catalogue(path)


def test_the_catalogue_is_sorted_so_that_two_changes_meet_in_different_lines() -> None:
    keys = list(read_catalogue(CATALOGUE).meanings)
    assert keys == sorted(keys)
