"""Which part of a debate is which of its eight speeches: as tags, labels, times or pauses say.

Nothing is guessed. Where eight speeches cannot be told apart the segments have no role, with the
reason, and a person divides the text.
"""

import csv
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription.records import Segment, Utterance
from inference.parliamentary.transcription.transcript_files import role_of
from warehouse.records.bp import ROLES

TAGS, LABELS, TURNS, PAUSES, NOBODY = "tags", "labels", "turns", "pauses", "nobody"
# Between two speeches the chair thanks one speaker and calls the next; nobody holds his breath as
# long within a speech.
PAUSE_S = 8.0
_PART_WORDS = 250
_TURN_COLUMNS = ("role", "start_s", "end_s")


class Turn(NamedTuple):
    """When a speech was held, as a person says."""

    role: str
    start_s: float
    end_s: float


class Segmented(NamedTuple):
    """A debate, divided.

    Attributes:
        segmenter: What told the speeches apart: `tags`, `labels`, `turns`, `pauses`, or `nobody`.
        segments: The segments, in order.
        reason: Why they are not eight speeches; None where they are.
        notes: What else a person should know.
    """

    segmenter: str
    segments: tuple[Segment, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()


def read_turns(path: Path) -> tuple[Turn, ...]:
    """Return when each speech was held, from a csv file with `role`, `start_s` and `end_s`.

    Raises:
        TranscriptionFailed: It cannot be read, or is not eight turns one after another.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        turns = tuple(
            Turn(role_of(row["role"]) or row["role"], float(row["start_s"]), float(row["end_s"]))
            for row in rows
        )
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, TypeError, ValueError) as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path} as turns ({type(error).__name__}: {error}); it is a "
            f"csv file with the columns {', '.join(_TURN_COLUMNS)}, times in seconds"
        ) from None
    is_rising = all(
        math.isfinite(one.end_s) and 0 <= one.start_s < one.end_s for one in turns
    ) and all(one.end_s <= following.start_s for one, following in pairwise(turns))
    if tuple(one.role for one in turns) != ROLES or not is_rising:
        raise TranscriptionFailed(
            f"transcripts: {path} should have eight rows, {', '.join(ROLES)}, each turn ending "
            "before the next begins; correct it"
        )
    return turns


def segment(
    utterances: Sequence[Utterance],
    turns: Sequence[Turn] | None = None,
    pause_s: float = PAUSE_S,
) -> Segmented:
    """Divide a debate into its speeches."""
    if turns is not None:
        return _by_turns(utterances, turns)
    if any(each.role for each in utterances):
        return _by_tags(utterances)
    if any(each.speaker for each in utterances):
        return _by_labels(utterances)
    if all(each.start_s is not None for each in utterances):
        return _by_pauses(utterances, pause_s)
    return Segmented(
        NOBODY, _segments([(None, utterances)]), "the text has no tags, no speakers and no times"
    )


def _by_turns(utterances: Sequence[Utterance], turns: Sequence[Turn]) -> Segmented:
    if any(each.start_s is None for each in utterances):
        return Segmented(
            NOBODY,
            _segments([(None, utterances)]),
            "turns are named by their times, and the text has none",
        )
    groups: dict[str, list[Utterance]] = {one.role: [] for one in turns}
    outside = 0
    for each in utterances:
        middle = ((each.start_s or 0) + (each.end_s or 0)) / 2
        role = next((one.role for one in turns if one.start_s <= middle < one.end_s), None)
        if role is None:
            outside += 1
        else:
            groups[role].append(each)
    notes = (f"{outside} utterances lie in no turn and are left out",) if outside else ()
    return _judged(TURNS, list(groups.items()), notes)


def _by_tags(utterances: Sequence[Utterance]) -> Segmented:
    runs: list[tuple[str | None, list[Utterance]]] = []
    outside = sum(each.role is None for each in utterances)
    for each in utterances:
        if each.role is None:
            continue
        # Each tag begins with an utterance without a word: the same role twice is two segments.
        if each.text == "":
            runs.append((each.role, []))
        else:
            runs[-1][1].append(each)
    notes = (f"{outside} lines outside of tags are left out",) if outside else ()
    return _judged(TAGS, runs, notes)


def _by_labels(utterances: Sequence[Utterance]) -> Segmented:
    runs: list[tuple[str | None, list[Utterance]]] = []
    for each in utterances:
        if not runs or runs[-1][0] != each.speaker:
            runs.append((each.speaker, []))
        runs[-1][1].append(each)
    speakers = [speaker for speaker, _ in runs]
    roles = [role_of(speaker or "") for speaker in speakers]
    if any(roles):
        return _judged(LABELS, list(zip(roles, (run for _, run in runs), strict=True)))
    is_whole = len(runs) == len(ROLES) == len(set(speakers)) and None not in speakers
    named = [
        (role if is_whole else None, run)
        for role, (_, run) in zip(ROLES if is_whole else speakers, runs, strict=True)
    ]
    found = f"{len(runs)} turns of {len(set(speakers) - {None})} speakers, not eight of eight"
    return Segmented(LABELS, _segments(named), None if is_whole else found)


def _by_pauses(utterances: Sequence[Utterance], pause_s: float) -> Segmented:
    runs: list[list[Utterance]] = []
    end = 0.0
    for each in utterances:
        if not runs or (each.start_s or 0) - end >= pause_s:
            runs.append([])
        runs[-1].append(each)
        end = max(end, each.end_s or 0)
    is_whole = len(runs) == len(ROLES)
    roles: Sequence[str | None] = ROLES if is_whole else [None] * len(runs)
    found = f"silences of {pause_s:g} s and more divide it into {len(runs)} turns, not eight"
    return Segmented(
        PAUSES, _segments(list(zip(roles, runs, strict=True))), None if is_whole else found
    )


def _judged(
    segmenter: str,
    groups: Sequence[tuple[str | None, Sequence[Utterance]]],
    notes: tuple[str, ...] = (),
) -> Segmented:
    """Say what keeps named groups from being the eight speeches, if anything does."""
    roles = [role for role, _ in groups]
    problems = []
    if unnamed := roles.count(None):
        problems.append(f"{unnamed} {'segment has' if unnamed == 1 else 'segments have'} no role")
    if lacking := [role.upper() for role in ROLES if role not in roles]:
        problems.append(f"no speech of {', '.join(lacking)}")
    if twice := [role.upper() for role in ROLES if roles.count(role) > 1]:
        problems.append(f"more than one segment of {', '.join(twice)}")
    if not problems and tuple(roles) != ROLES:
        problems.append(
            f"the speeches stand in the order {', '.join(str(role).upper() for role in roles)}"
        )
    if empty := [str(role).upper() for role, run in groups if not any(each.text for each in run)]:
        problems.append(f"no word in {', '.join(empty)}")
    return Segmented(segmenter, _segments(groups), "; ".join(problems) or None, notes)


def _segments(groups: Sequence[tuple[str | None, Sequence[Utterance]]]) -> tuple[Segment, ...]:
    return tuple(_segment(place, role, run) for place, (role, run) in enumerate(groups, start=1))


def _segment(position: int, role: str | None, run: Sequence[Utterance]) -> Segment:
    starts = [each.start_s for each in run if each.start_s is not None]
    ends = [each.end_s for each in run if each.end_s is not None]
    speakers = {each.speaker for each in run} - {None}
    is_timed = bool(starts)
    joiner = " " if is_timed else "\n"
    return Segment(
        position,
        role,
        next(iter(speakers)) if len(speakers) == 1 else None,
        min(starts) if is_timed else None,
        max(ends) if ends else None,
        tuple(_parts([each.text for each in run if each.text], joiner)),
        joiner,
    )


def _parts(texts: Sequence[str], joiner: str) -> list[str]:
    """Return texts joined to parts of `_PART_WORDS` words at most, a longer one by itself."""
    parts: list[list[str]] = []
    words = 0
    for text in texts:
        count = len(text.split())
        if not parts or words + count > _PART_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(text)
        words += count
    return [joiner.join(part) for part in parts]
