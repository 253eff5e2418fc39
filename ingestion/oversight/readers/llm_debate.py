"""People's judgements of debates and consultancies of models about QuALITY's questions.

Each row of the release is one debate, read by one person who had not read the story, or one
question that a person was asked without any help. The answer shown first is called pro, the other
con, as in other rooms about stories. The rules are the release's exclusions, in order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from ingestion.batch import Reject
from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.turns import turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.readers.story_debates import SIDES, choice_of, context_of, outcomes_of
from ingestion.oversight.sources.llm_debate import LICENCE, URL, LlmDebateSettings
from ingestion.reading import BrokenRecord, Reading, validated
from ingestion.records import Record, read_csv_records
from ingestion.registry import ANY
from ingestion.sources.csv_cells import identity, number, shown, text, time, truth
from ingestion.sources.parts import Parts
from warehouse.records.core import (
    Dataset,
    Debate,
    FilterRule,
    Prose,
    Removal,
    SpeakerRole,
    Speech,
)
from warehouse.records.debates import HumanVerdict
from warehouse.records.strict_json import strict_json

ONE_SIDED = "one_sided"
# "Experiment 5_v0" is a version that was given up; "Experiment 8a" is a part of 8.
_EXPERIMENT = re.compile(r"(\d+)[a-z]?(_?(v\d+))?", re.IGNORECASE)
# Their candidate arguments were chosen the wrong way round where the answers were swapped.
_WORST_CHOSEN = ("2", "3", "5_v0")
NAME = "llm-debate-humans"
DATASET = Dataset(
    dataset_id=NAME,
    title="Human judgements of debates between models (llm_debate, 2024)",
    licence=LICENCE,
    citation="Khan, Hughes, Valentine, Ruis, Sachan, Radhakrishnan, Grefenstette, Bowman, "
    "Rocktaeschel and Perez, Debating with More Persuasive LLMs Leads to More Truthful Answers, "
    "2024",
    url=URL,
)
COLUMNS = (
    "debate_id",
    "judge_id",
    "experiment_name",
    "question",
    "debate_method",
    "consultant_type",
    "interactive_judge",
    "swap",
    "confidence_correct",
    "transcript",
)
PROTOCOLS = {"debate": "debate", "consultancy": "consultancy", "baseline": "naive"}
_TURN_ORDERS = {"sim": "simultaneous", "seq": "sequential"}
_IN_EXTRA = (
    "experiment_name",
    "story_title",
    "question_set_id",
    "quality_source",
    "dataset_split",
    "debater_config",
    "consultant_type",
    "max_turns_allowed",
    "min_turns_required",
    "answerability",
    "untimed_accuracy",
    "speed_accuracy",
    "context_required",
)
_JUDGEMENTS = ("human_feedback.csv", "human_feedback.csv.gz")
_LFS = b"version https://git-lfs"


def _json(cell: Any) -> Any:
    try:
        return strict_json(cell or "")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"is not valid JSON: {error}") from None


class _Answers(BaseModel):
    correct: Prose
    incorrect: Prose


class _Round(BaseModel):
    judge: str | None = None
    cross_examiner: str | None = None
    correct: str | None = None
    incorrect: str | None = None
    type: Any = None


class _Transcript(BaseModel):
    answers: _Answers
    swap: Any = None
    rollout_type: Any = None
    rounds: Annotated[list[_Round], BeforeValidator(lambda value: value or [])] = []
    names: Annotated[
        dict[str, Any], BeforeValidator(lambda value: value if isinstance(value, dict) else {})
    ] = {}


class _Row(BaseModel):
    """The cell of a row that is JSON."""

    transcript: Annotated[_Transcript, BeforeValidator(_json)]


def open_llm_debate(parts: Parts, settings: LlmDebateSettings) -> DatasetBatch:
    """Return the judged debates of a file."""
    reading = Reading(parts.shown)
    tables = [name for name in parts.names if name.endswith(".csv")]
    part = parts.one(_JUDGEMENTS, told=_JUDGEMENTS, otherwise=tables)
    with part.opener() as stream:
        if stream.read(len(_LFS)) == _LFS:
            raise SourceUnreadable(
                f"ingestion: {parts.shown} only points to a file that Git LFS keeps; fetch the "
                f"file itself from {URL}/blob/main/data"
            )

    def rows() -> Iterator[Record | Reject]:
        return read_csv_records(part.opener, shown=parts.shown, required=COLUMNS)

    def records() -> Iterator[Any]:
        fields = (row.fields for row in rows() if isinstance(row, Record))
        percent = is_percent(fields, settings)
        reading.note(f"confidences were read as {'percentages' if percent else 'shares of 1'}")
        yield from records_of(reading.kept(rows()), reading, settings, percent=percent)

    return DatasetBatch(
        dataset=DATASET,
        rules=rules_of(settings),
        files=[part.landed.source_file(0)],
        readings=[reading],
        records=records(),
    )


def rules_of(settings: LlmDebateSettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting.

    All but the last decide which judgements count; the last, which debates other judges may read as
    debates.
    """
    worst, least = ",".join(_WORST_CHOSEN), settings.min_context_required
    shallow = "Too little of the story is needed, in experiment 1."
    unfit = "A fault chose the worst argument where the answers were swapped."
    tested = "The judge took part in the test phase only."
    return [
        FilterRule("test_phase_judge", tested, settings.without_judges),
        FilterRule("worst_argument", unfit, worst),
        FilterRule("preference_model", "Arguments were chosen by a model given up since.", "8_v0"),
        FilterRule("context_required", shallow, least),
        FilterRule("cutoff", "It was judged after the last day of the analysis.", settings.cutoff),
        FilterRule("experiment", "It is of another experiment.", settings.experiments),
        FilterRule(ONE_SIDED, "Fewer than two answers have a debater."),
    ]


