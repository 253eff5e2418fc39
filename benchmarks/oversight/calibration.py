"""How long calibration takes over a million probabilities, beside loops with scikit-learn.

Both give Brier score, log score and calibration errors of every judge in every order of the
answers. The marts also bin, decompose, draw stories for their intervals, and simulate what a
calibrated judge would show; the loops do the latter two for one judge and a few replicates, and
their time for all is extrapolated. The limit is writing the probabilities once, as DuckDB copies
their table.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss

from benchmarks.building import build, copying_s
from benchmarks.made_up import AT, ORIGIN
from benchmarks.report import write_result
from warehouse.schema import migrate

_SELECTED = ("+rpt_calibration", "+rpt_reliability_bins")
_QUESTIONS_A_STORY = 5
_BINS = 10
# bootstrap_replicates of dbt_project.yml
_REPLICATES = 1000
_FIGURES = ("brier", "log_score", "reliability", "resolution", "ece_answer_0", "ece_max_p")
# The marts round forecasts to nine digits.
_APART = 1e-7
Arm = tuple[str, str]


def fill(connection: duckdb.DuckDBPyConnection, judges: int, questions: int) -> int:
    """Fill raw with probabilities of judges in both orders, and return how many there are.

    Judges know something of the right answer, the later ones less of it, and lean towards the
    answer shown first.

    Args:
        connection: An empty database that will hold the raw schema.
        judges: Number of judges.
        questions: Number of questions, five to a story.
    """
    migrate(connection)
    connection.execute(
        f"""
        insert into raw.reading_questions by name
        select
            'made-up:' || question as question_id, 'made-up' as dataset_id,
            'made-up:story-' || question // {_QUESTIONS_A_STORY} as story_id, 'Which?' as question,
            'This' as answer_0, 'That' as answer_1, hash(question, 'right') % 2 as right_answer,
            'h' as item_hash, {ORIGIN}
        from range({questions}) as questions (question)
        """
    )
    connection.execute(
        f"""
        insert into raw.oversight_judgements by name
        select
            'run-' || judge as run_id,
            judge || '-' || question || '-' || answer_order as request_id,
            'made-up' as experiment, 'made-up/judge-' || judge as judge_id, 's' as settings_hash,
            'made-up' as dataset_id, 'made-up:' || question as question_id, 'h' as item_hash,
            'ov_naive' as template, 'own' as wording, 'naive' as protocol, true as is_final,
            answer_order, 'none' as probe, 'probability' as asked_for, 0 as sample,
            round(1 / (1 + exp(-(
                (1 - 2 * (hash(question, 'right') % 2)::double)
                + (1 + judge / {judges}) * 3 * (hash(judge, question, answer_order) % 1000000007
                    / 1000000007.0 - 0.5)
                + if(answer_order = '01', 0.2, -0.2)
            ))), 9) as p_answer_0,
            'parsed' as parse_status, 'answered' as request_status, {AT} as answered_at, {ORIGIN}
        from
            range({judges}) as judges (judge), range({questions}) as questions (question),
            (values ('01'), ('10')) as orders (answer_order)
        """
    )
    found = connection.execute("select count(*) from raw.oversight_judgements").fetchone()
    return int(found[0]) if found else 0


def load(path: Path) -> dict[Arm, pd.DataFrame]:
    """Read the forecasts of every judge and order, and of both orders, as a notebook would."""
    with duckdb.connect(str(path), read_only=True) as connection:
        said = connection.execute(
            "select judge_id, question_id, story_id, answer_order, p_answer_0 as p, "
            "1 - right_answer as truth from raw.oversight_judgements "
            "inner join raw.reading_questions using (question_id)"
        ).df()
    keys = ["judge_id", "question_id", "story_id", "truth"]
    both = said.groupby(keys, as_index=False)["p"].mean().assign(answer_order="both")
    arms = pd.concat([said, both]).groupby(["judge_id", "answer_order"])
    return {(str(judge), str(order)): own for (judge, order), own in arms}


def figures(truth: np.ndarray, p: np.ndarray) -> tuple[float, ...]:
    """Return `_FIGURES` of forecasts without equal ones, whose number the bins divide."""
    true_0, said_0 = calibration_curve(truth, p, n_bins=_BINS, strategy="quantile")
    is_right = (p > 0.5) == (truth == 1)
    true_max, said_max = calibration_curve(
        is_right, np.maximum(p, 1 - p), n_bins=_BINS, strategy="quantile"
    )
    return (
        float(brier_score_loss(truth, p)),
        float(log_loss(truth, p)),
        float(np.mean((said_0 - true_0) ** 2)),
        float(np.mean((true_0 - truth.mean()) ** 2)),
        float(np.mean(np.abs(said_0 - true_0))),
        float(np.mean(np.abs(said_max - true_max))),
    )


def replicate(own: pd.DataFrame, replicates: int) -> float:
    """Return the seconds of a replicate: stories drawn for both scores, both errors simulated."""
    generator = np.random.default_rng(5)
    started = time.monotonic()
    truth, p = own["truth"].to_numpy(), own["p"].to_numpy()
    rows = list(own.reset_index().groupby("story_id").indices.values())
    for _ in range(replicates):
        drawn = np.concatenate([rows[each] for each in generator.integers(0, len(rows), len(rows))])
        brier_score_loss(truth[drawn], p[drawn])
        log_loss(truth[drawn], p[drawn])
        for forecast in (p, np.maximum(p, 1 - p)):
            simulated = generator.random(len(forecast)) < forecast
            calibration_curve(simulated, forecast, n_bins=_BINS, strategy="quantile")
    return (time.monotonic() - started) / replicates


def compare(path: Path, replicates: int) -> dict[str, Any]:
    """Run the usual way, check that it finds the same figures, and return how long it took."""
    started = time.monotonic()
    arms = load(path)
    found = {
        arm: figures(own["truth"].to_numpy(), own["p"].to_numpy()) for arm, own in arms.items()
    }
    figures_s = time.monotonic() - started
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(
            f"select judge_id, answer_order, {', '.join(_FIGURES)} from marts.rpt_calibration"
        ).fetchall()
    if {(judge, order) for judge, order, *_ in rows} != arms.keys():
        message = f"calibration: the mart has {len(rows)} rows, the loops {len(arms)}"
        raise ValueError(message)
    for judge, order, *values in rows:
        for name, value, expected in zip(_FIGURES, values, found[judge, order], strict=True):
            if value is None or abs(value - expected) > _APART:
                message = f"calibration: {name} of {judge} {order}: {value} != {expected}"
                raise ValueError(message)
    each_s = replicate(next(iter(arms.values())), replicates)
    return {
        "figures_compared": len(rows) * len(_FIGURES),
        "usual_figures_s": round(figures_s, 1),
        "usual_replicates": replicates,
        "usual_replicate_s": round(each_s, 3),
        "usual_extrapolated_s": round(figures_s + each_s * len(arms) * _REPLICATES, 1),
    }


def main() -> None:
    """Measure both ways, check that they agree, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, default=10)
    parser.add_argument(
        "--questions", type=int, default=50_000, help="a multiple of ten, 100 or more"
    )
    parser.add_argument("--usual-replicates", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        with duckdb.connect(str(path)) as connection:
            judgements = fill(connection, asked.judges, asked.questions)
        found = build(path, *_SELECTED)
        found["limit_s"] = copying_s(path, "raw.oversight_judgements")
        found |= compare(path, asked.usual_replicates)
    write_result(
        "oversight_calibration",
        {
            "judges": asked.judges,
            "questions": asked.questions,
            "judgements": judgements,
            "replicates": _REPLICATES,
            **found,
            "usual_extrapolated_over_models": round(
                found["usual_extrapolated_s"] / found["models_s"], 1
            ),
        },
    )


if __name__ == "__main__":
    main()
