"""The questions to begin with: those of every source, put together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inference.errors import CurationFailed
from inference.questions.curation.forms import read_rows
from inference.questions.curation.funnel import Reason, Step, sift
from inference.questions.curation.records import Question

_ENDINGS = (".csv", ".jsonl")


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of a folder: every file is a source, and its name is the source's.

    A `.csv` or `.jsonl` file has a column `question`, and may have an `id`, by which its questions
    are known; else they are by their line. Sources come in the order of the files' names.

    Args:
        folder: The folder.

    Raises:
        CurationFailed: There is no source, one cannot be read, or has an id twice.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix in _ENDINGS)
    if not paths:
        raise CurationFailed(
            f"questions: {folder} has no .csv or .jsonl file; put the questions there, one file "
            "per source, with a column 'question'"
        )
    found: dict[str, Question] = {}
    for path in paths:
        for number, row in read_rows(path):
            if "question" not in row:
                raise CurationFailed(
                    f"questions: {path}, line {number} has no 'question'; it has "
                    f"{', '.join(row) or 'nothing'}"
                )
            name = f"{path.stem}:{row.get('id') or number}"
            if name in found:
                raise CurationFailed(
                    f"questions: {path}, line {number}: the id of '{name}' was there before; give "
                    "each question of a source an id of its own"
                )
            found[name] = Question(name, " ".join(row["question"].split()), path.stem)
    return list(found.values())


def merge(questions: Sequence[Question]) -> Step[Question]:
    """Return the questions that ask anything.

    Args:
        questions: The questions of all sources.
    """
    return sift(
        "merge",
        "question",
        questions,
        lambda question: question.question_id,
        [
            (
                "blank_question",
                lambda question: None if question.question else Reason("no text in it"),
            )
        ],
    )
