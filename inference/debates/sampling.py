"""Which debates a run asks about: all, equal cells, or so many of each number of rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from inference.debates.items import Measure, iter_measures
from inference.debates.winners import read_winners
from inference.errors import BadItems
from inference.items import ItemSource
from inference.sampling import Drawn, keys_of

if TYPE_CHECKING:
    from inference.experiment import Experiment

_SIDES = ("pro", "con")


def draw_debates(experiment: Experiment, source: ItemSource) -> Drawn:
    """Draw a data set's debates."""
    seed, sampling = experiment.seed, experiment.options.sampling
    measures = list(iter_measures(source))
    keys = keys_of(seed, (measure.debate_id for measure in measures))
    cells = _cells(experiment, source, measures)
    turns = np.full(len(keys), -1, dtype=np.int64)
    wanted = _wanted(experiment, source, cells)
    taken: Counter[str] = Counter()
    for place in np.argsort(keys, kind="stable").tolist():
        cell = cells[place]
        if cell is None or taken[cell] >= wanted.get(cell, 0):
            continue
        turns[place] = taken[cell]
        taken[cell] += 1
    if sampling.method == "all":
        # One cell, in the order of the keys: all take the same turn.
        turns = np.minimum(turns, 0)
    facts: dict[str, Any] = {
        "method": sampling.method,
        "seed": seed,
        "max_words": sampling.max_words,
        "without_other_turns": sampling.without_other_turns,
        "debates": taken.total(),
    }
    if sampling.method != "all":
        facts["cells"] = dict(sorted(taken.items()))
    return Drawn(keys, turns, facts)


def _cells(
    experiment: Experiment, source: ItemSource, measures: Sequence[Measure]
) -> list[str | None]:
    """Return the cell of each debate; None where it is in none."""
    sampling = experiment.options.sampling
    winners: Mapping[str, str] = {}
    if sampling.method == "balanced":
        who = f"drawing equal cells of '{source.dataset_id}'"
        winners = read_winners(source.file("debates_reference"), who)
    cells: list[str | None] = []
    for each in measures:
        words = each.words_pro + each.words_con
        words += 0 if sampling.without_other_turns else each.words_other
        winner = winners.get(each.debate_id)
        if sampling.max_words is not None and words > sampling.max_words:
            cells.append(None)
        elif sampling.method == "all":
            cells.append("all")
        elif sampling.method == "natural":
            cells.append(_rounds(each.rounds))
        elif each.end_side in _SIDES and winner in _SIDES:
            cells.append(_cell(each.rounds, each.end_side, winner))
        else:
            cells.append(None)
    return cells


def _wanted(
    experiment: Experiment, source: ItemSource, cells: Sequence[str | None]
) -> dict[str, int]:
    """Return how many debates each cell is to give."""
    sampling = experiment.options.sampling
    there = Counter(cell for cell in cells if cell is not None)
    if sampling.method == "all":
        return dict(there)
    if sampling.method == "natural":
        wanted = {_rounds(count): number for count, number in sampling.per_round_count}
        _check_enough(experiment, source, wanted, there)
        return wanted
    if isinstance(sampling.per_cell, str):
        found = {cell.partition(" rounds")[0] for cell in there}
        wanted = {}
        for rounds in found:
            four = [_cell(int(rounds), *sides) for sides in product(_SIDES, _SIDES)]
            wanted |= dict.fromkeys(four, min(there[cell] for cell in four))
        if not any(wanted.values()):
            empty = [cell for cell in wanted if not there[cell]]
            _check_enough(experiment, source, dict.fromkeys(sorted(empty) or ["any"], 1), there)
        return wanted
    wanted = {
        _cell(count, *sides): number
        for count, number in sampling.per_cell
        for sides in product(_SIDES, _SIDES)
    }
    _check_enough(experiment, source, wanted, there)
    return wanted


def _check_enough(
    experiment: Experiment, source: ItemSource, wanted: Mapping[str, int], there: Mapping[str, int]
) -> None:
    sampling = experiment.options.sampling
    short = {cell: number for cell, number in wanted.items() if there.get(cell, 0) < number}
    if not short:
        return
    cell, number = next(iter(short.items()))
    counts = ", ".join(f"{each}: {there.get(each, 0)} of {wanted[each]}" for each in short)
    setting = "per_cell" if sampling.method == "balanced" else "per_round_count"
    can_shrink = setting == "per_cell" and not isinstance(sampling.per_cell, str)
    advice = ', or per_cell = "smallest"' if can_shrink else ""
    raise BadItems(
        f"sampling: data set '{source.dataset_id}' has {there.get(cell, 0)} debates in the cell "
        f"'{cell}', and experiment '{experiment.name}' draws {number} of it; short are {counts}; "
        f"write an experiment with a smaller sampling.{setting}{advice}"
    )


def _rounds(count: int) -> str:
    return f"{count} rounds"


def _cell(count: int, end_side: str, winner: str) -> str:
    return f"{_rounds(count)}, {end_side} ends, {winner} wins"
