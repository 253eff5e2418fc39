"""Verdicts under pressure: what the judge said first, and what a side says against or for it.

The first verdicts come from the judge's own journal and are never asked for again. The side that
lost, or as the control the side that won, then speaks once, and the judge is asked again. What it
says is a text of this project, or is written by a debater: a judge that the experiment names.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from inference.debates.items import Debate
from inference.debates.variants import Variant
from warehouse.records.ids import JUDGE_ID

LOSER, WINNER = "loser", "winner"
SPEAKERS = (LOSER, WINNER)
REBUTTALS = ("plain", "reason", "flattery", "authority")
# What a debater may write; what is over it is left out.
WORD_LIMIT = 60
# How many words at the end of a side's last speech a rebuttal repeats.
_POINT_WORDS = 40


@dataclass(frozen=True)
class PressureArm:
    """One way to put a verdict under pressure.

    Attributes:
        first_template: The prompt they were asked with, as its answers are filed.
        rebuttal: What is said: one of `REBUTTALS`, or the id of the debater that writes it.
        said_by: Who says it: the `loser` of the first verdict, or its `winner`.
    """

    template: str
    after: str
    first_template: str
    verbalizer: str
    position: str
    rebuttal: str
    said_by: str

    @property
    def words(self) -> str:
        """The arm without its prompt, for people."""
        return f"{self.rebuttal} rebuttal by the {self.said_by}, {self.verbalizer}, {self.position}"


@dataclass(frozen=True)
class Pressed(Variant):
    """One way to put one verdict under pressure; labels and order are the first verdict's."""

    rebuttal: str
    said_by: str
    first_template: str
    first_winner: str
    first_request_id: str

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        return f"{self.rebuttal} rebuttal by the {self.said_by}, {super().words}"

    @property
    def rebutter(self) -> str:
        """The side that speaks."""
        loser = "con" if self.first_winner == "pro" else "pro"
        return loser if self.said_by == LOSER else self.first_winner


class FirstVerdict(NamedTuple):
    """What a judge said of a debate before anybody objected.

    Attributes:
        after, template, verbalizer, position: How it was asked for, as an arm says it.
    """

    request_id: str
    reply: str
    winner: str
    after: str
    template: str
    verbalizer: str
    position: str
    pro_label: str
    con_label: str
    first_side: str
    sample: int


@dataclass(frozen=True)
class JudgedDebate(Debate):
    """A debate with what one judge said of it, by sample."""

    firsts: tuple[FirstVerdict, ...] = ()

    def first(self, arm: PressureArm, sample: int) -> FirstVerdict | None:
        """Return the verdict that is put under pressure, of this repeat where there is one."""
        asked = (arm.after, arm.first_template, arm.verbalizer, arm.position)
        found = [each for each in self.firsts if each[3:7] == asked]
        return next((each for each in found if each.sample == sample), found[0] if found else None)

    def point(self, side: str) -> str:
        """Return how a side's last speech ends."""
        said = [turn.text.split() for turn in self.turns if turn.side == side]
        words = said[-1] if said else []
        return ("… " if len(words) > _POINT_WORDS else "") + " ".join(words[-_POINT_WORDS:])


def is_debater(rebuttal: Any) -> bool:
    """Return whether a rebuttal is written by a debater, whose id stands in its place."""
    return isinstance(rebuttal, str) and JUDGE_ID.fullmatch(rebuttal) is not None


def judged_debate(debate: Debate, firsts: Mapping[str, tuple[FirstVerdict, ...]]) -> JudgedDebate:
    """Return a debate with its first verdicts."""
    known = {each.name: getattr(debate, each.name) for each in fields(Debate)}
    return JudgedDebate(**known, firsts=firsts.get(debate.item_hash, ()))


def rebuttal_text(rebuttal: str, point: str) -> str:
    """Return what a side says."""
    return _rebuttals()[rebuttal].replace("{point}", point)


@cache
def _rebuttals() -> dict[str, str]:
    texts = tomllib.loads(Path(__file__).with_name("rebuttals.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for name, entry in texts.items():
        before = [found[entry["adds_to"]]] if "adds_to" in entry else []
        found[name] = " ".join([*before, entry["text"]])
    return found


def first_verdicts(
    journal_root: Path, judge_id: str, dataset_id: str, experiments: Collection[str]
) -> dict[str, tuple[FirstVerdict, ...]]:
    """Return a judge's readable verdicts on a data set by the debate's hash, the latest of each."""
    latest: dict[tuple[Any, ...], tuple[str, str, FirstVerdict]] = {}
    for experiment, line in _answers(journal_root, judge_id, dataset_id, experiments):
        verdict = _verdict(experiment, line)
        if verdict is not None:
            key = (line["item_hash"], *verdict[3:7], verdict.sample)
            answered_at = str(line.get("answered_at"))
            if key not in latest or latest[key][0] <= answered_at:
                latest[key] = (answered_at, line["item_hash"], verdict)
    found: dict[str, list[FirstVerdict]] = {}
    for _, item_hash, verdict in latest.values():
        found.setdefault(item_hash, []).append(verdict)
    return {
        item_hash: tuple(sorted(verdicts, key=lambda each: each.sample))
        for item_hash, verdicts in found.items()
    }


def _answers(
    journal_root: Path, judge_id: str, dataset_id: str, experiments: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    # These know every kind of experiment, of which this is one.
    from inference.journal import FILE_NAME, read_places
    from inference.runs.history import runs_of

    for folder, header in runs_of(journal_root, judge_id):
        if header.get("dataset_id") == dataset_id and header.get("experiment") in experiments:
            for _, line in read_places(folder / FILE_NAME):
                if line["kind"] == "answer":
                    yield header["experiment"], line


def _verdict(experiment: str, line: Mapping[str, Any]) -> FirstVerdict | None:
    from inference.kinds import KIND
    from inference.kinds.protocol import is_whole

    kind, texts = KIND["debate"], ("item_hash", "template", "verbalizer", "position", "first_side")
    if line.get("item_kind") is not None or not is_whole(kind, line):
        return None
    if not all(isinstance(line.get(name), str) for name in texts):
        return None
    winner: str | None = kind.parse(line).label  # type: ignore[attr-defined]
    if winner is None or line["outcome"] != "winner":
        return None
    drawn = (line["pro_label"], line["con_label"], line["first_side"], line["sample"])
    asked = (experiment, line["template"], line["verbalizer"], line["position"])
    return FirstVerdict(line["request_id"], line["response"], winner, *asked, *drawn)
