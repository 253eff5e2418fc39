"""The ways in which an experiment has questions about stories debated and judged, from its file."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    CONSULTANCY,
    DEBATE,
    FORWARD,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    SELF,
    SEQUENTIAL,
    SIMULTANEOUS,
    TURN_ORDERS,
    DebatePlan,
    JudgingPlan,
)
from inference.oversight.judging import ARGUED, UNARGUED
from inference.value_rules import PROMPT, Grid, Rule, is_one_of, is_small, is_text, whole

_JUDGE: Rule = (is_text, f"the id of a judge, or {SELF}")
# What a plan of a debate may say; tournaments have the same.
ROUNDS: Rule = (is_small(20), "a whole number from 1 to 20")
WORD_LIMIT: Rule = (whole(10), "a number of words, 10 or more")
BEST_OF: Rule = (is_small(64), "a whole number from 1 to 64")
# Who argues for what varies fastest, so that a story is read once.
DEBATING = Grid(
    "debate",
    {
        "template": (PROMPT, ["ov_debater"]),
        "protocol": (is_one_of((DEBATE, CONSULTANCY)), [DEBATE]),
        "turn_order": (is_one_of(TURN_ORDERS), [SIMULTANEOUS]),
        "rounds": (ROUNDS, [3]),
        "asker": (_JUDGE, [None]),
        "word_limit": (WORD_LIMIT, [150]),
        "best_of": (BEST_OF, [1]),
        "preference_judge": (_JUDGE, [None]),
        "refine": ((whole(0), "a whole number, 0 or more"), [0]),
        "opponent": (_JUDGE, [SELF]),
        "argues": ((lambda value: whole(0)(value) and value < 2, "0 or 1"), [0]),
    },
)
# A step is a round after which is asked; all of them is the end.
AT_THE_END = "end"
JUDGING = Grid(
    "judging",
    {
        "protocol": (is_one_of(PROTOCOLS), []),
        "template": (PROMPT, [None]),
        "step": (
            (
                lambda value: value == AT_THE_END or whole(1)(value),
                f'the number of a round, or "{AT_THE_END}"',
            ),
            [AT_THE_END],
        ),
        "probe": (is_one_of(PROBES), [NO_PROBE]),
        "asked_for": (is_one_of(ASKED_FOR), [PROBABILITY]),
        "answer_order": (is_one_of(ANSWER_ORDERS), [FORWARD]),
    },
)
# Which protocols each kind of experiment asks about: without a transcript, and with one.
_PROTOCOLS_OF: Mapping[str, tuple[str, ...]] = {"reading": UNARGUED, "oversight": ARGUED}


def read_debate_plans(path: Path, content: Mapping[str, Any]) -> tuple[DebatePlan, ...]:
    """Return the arms of an experiment that has questions about stories debated.

    Raises:
        UnknownExperiment: The combination of its lists asks for what cannot be.
    """
    lists = DEBATING.lists(content)
    plans: list[DebatePlan] = []
    for chosen in DEBATING.combinations(lists):
        plan = DebatePlan(**chosen)
        if plan.protocol == CONSULTANCY:
            if "opponent" in lists and len(lists.get("protocol", [])) == 1:
                raise UnknownExperiment(
                    f"experiments: {path} has a consultancy with an opponent; take debate.opponent "
                    'out, or set protocol = ["debate"]'
                )
            plan = replace(plan, opponent=None)
        if plan.best_of == 1 and len(lists.get("best_of", [])) > 1:
            # The arm that the others are compared with has nothing to choose among.
            plan = replace(plan, preference_judge=None)
        _check_plan(plan, f"experiments: {path}")
        plans.append(plan)
    return tuple(plans)


def _check_plan(plan: DebatePlan, who: str) -> None:
    """Refuse a plan that cannot be carried out as it says."""
    if (plan.best_of > 1) != (plan.preference_judge is not None):
        lacks = "nobody to choose" if plan.best_of > 1 else "nothing to choose among"
        raise UnknownExperiment(
            f"{who} has best_of = {plan.best_of} and {lacks}; give preference_judge with best_of "
            "of 2 or more, and neither otherwise"
        )
    if plan.asker is not None and plan.rounds == 1:
        raise UnknownExperiment(
            f"{who} has an asker, who asks between rounds, and one round; have two or more"
        )
    if plan.protocol == CONSULTANCY and plan.turn_order == SEQUENTIAL:
        raise UnknownExperiment(
            f"{who} has a consultancy with sequential turns, and a consultant speaks alone; leave "
            "turn_order out"
        )


def read_judgings(path: Path, content: Mapping[str, Any], kind: str) -> tuple[JudgingPlan, ...]:
    """Return the arms of an experiment that has questions about stories judged.

    A probe is one arm for each answer whose turns it changes.

    Args:
        path: The experiment's file.
        content: What it holds.
        kind: `reading` for judges who see nobody argue, `oversight` for judges of transcripts.

    Raises:
        UnknownExperiment: A protocol is of the other kind, or what is not shown is changed.
    """
    known = _PROTOCOLS_OF[kind]
    lists = {"protocol": list(known), **JUDGING.lists(content)}
    for protocol in lists["protocol"]:
        if protocol not in known:
            other = next(each for each in _PROTOCOLS_OF if protocol in _PROTOCOLS_OF[each])
            raise UnknownExperiment(
                f"experiments: {path} asks about '{protocol}', and kind = \"{kind}\" is about "
                f'{" and ".join(known)}; write an experiment with kind = "{other}" for it'
            )
    if kind == "reading" and ("probe" in lists or "step" in lists):
        raise UnknownExperiment(
            f"experiments: {path} has a probe or a step, which change transcripts, and "
            f'kind = "{kind}" shows none; take them out'
        )
    return tuple(
        JudgingPlan(
            chosen["template"] or _usual_template(chosen["protocol"], chosen["asked_for"]),
            chosen["protocol"],
            chosen["answer_order"],
            chosen["asked_for"],
            chosen["probe"],
            probed,
            None if chosen["step"] == AT_THE_END else chosen["step"],
        )
        for chosen in JUDGING.combinations(lists)
        for probed in ((None,) if chosen["probe"] == NO_PROBE else (0, 1))
    )


def _usual_template(protocol: str, asked_for: str) -> str:
    """Return the prompt a judge is asked with where an experiment names none."""
    name = protocol if protocol in UNARGUED else "judge"
    return f"ov_{name}_choice" if asked_for == CHOICE else f"ov_{name}"
