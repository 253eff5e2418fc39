"""Debate as oversight as a run reads it: questions about stories, and what debaters wrote of them.

Who debates has read the story; who judges has not, unless it is the expert the others are held
against. Which answer is right is in neither file that is read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inference.item_files import LONG_ROWS, ItemFile
from inference.items import ItemSource
from inference.sampling import Drawn, draw_those, first_by_seed

if TYPE_CHECKING:
    from inference.experiment import Experiment

NAIVE, EXPERT, CONSULTANCY, DEBATE = PROTOCOLS = ("naive", "expert", "consultancy", "debate")
SIMULTANEOUS, SEQUENTIAL = TURN_ORDERS = ("simultaneous", "sequential")
# The order of turns of a room of people, which is nobody's plan.
AS_IT_WENT = "as it went"
SELF = "self"
NO_PROBE, UNVERIFIED, PADDED = PROBES = ("none", "unverified", "padded")
PROBABILITY, CHOICE = ASKED_FOR = ("probability", "choice")
FORWARD, BACKWARD = ANSWER_ORDERS = ("01", "10")
ASKER = "asker"
DEBATERS = ("debater_0", "debater_1")


@dataclass(frozen=True)
class ReadingQuestion:
    """One question about a story, with two answers of which one is right.

    Attributes:
        item_id: The question, its data set's name before a colon.
        answers: Answer 0 and answer 1, in the order drawn when the data set was loaded.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    question: str
    answers: tuple[str, str]
    story_id: str
    story: str


@dataclass(frozen=True)
class OversightTurn:
    """What one of `DEBATERS`, or the asker, said in a round, quotes marked as verified or not."""

    speaker: str
    round: int
    text: str


@dataclass(frozen=True)
class Transcript:
    """A finished debate or consultancy about a question, without the story.

    Attributes:
        item_id: The transcript: its question, an at sign, and digits of its request; of people, the
            room.
        turn_order: `simultaneous` or `sequential`; `as it went` in a room of people.
        argued_answer: What the only debater of a consultancy argues for; None for a debate.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    question_id: str
    question: str
    answers: tuple[str, str]
    story_id: str
    protocol: str
    turn_order: str
    is_interactive: bool
    argued_answer: int | None
    turns: tuple[OversightTurn, ...]


@dataclass(frozen=True)
class DebatePlan:
    """One way to have questions debated, as an experiment chooses it.

    Attributes:
        template: The debater's prompt's name; the same for the right and the wrong side.
        argues: The answer the run's own model argues for, 0 or 1.
        opponent: Who argues for the other: a judge's id, or `self`; None in a consultancy.
        asker: Who asks between rounds: a judge's id; None where nobody does.
        preference_judge: Who chooses among them: a judge's id; None with one candidate.
        refine: How often a turn is criticised and written again.
        tournament: The tournament this belongs to; None for a run by itself.
    """

    template: str
    protocol: str = DEBATE
    argues: int = 0
    opponent: str | None = SELF
    turn_order: str = SIMULTANEOUS
    rounds: int = 3
    asker: str | None = None
    word_limit: int = 150
    best_of: int = 1
    preference_judge: str | None = None
    refine: int = 0
    tournament: str | None = None
    tournament_round: int | None = None

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        against = f"against {self.opponent}" if self.opponent else "alone"
        told = [self.protocol, f"argues answer {self.argues}", against, self.turn_order]
        told += [f"{self.rounds} rounds", f"{self.word_limit} words"]
        told += [f"best of {self.best_of}"] if self.best_of > 1 else []
        told += [f"refined {self.refine} times"] if self.refine else []
        return ", ".join(told + ([f"asked by {self.asker}"] if self.asker else []))


@dataclass(frozen=True)
class JudgingPlan:
    """One way to have questions judged, as an experiment chooses it.

    Attributes:
        protocol: One of `PROTOCOLS`: what the judge has to go by.
        answer_order: The order in which the answers, and who argues for them, are shown.
        probe: One of `PROBES`: what is changed in the transcript to find a bias.
        step: The round after which is asked; None for the whole transcript.
    """

    template: str
    protocol: str
    answer_order: str = FORWARD
    asked_for: str = PROBABILITY
    probe: str = NO_PROBE
    probed_answer: int | None = None
    step: int | None = None

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        told = [self.protocol, f"answers {self.answer_order}", self.asked_for]
        told += [f"{self.probe} for answer {self.probed_answer}"] if self.probe != NO_PROBE else []
        return ", ".join(told + ([] if self.step is None else [f"after round {self.step}"]))


_ANSWERS = ("answer_0", "answer_1")
READING = ItemFile(
    ReadingQuestion,
    "reading",
    "oversight: data set '{}' has no stories with questions; "
    "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset",
    columns={"item_id": "question_id", "answers": _ANSWERS},
    batch_rows=LONG_ROWS,
)
TRANSCRIPT_ITEMS = ItemFile(
    Transcript,
    "transcripts",
    "oversight: nobody has debated the questions of data set '{}' yet; "
    "let a model do it first, such as 'rostrum run story-debate --judge ID'",
    columns={"item_id": "transcript_id", "item_hash": "transcript_hash", "answers": _ANSWERS},
    batch_rows=LONG_ROWS,
)


def iter_transcripts(source: ItemSource) -> Iterator[Transcript]:
    """Yield what debaters wrote about a data set's questions, a few in memory at a time.

    The file says of debates, too, which answer the run's own model argued for.
    """
    for each in TRANSCRIPT_ITEMS.read(source):
        yield each if each.protocol == CONSULTANCY else replace(each, argued_answer=None)


def drawn_questions(experiment: Experiment, source: ItemSource) -> tuple[list[str], set[str]]:
    """Return the questions about stories there are, and those that are drawn."""
    there = list(READING.keys(source))
    return there, first_by_seed(experiment, source, there, "questions about stories")


def draw_questions(experiment: Experiment, source: ItemSource) -> Drawn:
    """Draw questions about stories: all, or so many by the experiment's seed."""
    there, drawn = drawn_questions(experiment, source)
    return draw_those(experiment.seed, there, drawn, {"questions": len(drawn)})
