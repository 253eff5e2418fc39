"""Ways to ask who won: what the sides are called, which is named first, and what is asked for.

An arm is a way as an experiment chooses it. `random A/B` and `shuffled` leave something to be drawn
for each debate; a variant is an arm with that drawn, from the experiment's seed and the debate's id
alone, so that a draw never depends on which other debates or arms there are.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from inference.debates.items import ROLE_NAMES

POSITIONS = ("pro_first", "con_first", "shuffled")
OUTCOMES = ("winner", "loser")
RANDOM = "random "

# Short enough to be one answer; none of what a reply may have around its label, and no slash, which
# parts the two.
_SIGN = r"/<>{}\[\]()\"'`*_.,:;\x00-\x1f\x7f"
_LABEL = re.compile(rf"[^\s{_SIGN}](?:[^{_SIGN}]{{0,18}}[^\s{_SIGN}])?")


class Labels(NamedTuple):
    """What the two sides are called; random ones are dealt to the sides of each debate."""

    pro: str
    con: str
    is_random: bool


@dataclass(frozen=True)
class Arm:
    """One way to ask about every debate, as the experiment chooses it.

    Attributes:
        verbalizer: Pro's and Con's label, such as `A/B`, or `random A/B`.
        position: Which side the instruction names first: one of `POSITIONS`.
    """

    template: str
    verbalizer: str
    position: str
    outcome: str = "winner"

    @property
    def words(self) -> str:
        """The arm without its prompt, for people."""
        return f"{self.verbalizer}, {self.position}, {self.outcome}"


@dataclass(frozen=True)
class Variant:
    """One way to ask about one debate."""

    verbalizer: str
    position: str
    outcome: str
    pro_label: str
    con_label: str
    first_side: str

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        return f"{self.verbalizer}, {self.position}, {self.outcome}"

    @property
    def labels(self) -> tuple[str, str]:
        """Both labels in the order in which the instruction names them."""
        both = (self.pro_label, self.con_label)
        return both if self.first_side == "pro" else (both[1], both[0])

    def label_of(self, side: str) -> str:
        """Return what a side is called."""
        return self.pro_label if side == "pro" else self.con_label

    def answer_for(self, winner: str) -> str:
        """Return the label that answers the question where a side has won."""
        loser = "con" if winner == "pro" else "pro"
        return self.label_of(winner if self.outcome == "winner" else loser)


@cache
def read_labels(verbalizer: str) -> Labels:
    """Return what a verbalizer calls the sides."""
    pair = verbalizer.removeprefix(RANDOM)
    pro, slash, con = pair.partition("/")
    if not slash or not pro.strip() or not con.strip():
        raise ValueError("has an empty label; expected two with a slash between, such as A/B")
    if "/" in con:
        raise ValueError("has more than one slash; expected two labels, such as A/B")
    for label in (pro, con):
        if _LABEL.fullmatch(label) is None:
            raise ValueError(
                f"has the label {label!r}, which cannot be told from the signs around it in a "
                "reply; expected up to 20 letters, digits, signs such as -, and inner spaces"
            )
        if label.casefold() in {name.casefold() for name in ROLE_NAMES}:
            raise ValueError(f"has the label {label!r}, which others in a debate are called by")
    if pro.casefold() == con.casefold():
        raise ValueError(f"has equal labels, {pro!r} and {con!r}; a reply would name both sides")
    words = [set(re.findall(r"[^\s]+", label.casefold())) for label in (pro, con)]
    if words[0] <= words[1] or words[1] <= words[0]:
        raise ValueError(f"has labels of which one contains the other, {pro!r} and {con!r}")
    return Labels(pro, con, verbalizer.startswith(RANDOM))


def realise(arm: Arm, seed: int, debate_id: str) -> Variant:
    """Return an arm with what it leaves to chance drawn for one debate."""
    labels = read_labels(arm.verbalizer)
    is_swapped = labels.is_random and _coin(seed, debate_id, "labels")
    first_side = arm.position.removesuffix("_first")
    if arm.position == "shuffled":
        first_side = "con" if _coin(seed, debate_id, "position") else "pro"
    return Variant(
        arm.verbalizer,
        arm.position,
        arm.outcome,
        pro_label=labels.con if is_swapped else labels.pro,
        con_label=labels.pro if is_swapped else labels.con,
        first_side=first_side,
    )


def _coin(seed: int, debate_id: str, what: str) -> bool:
    return bool(hashlib.sha256(f"{seed}\n{debate_id}\n{what}".encode()).digest()[0] & 1)
