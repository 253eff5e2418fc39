"""The sample's log of debates between models: who met whom on what, and whom each judge named.

Made-up models debate the motions of the sample, every pair on every motion from both sides. What
one verdict comes to is a sum of whole numbers, 100 being about as much as chance adds: the lead of
the better debater, the side, the debate's luck, which all judges see alike, and the judge's own.
One judge is planted to favour debaters of its own family, one to like length.
"""

import tomllib
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Literal

from ingestion.sample.draws import Draws

NAME = "sample-debate-log"
_FOLDER = Path(__file__).parent
_SEED = 20_261_103
# Family and strength.
DEBATERS = {
    "alder/large": ("alder", 55),
    "alder/small": ("alder", -40),
    "birch/large": ("birch", 45),
    "birch/small": ("birch", -60),
    "cedar/large": ("cedar", 0),
}
# What speaking against the motion, which is last, is worth.
LAST_WORD = 20
# How much of a debate's outcome is luck that every judge sees.
_LUCK = 60


@dataclass(frozen=True)
class LogJudge:
    """What is planted in one judge.

    Attributes:
        noise: The spread of its own error.
        favour: What a debater of its own family gains.
        per_word: What each word more is worth.
        unread_percent: How often nothing can be read from its reply.
    """

    family: str
    noise: int
    favour: int = 0
    per_word: int = 0
    unread_percent: int = 0


# People read too; one of them is right more often than any judge.
PEOPLE = "human/readers"
JUDGES = {
    "alder/large": LogJudge("alder", 60, favour=60),
    "birch/large": LogJudge("birch", 50),
    "fern/referee": LogJudge("fern", 90, per_word=1, unread_percent=1),
    PEOPLE: LogJudge("human", 30),
}


@dataclass(frozen=True)
class LoggedDebate:
    """One judge's verdict on one debate, as a log has it; no winner where none could be read."""

    debate: str
    motion: str
    pro: str
    con: str
    judge: str
    winner: Literal["pro", "con"] | None
    margin: float | None
    pro_words: int
    con_words: int


def logged_debates() -> list[LoggedDebate]:
    """Return the log, debate by debate."""
    draws = Draws(_SEED)
    found = []
    number = 0
    for motion in _motions():
        for pro, con in permutations(DEBATERS, 2):
            number += 1
            pro_words, con_words = (400 + draws.bell(40) for _ in range(2))
            lead = DEBATERS[pro][1] - DEBATERS[con][1] - LAST_WORD + draws.bell(_LUCK)
            for name, judge in JUDGES.items():
                said = lead + draws.bell(judge.noise) + judge.per_word * (pro_words - con_words)
                said += judge.favour * (
                    (DEBATERS[pro][0] == judge.family) - (DEBATERS[con][0] == judge.family)
                )
                is_read = draws.below(100) >= judge.unread_percent
                found.append(
                    LoggedDebate(
                        f"d{number:03d}",
                        motion,
                        pro,
                        con,
                        name,
                        ("pro" if said >= 0 else "con") if is_read else None,
                        abs(said) / 10 if is_read else None,
                        pro_words,
                        con_words,
                    )
                )
    return found


def _motions() -> list[str]:
    paths = sorted((_FOLDER / "motions").glob("*.toml"))
    spoken = [tomllib.loads(path.read_text(encoding="utf-8"))["motion"] for path in paths]
    debated = tomllib.loads((_FOLDER / "debates" / "motions.toml").read_text(encoding="utf-8"))
    return [*spoken, *(each["text"] for each in debated["motion"])]
