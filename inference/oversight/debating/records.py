"""Records of a transcript in a journal: its turns, their candidates and the quotes in them.

The `answer` line of a request of kind `transcript` has the fields of its `DebatePlan` beside what
every line has, and:

    item_kind           "reading"
    is_interactive      whether somebody asked between rounds
    opponent_id         who argued against the run's own model, `self` resolved; absent in a
                        consultancy
    asker_id            who asked between rounds, `self` resolved; absent where nobody did
    preference_judge_id who chose among candidates, likewise
    transcript_status   complete, void or partial
    transcript_reason   why it is not complete: a word of `REASONS`, a colon, and what happened;
                        absent where it is
    transcript_hash     of everything a judge is shown; absent unless complete
    broken_by           whose endpoint or texts kept it from being finished; absent where complete
    turns               see `Turn`, in the order in which they were said

A void transcript will never be finished: a debater would not, or could not, say anything usable, or
a prompt is over the window of who should read it. It is nobody's loss. A line of a request whose
first prompt is over the window has no transcript at all, and is void, too. A partial one lacks its
end because an endpoint failed; its line has the status `error`, and the run goes on with it later.
What a line counts as used are the replies that no earlier line of its request has counted; what a
turn says it used is what it took, whoever paid.

Each reply within a transcript is a line of its own as soon as it has come, of kind `step`, with the
request's id, a `key`, the hash of the prompt (`asked`), `reply`, `finish_reason`, `model_id` and
what it used. A run that is begun again finds them there and does not pay for them twice.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inference.oversight.items import CONSULTANCY, DebatePlan, OversightTurn, ReadingQuestion

DEBATER, ASK, PREFER, CRITICISE, REFINE = ROLES = (
    "debater",
    "asker",
    "preference",
    "critique",
    "refine",
)
COMPLETE, VOID, PARTIAL = TRANSCRIPT_STATUSES = ("complete", "void", "partial")
# How often a text is asked for until it can be used as it is.
ATTEMPTS = 3
REFUSED, MALFORMED, ENDPOINT = REASONS = ("refused", "malformed", "endpoint")


@dataclass(frozen=True)
class DebateRole:
    """One request within a transcript, for judges that look at more than the prompt.

    Attributes:
        argues: The answer that is argued for; None for the asker.
        attempt: How often this draft was begun before, because it was unusable.
        draft: The text that is criticised, written again or weighed; None for a new one.
        answer_order: The order in which a preference judge is shown the answers, `01` or `10`.
    """

    role: str
    argues: int | None
    protocol: str
    round: int
    rounds: int
    word_limit: int
    candidate: int = 0
    attempt: int = 0
    turns: tuple[OversightTurn, ...] = ()
    draft: str | None = None
    answer_order: str = "01"

    @property
    def words(self) -> str:
        """The role, its side and its place, for people and for seeds."""
        side = "" if self.argues is None else f" for answer {self.argues}"
        place = f"round {self.round}, candidate {self.candidate}, attempt {self.attempt}"
        return f"{self.role}{side}, {place}, answers {self.answer_order}"


@dataclass(frozen=True)
class Quote:
    """One passage a debater put between quote tags.

    Attributes:
        is_verified: Whether the story has it, case and punctuation aside.
        similarity: Likeness of the likest passage of the story, 0 to 1; 1 where verified.
        story_start: Where that passage begins in the story; None where none is like it.
        written_as: The debater's tag: `quote`, `v_quote` or `u_quote`.
        is_example: Whether it is the example of the prompt that asks for quotes.
    """

    position: int
    quote: str
    is_verified: bool
    similarity: float
    story_start: int | None
    story_end: int | None
    written_as: str
    is_example: bool = False


@dataclass(frozen=True)
class Candidate:
    """One text written for a turn, cut to the limit of words.

    Attributes:
        shown_text: The text with quotes marked as verified or not, and all other tags harmless.
        rejected_reasons: Reasons of earlier attempts: `too_long`, `refused` or `malformed`.
        is_truncated: Whether it was cut because every attempt was too long.
        is_concession: Whether it concedes that the other answer is right; None for the asker.
        argues_other_side: Whether it declares for the other answer; None for the asker.
        preference: The probability a preference judge gives its side, the mean of both orders; None
            where nobody was asked, or where no probability could be read.
        tokens_in: Of all it took to write and weigh it, as `tokens_out` and `cost_usd`; None where
            that is unknown.
    """

    candidate: int
    is_chosen: bool
    text: str
    shown_text: str
    word_count: int
    rejected_count: int
    rejected_reasons: tuple[str, ...]
    is_truncated: bool
    is_refusal: bool
    is_concession: bool | None
    argues_other_side: bool | None
    is_malformed: bool
    refine_count: int
    preference: float | None
    quotes: tuple[Quote, ...]
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class Turn:
    """One turn of `debater_0`, `debater_1` or the asker, with the discarded candidates."""

    turn: int
    round: int
    speaker: str
    argued_answer: int | None
    model_id: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Debated:
    """Outcome of one request to debate a question.

    Attributes:
        opponent_id: Who argued against the run's own model; None in a consultancy.
        reason: Why it is not complete; None where it is.
        transcript_hash: Hash of everything a judge is shown; None unless complete.
        broken_by: Whose endpoint or texts kept it from being finished; None where it is.
    """

    opponent_id: str | None
    asker_id: str | None
    preference_judge_id: str | None
    status: str
    reason: str | None
    transcript_hash: str | None
    turns: tuple[Turn, ...]
    broken_by: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of its journal line."""
        kept = asdict(self)
        for name in ("status", "reason"):
            kept[f"transcript_{name}"] = kept.pop(name)
        return kept


def shown_turns(turns: Sequence[Turn]) -> tuple[OversightTurn, ...]:
    """Return the turns as a judge is shown them: the chosen texts."""
    return tuple(
        OversightTurn(turn.speaker, turn.round, candidate.shown_text)
        for turn in turns
        for candidate in turn.candidates
        if candidate.is_chosen
    )


def transcript_hash(
    question: ReadingQuestion, plan: DebatePlan, turns: Sequence[OversightTurn]
) -> str:
    """Return the hash of everything a judge is shown of a transcript."""
    argued = plan.argues if plan.protocol == CONSULTANCY else None
    shown = [
        question.question,
        question.answers,
        plan.protocol,
        argued,
        [[turn.speaker, turn.round, turn.text] for turn in turns],
    ]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()
