"""What a run would ask and cost, before anything is sent: `rostrum plan` and `run --dry-run`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Unpack

from inference.experiment import Experiment
from inference.items import ItemSource
from inference.judges.request import Request
from inference.plan import PlannedRun, RunOptions, plan_runs
from inference.prices import Price, load_prices
from inference.registry import JudgeSpec
from inference.runs.history import (
    Recorded,
    check_settings,
    mean_tokens_out,
    own_answers,
    reusable_answers,
)
from inference.runs.terms import Terms
from inference.tokens import TokenCounter, token_counter

# What the expected length of answers rests on.
EARLIER = "the mean of this judge's earlier answers to the prompt"
FORMAT = "the form of the answer that is asked for"
LIMIT = "the most the judge may write, as the form of the answer says nothing"
# English prose has four tokens to three words; tags and labels are cut into shorter tokens.
_TOKENS_PER_WORD = 4 / 3
_CHARACTERS_PER_ANSWER_TOKEN = 2


@dataclass
class Variant:
    """What is to come for one way of asking about one data set.

    Attributes:
        asks: What is asked: the dimension, the metric, or the labels, position and outcome.
        answered: Those that have an answer, or a failure that stands, in the run itself.
        reused: Those another run of the judge has an answer to.
        overflowing: Those of `to_ask` that are not sent: certainly over the judge's window, or
            about an empty answer.
        tokens_in: Of the prompts to be asked; of transcripts those of all who take part, texts that
            have to be asked for again left out, and all at the price of the judge itself.
        basis: What `tokens_out` is expected by: `EARLIER`, `FORMAT` or `LIMIT`.
        tokens_out_most: Of the answers, if each were as long as it may be.
        usd_in: What `tokens_in` cost; None where no price is known.
        usd: What prompts and answers are expected to cost; None where no price is known.
        usd_most: What they can cost at most, by the estimate of `tokens_in_most`; None where no
            price is known.
        tokens_in_most: Of the prompts to be asked, if every text of a transcript had to be asked
            for as often as it may be; of other requests `tokens_in`.
    """

    dataset_id: str
    template: str
    asks: str
    requests: int = 0
    answered: int = 0
    reused: int = 0
    to_ask: int = 0
    overflowing: int = 0
    tokens_in: int = 0
    tokens_out: float = 0.0
    basis: str = FORMAT
    tokens_out_most: int = 0
    usd_in: float | None = None
    usd: float | None = None
    usd_most: float | None = None
    tokens_in_most: int = 0


@dataclass(frozen=True)
class Debates:
    """How long parliamentary debates are for one judge.

    Attributes:
        tokens: Of the longest prompt about each debate, manual and system turn included, shortest
            first.
        overflowing: How many debates have a prompt that is not sent, certainly over the window.
    """

    dataset_id: str
    tokens: tuple[int, ...]
    is_exact: bool
    overflowing: int
    window: int | None


@dataclass(frozen=True)
class Estimate:
    """What a run would ask and cost.

    Attributes:
        price: What the judge's tokens cost; None where nobody knows.
        debates: The lengths of parliamentary debates, a data set each; none for others.
    """

    variants: tuple[Variant, ...]
    method: str
    price: Price | None
    debates: tuple[Debates, ...] = ()


def estimate(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path,
    **options: Unpack[RunOptions],
) -> Estimate:
    """Return what `run` with the same arguments would ask and cost. Nothing is sent or written."""
    check_settings(journal_root, spec)
    options["prices"] = prices = options.get("prices") or load_prices()
    counter = token_counter(spec)
    terms = Terms.of(spec, prices.price_for(spec), None, counter)
    plans = plan_runs(experiment, spec, sources, journal_root=journal_root, **options)
    if spec.provider == "local" and any(plan.is_counted for plan in plans):
        from inference.local.models import load_window

        terms = replace(terms, context_window=load_window(spec))
    variants: list[Variant] = []
    debates: list[Debates] = []
    for plan in plans:
        lengths: dict[str, _Length] = {}
        variants += _variants_of(plan, terms, counter, journal_root, lengths)
        if lengths and any(each.tokens for each in lengths.values()):
            debates.append(_debates(str(plan.header["dataset_id"]), lengths, terms, counter))
    return Estimate(tuple(variants), counter.method, terms.price, tuple(debates))


class _Length(NamedTuple):
    """The longest prompt about one debate, and whether one of its prompts is not sent."""

    tokens: int = 0
    is_over: bool = False


def _debates(
    dataset_id: str, lengths: Mapping[str, _Length], terms: Terms, counter: TokenCounter
) -> Debates:
    tokens = tuple(sorted(each.tokens for each in lengths.values()))
    over = sum(each.is_over for each in lengths.values())
    return Debates(dataset_id, tokens, counter.is_exact, over, terms.context_window)


def _variants_of(
    plan: PlannedRun,
    terms: Terms,
    counter: TokenCounter,
    journal_root: Path,
    lengths: dict[str, _Length],
) -> list[Variant]:
    """Return what is to come for one plan, and note how long its parliamentary debates are."""
    own = own_answers(journal_root / plan.run_id)
    judge_id = terms.spec.judge_id
    reusable: Mapping[str, Recorded] = {}
    if not plan.is_fresh:
        reusable = reusable_answers(journal_root, plan.run_id, judge_id, plan.requests)
    found: dict[tuple[str, str, str], Variant] = {}
    for request_id in plan.requests:
        request = plan.requests[request_id]
        key = (request.item.dataset_id, request.template.label, request.asks)
        variant = found.setdefault(key, Variant(*key))
        variant.requests += 1
        context = terms.context(request)
        unsent = terms.unsent(request, context)
        if context is not None:
            before = lengths.get(request.item.item_id, _Length())
            lengths[request.item.item_id] = _Length(
                max(before.tokens, context.tokens), before.is_over or unsent is not None
            )
        if request_id in own:
            variant.answered += 1
        elif request_id in reusable:
            variant.reused += 1
        else:
            variant.to_ask += 1
            if unsent is not None:
                variant.overflowing += 1
                continue
            tokens_in = _tokens_in(request, counter, terms) if context is None else context.tokens
            usual, most = request.costs.messages
            variant.tokens_in += tokens_in
            variant.tokens_in_most += tokens_in * most // usual
            limit = terms.most_tokens_out(request)
            variant.tokens_out_most += limit * most
            one, variant.basis = _reply_tokens(request, terms, limit)
            variant.tokens_out += one * usual
    for variant in found.values():
        mean = mean_tokens_out(journal_root, judge_id, variant.template)
        if mean is not None:
            sent = variant.to_ask - variant.overflowing
            variant.tokens_out = min(mean * sent, float(variant.tokens_out_most))
            variant.basis = EARLIER
        _price(variant, terms.price)
    return list(found.values())


def _tokens_in(request: Request, counter: TokenCounter, terms: Terms) -> int:
    """Return the tokens of all prompts of a request; notes are read as long as they may be."""
    costs, found = request.costs, counter.count(request.prompt, request.system)
    words, messages = costs.history
    if messages:
        found += counter.count("word " * words, None) * messages // 2
        return found * costs.messages[0]
    for prompt in request.note_prompts:
        found += counter.count(prompt, request.system) + terms.most_tokens_out(request)
    return found


def _reply_tokens(request: Request, terms: Terms, limit: int) -> tuple[float, str]:
    """Return how many tokens a reply is expected to have, and by what."""
    answer = request.costs.answer
    is_thinking = "reasoning_effort" in terms.spec.settings
    if isinstance(answer, int):
        expected = answer * _TOKENS_PER_WORD
    elif answer is not None and not is_thinking:
        expected = len(answer) / _CHARACTERS_PER_ANSWER_TOKEN + 1
    else:
        return float(limit), LIMIT
    return min(expected, float(limit)), FORMAT


def _price(variant: Variant, price: Price | None) -> None:
    if price is None:
        return
    rate_in, rate_out = price.usd_per_million_tokens_in, price.usd_per_million_tokens_out
    variant.usd_most = (variant.tokens_in_most * rate_in + variant.tokens_out_most * rate_out) / 1e6
    variant.usd_in = variant.tokens_in * rate_in / 1e6
    variant.usd = variant.usd_in + variant.tokens_out * rate_out / 1e6
