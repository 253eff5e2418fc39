"""Does the alternative annotator test keep its level, and does its interval cover the truth?

Each study has five people and four judges on 40 texts of three instances. Everybody says an
instance's quality with an error of their own, part of it shared by the instances of a text, as a
score of five points or a label of three. One judge errs as people do, one less, one more, and one
just so much more that a person's wins exceed the judge's by the margin of 0.1: there the test may
be wrong in one of twenty. The truth is what a million instances give. Criteria, fixed before a
cell's first run:

- coverage fails where its 99 % Clopper-Pearson interval lies wholly below 95 %, and is reported as
  more than promised where it lies wholly above;
- of the judge at the margin the share of single tests with p < 0.05 is reported, and the share of
  studies in which any person is rejected after correction fails where its 99 % interval lies wholly
  above 5 %;
- the judge that errs less has to pass more often than the one that errs as people do, and this one
  more often than the one that errs more.
"""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from benchmarks.building import build
from tests.soak.simulation import STUDIES, broken, clopper_pearson, main, share_of, simulate
from warehouse.raw import append_rows
from warehouse.schema import migrate

SEED = 20261123
POPULATION = 1_200_000
PEOPLE, TEXTS, PER_TEXT = 5, 40, 3
MARGIN = 0.1
LESS, MORE = 0.5, 1.6
Array = np.ndarray[Any, Any]


class Cell(NamedTuple):
    """One kind of study.

    Attributes:
        is_labelled: Whether annotations are labels of three kinds, else scores of five points.
        shared: Which share of an error's variance the instances of a text share.
    """

    is_labelled: bool
    shared: float


CELLS = {
    "scores": Cell(is_labelled=False, shared=0.0),
    "scores, texts differ": Cell(is_labelled=False, shared=0.5),
    "labels": Cell(is_labelled=True, shared=0.0),
    "labels, texts differ": Cell(is_labelled=True, shared=0.5),
}


def said(rng: np.random.Generator, cell: Cell, quality: Array, errors: float, who: int) -> Array:
    """Return what so many say of instances, the last axis a text's."""
    own = rng.normal(size=(who, *quality.shape)) * np.sqrt(1 - cell.shared)
    of_text = rng.normal(size=(who, *quality.shape[:-1], 1)) * np.sqrt(cell.shared)
    felt = quality + errors * (own + of_text)
    if cell.is_labelled:
        return np.asarray(np.digitize(felt, [-0.6, 0.6]), dtype=float)
    return np.asarray(np.clip(np.round(3 + felt), 1, 5))


def outcomes(cell: Cell, judge: Array, people: Array) -> tuple[float, float]:
    """Return the mean of d, and how often the judge wins, beside the first of the people."""
    own, others = people[0], people[1:]
    if cell.is_labelled:
        ahead = (judge == others).sum(axis=0) - (own == others).sum(axis=0)
    else:
        ahead = ((own - others) ** 2).sum(axis=0) - ((judge - others) ** 2).sum(axis=0)
    return float(-np.sign(ahead).mean()), float((ahead >= 0).mean())


