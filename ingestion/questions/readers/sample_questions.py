"""The sample's debatable questions: texts written for this project, marked as sample everywhere."""

import json
from pathlib import Path
from typing import Any

from ingestion import sample
from ingestion.batch import SourceFile
from ingestion.questions.batch import QuestionBatch, QuestionPart, ranked_documents
from warehouse.files import sha256_bytes
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
# Made-up models' answers and made-up people's judgements, in the formats of `rostrum import`.
SAID = (
    ("answers.jsonl", "answers"),
    ("preferences.jsonl", "preferences"),
    ("dispute_labels.jsonl", "dispute-labels"),
)


def sample_questions_batch(folder: Path = FOLDER) -> QuestionBatch:
    """Return the bundled questions, with their perspectives and documents."""
    (questions, of_questions), (documents, of_documents) = (
        _lines(folder / name) for name in ("questions.jsonl", "documents.jsonl")
    )
    answers = [
        PartialAnswer(
            partial_answer_id=f"{NAME}:{row['id']}/p{position}",
            dataset_id=NAME,
            question_id=f"{NAME}:{row['id']}",
            position=position,
            point_of_view=answer["point_of_view"],
            explanation=answer["explanation"],
            document_ids=tuple(f"{NAME}:{name}" for name in answer["documents"]),
        )
        for row in questions
        for position, answer in enumerate(row["partial_answers"], start=1)
    ]
    asked = [
        Question(
            question_id=f"{NAME}:{row['id']}",
            dataset_id=NAME,
            question=row["question"],
            domain=row["domain"],
        )
        for row in questions
    ]
    described = list(map(ranked_documents(NAME), documents))
    parts = [
        QuestionPart(of_questions, asked, answers),
        QuestionPart(of_documents, documents=described),
    ]
    return QuestionBatch(DATASET, parts)


def _lines(path: Path) -> tuple[list[dict[str, Any]], SourceFile]:
    content = path.read_bytes()
    lines = [json.loads(line) for line in content.decode().splitlines()]
    shown, label = f"the bundled sample's {path.name}", f"ingestion/sample/questions/{path.name}"
    return lines, SourceFile(shown, label, sha256_bytes(content), len(lines))
