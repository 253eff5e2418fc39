"""The common part of debates about stories: answer 0 is pro, answer 1 con."""

from collections.abc import Mapping, Sequence
from typing import Any

from warehouse.records.core import Side, Winner
from warehouse.records.debates import HumanVerdict, Outcome

SIDES: tuple[Side, Side] = ("pro", "con")


def choice_of(p_pro: float) -> Winner:
    """Return the side that a probability of pro stands for."""
    return "pro" if p_pro > 0.5 else "con" if p_pro < 0.5 else "tie"


def context_of(answers: Sequence[str]) -> str:
    """Return the introduction to a debate, with the answer of each side."""
    return f"Pro argues for the answer: {answers[0]}\nCon argues for the answer: {answers[1]}"


def outcomes_of(
    of: Mapping[str, Any], correct: int, verdict: HumanVerdict | None, judge: str
) -> list[Outcome]:
    """Return the right answer as an outcome, and what the judge decided where there is a verdict.

    Args:
        of: The ids of the debate and of its data set, by column.
        correct: Which answer is right.
        verdict: The judge's last word; None without one.
        judge: What the outcome's criterion and decider are called.
    """
    outcomes = [
        Outcome(
            **of,
            criterion="correct_answer",
            decided_by="answer_key",
            is_primary=False,
            winner=SIDES[correct],
        )
    ]
    if verdict is not None and (p_pro := verdict.p_pro) is not None:
        outcomes.append(
            Outcome(
                **of,
                criterion=judge,
                decided_by=judge,
                is_primary=True,
                winner=verdict.choice,
                margin=round(abs(2 * p_pro - 1), 9),
                score_pro=p_pro,
                score_con=round(1 - p_pro, 9),
            )
        )
    return outcomes
