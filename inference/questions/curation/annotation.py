"""Annotations of partial answers, the removals they decide, and the data set that is left.

Each of three annotators answers three questions about every partial answer with yes or no:

- `is_grounded` (task 1): do the point of view and the explanation follow from the documents?
- `is_addressing` (task 2): does it answer the question from some side?
- `is_ethical`: does it keep to morals and to human ethics?

Answers come as `.csv` or `.jsonl` files with the columns `partial_answer_id`, `annotator_id` and
these three, each `1`/`0`, `yes`/`no` or `true`/`false`. Every annotator may have a file, or all of
them one. `form` makes the file they fill in; its `text_hash` identifies the text that was
annotated, so that an answer about an earlier text is never taken for one about a later.

A partial answer goes when more than half of its annotators say no to the same question, or when
more than half find some fault with it.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from pydantic import Field

from inference.errors import CurationFailed, StepWaits
from inference.questions.curation.files import (
    TABLES,
    Result,
    Row,
    YesNo,
    csv_text,
    jsonl,
    read_result,
    read_rows,
)
from inference.questions.curation.records import (
    Annotation,
    Check,
    Evidence,
    PartialAnswer,
    Question,
    Reason,
    Step,
    sift,
)
from warehouse.files import write_atomically

ANNOTATORS = 3
TASKS = ("is_grounded", "is_addressing", "is_ethical")
FORM = "form.csv"
_NAMED = 3
_SHOWN = ("question", "point_of_view", "explanation", "documents")
_Name = Annotated[str, Field(min_length=1)]


class _AnnotationRow(Row):
    partial_answer_id: _Name
    annotator_id: _Name
    is_grounded: YesNo
    is_addressing: YesNo
    is_ethical: YesNo
    text_hash: str | None = None


_COLUMNS = tuple(_AnnotationRow.model_fields)[:-1]
_NEXT_STEP = (
    f"expected are the columns {', '.join(_COLUMNS)}, the last three of them 1 or 0, yes or no"
)


def read_annotations(folder: Path) -> list[Annotation]:
    """Return the annotations of a folder, file by file; the empty form is left out.

    Raises:
        CurationFailed: A file is not in the form, or somebody answered twice.
    """
    found: dict[tuple[str, str], Annotation] = {}
    for path in sorted(folder.glob("*")):
        if path.name == FORM or path.suffix not in TABLES:
            continue
        for number, row in read_rows("annotation", path, _AnnotationRow, _NEXT_STEP):
            key = (row.partial_answer_id, row.annotator_id)
            if key in found:
                raise CurationFailed(
                    f"annotation: {path}, line {number}: '{row.annotator_id}' has answered about "
                    f"'{row.partial_answer_id}' before; keep one of the two"
                )
            found[key] = Annotation(**row.model_dump() | {"text_hash": row.text_hash or None})
    return list(found.values())


def remove_by_majority(
    answers: Sequence[PartialAnswer], annotations: Iterable[Annotation]
) -> Step[PartialAnswer]:
    """Remove the partial answers that most annotators find fault with.

    Raises:
        CurationFailed: An annotation is about no partial answer, or about another text of one.
        StepWaits: A partial answer has too few annotations.
    """
    by_answer: dict[str, list[Annotation]] = {each.partial_answer_id: [] for each in answers}
    texts = {each.partial_answer_id: each.text_hash for each in answers}
    for each in annotations:
        name, who = each.partial_answer_id, f"annotation: '{each.annotator_id}' has answered about"
        if name not in by_answer:
            raise CurationFailed(
                f"{who} '{name}', which is none of the partial answers; take it out, or annotate "
                "the new form"
            )
        if each.text_hash not in (None, texts[name]):
            raise CurationFailed(
                f"{who} an earlier text of '{name}'; take the answer out, and annotate the new form"
            )
        by_answer[name].append(each)
    lacking = [name for name, votes in by_answer.items() if len(votes) < ANNOTATORS]
    if lacking:
        raise StepWaits(
            f"annotation: {len(lacking)} of {len(by_answer)} partial answers have fewer than "
            f"{ANNOTATORS} annotators ({', '.join(lacking[:_NAMED])}); have them annotated too"
        )

    def majority(says_no: Callable[[Annotation], bool]) -> Check[PartialAnswer]:
        def check(answer: PartialAnswer) -> Reason | None:
            votes = by_answer[answer.partial_answer_id]
            against = sorted(vote.annotator_id for vote in votes if says_no(vote))
            if 2 * len(against) <= len(votes):
                return None
            return Reason(f"{len(against)} of {len(votes)}: {', '.join(against)}")

        return check

    return sift(
        "annotation",
        "partial_answer",
        answers,
        lambda answer: answer.partial_answer_id,
        [
            ("not_grounded", majority(lambda vote: not vote.is_grounded)),
            ("not_addressing", majority(lambda vote: not vote.is_addressing)),
            ("unethical", majority(lambda vote: not vote.is_ethical)),
            ("faulty_in_some_way", majority(lambda vote: vote.has_fault)),
        ],
    )


def form(
    answers: Sequence[PartialAnswer],
    questions: Mapping[str, str],
    addresses: Mapping[str, str | None],
) -> str:
    """Return the file that annotators fill in, one line per partial answer."""
    rows = []
    for answer in answers:
        shown = [
            questions[answer.question_id],
            answer.point_of_view,
            answer.explanation,
            " ".join(addresses.get(name) or name for name in answer.document_ids),
        ]
        rows.append([answer.partial_answer_id, "", *shown, *("" for _ in TASKS), answer.text_hash])
    return csv_text([*_COLUMNS[:2], *_SHOWN, *TASKS, "text_hash"], rows)


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
    """Write the questions that have partial answers left, their documents, and all annotations."""
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
    written = read_result(folder / "steps", "partial_answers")
    hashes = {
        answer.partial_answer_id: answer.text_hash
        for answer in (written.of(PartialAnswer) if written else ())
    }
    annotations = [
        {**asdict(each), "text_hash": hashes.get(each.partial_answer_id)}
        for each in annotated.of(Annotation)
    ]
    write_atomically(folder / "data" / "annotations.jsonl", jsonl(annotations))
    write_atomically(folder / "data" / "questions.jsonl", jsonl(questions))
    write_atomically(folder / "data" / "documents.jsonl", jsonl(rows))
