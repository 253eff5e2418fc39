"""Do the intervals of what pressure turns hold, and how often is a judge accused that is not moved?

Each cell draws 2,000 studies through the project's own marts: 60 debates, in the last cells as 30
pairs of twins, each with a first verdict that is people's in 70 % and one pair of answers. A judge
gives its verdict up with probability `wavering` when the side that won speaks and `wavering` +
`moved` when the side that lost does, `moved` shifted by `discernment` toward people's winner and by
as much less away from it. In the cells with twins a share of resolutions, half of them, is moved
twice as much and the rest not at all. Criteria, fixed before the first run: an interval fails where
the 99 % Clopper-Pearson interval of its coverage lies wholly below 95 %; a cell in which nothing is
moved fails where that of its false alarms lies wholly above 5 %.
"""

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.soak.simulation import (
    STUDIES,
    broken,
    built,
    clopper_pearson,
    covers,
    main,
    share_of,
    simulate,
)

SEED = 20261125
DEBATES = 60
_RIGHT = 0.7
_REBUTTALS = ("plain", "reason", "flattery", "authority")


@dataclass(frozen=True)
class Planted:
    """What is planted.

    Attributes:
        moved: The share that the side that lost turns.
        wavering: The share that whoever speaks turns.
        discernment: How much more is turned toward people's winner, and less away.
        twins: Debates of one resolution; 2 where half of the resolutions are moved.
    """

    moved: float = 0.0
    wavering: float = 0.0
    discernment: float = 0.0
    twins: int = 1

    def truth(self, direction: str) -> float:
        """Return the effect that is planted."""
        signs = {"any": 2 * (1 - _RIGHT) - 1, "toward": 1.0, "away": -1.0}
        return self.moved + self.discernment * signs[direction]


CELLS = {
    "firm": Planted(),
    "wavers, not moved": Planted(wavering=0.2),
    "moved a little": Planted(moved=0.05, wavering=0.02),
    "moved": Planted(moved=0.3, wavering=0.1),
    "moved toward people": Planted(moved=0.3, wavering=0.1, discernment=0.15),
    "wavers, twins": Planted(wavering=0.2, twins=2),
    "moved, twins": Planted(moved=0.3, wavering=0.1, twins=2),
}


def draw(planted: Planted, studies: int, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Return flips by study, rebuttal and debate, and whether the first verdict was people's."""
    generator = np.random.Generator(np.random.Philox(seed))
    is_right = generator.random((studies, 1, DEBATES)) < _RIGHT
    moved = np.full((studies, 1, DEBATES), planted.moved)
    if planted.twins > 1:
        halves = generator.random((studies, 1, DEBATES // planted.twins)) < 0.5
        moved = 2 * moved * np.repeat(halves, planted.twins, axis=2)
    share = planted.wavering + moved + planted.discernment * np.where(is_right, -1, 1)
    shape = (studies, len(_REBUTTALS), DEBATES)
    return {
        "flipped": generator.random(shape) < share,
        "control": generator.random(shape) < planted.wavering,
        "is_right": np.broadcast_to(is_right, shape),
    }


def fill(
    connection: duckdb.DuckDBPyConnection, drawn: dict[str, np.ndarray[Any, Any]], twins: int
) -> None:
    """Make the units that pressure reads: a judge per study."""
    at = np.indices(drawn["flipped"].shape).reshape(3, -1)
    flat = {name: values.ravel() for name, values in drawn.items()}
    table = pa.table({"study": at[0], "rebuttal": at[1], "debate": at[2], **flat})
    connection.register("drawn", table)
    connection.execute(
        "create table intermediate.int_pressure_units as "
        "select 'e' as experiment, 'd' as dataset_id, 'm/' || study as judge_id, 't' as template, "
        f"{list(_REBUTTALS)}[rebuttal + 1] as rebuttal, "
        "unnest(['any', if(is_right, 'away', 'toward')]) as direction, debate as debate_id, "
        f"debate // {twins} as cluster_key, 1 as pair_count, 0 as failed_count, "
        "flipped::double as flip_share, control::double as control_share, "
        "flipped::double - control::double as least_difference, "
        "flipped::double - control::double as most_difference from drawn"
    )


def study_cell(name: str, planted: Planted, *, studies: int, seed: int) -> dict[str, Any]:
    """Return what a cell's studies find."""
    drawn = draw(planted, studies, seed)
    select = "rpt_pressure int_decisions_pressure"
    with built(lambda base: fill(base, drawn, planted.twins), select) as (marts, took):
        intervals = [_coverage(marts, planted, each) for each in ("any", "toward", "away")]
        alarms = marts.execute(
            "select count(*) filter (where least < 0.05), count(*) from (select "
            "coalesce(min(p_adjusted), 1) as least from rpt_pressure where direction = 'any' "
            "group by judge_id)"
        ).fetchall()[0]
        plain = marts.execute(
            "select count(*) filter (where p < 0.05), count(*) from rpt_pressure "
            "where direction = 'any' and rebuttal = 'plain'"
        ).fetchall()[0]
        answers = marts.execute(
            "select answer, count(*) from int_decisions_pressure group by answer order by answer"
        ).fetchall()
    return {
        "cell": name,
        "planted": vars(planted),
        "seconds": round(took, 1),
        "intervals": intervals,
        **share_of("any_rebuttal_significant", *alarms),
        "one_test_significant": round(plain[0] / plain[1], 4),
        "answers": {answer: round(n / studies, 4) for answer, n in answers},
        "holds": clopper_pearson(*alarms)[0] <= 0.05 if not planted.moved else None,
    }


def _coverage(marts: duckdb.DuckDBPyConnection, planted: Planted, direction: str) -> dict[str, Any]:
    true = planted.truth(direction)
    # One rebuttal: the four of a study share its debates.
    hits, known, width = marts.execute(
        "select count(*) filter (where ? between effect_low and effect_high), "
        "count(effect_low), avg(effect_high - effect_low) from rpt_pressure "
        "where direction = ? and rebuttal = 'plain'",
        [true, direction],
    ).fetchall()[0]
    return {
        "direction": direction,
        "truth": round(true, 4),
        **covers(hits, known),
        "mean_width": round(width, 4),
    }


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS)
def test_intervals_of_pressure_cover_the_truth(cell: str) -> None:
    found = simulate(CELLS, study_cell, seed=SEED, only=cell, studies=STUDIES)
    assert broken(found) == []


if __name__ == "__main__":
    main("pressure", CELLS, study_cell, seed=SEED)
