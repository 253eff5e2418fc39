"""Rostrum's own files: JSON lines, CSV or Parquet, one row per answer of a judge or a person.

`OWN` declares them all: the record of a row (its fields are the columns), required columns, and the
function that settles values before the record is made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from inference.parliamentary.items import ALL, ASKED_TASKS, SPEAKER_RANKS, TASKS
from ingestion.answers.contracts import (
    AnswerRow,
    DisputeRow,
    JudgementRow,
    PersonVerdictRow,
    PreferenceRow,
    ReplyRow,
    RulingRow,
    ScoreRow,
    VerdictRow,
)
from ingestion.batch import Reject
from ingestion.formats import OWN_NAMES
from ingestion.formats.base import AnyRow, Draft, FileRow, Options, typed_rows
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord
from ingestion.records import Format, Record, read_rows
from ingestion.sources.csv_cells import id_text
from warehouse.records.bp import HOUSES, ROLES

# The column at fault and what is wrong with it.
Problem = tuple[str, str] | None
_Values = dict[str, Any]
# A person may be named as a judge is, too.
_PERSON = "human/"
# Columns that only a file of rulings has.
_ONLY_RULINGS = {"has_motion", "has_info_slide", *TASKS, "house_order"}


@dataclass(frozen=True)
class OwnFile:
    """One of Rostrum's own files.

    Attributes:
        needed: Fields of the record that every row must have.
        header: Columns that a file must have; those of `needed` when not given.
        settle: Completes a row's known columns and its others, or returns its problem.
        more: Columns besides the record's.
        names: The file's names of the record's fields, where they differ.
        numbered: Columns of names, which may be numbers.
        small: Columns whose words may be in capitals.
        may_be_empty: The column whose empty text in CSV is a text.
    """

    row: type[AnyRow]
    needed: tuple[str, ...]
    header: tuple[str, ...] | None = None
    settle: Callable[[_Values, _Values], Problem] = lambda _known, _rest: None
    more: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    numbered: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    may_be_empty: str | None = None

    @property
    def columns(self) -> frozenset[str]:
        """Its columns; other columns of a file are kept in `extra`."""
        own = (self.names.get(each.name, each.name) for each in fields(self.row))
        return frozenset((*own, *self.more)) - {"extra"}


def read_own(
    landed: Landed, encoding: Format, name: str, options: Options
) -> Iterator[FileRow | Reject]:
    """Yield the rows of one of Rostrum's own files.

    Args:
        name: The file's kind, one of `OWN`.
    """
    own = OWN[name]
    columns = own.columns
    given = {"judge": options.judge, "template": options.template} if name == ANSWERS else {}

    def read(record: Record) -> Iterable[Draft]:
        known: _Values = dict(given)
        rest: _Values = {}
        for column, value in record.fields.items():
            # CSV cannot tell an empty text from no text; the others can.
            is_absent = encoding == "csv" and value == "" and column != own.may_be_empty
            if value is not None and not is_absent:
                (known if column in columns else rest)[column] = value
        for column in own.small:
            if isinstance(known.get(column), str):
                known[column] = known[column].strip().casefold()
        if (problem := own.settle(known, rest)) is not None:
            raise BrokenRecord(*problem)
        for column in own.numbered:
            if isinstance(known.get(column), int | float):
                known[column] = id_text(known[column])
        for ours, theirs in own.names.items():
            known[ours] = known.pop(theirs, None)
        return (Draft(own.row, known, rest),)

    header = own.needed if own.header is None else own.header
    records = read_rows(landed.path, encoding, shown=landed.shown, required=header)
    return typed_rows(landed, records, read, names=own.names, required=own.needed)


def own_kind(names: set[str]) -> str | None:
    """Return the kind of Rostrum's own files that has these columns."""
    if "item" not in names:
        if {"question", "annotator", "choice"} <= names:
            return PREFERENCES
        if {"annotator", "label"} <= names and {"answer", "question"} & names:
            return DISPUTE_LABELS
        if {"question", "response"} <= names:
            return ANSWERS
    if not {"item", "judge"} & names:
        return None
    if {"item", "annotator", "winner"} <= names and "judge" not in names:
        return HUMAN_VERDICTS
    if {"judge", "protocol"} <= names and "winner" not in names:
        return OVERSIGHT
    if _ONLY_RULINGS & names:
        return RULINGS
    return VERDICTS if (OWN[VERDICTS].columns - OWN[SCORES].columns) & names else SCORES


def _answered_by(*answers: str) -> Callable[[_Values, _Values], Problem]:
    """Return a check that one of some columns has the judge's answer."""

    def settle(known: _Values, _rest: _Values) -> Problem:
        if not {"item", "judge"} <= known.keys() or any(name in known for name in answers):
            return None
        others = " and ".join(f"'{name}'" for name in answers[1:])
        return answers[0], f"is missing, and so is {others}; expected one of them"

    return settle


