"""One transcript: its turns as steps, the texts written for each, and what becomes of the whole.

A turn is a step that reads the turns its speaker is shown, so the plan's order decides nothing but
which those are: in a round of simultaneous turns neither debater reads the other's turn of that
round, in sequential ones the second has read the first. Where somebody asks, they do so at the
beginning of each round but the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from inference.errors import FINAL_KINDS, InferenceError
from inference.judges.base import Judge, Reply
from inference.judges.request import Request
from inference.oversight.debating.prompts import Prompts, examples_of, values_of
from inference.oversight.debating.quotes import Marked, Story, mark
from inference.oversight.debating.records import (
    ASK,
    ATTEMPTS,
    COMPLETE,
    CRITICISE,
    DEBATER,
    ENDPOINT,
    MALFORMED,
    PARTIAL,
    PREFER,
    REFINE,
    REFUSED,
    VOID,
    Candidate,
    Debated,
    DebateRole,
    Turn,
    shown_turns,
    transcript_hash,
)
from inference.oversight.debating.writing import (
    argues_other_side,
    count_words,
    cut,
    is_concession,
    is_refusal,
    turn_of,
)
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKER,
    CONSULTANCY,
    DEBATERS,
    SEQUENTIAL,
    DebatePlan,
    OversightTurn,
    ReadingQuestion,
)
from inference.parsing import without_asides
from inference.steps.messages import MessageFailed, Messages

TOO_LONG = "too_long"
# Another way to play asks anew.
RULES = 1
_TAG_OF = {DEBATER: "argument", REFINE: "argument", ASK: "question"}
_PERCENT = re.compile(r"<probability>\s*([0-9]{1,3}(?:\.[0-9]+)?)\s*%?\s*</probability>", re.I)


class _Unusable(InferenceError):
    """No usable text was written for a turn."""

    def __init__(self, model_id: str, words: str) -> None:
        super().__init__(words)
        self.model_id = model_id


class _Text(NamedTuple):
    """A text; None with the last reply where none could be used."""

    text: str | None
    rejected: tuple[str, ...]
    is_truncated: bool = False
    last: str = ""


def turns_of(plan: DebatePlan) -> list[tuple[int, int | None, int]]:
    """Return the turns of a transcript in order: the round, the side, and the turns it is shown.

    The side is None for the asker, and a speaker is shown so many of the first turns.
    """
    sides = [plan.argues] if plan.protocol == CONSULTANCY else [0, 1]
    steps: list[tuple[int, int | None, int]] = []
    for number in range(1, plan.rounds + 1):
        if plan.asker is not None and number > 1:
            steps.append((number, None, len(steps)))
        shown = len(steps)
        for side in sides:
            if plan.turn_order == SEQUENTIAL:
                shown = len(steps)
            steps.append((number, side, shown))
    return steps


def _check_usable(turn: Turn) -> None:
    if not any(each.is_chosen for each in turn.candidates):
        kind = REFUSED if turn.candidates[-1].is_refusal else MALFORMED
        raise _Unusable(
            turn.model_id,
            f"{kind}: {turn.speaker} ({turn.model_id}) wrote nothing usable in round {turn.round}, "
            f"{ATTEMPTS} attempts for each text",
        )


class Writing:
    """The transcript of one request, whose prompt is the first debater's first.

    Args:
        judges: The participants, an id and a judge each, by the role's name in `judge.Messages`.
        windows: The most tokens of prompt and reply together, by the same names.

    Attributes:
        turns: The turns so far.
    """

    def __init__(
        self,
        request: Request,
        judges: Mapping[str, tuple[str, Judge]],
        prompts: Prompts,
        windows: Mapping[str, int | None] = MappingProxyType({}),
    ) -> None:
        self._request = request
        self._plan = request.way(DebatePlan)
        self._question = request.about(ReadingQuestion)
        self._judges = judges
        self._prompts = prompts
        self._windows = windows
        self._story = Story(self._question.story)
        self._examples = examples_of(request.template)
        self._messages = Messages(request)
        self.turns: list[Turn] = []
        # Of the candidate that is being written or weighed.
        self._used: list[Mapping[str, Any]] = []

    async def write(self) -> Reply:
        """Write the transcript, as far as that can be done now."""
        try:
            for number, side, shown in turns_of(self._plan):
                before = shown_turns(self.turns[:shown])
                if side is None:
                    turn = await self.question_turn(number, before)
                else:
                    turn = await self.debater_turn(number, side, before)
                self.turns.append(turn)
                _check_usable(turn)
        except MessageFailed as error:
            is_final = error.reply.error_kind in FINAL_KINDS
            words = f"{ENDPOINT}: {error.reply.error_kind}: {error.reply.error}"
            status = VOID if is_final else PARTIAL
            return self._reply(error.reply, status, words, error.model_id)
        except _Unusable as error:
            last = Reply(VOID, finish_reason="stop")
            return self._reply(last, VOID, str(error), error.model_id)
        return self._reply(Reply(COMPLETE, finish_reason="stop"), COMPLETE)

    # Turns

    async def question_turn(self, number: int, turns: tuple[OversightTurn, ...]) -> Turn:
        """Return the asker's turn at the beginning of a round."""
        self._used = []
        prompt = self._prompts.fill(ASK, self._question, self._plan, turns)
        role = self._role(ASK, None, number, turns)
        text = await self._text("asker", role, prompt, None)
        return self._turn("asker", number, ASKER, None, [self._candidate(0, text, None, 0)])

    async def debater_turn(self, number: int, side: int, turns: tuple[OversightTurn, ...]) -> Turn:
        """Return the turn of the debater of an answer, the best of several."""
        asked = "own" if side == self._plan.argues else "opponent"
        found: list[Candidate] = []
        for candidate in range(self._plan.best_of):
            self._used = []
            made = await self._draft(asked, number, side, turns, candidate)
            if self._plan.best_of > 1 and made.shown_text:
                turn = OversightTurn(DEBATERS[side], number, made.shown_text)
                weight = await self._preference(side, number, candidate, (*turns, turn))
                made = replace(made, preference=weight)
            found.append(replace(made, **_totals(self._used)))
        return self._turn(asked, number, DEBATERS[side], side, found)

    def _turn(
        self, asked: str, number: int, speaker: str, side: int | None, found: list[Candidate]
    ) -> Turn:
        usable = [each for each in found if each.shown_text]
        if usable:
            # The first of those that are liked best; a candidate without a preference comes last.
            best = max(
                usable, key=lambda each: -1.0 if each.preference is None else each.preference
            )
            found[best.candidate] = replace(best, is_chosen=True)
        model_id = self._judges[asked][0]
        return Turn(len(self.turns), number, speaker, side, model_id, tuple(found))

    async def _draft(
        self, asked: str, number: int, side: int, turns: tuple[OversightTurn, ...], candidate: int
    ) -> Candidate:
        question, plan, request = self._question, self._plan, self._request
        role = self._role(DEBATER, side, number, turns, candidate)
        values = values_of(question, plan, side, turns, number)
        prompt = request.template.render(values, ready=("transcript",))
        text = await self._text(asked, role, prompt, request.system)
        done = 0
        for again in range(plan.refine if text.text is not None else 0):
            draft = self._mark(text.text or "").shown
            role = replace(role, role=CRITICISE, attempt=again, draft=draft)
            prompt = self._prompts.fill(CRITICISE, question, plan, turns, side, draft=draft)
            found = await self._ask(asked, role, prompt, request.system)
            role = replace(role, role=REFINE)
            prompt = self._prompts.fill(
                REFINE, question, plan, turns, side, draft=draft, critique=without_asides(found)
            )
            better = await self._text(asked, role, prompt, request.system, f"{again}.")
            # One that cannot be used leaves the draft as it was.
            rejected = (*text.rejected, *better.rejected)
            if better.text is not None:
                text, done = better, done + 1
            text = text._replace(rejected=rejected)
        return self._candidate(candidate, text, side, done)

    async def _preference(
        self, side: int, number: int, candidate: int, shown: tuple[OversightTurn, ...]
    ) -> float | None:
        """Return the probability a preference judge gives a side, the mean of both orders."""
        found: list[float] = []
        for order in ANSWER_ORDERS:
            role = self._role(PREFER, side, number, shown, candidate)
            role = replace(role, answer_order=order, draft=shown[-1].text)
            prompt = self._prompts.fill(
                PREFER, self._question, self._plan, shown, answer_order=order
            )
            reply = await self._ask("preference_judge", role, prompt, None)
            first = read_percent(reply)
            if first is not None:
                found.append(first if order[0] == str(side) else 1 - first)
        return sum(found) / len(found) if len(found) == len(ANSWER_ORDERS) else None

    # Texts

    async def _text(
        self, asked: str, role: DebateRole, prompt: str, system: str | None, prefix: str = ""
    ) -> _Text:
        """Return a text of the right form and length, asked for until it has them."""
        rejected: list[str] = []
        long: str | None = None
        reply = ""
        for attempt in range(ATTEMPTS):
            tried = replace(role, attempt=attempt)
            reply = await self._ask(asked, tried, prompt, system, prefix)
            text = turn_of(without_asides(reply), _TAG_OF[role.role])
            if is_refusal(reply, self._used[-1].get("finish_reason")):
                rejected.append(REFUSED)
            elif text is None or not self._mark(text).shown.strip():
                rejected.append(MALFORMED)
            elif count_words(text) <= self._plan.word_limit:
                return _Text(text, tuple(rejected))
            else:
                rejected.append(TOO_LONG)
                long = text
        if long is None:
            return _Text(None, tuple(rejected), last=reply)
        rejected.remove(TOO_LONG)
        return _Text(cut(long, self._plan.word_limit), tuple(rejected), is_truncated=True)

    async def _ask(
        self, asked: str, role: DebateRole, prompt: str, system: str | None, prefix: str = ""
    ) -> str:
        """Return one reply, which may have come in an earlier attempt."""
        model_id, judge = self._judges[asked]
        side = "" if role.argues is None else role.argues
        decoding, order = self._request.decoding, str(role.attempt)
        if role.role == PREFER:
            # Candidates are to be told apart by what they say, not by luck.
            decoding, order = {**decoding, "temperature": 0.0}, role.answer_order
        request = replace(
            self._request, prompt=prompt, system=system, variant=role, decoding=decoding
        )
        # Within a turn by number, so that a key never means another turn.
        key = f"{len(self.turns)}.{side}.{role.candidate}.{role.role}.{prefix}{order}"
        step = await self._messages.ask(key, model_id, judge, request, self._windows.get(asked))
        self._used.append(step)
        return str(step["reply"])

    # Records

    def _role(
        self,
        role: str,
        side: int | None,
        number: int,
        turns: tuple[OversightTurn, ...],
        candidate: int = 0,
    ) -> DebateRole:
        plan = self._plan
        return DebateRole(
            role, side, plan.protocol, number, plan.rounds, plan.word_limit, candidate, turns=turns
        )

    def _mark(self, text: str) -> Marked:
        return mark(text, self._story, self._examples)

    def _candidate(self, number: int, text: _Text, side: int | None, done: int) -> Candidate:
        written = text.last if text.text is None else text.text
        marked = self._mark(text.text or "")
        answers = self._question.answers
        is_lost = text.text is None
        own, other = (None, None) if side is None or is_lost else (answers[side], answers[1 - side])
        return Candidate(
            candidate=number,
            is_chosen=False,
            text=written,
            shown_text=marked.shown,
            word_count=count_words(written),
            rejected_count=len(text.rejected),
            rejected_reasons=text.rejected,
            is_truncated=text.is_truncated,
            is_refusal=is_lost and text.rejected[-1] == REFUSED,
            is_concession=is_concession(written) if own is not None else None,
            argues_other_side=(
                None if own is None or other is None else argues_other_side(written, own, other)
            ),
            is_malformed=marked.is_malformed or (is_lost and text.rejected[-1] == MALFORMED),
            refine_count=done,
            preference=None,
            quotes=marked.quotes,
            **_totals(self._used),
        )

    def _reply(
        self, last: Reply, status: str, reason: str | None = None, broken_by: str | None = None
    ) -> Reply:
        """Return the transcript so far, and what it used that no earlier line has counted."""
        turns = tuple(self.turns)
        shown = shown_turns(turns)
        ids = {role: judge_id for role, (judge_id, _) in self._judges.items()}
        debated = Debated(
            opponent_id=ids.get("opponent"),
            asker_id=ids.get("asker"),
            preference_judge_id=ids.get("preference_judge"),
            status=status,
            reason=reason,
            transcript_hash=(
                transcript_hash(self._question, self._plan, shown) if status == COMPLETE else None
            ),
            turns=turns,
            broken_by=broken_by,
        )
        return replace(self._messages.summed(last), outcome=debated)


def read_percent(reply: str) -> float | None:
    """Return the probability of the answer shown first; None where a reply does not give one.

    The last number between `<probability>` tags counts, in percent, from 0 to 100.
    """
    found = _PERCENT.findall(without_asides(reply))
    value = float(found[-1]) if found else None
    return None if value is None or value > 100 else value / 100


def _totals(used: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of what steps used; None where one is unknown."""
    totals: dict[str, Any] = {}
    for name in ("tokens_in", "tokens_out", "cost_usd"):
        values = [step.get(name) for step in used]
        totals[name] = None if not values or None in values else sum(values)
    return totals