def _removal(
    settings: LlmDebateSettings,
    label: str,
    judge: str,
    is_swapped: bool,
    context_required: float | None,
    judged_at: datetime | None,
) -> Removal | None:
    """Return the first rule that a judgement of an experiment breaks; None when it counts."""

    def listed(value: str) -> list[str]:
        return [] if value == ANY else [each.strip() for each in value.split(",")]

    if judge in listed(settings.without_judges):
        return Removal("test_phase_judge", f"judge {judge}")
    if is_swapped and label in _WORST_CHOSEN:
        return Removal("worst_argument", f"experiment {label}, answers swapped")
    if label == "8_v0":
        return Removal("preference_model", "experiment 8_v0")
    experiment_number, least = label.partition("_")[0], settings.min_context_required
    has_least = experiment_number == "1" and least != ANY
    if has_least and (context_required is None or context_required < float(least) - 1e-9):
        found = "not known" if context_required is None else f"{context_required:.4g}"
        return Removal("context_required", f"context required: {found}")
    day = judged_at.date().isoformat() if judged_at else None
    if settings.cutoff != ANY and (day is None or day > settings.cutoff):
        return Removal("cutoff", f"judged: {day or 'not known'}")
    if settings.experiments != ANY and experiment_number not in listed(settings.experiments):
        return Removal("experiment", f"experiment {label}")
    return None


def is_percent(rows: Iterable[Mapping[str, Any]], settings: LlmDebateSettings) -> bool:
    """Whether confidences are percentages: as the user sets it, or if any is more than 1."""
    if settings.scale != ANY:
        return settings.scale == "percent"
    for row in rows:
        try:
            confidence = number(row, "confidence_correct")
        except BrokenRecord:
            # Rejected when its row is read.
            continue
        if confidence is not None and 1 < confidence < math.inf:
            return True
    return False


def records_of(
    rows: Iterable[Record], reading: Reading, settings: LlmDebateSettings, *, percent: bool
) -> Iterator[DebateRecord]:
    """Yield a debate per row, with its judge's verdict."""
    seen: dict[str, str] = {}
    for row in rows:
        with reading.whole(row.place, row.fields):
            record = _record(row.fields, settings, 100.0 if percent else 1.0)
            debate_id = record.debate.debate_id
            if debate_id in seen:
                raise BrokenRecord("debate_id", f"duplicate id: {debate_id} is {seen[debate_id]}")
            seen[debate_id] = row.place
            if not record.turns and record.verdicts[0].protocol != "naive":
                reading.repaired["debates without any text, loaded without turns"] += 1
            yield record


