"""The files of people: the questions they bring, and the forms they fill in."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inference.errors import CurationFailed
from inference.questions.curation.records import Question, Reason, Step, sift

_ENDINGS = (".csv", ".jsonl")
_WORDS = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a `.csv` file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a file, each with its line and all its values as texts.

    Raises:
        CurationFailed: It cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".csv":
            reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
            return [(reader.line_num, _texts(row)) for row in reader]
        lines = text.removesuffix("\n").split("\n") if text else []
        return [(number, _texts(json.loads(line))) for number, line in enumerate(lines, start=1)]
    except (OSError, ValueError, TypeError, RecursionError, csv.Error) as error:
        raise CurationFailed(
            f"curation: cannot read {path}: {error}; save it as UTF-8, with a header line (.csv) "
            "or one JSON object on each line (.jsonl)"
        ) from None


def yes_or_no(word: str) -> bool | None:
    """Return what `1`, `yes`, `true` and their opposites mean; None for any other word."""
    return _WORDS.get(word.strip().lower())


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of a folder: every file is a source, and its name is the source's.

    A `.csv` or `.jsonl` file has a column `question`, and may have an `id`, by which its questions
    are known; else they are by their line. Sources come in the order of the files' names.

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
    """Return the questions that ask anything."""
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


def _texts(row: Any) -> dict[str, str]:
    if not isinstance(row, Mapping):
        raise TypeError(f"{row!r} is no object")
    # A line with more values than columns has its rest under None.
    named = {str(name): value for name, value in row.items() if name is not None}
    return {name: "" if value is None else str(value).strip() for name, value in named.items()}
