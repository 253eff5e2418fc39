"""What people judged of debates and consultancies of models about QuALITY's questions.

Each row of the release is one debate, read by one person who had not read the story, or one
question that a person was asked without any help. The answer shown first is called pro, the other
con, as in other rooms about stories.

Which judgements are analysed: the release's exclusions, in order, with the values of its settings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ingestion.batch import Reject
from ingestion.debates.batch import DebateRecord, DebateSource
from ingestion.debates.turns import turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.readers.story_debates import (
    SIDES,
    choice_of,
    context_of,
    outcomes_of,
)
from ingestion.oversight.sources.llm_debate import URL, LlmDebateSettings
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, read_csv_records
from ingestion.registry import ANY
from ingestion.sources.csv_cells import identity, number, shown, text, time, truth
from ingestion.sources.parts import Parts
from warehouse.home import Home
from warehouse.records.core import (
    Dataset,
    Debate,
    FilterRule,
    Removal,
    SpeakerRole,
    Speech,
)
from warehouse.records.debates import HumanVerdict
from warehouse.records.strict_json import strict_json

ONE_SIDED = "one_sided"
_EXPERIMENT = re.compile(r"(?P<number>\d+)(?P<part>[a-z])?(_?(?P<version>v\d+))?", re.IGNORECASE)
# Their candidate arguments were chosen the wrong way round where the answers were swapped.
_WORST_CHOSEN = ("2", "3", "5_v0")
NAME = "llm-debate-humans"
DATASET = Dataset(
    dataset_id=NAME,
    title="Human judgements of debates between models (llm_debate, 2024)",
    licence="MIT",
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


def open_llm_debate(home: Home, location: str, settings: LlmDebateSettings) -> DebateSource:
    """Return the judged debates of a file."""
    parts = Parts(home, location, DATASET)
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

    return DebateSource(
        dataset=DATASET,
        rules=rules_of(settings),
        files=[part.landed.source_file(0)],
        reading=reading,
        records=records(),
    )


@dataclass(frozen=True)
class Experiment:
    """Which experiment a judgement belongs to.

    Attributes:
        version: A version that was given up, such as `v0`.
    """

    number: str
    version: str | None

    @classmethod
    def of(cls, name: str) -> Experiment | None:
        """Return the experiment a name such as "Experiment 5_v0" or "Experiment 8a" names."""
        match = _EXPERIMENT.search(name)
        return (
            cls(match["number"], match["version"] and match["version"].lower()) if match else None
        )

    @property
    def label(self) -> str:
        """Its number, with the version where it has one."""
        return f"{self.number}_{self.version}" if self.version else self.number


@dataclass(frozen=True)
class Judgement:
    """What the rules look at.

    Attributes:
        is_swapped: Whether the right answer was shown second.
        context_required: How much must be read, 1 to 4; None where it is not said.
        judged_at: When, UTC; None where it is not said.
    """

    experiment: Experiment
    judge: str
    is_swapped: bool
    context_required: float | None
    judged_at: datetime | None


def rules_of(settings: LlmDebateSettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting.

    All but the last say which judgements count; the last only which debates other judges may read
    as debates.
    """
    return [
        FilterRule(
            "test_phase_judge",
            "The judge took part in the test phase only.",
            settings.without_judges,
        ),
        FilterRule(
            "worst_argument",
            "A fault chose the worst argument where the answers were swapped.",
            ",".join(_WORST_CHOSEN),
        ),
        FilterRule("preference_model", "Arguments were chosen by a model given up since.", "8_v0"),
        FilterRule(
            "context_required",
            "Too little of the story is needed, in experiment 1.",
            settings.min_context_required,
        ),
        FilterRule("cutoff", "It was judged after the last day of the analysis.", settings.cutoff),
        FilterRule("experiment", "It is of another experiment.", settings.experiments),
        FilterRule(ONE_SIDED, "Fewer than two answers have a debater."),
    ]


