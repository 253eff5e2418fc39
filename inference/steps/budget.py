"""A model that is asked within a budget, and whose replies are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, Self

from inference.errors import BadSettings, NoReplyYet
from inference.prices import Price, as_dollars, load_prices
from inference.registry import spec_for
from inference.runs.limits import Budget
from inference.steps.models import Model
from inference.steps.replies import Replies
from inference.tally import Progress
from inference.tokens import at_most
from inference.whole_files import write_whole

# A justification of one or two sentences, or twenty words of polarity, with room to spare.
MAX_TOKENS = 2048


class Purse(NamedTuple):
    """What may be spent.

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
        """What has been spent so far, counting the most where no price is known of a reply."""
        try:
            return float(json.loads(self.file.read_text(encoding="utf-8"))["usd"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0.0


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
        purse: Purse,
        total: int,
        judges_file: Path | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._model = open_model(judge_id, judges_file, purse.prices_file)
        self._price = price_of(judge_id, judges_file, purse.prices_file)
        if purse.budget_usd is not None and self._price is None:
            raise BadSettings(
                f"steps: no price is known for '{judge_id}', so a budget cannot be kept; add one "
                "to prices.toml in your home"
            )
        self._purse = purse
        self._spent = purse.spent_usd
        self._began_with = self._spent
        self._budget = Budget(purse.budget_usd, self._spent)
        self._replies = Replies(replies, self._model.identity, self._paid)
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
            cost = None if self._price is None else self._spent - self._began_with
            self._progress(Progress(self._done, self._new, self._total, 0, {}, 0, cost))
        return reply

    async def _paid(self, prompt: str) -> str:
        most = most_usd(self._price, prompt) or 0.0
        if not await self._budget.reserve(most):
            raise NoReplyYet(
                f"stopped before passing the budget of ${self._purse.budget_usd:g} "
                f"({as_dollars(self._spent)} spent); what was replied is kept, go on with a higher "
                "--budget"
            )
        cost = most
        try:
            reply = await self._model.reply(prompt)
            cost = most if reply.cost_usd is None else reply.cost_usd
        finally:
            self._budget.settle(most, cost)
            self._spent += cost
            write_whole(self._purse.file, json.dumps({"usd": self._spent}) + "\n")
        self._new += 1
        return self._model.text_of(reply)


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
        judge_id, judges_file, prices=prices, temperature=0.0, top_p=1.0, max_tokens=MAX_TOKENS
    )


def price_of(
    judge_id: str, judges_file: Path | None = None, prices_file: Path | None = None
) -> Price | None:
    """Return what a model's tokens cost; None where nobody knows."""
    return load_prices(prices_file).price_for(spec_for(judge_id, judges_file))


def most_usd(price: Price | None, prompt: str) -> float | None:
    """Return the most that a prompt can cost; None where no price is known."""
    return None if price is None else price.cost(at_most(prompt), MAX_TOKENS)
