"""The `answer` lines of a journal: what is kept of a reply.

What a reply has nothing to say about is left out. Lines of the first release have no `attempts` and
no `answer_format`: all were plain text.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from inference.items import Speech
from inference.judges.base import Reply, Request

# The two values of an answer line's `status`.
ANSWERED = "answered"
ERROR = "error"


def answer_line(
    request_id: str, request: Request, reply: Reply, latency_s: float, attempts: int = 1
) -> dict[str, Any]:
    """Return the journal's `answer` line for one reply.

    Args:
        request_id: The request's id.
        request: The request.
        reply: What came back.
        latency_s: Seconds from sending the last attempt to its reply.
        attempts: How often it was sent.
    """
    item, template = request.item, request.template
    line = {
        "kind": "answer",
        "request_id": request_id,
        "item_id": item.item_id,
        "item_hash": item.item_hash,
        "dataset_id": item.dataset_id,
        **_asked(request),
        "template": template.label,
        "wording": template.wording,
        "prompt_hash": template.prompt_hash,
        "sample": request.sample,
        "response": _storable(reply.response),
        "status": ANSWERED if reply.error_kind is None else ERROR,
        "error_kind": reply.error_kind,
        "error": _storable(reply.error),
        "finish_reason": reply.finish_reason,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "latency_s": round(latency_s, 6),
        "cost_usd": reply.cost_usd,
        "answered_at": utc_now(),
    }
    more = {
        "attempts": attempts,
        "answer_format": reply.answer_format if reply.error_kind is None else None,
        "tokens_cached": reply.tokens_cached,
        "omitted_parameters": list(reply.omitted_parameters) or None,
        "model_version": _storable(reply.model_version),
        "labels": list(request.labels) if reply.label_logprobs else None,
        "label_logprobs": dict(reply.label_logprobs) if reply.label_logprobs else None,
        "label_logprob_ceiling": reply.label_logprob_ceiling,
    }
    return line | {name: value for name, value in more.items() if value is not None}


def _asked(request: Request) -> dict[str, Any]:
    """Return what was asked: about which dimension and scale, or in which variant."""
    item = request.item
    if isinstance(item, Speech):
        return {
            "dimension": item.dimension,
            "scale_min": item.scale_min,
            "scale_max": item.scale_max,
        }
    return {**asdict(request.asked_variant), "reasoning": request.template.is_justified}


def _storable(text: str | None) -> str | None:
    # Half a surrogate pair is valid in JSON, and in nothing that reads a journal.
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def utc_now() -> str:
    """Return the time in UTC, as journal lines hold it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
