"""What a prompt asks about: told by its slots, which are checked here."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inference.errors import BadTemplate

SLOT = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
TURN_SLOTS = ("speaker", "speech")
_MOTION = frozenset({"TOPIC", "motion"})
_WHOLE_DEBATE = frozenset({"all_speeches", "notes", "speeches"})
# How a prompt can say what the two answers are.
_LABEL_SLOTS = (
    {"side1", "side2"},
    {"Side1_label", "Side2_label"},
    {"pro_label", "con_label"},
)


@dataclass(frozen=True)
class TemplateKind:
    """What prompts about one kind of thing have.

    Attributes:
        name: What they ask about.
        slots: The slots there are.
        marks: Slots of which any tells such a prompt, by whatever name; none for prompts that are
            told by `is_told`.
        aliases: Other names of slots.
        is_told: Tells such a prompt by its slots, and by whether it has a user's turn.
        turns: The slots that stand for all turns of a debate, or for the notes on each.
        has_system: Whether it has, or may have, a system turn above the user's.
        tags: Tags that are made harmless in every text, whether the prompt has them or not.
        drops_empty: Whether a paragraph is left out whose slots are all empty.
        marks_quotes: Whether turns come with tags that say whether quotes are verified.
        cut: What becomes of the white space around the text.
        check: Refuses what such a prompt must not have, or must.
    """

    name: str
    slots: tuple[str, ...]
    marks: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    is_told: Callable[[set[str], bool], bool] = lambda _used, _has_user_turn: False
    turns: tuple[str, ...] = ()
    has_system: bool = False
    tags: frozenset[str] = frozenset()
    drops_empty: bool = False
    marks_quotes: bool = False
    cut: Callable[[str], str] = str.strip
    check: Callable[[Path, set[str], str, Sequence[str]], None] = lambda *_: None


def checked_kind(path: Path, text: str, turn: Sequence[str], user: Sequence[str]) -> str:
    """Return what a prompt asks about, having looked at its slots.

    Args:
        text: What stands above the line that begins the turn part.
        turn: The parts below that line.
        user: The parts of the text below the line that begins the user's turn.

    Raises:
        BadTemplate: A slot is unknown, lacking or in the wrong place.
    """
    used = set(SLOT.findall(text))
    kind = _kind_of(used, has_user_turn=bool(user))
    unknown = sorted(used - set(kind.slots) - set(kind.aliases))
    known = ", ".join(f"{{{slot}}}" for slot in (*kind.slots, *kind.aliases))
    if unknown:
        raise BadTemplate(
            f"templates: {path} uses the slot '{{{unknown[0]}}}', which does not exist; the slots "
            f"of a prompt about a {kind.name} are {known}"
        )
    if kind.name == SPEECH and (turn or not used & {"speech", "SPEECH"}):
        raise BadTemplate(
            f"templates: {path} has no {{speech}} slot, so the judge would not see the speech, and "
            f"no {{debate}} slot for a debate; the slots are {known}"
        )
    if len(turn) > 1 or (turn and set(SLOT.findall(turn[0])) != set(TURN_SLOTS)):
        raise BadTemplate(
            f"templates: {path}: the part below '=== turn ===' is there once, and has the slots "
            "{speaker} and {speech} and no others"
        )
    kind.check(path, used, text, user)
    return kind.name


def _check_labels(path: Path, used: set[str], _text: str, _user: Sequence[str]) -> None:
    if not any(pair <= used for pair in _LABEL_SLOTS):
        raise BadTemplate(
            f"templates: {path} does not name both labels, so no judge would know what to answer; "
            "use {side1} and {side2}, or {pro_label} and {con_label}"
        )


def _check_pressed(path: Path, used: set[str], text: str, user: Sequence[str]) -> None:
    _check_labels(path, used, text, user)
    for slot in ("debate", "first_reply", "rebutter"):
        if slot not in used:
            raise BadTemplate(
                f"templates: {path} has no {{{slot}}} slot; a prompt about a {PRESSED} shows the "
                "debate, the judge's first reply, who speaks and the rebuttal"
            )


def _check_question(path: Path, _used: set[str], _text: str, user: Sequence[str]) -> None:
    if len(user) > 1 or "question" not in SLOT.findall(user[0]):
        raise BadTemplate(
            f"templates: {path}: the part below '=== user ===' is there once, and has the slot "
            "{question}, so that the model sees what it is to answer"
        )


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


def _check_oversight(path: Path, used: set[str], _text: str, user: Sequence[str]) -> None:
    for slot in ("question", "answer_a", "answer_b"):
        if slot not in used:
            raise BadTemplate(
                f"templates: {path} has no {{{slot}}} slot, so the judge would not know what to "
                "decide; a prompt about a story has {question}, {answer_a} and {answer_b}"
            )
    if len(user) > 1:
        raise BadTemplate(f"templates: {path} has the line '=== user ===' more than once")


def _check_debated(path: Path, used: set[str], text: str, user: Sequence[str]) -> None:
    lacking = sorted(set(TEMPLATE_KINDS[DEBATED].slots) - {"round", "rounds"} - used)
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


def _kind_of(used: set[str], *, has_user_turn: bool) -> TemplateKind:
    kinds = TEMPLATE_KINDS.values()
    marked = (kind for kind in kinds if used & kind.marks)
    told = (kind for kind in kinds if kind.is_told(used, has_user_turn))
    return next(marked, None) or next(told, TEMPLATE_KINDS[SPEECH])


SPEECH, DEBATE, QUESTION, ANSWER, LENGTH = "speech", "debate", "question", "answer", "length"
PARLIAMENTARY = "parliamentary debate"
OVERSIGHT = "question about a story"
DEBATED = "question to debate"
PRESSED = "verdict under pressure"
WRITING = "topic to speak on"
_DEBATE_SLOTS = (
    "con_label",
    "context",
    "debate",
    "motion",
    "outcome",
    "pro_label",
    "side1",
    "side2",
)
_SIDE_NAMES = {"Side1_label": "side1", "Side2_label": "side2"}
# By name. Of two that are told alike the first counts.
TEMPLATE_KINDS: dict[str, TemplateKind] = {
    kind.name: kind
    for kind in (
        TemplateKind(
            DEBATED,
            (
                "other_answer",
                "own_answer",
                "question",
                "round",
                "rounds",
                "story",
                "transcript",
                "word_limit",
            ),
            marks=frozenset({"own_answer"}),
            has_system=True,
            check=_check_debated,
        ),
        TemplateKind(
            OVERSIGHT,
            ("answer_a", "answer_b", "question", "speakers", "story", "transcript"),
            marks=frozenset({"answer_a", "answer_b"}),
            turns=("transcript",),
            has_system=True,
            marks_quotes=True,
            check=_check_oversight,
        ),
        TemplateKind(
            PARLIAMENTARY,
            (
                "houses",
                "info_slide",
                "manual",
                "motion",
                "notes",
                "score_lines",
                "speakers",
                "speeches",
            ),
            marks=_WHOLE_DEBATE,
            aliases={"all_speeches": "speeches", "judging_manual": "manual"},
            turns=("notes", "speeches"),
            has_system=True,
            # In every shipped prompt those of all, so that a debate is the same text in each.
            tags=frozenset(
                {
                    "debate",
                    "house",
                    "info_slide",
                    "manual",
                    "motion",
                    "speaker",
                    "speech",
                }
            ),
            drops_empty=True,
            check=_check_parliamentary,
        ),
        TemplateKind(
            PRESSED,
            (*_DEBATE_SLOTS, "first_reply", "rebuttal", "rebutter"),
            marks=frozenset({"rebuttal"}),
            aliases=_SIDE_NAMES,
            turns=("debate",),
            cut=str.rstrip,
            check=_check_pressed,
        ),
        TemplateKind(
            DEBATE,
            _DEBATE_SLOTS,
            marks=frozenset({"debate"}),
            aliases=_SIDE_NAMES,
            turns=("debate",),
            cut=str.rstrip,
            check=_check_labels,
        ),
        TemplateKind(
            QUESTION,
            ("documents", "question"),
            is_told=lambda _, has_user_turn: has_user_turn,
            has_system=True,
            check=_check_question,
        ),
        TemplateKind(
            ANSWER,
            ("answer", "partial_answers", "question", "scale_max", "scale_min"),
            aliases={"response": "answer"},
            is_told=lambda used, _: bool(used & {"answer", "response"}),
        ),
        TemplateKind(
            WRITING,
            ("motion", "word_limit"),
            aliases={"TOPIC": "motion"},
            is_told=lambda used, _: bool(used & _MOTION) and used <= _MOTION | {"word_limit"},
        ),
        TemplateKind(
            LENGTH,
            ("target_tokens",),
            aliases={"num": "target_tokens"},
            is_told=lambda used, _: bool(used) and used <= {"num", "target_tokens"},
        ),
        TemplateKind(
            SPEECH,
            ("motion", "question", "scale_max", "scale_min", "speech"),
            aliases={"TOPIC": "motion", "SPEECH": "speech"},
            cut=str,
        ),
    )
}
