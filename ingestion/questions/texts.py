"""Hashes of questions, perspectives and answers, and the ids of answers."""

# SQL over the columns of the raw tables. A change makes every answer stale.
QUESTION_HASH = "sha256(question)"
PERSPECTIVE_HASH = "sha256(point_of_view || chr(10) || chr(10) || explanation)"
# A judge of an answer reads the question too.
ANSWER_HASH = "sha256(question || chr(10) || chr(10) || response)"


def question_of(answer_id: str) -> str:
    """Return the id of an answer's question."""
    return answer_id.rpartition("@")[0]
