"""The providers of judges: which settings each knows, its defaults, which models it has.

A provider that is added later adds one entry here and one file in `judges/`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

OPENAI_BASE_URL = "https://api.openai.com/v1"

_ENV_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_CONSTANT = re.compile(r"constant-[0-9]{1,4}")


@dataclass(frozen=True)
class Setting:
    """One setting of a provider.

    Attributes:
        is_valid: Whether a value can be taken.
        expected: What it must be, for the message when it is not.
        changes_answers: Whether another value can bring other answers. Only such settings are part
            of a judge's identity; how many requests run at once is not.
        is_secret_prone: Whether people paste keys here, so that no message may repeat the value.
    """

    is_valid: Callable[[Any], bool]
    expected: str
    changes_answers: bool = True
    is_secret_prone: bool = False


@dataclass(frozen=True)
class Provider:
    """What the registry must know of a provider.

    Attributes:
        settings: The settings it knows, by name.
        defaults: What it takes where a judge says nothing.
        presets: Models that come with settings of their own.
        accepts: Whether a model name without a preset stands for a judge; the second argument says
            whether `judges.toml` defines it.
        models: The models there are, in words, for the message about one there is not.
    """

    settings: Mapping[str, Setting]
    defaults: Mapping[str, Any]
    accepts: Callable[[str, bool], bool]
    models: str
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _whole(low: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low


def _number(low: float = float("-inf"), high: float = float("inf")) -> Callable[[Any], bool]:
    # The comparison also turns nan away.
    return lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and low <= value <= high
        and abs(value) != float("inf")
    )


def _rising(value: Any) -> bool:
    if not isinstance(value, list) or not value or not all(_whole(1)(point) for point in value):
        return False
    return all(lower < upper for lower, upper in itertools.pairwise(value))


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"https?://[^\s@?#]+", value) is not None


def _is_env_name(value: Any) -> bool:
    return isinstance(value, str) and (value == "" or _ENV_NAME.fullmatch(value) is not None)


_RULE = Provider(
    settings={
        "cut_points": Setting(
            _rising, "a rising list of word counts, one fewer than the scale has points"
        ),
    },
    defaults={},
    presets={"length": {"cut_points": [75, 150, 300, 600]}},
    accepts=lambda model, _: _CONSTANT.fullmatch(model) is not None,
    models="length and constant-N (constant-3 always answers 3)",
)

_SIMULATED = Provider(
    settings={
        "slope": Setting(_number(), "a number"),
        "shift": Setting(_number(), "a number of scale points"),
        "noise_sd": Setting(_number(0), "a number of scale points, 0 or more"),
        "failure_rate": Setting(_number(0, 1), "a share from 0 to 1"),
        "seed": Setting(_whole(0), "a whole number, 0 or more"),
        "justification": Setting(lambda value: isinstance(value, bool), "true or false"),
    },
    defaults={
        "slope": 1.0,
        "shift": 0.0,
        "noise_sd": 0.5,
        "failure_rate": 0.0,
        "seed": 1,
        "justification": False,
    },
    presets={
        "faithful": {},
        "harsh": {"shift": -1.0},
        "noisy": {"noise_sd": 1.5},
        "careless": {"failure_rate": 0.08},
        "coin": {"slope": 0.0, "noise_sd": 1.2},
    },
    accepts=lambda _, is_named: is_named,
    models="faithful, harsh, noisy, careless and coin, and any that judges.toml defines",
)

_OPENAI = Provider(
    settings={
        "base_url": Setting(
            _is_url,
            "an address that begins with http:// or https:// and holds no user name, password or "
            "query",
            is_secret_prone=True,
        ),
        "temperature": Setting(_number(0), "a number, 0 or more"),
        "top_p": Setting(_number(0, 1), "a number from 0 to 1"),
        "max_tokens": Setting(_whole(1), "a whole number, 1 or more"),
        "seed": Setting(_whole(0), "a whole number, 0 or more"),
        "api_key_env": Setting(
            _is_env_name,
            "the NAME of an environment variable in capitals, never a key itself; an empty text "
            "where the endpoint wants no key",
            changes_answers=False,
            is_secret_prone=True,
        ),
        "concurrency": Setting(_whole(1), "a whole number, 1 or more", changes_answers=False),
        "timeout_s": Setting(_number(0.001), "a number of seconds", changes_answers=False),
        "max_retries": Setting(_whole(0), "a whole number, 0 or more", changes_answers=False),
        "usd_per_million_tokens_in": Setting(
            _number(0), "a price in dollars", changes_answers=False
        ),
        "usd_per_million_tokens_out": Setting(
            _number(0), "a price in dollars", changes_answers=False
        ),
    },
    defaults={
        "base_url": OPENAI_BASE_URL,
        "api_key_env": "OPENAI_API_KEY",
        "concurrency": 8,
        "timeout_s": 120.0,
        "max_retries": 4,
    },
    accepts=lambda _model, _is_named: True,
    models="any model the endpoint serves",
)

PROVIDERS: Mapping[str, Provider] = {"openai": _OPENAI, "rule": _RULE, "simulated": _SIMULATED}
