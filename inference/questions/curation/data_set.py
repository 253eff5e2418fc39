"""The data set that a curation makes of what is left after its last step."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from inference.questions.curation.annotation import Annotation
from inference.questions.curation.records import Evidence, PartialAnswer, Question
from inference.questions.curation.results import Result, jsonl, read_result
from warehouse.files import write_atomically


def splits(question_ids: Iterable[str], test_questions: int | None) -> dict[str, str | None]:
    """Draw the questions of the test set; the others are the dev set.

    The draw goes by a hash of each id, so it is the same on every machine, and a question more or
    less moves one other at most.
    """
    drawn = sorted(question_ids, key=lambda name: hashlib.sha256(f"split {name}".encode()).digest())
    if test_questions is None:
        return dict.fromkeys(drawn)
    return {name: "test" if at < test_questions else "dev" for at, name in enumerate(drawn)}


def write_data_set(folder: Path, annotated: Result, test_questions: int | None) -> None:
    """Write the questions that have partial answers left, and the documents of these."""
    documents = read_result(folder / "steps", "documents")
    if documents is None:
        return
    answers: dict[str, list[PartialAnswer]] = {}
    for answer in annotated.of(PartialAnswer):
        answers.setdefault(answer.question_id, []).append(answer)
    evidence = [each for each in documents.of(Evidence) if each.question_id in answers]
    # A document that two questions share is one of each.
    names = {
        (each.question_id, each.document.document_id): f"{each.question_id}/d{each.position}"
        for each in evidence
    }
    drawn = splits(answers, test_questions)
    questions = [
        {
            "id": question.question_id,
            "question": question.question,
            "origin": question.origin,
            "split": drawn[question.question_id],
            "partial_answers": [
                {
                    "id": answer.partial_answer_id,
                    "point_of_view": answer.point_of_view,
                    "explanation": answer.explanation,
                    "documents": [names[answer.question_id, each] for each in answer.document_ids],
                }
                for answer in answers[question.question_id]
            ],
        }
        for question in documents.of(Question)
        if question.question_id in answers
    ]
    rows = [
        {
            "id": names[each.question_id, each.document.document_id],
            "question": each.question_id,
            "url": each.document.url,
            "top_level_domain": each.document.top_level_domain,
            "title": each.document.title,
            "text": each.document.text,
        }
        for each in evidence
    ]
    texts = {}
    written = read_result(folder / "steps", "partial_answers")
    for answer in written.of(PartialAnswer) if written else ():
        texts[answer.partial_answer_id] = answer.text_hash
    said = [
        {**asdict(one), "text_hash": texts.get(one.partial_answer_id)}
        for one in annotated.of(Annotation)
    ]
    write_atomically(folder / "data" / "annotations.jsonl", jsonl(said))
    write_atomically(folder / "data" / "questions.jsonl", jsonl(questions))
    write_atomically(folder / "data" / "documents.jsonl", jsonl(rows))
