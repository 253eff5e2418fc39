"""Kinds of prompts, recognised by their slots, and the slots that each kind has or must have."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inference.errors import BadTemplate

SLOT = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
TURN_SLOTS = ("speaker", "speech")
SPEECH, DEBATE, QUESTION, ANSWER, LENGTH = "speech", "debate", "question", "answer", "length"
PARLIAMENTARY = "parliamentary debate"
OVERSIGHT = "question about a story"
DEBATED = "question to debate"
PRESSED = "verdict under pressure"
WRITING = "topic to speak on"

_WHOLE_DEBATE = frozenset({"all_speeches", "notes", "speeches"})
_SIDE_NAMES = {"Side1_label": "side1", "Side2_label": "side2"}
_LABEL_PAIRS = ({"side1", "side2"}, {"Side1_label", "Side2_label"}, {"pro_label", "con_label"})
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
# Slots of a debater's prompt that differ between sides and rounds.
_MOVING = {"other_answer", "own_answer", "round", "transcript"}


@dataclass(frozen=True)
class TemplateKind:
    """Prompts about one kind of thing.

    Attributes:
        marks: Slots of which any marks such a prompt, by whatever name.
        matches: Whether slots, and having a user's turn, mark such a prompt.
        needs: Slots without which a prompt is refused, with the reason.
        turns: The slots that stand for all turns of a debate, or for the notes on each.
        has_system: Whether it has, or may have, a system turn above the user's.
        tags: Tags that are made harmless in every text, whether the prompt has them or not.
        drops_empty: Whether a paragraph is left out whose slots are all empty.
        marks_quotes: Whether turns come with tags that show whether quotes are verified.
        cut: Removes white space around the text.
    """

    name: str
    slots: tuple[str, ...]
    marks: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    matches: Callable[[set[str], bool], bool] = lambda _slots, _has_user_turn: False
    needs: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[str, ...] = ()
    has_system: bool = False
    tags: frozenset[str] = frozenset()
    drops_empty: bool = False
    marks_quotes: bool = False
    cut: Callable[[str], str] = str.strip


def checked_kind(path: Path, text: str, turn: Sequence[str], user: Sequence[str]) -> str:
    """Return the kind of a prompt, after a check of its slots.

    Args:
        text: The prompt above the line that begins the turn part.
        user: The parts of the text below the line that begins the user's turn.
    """
    used, kinds = set(SLOT.findall(text)), TEMPLATE_KINDS.values()
    kind = next((each for each in kinds if used & each.marks), None) or next(
        each for each in kinds if each.matches(used, bool(user))
    )
    slots = (*kind.slots, *kind.aliases)
    known = ", ".join(f"{{{slot}}}" for slot in slots)

    def refuse(problem: str) -> BadTemplate:
        return BadTemplate(f"templates: {path}{problem}")

    if unknown := sorted(used - set(slots)):
        raise refuse(
            f" uses the slot '{{{unknown[0]}}}', which does not exist; the slots of a prompt about "
            f"a {kind.name} are {known}"
        )
    if kind.name == SPEECH and turn:
        raise refuse(f" has no {{debate}} slot for its turns; the slots are {known}")
    if len(turn) > 1 or (turn and set(SLOT.findall(turn[0])) != set(TURN_SLOTS)):
        raise refuse(
            ": the part below '=== turn ===' is there once, and has the slots {speaker} and "
            "{speech} and no others"
        )
    own_names = {kind.aliases.get(slot, slot) for slot in used}
    for slot, reason in kind.needs.items():
        if slot not in own_names:
            raise refuse(f" has no {{{slot}}} slot, {reason}; the slots are {known}")
    if kind.name in (DEBATE, PRESSED) and not any(pair <= used for pair in _LABEL_PAIRS):
        raise refuse(
            " does not name both labels, so no judge would know what to answer; use {side1} and "
            "{side2}, or {pro_label} and {con_label}"
        )
    if kind.has_system and len(user) > 1:
        raise refuse(" has the line '=== user ===' more than once")
    if kind.name == QUESTION and "question" not in SLOT.findall(user[0]):
        raise refuse(
            ": the part below '=== user ===' has the slot {question}, so that the model sees what "
            "it is to answer"
        )
    if kind.name == PARLIAMENTARY:
        shown = [slot for slot in SLOT.findall(user[0] if user else text) if slot in _WHOLE_DEBATE]
        if len(shown) != 1:
            raise refuse(
                " shows a parliamentary debate in one place: the slot {speeches} or the slot "
                "{notes}, once, and below '=== user ===' where there is such a line"
            )
    if kind.name == DEBATED and (
        not user or _MOVING & set(SLOT.findall(text.removesuffix(user[0])))
    ):
        raise refuse(
            " needs the line '=== user ===' once, with what differs between sides and rounds below "
            "it and the story above it, so that endpoints read the story once"
        )
    return kind.name


_JUDGE_WOULD_NOT_KNOW = "so the judge would not know what to decide"
_STORY_SLOTS = ("question", "answer_a", "answer_b")
# Of two that match the first counts.
TEMPLATE_KINDS: dict[str, TemplateKind] = {
    kind.name: kind
    for kind in (
        TemplateKind(
            DEBATED,
            (*sorted(_MOVING), "question", "rounds", "story", "word_limit"),
            marks=frozenset({"own_answer"}),
            needs=dict.fromkeys(
                sorted({*_MOVING, "question", "story", "word_limit"} - {"round"}),
                "so the debater would not see all that it argues about",
            ),
            has_system=True,
        ),
        TemplateKind(
            OVERSIGHT,
            (*_STORY_SLOTS, "speakers", "story", "transcript"),
            marks=frozenset({"answer_a", "answer_b"}),
            needs=dict.fromkeys(_STORY_SLOTS, _JUDGE_WOULD_NOT_KNOW),
            turns=("transcript",),
            has_system=True,
            marks_quotes=True,
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
            needs={"manual": "so the judge would not see the manual its answers are filed under"},
            turns=("notes", "speeches"),
            has_system=True,
            # In every shipped prompt those of all, so that a debate is the same text in each.
            tags=frozenset(
                ["debate", "house", "info_slide", "manual", "motion", "speaker", "speech"]
            ),
            drops_empty=True,
        ),
        TemplateKind(
            PRESSED,
            (*_DEBATE_SLOTS, "first_reply", "rebuttal", "rebutter"),
            marks=frozenset({"rebuttal"}),
            aliases=_SIDE_NAMES,
            needs=dict.fromkeys(("debate", "first_reply", "rebutter"), _JUDGE_WOULD_NOT_KNOW),
            turns=("debate",),
            cut=str.rstrip,
        ),
        TemplateKind(
            DEBATE,
            _DEBATE_SLOTS,
            marks=frozenset({"debate"}),
            aliases=_SIDE_NAMES,
            turns=("debate",),
            cut=str.rstrip,
        ),
        TemplateKind(
            QUESTION,
            ("documents", "question"),
            matches=lambda _, has_user_turn: has_user_turn,
            has_system=True,
        ),
        TemplateKind(
            ANSWER,
            ("answer", "partial_answers", "question", "scale_max", "scale_min"),
            aliases={"response": "answer"},
            matches=lambda used, _: bool(used & {"answer", "response"}),
        ),
        TemplateKind(
            WRITING,
            ("motion", "word_limit"),
            aliases={"TOPIC": "motion"},
            matches=lambda used, _: (
                bool(used & {"TOPIC", "motion"}) and used <= {"TOPIC", "motion", "word_limit"}
            ),
        ),
        TemplateKind(
            LENGTH,
            ("target_tokens",),
            aliases={"num": "target_tokens"},
            matches=lambda used, _: bool(used) and used <= {"num", "target_tokens"},
        ),
        TemplateKind(
            SPEECH,
            ("motion", "question", "scale_max", "scale_min", "speech"),
            aliases={"TOPIC": "motion", "SPEECH": "speech"},
            matches=lambda *_: True,
            needs={"speech": "so the judge would not see the speech; nor a {debate} slot"},
            cut=str,
        ),
    )
}
