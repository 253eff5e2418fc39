"""Do the intervals of drift, and of the parts of a system's change of score, hold?

Each cell draws 2,000 studies through the project's own marts: frozen outputs of a system's first
version on 30 topics, two each, judged in two waves, and as many outputs of its second version,
judged in the second wave. A score is 3 + a topic's effect N(0, 0.5^2) + noise N(0, 0.7^2), in the
second wave + a shift of the judge and a part of it that is the topic's own, N(0, sd^2); the
system's second version adds a shift of its own. Verdicts are 1 where such a score is above 3.
Criteria, fixed before the first run: an interval fails where the 99 % Clopper-Pearson interval of
its coverage lies wholly below 95 %; a cell without drift fails where that of its false alarms
lies wholly above 5 %. The truth of verdicts is a mean over 4,000,000 draws.
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

SEED = 20261124
TOPICS, ITEMS = 30, 2
_TOPIC_SD, _NOISE_SD = 0.5, 0.7


@dataclass(frozen=True)
class Planted:
    """What is planted.

    Attributes:
        judge: The judge's shift.
        system: The system's shift.
        own_sd: Standard deviation of the topics' own parts in the judge's shift.
        is_verdict: Whether answers are 0 or 1.
    """

    judge: float = 0.0
    system: float = 0.0
    own_sd: float = 0.0
    is_verdict: bool = False


CELLS = {
    "no drift": Planted(),
    "no drift, topics move": Planted(own_sd=0.5),
    "judge and system": Planted(judge=0.3, system=-0.2, own_sd=0.3),
    "verdicts, no drift": Planted(is_verdict=True),
    "verdicts, judge and system": Planted(judge=0.4, system=0.3, own_sd=0.3, is_verdict=True),
}


def draw(planted: Planted, studies: int, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Return J0S0, J1S0 and J1S1, each by study, topic and item."""
    generator = np.random.Generator(np.random.Philox(seed))
    shape = (studies, TOPICS, ITEMS)
    topic = _TOPIC_SD * generator.standard_normal((studies, TOPICS, 1))
    own = planted.own_sd * generator.standard_normal((studies, TOPICS, 1))
    drawn = {}
    for name, shift in (
        ("j0s0", np.zeros(1)),
        ("j1s0", planted.judge + own),
        ("j1s1", planted.judge + own + planted.system),
    ):
        score = 3 + topic + shift + _NOISE_SD * generator.standard_normal(shape)
        drawn[name] = (score > 3).astype(float) if planted.is_verdict else score
    return drawn


def fill(connection: duckdb.DuckDBPyConnection, drawn: dict[str, np.ndarray[Any, Any]]) -> None:
    """Make the tables that drift reads: each study has a set, and a set that follows it."""
    connection.execute(
        "create table marts.dim_dimension (dataset_id varchar, dimension varchar, "
        "scale_min double, scale_max double)"
    )
    parts = []
    for number, (name, values) in enumerate(drawn.items()):
        at = np.indices(values.shape).reshape(3, -1)
        parts.append(
            pa.table(
                {
                    "study": at[0],
                    "wave_id": at[0] * 3 + number,
                    "item_id": [f"{name[2:]}-{a}-{b}" for a, b in zip(at[1], at[2], strict=True)],
                    "cluster_id": at[1].astype(str),
                    "source": np.repeat(name[2:], len(at[0])),
                    "value": values.ravel(),
                }
            )
        )
    connection.register("drawn", pa.concat_tables(parts))
    connection.execute(
        "create table intermediate.int_anchor_units as "
        "select wave_id, item_id, cluster_id, source, value, 3.0 as people_value from drawn"
    )
    connection.execute(
        "create table intermediate.int_anchor_waves as "
        "select wave_id, 'a' || wave_id // 3 || if(wave_id % 3 = 2, '-new', '') as anchor_set, "
        "'m/j' as judge_line, 'q' as dimension, if(wave_id % 3 = 0, 'w0', 'w1') as wave, "
        "'d' as dataset_id, ['m/j'] as judge_ids, ['t'] as templates, "
        "timestamp '2026-01-01' as began_at, 0 as failed_count, if(wave_id % 3 = 1, 2, 1) as place "
        "from (select distinct wave_id from drawn)"
    )
    connection.execute(
        "create schema raw; create table raw.anchor_items as select distinct anchor_set, "
        "if(wave_id % 3 = 2, 'a' || wave_id // 3, null) as follows, 'made up' as _source_file, "
        "now() as _loaded_at "
        "from intermediate.int_anchor_waves"
    )


def _means(planted: Planted, seed: int) -> dict[str, float]:
    if not planted.is_verdict:
        shifts = (0.0, planted.judge, planted.judge + planted.system)
        return dict(zip(("j0s0", "j1s0", "j1s1"), shifts, strict=True))
    drawn = draw(planted, 4_000_000 // (TOPICS * ITEMS), seed)
    return {name: float(values.mean()) for name, values in drawn.items()}


def study_cell(name: str, planted: Planted, *, studies: int, seed: int) -> dict[str, Any]:
    """Return what a cell's studies find."""
    mean = _means(planted, seed + 1)
    truth = {
        "drift": mean["j1s0"] - mean["j0s0"],
        "total_change": mean["j1s1"] - mean["j0s0"],
        "judge_change": mean["j1s0"] - mean["j0s0"],
        "system_change": mean["j1s1"] - mean["j1s0"],
    }
    drawn = draw(planted, studies, seed)
    with built(lambda base: fill(base, drawn), "rpt_drift rpt_score_change") as (marts, took):
        rows = []
        for measure, true in truth.items():
            mart, only = (
                ("rpt_drift", "where since = 'first'")
                if measure == "drift"
                else ("rpt_score_change", "")
            )
            found = marts.execute(f"select {measure}_low, {measure}_high from {mart} {only}")
            known = [row for row in found.fetchall() if row[0] is not None]
            hits = sum(low <= true <= high for low, high in known)
            rows.append({"measure": measure, "truth": round(true, 4), **covers(hits, len(known))})
        alarms = marts.execute(
            "select count(*) filter (where p_adjusted < 0.05), count(*) from rpt_drift "
            "where since = 'first'"
        ).fetchall()[0]
    return {
        "cell": name,
        "planted": vars(planted),
        "seconds": round(took, 1),
        "intervals": rows,
        **share_of("significant", *alarms),
        "holds": clopper_pearson(*alarms)[0] <= 0.05 if not planted.judge else None,
    }


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS)
def test_intervals_of_drift_cover_the_truth(cell: str) -> None:
    found = simulate(CELLS, study_cell, seed=SEED, only=cell, studies=STUDIES)
    assert broken(found) == []


if __name__ == "__main__":
    main("drift", CELLS, study_cell, seed=SEED)
