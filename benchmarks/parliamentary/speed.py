"""How long the parliamentary marts take over ten thousand debates, beside the usual loops.

The usual way runs on one judge and few of the debates; its time for all is extrapolated. The limit
is reading: each value is a row of some 40 bytes, compressed to some 10, and is read once for each
table of that size.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.building import build
from benchmarks.parliamentary import baseline
from benchmarks.parliamentary.made_up import fill
from benchmarks.report import asked_for, write_result

_SELECTED = "+path:models/parliamentary"
_COMPARED = {
    "rpt_bp_speaker_scores": ("mae", "rmse", "bias", "correlation", "correlation_within"),
    "rpt_bp_verdict": ("mean_rank_difference", "kendall_tau", "top_accuracy"),
    "rpt_bp_speaker_ranks": ("mean_rank_difference", "kendall_tau", "top_accuracy"),
}
_TASKS = {"rpt_bp_verdict": ("house_ranks",), "rpt_bp_speaker_ranks": ("speaker_ranks",)}


def measure(path: Path, judges: int, debates: int) -> tuple[int, dict[str, Any]]:
    """Make up debates and rulings, build the marts, and return the values and where time went."""
    with duckdb.connect(str(path)) as connection:
        values = fill(connection, judges, debates)
    return values, build(path, _SELECTED)


def compare(path: Path) -> dict[str, Any]:
    """Run the usual way on the first judge and check that it finds the same figures."""
    started = time.monotonic()
    found = baseline.analyse(baseline.load(str(path), 1))
    usual_s = time.monotonic() - started
    compared = 0
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = [
            (judge, (*_TASKS.get(mart, ()), measure), value)
            for mart, measures in _COMPARED.items()
            for judge, measure, value in connection.execute(
                f"select judge_id, measure, value from marts.{mart} where measure in ?",
                [list(measures)],
            ).fetchall()
        ]
        for judge, effect, value, low in connection.execute(
            "select judge_id, effect, estimate, estimate_low from marts.rpt_bp_bias "
            "where outcome = 'speaker_score' "
            "and effect in ('opening_half', 'government', 'late_speaker')"
        ).fetchall():
            rows += [(judge, (effect,), value), (judge, (effect, "low"), low)]
    for judge, key, value in rows:
        expected = found.get((judge, *key))
        if expected is not None:
            compared += 1
            if abs(value - expected) > 1e-9:
                message = f"speed: {' '.join(key)} of {judge}: {value} != {expected}"
                raise ValueError(message)
    return {"usual_judges": 1, "usual_s": round(usual_s, 1), "figures_compared": compared}


def main() -> None:
    """Measure ten thousand debates and twenty judges, and write the result."""
    asked = asked_for(__doc__.splitlines()[0], judges=20, debates=10_000, usual_debates=500)
    with tempfile.TemporaryDirectory() as folder:
        values, found = measure(Path(folder) / "build.duckdb", asked.judges, asked.debates)
    # The loops would take over an hour on all of it. One judge on fewer debates is enough to see
    # that both ways find the same, and what the loops take for each of its debates.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        measure(path, 1, asked.usual_debates)
        usual = compare(path)
    usual_all_s = usual["usual_s"] * asked.judges * asked.debates / asked.usual_debates
    write_result(
        "parliamentary",
        {
            "judges": asked.judges,
            "debates": asked.debates,
            "values": values,
            **found,
            "usual_debates": asked.usual_debates,
            **usual,
            "usual_extrapolated_s": round(usual_all_s, 1),
            "usual_extrapolated_over_models": round(usual_all_s / found["models_s"], 1),
        },
    )


if __name__ == "__main__":
    main()
