"""The records of raw: their keys, computed columns, and where in the raw tables their rows lie."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
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
    shapes,
    speeches,
)
from warehouse.records.core import Int

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Place:
    """Columns of a shared table that hold rows, or some fields of rows, of one kind.

    A field lies in the column of its name, in the one that `named` gives, or in `facts`.

    Attributes:
        table: The shared table.
        kind: Its `kind` there.
        named: Fields that lie in a column of another name.
        facts: Fields that lie in `facts` although the table has a column of their name.
        copied: Columns that repeat a field which lies elsewhere.
        when: The rows that lie here, as SQL over their fields.
    """

    table: str
    kind: str
    named: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    copied: Mapping[str, str] = field(default_factory=dict)
    when: str = ""


@dataclass(frozen=True)
class Values:
    """Fields of a response that lie in its value, a row of `response_values`."""

    fields: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Table:
    """Rows of one record: a raw table, or a typed view of rows in shared ones.

    Attributes:
        record: The record of a row.
        key: The columns that identify a row.
        more: Columns that the record computes, with their types.
        hashed: Columns that the database computes while a row is loaded.
        without: Fields of the record that are no columns.
        places: Where its rows lie; several places divide them. None for a table of its own.
        values: The fields that lie in the value of a response.
        numbered_by: The column that orders the rows of one request, which `part` numbers.
    """

    record: type
    key: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    hashed: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    values: Values | None = None
    numbered_by: str | None = None


class Column(NamedTuple):
    """A column of a raw table, and its Python type; `Int` where 32 bits hold its numbers."""

    name: str
    kind: Any
    is_nullable: bool


SHARED: Mapping[str, type] = {
    "items": shapes.ItemRow,
    "parts": shapes.PartRow,
    "ratings": shapes.RatingRow,
    "responses": shapes.ResponseRow,
    "response_values": shapes.ResponseValueRow,
    "item_links": shapes.ItemLinkRow,
    "removals": shapes.RemovalRow,
}
_WORDS = {"word_count": Int}
_REQUEST = ("run_id", "request_id")


def _item(kind: str, **named: str) -> tuple[Place, ...]:
    return (Place("items", kind, named),)


def _part(kind: str, *facts: str, **named: str) -> tuple[Place, ...]:
    return (Place("parts", kind, named, facts),)


def _rating(kind: str, **named: str) -> tuple[Place, ...]:
    return (Place("ratings", kind, named),)


def _link(kind: str, **named: str) -> tuple[Place, ...]:
    return (Place("item_links", kind, named),)


def _removal(kind: str, **named: str) -> tuple[Place, ...]:
    return (Place("removals", kind, named),)


def _response(kind: str, *facts: str, **named: str) -> tuple[Place, ...]:
    return (Place("responses", kind, named, facts),)


def _detail(kind: str, **named: str) -> tuple[Place, ...]:
    return (Place("response_values", kind, named),)


_VERDICT = Values(
    ("winner", "p_pro", "p_pro_low", "p_pro_high"),
    Place(
        "response_values",
        "verdict",
        {"winner": "choice", "p_pro": "value", "p_pro_low": "low", "p_pro_high": "high"},
        copied={"outcome": "name"},
    ),
)
TABLES: Mapping[str, Table] = {
    "datasets": Table(core.Dataset, ("dataset_id",)),
    "dimensions": Table(speeches.Dimension, ("dataset_id", "dimension")),
    "judges": Table(core.JudgeRow, ("judge_id",)),
    "runs": Table(answers.Run, ("run_id",)),
    "samples": Table(samples.Sample, ("sample_id",)),
    "reviews": Table(core.Review, ("disagreement_id", "person", "decided_at")),
    # Items.
    "debates": Table(
        core.Debate, ("debate_id",), places=_item("debate", debate_id="item_id", motion="title")
    ),
    "speeches": Table(
        core.Speech,
        ("item_id",),
        _WORDS,
        ("item_hash",),
        places=(
            Place("items", "speech", {"debate_id": "parent_id"}, when="speech_order is null"),
            Place(
                "parts",
                "turn",
                {
                    "item_id": "part_id",
                    "debate_id": "item_id",
                    "speech_order": "position",
                    "item_hash": "part_hash",
                },
                when="speech_order is not null",
            ),
        ),
    ),
    "participants": Table(
        debates.Participant,
        ("participant_id",),
        places=_item("participant", participant_id="item_id", name="title"),
    ),
    "stories": Table(
        oversight.Story,
        ("story_id",),
        _WORDS,
        ("text_hash",),
        places=_item("story", story_id="item_id", text_hash="item_hash"),
    ),
    "reading_questions": Table(
        oversight.ReadingQuestion,
        ("question_id",),
        {"removal_rule": str | None, "removal_reason": str | None},
        ("item_hash",),
        without=("removal",),
        places=_item(
            "reading_question", question_id="item_id", story_id="parent_id", question="title"
        ),
    ),
    "questions": Table(
        questions.Question,
        ("question_id",),
        hashed=("item_hash",),
        places=_item("question", question_id="item_id", question="title"),
    ),
    "documents": Table(
        questions.Document,
        ("document_id",),
        {"top_level_domain": str | None, **_WORDS},
        places=_item("document", document_id="item_id", question_id="parent_id"),
    ),
    "transcripts": Table(
        parliamentary.Transcript,
        ("transcript_id",),
        places=_item("transcript", transcript_id="item_id"),
    ),
    "key_point_analyses": Table(
        speeches.KeyPointAnalysis,
        ("analysis_id",),
        places=_item("key_point_analysis", analysis_id="item_id", name="title"),
    ),
    # Parts.
    "partial_answers": Table(
        questions.PartialAnswer,
        ("partial_answer_id",),
        hashed=("text_hash",),
        places=_part(
            "partial_answer",
            partial_answer_id="part_id",
            question_id="item_id",
            point_of_view="text",
            text_hash="part_hash",
        ),
    ),
    "transcript_segments": Table(
        parliamentary.TranscriptSegment,
        ("transcript_id", "position"),
        places=_part("transcript_segment", transcript_id="item_id", raw_text="text"),
    ),
    "curation_chunks": Table(
        questions.CurationChunk,
        ("dataset_id", "chunk_id"),
        places=_part("curation_chunk", chunk_id="part_id", document_id="item_id"),
    ),
    "key_point_justifications": Table(
        speeches.KeyPointJustification,
        ("analysis_id", "request_id"),
        places=_part(
            "key_point_justification",
            "item_id",
            analysis_id="item_id",
            request_id="part_id",
            justification="text",
        ),
    ),
    "key_point_sentences": Table(
        speeches.KeyPointSentence,
        ("analysis_id", "sentence_id"),
        places=_part("key_point_sentence", "item_id", analysis_id="item_id", sentence_id="part_id"),
    ),
    "key_points": Table(
        speeches.KeyPoint,
        ("analysis_id", "key_point_id"),
        places=_part("key_point", analysis_id="item_id", key_point_id="part_id"),
    ),
    # Ratings.
    "human_ratings": Table(
        speeches.Rating,
        ("item_id", "annotator_id", "dimension"),
        places=_rating("rating"),
    ),
    "human_verdicts": Table(
        debates.HumanVerdict,
        ("debate_id", "judge_id", "is_interactive", "step"),
        places=_rating("verdict", debate_id="item_id", judge_id="annotator_id", p_pro="value"),
    ),
    "debate_outcomes": Table(
        debates.Outcome,
        ("debate_id", "criterion", "decided_by"),
        places=_rating(
            "outcome",
            debate_id="item_id",
            criterion="dimension",
            decided_by="annotator_id",
            winner="choice",
            margin="value",
        ),
    ),
    "logged_verdicts": Table(
        debates.LoggedVerdict,
        ("debate_id", "judge"),
        places=_rating(
            "logged_verdict",
            debate_id="item_id",
            judge="annotator_id",
            winner="choice",
            margin="value",
        ),
    ),
    "team_results": Table(
        parliamentary.TeamResult,
        ("debate_id", "decided_by", "house"),
        places=_rating(
            "team_result",
            debate_id="item_id",
            decided_by="annotator_id",
            house="place",
            points="value",
        ),
    ),
    "speaker_results": Table(
        parliamentary.SpeakerResult,
        ("debate_id", "decided_by", "role"),
        places=_rating(
            "speaker_result",
            debate_id="item_id",
            decided_by="annotator_id",
            role="place",
            score="value",
        ),
    ),
    "preferences": Table(
        questions.Preference,
        ("question_id", "annotator_id", "answer_a", "answer_b"),
        places=_rating("preference", question_id="item_id"),
    ),
    "annotations": Table(
        core.Annotation,
        ("dataset_id", "dimension", "instance_id", "annotator_id"),
        places=_rating("annotation", instance_id="item_id", label="choice"),
    ),
    "curation_annotations": Table(
        questions.CurationAnnotation,
        ("dataset_id", "partial_answer_id", "annotator_id", "task"),
        places=_rating("curation", partial_answer_id="item_id", task="dimension"),
    ),
    "sample_labels": Table(
        samples.SampleLabel,
        ("sample_id", "item_id", "annotator_id"),
        places=_rating("sample_label", sample_id="dimension"),
    ),
    "key_point_labels": Table(
        speeches.KeyPointLabel,
        ("sentence_id",),
        places=_rating("key_point_label", sentence_id="item_id", key_point="choice"),
    ),
    # Links.
    "ensembles": Table(
        answers.Ensemble,
        ("ensemble", "judge_id"),
        places=_link("ensemble", ensemble="from_id", judge_id="to_id"),
    ),
    "adjudicators": Table(
        parliamentary.Adjudicator,
        ("debate_id", "adjudicator_id"),
        places=_link("adjudicator", debate_id="from_id", adjudicator_id="to_id"),
    ),
    "transcript_matches": Table(
        parliamentary.TranscriptMatch,
        ("dataset_id", "match_order"),
        {"match_order": Int},
        places=_link(
            "transcript_match", transcript="from_id", result_row="to_id", match_order="position"
        ),
    ),
    "curation_pairs": Table(
        questions.CurationPair,
        ("dataset_id", "first_id", "second_id"),
        places=_link("curation_pair", first_id="from_id", second_id="to_id", similarity="value"),
    ),
    "key_point_matches": Table(
        speeches.KeyPointMatch,
        ("analysis_id", "sentence_id", "key_point_id"),
        places=_link(
            "key_point_match", sentence_id="from_id", key_point_id="to_id", similarity="value"
        ),
    ),
    "sampled_items": Table(
        samples.SampledItem,
        ("sample_id", "item_id"),
        places=_link("sampled_item", sample_id="from_id", item_id="to_id"),
    ),
    "anchor_items": Table(
        anchors.AnchorItem,
        ("anchor_set", "item_id"),
        places=_link("anchor_item", anchor_set="from_id", item_id="to_id"),
    ),
    # Removals, and the rules that removed.
    "filter_rules": Table(
        core.AppliedRule, ("dataset_id", "rule_order"), places=_removal("filter_rule")
    ),
    "debate_filters": Table(
        core.DebateFilter, ("debate_id",), places=_removal("debate", debate_id="item_id")
    ),
    "curation_steps": Table(
        questions.CurationStep, ("dataset_id", "step"), places=_removal("curation_step")
    ),
    "curation_rules": Table(
        questions.CurationRule,
        ("dataset_id", "step", "unit", "rule_order"),
        places=_removal("curation_rule"),
    ),
    "curation_removals": Table(
        questions.CurationRemoval,
        ("dataset_id", "step", "unit", "item_id"),
        places=_removal("curation", detail="reason"),
    ),
    # Responses.
    "scores": Table(
        speeches.Score,
        (*_REQUEST, "part"),
        places=_response("score"),
        values=Values(
            ("value", "value_released"),
            Place("response_values", "score", copied={"dimension": "name"}),
        ),
    ),
    "written_speeches": Table(
        speeches.WrittenSpeech,
        _REQUEST,
        places=_response("written_speech", "item_id", debate_id="item_id"),
        values=Values(("speech",), Place("response_values", "written_speech", {"speech": "text"})),
    ),
    "verdicts": Table(
        debates.Verdict,
        _REQUEST,
        places=_response("verdict", debate_id="item_id"),
        values=_VERDICT,
    ),
    "pressed_verdicts": Table(
        debates.PressedVerdict,
        _REQUEST,
        places=_response("pressed_verdict", debate_id="item_id"),
        values=replace(_VERDICT, place=replace(_VERDICT.place, kind="pressed_verdict")),
    ),
    "answers": Table(questions.Answer, _REQUEST, places=_response("answer", question_id="item_id")),
    "likelihoods": Table(
        questions.Likelihood,
        (*_REQUEST, "partial_answer_id"),
        numbered_by="partial_answer_id",
        places=_response("likelihood", answer_id="item_id", answer_hash="item_hash"),
        values=Values(
            ("value", "logprob_sum", "token_count", "token_logprobs"),
            Place("response_values", "likelihood", copied={"metric": "name"}),
        ),
    ),
    "adjudications": Table(
        parliamentary.Adjudication,
        _REQUEST,
        places=_response("adjudication", debate_id="item_id"),
    ),
    "oversight_transcripts": Table(
        oversight.OversightTranscript,
        _REQUEST,
        places=_response("oversight_transcript", question_id="item_id"),
    ),
    "oversight_judgements": Table(
        oversight.OversightJudgement,
        _REQUEST,
        places=_response("oversight_judgement", question_id="item_id"),
        values=Values(
            ("p_answer_0", "choice"),
            Place("response_values", "oversight_judgement", {"p_answer_0": "value"}),
        ),
    ),
    # Values of responses.
    "label_probabilities": Table(
        debates.LabelProbability,
        (*_REQUEST, "label"),
        places=_detail("label_probability", label="name", p="value", p_low="low", p_high="high"),
    ),
    "answer_documents": Table(
        questions.AnswerDocument,
        (*_REQUEST, "document_rank"),
        places=_detail(
            "answer_document", document_rank="position", document_id="place", similarity="value"
        ),
    ),
    "answer_pages": Table(
        questions.AnswerPage,
        (*_REQUEST, "address"),
        places=_detail("answer_page", address="place", page_status="choice", detail="text"),
    ),
    "adjudication_values": Table(
        parliamentary.AdjudicationValue,
        (*_REQUEST, "task", "place"),
        places=_detail("adjudication", task="name", reason="text"),
    ),
    "adjudication_faults": Table(
        parliamentary.AdjudicationFault,
        (*_REQUEST, "task", "fault"),
        places=_detail("adjudication_fault", task="name", fault="choice", detail="text"),
    ),
    "oversight_turns": Table(
        oversight.OversightTurn,
        (*_REQUEST, "turn", "candidate"),
        places=_detail("oversight_turn", turn="position", speaker="place", preference="value"),
    ),
    "oversight_quotes": Table(
        oversight.OversightQuote,
        (*_REQUEST, "turn", "candidate", "position"),
        places=_detail("oversight_quote", quote="text", similarity="value"),
    ),
    "anchor_answers": Table(
        anchors.AnchorAnswer,
        ("anchor_set", *_REQUEST),
        places=_detail("anchor_answer", dimension="name"),
    ),
}


@cache
def columns(table: str) -> tuple[Column, ...]:
    """Return the columns of a raw table that its rows bring, those that are hashed left out."""
    found = TABLES[table]
    return _columns(found.record, found.without, tuple(found.more.items()))


@cache
def plain_columns(table: str) -> tuple[Column, ...]:
    """Return the columns of a raw table that no other record shares."""
    records = {"quarantine": shapes.QuarantineRow, "loads": shapes.LoadRow}
    return _columns(records[table]) if table in records else columns(table)


@cache
def shared_columns(table: str) -> tuple[Column, ...]:
    """Return the columns of a shared table."""
    return _columns(SHARED[table])


def _columns(
    record: type, without: tuple[str, ...] = (), more: tuple[tuple[str, Any], ...] = ()
) -> tuple[Column, ...]:
    hints = _hints(record, include_extras=True)
    names = [each.name for each in fields(record) if each.name not in without]
    kinds = {name: hints[name] for name in names} | dict(more)
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
