from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from debate_fixtures import row, turns, write_debates
from inference_fixtures import without

from inference.debates.items import iter_measures
from inference.debates.variants import Arm
from inference.debates.winners import read_winners
from inference.errors import BadItems
from inference.experiment import Experiment
from inference.items import ItemSource
from inference.kinds.debates import DebateItems, DebateOptions, DebateSampling
from inference.sampling import Drawn, ranks

EXPERIMENT = Experiment(
    "x", "winner_vanilla", options=DebateOptions(variants=(Arm("t", "A/B", "pro_first"),))
)


def draw(source: ItemSource, seed: int = EXPERIMENT.seed, **changes: Any) -> Drawn:
    options = replace(EXPERIMENT.options, sampling=DebateSampling(**changes))
    return DebateItems(replace(EXPERIMENT, seed=seed, options=options), source).draw()


def drawn(source: ItemSource, limit: int | None = None, **changes: Any) -> list[str]:
    (places,) = ranks([draw(source, **changes)], limit)
    ids = np.array([measure.debate_id for measure in iter_measures(source)])
    chosen = places >= 0
    return list(ids[chosen][np.argsort(places[chosen])])


def cells(source: ItemSource, ids: list[str]) -> Counter[tuple[int, str | None, str]]:
    winners = read_winners(source.file("debates_reference"), "a test")
    about = {measure.debate_id: measure for measure in iter_measures(source)}
    return Counter((about[one].rounds, about[one].end_side, winners[one]) for one in ids)


def mixed(folder: Path, count: int = 120) -> ItemSource:
    rows = [row(number, rounds=3 + number // 4 % 3, turns=turns()) for number in range(count)]
    return write_debates(folder, rows)


def test_balanced_cells_are_equal_per_round_count(tmp_path: Path) -> None:
    source = mixed(tmp_path)
    ids = drawn(source, method="balanced", per_cell=((3, 5), (4, 2)))
    assert set(cells(source, ids).values()) == {5, 2}
    assert len(cells(source, ids)) == 8
    assert len(ids) == len(set(ids)) == 28


def test_a_smaller_sample_begins_a_larger_one_with_even_cells(tmp_path: Path) -> None:
    source = mixed(tmp_path)
    balanced = {"method": "balanced", "per_cell": ((3, 6), (4, 6), (5, 6))}
    whole = drawn(source, **balanced)
    smaller = drawn(source, method="balanced", per_cell=((3, 2), (4, 2), (5, 2)))
    assert smaller == whole[: len(smaller)]
    assert drawn(source, limit=24, **balanced) == whole[:24]
    assert set(cells(source, whole[:24]).values()) == {2}
    assert drawn(source, **balanced, seed=2) != whole
    assert drawn(source, limit=10) == drawn(source)[:10]


def test_the_smallest_cell_can_set_the_number(tmp_path: Path) -> None:
    rows = [row(number) for number in range(4, 27)]
    winners = ["pro" if number % 4 in (0, 2) or number > 22 else "con" for number in range(4, 27)]
    source = write_debates(tmp_path, rows, winners=winners)
    counts = cells(source, drawn(source))
    ids = drawn(source, method="balanced", per_cell="smallest")
    assert set(cells(source, ids).values()) == {min(counts.values())}


def test_too_few_debates_name_the_short_cell_and_the_counts(tmp_path: Path) -> None:
    source = mixed(tmp_path, 24)
    with pytest.raises(
        BadItems,
        match=r"'made-up' has 2 debates in the cell '3 rounds, pro ends, pro wins'.*draws 125.*"
        r"2 of 125.*smaller sampling\.per_cell",
    ):
        drawn(source, method="balanced")
    with pytest.raises(BadItems, match=r"'3 rounds'.*draws 500.*8 of 500.*per_round_count"):
        drawn(source, method="natural")
    empty = write_debates(tmp_path / "b", 2)
    with pytest.raises(BadItems, match=r"0 debates in the cell .*con ends"):
        drawn(empty, method="balanced", per_cell="smallest")


def test_ties_and_undecided_debates_are_in_no_cell(tmp_path: Path) -> None:
    source = write_debates(
        tmp_path, 8, winners=["pro", "con", "pro", "con", "tie", None, "tie", None]
    )
    assert len(drawn(source, method="balanced", per_cell=((3, 1),))) == 4
    with pytest.raises(BadItems, match="1 of 2"):
        drawn(source, method="balanced", per_cell=((3, 2),))
    assert len(drawn(source)) == 8


def test_a_natural_sample_needs_nobody_who_won(tmp_path: Path) -> None:
    source = without(mixed(tmp_path), "debates_reference")
    ids = drawn(source, method="natural", per_round_count=((3, 7), (5, 1)))
    about = {measure.debate_id: measure for measure in iter_measures(source)}
    assert Counter(about[one].rounds for one in ids) == {3: 7, 5: 1}
    with pytest.raises(BadItems, match="needs to know who won"):
        drawn(source, method="balanced")


def test_long_debates_are_left_out_with_or_without_the_hosts_words(tmp_path: Path) -> None:
    host = {
        "speech_order": 9,
        "round": "1",
        "side": None,
        "speaker_role": "host",
        "text": "w " * 50,
        "word_count": 50,
    }
    rows = [row(0), row(1, turns=[host, *turns()])]
    source = write_debates(tmp_path, rows)
    assert drawn(source, max_words=40) == ["made-up:0000"]
    assert len(drawn(source, max_words=40, without_other_turns=True)) == 2
    assert drawn(source, max_words=1) == []


def test_the_definition_and_the_size_of_the_sample_are_known(tmp_path: Path) -> None:
    source = mixed(tmp_path)
    facts = draw(source, method="balanced", per_cell=((3, 2),)).facts
    assert facts["debates"] == 8
    assert facts["cells"]["3 rounds, con ends, pro wins"] == 2
    assert (facts["method"], facts["seed"]) == ("balanced", EXPERIMENT.seed)


def test_limits_count_over_all_data_sets(tmp_path: Path) -> None:
    sources = [write_debates(tmp_path, 10, dataset=name) for name in ("a", "b")]
    places = ranks([draw(source) for source in sources], 7)
    assert sorted(place for each in places for place in each if place >= 0) == list(range(7))
