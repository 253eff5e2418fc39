"""What people say about partial answers, and which of them that removes.

Each of three annotators answers three questions about every partial answer with yes or no:

- `is_grounded` (task 1): do the point of view and the explanation follow from the documents?
- `is_addressing` (task 2): does it answer the question from some side?
- `is_ethical`: does it keep to morals and to human ethics?

Answers come as `.csv` or `.jsonl` files with the columns `partial_answer_id`, `annotator_id` and
these three, each `1`/`0`, `yes`/`no` or `true`/`false`. Every annotator may have a file, or all of
them one. `form` makes the file they fill in; its `text_hash` says which text was annotated, so that
an answer about an earlier text is never taken for one about a later.

A partial answer goes when more than half of its annotators say no to the same question, or when
more than half find some fault with it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inference.errors import CurationFailed, StepWaits
from inference.questions.curation.forms import read_rows, table, yes_or_no
from inference.questions.curation.records import Check, PartialAnswer, Reason, Step, sift

ANNOTATORS = 3
TASKS = ("is_grounded", "is_addressing", "is_ethical")
FORM = "form.csv"

_COLUMNS = ("partial_answer_id", "annotator_id", *TASKS)
_SHOWN = ("question", "point_of_view", "explanation", "documents")
_NAMED = 3


@dataclass(frozen=True)
class Annotation:
    """What one person says about one partial answer.

    Attributes:
        annotator_id: The person.
        is_grounded: Whether it follows from the documents.
        is_addressing: Whether it answers the question from some side.
        is_ethical: Whether it keeps to morals and human ethics.
        text_hash: Of the text that was annotated; None where the file does not say.
    """

    partial_answer_id: str
    annotator_id: str
    is_grounded: bool
    is_addressing: bool
    is_ethical: bool
    text_hash: str | None = None

    @property
    def has_fault(self) -> bool:
        """Whether the person said no to anything."""
        return not (self.is_grounded and self.is_addressing and self.is_ethical)


def read_annotations(folder: Path) -> list[Annotation]:
    """Return what people said, file by file; the empty form is left out.

    Raises:
        CurationFailed: A file is not in the form, or somebody answered twice.
    """
    found: dict[tuple[str, str], Annotation] = {}
    for path in sorted(folder.glob("*")):
        if path.name == FORM or path.suffix not in (".csv", ".jsonl"):
            continue
        for number, row in read_rows(path):
            one = _annotation(path, number, row)
            key = (one.partial_answer_id, one.annotator_id)
            if key in found:
                raise CurationFailed(
                    f"annotation: {path}, line {number}: '{one.annotator_id}' has answered about "
                    f"'{one.partial_answer_id}' before; keep one of the two"
                )
            found[key] = one
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
    for one in annotations:
        name = one.partial_answer_id
        if name not in by_answer:
            raise CurationFailed(
                f"annotation: '{one.annotator_id}' has answered about '{name}', which is none of "
                "the partial answers; take it out, or annotate the new form"
            )
        if one.text_hash not in (None, texts[name]):
            raise CurationFailed(
                f"annotation: '{one.annotator_id}' has answered about an earlier text of '{name}'; "
                "take the answer out, and annotate the new form"
            )
        by_answer[name].append(one)
    lacking = [name for name, said in by_answer.items() if len(said) < ANNOTATORS]
    if lacking:
        raise StepWaits(
            f"annotation: {len(lacking)} of {len(by_answer)} partial answers have fewer than "
            f"{ANNOTATORS} annotators ({', '.join(lacking[:_NAMED])}); have them annotated too"
        )

    def against(says_no: Callable[[Annotation], bool]) -> Check[PartialAnswer]:
        return lambda answer: _majority(by_answer[answer.partial_answer_id], says_no)

    return sift(
        "annotation",
        "partial_answer",
        answers,
        lambda answer: answer.partial_answer_id,
        [
            ("not_grounded", against(lambda one: not one.is_grounded)),
            ("not_addressing", against(lambda one: not one.is_addressing)),
            ("unethical", against(lambda one: not one.is_ethical)),
            ("faulty_in_some_way", against(lambda one: one.has_fault)),
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
        documents = " ".join(addresses.get(name) or name for name in answer.document_ids)
        shown = (
            questions[answer.question_id],
            answer.point_of_view,
            answer.explanation,
            documents,
        )
        empty = ("" for _ in TASKS)
        rows.append([answer.partial_answer_id, "", *shown, *empty, answer.text_hash])
    return table([*_COLUMNS[:2], *_SHOWN, *TASKS, "text_hash"], rows)


def _majority(said: Sequence[Annotation], says_no: Callable[[Annotation], bool]) -> Reason | None:
    against = sorted(one.annotator_id for one in said if says_no(one))
    if 2 * len(against) <= len(said):
        return None
    return Reason(f"{len(against)} of {len(said)}: {', '.join(against)}")


def _annotation(path: Path, number: int, row: Mapping[str, str]) -> Annotation:
    values = {name: row.get(name, "") for name in _COLUMNS}
    said = [yes_or_no(values[task]) for task in TASKS]
    known = [word for word in said if word is not None]
    if not values["partial_answer_id"] or not values["annotator_id"] or len(known) < len(TASKS):
        raise CurationFailed(
            f"annotation: {path}, line {number} has {values}; expected the columns "
            f"{', '.join(_COLUMNS)}, the last three of them 1 or 0, yes or no"
        )
    return Annotation(
        partial_answer_id=values["partial_answer_id"],
        annotator_id=values["annotator_id"],
        is_grounded=known[0],
        is_addressing=known[1],
        is_ethical=known[2],
        text_hash=row.get("text_hash") or None,
    )
