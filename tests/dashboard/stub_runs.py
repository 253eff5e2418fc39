"""A made-up run that failed in every way there is, and one that nothing has answered yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stub_rows import NOON, Row

EXPERIMENT = "bad-afternoon"
JUDGE = "lab/small-model"
RUN = "bad-afternoon--lab-small-model--0bad0bad"
ASKED, PLANNED = 300, 400
# Status, how often, whether it is an answer, and the text of the example.
FAILURES = (
    ("rate_limited", 40, False, None),
    ("unparsed", 21, True, "I would rather not put a number on it. Then again: a four, or a five."),
    ("timeout", 12, False, None),
    ("truncated", 9, True, "<scratchpad>\nFirst, the speaker claims that"),
    ("refused", 8, True, "I can't help with judging people."),
    ("malformed", 5, False, "<html><head><title>502 Bad Gateway</title></head></html>"),
    ("filtered", 4, True, ""),
    ("context_overflow", 3, False, None),
    ("authentication", 2, False, None),
    ("server", 1, False, None),
)
_COLUMNS = {
    "unparsed": "unreadable_count",
    "authentication": "account_error_count",
    "server": "other_error_count",
}


def failing_runs(strange: str) -> Iterator[Row]:
    """Yield the rows of a run with every kind of failure, and of one that has not begun.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    run = {
        "run_id": RUN,
        "experiment": EXPERIMENT,
        "judge_id": JUDGE,
        "planned_count": PLANNED,
        "status": "partial",
        "started_at": NOON,
        "ended_at": NOON,
    }
    failed = sum(amount for _, amount, _, _ in FAILURES)
    unparsed = sum(amount for _, amount, answered, _ in FAILURES if answered)
    yield "dim_run", {**run, "origin": "run"}
    yield (
        "rpt_run_health",
        {
            **run,
            "template": "speech_score",
            "request_count": ASKED,
            "unasked_count": PLANNED - ASKED,
            "answered_count": ASKED - failed + unparsed,
            "parsed_count": ASKED - failed,
            "failure_count": failed,
            "unparsed_count": unparsed,
            "error_count": failed - unparsed,
            **_share("failure_share", failed, ASKED),
            **_share("unparsed_share", unparsed, ASKED - failed + unparsed),
            "unparsed_by_reason": '{"no_score_tag": 21, "refused": 8}',
            "errors_by_kind": '{"rate_limited": 40, "timeout": 12}',
            **{
                _COLUMNS.get(status, f"{status}_count"): amount for status, amount, _, _ in FAILURES
            },
            "stale_count": 0,
            "attempt_count": 391,
            "retry_count": 91,
            "tokens_in": 181_200,
            "tokens_cached": 90_112,
            "tokens_out": 4_310,
            "cost_usd": None,
            "cost_known_usd": 0.0421,
            "cost_known_count": 200,
            "sent_count": ASKED,
            "latency_known_count": ASKED,
            "latency_p50_s": 2.31,
            "latency_p90_s": 11.8,
            "latency_p99_s": 61.2,
            "omitted_parameters": "temperature, top_p",
        },
    )
    for status, amount, answered, text in FAILURES:
        response_id = f"{RUN}#{status}"
        yield (
            "rpt_failures",
            {
                "run_id": RUN,
                "judge_id": JUDGE,
                "answer_status": status,
                "failure_count": amount,
                "answered_count": amount if answered else 0,
                "request_count": ASKED,
                **_share("share", amount, ASKED),
                "example_response_id": response_id,
            },
        )
        yield (
            "dim_response",
            {
                "response_id": response_id,
                "run_id": RUN,
                "request_id": status,
                "answer_kind": "score",
                "judge_id": JUDGE,
                "item_id": "sample:00-0",
                "template": "speech_score",
                "sample": 0,
                "response": strange or text,
                "answered_at": NOON,
                "answer_status": status,
                "request_status": "answered" if answered else "error",
                "error_kind": None if answered else status,
                "error_message": None if answered else strange or f"the endpoint says: {status}",
                "finish_reason": "length" if status == "truncated" else None,
                "parse_status": "unparsed" if answered else "not_answered",
                "parse_reason": "no_score_tag" if status == "unparsed" else None,
                "omitted_parameters": '["temperature"]',
                "source_file": f"journal/{RUN}/responses.jsonl",
                "source_record": "line 12",
            },
        )
    waiting = "bad-afternoon--rule-word-count--0wait000"
    run |= {"run_id": waiting, "judge_id": "rule/word-count", "status": "interrupted"}
    yield "dim_run", {**run, "origin": "run"}
    yield (
        "rpt_run_health",
        {
            **run,
            "request_count": 0,
            "unasked_count": PLANNED,
            "answered_count": 0,
            "parsed_count": 0,
            "failure_count": 0,
            "unparsed_count": 0,
            "error_count": 0,
            "unparsed_by_reason": "{}",
            "errors_by_kind": "{}",
            "stale_count": 0,
            "sent_count": 0,
            "cost_known_count": 0,
            "latency_known_count": 0,
        },
    )


def _share(name: str, amount: int, of: int) -> dict[str, Any]:
    value = amount / of
    return {name: value, f"{name}_low": value * 0.8, f"{name}_high": min(1.0, value * 1.25)}
