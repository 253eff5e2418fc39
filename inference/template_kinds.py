"""What a prompt asks about: told by its slots, which are checked here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from inference.errors import BadTemplate

SPEECH, DEBATE, QUESTION, ANSWER, LENGTH = "speech", "debate", "question", "answer", "length"
PARLIAMENTARY = "parliamentary debate"
OVERSIGHT = "question about a story"
DEBATED = "question to debate"
WRITING = "topic to speak on"
SLOTS: Mapping[str, tuple[str, ...]] = {
    SPEECH: ("motion", "question", "scale_max", "scale_min", "speech"),
    DEBATE: (
        "con_label", "context", "debate", "motion", "outcome", "pro_label", "side1", "side2",
    ),
    QUESTION: ("documents", "question"),
    ANSWER: ("answer", "partial_answers", "question", "scale_max", "scale_min"),
    LENGTH: ("target_tokens",),
    OVERSIGHT: ("answer_a", "answer_b", "question", "speakers", "story", "transcript"),
    PARLIAMENTARY: (
        "houses", "info_slide", "manual", "motion", "notes", "score_lines", "speakers", "speeches",
    ),
    DEBATED: (
        "other_answer", "own_answer", "question", "round", "rounds", "story", "transcript",
        "word_limit",
    ),
    WRITING: ("motion", "word_limit"),
}  # fmt: skip
ALIASES: Mapping[str, Mapping[str, str]] = {
    SPEECH: {"TOPIC": "motion", "SPEECH": "speech"},
    DEBATE: {"Side1_label": "side1", "Side2_label": "side2"},
    QUESTION: {},
    ANSWER: {"response": "answer"},
    LENGTH: {"num": "target_tokens"},
    OVERSIGHT: {},
    PARLIAMENTARY: {"all_speeches": "speeches", "judging_manual": "manual"},
    DEBATED: {},
    WRITING: {"TOPIC": "motion"},
}
_MOTION = frozenset({"TOPIC", "motion"})
TURN_SLOTS = ("speaker", "speech")
_WHOLE_DEBATE = frozenset({"all_speeches", "notes", "speeches"})
SLOT = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
# How a prompt can say what the two answers are.
_LABEL_SLOTS = (
    {"side1", "side2"}, {"Side1_label", "Side2_label"}, {"pro_label", "con_label"},
)  # fmt: skip


def checked_kind(path: Path, text: str, turn: Sequence[str], user: Sequence[str]) -> str:
    """Return what a prompt asks about, having looked at its slots.

    Args:
        path: Its file.
        text: What stands above the line that begins the turn part.
        turn: The parts below that line.
        user: The parts of the text below the line that begins the user's turn.

    Raises:
        BadTemplate: A slot is unknown, lacking or in the wrong place.
    """
    used = set(SLOT.findall(text))
    kind = _kind_of(used, has_user_turn=bool(user))
    unknown = sorted(used - set(SLOTS[kind]) - set(ALIASES[kind]))
    known = ", ".join(f"{{{slot}}}" for slot in (*SLOTS[kind], *ALIASES[kind]))
    if unknown:
        raise BadTemplate(
            f"templates: {path} uses the slot '{{{unknown[0]}}}', which does not exist; the slots "
            f"of a prompt about a {kind} are {known}"
        )
    if kind == SPEECH and (turn or not used & {"speech", "SPEECH"}):
        raise BadTemplate(
            f"templates: {path} has no {{speech}} slot, so the judge would not see the speech, and "
            f"no {{debate}} slot for a debate; the slots are {known}"
        )
    if len(turn) > 1 or (turn and set(SLOT.findall(turn[0])) != set(TURN_SLOTS)):
        raise BadTemplate(
            f"templates: {path}: the part below '=== turn ===' is there once, and has the slots "
            "{speaker} and {speech} and no others"
        )
    if kind == DEBATE and not any(pair <= used for pair in _LABEL_SLOTS):
        raise BadTemplate(
            f"templates: {path} does not name both labels, so no judge would know what to answer; "
            "use {side1} and {side2}, or {pro_label} and {con_label}"
        )
    if kind == PARLIAMENTARY:
        _check_parliamentary(path, used, text, user)
    if kind == DEBATED:
        _check_debated(path, used, text, user)
    if kind == OVERSIGHT:
        _check_oversight(path, used, user)
    if kind == QUESTION and (len(user) > 1 or "question" not in SLOT.findall(user[0])):
        raise BadTemplate(
            f"templates: {path}: the part below '=== user ===' is there once, and has the slot "
            "{question}, so that the model sees what it is to answer"
        )
    return kind


def _check_parliamentary(path: Path, used: set[str], text: str, user: Sequence[str]) -> None:
    if not used & {"manual", "judging_manual"}:
        raise BadTemplate(
            f"templates: {path} has no {{manual}} slot, so the judge would not see the judging "
            "manual that its answers are filed under; put one in"
        )
    shown = [slot for slot in SLOT.findall(user[-1] if user else text) if slot in _WHOLE_DEBATE]
    if len(user) > 1 or len(shown) != 1:
        raise BadTemplate(
            f"templates: {path} shows a parliamentary debate in one place: the slot {{speeches}} "
            "or the slot {notes}, once, and below '=== user ===' where there is such a line"
        )


def _check_oversight(path: Path, used: set[str], user: Sequence[str]) -> None:
    for slot in ("question", "answer_a", "answer_b"):
        if slot not in used:
            raise BadTemplate(
                f"templates: {path} has no {{{slot}}} slot, so the judge would not know what to "
                "decide; a prompt about a story has {question}, {answer_a} and {answer_b}"
            )
    if len(user) > 1:
        raise BadTemplate(f"templates: {path} has the line '=== user ===' more than once")


def _check_debated(path: Path, used: set[str], text: str, user: Sequence[str]) -> None:
    lacking = sorted(set(SLOTS[DEBATED]) - {"round", "rounds"} - used)
    if lacking:
        raise BadTemplate(
            f"templates: {path} has no slot {{{lacking[0]}}}; a debater's prompt shows the story, "
            "the question, both answers, what was said so far and how many words there may be"
        )
    moving = {"other_answer", "own_answer", "round", "transcript"}
    system = set(SLOT.findall(text.removesuffix(user[0]))) if len(user) == 1 else moving
    if moving & system:
        raise BadTemplate(
            f"templates: {path} needs the line '=== user ===' once, with what differs between "
            "sides and rounds below it and the story above it, so that endpoints read the story "
            "once"
        )


def _kind_of(used: set[str], *, has_user_turn: bool) -> str:
    if "own_answer" in used:
        return DEBATED
    if used & {"answer_a", "answer_b"}:
        return OVERSIGHT
    if used & _WHOLE_DEBATE:
        return PARLIAMENTARY
    if DEBATE in used:
        return DEBATE
    if has_user_turn:
        return QUESTION
    if used & {"answer", "response"}:
        return ANSWER
    if used & _MOTION and used <= _MOTION | {"word_limit"}:
        return WRITING
    return LENGTH if used and used <= {"num", "target_tokens"} else SPEECH