def removal_of(judged: Judgement, settings: LlmDebateSettings) -> Removal | None:
    """Return the first rule that a judgement breaks; None when it counts."""
    experiment = judged.experiment
    if judged.judge in _listed(settings.without_judges):
        return Removal("test_phase_judge", f"judge {judged.judge}")
    if judged.is_swapped and experiment.label in _WORST_CHOSEN:
        return Removal("worst_argument", f"experiment {experiment.label}, answers swapped")
    if experiment.label == "8_v0":
        return Removal("preference_model", "experiment 8_v0")
    smallest = settings.min_context_required
    if experiment.number == "1" and smallest != ANY:
        context = judged.context_required
        if context is None or context < float(smallest) - 1e-9:
            shown = "not known" if context is None else f"{context:.4g}"
            return Removal("context_required", f"context required: {shown}")
    if settings.cutoff != ANY:
        if judged.judged_at is None:
            return Removal("cutoff", "judged: not known")
        if judged.judged_at.date().isoformat() > settings.cutoff:
            return Removal("cutoff", f"judged: {judged.judged_at.date()}")
    if settings.experiments != ANY and experiment.number not in _listed(settings.experiments):
        return Removal("experiment", f"experiment {experiment.label}")
    return None


def _listed(value: str) -> list[str]:
    return [] if value == ANY else [each.strip() for each in value.split(",")]


class _Shown(NamedTuple):
    """What a judge was shown: the answers by place, and which of them is right and is argued."""

    of: dict[str, Any]
    answers: tuple[str, str]
    correct: int
    argued: int | None
    protocol: str


def is_percent(rows: Iterable[Mapping[str, Any]], settings: LlmDebateSettings) -> bool:
    """Say whether confidences are percentages: as the user says, or if any is more than 1."""
    if settings.scale in ("percent", "share"):
        return settings.scale == "percent"
    return any(1 < value < math.inf for row in rows if (value := _value(row)) is not None)


def _value(row: Mapping[str, Any]) -> float | None:
    try:
        return number(row, "confidence_correct")
    except BrokenRecord:
        # Rejected when its row is read.
        return None


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
    told = _transcript(fields)
    experiment = Experiment.of(text(fields, "experiment_name") or "")
    if experiment is None:
        raise BrokenRecord(
            "experiment_name", f"should hold a number; found {shown(fields.get('experiment_name'))}"
        )
    being_shown = _shown_of(fields, told)
    judged_at = time(fields, "judgement_time")
    judge = identity(fields, "judge_id")
    removal = removal_of(
        Judgement(
            experiment,
            judge,
            being_shown.correct == 1,
            number(fields, "context_required"),
            judged_at,
        ),
        settings,
    )
    turns, round_count, order = _turns(being_shown, told, judge)
    is_counted = removal is None
    if removal is None and (sides := len({turn.side for turn in turns if turn.side})) < 2:
        removal = Removal(ONE_SIDED, f"answers with a debater: {sides}")
    is_naive = being_shown.protocol == "naive"
    is_live = text(fields, "interactive_judge") is not None and not is_naive
    is_live = is_live and truth(fields, "interactive_judge")
    verdict = _verdict(fields, being_shown, judge, unit, is_live, round_count, judged_at)
    config = text(fields, "debater_config")
    rest = {name: text(fields, name) for name in _IN_EXTRA} | {
        "answers": list(being_shown.answers),
        "correct_answer": being_shown.correct,
        "argued_answer": being_shown.argued,
        "is_ai": None if is_naive else True,
        "turn_order": order,
        "included_in_paper": is_counted,
        "status": "Complete",
        "debate_setting": ", ".join(
            each
            for each in (
                f"experiment {experiment.label}",
                PurePosixPath(config).stem if config else None,
            )
            if each
        ),
    }
    story = text(fields, "story_title")
    debate = Debate(
        **being_shown.of,
        motion=fields.get("question"),  # type: ignore[arg-type]
        context=context_of(being_shown.answers),
        format=f"story-{being_shown.protocol}",
        round_count=round_count,
        end_side=next((turn.side for turn in reversed(turns) if turn.side), None),
        start_date=judged_at.date() if judged_at else None,
        extra=as_json({name: value for name, value in rest.items() if value is not None}),
        cluster_id=f"{NAME}:story {' '.join(story.split())}" if story else None,
    )
    outcomes = outcomes_of(being_shown.of, being_shown.correct, verdict, "judge")
    return DebateRecord(debate, turns, outcomes, removal, [verdict])


