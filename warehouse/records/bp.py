"""The British Parliamentary format: eight speakers in four houses, and the scores they can get."""

from collections.abc import Mapping
from typing import Literal, get_args

Role = Literal["pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow"]
House = Literal["og", "oo", "cg", "co"]
# In the order in which they speak.
ROLES: tuple[Role, ...] = get_args(Role)
HOUSES: tuple[House, ...] = get_args(House)
# The two speeches of each house, in the order in which it gives them.
ROLES_OF: Mapping[str, tuple[Role, Role]] = {
    "og": ("pm", "dpm"),
    "oo": ("lo", "dlo"),
    "cg": ("mg", "gw"),
    "co": ("mo", "ow"),
}
HOUSE_OF: Mapping[str, str] = {role: house for house, roles in ROLES_OF.items() for role in roles}
# In full, without the articles that people put in.
ROLE_NAMES: Mapping[str, Role] = {
    "prime minister": "pm",
    "leader of opposition": "lo",
    "deputy prime minister": "dpm",
    "deputy leader of opposition": "dlo",
    "member of government": "mg",
    "member of opposition": "mo",
    "government whip": "gw",
    "opposition whip": "ow",
}
# What transcripts call them besides.
SPOKEN_NAMES: Mapping[str, Role] = {
    **ROLE_NAMES,
    "opposition leader": "lo",
    "deputy opposition leader": "dlo",
    "government member": "mg",
    "opposition member": "mo",
}
SCORE_MIN, SCORE_MAX = 50, 100


def house_sums(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of both speakers' scores of each house that has both.

    Args:
        scores: Of speakers, by role.
    """
    return {
        house: sum(scores[role] for role in roles)
        for house, roles in ROLES_OF.items()
        if all(role in scores for role in roles)
    }
