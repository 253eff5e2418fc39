"""Division of a debate into its eight speeches, by tags, labels, times or pauses.

Nothing is guessed. Where eight speeches cannot be told apart the segments have no role, with the
reason, and a person divides the text.
"""

import csv
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription.records import Segment, Utterance
from inference.parliamentary.transcription.transcript_files import role_of
from warehouse.records.bp import ROLES

TAGS, LABELS, TURNS, PAUSES, NOBODY = "tags", "labels", "turns", "pauses", "nobody"
# Between two speeches the chair thanks one speaker and calls the next; nobody holds his breath as
# long within a speech.
PAUSE_S = 8.0
_PART_WORDS = 250
_Group = tuple[str | None, Sequence[Utterance]]


class _TurnRow(BaseModel):
    role: str
    start_s: float = Field(ge=0, allow_inf_nan=False)
    end_s: float = Field(allow_inf_nan=False)


class Turn(NamedTuple):
    """Time of a speech, as a person states it."""

    role: str
    start_s: float
    end_s: float


class Segmented(NamedTuple):
    """A debate, divided.

    Attributes:
        segmenter: What told the speeches apart: `tags`, `labels`, `turns`, `pauses`, or `nobody`.
        reason: Why they are not eight speeches; None where they are.
    """

    segmenter: str
    segments: tuple[Segment, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()


def read_turns(path: Path) -> tuple[Turn, ...]:
    """Return the time of each speech, from a csv file with `role`, `start_s` and `end_s`.

    Raises:
        TranscriptionFailed: It cannot be read, or is not eight turns one after another.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = TypeAdapter(list[_TurnRow]).validate_python(list(csv.DictReader(file)))
    except (OSError, UnicodeDecodeError, csv.Error, ValidationError) as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path} as turns ({type(error).__name__}: {error}); it is a "
            f"csv file with the columns {', '.join(_TurnRow.model_fields)}, times in seconds"
        ) from None
    turns = tuple(Turn(role_of(row.role) or row.role, row.start_s, row.end_s) for row in rows)
    is_rising = all(one.start_s < one.end_s for one in turns) and all(
        one.end_s <= following.start_s for one, following in pairwise(turns)
    )
    if tuple(one.role for one in turns) != ROLES or not is_rising:
        raise TranscriptionFailed(
            f"transcripts: {path} should have eight rows, {', '.join(ROLES)}, each turn ending "
            "before the next begins; correct it"
        )
    return turns


def segment(
    utterances: Sequence[Utterance], turns: Sequence[Turn] | None = None, pause_s: float = PAUSE_S
) -> Segmented:
    """Divide a debate into its speeches."""
    whole: list[_Group] = [(None, utterances)]
    is_timed = all(each.start_s is not None for each in utterances)
    if turns is not None:
        if not is_timed:
            reason = "turns are named by their times, and the text has none"
            return Segmented(NOBODY, _segments(whole), reason)
        return _by_turns(utterances, turns)
    if any(each.role for each in utterances):
        return _by_tags(utterances)
    if any(each.speaker for each in utterances):
        return _by_labels(utterances)
    if is_timed:
        return _by_pauses(utterances, pause_s)
    return Segmented(NOBODY, _segments(whole), "the text has no tags, no speakers and no times")


def _by_turns(utterances: Sequence[Utterance], turns: Sequence[Turn]) -> Segmented:
    groups: dict[str | None, list[Utterance]] = {turn.role: [] for turn in turns}
    outside = 0
    for each in utterances:
        middle = ((each.start_s or 0) + (each.end_s or 0)) / 2
        role = next((turn.role for turn in turns if turn.start_s <= middle < turn.end_s), None)
        if role is None:
            outside += 1
        else:
            groups[role].append(each)
    notes = (f"{outside} utterances lie in no turn and are left out",) if outside else ()
    return _judged(TURNS, list(groups.items()), notes)


def _by_tags(utterances: Sequence[Utterance]) -> Segmented:
    tagged = [each for each in utterances if each.role is not None]
    # Each tag begins with an utterance without a word: the same role twice is two segments.
    runs = _runs(tagged, lambda _, each: each.text == "")
    outside = len(utterances) - len(tagged)
    notes = (f"{outside} lines outside of tags are left out",) if outside else ()
    return _judged(TAGS, [(run[0].role, run[1:]) for run in runs], notes)


def _by_labels(utterances: Sequence[Utterance]) -> Segmented:
    runs = _runs(utterances, lambda last, each: last.speaker != each.speaker)
    speakers = [run[0].speaker for run in runs]
    roles = [role_of(speaker or "") for speaker in speakers]
    if any(roles):
        return _judged(LABELS, list(zip(roles, runs, strict=True)))
    is_whole = len(runs) == len(ROLES) == len(set(speakers)) and None not in speakers
    found = f"{len(runs)} turns of {len(set(speakers) - {None})} speakers, not eight of eight"
    return _eight(LABELS, runs, None if is_whole else found)


def _by_pauses(utterances: Sequence[Utterance], pause_s: float) -> Segmented:
    ends = list(accumulate((each.end_s or 0 for each in utterances), max, initial=0.0))
    before = dict(zip(map(id, utterances), ends, strict=False))
    runs = _runs(utterances, lambda _, each: (each.start_s or 0) - before[id(each)] >= pause_s)
    found = f"silences of {pause_s:g} s and more divide it into {len(runs)} turns, not eight"
    return _eight(PAUSES, runs, None if len(runs) == len(ROLES) else found)


def _runs(
    utterances: Sequence[Utterance], is_new: Callable[[Utterance, Utterance], bool]
) -> list[list[Utterance]]:
    """Return utterances in runs, given whether one begins another run than the last."""
    runs: list[list[Utterance]] = []
    for each in utterances:
        if not runs or is_new(runs[-1][-1], each):
            runs.append([])
        runs[-1].append(each)
    return runs


def _eight(segmenter: str, runs: Sequence[list[Utterance]], reason: str | None) -> Segmented:
    """Return runs as the eight speeches, or without roles where there is a reason against it."""
    roles = ROLES if reason is None else [None] * len(runs)
    return Segmented(segmenter, _segments(list(zip(roles, runs, strict=True))), reason)


def _judged(segmenter: str, groups: Sequence[_Group], notes: tuple[str, ...] = ()) -> Segmented:
    """Return named groups as segments, with the reason why they are not the eight speeches."""
    roles = [role for role, _ in groups]
    problems = []
    if unnamed := roles.count(None):
        problems.append(f"{unnamed} {'segment has' if unnamed == 1 else 'segments have'} no role")
    if lacking := [role.upper() for role in ROLES if role not in roles]:
        problems.append(f"no speech of {', '.join(lacking)}")
    if twice := [role.upper() for role in ROLES if roles.count(role) > 1]:
        problems.append(f"more than one segment of {', '.join(twice)}")
    if not problems and tuple(roles) != ROLES:
        order = ", ".join(str(role).upper() for role in roles)
        problems.append(f"the speeches stand in the order {order}")
    if empty := [str(role).upper() for role, run in groups if not any(each.text for each in run)]:
        problems.append(f"no word in {', '.join(empty)}")
    return Segmented(segmenter, _segments(groups), "; ".join(problems) or None, notes)


def _segments(groups: Sequence[_Group]) -> tuple[Segment, ...]:
    made = []
    for position, (role, run) in enumerate(groups, start=1):
        starts = [each.start_s for each in run if each.start_s is not None]
        ends = [each.end_s for each in run if each.end_s is not None]
        speakers = {each.speaker for each in run} - {None}
        joiner = " " if starts else "\n"
        parts: list[list[str]] = []
        for text in (each.text for each in run if each.text):
            if not parts or len(" ".join([*parts[-1], text]).split()) > _PART_WORDS:
                parts.append([])
            parts[-1].append(text)
        made.append(
            Segment(
                position,
                role,
                next(iter(speakers)) if len(speakers) == 1 else None,
                min(starts, default=None),
                max(ends, default=None),
                tuple(map(joiner.join, parts)),
                joiner,
            )
        )
    return tuple(made)
