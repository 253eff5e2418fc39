"""Prices of tokens: the shipped file, the user's own over it, a judge's settings over both.

An entry of a price file, shipped or the user's `prices.toml`:

    [openai."gpt-4.1-mini"]
    usd_per_million_tokens_in = 0.40
    usd_per_million_tokens_cached = 0.10    # left out: as tokens_in
    usd_per_million_tokens_out = 1.60
    as_of = 2025-09-01
    batch_factor = 0.5                      # what the Batch API asks of it; left out: 0.5
    context_window = 1047576
    tokens_in_at_most = 200000              # longer prompts have a price that is not known here

A model that no file names has no known price, and no known price is None, never 0.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from math import floor, log10
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inference.errors import BadSettings
from inference.providers import PROVIDERS
from inference.registry import JudgeSpec
from inference.toml_text import toml_of
from warehouse.records.problems import problem_of

SHIPPED = Path(__file__).parent / "prices.toml"
# Judges on this machine: there is a price, and it is 0.
FREE = tuple(name for name, rules in PROVIDERS.items() if rules.is_here)
# Where one provider's prices stand for another's models.
_PRICED_AS = {"batch": "openai"}
_DATED = re.compile(r"(.+?)-(?:(\d{4})-(\d{2})-(\d{2})|(\d{4})(\d{2})(\d{2}))")


@dataclass(frozen=True)
class Price:
    """Price of a model's tokens.

    Attributes:
        usd_per_million_tokens_cached: Those of them the endpoint had in its cache; None: the same.
        as_of: The day the price held, as an ISO date; None where the settings do not say.
        source: Where it is from: an address, or a file of the user's.
        context_window: The most tokens of prompt and answer together, where known.
        tokens_in_at_most: The longest prompt the price holds for; None where it holds for all.
    """

    usd_per_million_tokens_in: float
    usd_per_million_tokens_cached: float | None
    usd_per_million_tokens_out: float
    as_of: str | None
    source: str
    context_window: int | None = None
    tokens_in_at_most: int | None = None

    def cost(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """Return the cost of a reply in dollars; None where a count is not known.

        Args:
            tokens_in: Tokens of the prompt, the cached ones among them.
            tokens_cached: Those of `tokens_in` that the endpoint had in its cache.
        """
        if tokens_in is None or tokens_out is None:
            return None
        if self.tokens_in_at_most is not None and tokens_in > self.tokens_in_at_most:
            return None
        price_in, price_cached = self.usd_per_million_tokens_in, self.usd_per_million_tokens_cached
        cached = min(tokens_cached or 0, tokens_in)
        dollars = (
            (tokens_in - cached) * price_in
            + cached * (price_in if price_cached is None else price_cached)
            + tokens_out * self.usd_per_million_tokens_out
        )
        return float(dollars) / 1e6

    def bound(self, tokens_in: int, tokens_out: int) -> float:
        """Return the most that so many tokens can cost, in dollars.

        The bound on a prompt's tokens may lie over the longest prompt the price holds for; the
        prompt's own count rarely does.
        """
        return replace(self, tokens_in_at_most=None).cost(tokens_in, tokens_out) or 0.0


@dataclass
class Spent:
    """Cost of requests, as far as it is known. One that was not sent does not count.

    Attributes:
        known_usd: The sum of the known costs, in US dollars: what was spent at least.
        known_count: Requests sent whose cost is known.
        unknown_count: Requests sent whose cost is unknown.
    """

    known_usd: float = 0.0
    known_count: int = 0
    unknown_count: int = 0

    @property
    def usd(self) -> float | None:
        """The cost of all of them; None where that of any is unknown."""
        return None if self.unknown_count else self.known_usd

    def add(self, cost_usd: float | None, attempts: int | None = None) -> None:
        """Count a request.

        Args:
            cost_usd: What it cost; None where that is unknown.
            attempts: How often it was sent; None if it is unknown, which stands for once or more.
        """
        if attempts == 0:
            return
        if cost_usd is None:
            self.unknown_count += 1
        else:
            self.known_count += 1
            self.known_usd += cost_usd

    def __str__(self) -> str:
        """Return the cost as text: rounded, and a part never in the place of the whole."""
        if not self.unknown_count:
            return as_dollars(self.known_usd)
        if not self.known_count:
            return "unknown"
        sent = self.known_count + self.unknown_count
        return (
            f"unknown, at least {as_dollars(self.known_usd)} (known for {self.known_count:,} of "
            f"{sent:,} requests sent)"
        )


def sum_of(costs: Iterable[float | None]) -> float | None:
    """Return the sum of costs; None where any of them is unknown."""
    parts = list(costs)
    known = [cost for cost in parts if cost is not None]
    return sum(known) if len(known) == len(parts) else None


def as_dollars(usd: float) -> str:
    """Return an amount as text: to a hundredth of a cent, and a small one with two digits."""
    digits = 4 if usd == 0 else max(4, 1 - floor(log10(abs(usd))))
    return f"${usd:,.{digits}f}"


class _Entry(BaseModel):
    """A table of a price file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    usd_per_million_tokens_in: float = Field(ge=0)
    usd_per_million_tokens_cached: float | None = Field(None, ge=0)
    usd_per_million_tokens_out: float = Field(ge=0)
    as_of: date | None = None
    source: str = Field(min_length=1)
    batch_factor: float = Field(0.5, ge=0, le=1)
    context_window: int | None = Field(None, ge=1)
    tokens_in_at_most: int | None = Field(None, ge=1)

    @property
    def price(self) -> Price:
        """The price at the model's own endpoint."""
        facts = self.model_dump(exclude={"as_of", "batch_factor"})
        return Price(as_of=self.as_of.isoformat() if self.as_of else None, **facts)


