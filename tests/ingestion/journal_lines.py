"""Journals for the tests: one run's lines, as the runner writes them."""

import json
from pathlib import Path
from typing import Any

from inference.journal import FILE_NAME, Journal
from warehouse.home import Home

HEADER: dict[str, Any] = json.loads("""{
    "kind": "run", "run_id": "speech-score--openai-gpt-test--0a1b2c3d", "experiment": "speech-score",
    "judge_id": "openai/gpt-test", "provider": "openai", "model": "gpt-test", "family": "gpt",
    "size_b_params": null, "settings": {"temperature": 0.01}, "settings_hash": "feedface00000000",
    "dataset_id": "speeches", "item_file": "speeches/abc.parquet", "planned": 3,
    "code_version": "0.1.0", "started_at": "2026-01-01T10:00:00.000000+00:00"
}""")
RUN: str = HEADER["run_id"]
_ANSWER = """{
    "kind": "answer", "item_hash": "0123456789abcdef", "dataset_id": "speeches",
    "dimension": "goodopeningspeech", "template": "speech_score", "wording": "equivalent",
    "prompt_hash": "beef", "sample": 0, "response": "<score>4</score>", "status": "answered",
    "error_kind": null, "error": null, "finish_reason": "stop", "tokens_in": 700, "tokens_out": 9,
    "latency_s": 0.5, "cost_usd": 0.001, "scale_min": 1, "scale_max": 5,
    "answered_at": "2026-01-01T10:00:01.500000+00:00"
}"""
END: dict[str, Any] = json.loads(
    '{"kind": "end", "status": "complete", "answered": 3, "failed": 0, '
    '"ended_at": "2026-01-01T10:05:00.000000+00:00"}'
)


def answer_line(number: int, **changes: Any) -> dict[str, Any]:
    own = {"request_id": f"request-{number}", "item_id": f"speeches:s-{number}"}
    return {**json.loads(_ANSWER), **own, **changes}


def unscored_line(number: int, **changes: Any) -> dict[str, Any]:
    """The line of an answer that is no score: it has neither dimension nor scale."""
    line = answer_line(number)
    for name in ("dimension", "scale_min", "scale_max"):
        del line[name]
    return {**line, **changes}


def failed_line(number: int, **changes: Any) -> dict[str, Any]:
    return answer_line(
        number,
        response=None,
        status="error",
        error_kind="timeout",
        error="no answer in 60 s",
        finish_reason=None,
        **changes,
    )


def write_journal(home: Home, *lines: dict[str, Any], run_id: str = RUN) -> Path:
    with Journal.open(home.journal / run_id) as journal:
        for line in lines:
            journal.append_now(line)
    return home.journal / run_id / FILE_NAME
