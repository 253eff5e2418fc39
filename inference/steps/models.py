"""The model that a step asks: any judge that writes, behind a plain function of a prompt.

Within a budget, its replies are kept and what they cost is counted.
"""

import json
import math
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, Self

from inference.errors import FINAL_KINDS, BadSettings, NoReply, NoReplyYet
from inference.judges import make_judge
from inference.judges.base import Judge, JudgeWrapper, Reply
from inference.judges.request import Request
from inference.kinds import KIND
from inference.prices import Prices, as_dollars, load_prices
from inference.questions.answers import Generation, Question
from inference.registry import JudgeSpec, spec_for
from inference.runs.limits import Budget
from inference.runs.sending import Afford, Outcome, Sender, always
from inference.runs.terms import Terms
from inference.steps.replies import Replies
from inference.tally import Progress
from inference.templates import load_template
from inference.tokens import estimated
from warehouse.files import write_atomically

# What DebateQA's authors set for gpt-4-turbo (appendix A.3).
TEMPERATURE = 0.7
TOP_P = 0.7
# Twenty points of view, or an explanation of 300 words, with room to spare.
MAX_TOKENS = 4096

# Any will do: what is sent is the prompt of the step, and no system turn.
_TEMPLATE = "qa_basic"
_CUT = "length"
# A justification of one or two sentences, or twenty words of polarity, with room to spare.
REPLY_TOKENS = 2048


class Model(JudgeWrapper):
    """A model to ask. An async context manager.

    Args:
        prices: What its tokens cost; the shipped prices unless given.
        temperature: The sampling temperature.
        top_p: Of the likeliest tokens, how much probability may be drawn from.
        max_tokens: The most tokens of a reply; one that is cut there counts as none.

    Attributes:
        price: What its tokens cost; None if it is unknown.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: It takes its requests in bulk, or its settings are wrong.
    """

    def __init__(
        self,
        judge_id: str,
        judges_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        *,
        prices: Prices | None = None,
        temperature: float = TEMPERATURE,
        top_p: float = TOP_P,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        self._spec: JudgeSpec = spec_for(judge_id, judges_file, environ)
        judge: Judge = make_judge(self._spec, None, environ, prices)
        super().__init__(judge)
        if hasattr(judge, "ask_many"):
            raise BadSettings(
                f"steps: '{judge_id}' takes its requests in bulk, and each step needs the replies "
                "of the one before; use a judge that is asked at once"
            )
        self.price = (prices or load_prices()).price_for(self._spec)
        self._way = Generation(_TEMPLATE, temperature, top_p)
        self._decoding = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}

    async def __aenter__(self) -> Self:
        self._sender = Sender(self._spec, self.concurrency)
        return await super().__aenter__()

    def most_usd(self, prompt: str) -> float | None:
        """Return the most that a prompt can cost; None where no price is known."""
        if self.price is None:
            return None
        return Terms.of(self._spec, self.price, None).most_usd(self._request(prompt))

    @property
    def identity(self) -> str:
        """Its id, settings and decoding: what decides its replies besides the prompt."""
        decoding = json.dumps(self._decoding, sort_keys=True)
        return f"{self._spec.judge_id} {self._spec.settings_hash} {decoding}"

    async def __call__(self, prompt: str) -> str:
        """Return the text of the reply to a prompt, having tried again where that may help.

        Raises:
            NoReply: There will never be one.
            NoReplyYet: There is none now.
        """
        return self.text_of((await self.send(prompt)).reply)

    async def send(self, prompt: str, afford: Afford = always) -> Outcome:
        """Return the outcome of a prompt, with what it used.

        Args:
            afford: Whether another attempt can be paid for after one that may be billed.
        """
        request = self._request(prompt)
        tokens = estimated(prompt)
        return await self._sender.send(lambda _: self._judge.ask(request), tokens, afford)

    def _request(self, prompt: str) -> Request:
        return Request(
            kind=KIND["question"],
            item=Question("curation", "curation:prompt", "", prompt, None),
            variant=self._way,
            template=load_template(_TEMPLATE),
            sample=0,
            prompt=prompt,
            decoding=self._decoding,
        )

    def text_of(self, reply: Reply) -> str:
        """Return a reply's text.

        Raises:
            NoReply: It was cut, or there will never be one.
            NoReplyYet: There is none now.
        """
        if reply.error_kind in FINAL_KINDS:
            raise NoReply(f"{reply.error_kind}: {reply.error}")
        if reply.error_kind is not None:
            raise NoReplyYet(
                f"'{self._spec.judge_id}' gave no reply ({reply.error_kind}: {reply.error}); "
                "do the same again, it goes on from the replies that are kept"
            )
        if reply.finish_reason == _CUT:
            raise NoReply(
                f"cut: the reply has more than {self._decoding['max_tokens']:g} tokens; raise "
                "max_tokens"
            )
        return reply.response or ""