def truths(cell: Cell, population: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """Return each judge's error, mean d and advantage probability in a population of instances."""

    def drawn(errors: float) -> tuple[float, float]:
        # The same draws for every judge: the search below needs a steady function.
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=(population // PER_TEXT, PER_TEXT))
        people = said(rng, cell, quality, 1.0, PEOPLE)
        return outcomes(cell, said(rng, cell, quality, errors, 1)[0], people)

    low, high = 1.0, 6.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if drawn(middle)[0] < MARGIN else (low, middle)
    errors = {"as-people": 1.0, "better": LESS, "worse": MORE, "at-margin": (low + high) / 2}
    return {name: (error, *drawn(error)) for name, error in errors.items()}


def fill(path: Path, cell: Cell, errors: dict[str, float], replications: int, seed: int) -> None:
    """Write studies, each a data set of its own, where the models read them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(replications, TEXTS, PER_TEXT))
    people = said(rng, cell, quality, 1.0, PEOPLE)
    judges = [said(rng, cell, quality, error, 1)[0] for error in errors.values()]
    values = np.concatenate([people, np.stack(judges)]).reshape(-1)
    names = [f"p{number}" for number in range(PEOPLE)] + [f"made-up/{name}" for name in errors]
    rows = pa.table({"value": values, "row": np.arange(len(values))})
    size = replications * TEXTS * PER_TEXT
    with duckdb.connect(str(path)) as connection:
        migrate(connection)
        connection.register("drawn", rows)
        append_rows(
            connection,
            "annotations",
            "select 's' || study as dataset_id, "
            "'q' as dimension, 's' || study || ':' || instance as instance_id, "
            f"'s' || study || ':' || instance // {PER_TEXT} as text_id, "
            f"$names[1 + who] as annotator_id, who >= {PEOPLE} as is_judge, "
            "if($labelled, value::bigint::varchar, null) as label, "
            "if($labelled, null, value) as value, 'made up' as _source_file, "
            "timestamp '2026-01-01' as _loaded_at from (select value, row // $size as who, "
            f"row % $size // {TEXTS * PER_TEXT} as study, row % {TEXTS * PER_TEXT} as instance "
            "from drawn)",
            {"names": names, "labelled": cell.is_labelled, "size": size},
        )


def study_cell(
    name: str, cell: Cell, *, studies: int, population: int, seed: int
) -> dict[str, Any]:
    """Return a cell's rows, one per judge."""
    known = truths(cell, population, seed + 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        fill(path, cell, {who: each[0] for who, each in known.items()}, studies, seed)
        build(path, "+rpt_judge_replacement", "+rpt_replacement_people")
        with duckdb.connect(str(path), read_only=True) as connection:
            connection.execute("set search_path = 'marts'")
            results = connection.execute(
                "select split_part(judge_id, '/', 2), epsilon, advantage_probability_low, "
                "advantage_probability_high, passes, winning_rate_paper >= 0.5, rejected_count > 0 "
                "from rpt_judge_replacement where judge_id <> 'human'"
            ).fetchall()
            tests = connection.execute(
                "select split_part(judge_id, '/', 2), epsilon, avg((p < 0.05)::integer), "
                "avg((p_paper < 0.05)::integer) from rpt_replacement_people group by all"
            ).fetchall()
    single = {(who, epsilon): shares for who, epsilon, *shares in tests}
    rows = [_row(who, known[who], results, single) for who in known]
    passing = {row["judge"]: row["passes"]["0.2"] for row in rows}
    return {
        "cell": name,
        **cell._asdict(),
        "judges": rows,
        "order_holds": passing["better"] >= passing["as-people"] >= passing["worse"],
    }


def _row(
    who: str,
    truth: tuple[float, float, float],
    results: list[tuple[Any, ...]],
    single: dict[tuple[str, float], list[float]],
) -> dict[str, Any]:
    error, mean_d, advantage = truth
    mine = [row for row in results if row[0] == who]
    intervals = [row for row in mine if row[1] == MARGIN and row[2] is not None]
    hits = sum(low <= advantage <= high for _, _, low, high, *_ in intervals)
    low, high = clopper_pearson(hits, len(intervals))
    at_margin = [row for row in mine if row[1] == MARGIN]
    alarms = sum(row[6] for row in at_margin)
    alarm_low, _ = clopper_pearson(alarms, len(at_margin))
    any_rejected = share_of("any_rejected", alarms, len(at_margin))
    margins = sorted({row[1] for row in mine})

    def share(column: int) -> dict[str, float]:
        return {
            str(one): round(float(np.mean([row[column] for row in mine if row[1] == one])), 4)
            for one in margins
        }

    return {
        "judge": who,
        "error": round(error, 3),
        "true_mean_d": round(mean_d, 4),
        "true_advantage_probability": round(advantage, 4),
        "intervals": len(intervals),
        **share_of("coverage", hits, len(intervals)),
        "coverage_holds": high >= 0.95,
        "covers_more_than_promised": low > 0.95,
        "passes": share(4),
        "passes_plain": share(5),
        "single_p_under_0.05": {str(one): round(single[who, one][0], 4) for one in margins},
        "single_p_under_0.05_plain": {str(one): round(single[who, one][1], 4) for one in margins},
        "any_rejected_at_0.1": any_rejected.pop("any_rejected"),
        **any_rejected,
        "alarms_hold": alarm_low <= 0.05 if who == "at-margin" else None,
    }


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS)
def test_the_alternative_annotator_test_keeps_its_level(cell: str) -> None:
    found = simulate(
        CELLS, study_cell, seed=SEED, only=cell, studies=STUDIES, population=POPULATION
    )
    assert broken(found) == []


if __name__ == "__main__":
    main("decisions_replacement", CELLS, study_cell, seed=SEED, population=POPULATION)
