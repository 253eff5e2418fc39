"""The sample's log of debates between models: pairings, motions and the winner named by each judge.

Made-up models debate the motions of the sample, every pair on every motion from both sides. A
verdict is a sum of whole numbers, where 100 is about as much as chance adds: the lead of the better
debater, the side, the debate's luck, which all judges share, and the judge's own error. One judge
is planted to favour debaters of its own family, one to like length.
"""

import tomllib
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any, Literal

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
# Worth of speaking against the motion, which is last.
LAST_WORD = 20
# Spread of a debate's luck.
_LUCK = 60


@dataclass(frozen=True)
class LogJudge:
    """Planted properties of one judge.

    Attributes:
        noise: The spread of its own error.
        favour: Gain of a debater of its own family.
        per_word: Worth of each additional word.
        unread_percent: Share of unreadable replies.
    """

    family: str
    noise: int
    favour: int = 0
    per_word: int = 0
    unread_percent: int = 0


# People are right more often than any judge.
PEOPLE = "human/readers"
JUDGES = {
    "alder/large": LogJudge("alder", 60, favour=60),
    "birch/large": LogJudge("birch", 50),
    "fern/referee": LogJudge("fern", 90, per_word=1, unread_percent=1),
    PEOPLE: LogJudge("human", 30),
}


@dataclass(frozen=True)
class LoggedDebate:
    """One judge's verdict on one debate; no winner if the reply is unreadable."""

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
    spoken = [_read(path)["motion"] for path in sorted((_FOLDER / "motions").glob("*.toml"))]
    debated = [each["text"] for each in _read(_FOLDER / "debates" / "motions.toml")["motion"]]
    draws = Draws(_SEED)
    log = []
    pairings = product([*spoken, *debated], permutations(DEBATERS, 2))
    for number, (motion, (pro, con)) in enumerate(pairings, start=1):
        pro_words, con_words = (400 + draws.bell(40) for _ in range(2))
        (pro_family, pro_strength), (con_family, con_strength) = DEBATERS[pro], DEBATERS[con]
        lead = pro_strength - con_strength - LAST_WORD + draws.bell(_LUCK)
        for name, judge in JUDGES.items():
            verdict = lead + draws.bell(judge.noise) + judge.per_word * (pro_words - con_words)
            verdict += judge.favour * ((pro_family == judge.family) - (con_family == judge.family))
            is_read = draws.below(100) >= judge.unread_percent
            winner: Literal["pro", "con"] = "pro" if verdict >= 0 else "con"
            log.append(
                LoggedDebate(
                    debate=f"d{number:03d}",
                    motion=motion,
                    pro=pro,
                    con=con,
                    judge=name,
                    winner=winner if is_read else None,
                    margin=abs(verdict) / 10 if is_read else None,
                    pro_words=pro_words,
                    con_words=con_words,
                )
            )
    return log


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