def _transcript(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        told = strict_json(fields.get("transcript") or "")
    except (TypeError, ValueError, RecursionError) as error:
        raise BrokenRecord("transcript", f"is not valid JSON: {error}") from None
    if not isinstance(told, dict) or not isinstance(told.get("answers"), dict):
        raise BrokenRecord("transcript", "should be an object with answers")
    return told


def _shown_of(fields: Mapping[str, Any], told: Mapping[str, Any]) -> _Shown:
    answers = [told["answers"].get(name) for name in ("correct", "incorrect")]
    if not all(isinstance(answer, str) and answer.strip() for answer in answers):
        raise BrokenRecord("transcript", f"should have two answers; found {shown(answers)}")
    method = text(fields, "debate_method") or ""
    if method not in PROTOCOLS:
        expected = ", ".join(PROTOCOLS)
        raise BrokenRecord("debate_method", f"should be one of {expected}; found {shown(method)}")
    swap = fields if text(fields, "swap") is not None else told
    correct = int(truth(swap, "swap"))
    argued = None
    if method == "consultancy":
        consultant = text(fields, "consultant_type")
        if consultant not in ("correct", "incorrect"):
            raise BrokenRecord(
                "consultant_type", f"should be correct or incorrect; found {shown(consultant)}"
            )
        argued = correct if consultant == "correct" else 1 - correct
    right, wrong = answers
    return _Shown(
        {"debate_id": f"{NAME}:{identity(fields, 'debate_id')}", "dataset_id": NAME},
        (wrong, right) if correct else (right, wrong),
        correct,
        argued,
        PROTOCOLS[method],
    )


def _verdict(
    fields: Mapping[str, Any],
    being_shown: _Shown,
    judge: str,
    unit: float,
    is_live: bool,
    round_count: int,
    judged_at: datetime | None,
) -> HumanVerdict:
    confidence = number(fields, "confidence_correct")
    if confidence is None:
        raise BrokenRecord("confidence_correct", "is missing; expected a number")
    p_correct = round(confidence / unit, 9)
    if not 0 <= p_correct <= 1:
        raise BrokenRecord(
            "confidence_correct", f"should be from 0 to {unit:g}; found {confidence:g}"
        )
    said = text(fields, "correct")
    if said is not None and p_correct != 0.5 and truth(fields, "correct") != (p_correct > 0.5):
        raise BrokenRecord(
            "correct", f"should agree with the confidence {confidence:g}; found {said!r}"
        )
    p_pro = round(1 - p_correct, 9) if being_shown.correct else p_correct
    used = number(fields, "turns_used")
    explanation = str(fields.get("explanation") or "")
    return HumanVerdict(
        **being_shown.of,
        judge_id=f"{NAME}:judge {judge}",
        protocol=being_shown.protocol,
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
    being_shown: _Shown, told: Mapping[str, Any], judge: str
) -> tuple[list[Speech], int, str | None]:
    """Return what was said, the number of rounds, and in which order debaters spoke."""
    rounds, names = told.get("rounds") or [], told.get("names")
    if not isinstance(rounds, list) or not all(isinstance(each, dict) for each in rounds):
        raise BrokenRecord("transcript", "should have a list of rounds")
    names = names if isinstance(names, dict) else {}
    places = {"correct": being_shown.correct, "incorrect": 1 - being_shown.correct}
    speakers = ["judge", "cross_examiner", *sorted(places, key=lambda name: places[name])]
    speeches: list[Speech] = []
    for round_number, one_round in enumerate(rounds, start=1):
        # Who asks does so before the round that answers.
        for name in speakers:
            said = one_round.get(name)
            if said is None or (isinstance(said, str) and not said.strip()):
                continue
            if not isinstance(said, str):
                raise BrokenRecord("transcript", f"round {round_number}: {name} should be text")
            side = SIDES[places[name]] if name in places else None
            role: SpeakerRole = "debater" if side else "judge" if name == "judge" else "other"
            who = "judge " + judge if name == "judge" else str(names.get(name) or name).strip()
            speeches.append(
                turn_of(
                    being_shown.of,
                    len(speeches) + 1,
                    said,
                    who,
                    round=str(round_number),
                    side=side,
                    speaker_role=role,
                )
            )
    kind = str(told.get("rollout_type") or (rounds[0].get("type") if rounds else "") or "")
    order = next((order for name, order in _TURN_ORDERS.items() if kind.endswith(name)), None)
    return speeches, len(rounds), order if being_shown.protocol == "debate" else None
