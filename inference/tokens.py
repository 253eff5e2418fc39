"""Numbers of tokens of a text before it is sent: exact where there is a tokenizer.

That is so where the judge is local, or an endpoint's judge has the setting `tokenizer`. All other
counts are estimates: characters divided by four, the usual figure for English. What must hold is
taken from bounds that do: a token of the byte-level tokenizers in use is at least one byte, and
tokens of over eight characters on average do not occur in prose.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from inference.registry import JudgeSpec

_CHARACTERS_PER_TOKEN = 4
_MOST_CHARACTERS_PER_TOKEN = 8
# What the chat format adds to a message.
_OVERHEAD = 16


class TokenCounter(NamedTuple):
    """Counts the tokens of prompts for one judge.

    Attributes:
        count: The number of tokens of a prompt and the experiment's system turn, or the estimate.
    """

    count: Callable[..., int]
    is_exact: bool
    method: str


class Context(NamedTuple):
    """Length of a prompt, its system turn included.

    Attributes:
        is_exact: Whether a tokenizer, or the endpoint itself, has counted them.
    """

    tokens: int
    is_exact: bool


def token_counter(spec: JudgeSpec) -> TokenCounter:
    """Return the counter for a judge. Offline rules and simulations use no tokens."""
    if not spec.rules.is_model:
        return TokenCounter(lambda *_: 0, is_exact=True, method="no tokens are used")
    if spec.provider == "local":
        return _by_tokenizer(spec, "the model's own tokenizer")
    if "tokenizer" in spec.settings:
        own = {name: spec.settings[name] for name in ("system_prompt",) if name in spec.settings}
        settings = {"revision": "main", "use_chat_template": True, **own}
        local = replace(spec, model=spec.settings["tokenizer"], settings=settings)
        return _by_tokenizer(local, f"the tokenizer {local.model}")
    return TokenCounter(estimated, is_exact=False, method="characters / 4, an estimate")


def _by_tokenizer(spec: JudgeSpec, method: str) -> TokenCounter:
    # Imported here: the tokenizer's package takes seconds to load.
    from inference.local.models import count_tokens, load_tokenizer

    tokenizer = load_tokenizer(spec)
    return TokenCounter(
        lambda prompt, system: count_tokens(tokenizer, spec, prompt, system), True, method
    )


def estimated(prompt: str, system: str | None = None) -> int:
    """Return about how many tokens a prompt is, its system turn included."""
    sent = prompt if system is None else f"{system}\n\n{prompt}"
    return math.ceil(len(sent) / _CHARACTERS_PER_TOKEN) + _OVERHEAD


def at_most(prompt: str) -> int:
    """Return a number of tokens no byte-level tokenizer exceeds."""
    return len(prompt.encode("utf-8", "replace")) + _OVERHEAD


def at_least(prompt: str) -> int:
    """Return a number of tokens that any tokenizer needs for prose."""
    return len(prompt) // _MOST_CHARACTERS_PER_TOKEN
