"""How long the alternative annotator test takes over 100,000 items and 50 judges, beside pandas.

Three people and every judge score each item; five items make a text. The usual way is the one of
the test's authors: for each judge and person a loop over the items that scores both against the
others. It runs on few items and judges, finds the same figures, and is extrapolated by the number
of comparisons.

The limit: every comparison of a judge and a person on an item reads a few numbers, some 15 million
comparisons and as many sums.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.building import build
from benchmarks.report import asked_for, write_result
from warehouse.schema import migrate

PEOPLE, PER_TEXT = 3, 5


def fill(path: Path, items: int, judges: int) -> None:
    """Write scores of one to five, judges noisier with their number."""
    with duckdb.connect(str(path)) as connection:
        migrate(connection)
        connection.execute(
            "insert into raw.annotations by name select 'made-up' as dataset_id, 'q' as dimension, "
            "'made-up:' || item as instance_id, "
            f"'made-up:' || item // {PER_TEXT} as text_id, "
            f"if(who < {PEOPLE}, 'made-up:rater-' || who, 'made-up/' || who) as annotator_id, "
            f"who >= {PEOPLE} as is_judge, greatest(1, least(5, round(1 + hash(item) % 400 / 100 + "
            f"(hash(item, who) % 2000 / 1000 - 1) * (0.8 + who / {PEOPLE + judges}))))::double as "
            "value, 'made up' as _source_file, timestamp '2026-01-01' as _loaded_at "
            f"from range({items}) as items (item), range({PEOPLE + judges}) as said (who)"
        )


def usual(path: Path) -> tuple[float, dict[str, tuple[float, float]]]:
    """Return the seconds and the winning rates and advantage probabilities of the usual way."""
    with duckdb.connect(str(path), read_only=True) as connection:
        said = connection.execute("from raw.annotations").df()
    started = time.process_time()
    table = said.pivot_table(index="instance_id", columns="annotator_id", values="value")
    people = sorted(said.loc[~said["is_judge"], "annotator_id"].unique())
    found = {}
    for judge in sorted(said.loc[said["is_judge"], "annotator_id"].unique()):
        p, shares = [], []
        for person in people:
            others = [one for one in people if one != person]
            ahead, behind = _indicators(table, judge, person, others)
            result = stats.ttest_1samp(behind - ahead, 0.1, alternative="less")
            p.append(float(result.pvalue))
            shares.append(float(ahead.mean()))
        found[judge] = (_rejected(p) / len(people), float(np.mean(shares)))
    return time.process_time() - started, found


def _indicators(
    table: pd.DataFrame, judge: str, person: str, others: list[str]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    ahead, behind = [], []
    for _, row in table.iterrows():
        rest = row[others].to_numpy()
        own = -np.sqrt(np.mean((rest - row[person]) ** 2))
        theirs = -np.sqrt(np.mean((rest - row[judge]) ** 2))
        ahead.append(float(theirs >= own))
        behind.append(float(own >= theirs))
    return np.array(ahead), np.array(behind)


def _rejected(p: list[float]) -> int:
    harmonic = sum(1 / place for place in range(1, len(p) + 1))
    passing = [
        place
        for place, value in enumerate(sorted(p), start=1)
        if value <= place / len(p) * 0.05 / harmonic
    ]
    return max(passing, default=0)


def compare(path: Path, found: dict[str, tuple[float, float]]) -> None:
    """Check that the marts have the same figures."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(
            "select judge_id, winning_rate_paper, advantage_probability "
            "from marts.rpt_judge_replacement where epsilon = 0.1 and judge_id <> 'human'"
        ).fetchall()
    for judge, *figures in rows:
        if not np.allclose(figures, found[judge], rtol=0, atol=1e-9):
            message = f"speed: {judge}: {figures} != {found[judge]}"
            raise ValueError(message)


def main() -> None:
    """Measure, and write the result."""
    asked = asked_for(
        __doc__.splitlines()[0], items=100_000, judges=50, usual_items=5_000, usual_judges=2
    )
    marts = ("+rpt_judge_replacement", "+rpt_replacement_people")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        fill(path, asked.usual_items, asked.usual_judges)
        build(path, *marts)
        usual_s, figures = usual(path)
        compare(path, figures)
        path.unlink()
        fill(path, asked.items, asked.judges)
        found = build(path, *marts)
    times = asked.items * asked.judges / (asked.usual_items * asked.usual_judges)
    write_result(
        "decisions_replacement_speed",
        {
            **vars(asked),
            "comparisons": asked.items * asked.judges * PEOPLE,
            **found,
            "usual_s": round(usual_s, 1),
            "usual_extrapolated_s": round(usual_s * times, 1),
            "usual_extrapolated_over_models": round(usual_s * times / found["models_s"], 1),
        },
    )


if __name__ == "__main__":
    main()
