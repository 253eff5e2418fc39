"""The catalogue says what every measure and every column of every mart means, and nothing else."""

import csv
import re
from pathlib import Path

import pytest

from warehouse.catalogue import COLUMNS, MEASURES, Catalogue, own_measure, read_catalogue
from warehouse.home import Home
from warehouse.reader import connect, current_version

_MEASURES = "measure,name,meaning,unit,direction,low,high,definition,paper\n"
_COLUMNS = "column_name,mart,type,meaning\n"


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    measures, columns = tmp_path / "measures.csv", tmp_path / "columns.csv"
    measures.write_text(
        f"{_MEASURES}tau_c,Tau,Rank correlation.,coefficient,higher,-1,1,Ties count.,p: Table 1\n"
        "a_value,Value of a,What a gives.,points,none,,,,\n"
    )
    columns.write_text(
        f"{_COLUMNS}n_units,,,Debates.\nn_units,rpt_a,,Topics.\nvalue,rpt_b,,What b gives.\n"
        "value_low,,,Lower end of value (by topic).\n"
        "value_low,rpt_b,,Lower end of value (by debate).\n"
    )
    return read_catalogue(measures, columns)


def test_every_row_of_the_catalogue_is_the_meaning_of_a_column_there_is(built_demo: Home) -> None:
    with connect(current_version(built_demo)) as connection:
        columns = set(
            connection.execute("select column_name, table_name from duckdb_columns()").fetchall()
        )
    names = {name for name, _ in columns}
    with COLUMNS.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    found = {(row["column_name"], row["mart"]): (row["meaning"], row["type"]) for row in rows}
    unused = [key for key in found if (key not in columns if key[1] else key[0] not in names)]
    assert unused == []
    repeated = [
        key
        for key, (meaning, kind) in found.items()
        if key[1] and not kind and meaning == found.get((key[0], ""), ("",))[0]
    ]
    assert repeated == []


def test_no_column_restates_the_measure_it_holds() -> None:
    catalogue = read_catalogue()
    restated = [
        (column, mart)
        for (column, mart), meaning in catalogue.columns.items()
        for name in (own_measure(mart, column), column)
        if name in catalogue.measures and catalogue.measures[name].text == meaning
    ]
    assert restated == []


def test_every_measure_has_a_name_a_meaning_a_unit_and_a_direction() -> None:
    for name, measure in read_catalogue().measures.items():
        assert measure.name, name
        assert measure.meaning.endswith((".", "?")), name
        assert measure.unit, name
        assert measure.direction in {"higher", "lower", "none"}, name
        bounds = [float(bound) for bound in (measure.low, measure.high) if bound]
        assert bounds == sorted(bounds), name


# What a measure's name says of its direction. The first that fits holds: a share of right places
# is no place.
_SAID = (
    ("higher", r"accuracy|kappa|alpha|tau(_|$)|spearman|pearson|kendall|(^|_)f1|precision|recall"),
    ("higher", r"sensitivity|specificity|mcc|auroc|correlation|exact_match|awareness$|win_share$"),
    ("lower", r"(^|_)(mae|rmse|brier|log_score|ece|rank_difference|residual_sd|error)(_|$)"),
    ("lower", r"(^|_)(cost_usd|unparsed|failure|missing|place|squared_difference|diversity)(_|$)"),
)


def test_no_measure_has_the_direction_that_its_name_contradicts() -> None:
    checked = 0
    for name, measure in read_catalogue().measures.items():
        said = next((direction for direction, part in _SAID if re.search(part, name)), None)
        if said is not None and measure.direction != "none":
            assert measure.direction == said, name
            checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("mart", "column", "meaning"),
    [
        ("rpt_a", "n_units", "Topics."),
        ("rpt_b", "n_units", "Debates."),
        ("rpt_b", "unknown", ""),
        ("rpt_b", "tau_c", "Rank correlation. Ties count. Printed in p: Table 1."),
        ("rpt_b", "tau_c_low", "Lower end of the 95 % interval of tau_c."),
        ("rpt_b", "tau_c_reason", "Why tau_c is null; null where it is known."),
        ("rpt_a", "value", "What a gives."),
        ("rpt_b", "value", "What b gives."),
        ("rpt_a", "value_high", "Upper end of value (by topic)."),
        ("rpt_b", "value_high", "Upper end of value (by debate)."),
    ],
)
def test_a_column_is_described_by_its_mart_its_measure_or_its_suffix(
    catalogue: Catalogue, mart: str, column: str, meaning: str
) -> None:
    assert catalogue.meaning(mart, column) == meaning


def test_two_rows_for_one_column_of_a_mart_or_one_measure_are_refused_by_name(
    tmp_path: Path,
) -> None:
    measures, columns = tmp_path / "measures.csv", tmp_path / "columns.csv"
    measures.write_text(_MEASURES)
    columns.write_text(f"{_COLUMNS}n_units,rpt_a,,Debates.\nn_units,rpt_a,,Topics.\n")
    with pytest.raises(ValueError, match="'n_units' has two rows for mart 'rpt_a'"):
        read_catalogue(measures, columns)
    measures.write_text(f"{_MEASURES}tau_c,,,,,,,,\ntau_c,,,,,,,,\n")
    with pytest.raises(ValueError, match="'tau_c' has two rows"):
        read_catalogue(measures, columns)


@pytest.mark.parametrize("path", [MEASURES, COLUMNS])
def test_the_catalogue_is_sorted_so_that_two_changes_meet_in_different_lines(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as handle:
        keys = [row[:2] if path == COLUMNS else row[:1] for row in csv.reader(handle)][1:]
    assert keys == sorted(keys)
