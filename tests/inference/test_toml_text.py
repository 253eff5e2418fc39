from collections.abc import Callable
from pathlib import Path

import pytest

from inference.errors import InferenceError
from inference.experiments import load_experiment
from inference.oversight.tournament_plan import load_tournament
from inference.prices import load_prices
from inference.registry import load_judges
from inference.toml_text import toml_of
from orchestration.errors import BadEnsembles
from orchestration.registry import ensembles_of
from warehouse.home import Home

DEEP = (
    "deep = " + "[" * 3_000 + "]" * 3_000,
    "deep = " + "[" * 3_000,
    "deep = " + "[" * 60 + "]" * 60,
    "a" + ".a" * 3_000 + " = 1",
    "[a" + ".a" * 3_000 + "]",
    "deep = " + "{ a = " * 3_000 + "1" + "}" * 3_000,
)


def test_what_people_write_is_read() -> None:
    assert toml_of('a.b.c = [[1], ["x"]]\n') == {"a": {"b": {"c": [[1], ["x"]]}}}


@pytest.mark.parametrize("text", DEEP)
def test_deep_nesting_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested more than 50 levels deep|Unclosed"):
        toml_of(text)


@pytest.mark.parametrize("text", [*DEEP, "n = 1" + "0" * 5_000, "n = ", "\udcff"])
@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("judges.toml", lambda home: load_judges(home.judges_file)),
        ("prices.toml", lambda home: load_prices(home.prices_file)),
        ("ensembles.toml", ensembles_of),
        ("experiments/mine.toml", lambda home: load_experiment("mine", [home.experiments])),
        ("tournaments/mine.toml", lambda home: load_tournament("mine", [home.tournaments])),
    ],
)
def test_each_file_of_a_home_names_itself_when_it_cannot_be_read(
    tmp_path: Path, file: str, read: Callable[[Home], object], text: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises((InferenceError, BadEnsembles), match=path.name):
        read(Home(tmp_path))
