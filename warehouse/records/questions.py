"""The records of debatable questions: perspectives, documents, and how a set was curated."""

from dataclasses import dataclass as plain_dataclass
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

from pydantic import Field
from pydantic.dataclasses import dataclass

from warehouse.records.answers import Measured, OfRequest, Request
from warehouse.records.core import CONFIG, AnyText, Count, DatasetId, Int, KeyOfDataset, Name, Prose

Position = Annotated[int, Field(ge=1, lt=2**31)]


@dataclass(frozen=True, slots=True, config=CONFIG)
class Question:
    """One question people disagree about.

    Attributes:
        question_id: The data set's name, a colon, and the source's own id.
        question: The question, exactly as in the source.
        split: The part of the data set it belongs to.
    """

    question_id: KeyOfDataset
    dataset_id: DatasetId
    question: Prose
    split: Name | None = None
    origin: Name | None = None
    domain: Name | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG)
class PartialAnswer:
    """One perspective that an answer to the question should show.

    Attributes:
        partial_answer_id: The question's id, `/p`, and the position.
        position: Its place among the question's perspectives, from 1.
        document_ids: The documents it was drawn from; None where the source does not say.
    """

    partial_answer_id: KeyOfDataset
    dataset_id: DatasetId
    question_id: KeyOfDataset
    position: Position
    point_of_view: Prose
    explanation: Prose
    document_ids: tuple[KeyOfDataset, ...] | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG)
class Document:
    """One document that perspectives were drawn from, or that a model may look something up in.

    Attributes:
        document_id: Unique within the data set, whose name and a colon it begins with.
        question_id: The question it was found for; None where it is nobody's.
        position: Its rank among the question's documents, from 1.
    """

    document_id: KeyOfDataset
    dataset_id: DatasetId
    text: Prose
    question_id: KeyOfDataset | None = None
    position: Position | None = None
    url: AnyText | None = None
    title: AnyText | None = None
    extra: AnyText | None = None

    @property
    def top_level_domain(self) -> str | None:
        """The last part of its address's host, such as `org`; None where it has none."""
        try:
            host = (urlsplit(self.url or "").hostname or "").rstrip(".")
        except ValueError:
            return None
        last = host.rpartition(".")[2].casefold()
        return last if "." in host and not last.isdigit() else None

    @property
    def word_count(self) -> int:
        """Words of the text."""
        return len(self.text.split())


# In their order, as `rostrum curate` does them.
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
STEPS: tuple[Step, ...] = get_args(Step)
Unit = Literal["question", "page", "document", "partial_answer"]
TASKS = {"is_grounded": "grounded", "is_addressing": "addressing", "is_ethical": "ethical"}
# Rounding may carry a cosine a little past its bounds.
Cosine = Annotated[float, Field(ge=-1.001, le=1.001, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationStep:
    """One step, done or not yet.

    Attributes:
        step_order: Its place, from 1.
        is_done: Whether the folder holds what it made.
        embedder: What compared texts; None where it is not done or unknown.
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


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationRule:
    """One line of the funnel.

    Attributes:
        step_order: Its place, from 1.
        unit: What is counted.
        rule_order: The rule's place among those of its step and unit, from 1.
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


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationRemoval:
    """One thing that a rule removed.

    Attributes:
        unit: What was removed.
        text: What it said: the question, or the point of view; None for documents.
        detail: Why, as text, or the reply that could not be read.
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


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationAnnotation:
    """What one person said about one partial answer, in one task.

    Attributes:
        partial_answer_id: The partial answer, removed or not.
        is_met: Whether the person said yes.
    """

    dataset_id: DatasetId
    partial_answer_id: KeyOfDataset
    question_id: KeyOfDataset
    annotator_id: KeyOfDataset
    task: Literal["grounded", "addressing", "ethical"]
    is_met: bool
    text_hash: AnyText


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationChunk:
    """One part of a question's document, examined.

    Attributes:
        chunk_id: The document's id and the chunk's place in it.
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


@dataclass(frozen=True, slots=True, config=CONFIG)
class CurationPair:
    """Two points of view of one question, examined.

    Attributes:
        similarity: The cosine of the points of view.
        is_distinct: Whether it is below the curation's threshold.
    """

    dataset_id: DatasetId
    question_id: KeyOfDataset
    first_id: KeyOfDataset
    second_id: KeyOfDataset
    similarity: Cosine
    is_distinct: bool


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Request):
    """One answer of a model to a question, and what it was asked with."""

    answer_id: str
    question_id: str
    temperature: float | None
    top_p: float | None
    target_tokens: Int | None
    retrieval: str
    is_trusted_only: bool | None
    response: str | None
    answer_hash: str | None
    word_count: Int | None
    retriever: str | None
    documents_status: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDocument(OfRequest):
    """One part of a document that was behind an answer."""

    document_rank: Int
    document_id: str
    chunk: Int
    similarity: float
    question_id: str | None
    search: Int
    url: str | None
    text_hash: str


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage(OfRequest):
    """One page from the web that was looked up for an answer."""

    address: str
    page_status: str
    detail: str | None
    sha256: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood(Measured):
    """How likely a language model finds a perspective, given an answer."""

    answer_id: str
    answer_hash: str | None
    partial_answer_id: str
    text_hash: str | None
    metric: str
    status: str
    value: float | None
    logprob_sum: float | None
    token_count: int | None
    context_token_count: int | None
    answer_token_count: int | None
    token_logprobs: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which of two answers to a question a person prefers."""

    dataset_id: str
    question_id: str
    annotator_id: str
    answer_a: str
    answer_b: str
    choice: str
    extra: str | None
