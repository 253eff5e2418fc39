"""How long marts of speeches take over ten thousand of them, beside the usual loops.

Severity, models as speakers, people's quality, their reliability and their number, of fifteen
ratings a speech and twenty judges. The usual way runs on one judge and few topics, and its time is
extrapolated by the number of values. That is too little: leaving out one topic at a time from all
others grows with their square. It has no intervals for people, and the marts have.

The limit: a rating or a score is a row of some 30 bytes that each of these marts reads a few times,
some 0.1 GB in all. Intervals of reliability are 1,000 weighted sums over speeches and those of the
number of people 100 draws of 15 from each, some 0.1 GFLOP each.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.building import build
from benchmarks.report import asked_for, write_result
from benchmarks.speeches import baseline
from benchmarks.speeches.made_up import fill

# Which columns say whose figure it is, and which figures both ways find.
_COMPARED = {
    "rpt_severity": (
        "judge_id, coalesce(source, 'overall')",
        ("shift", "shift_low", "spread_ratio", "spread_ratio_low", "sharpness"),
    ),
    "rpt_speaker_comparison": ("judge_id, source", ("difference", "difference_low")),
    "rpt_rater_quality": ("annotator_id, ''", ("harshness", "tau_c", "spearman")),
    "rpt_crowd_agreement": ("'human', '', measure", ("value",)),
    "rpt_rater_count": ("'human', n_raters::varchar", ("correlation",)),
}
_DRAWN_APART = 0.02


def measure(path: Path, topics: int, judges: int) -> tuple[int, dict[str, Any]]:
    """Make up speeches, build the marts, and return the numbers made up and where time went."""
    with duckdb.connect(str(path)) as connection:
        values = fill(connection, topics, judges)
    return values, build(path, *(f"+{mart}" for mart in _COMPARED))


def compare(path: Path) -> dict[str, Any]:
    """Run the usual way and check that it finds the same figures."""
    started = time.process_time()
    found = baseline.analyse(*baseline.load(str(path)))
    usual_s = time.process_time() - started
    compared = 0
    with duckdb.connect(str(path), read_only=True) as connection:
        for mart, (who, measures) in _COMPARED.items():
            for name in measures:
                is_listed = "measure" in who
                rows = connection.execute(
                    f"select {who}{'' if is_listed else f', {name!r}'}, {name} from marts.{mart} "
                    + ("where measure = 'pearson'" if mart == "rpt_rater_count" else "")
                ).fetchall()
                for *key, value in rows:
                    expected = found.get((mart, *(str(part) for part in key)))
                    if expected is None:
                        continue
                    compared += 1
                    apart = _DRAWN_APART if mart == "rpt_rater_count" else 1e-9
                    if value is None or abs(value - expected) > apart:
                        message = f"speed: {mart} {key}: {value} != {expected}"
                        raise ValueError(message)
    if compared != len(found):
        message = f"speed: {len(found)} figures of the usual way, but {compared} in the marts"
        raise ValueError(message)
    return {"usual_s": round(usual_s, 1), "figures_compared": compared}


def main() -> None:
    """Measure a thousand topics and twenty judges, and write the result."""
    asked = asked_for(__doc__.splitlines()[0], topics=1000, judges=20, usual_topics=40)
    with tempfile.TemporaryDirectory() as folder:
        values, found = measure(Path(folder) / "build.duckdb", asked.topics, asked.judges)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        measured, _ = measure(path, asked.usual_topics, 1)
        usual = compare(path)
    usual_all_s = usual["usual_s"] * values / measured
    write_result(
        "speeches",
        {
            "topics": asked.topics,
            "judges": asked.judges,
            "values": values,
            **found,
            "usual_topics": asked.usual_topics,
            "usual_values": measured,
            **usual,
            "usual_extrapolated_s": round(usual_all_s, 1),
            "usual_extrapolated_over_models": round(usual_all_s / found["models_s"], 1),
        },
    )


if __name__ == "__main__":
    main()
