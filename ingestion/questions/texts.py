"""What answers are about and are called: the hashes of questions, perspectives and answers."""

# As SQL over the columns of the raw tables. Whoever changes one makes every answer stale.
QUESTION_HASH = "sha256(question)"
PERSPECTIVE_HASH = "sha256(point_of_view || chr(10) || chr(10) || explanation)"
# With the question: what a judge reads of an answer is both.
ANSWER_HASH = "sha256(question || chr(10) || chr(10) || response)"


def question_of(answer_id: str) -> str:
    """Return the question of an answer's id."""
    return answer_id.rpartition("@")[0]
