"""The `answer` lines of a journal: what is kept of a reply.

What a reply has nothing to say about is left out. Lines of the first release have no `attempts` and
no `answer_format`: all were plain text.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from inference.judges.base import Reply
from inference.judges.request import Request
from inference.kinds.parts import ANSWERED
from inference.tokens import Context

# An answer line's `status` where there is no reply.
ERROR = "error"
# The kind of a line that keeps what one model said within a transcript.
STEP = "step"
# The kind of a line in which earlier versions kept a reply to a pipeline's prompt.
REPLY = "reply"
# The kind of a line about a request that a stop cut off, and that may have been paid for.
GIVEN_UP = "given_up"


def answer_line(
    request_id: str,
    request: Request,
    reply: Reply,
    latency_s: float,
    attempts: int = 1,
    context: Context | None = None,
    retried: Sequence[Mapping[str, Any]] = (),
    usd_at_most: float | None = None,
) -> dict[str, Any]:
    """Return the journal's `answer` line for one reply.

    Args:
        context: How long the prompt was found to be before it was sent, where it was counted.
        retried: How each attempt before the last failed, and how long was waited then.
    """
    item, template = request.item, request.template
    line = {
        "kind": "answer",
        "request_id": request_id,
        "item_id": item.item_id,
        "item_hash": item.item_hash,
        "dataset_id": item.dataset_id,
        **request.description.fields,
        "template": template.label,
        "wording": template.wording,
        "prompt_hash": template.prompt_hash,
        "sample": request.sample,
        "response": reply.response,
        "status": ANSWERED if reply.error_kind is None else ERROR,
        "error_kind": reply.error_kind,
        "error": reply.error,
        "finish_reason": reply.finish_reason,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "latency_s": round(latency_s, 6),
        "cost_usd": reply.cost_usd,
        "answered_at": timestamp(),
    }
    is_textless = reply.error_kind is not None or reply.response is None
    more = {
        "attempts": attempts,
        "retried": list(retried) or None,
        "usd_at_most": None if usd_at_most == reply.cost_usd else usd_at_most,
        "answer_format": None if is_textless else reply.answer_format,
        "tokens_cached": reply.tokens_cached,
        "omitted_parameters": list(reply.omitted_parameters) or None,
        "model_version": reply.model_version,
        "labels": list(request.labels) if reply.label_logprobs else None,
        "label_logprobs": dict(reply.label_logprobs) if reply.label_logprobs else None,
        "label_logprob_ceiling": reply.label_logprob_ceiling,
        **_context_fields(request, reply, context),
        **request.description.reply_fields(reply),
    }
    if reply.steps_name is not None:
        more[reply.steps_name] = reply.steps
    line |= {name: value for name, value in more.items() if value is not None}
    return {name: _storable(value) for name, value in line.items()}


def _context_fields(request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
    """Return the length of a prompt that may be too long; an endpoint's count beats an estimate."""
    if not request.costs.is_counted:
        return {}
    if reply.tokens_in is not None and not (counted and counted.is_exact):
        return {"context_tokens": reply.tokens_in, "is_context_exact": True}
    if counted is None:
        return {}
    return {"context_tokens": counted.tokens, "is_context_exact": counted.is_exact}


def step_line(request_id: str, step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the journal's line for what one model said within a transcript."""
    kept = {name: _storable(value) for name, value in step.items()}
    return {"kind": STEP, "request_id": request_id, **kept, "answered_at": timestamp()}


def given_up_line(request_id: str, usd_at_most: float) -> dict[str, Any]:
    """Return the journal's line for a request that a stop cut off."""
    return {"kind": GIVEN_UP, "request_id": request_id, "usd_at_most": usd_at_most}


def _storable(value: Any) -> Any:
    """Return a value of a line with each half of a surrogate pair replaced by a question mark.

    It is valid in JSON, and in nothing that reads a journal.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {name: _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list | tuple) else value


def timestamp() -> str:
    """Return the time in UTC, as journal lines hold it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
