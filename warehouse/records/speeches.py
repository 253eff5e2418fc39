"""The records of speeches that people score, and of what analyses of key points find."""

from dataclasses import dataclass as plain_dataclass
from datetime import datetime

from pydantic.dataclasses import dataclass

from warehouse.records.answers import Reply
from warehouse.records.core import CONFIG, DatasetId, Finite, Int, KeyOfDataset, Name, Prose


@dataclass(frozen=True, slots=True, config=CONFIG)
class Dimension:
    """One question people were asked about an item, and its scale."""

    dataset_id: DatasetId
    dimension: Name
    question: Prose
    scale_min: Finite
    scale_max: Finite


@dataclass(frozen=True, slots=True, config=CONFIG)
class Rating:
    """What one person said about one item on one dimension."""

    dataset_id: DatasetId
    item_id: KeyOfDataset
    annotator_id: KeyOfDataset
    dimension: Name
    value: Finite


@plain_dataclass(frozen=True, slots=True)
class KeyPointAnalysis:
    """One analysis of key points, and the method it was made with."""

    analysis_id: str
    name: str
    is_labelled: bool
    dataset_id: str | None
    dimension: str | None
    template: str | None
    rephraser: str
    embedder: str
    polarity_by: str
    match_threshold: float
    redundancy_threshold: float
    method_hash: str
    settings: str
    seed: int
    code_version: str
    made_at: datetime


@plain_dataclass(frozen=True, slots=True)
class KeyPointJustification:
    """Why a judge says what it says of one item."""

    analysis_id: str
    judge_id: str
    item_id: str
    request_id: str
    run_id: str
    sample: Int
    justification: str | None
    rephrased: str | None
    rephrased_by: str | None
    status: str
    reason: str | None
    sentence_count: Int
    word_count: Int


@plain_dataclass(frozen=True, slots=True)
class KeyPointSentence:
    """One sentence of a justification; no judge wrote those of the labelled set."""

    analysis_id: str
    sentence_id: str
    judge_id: str | None
    item_id: str | None
    request_id: str | None
    position: Int
    text: str
    word_count: Int
    polarity: str | None
    polarity_score: float | None
    removal_reason: str | None
    is_candidate: bool
    candidate_reason: str | None
    selection_reason: str | None
    redundant_with: str | None
    key_point_id: str | None
    similarity: float | None


@plain_dataclass(frozen=True, slots=True)
class KeyPoint:
    """One key point that an analysis chose."""

    analysis_id: str
    key_point_id: str
    polarity: str
    text: str
    sentence_id: str
    position: Int
    gain: Int


@plain_dataclass(frozen=True, slots=True)
class KeyPointMatch:
    """How near a sentence is to a key point."""

    analysis_id: str
    sentence_id: str
    key_point_id: str
    similarity: float
    is_matched: bool
    is_best: bool


@plain_dataclass(frozen=True, slots=True)
class KeyPointLabel:
    """The key point that people gave a sentence of the labelled set."""

    sentence_id: str
    text: str
    polarity: str
    key_point: str | None
    split: str


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Score(Reply):
    """One score of an item."""

    item_id: str
    item_kind: str | None
    dimension: str
    value: float | None
    value_released: float | None
    part: Int


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSpeech(Reply):
    """One speech that a model wrote, and the item it makes."""

    debate_id: str
    word_limit: Int | None
    speech: str | None
    item_id: str | None
    word_count_written: Int | None
    word_count: Int | None
    removed_sentence_count: Int | None