_Table = Mapping[tuple[str, str], _Entry]


@dataclass(frozen=True)
class Prices:
    """The prices of all models. Made by `load_prices`."""

    shipped: _Table
    own: _Table

    def price_for(self, spec: JudgeSpec) -> Price | None:
        """Return the price of a judge's tokens, or None where it is unknown.

        The judge's own settings come first (prices of both directions are needed), then the user's
        file, then the shipped one, which holds for the provider's own endpoint only: a model of the
        same name behind another `base_url` is somebody else's offer. Batches cost the model's
        price times its batch factor, but what a judge's settings say is taken as it is.
        """
        if spec.provider in FREE:
            return Price(0.0, 0.0, 0.0, None, "no charge: answered on this machine")
        found = self._listed(spec)
        settings = spec.settings
        price_in = settings.get("usd_per_million_tokens_in")
        price_out = settings.get("usd_per_million_tokens_out")
        price = found
        if price_in is not None and price_out is not None:
            price = Price(
                usd_per_million_tokens_in=float(price_in),
                usd_per_million_tokens_cached=settings.get("usd_per_million_tokens_cached"),
                usd_per_million_tokens_out=float(price_out),
                as_of=None,
                source=f"judges.toml, settings of {spec.judge_id}",
                context_window=found.context_window if found else None,
            )
        if price is not None and "context_window" in settings:
            price = replace(price, context_window=settings["context_window"])
        return price

    def _listed(self, spec: JudgeSpec) -> Price | None:
        provider = _PRICED_AS.get(spec.provider, spec.provider)
        rules = PROVIDERS[provider]
        entry = _find(self.own, provider, spec.model)
        if entry is None and spec.settings.get("base_url") == rules.families[
            0
        ].settings.defaults().get("base_url"):
            entry = _find(self.shipped, provider, spec.model)
        if entry is None or spec.provider != "batch":
            return entry.price if entry else None
        price, factor = entry.price, entry.batch_factor
        cached = price.usd_per_million_tokens_cached
        return replace(
            price,
            usd_per_million_tokens_in=price.usd_per_million_tokens_in * factor,
            usd_per_million_tokens_cached=None if cached is None else cached * factor,
            usd_per_million_tokens_out=price.usd_per_million_tokens_out * factor,
        )


def load_prices(own: Path | None = None) -> Prices:
    """Return the shipped prices with the user's over them, model by model.

    Args:
        own: The user's `prices.toml`; None, or a file that does not exist, changes nothing.

    Raises:
        BadSettings: A file is wrong. Names the file, the table and the key.
    """
    return Prices(_shipped(), _read(own) if own is not None and own.is_file() else {})


def window_of(spec: JudgeSpec, price: Price | None) -> int | None:
    """Return the most tokens of prompt and answer together; None where it is unknown.

    Args:
        price: What its tokens cost, and how many it takes.
    """
    known: int | None = spec.settings.get("context_window")
    return known if known is not None or price is None else price.context_window


def base_name(model: str) -> str | None:
    """Return a dated snapshot's name without its date, or None where the name ends in no date.

    Args:
        model: A name such as `gpt-4.1-mini-2025-04-14` or `claude-3-5-sonnet-20241022`.
    """
    match = _DATED.fullmatch(model)
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups()[1:] if part is not None)
    try:
        date(year, month, day)
    except ValueError:
        return None
    return match[1]


def _find(table: _Table, provider: str, model: str) -> _Entry | None:
    base = base_name(model)
    return table.get((provider, model)) or (table.get((provider, base)) if base else None)


@cache
def _shipped() -> _Table:
    return _read(SHIPPED)


def _read(path: Path) -> _Table:
    try:
        content = toml_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadSettings(f"prices: {path} is not valid TOML in UTF-8: {error}") from None
    priced = sorted(set(PROVIDERS) - {"batch", *FREE})
    table = {}
    for provider, models in content.items():
        if provider not in priced or not isinstance(models, dict):
            raise BadSettings(
                f"prices: {path}, table '{provider}': expected tables of the form "
                f'[provider."model"], the provider one of {", ".join(priced)} (batch prices follow '
                "from those of openai)"
            )
        for model, fields in models.items():
            known = {"source": str(path), **fields} if isinstance(fields, dict) else fields
            try:
                table[provider, model] = _Entry.model_validate(known)
            except ValidationError as error:
                who = f'prices: {path}, table [{provider}."{model}"]'
                raise BadSettings(problem_of(error, who, model=_Entry)) from None
    return table
