"""On which terms a judge is asked: its price, its window, and how long an answer may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from inference.errors import BadSettings
from inference.judges.base import Judge, Reply
from inference.judges.request import Request
from inference.plan import PlannedRun
from inference.prices import Price, window_of
from inference.registry import JudgeSpec
from inference.runs.history import OwnAnswers
from inference.tokens import Context, TokenCounter, at_least, at_most, token_counter


@dataclass(frozen=True)
class Terms:
    """On which terms a judge is asked.

    Attributes:
        context_window: The most tokens of prompt and answer together; None where nobody knows.
        counter: Counts prompts that may be longer than the window; None where they are not counted.
    """

    spec: JudgeSpec
    price: Price | None
    budget_usd: float | None
    context_window: int | None
    counter: TokenCounter | None = None

    @classmethod
    def of(
        cls,
        spec: JudgeSpec,
        price: Price | None,
        budget_usd: float | None,
        counter: TokenCounter | None = None,
    ) -> Terms:
        """Return the terms a judge's settings set."""
        is_paid = "api_key_env" in spec.settings
        if budget_usd is not None and is_paid and price is None:
            raise BadSettings(
                f"runner: no price is known for '{spec.judge_id}', so a budget cannot be kept; "
                f'add [{spec.provider}."{spec.model}"] to prices.toml in your home, or set the '
                "judge's usd_per_million_tokens_in and usd_per_million_tokens_out"
            )
        if budget_usd is not None and spec.rules.is_bulk:
            raise BadSettings(
                "runner: a batch is paid for as a whole, so a budget cannot stop it half-way; "
                "leave the budget out and limit the items (--limit), or use the same model without "
                "batch/"
            )
        return cls(
            spec=spec,
            price=price,
            budget_usd=budget_usd,
            context_window=window_of(spec, price),
            counter=counter,
        )

    def bounds(self, judge: Judge, request: Request) -> tuple[float, float]:
        """Return the most a request can cost, and the most that one message of it can.

        Both are 0 without a budget.
        """
        if self.budget_usd is None:
            return 0.0, 0.0
        # Where others take part, only the judge knows whom.
        if (bounds := getattr(judge, "most_usd", None)) is not None:
            return cast("tuple[float, float]", bounds(request))
        most_usd = self.most_usd(request)
        return most_usd, most_usd

    def charged_usd(self, judge: Judge, requests: Mapping[str, Request], own: OwnAnswers) -> float:
        """Return what earlier starts of a run may have cost, by its journal.

        A message whose cost the journal does not bound counts as the most that its request can
        cost.
        """
        if self.budget_usd is None:
            return 0.0
        total = own.charged_usd
        for request_id, (count, tokens_in, tokens_out) in own.unbounded:
            usd = self.price.cost(tokens_in, tokens_out) if self.price else None
            if usd is None and request_id in requests:
                usd = self.bounds(judge, requests[request_id])[0]
            total += count * (usd or 0.0)
        return total

    def most_usd(self, request: Request) -> float:
        """Return the most that one request can cost."""
        if self.price is None:
            return 0.0
        times, shown = request.costs.lookups
        tokens_in = times * (at_most(self._sent(request)) + shown)
        tokens_out = times * self.most_tokens_out(request)
        if request.note_prompts:
            system = self._sent(replace(request, prompt=""))
            # Each note is written, and then read.
            tokens_in += sum(at_most(system + prompt) for prompt in request.note_prompts)
            tokens_in += len(request.note_prompts) * tokens_out
            tokens_out *= len(request.note_prompts) + 1
        return self.price.bound(tokens_in, tokens_out)

    def most_tokens_out(self, request: Request) -> int:
        """Return how long an answer may be; 0 for judges that write none."""
        if not self.spec.rules.is_model or not request.costs.writes_text:
            return 0
        most = self.spec.settings.get("max_tokens", request.decoding.get("max_tokens", 0))
        return int(most)

    def context(self, request: Request) -> Context | None:
        """Return how long the prompt is that shows a whole debate; None where that is not asked.

        A judge on this machine counts for itself, and says so with its reply.
        """
        if self.counter is None or not request.costs.is_counted:
            return None
        return Context(self.counter.count(request.prompt, request.system), self.counter.is_exact)

    def unsent(self, request: Request, context: Context | None = None) -> Reply | None:
        """Return the failure of a request that need not be sent to be known to fail.

        That is a prompt which is certainly over the judge's window; an answer to score that has no
        text, of which the best judge could only invent something; and an answer to compare with
        points of view that nobody wrote.
        """
        if (known := request.costs.failure) is not None:
            kind, words = known
            return Reply(error_kind=kind, error=words, cost_usd=0.0)
        window = self.context_window
        if window is None:
            return None
        if context is not None and context.is_exact:
            answer = self.most_tokens_out(request)
            if context.tokens + answer <= window:
                return None
            words = (
                f"the prompt has {context.tokens:,} tokens and the answer may have {answer:,}, and "
                f"the judge's window is {window:,}; it was not sent"
            )
            return Reply(error_kind="context_overflow", error=words, cost_usd=0.0)
        least = max(map(at_least, (self._sent(request), *request.note_prompts)))
        if least <= window:
            return None
        words = (
            f"the prompt has {len(request.sent):,} characters, at least {least:,} tokens, and "
            f"the judge's window is {window:,}; it was not sent"
        )
        return Reply(error_kind="context_overflow", error=words, cost_usd=0.0)

    def _sent(self, request: Request) -> str:
        return str(self.spec.settings.get("system_prompt", "")) + request.sent


def counter_of(spec: JudgeSpec, plans: Iterable[PlannedRun]) -> TokenCounter | None:
    """Return what counts prompts before they are sent; None where no plan has any so long.

    A judge on this machine counts each prompt anyway.
    """
    if spec.rules.is_here or not any(plan.is_counted for plan in plans):
        return None
    return token_counter(spec)
