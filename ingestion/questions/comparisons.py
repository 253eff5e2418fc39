"""Answers whose comparison with the perspectives on their questions failed as a whole."""

from collections.abc import Sequence
from typing import Any

import duckdb

from inference.kinds.parts import Row
from ingestion.batch import Reject
from ingestion.questions.texts import question_of

# Failures of a whole request: outcomes of each perspective, and one without any.
_WHOLE_STATUSES = ("context_overflow", "empty_answer")
_NO_PERSPECTIVES = "no_partial_answers"


def failed_comparisons(
    connection: duckdb.DuckDBPyConnection, failed: Sequence[Row], label: str
) -> tuple[list[dict[str, Any]], list[Reject]]:
    """Return a row per perspective where the failure is the outcome of each, else a reject.

    Args:
        failed: The last failure of each request without a comparison.
    """
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    for shared, _, words in failed:
        status = shared["status"]
        if status == _NO_PERSPECTIVES:
            # Nothing to compare.
            continue
        if status not in _WHOLE_STATUSES:
            reason = f"has no likelihoods ({status}: {words})"
            rejects.append(Reject(label, shared["source_record"], "likelihoods", reason, None))
            continue
        perspectives = connection.execute(
            "select partial_answer_id, text_hash from raw.partial_answers "
            "where question_id = ? order by position",
            [question_of(shared["answer_id"])],
        ).fetchall()
        rows += [
            shared | {"partial_answer_id": name, "text_hash": text_hash}
            for name, text_hash in perspectives
        ]
    return rows, rejects
