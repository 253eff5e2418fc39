"""Made-up files in the layout of QuALITY's release."""

import json
from typing import Any


def reader(answer: int, distractor: int, answerable: int = 1, context: int = 2) -> dict[str, Any]:
    """Return what an untimed reader says."""
    return {
        "untimed_annotator_id": "w",
        "untimed_answer": str(answer),
        "untimed_eval1_answerability": answerable,
        "untimed_eval2_context": context,
        "untimed_eval3_distractor": distractor,
    }


def question(
    text: str = "Who rang?",
    gold: int | None = 2,
    hurried: tuple[int, ...] = (1, 2, 3, 1, 4),
    **other: Any,
) -> dict[str, Any]:
    """Return a question that every default rule keeps, but for what is changed.

    Its readers name option 3 twice as tempting and option 4 once.
    """
    found: dict[str, Any] = {
        "question": text,
        "options": ["the cook", "the maid", "the smith", "nobody"],
    }
    if gold is not None:
        found |= {
            "gold_label": gold,
            "writer_label": gold,
            "difficult": 1,
            "validation": [reader(gold, 3), reader(gold, 4), reader(gold, 3)],
            "speed_validation": [
                {"speed_annotator_id": "s", "speed_answer": str(each)} for each in hurried
            ],
        }
    return found | other


def line(
    article_id: str = "100", set_id: str = "100_A", questions: list[Any] | None = None, **other: Any
) -> dict[str, Any]:
    """Return one article with the questions of one writer."""
    about = json.loads("""{
        "batch_num": "1", "writer_id": "7", "source": "Gutenberg", "title": "The Bell",
        "author": "A. Nobody", "topic": "Bells", "url": "https://example.org/100", "year": "1951",
        "license": "made up", "article": "A bell rang.\\n\\nNobody came."
    }""")
    about |= {"article_id": article_id, "set_unique_id": set_id}
    return about | {"questions": [question()] if questions is None else questions} | other