def _settle_judgement(known: _Values, _rest: _Values) -> Problem:
    if not {"p_answer_0", "choice", "response"} & known.keys():
        reason = "is missing, and so is what was judged; expected it, or p_answer_0, or choice"
        return "response", reason
    if known.get("probe", "none") != "none" and "probed_answer" not in known:
        return "probed_answer", "is missing; expected 0 or 1"
    if "choice" in known and "p_answer_0" not in known:
        known.setdefault("asked_for", "choice")
    return None


def _settle_ruling(known: _Values, _rest: _Values) -> Problem:
    # A row's speakers have either, and scores where it says nothing: ranks alone are rare.
    of_speakers = SPEAKER_RANKS if known.get("task") == SPEAKER_RANKS else "speaker_scores"
    for places, column in ((HOUSES, "house_ranks"), (ROLES, of_speakers)):
        by_place = {place: known.pop(place) for place in places if place in known}
        if by_place and column in known:
            return next(iter(by_place)), f"is there beside '{column}'; leave one out"
        if by_place:
            known[column] = by_place
    supplied = [task for task in TASKS if task in known]
    if "task" not in known and len(supplied) in (1, len(TASKS)):
        known["task"] = supplied[0] if len(supplied) == 1 else ALL
    task = known.get("task")
    if task is None:
        return "task", f"is missing; expected one of {', '.join(ASKED_TASKS)}"
    if task in ASKED_TASKS and not supplied and "response" not in known:
        asked = " and ".join(TASKS) if task == ALL else task
        return "response", f"is missing, and so is what was ruled; expected it, or {asked}"
    if task in ASKED_TASKS and supplied and supplied != list(TASKS if task == ALL else (task,)):
        return "task", (
            f"is '{task}', and the row gives {' and '.join(supplied)}; expected all that was asked "
            "for and no more, or the reply alone in 'response'"
        )
    return None


def _settle_preference(known: _Values, _rest: _Values) -> Problem:
    for side in ("a", "b"):
        if f"answer_{side}" not in known and f"model_{side}" not in known:
            return f"answer_{side}", f"is missing, and so is model_{side}; expected one of them"
    return None


def _settle_dispute(known: _Values, _rest: _Values) -> Problem:
    if "answer" in known or {"question", "model"} <= known.keys():
        return None
    return "answer", "is missing; expected the answer's id, or question and model instead"


def _settle_person(known: _Values, rest: _Values) -> Problem:
    if "annotator" not in known and "judge" in rest:
        judge = str(rest.pop("judge"))
        if not judge.startswith(_PERSON):
            reason = f"should be {_PERSON}NAME, or the column annotator be there; found {judge!r}"
            return "judge", reason
        known["annotator"] = judge.removeprefix(_PERSON)
    return None


(
    SCORES,
    VERDICTS,
    RULINGS,
    OVERSIGHT,
    ANSWERS,
    PREFERENCES,
    DISPUTE_LABELS,
    HUMAN_VERDICTS,
) = OWN_NAMES
OWN: Mapping[str, OwnFile] = {
    SCORES: OwnFile(ScoreRow, ("item", "judge"), settle=_answered_by("value", "response")),
    VERDICTS: OwnFile(
        VerdictRow,
        ("item", "judge"),
        settle=_answered_by("winner", "p_pro", "response"),
        small=("winner", "first_side", "outcome"),
    ),
    RULINGS: OwnFile(
        RulingRow,
        ("item", "judge", "has_motion", "has_info_slide"),
        settle=_settle_ruling,
        more=(*HOUSES, *ROLES),
        small=("task", "strategy", "house_order"),
    ),
    OVERSIGHT: OwnFile(JudgementRow, ("item", "judge", "protocol"), settle=_settle_judgement),
    # An empty answer is an answer: it is kept, and has no words.
    ANSWERS: OwnFile(
        ReplyRow,
        ("item", "judge", "response"),
        ("question", "response"),
        names={"item": "question"},
        numbered=("question",),
        may_be_empty="response",
    ),
    PREFERENCES: OwnFile(
        PreferenceRow,
        ("question", "annotator", "choice"),
        settle=_settle_preference,
        numbered=("question", "annotator"),
        small=("choice",),
    ),
    DISPUTE_LABELS: OwnFile(
        DisputeRow,
        ("annotator", "label"),
        settle=_settle_dispute,
        numbered=("question", "annotator"),
    ),
    # Who it was may be in another column.
    HUMAN_VERDICTS: OwnFile(
        PersonVerdictRow,
        ("item", "annotator", "winner"),
        ("item", "winner"),
        settle=_settle_person,
        numbered=("item", "annotator"),
        small=("winner",),
    ),
}
# Formats of judgements of people.
OF_PEOPLE = tuple(name for name, own in OWN.items() if not issubclass(own.row, AnswerRow))
