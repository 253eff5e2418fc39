"""Answers whose comparison with the points of view on their questions failed as a whole."""

from collections.abc import Sequence
from typing import Any

import duckdb

from inference.kinds.parts import Row
from ingestion.batch import Reject
from ingestion.questions.texts import question_of

# Failures of a whole request: those that are each perspective's outcome, and one that has none.
_WHOLE_STATUSES = ("context_overflow", "empty_answer")
_NO_PERSPECTIVES = "no_partial_answers"


def failed_comparisons(
    connection: duckdb.DuckDBPyConnection, failed: Sequence[Row], label: str
) -> tuple[list[dict[str, Any]], list[Reject]]:
    """Return a row per perspective where the failure says how each came out, else a reject.

    An answer to a question without perspectives has neither: there is nothing to compare.

    Args:
        failed: The last failure of each request that brought no comparison.
    """
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    for shared, _, words in failed:
        kind = shared["status"]
        if kind == _NO_PERSPECTIVES:
            continue
        if kind not in _WHOLE_STATUSES:
            reason = f"has no likelihoods ({kind}: {words})"
            rejects.append(Reject(label, shared["source_record"], "likelihoods", reason, None))
            continue
        perspectives = connection.execute(
            "select partial_answer_id, text_hash from raw.partial_answers "
            "where question_id = ? order by position",
            [question_of(shared["answer_id"])],
        ).fetchall()
        rows += [
            shared | {"partial_answer_id": identity, "text_hash": text_hash}
            for identity, text_hash in perspectives
        ]
    return rows, rejects
