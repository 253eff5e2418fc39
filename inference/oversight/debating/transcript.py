"""One transcript on its way: whose turn it is, what is kept, and what becomes of the whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from inference.errors import InferenceError
from inference.judges.base import COUNTED, FINAL_KINDS, Judge, Reply, Request
from inference.oversight.debating.bounds import ATTEMPTS
from inference.oversight.debating.prompts import Prompts, examples_of, text_hash, values_of
from inference.oversight.debating.quotes import Marked, Story, mark
from inference.oversight.debating.records import (
    COMPLETE,
    ENDPOINT,
    MALFORMED,
    PARTIAL,
    REFUSED,
    VOID,
    Candidate,
    Debated,
    Turn,
    shown_turns,
    transcript_hash,
)
from inference.oversight.debating.roles import ASK, CRITICISE, DEBATER, PREFER, REFINE, DebateRole
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
from inference.tokens import at_least

TOO_LONG = "too_long"
_TAG_OF = {DEBATER: "argument", REFINE: "argument", ASK: "question"}
_PERCENT = re.compile(r"<probability>\s*([0-9]{1,3}(?:\.[0-9]+)?)\s*%?\s*</probability>", re.I)


class _Broken(InferenceError):
    """An endpoint brought a failure instead of a reply."""

    def __init__(self, model_id: str, reply: Reply) -> None:
        super().__init__(reply.error or "")
        self.model_id = model_id
        self.reply = reply


class _Unusable(InferenceError):
    """Nobody wrote anything usable for a turn."""

    def __init__(self, model_id: str, words: str) -> None:
        super().__init__(words)
        self.model_id = model_id


class _Text(NamedTuple):
    """What came of asking for a text: the text, or the last reply where none could be used."""

    text: str | None
    rejected: tuple[str, ...]
    is_truncated: bool = False
    last: str = ""


class Writing:
    """The transcript of one request.

    Args:
        request: The request; its prompt is the first debater's first.
        judges: Who takes part, an id and a judge each, by the role's name in `bounds.Messages`.
        prompts: The prompts besides the debater's.
        windows: The most tokens of prompt and reply together, by the same names; None where nobody
            knows.
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
        self._known = {step["key"]: step for step in request.finished_steps}
        self._steps: list[Mapping[str, Any]] = []
        self._turns: list[Turn] = []
        self._omitted: dict[str, None] = {}
        # Of the candidate that is being written or weighed.
        self._used: list[Mapping[str, Any]] = []

    async def write(self) -> Reply:
        """Write the transcript, as far as that can be done now."""
        try:
            await self._rounds()
        except _Broken as error:
            is_final = error.reply.error_kind in FINAL_KINDS
            words = f"{ENDPOINT}: {error.reply.error_kind}: {error}"
            status = VOID if is_final else PARTIAL
            return self._reply(error.reply, status, words, error.model_id)
        except _Unusable as error:
            last = Reply(VOID, finish_reason="stop")
            return self._reply(last, VOID, str(error), error.model_id)
        return self._reply(Reply(COMPLETE, finish_reason="stop"), COMPLETE)

    async def _rounds(self) -> None:
        plan = self._plan
        sides = [plan.argues] if plan.protocol == CONSULTANCY else [0, 1]
        for number in range(1, plan.rounds + 1):
            if plan.asker is not None and number > 1:
                await self._question_turn(number)
            said = shown_turns(self._turns)
            for side in sides:
                if plan.turn_order == SEQUENTIAL:
                    said = shown_turns(self._turns)
                await self._debater_turn(number, side, said)

    # Turns

    async def _question_turn(self, number: int) -> None:
        said = shown_turns(self._turns)
        self._used = []
        prompt = self._prompts.ask(self._question, self._plan, said)
        role = self._role(ASK, None, number, said)
        text = await self._text("asker", role, prompt, None)
        self._close("asker", number, ASKER, None, [self._candidate(0, text, None, 0)])

    async def _debater_turn(self, number: int, side: int, said: tuple[OversightTurn, ...]) -> None:
        asked = "own" if side == self._plan.argues else "opponent"
        found: list[Candidate] = []
        for candidate in range(self._plan.best_of):
            self._used = []
            made = await self._draft(asked, number, side, said, candidate)
            if self._plan.best_of > 1 and made.shown_text:
                turn = OversightTurn(DEBATERS[side], number, made.shown_text)
                weight = await self._preference(side, number, candidate, (*said, turn))
                made = replace(made, preference=weight)
            found.append(replace(made, **_totals(self._used)))
        self._close(asked, number, DEBATERS[side], side, found)

    def _close(
        self, asked: str, number: int, speaker: str, side: int | None, found: list[Candidate]
    ) -> None:
        """Add a turn with the best of its candidates chosen.

        Raises:
            _Unusable: There is none to choose.
        """
        usable = [each for each in found if each.shown_text]
        if usable:
            # The first of those that are liked best; a candidate without a preference comes last.
            best = max(
                usable, key=lambda each: -1.0 if each.preference is None else each.preference
            )
            found[best.candidate] = replace(best, is_chosen=True)
        model_id = self._judges[asked][0]
        turn = Turn(len(self._turns), number, speaker, side, model_id, tuple(found))
        self._turns.append(turn)
        if not usable:
            kind = REFUSED if found[-1].is_refusal else MALFORMED
            raise _Unusable(
                model_id,
                f"{kind}: {speaker} ({model_id}) wrote nothing usable in round {number}, "
                f"{ATTEMPTS} attempts for each text",
            )

    async def _draft(
        self, asked: str, number: int, side: int, said: tuple[OversightTurn, ...], candidate: int
    ) -> Candidate:
        question, plan, request = self._question, self._plan, self._request
        role = self._role(DEBATER, side, number, said, candidate)
        values = values_of(question, plan, side, said, number)
        prompt = request.template.render(values, ready=("transcript",))
        text = await self._text(asked, role, prompt, request.system)
        done = 0
        for again in range(plan.refine if text.text is not None else 0):
            draft = self._mark(text.text or "").shown
            role = replace(role, role=CRITICISE, attempt=again, draft=draft)
            prompt = self._prompts.criticise(question, side, said, draft)
            found = await self._ask(asked, role, prompt, request.system)
            role = replace(role, role=REFINE)
            prompt = self._prompts.write_again(
                question, plan, side, said, draft, without_asides(found)
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
            prompt = self._prompts.weigh(self._question, shown, order)
            said = await self._ask("preference_judge", role, prompt, None)
            first = read_percent(said)
            if first is not None:
                found.append(first if order[0] == str(side) else 1 - first)
        return sum(found) / len(found) if len(found) == len(ANSWER_ORDERS) else None

    # Texts

    async def _text(
        self, asked: str, role: DebateRole, prompt: str, system: str | None, prefix: str = ""
    ) -> _Text:
        """Return a text of the form and length asked for, having asked for it until it has them."""
        rejected: list[str] = []
        long: str | None = None
        said = ""
        for attempt in range(ATTEMPTS):
            tried = replace(role, attempt=attempt)
            said = await self._ask(asked, tried, prompt, system, prefix)
            text = turn_of(without_asides(said), _TAG_OF[role.role])
            if is_refusal(said, self._used[-1].get("finish_reason")):
                rejected.append(REFUSED)
            elif text is None or not self._mark(text).shown.strip():
                rejected.append(MALFORMED)
            elif count_words(text) <= self._plan.word_limit:
                return _Text(text, tuple(rejected))
            else:
                rejected.append(TOO_LONG)
                long = text
        if long is None:
            return _Text(None, tuple(rejected), last=said)
        rejected.remove(TOO_LONG)
        return _Text(cut(long, self._plan.word_limit), tuple(rejected), is_truncated=True)

    async def _ask(
        self, asked: str, role: DebateRole, prompt: str, system: str | None, prefix: str = ""
    ) -> str:
        """Return one model's reply, which may have come in an earlier attempt.

        Raises:
            _Broken: It has failed.
        """
        model_id, judge = self._judges[asked]
        side = "" if role.argues is None else role.argues
        order = role.answer_order if role.role == PREFER else role.attempt
        # Within a turn by number, so that a key never means another turn.
        key = f"{len(self._turns)}.{side}.{role.candidate}.{role.role}.{prefix}{order}"
        asked_hash = text_hash(system, prompt)
        step = self._known.get(key)
        if step is None or step["asked"] != asked_hash:
            decoding = self._request.decoding
            if role.role == PREFER:
                # Candidates are to be told apart by what they say, not by luck.
                decoding = {**decoding, "temperature": 0.0}
            request = replace(
                self._request,
                prompt=prompt,
                system=system,
                variant=role,
                decoding=decoding,
                finished_steps=(),
                keep_step=None,
            )
            reply = self._unsent(asked, request) or await judge.ask(request)
            self._omitted |= dict.fromkeys(reply.omitted_parameters)
            if reply.error_kind == "filtered":
                reply = replace(reply, response="", error_kind=None, finish_reason="content_filter")
            elif reply.error_kind is not None:
                raise _Broken(model_id, replace(reply, error=f"{model_id}: {reply.error}"))
            step = {
                "key": key,
                "asked": asked_hash,
                "model_id": model_id,
                "reply": reply.response or "",
                "finish_reason": reply.finish_reason,
                **{name: getattr(reply, name) for name in COUNTED},
            }
            if self._request.keep_step is not None:
                await self._request.keep_step(step)
        self._steps.append(step)
        self._used.append(step)
        return str(step["reply"])

    def _unsent(self, asked: str, request: Request) -> Reply | None:
        """Return the failure of a prompt that is certainly over the window."""
        window, least = self._windows.get(asked), at_least(request.sent)
        if window is None or least <= window:
            return None
        words = (
            f"the prompt has {len(request.sent):,} characters, at least {least:,} tokens, and the "
            f"window is {window:,}; it was not sent"
        )
        return Reply(error_kind="context_overflow", error=words, cost_usd=0.0, is_sent=False)

    # Records

    def _role(
        self,
        role: str,
        side: int | None,
        number: int,
        said: tuple[OversightTurn, ...],
        candidate: int = 0,
    ) -> DebateRole:
        plan = self._plan
        return DebateRole(
            role, side, plan.protocol, number, plan.rounds, plan.word_limit, candidate, turns=said
        )

    def _mark(self, text: str) -> Marked:
        return mark(text, self._story, self._examples)

    def _candidate(self, number: int, text: _Text, side: int | None, done: int) -> Candidate:
        written = text.last if text.text is None else text.text
        marked = self._mark(text.text or "")
        answers = self._question.answers
        is_lost = text.text is None
        is_argued = side is not None and not is_lost
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
            is_concession=is_concession(written) if is_argued else None,
            argues_other_side=(
                argues_other_side(written, answers[side], answers[1 - side])
                if side is not None and not is_lost
                else None
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
        is_complete = status == COMPLETE
        shown = shown_turns(self._turns)
        ids = {role: judge_id for role, (judge_id, _) in self._judges.items()}
        debated = Debated(
            opponent_id=ids.get("opponent"),
            asker_id=ids.get("asker"),
            preference_judge_id=ids.get("preference_judge"),
            status=status,
            reason=reason,
            transcript_hash=(
                transcript_hash(self._question, self._plan, shown) if is_complete else None
            ),
            turns=tuple(self._turns),
            broken_by=broken_by,
        )
        used: list[Mapping[str, Any]] = [
            dict.fromkeys(COUNTED, 0) if step.get("is_counted") else step for step in self._steps
        ]
        totals = _totals(used, COUNTED)
        if last.error_kind is not None:
            # A failure adds what it says, and no more.
            failed = {name: getattr(last, name) for name in COUNTED}
            for name, value in failed.items():
                if value is not None and totals[name] is not None:
                    totals[name] += value
        return replace(
            last,
            **totals,
            debated=debated,
            steps=tuple(self._steps),
            omitted_parameters=tuple(self._omitted),
            is_sent=last.is_sent or bool(self._steps),
        )


def read_percent(reply: str) -> float | None:
    """Return the probability of the answer shown first; None where a reply does not give one.

    The last number between `<probability>` tags counts, in percent, from 0 to 100.
    """
    found = _PERCENT.findall(without_asides(reply))
    value = float(found[-1]) if found else None
    return None if value is None or value > 100 else value / 100


def _totals(
    used: Sequence[Mapping[str, Any]],
    names: Sequence[str] = ("tokens_in", "tokens_out", "cost_usd"),
) -> dict[str, Any]:
    """Return what steps used together; nothing is known where one does not say."""
    totals: dict[str, Any] = {}
    for name in names:
        values = [step.get(name) for step in used]
        totals[name] = None if not values or None in values else sum(values)
    return totals
