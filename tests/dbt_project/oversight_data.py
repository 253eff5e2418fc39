"""Made-up stories, transcripts and judgements, as rows of the raw tables."""

from collections.abc import Iterable
from typing import Any

ASKED = {"template": "ov", "wording": "own"}


def stories(rights: dict[str, tuple[str, int | None]]) -> dict[str, list[dict[str, Any]]]:
    """Return stories and questions from the story and the right answer of each question."""
    return {
        "stories": [
            {"story_id": story} for story in dict.fromkeys(story for story, _ in rights.values())
        ],
        "reading_questions": [
            {"question_id": name, "story_id": story, "right_answer": right}
            for name, (story, right) in rights.items()
        ],
    }


def transcript(
    question: str, argued: int | None = None, debater: str = "m/x", **more: Any
) -> dict[str, Any]:
    """Return a debate of a model against itself, or its consultancy for an answer."""
    protocol = "debate" if argued is None else "consultancy"
    name = f"{question}@{protocol}{argued}{debater}"
    return ASKED | {
        "transcript_id": name,
        "run_id": f"run-{debater}",
        "request_id": name,
        "judge_id": debater,
        "question_id": question,
        "protocol": protocol,
        "round_count": 3,
        "argued_answer": argued or 0,
        "opponent_id": "self" if argued is None else None,
        "word_limit": 50,
        "status": "complete",
        "transcript_hash": "x",
        **more,
    }


def judgements(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return requests to judge; what a row does not say is that of a plain final judgement."""
    told = []
    for number, row in enumerate(rows):
        judge = row.get("judge_id", "j/a")
        p = row.get("p_answer_0")
        told.append(
            ASKED
            | {
                "run_id": f"run-{judge}",
                "request_id": f"r{number:05d}",
                "judge_id": judge,
                "parse_status": "unparsed" if p is None else "parsed",
                "parse_reason": "no_probability" if p is None else None,
                **row,
            }
        )
    return told
