"""The `answer` lines of a journal: what is kept of a reply.

What a reply has nothing to say about is left out. Lines of the first release have no `attempts` and
no `answer_format`: all were plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from inference.debates.variants import Variant
from inference.judges.base import Item, Likelihood, Reply, Request
from inference.oversight.items import DebatePlan, JudgingPlan, Transcript
from inference.parliamentary.items import WHOLE, AskedAdjudication
from inference.parsing import first_binary_digit
from inference.questions.answers import NOTHING, STEP_BY_STEP, Comparison, Generation, Rating
from inference.speeches.topics import TOPIC, Writing
from inference.tokens import Context

# The two values of an answer line's `status`.
ANSWERED = "answered"
ERROR = "error"
# The kind of a line that keeps what one model said within a transcript.
STEP = "step"


def answer_line(
    request_id: str,
    request: Request,
    reply: Reply,
    latency_s: float,
    attempts: int = 1,
    context: Context | None = None,
) -> dict[str, Any]:
    """Return the journal's `answer` line for one reply.

    Args:
        request_id: The request's id.
        request: The request.
        reply: What came back.
        latency_s: Seconds from sending the last attempt to its reply.
        attempts: How often it was sent.
        context: How long the prompt was found to be before it was sent, where it was counted.
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
    is_textless = reply.error_kind is not None or reply.likelihoods is not None
    more = {
        "attempts": attempts,
        "answer_format": None if is_textless else reply.answer_format,
        "tokens_cached": reply.tokens_cached,
        "omitted_parameters": list(reply.omitted_parameters) or None,
        "model_version": _storable(reply.model_version),
        "labels": list(request.labels) if reply.label_logprobs else None,
        "label_logprobs": dict(reply.label_logprobs) if reply.label_logprobs else None,
        "label_logprob_ceiling": reply.label_logprob_ceiling,
        "documents": _documents(request, reply),
        "searches": None if reply.searches is None else [_step(each) for each in reply.searches],
        "notes": None if reply.notes is None else [_note(each) for each in reply.notes],
        **_context(request, reply, context),
        **_found(request, reply),
        **_debated(reply),
    }
    return line | {name: value for name, value in more.items() if value is not None}


def _asked(request: Request) -> dict[str, Any]:
    """Return what was asked: about which dimension and scale, in which variant, by which metric."""
    variant = request.variant
    if isinstance(variant, Variant):
        return {**asdict(variant), "reasoning": request.template.is_justified}
    if isinstance(variant, Generation):
        return {
            "item_kind": "question",
            "temperature": variant.temperature,
            "top_p": variant.top_p,
            "target_tokens": variant.target_tokens,
            "retrieval": variant.retrieval,
            "is_trusted_only": variant.is_trusted_only,
        }
    if isinstance(variant, Comparison):
        return {"item_kind": "answer", "metric": variant.metric}
    if isinstance(variant, AskedAdjudication):
        return {"item_kind": "parliamentary", **variant.identity()}
    if isinstance(variant, DebatePlan):
        interactive = variant.asker is not None
        return {"item_kind": "reading", **asdict(variant), "is_interactive": interactive}
    if isinstance(variant, JudgingPlan):
        return {"item_kind": "oversight", **_judged(request.item), **asdict(variant)}
    if isinstance(variant, Writing):
        return {"item_kind": TOPIC, **asdict(variant)}
    rated = {"item_kind": "answer"} if variant is not None else {}
    return {**rated, **asdict(request.rating)}


def _documents(request: Request, reply: Reply) -> Mapping[str, Any] | None:
    """Return which documents were behind an answer; None where there was no looking for any."""
    way = request.variant
    if not isinstance(way, Generation) or way.retrieval == NOTHING:
        return None
    if way.retrieval == STEP_BY_STEP:
        return reply.documents
    question = request.question
    return question.trusted_documents_record if way.is_trusted_only else question.documents_record


def _judged(item: Item) -> dict[str, Any]:
    """Return the question that is judged, and the transcript it is judged by, if any."""
    if isinstance(item, Transcript):
        return {"question_id": item.question_id, "transcript_id": item.item_id}
    return {"question_id": item.item_id}


def _context(request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
    """Return how long the prompt was that holds a whole parliamentary debate.

    With notes there is no such prompt. An endpoint's count comes before an estimate.
    """
    if not isinstance(request.variant, AskedAdjudication) or request.variant.strategy != WHOLE:
        return {}
    if reply.tokens_in is not None and not (counted and counted.is_exact):
        counted = Context(reply.tokens_in, is_exact=True)
    if counted is None:
        return {}
    return {"context_tokens": counted.tokens, "is_context_exact": counted.is_exact}


def _found(request: Request, reply: Reply) -> dict[str, Any]:
    """Return what only some kinds of answers have."""
    if reply.likelihoods is not None:
        return {
            "likelihoods": [_likelihood(each) for each in reply.likelihoods],
            "answer_token_count": reply.answer_token_count,
        }
    if reply.error_kind is None and isinstance(request.variant, Rating):
        released = first_binary_digit(request.sent, reply.response or "")
        return {"value_released": released} if request.labels == ("0", "1") else {}
    return {}


def step_line(request_id: str, step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the journal's line for what one model said within a transcript.

    Args:
        request_id: The request that has the transcript written.
        step: The step, as `debating.records` describes it.
    """
    kept = {**step, "reply": _storable(step["reply"])}
    return {"kind": STEP, "request_id": request_id, **kept, "answered_at": utc_now()}


def _debated(reply: Reply) -> dict[str, Any]:
    """Return the transcript, in the form that `debating.records` describes."""
    if reply.debated is None:
        return {}
    debated = reply.debated
    return {
        "opponent_id": debated.opponent_id,
        "asker_id": debated.asker_id,
        "preference_judge_id": debated.preference_judge_id,
        "transcript_status": debated.status,
        "transcript_reason": _storable(debated.reason),
        "transcript_hash": debated.transcript_hash,
        **({} if debated.broken_by is None else {"broken_by": debated.broken_by}),
        "turns": [_turn(asdict(turn)) for turn in debated.turns],
    }


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    for candidate in turn["candidates"]:
        for name in ("text", "shown_text"):
            candidate[name] = _storable(candidate[name])
        for quote in candidate["quotes"]:
            quote["quote"] = _storable(quote["quote"])
    return turn


def _likelihood(found: Likelihood) -> dict[str, Any]:
    kept = asdict(found)
    if found.token_logprobs is None:
        del kept["token_logprobs"]
    else:
        kept["token_logprobs"] = [[_storable(text), value] for text, value in found.token_logprobs]
    return kept


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    return {**step, **{name: _storable(step[name]) for name in ("query", "reply")}}


def _note(note: Mapping[str, Any]) -> dict[str, Any]:
    return {**note, "reply": _storable(note["reply"])}


def _storable(text: str | None) -> str | None:
    # Half a surrogate pair is valid in JSON, and in nothing that reads a journal.
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def utc_now() -> str:
    """Return the time in UTC, as journal lines hold it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