def _record(fields: Mapping[str, Any], settings: LlmDebateSettings, unit: float) -> DebateRecord:
    transcript = validated(_Row, fields).transcript
    experiment = _EXPERIMENT.search(text(fields, "experiment_name") or "")
    if experiment is None:
        reason = f"should hold a number; found {shown(fields.get('experiment_name'))}"
        raise BrokenRecord("experiment_name", reason)
    version = experiment[3]
    label = f"{experiment[1]}_{version.lower()}" if version else experiment[1]
    protocol = PROTOCOLS.get(text(fields, "debate_method") or "")
    if protocol is None:
        reason = f"should be one of {', '.join(PROTOCOLS)}; found {shown(fields['debate_method'])}"
        raise BrokenRecord("debate_method", reason)
    swap = fields if text(fields, "swap") is not None else {"swap": transcript.swap}
    correct = int(truth(swap, "swap"))
    right, wrong = transcript.answers.correct, transcript.answers.incorrect
    answers = (wrong, right) if correct else (right, wrong)
    argued = None
    if protocol == "consultancy":
        consultant = text(fields, "consultant_type")
        if consultant not in ("correct", "incorrect"):
            reason = f"should be correct or incorrect; found {shown(consultant)}"
            raise BrokenRecord("consultant_type", reason)
        argued = correct if consultant == "correct" else 1 - correct
    of = {"debate_id": f"{NAME}:{identity(fields, 'debate_id')}", "dataset_id": NAME}
    judged_at, judge = time(fields, "judgement_time"), identity(fields, "judge_id")
    context_required = number(fields, "context_required")
    removal = _removal(settings, label, judge, correct == 1, context_required, judged_at)
    is_counted = removal is None
    turns, rounds = _turns(of, transcript, correct, judge), transcript.rounds
    if removal is None and (sides := len({turn.side for turn in turns if turn.side})) < 2:
        removal = Removal(ONE_SIDED, f"answers with a debater: {sides}")
    verdict = _verdict(
        fields, of, protocol, correct, judge, unit, len(transcript.rounds), judged_at
    )
    kind = str(
        transcript.rollout_type or (transcript.rounds[0].type if transcript.rounds else "") or ""
    )
    order = next((order for name, order in _TURN_ORDERS.items() if kind.endswith(name)), None)
    config = text(fields, "debater_config")
    setting = [f"experiment {label}", *([PurePosixPath(config).stem] if config else [])]
    rest = {name: text(fields, name) for name in _IN_EXTRA} | {
        "answers": list(answers),
        "correct_answer": correct,
        "argued_answer": argued,
        "is_ai": None if protocol == "naive" else True,
        "turn_order": order if protocol == "debate" else None,
        "included_in_paper": is_counted,
        "status": "Complete",
        "debate_setting": ", ".join(each for each in setting if each),
    }
    story = text(fields, "story_title")
    about = {
        **of,
        "motion": fields.get("question"),
        "context": context_of(answers),
        "format": f"story-{protocol}",
        "round_count": len(rounds),
        "end_side": next((turn.side for turn in reversed(turns) if turn.side), None),
        "start_date": judged_at.date() if judged_at else None,
        "extra": as_json({name: value for name, value in rest.items() if value is not None}),
        "cluster_id": f"{NAME}:story {' '.join(story.split())}" if story else None,
    }
    outcomes = outcomes_of(of, correct, verdict, "judge")
    return DebateRecord(validated(Debate, about), turns, outcomes, removal, [verdict])


def _verdict(
    fields: Mapping[str, Any],
    of: Mapping[str, str],
    protocol: str,
    correct: int,
    judge: str,
    unit: float,
    round_count: int,
    judged_at: datetime | None,
) -> HumanVerdict:
    confidence = number(fields, "confidence_correct")
    if confidence is None:
        raise BrokenRecord("confidence_correct", "is missing; expected a number")
    p_correct = round(confidence / unit, 9)
    if not 0 <= p_correct <= 1:
        reason = f"should be from 0 to {unit:g}; found {confidence:g}"
        raise BrokenRecord("confidence_correct", reason)
    cell = text(fields, "correct")
    if cell is not None and p_correct != 0.5 and truth(fields, "correct") != (p_correct > 0.5):
        reason = f"should agree with the confidence {confidence:g}; found {cell!r}"
        raise BrokenRecord("correct", reason)
    p_pro = round(1 - p_correct, 9) if correct else p_correct
    is_live = protocol != "naive" and text(fields, "interactive_judge") is not None
    is_live = is_live and truth(fields, "interactive_judge")
    used = number(fields, "turns_used")
    explanation = str(fields.get("explanation") or "")
    return HumanVerdict(
        **of,
        judge_id=f"{NAME}:judge {judge}",
        protocol=protocol,
        mode="live" if is_live else "read",
        is_interactive=is_live,
        step=round_count if used is None or not used.is_integer() else max(0, int(used)),
        is_final=True,
        choice=choice_of(p_pro),
        p_pro=p_pro,
        explanation=explanation if explanation.strip() else None,
        judged_at=judged_at,
        extra=as_json({"p_correct": p_correct}),
    )


def _turns(
    of: Mapping[str, str], transcript: _Transcript, correct: int, judge: str
) -> list[Speech]:
    places = {"correct": correct, "incorrect": 1 - correct}
    turns: list[Speech] = []
    for round_number, each in enumerate(transcript.rounds, start=1):
        # Who asks does so before the round that answers.
        for name in ("judge", "cross_examiner", *sorted(places, key=lambda one: places[one])):
            spoken = getattr(each, name)
            if spoken is None or not spoken.strip():
                continue
            side = SIDES[places[name]] if name in places else None
            role: SpeakerRole = "debater" if side else "judge" if name == "judge" else "other"
            who = (
                f"judge {judge}"
                if name == "judge"
                else str(transcript.names.get(name) or name).strip()
            )
            about = {"round": str(round_number), "side": side, "speaker_role": role}
            turns.append(turn_of(of, len(turns) + 1, spoken, who, **about))
    return turns
