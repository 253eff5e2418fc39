"""Which British Parliamentary debates judges may read: those with eight speeches and one result."""

from collections.abc import Sequence

from warehouse.records.bp import ROLES
from warehouse.records.core import FilterRule, Removal, Speech
from warehouse.records.parliamentary import PANEL, SpeakerResult, TeamResult

EIGHT_SPEECHES = FilterRule(
    "eight_speeches", "Not all eight speeches are there once each, with a text, in their order"
)
ONE_RESULT = FilterRule(
    "one_result", "There is no result of the panel, or more than one it could be"
)
RULES = (EIGHT_SPEECHES, ONE_RESULT)


def removal_of(
    speeches: Sequence[Speech],
    teams: Sequence[TeamResult],
    speakers: Sequence[SpeakerResult],
    *,
    speech_problem: str | None = None,
    result_problem: str | None = None,
) -> Removal | None:
    """Return the first rule a debate breaks; None when judges may read it.

    A result is the panel's ranking of all four houses, or its scores of all eight speeches: either
    is enough to measure one task.

    Args:
        speeches: What was said.
        teams: Results of the houses, those of single ballots among them.
        speakers: Results of the speeches, the same.
        speech_problem: Why the speeches are not the eight of a debate, where the source knows.
        result_problem: Why there is not one result, where the source knows.
    """
    speech_problem = speech_problem or _speech_problem(speeches)
    if speech_problem:
        return Removal(EIGHT_SPEECHES.rule, speech_problem)
    if result_problem is None and not _has_result(teams, speakers):
        result_problem = "the panel's ranking of the houses and its scores are not whole"
    return Removal(ONE_RESULT.rule, result_problem) if result_problem else None


def _speech_problem(speeches: Sequence[Speech]) -> str | None:
    if not speeches:
        return "no transcript"
    roles = [speech.role for speech in sorted(speeches, key=lambda each: each.speech_order or 0)]
    lacking = [role.upper() for role in ROLES if role not in roles]
    if lacking:
        return f"no speech of {', '.join(lacking)}"
    if roles != list(ROLES):
        return f"speeches are in the order {', '.join(str(role).upper() for role in roles)}"
    return None


def _has_result(teams: Sequence[TeamResult], speakers: Sequence[SpeakerResult]) -> bool:
    ranks = {each.house: each.team_rank for each in teams if each.decided_by == PANEL}
    scored = {each.role for each in speakers if each.decided_by == PANEL and each.score is not None}
    is_ranked = sorted(rank or 0 for rank in ranks.values()) == [1, 2, 3, 4]
    return is_ranked or len(scored) == len(ROLES)
