"""What a chat endpoint's complaints mean: which failure it is, what it refuses, when to return."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import openai

# What may be left out when an endpoint refuses it, and what is sent instead, if anything.
OPTIONAL: Mapping[str, str | None] = {
    "temperature": None,
    "top_p": None,
    "seed": None,
    "presence_penalty": None,
    "reasoning_effort": None,
    "logprobs": None,
    "top_logprobs": None,
    "response_format": None,
    "guided_choice": None,
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": None,
}
# A complaint about length names max_tokens, but leaving it out would be another experiment.
_TOO_LONG = re.compile(r"too (large|long|high|many)|context|exceed|maximum|at most", re.IGNORECASE)
_REFUSAL = re.compile(
    r"support|unrecogni|unknown|unexpected|permitted|allowed|invalid|only the default",
    re.IGNORECASE,
)
_CERTAIN_CODES = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
_OVERFLOW = re.compile(
    r"context.?length|context.?window|maximum context|prompt is too long|too many tokens|"
    r"input (is |length |tokens? )*(too long|exceed)",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?(filter|management|policy)|responsible.?ai", re.IGNORECASE)
_BILLING = re.compile(
    r"insufficient.?(quota|credits?|funds|balance)|exceeded your current quota|credit balance|"
    r"billing",
    re.IGNORECASE,
)


def refused_parameter(
    message: str, code: str | None, parameter: str | None, sent: Mapping[str, Any]
) -> str | None:
    """Return the optional parameter that a complaint names as refused, unless it is about length.

    Args:
        message: The complaint.
        code: The endpoint's code for it.
        parameter: The parameter the endpoint says it is about.
        sent: The body it is about.
    """
    optional = [name for name in sent if name in OPTIONAL]
    if _TOO_LONG.search(message) and code not in _CERTAIN_CODES:
        return None
    if parameter in optional:
        return parameter
    if not _REFUSAL.search(message):
        return None
    # The first one named is refused; "use max_completion_tokens instead" comes after it.
    found = [re.search(rf"\b{name}\b", message) for name in optional]
    return min((match.start(), match[0]) for match in found if match)[1] if any(found) else None


def message_of(error: openai.APIStatusError) -> str:
    """Return what an endpoint says of a failure."""
    body = error.body
    inner = body.get("message") if isinstance(body, dict) else None
    return inner if isinstance(inner, str) else f"{type(error).__name__}: {error}"


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an endpoint asks for, in any of the forms there are for it."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def kind_of(status: int, words: str) -> str:
    """Return the kind of failure that an HTTP status and the endpoint's words stand for."""
    if status == 402 or _BILLING.search(words):
        return "billing"
    if status in (400, 413, 422):
        if _OVERFLOW.search(words):
            return "context_overflow"
        return "filtered" if _FILTERED.search(words) else "bad_request"
    by_status = {
        401: "authentication",
        403: "authentication",
        408: "timeout",
        409: "server",
        425: "server",
        429: "rate_limited",
        503: "overloaded",
        529: "overloaded",
    }
    return by_status.get(status, "server" if status >= 500 else "bad_request")