class SpendLimit(NamedTuple):
    """Limit of what a model may cost.

    Attributes:
        file: Where what was spent is written down, over all starts.
        budget_usd: What may be spent in all; None for no limit.
        prices_file: The user's prices.
    """

    file: Path
    budget_usd: float | None = None
    prices_file: Path | None = None

    @property
    def spent_usd(self) -> float:
        """Most that all replies so far may have cost.

        Raises:
            BadSettings: The file is damaged.
        """
        try:
            spent = float(json.loads(self.file.read_text(encoding="utf-8"))["usd"])
        except FileNotFoundError:
            return 0.0
        except (OSError, ValueError, KeyError, TypeError):
            spent = math.nan
        if not math.isfinite(spent):
            raise BadSettings(
                f"steps: {self.file} does not state what was spent; restore it, or remove it to "
                "begin at 0"
            )
        return max(0.0, spent)


class BudgetedModel:
    """A model behind a folder of replies. An async context manager; called with a prompt.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: Its settings are wrong, or there is a budget and no known price.
    """

    def __init__(
        self,
        judge_id: str,
        replies: Path,
        limit: SpendLimit,
        total: int,
        judges_file: Path | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._model = open_model(judge_id, judges_file, limit.prices_file)
        if limit.budget_usd is not None and self._model.price is None:
            raise BadSettings(
                f"steps: no price is known for '{judge_id}', so a budget cannot be kept; add one "
                "to prices.toml in your home"
            )
        self._limit = limit
        self._spent = limit.spent_usd
        self._began_with = self._spent
        self._budget = Budget(limit.budget_usd, self._spent)
        self._replies = Replies(replies, self._model.identity, self._ask_within_budget)
        self._progress = progress
        self._total = total
        self._done = self._new = 0

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._model)
            await stack.enter_async_context(self._replies)
            self._opened = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def __call__(self, prompt: str) -> str:
        """Return the reply to a prompt: the one that is known, else the model's.

        Raises:
            NoReply: There will never be one.
            NoReplyYet: There is none now, or the budget is used up.
        """
        reply = await self._replies(prompt)
        self._done += 1
        if self._progress is not None:
            cost = None if self._model.price is None else self._spent - self._began_with
            self._progress(Progress(self._done, self._new, self._total, 0, {}, 0, cost))
        return reply

    async def _ask_within_budget(self, prompt: str) -> str:
        most = self._model.most_usd(prompt) or 0.0
        if not await self._budget.reserve(most):
            raise NoReplyYet(
                f"stopped before passing the budget of ${self._limit.budget_usd:g} "
                f"({as_dollars(self._spent)} spent); what was replied is kept, go on with a higher "
                "--budget"
            )
        reserved = cost = most

        async def afford() -> bool:
            nonlocal reserved, cost
            is_there = await self._budget.reserve(most, can_wait=False)
            cost = reserved = reserved + is_there * most
            return is_there

        try:
            outcome = await self._model.send(prompt, afford)
            cost = outcome.usd_at_most(most, most)
        finally:
            self._budget.settle(reserved, cost)
            self._spent += cost
            write_atomically(self._limit.file, json.dumps({"usd": self._spent}) + "\n")
        self._new += 1
        return self._model.text_of(outcome.reply)


def open_model(
    judge_id: str, judges_file: Path | None = None, prices_file: Path | None = None
) -> Model:
    """Return a model as it is asked here: without sampling, so that it says the same again.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: Its settings are wrong.
    """
    prices = load_prices(prices_file)
    return Model(
        judge_id, judges_file, prices=prices, temperature=0.0, top_p=1.0, max_tokens=REPLY_TOKENS
    )
