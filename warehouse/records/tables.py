"""The raw tables: the record of each, its key, and the columns that are computed."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from typing import get_type_hints as _hints

from pydantic.fields import FieldInfo

from warehouse.records import (
    anchors,
    answers,
    core,
    debates,
    oversight,
    parliamentary,
    questions,
    samples,
    speeches,
)
from warehouse.records.core import Int

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Table:
    """One raw table.

    Attributes:
        record: What a row is.
        key: The columns that tell its rows apart.
        more: Columns that the record computes, with their types.
        hashed: Columns that the database computes while a row is loaded.
        without: Fields of the record that are no columns.
    """

    record: type
    key: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    hashed: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


class Column(NamedTuple):
    """A column of a raw table, and its Python type; `Int` where 32 bits hold its numbers."""

    name: str
    kind: Any
    is_nullable: bool


_WORDS = {"word_count": Int}
_REQUEST = ("run_id", "request_id")
TABLES: Mapping[str, Table] = {
    "datasets": Table(core.Dataset, ("dataset_id",)),
    "dimensions": Table(speeches.Dimension, ("dataset_id", "dimension")),
    "debates": Table(core.Debate, ("debate_id",)),
    "speeches": Table(core.Speech, ("item_id",), _WORDS, ("item_hash",)),
    "human_ratings": Table(speeches.Rating, ("item_id", "annotator_id", "dimension")),
    "judges": Table(core.JudgeRow, ("judge_id",)),
    "filter_rules": Table(core.AppliedRule, ("dataset_id", "rule_order")),
    "debate_filters": Table(core.DebateFilter, ("debate_id",)),
    "debate_outcomes": Table(debates.Outcome, ("debate_id", "criterion", "decided_by")),
    "human_verdicts": Table(
        debates.HumanVerdict, ("debate_id", "judge_id", "is_interactive", "step")
    ),
    "logged_verdicts": Table(debates.LoggedVerdict, ("debate_id", "judge")),
    "participants": Table(debates.Participant, ("participant_id",)),
    "stories": Table(oversight.Story, ("story_id",), _WORDS, ("text_hash",)),
    "reading_questions": Table(
        oversight.ReadingQuestion,
        ("question_id",),
        {"removal_rule": str | None, "removal_reason": str | None},
        ("item_hash",),
        without=("removal",),
    ),
    "questions": Table(questions.Question, ("question_id",), hashed=("item_hash",)),
    "partial_answers": Table(
        questions.PartialAnswer, ("partial_answer_id",), hashed=("text_hash",)
    ),
    "documents": Table(
        questions.Document, ("document_id",), {"top_level_domain": str | None, **_WORDS}
    ),
    "curation_steps": Table(questions.CurationStep, ("dataset_id", "step")),
    "curation_rules": Table(questions.CurationRule, ("dataset_id", "step", "unit", "rule_order")),
    "curation_removals": Table(
        questions.CurationRemoval, ("dataset_id", "step", "unit", "item_id")
    ),
    "curation_annotations": Table(
        questions.CurationAnnotation, ("dataset_id", "partial_answer_id", "annotator_id", "task")
    ),
    "curation_chunks": Table(questions.CurationChunk, ("dataset_id", "chunk_id")),
    "curation_pairs": Table(questions.CurationPair, ("dataset_id", "first_id", "second_id")),
    "team_results": Table(parliamentary.TeamResult, ("debate_id", "decided_by", "house")),
    "speaker_results": Table(parliamentary.SpeakerResult, ("debate_id", "decided_by", "role")),
    "adjudicators": Table(parliamentary.Adjudicator, ("debate_id", "adjudicator_id")),
    "transcript_matches": Table(
        parliamentary.TranscriptMatch, ("dataset_id", "match_order"), {"match_order": Int}
    ),
    "transcripts": Table(parliamentary.Transcript, ("transcript_id",)),
    "transcript_segments": Table(parliamentary.TranscriptSegment, ("transcript_id", "position")),
    "key_point_analyses": Table(speeches.KeyPointAnalysis, ("analysis_id",)),
    "key_point_justifications": Table(
        speeches.KeyPointJustification, ("analysis_id", "request_id")
    ),
    "key_point_sentences": Table(speeches.KeyPointSentence, ("analysis_id", "sentence_id")),
    "key_points": Table(speeches.KeyPoint, ("analysis_id", "key_point_id")),
    "key_point_matches": Table(
        speeches.KeyPointMatch, ("analysis_id", "sentence_id", "key_point_id")
    ),
    "key_point_labels": Table(speeches.KeyPointLabel, ("sentence_id",)),
    "runs": Table(answers.Run, ("run_id",)),
    "ensembles": Table(answers.Ensemble, ("ensemble", "judge_id")),
    "scores": Table(speeches.Score, _REQUEST),
    "written_speeches": Table(speeches.WrittenSpeech, _REQUEST),
    "verdicts": Table(debates.Verdict, _REQUEST),
    "pressed_verdicts": Table(debates.PressedVerdict, _REQUEST),
    "label_probabilities": Table(debates.LabelProbability, (*_REQUEST, "label")),
    "answers": Table(questions.Answer, _REQUEST),
    "answer_documents": Table(questions.AnswerDocument, (*_REQUEST, "document_rank")),
    "answer_pages": Table(questions.AnswerPage, (*_REQUEST, "address")),
    "likelihoods": Table(questions.Likelihood, _REQUEST),
    "preferences": Table(
        questions.Preference, ("question_id", "annotator_id", "answer_a", "answer_b")
    ),
    "adjudications": Table(parliamentary.Adjudication, _REQUEST),
    "adjudication_values": Table(parliamentary.AdjudicationValue, (*_REQUEST, "task", "place")),
    "adjudication_faults": Table(parliamentary.AdjudicationFault, (*_REQUEST, "task", "fault")),
    "oversight_transcripts": Table(oversight.OversightTranscript, _REQUEST),
    "oversight_turns": Table(oversight.OversightTurn, (*_REQUEST, "turn", "candidate")),
    "oversight_quotes": Table(
        oversight.OversightQuote, (*_REQUEST, "turn", "candidate", "position")
    ),
    "oversight_judgements": Table(oversight.OversightJudgement, _REQUEST),
    "annotations": Table(
        core.Annotation, ("dataset_id", "dimension", "instance_id", "annotator_id")
    ),
    "reviews": Table(core.Review, ("disagreement_id", "person", "decided_at")),
    "samples": Table(samples.Sample, ("sample_id",)),
    "sampled_items": Table(samples.SampledItem, ("sample_id", "item_id")),
    "sample_labels": Table(samples.SampleLabel, ("sample_id", "item_id", "annotator_id")),
    "anchor_items": Table(anchors.AnchorItem, ("anchor_set", "item_id")),
    "anchor_answers": Table(anchors.AnchorAnswer, ("anchor_set", "run_id", "request_id")),
}


@cache
def columns(table: str) -> tuple[Column, ...]:
    """Return the columns of a raw table that its rows bring, those that are hashed left out."""
    known = TABLES[table]
    hints = _hints(known.record, include_extras=True)
    names = [each.name for each in fields(known.record) if each.name not in known.without]
    kinds = {name: hints[name] for name in names} | dict(known.more)
    return tuple(Column(name, *_kind(kind)) for name, kind in kinds.items())


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow types of `columns`."""
    import pyarrow as pa

    arrow = {
        str: pa.string(),
        bool: pa.bool_(),
        float: pa.float64(),
        int: pa.int64(),
        Int: pa.int32(),
        date: pa.date32(),
        datetime: pa.timestamp("us"),
    }
    return pa.schema({each.name: arrow[each.kind] for each in columns(table)})


def _kind(hint: Any) -> tuple[Any, bool]:
    """Return the type that stores a hint's values, and whether None is one of them."""
    if get_origin(hint) in (Union, types.UnionType):
        present = [each for each in get_args(hint) if each is not type(None)]
        return _kind(present[0])[0], len(present) < len(get_args(hint))
    if get_origin(hint) is Annotated:
        base, *limits = get_args(hint)
        kind, is_nullable = _kind(base)
        is_small = any(bound <= 2**31 for limit in limits for bound in _bounds(limit))
        return (Int if kind is int and is_small else kind), is_nullable
    if get_origin(hint) is tuple:
        # A JSON list; an empty one may be null.
        return str, True
    return (str if get_origin(hint) is Literal else hint), False


def _bounds(limit: Any) -> Iterator[int]:
    for each in limit.metadata if isinstance(limit, FieldInfo) else (limit,):
        for name in ("lt", "le"):
            if (bound := getattr(each, name, None)) is not None:
                yield bound
