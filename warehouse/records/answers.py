"""What is recorded of every request to a judge, whatever it was asked about, and of its run."""

from dataclasses import dataclass
from datetime import datetime

from warehouse.records.core import Int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a judge in an experiment, here or elsewhere."""

    run_id: str
    experiment: str
    judge_id: str
    origin: str
    settings_hash: str
    settings: str
    item_file: str | None
    planned: int
    code_version: str
    parser_version: str | None
    started_at: datetime | None
    ended_at: datetime | None
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ensemble:
    """One judge of a set of judges."""

    ensemble: str
    judge_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRequest:
    """What belongs to one request of a run."""

    run_id: str
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured(OfRequest):
    """What identifies a measurement by a judge's model: of what, in which run, and how."""

    experiment: str
    judge_id: str
    settings_hash: str
    dataset_id: str
    template: str
    wording: str
    prompt_hash: str | None
    latency_s: float | None
    answered_at: datetime | None
    source_record: str | None
    extra: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Measured):
    """One request, its status and what it cost."""

    item_hash: str | None
    sample: Int
    request_status: str
    error_kind: str | None
    finish_reason: str | None
    attempts: Int | None
    tokens_in: int | None
    tokens_cached: int | None
    tokens_out: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Request):
    """One request whose reply is read by a rule."""

    response: str | None
    parse_status: str
    parse_reason: str | None
    answer_format: str | None
