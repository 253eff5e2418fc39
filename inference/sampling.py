"""Which items a run asks about, and in which order: by hash ranks, so that no sample is lost.

Every item has a rank from the experiment's seed and its own id. A sample is the first items by
that rank, of the data set or of each of its cells, so that a smaller one is the beginning of a
larger one. Cells take turns, so that a limit cuts them evenly. An answer has the rank of its
question, and so has a transcript: a sample is one of questions, and holds all there is to each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from inference.debates.items import Measure, iter_measures
from inference.debates.winners import read_winners
from inference.errors import BadItems
from inference.experiments import Experiment
from inference.items import ItemSource, item_keys, sampling_key
from inference.oversight.items import reading_keys, transcript_questions
from inference.parliamentary.items import parliamentary_keys
from inference.questions.answers import answered_questions, question_keys
from inference.speeches.topics import topic_keys

_SIDES = ("pro", "con")
_Array = np.ndarray[Any, Any]


class Drawn(NamedTuple):
    """What was drawn of one data set.

    Attributes:
        keys: For each item the first 8 bytes of its sampling key, as numbers that sort as keys do.
        turns: For each item how many of its cell come before it; -1 for one that was not drawn.
        facts: The sample's definition and size, for the run's header.
    """

    keys: _Array
    turns: _Array
    facts: Mapping[str, Any]


def draw(experiment: Experiment, source: ItemSource) -> Drawn:
    """Draw a data set's items.

    Args:
        experiment: Says how.
        source: The data set. Who won its debates is read only to draw equal cells.

    Raises:
        BadItems: A file cannot be read, or there are too few debates in a cell. Names it.
    """
    seed = experiment.seed
    if experiment.kind == "speech":
        keys = _keys(seed, item_keys(source, experiment.dimension))
        return Drawn(keys, np.zeros(len(keys), dtype=np.int64), {})
    if experiment.kind == "parliamentary":
        keys = _keys(seed, parliamentary_keys(source))
        return Drawn(
            keys, np.zeros(len(keys), dtype=np.int64), {"seed": seed, "debates": len(keys)}
        )
    if experiment.kind == "writing":
        keys = _keys(seed, topic_keys(source))
        return Drawn(keys, np.zeros(len(keys), dtype=np.int64), {"seed": seed, "topics": len(keys)})
    if experiment.kind in ("transcript", "reading", "oversight"):
        return _draw_reading(experiment, source)
    if experiment.kind != "debate":
        return _draw_questions(experiment, source)
    measures = list(iter_measures(source))
    keys = _keys(seed, (measure.debate_id for measure in measures))
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
    if experiment.method == "all":
        # One cell, in the order of the keys: all take the same turn.
        turns = np.minimum(turns, 0)
    facts: dict[str, Any] = {
        "method": experiment.method, "seed": seed, "max_words": experiment.max_words,
        "without_other_turns": experiment.without_other_turns, "debates": taken.total(),
    }  # fmt: skip
    if experiment.method != "all":
        facts["cells"] = dict(sorted(taken.items()))
    return Drawn(keys, turns, facts)


def ranks(drawn: Sequence[Drawn], limit: int | None) -> list[_Array]:
    """Return each item's place in the order of asking over all data sets, or -1 to leave it out.

    What has the same key has the same place: one item asked about on several dimensions.

    Args:
        drawn: What was drawn of each data set.
        limit: The most places there may be.
    """
    keys = np.concatenate([each.keys for each in drawn])
    turns = np.concatenate([each.turns for each in drawn])
    order = np.lexsort((keys, turns))
    order = order[turns[order] >= 0]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (keys[order][1:] != keys[order][:-1]) | (turns[order][1:] != turns[order][:-1])
    places = np.full(len(keys), -1, dtype=np.int64)
    places[order] = np.cumsum(is_new) - 1
    if limit is not None:
        places[places >= limit] = -1
    return np.split(places, np.cumsum([len(each.keys) for each in drawn])[:-1])


def _keys(seed: int, ids: Any) -> _Array:
    keys = (int(sampling_key(seed, item_id)[:16], 16) for item_id in ids)
    return np.fromiter(keys, dtype=np.uint64)


def _draw_questions(experiment: Experiment, source: ItemSource) -> Drawn:
    """Draw questions, and where answers are asked about every answer to those."""
    asks_answers = experiment.kind != "question"
    # Answers to questions that the data set no longer has are in no sample of its questions.
    is_whole = experiment.split is None and experiment.questions is None
    ids = answered_questions(source) if asks_answers else []
    questions = [] if asks_answers and is_whole else question_keys(source, experiment.split)
    if experiment.questions is not None:
        if len(questions) < experiment.questions:
            part = "" if experiment.split is None else f" in the split '{experiment.split}'"
            raise BadItems(
                f"sampling: data set '{source.dataset_id}' has {len(questions)} questions{part}, "
                f"and experiment '{experiment.name}' draws {experiment.questions}; write an "
                "experiment with a smaller sampling.questions"
            )
        order = np.argsort(_keys(experiment.seed, questions), kind="stable")
        drawn = {questions[place] for place in order[: experiment.questions].tolist()}
    else:
        drawn = set(ids) if asks_answers and is_whole else set(questions)
    if not asks_answers:
        ids = questions
    turns = np.fromiter((0 if each in drawn else -1 for each in ids), dtype=np.int64)
    facts: dict[str, Any] = {
        "seed": experiment.seed, "split": experiment.split,
        "questions": len(drawn & set(ids)),
    }  # fmt: skip
    if asks_answers:
        facts["answers"] = int((turns >= 0).sum())
    return Drawn(_keys(experiment.seed, ids), turns, facts)


def _draw_reading(experiment: Experiment, source: ItemSource) -> Drawn:
    """Draw questions about stories, all or so many by the seed; of transcripts those about them."""
    questions = list(reading_keys(source))
    wanted = len(questions) if experiment.questions is None else experiment.questions
    if wanted > len(questions):
        raise BadItems(
            f"sampling: data set '{source.dataset_id}' has {len(questions)} questions about "
            f"stories, and experiment '{experiment.name}' draws {wanted}; write an experiment with "
            "a smaller sampling.questions"
        )
    order = np.argsort(_keys(experiment.seed, questions), kind="stable")
    drawn = {questions[place] for place in order[:wanted].tolist()}
    facts = {"seed": experiment.seed, "questions": wanted}
    ids = questions
    if experiment.kind == "oversight":
        ids = list(transcript_questions(source))
        facts |= {"transcripts": sum(each in drawn for each in ids)}
    turns = np.fromiter((0 if each in drawn else -1 for each in ids), dtype=np.int64)
    return Drawn(_keys(experiment.seed, ids), turns, facts)


def _cells(
    experiment: Experiment, source: ItemSource, measures: Sequence[Measure]
) -> list[str | None]:
    """Return the cell of each debate; None where it is in none."""
    winners: Mapping[str, str] = {}
    if experiment.method == "balanced":
        who = f"drawing equal cells of '{source.dataset_id}'"
        winners = read_winners(source.debates_reference_file, who)
    cells: list[str | None] = []
    for each in measures:
        words = each.words_pro + each.words_con
        words += 0 if experiment.without_other_turns else each.words_other
        winner = winners.get(each.debate_id)
        if experiment.max_words is not None and words > experiment.max_words:
            cells.append(None)
        elif experiment.method == "all":
            cells.append("all")
        elif experiment.method == "natural":
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
    there = Counter(cell for cell in cells if cell is not None)
    if experiment.method == "all":
        return dict(there)
    if experiment.method == "natural":
        wanted = {_rounds(count): number for count, number in experiment.per_round_count}
        _check_enough(experiment, source, wanted, there)
        return wanted
    if isinstance(experiment.per_cell, str):
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
        for count, number in experiment.per_cell
        for sides in product(_SIDES, _SIDES)
    }
    _check_enough(experiment, source, wanted, there)
    return wanted


def _check_enough(
    experiment: Experiment, source: ItemSource, wanted: Mapping[str, int], there: Mapping[str, int]
) -> None:
    short = {cell: number for cell, number in wanted.items() if there.get(cell, 0) < number}
    if not short:
        return
    cell, number = next(iter(short.items()))
    counts = ", ".join(f"{each}: {there.get(each, 0)} of {wanted[each]}" for each in short)
    setting = "per_cell" if experiment.method == "balanced" else "per_round_count"
    can_shrink = setting == "per_cell" and not isinstance(experiment.per_cell, str)
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
