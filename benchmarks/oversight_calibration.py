"""How long does calibration take over a million probabilities?

The probabilities are made up. The limit is writing them once, as DuckDB copies their table.
"""

from typing import Any

import duckdb

from benchmarks.building import build_made_up
from benchmarks.harness import Budget
from benchmarks.made_up import AT, ORIGIN
from warehouse.raw import append_rows
from warehouse.schema import migrate

BUDGETS = (
    Budget("a million oversight probabilities through the build", 40, "wall_s", "s", "limit_s"),
)
_QUESTIONS_A_STORY = 5


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
    append_rows(
        connection,
        "reading_questions",
        f"""
        select
            'made-up:' || question as question_id, 'made-up' as dataset_id,
            'made-up:story-' || question // {_QUESTIONS_A_STORY} as story_id, 'Which?' as question,
            'This' as answer_0, 'That' as answer_1, hash(question, 'right') % 2 as right_answer,
            'h' as item_hash, {ORIGIN}
        from range({questions}) as questions (question)
        """,
    )
    append_rows(
        connection,
        "oversight_judgements",
        f"""
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
        """,
    )
    found = connection.execute("select count(*) from raw.oversight_judgements").fetchone()
    return int(found[0]) if found else 0


def measure(judges: int = 10, questions: int = 50_000) -> dict[str, Any]:
    """Make up probabilities, and build the marts on calibration."""
    return build_made_up(
        lambda connection: {"judgements": fill(connection, judges, questions)},
        "raw.oversight_judgements",
        "+rpt_calibration",
        "+rpt_reliability_bins",
    ) | {"judges": judges, "questions": questions}
