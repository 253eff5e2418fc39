"""A judge whose verdicts meet rebuttals that another judge writes, a debater.

It stands around the run's own judge. Where a request's rebuttal is a debater's, the debater is
asked first, for the side that speaks; what it writes is put into the judge's prompt. The text
stands in the answer's `notes`, also where the judge then failed: asked again, the request has it in
`finished_steps`, and it is not paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from inference.debates.pressure import WORD_LIMIT, JudgedDebate, Pressed
from inference.errors import BadSettings, UnknownJudge
from inference.judges.base import COUNTED, AroundJudge, Judge, Reply, Request, reply_of, summed
from inference.kinds.parts import Put
from inference.oversight.debating.bounds import Paid
from inference.registry import JudgeSpec, spec_for
from inference.tokens import at_most

if TYPE_CHECKING:
    from inference.kinds.parts import Resources

# Who debates about stories can write.
_KIND = "transcript"
_DECLINED = ("content_filter", "refusal")
# What puts a debater's words into the prompt of a request.
Rebutted = Callable[[JudgedDebate, Pressed, str], Put]


class RebuttedJudge(AroundJudge):
    """The judge, with the debaters who object to it.

    Args:
        judge: The run's own judge.
        own: Its definition and price.
        debaters: The debaters, by id.
        paid: Their definitions and prices, by id.
        put: Puts a debater's words into a request's prompt.
    """

    def __init__(
        self,
        judge: Judge,
        own: Paid,
        debaters: Mapping[str, Judge],
        paid: Mapping[str, Paid],
        put: Rebutted,
    ) -> None:
        super().__init__(judge)
        self._own = own
        self._debaters = debaters
        self._paid = paid
        self._put = put
        self._opened = AsyncExitStack()

    @property
    def others(self) -> tuple[JudgeSpec, ...]:
        """The debaters."""
        return tuple(paid.spec for _, paid in sorted(self._paid.items()))

    @property
    def concurrency(self) -> int:
        """As many as the slowest: the debater speaks before the judge is asked."""
        return min(judge.concurrency for judge in (self._judge, *self._debaters.values()))

    def identity(self, request: Request) -> dict[str, Any]:
        """What the judge says, and the settings of the debater."""
        known = self._judge.identity(request)
        if not request.note_prompts:
            return known
        debater = self._paid[request.way(Pressed).rebuttal].spec
        return {**known, "debater": [debater.judge_id, debater.settings_hash]}

    def most_usd(self, request: Request) -> tuple[float, float]:
        """Return the most a request can cost, and the most that one message of it can.

        Raises:
            BadSettings: Somebody is paid for, and no price is known.
        """
        tokens_in = at_most(request.sent)
        if not request.note_prompts:
            most = self._own.most_usd(tokens_in, request)
            return most, most
        debater = self._paid[request.way(Pressed).rebuttal]
        written = debater.most_usd(sum(map(at_most, request.note_prompts)), request)
        judged = self._own.most_usd(tokens_in + debater.most_tokens_out(request), request)
        return written + judged, max(written, judged)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for judge in (self._judge, *self._debaters.values()):
                await stack.enter_async_context(judge)
            self._opened = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def ask(self, request: Request) -> Reply:
        """Have the rebuttal written, unless it is, then ask the judge again."""
        if not request.note_prompts:
            return await self._judge.ask(request)
        variant, debate = request.way(Pressed), request.about(JudgedDebate)
        if request.finished_steps:
            written = reply_of(request.finished_steps[0])
        else:
            (prompt,) = request.note_prompts
            asked = replace(request, prompt=prompt, labels=(), note_prompts=())
            written = _usable(await self._debaters[variant.rebuttal].ask(asked))
            if written.error_kind is not None:
                return written
        said = " ".join((written.response or "").split()[:WORD_LIMIT])
        put = self._put(debate, variant, said)
        prompt = request.template.render(put.values, put.turns, is_safe=put.is_safe)
        reply = await self._judge.ask(replace(request, prompt=prompt, note_prompts=()))
        note = {
            "role": variant.rebutter,
            "reply": said,
            "finish_reason": written.finish_reason,
            **{name: getattr(written, name) for name in COUNTED},
        }
        return summed([written, reply], notes=(note,))


def rebutted(judge: Judge, debaters: set[str], put: Rebutted, resources: Resources) -> Judge:
    """Return the run's judge with the debaters that its arms name.

    Args:
        judge: The judge.
        debaters: The debaters' ids.
        put: Puts a debater's words into a request's prompt.
        resources: Where their settings and keys are read.

    Raises:
        BadSettings: The judge takes all requests at once.
        UnknownJudge: A debater does not exist, or cannot write.
    """
    from inference.judges import make_judge

    spec, prices = resources.spec, resources.prices
    if hasattr(judge, "ask_many"):
        raise BadSettings(
            f"pressure: '{spec.judge_id}' sends all requests at once, and a debater is to speak "
            "before it; use the same model without batch/, or the rebuttals of the project"
        )
    opened: dict[str, Judge] = {}
    paid: dict[str, Paid] = {}
    for judge_id in sorted(debaters):
        debater = spec_for(judge_id, resources.judges_file, resources.environ)
        if _KIND not in debater.kinds or hasattr(
            made := make_judge(debater, None, resources.environ, prices), "ask_many"
        ):
            raise UnknownJudge(
                f"pressure: '{judge_id}' cannot write rebuttals one by one; name a model, or "
                "simulated/debater-strong"
            )
        opened[judge_id] = made
        paid[judge_id] = Paid(debater, prices.price_for(debater))
    return RebuttedJudge(judge, Paid(spec, prices.price_for(spec)), opened, paid, put)


def _usable(reply: Reply) -> Reply:
    """Return a debater's reply, as a failure where it holds no rebuttal."""
    if reply.error_kind is not None:
        return reply
    if reply.finish_reason in _DECLINED:
        words = f"no rebuttal was written: {reply.finish_reason}"
        return replace(reply, error_kind="filtered", error=words)
    if (reply.response or "").strip():
        return reply
    return replace(reply, response=None, error_kind="empty_choices", error="the rebuttal is empty")
