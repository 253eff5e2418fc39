"""The sample's debatable questions: texts written for this project, marked as sample everywhere."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ingestion import sample
from ingestion.batch import SourceFile
from ingestion.questions.batch import QuestionBatch, QuestionPart, ranked_documents
from warehouse.records.core import Dataset
from warehouse.records.questions import PartialAnswer, Question

NAME = "sample-questions"
DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample questions (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Debatable questions, perspectives and documents made for the Rostrum project.",
)
FOLDER = Path(sample.__file__).parent / "questions"
# What made-up models answered and made-up people say of it, in the formats of `rostrum import`.
SAID = (
    ("answers.jsonl", "answers"),
    ("preferences.jsonl", "preferences"),
    ("dispute_labels.jsonl", "dispute-labels"),
)
_LABEL = "ingestion/sample/questions"


def sample_questions_batch(folder: Path = FOLDER) -> QuestionBatch:
    """Return the bundled questions, with what their perspectives were drawn from.

    Args:
        folder: Where `questions.jsonl` and `documents.jsonl` are.
    """
    questions, documents = _lines(folder / "questions.jsonl"), _lines(folder / "documents.jsonl")
    described = list(map(ranked_documents(NAME), documents))
    return QuestionBatch(
        dataset=DATASET,
        parts=[
            QuestionPart(
                _file(folder, "questions.jsonl", len(questions)),
                [
                    Question(
                        question_id=_id(row["id"]),
                        dataset_id=NAME,
                        question=row["question"],
                        domain=row["domain"],
                    )
                    for row in questions
                ],
                [
                    _perspective(_id(row["id"]), position, said)
                    for row in questions
                    for position, said in enumerate(row["partial_answers"], start=1)
                ],
            ),
            QuestionPart(_file(folder, "documents.jsonl", len(documents)), documents=described),
        ],
    )


def _perspective(question_id: str, position: int, said: dict[str, Any]) -> PartialAnswer:
    return PartialAnswer(
        partial_answer_id=f"{question_id}/p{position}",
        dataset_id=NAME,
        question_id=question_id,
        position=position,
        point_of_view=said["point_of_view"],
        explanation=said["explanation"],
        document_ids=tuple(_id(name) for name in said["documents"]),
    )


def _id(own: Any) -> str:
    return f"{NAME}:{own}"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _file(folder: Path, name: str, records: int) -> SourceFile:
    sha256 = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    return SourceFile(f"the bundled sample's {name}", f"{_LABEL}/{name}", sha256, records)
