"""The records of a curation: its steps, what their rules removed, annotations and examinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingestion.batch import SourceFile
from ingestion.contracts import AnyText, Count, Dataset, DatasetId, KeyOfDataset, Name
from ingestion.questions.contracts import Position, QuestionBatch

_CONFIG = ConfigDict(extra="forbid")

# In their order, as `rostrum curate` does them.
STEPS = (
    "merge",
    "deduplicate",
    "queries",
    "documents",
    "points_of_view",
    "examination",
    "partial_answers",
    "annotation",
)
Step = Literal[
    "merge",
    "deduplicate",
    "queries",
    "documents",
    "points_of_view",
    "examination",
    "partial_answers",
    "annotation",
]
Unit = Literal["question", "page", "document", "partial_answer"]
TASKS = {"is_grounded": "grounded", "is_addressing": "addressing", "is_ethical": "ethical"}
# Rounding may carry a cosine a little past its bounds.
Cosine = Annotated[float, Field(ge=-1.001, le=1.001, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationStep:
    """One step, done or not yet.

    Attributes:
        dataset_id: The data set.
        step: The step.
        step_order: Its place, from 1.
        is_done: Whether the folder holds what it made.
        embedder: What compared texts; None where it is not done, or nobody says.
        model: Who wrote; None likewise.
        reranker: What ordered documents; None likewise.
    """

    dataset_id: DatasetId
    step: Step
    step_order: Position
    is_done: bool
    embedder: AnyText | None = None
    model: AnyText | None = None
    reranker: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationRule:
    """One line of the funnel.

    Attributes:
        dataset_id: The data set.
        step: The step.
        step_order: Its place, from 1.
        unit: What is counted.
        rule_order: The rule's place among those of its step and unit, from 1.
        rule: The rule.
        effect: Whether it removes, or notes something about what is kept.
        n_before: How many came to it; None for a note.
        n_affected: How many it removed or is noted of.
    """

    dataset_id: DatasetId
    step: Step
    step_order: Position
    unit: Unit
    rule_order: Position
    rule: Name
    effect: Literal["removes", "notes"]
    n_before: Count | None
    n_affected: Count


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationRemoval:
    """One thing that a rule removed.

    Attributes:
        dataset_id: The data set.
        step: The step.
        unit: What was removed.
        item_id: Which.
        rule: The rule.
        text: What it said: the question, or the point of view; None for documents.
        detail: Why, in words, or the reply that could not be read.
        because_of: What it gave way to; None where nothing took its place.
    """

    dataset_id: DatasetId
    step: Step
    unit: Unit
    item_id: KeyOfDataset
    rule: Name
    text: AnyText | None
    detail: AnyText
    because_of: KeyOfDataset | None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationAnnotation:
    """What one person said about one partial answer, in one task.

    Attributes:
        dataset_id: The data set.
        partial_answer_id: The partial answer, removed or not.
        question_id: Its question.
        annotator_id: The person.
        task: What was asked.
        is_met: Whether the person said yes.
        text_hash: Of the text that was annotated.
    """

    dataset_id: DatasetId
    partial_answer_id: KeyOfDataset
    question_id: KeyOfDataset
    annotator_id: KeyOfDataset
    task: Literal["grounded", "addressing", "ethical"]
    is_met: bool
    text_hash: AnyText


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationChunk:
    """One part of a question's document, examined.

    Attributes:
        dataset_id: The data set.
        chunk_id: The document's id and the chunk's place in it.
        question_id: The question.
        document_id: The document, as one of the question's.
        position: The chunk's place in the document, from 1.
        similarity: Its cosine with the question.
        chunk_rank: Its place among the question's chunks, from 1: the nearest first.
        nearest_partial_answer_id: The point of view nearest to it, of the nearest chunks only.
        nearest_similarity: The cosine of the two.
        is_covered: Whether people found every side it shows among the points of view; None where
            nobody looked.
    """

    dataset_id: DatasetId
    chunk_id: KeyOfDataset
    question_id: KeyOfDataset
    document_id: KeyOfDataset
    position: Position
    similarity: Cosine
    chunk_rank: Position
    nearest_partial_answer_id: KeyOfDataset | None
    nearest_similarity: Cosine | None
    is_covered: bool | None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class CurationPair:
    """Two points of view of one question, examined.

    Attributes:
        dataset_id: The data set.
        question_id: The question.
        first_id: The partial answer of the one.
        second_id: The partial answer of the other.
        similarity: The cosine of the points of view.
        is_distinct: Whether it is below the curation's threshold.
    """

    dataset_id: DatasetId
    question_id: KeyOfDataset
    first_id: KeyOfDataset
    second_id: KeyOfDataset
    similarity: Cosine
    is_distinct: bool


# Each raw table's contract, and its key besides the data set.
TABLES: Mapping[str, tuple[type[Any], tuple[str, ...]]] = {
    "curation_steps": (CurationStep, ("step",)),
    "curation_rules": (CurationRule, ("step", "unit", "rule_order")),
    "curation_removals": (CurationRemoval, ("step", "unit", "item_id")),
    "curation_annotations": (CurationAnnotation, ("partial_answer_id", "annotator_id", "task")),
    "curation_chunks": (CurationChunk, ("chunk_id",)),
    "curation_pairs": (CurationPair, ("first_id", "second_id")),
}


@plain_dataclass(frozen=True)
class CurationPart:
    """What one step's file brings.

    Attributes:
        file: The file.
        rows: Rows by raw table.
    """

    file: SourceFile
    rows: Mapping[str, Sequence[Any]]


@plain_dataclass(frozen=True)
class CurationBatch:
    """One load of one curated data set.

    Attributes:
        dataset: The data set.
        parts: What the files of its steps bring.
        questions: Its questions with all that belongs to them; None while people's answers are
            missing.
        notes: What a user should know about how the folder was read.
    """

    dataset: Dataset
    parts: Sequence[CurationPart]
    questions: QuestionBatch | None = None
    notes: Sequence[str] = field(default=())
