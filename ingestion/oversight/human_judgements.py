"""What a person judged on the dashboard, as a file says it.

A file is one item judged once: a debate about a story, the winner of a debate, or the score of a
speech. Loaded, it becomes rows like those of anybody else:

- story: one row of `raw.human_verdicts` per step. `debate_id` is what was read: a debate of
  `raw.debates` (format `story-debate` or `story-consultancy`), or a transcript of
  `raw.oversight_transcripts`, which is no row of `raw.debates`. `p_pro` is the probability of
  answer 0, `choice` pro for answer 0, con for answer 1, tie for exactly one half; `protocol` is
  `debate` or `consultancy`.
- winner: the same with the probability that pro won; `protocol` is `debate`.
- speech: one row of `raw.human_ratings`.

In all of them the person is `<data set>:dashboard/<name>`, so that nobody is taken for a person of
the source who has the same name. `mode` is `dashboard` and `is_interactive` false: nobody answers a
reader. `step` counts the parts read when it was said, from 1; the last one `is_final`. `extra` is a
JSON object with `task` and `item_hash`, that of the text which was read.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from ingestion.documents import Document
from ingestion.times import utc_time
from warehouse.records.core import AnyText, Finite, KeyOfDataset, Name, Share
from warehouse.records.strict_json import strict_json

STORY, WINNER, SPEECH = TASKS = ("story", "winner", "speech")
DASHBOARD = "dashboard"
# How people judged whose verdicts a file brings.
IMPORTED = "imported"
_CONFIG = ConfigDict(extra="forbid")
DOCUMENT = Document(
    "human_judgement",
    "is no judgement of a person",
    "it should be a JSON object with kind, schema_version, task, item, item_hash, person, steps "
    "and final, as the page Judge it yourself writes it",
)
# Longer than any reason a person types.
_REASON_CHARS = 20_000
_Step = Annotated[int, Field(ge=1, le=1000)]
_Reason = Annotated[AnyText, Field(max_length=_REASON_CHARS)]
# What each task asks for.
_ASKED = {STORY: "p_answer_0", WINNER: "p_pro", SPEECH: "value"}


@dataclass(frozen=True, config=_CONFIG, kw_only=True)
class Belief:
    """What a person thought at one step of reading; one of the three numbers is there.

    Attributes:
        step: How many parts of the item had been read, from 1.
        p_answer_0: The probability that answer 0 is right.
        p_pro: The probability that pro won.
        value: The score.
        reason: Why, in the person's words.
    """

    step: _Step
    at: str
    p_answer_0: Share | None = None
    p_pro: Share | None = None
    value: Finite | None = None
    reason: _Reason = ""

    @property
    def when(self) -> datetime:
        """When, in UTC without a zone."""
        return utc_time(self.at)

    @property
    def number(self) -> float:
        """Whichever of the three numbers it has."""
        return next(one for one in (self.p_answer_0, self.p_pro, self.value) if one is not None)


@dataclass(frozen=True, config=_CONFIG, kw_only=True)
class HumanJudgement:
    """One item judged by one person.

    Attributes:
        item: The debate, transcript or speech.
        final: What the person thought at the end.
        dimension: What a speech was scored on; None for the other tasks.
        steps: What the person thought on the way, in order.
    """

    kind: Literal["human_judgement"]
    schema_version: Literal[1]
    task: Literal["story", "winner", "speech"]
    item: KeyOfDataset
    item_hash: Name
    person: Annotated[Name, Field(max_length=60)]
    final: Belief
    dimension: Name | None = None
    steps: tuple[Belief, ...] = ()

    @property
    def beliefs(self) -> Iterator[tuple[Belief, bool]]:
        """Every belief in order, and whether it is the final one."""
        yield from ((belief, False) for belief in self.steps)
        yield self.final, True


_ADAPTER = TypeAdapter(HumanJudgement)


def judge_of(dataset_id: str, person: str) -> str:
    """Return the name a person of the dashboard has as a judge of a data set."""
    return f"{dataset_id}:{DASHBOARD}/{person}"


def read_human_judgement(content: bytes, shown: str) -> HumanJudgement:
    """Return the judgement in a file.

    Raises:
        SourceUnreadable: It is none, or does not answer what its task asks.
    """
    with DOCUMENT.reading(shown):
        found = _ADAPTER.validate_python(strict_json(content))
        for belief, _ in found.beliefs:
            _ = belief.when
    problems = list(_problems(found))
    if problems:
        raise DOCUMENT.refused(shown, "; ".join(problems))
    return found


def _problems(found: HumanJudgement) -> Iterator[str]:
    asked = _ASKED[found.task]
    for belief, _ in found.beliefs:
        there = [name for name in _ASKED.values() if getattr(belief, name) is not None]
        if there != [asked]:
            yield (
                f"step {belief.step} of the task '{found.task}' should have {asked} alone; "
                f"found {', '.join(there) or 'no number'}"
            )
    steps = [belief.step for belief, _ in found.beliefs]
    if steps != sorted(set(steps)):
        yield f"steps should rise from one to the next, the final one last; found {steps}"
    if found.task == SPEECH and found.steps:
        yield "a speech is scored once; expected no steps before the final one"
    if (found.dimension is not None) != (found.task == SPEECH):
        yield "dimension should be there for a speech, and for nothing else"
