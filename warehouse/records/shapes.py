"""The shared raw tables: items, parts, ratings, responses, values, links and removals.

Each holds the rows of several kinds. Columns that most kinds have are columns here; the others are
`facts`, a JSON object whose fields and types the record of the kind declares (`records.tables`).
"""

from dataclasses import dataclass
from datetime import datetime

from warehouse.records.core import Int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfKind:
    """A row of a table that several kinds share."""

    kind: str
    dataset_id: str | None
    facts: str | None
    extra: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow(OfKind):
    """Something that is judged or asked about, or that such a thing belongs to.

    Attributes:
        parent_id: The item it belongs to: a speech's debate, a question's story.
        title: Its motion, question or name.
        item_hash: Hash of all that judges read of it.
    """

    item_id: str
    parent_id: str | None
    title: str | None
    text: str | None
    item_hash: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow(OfKind):
    """A piece of an item: a turn of a debate, a point of view, a segment of a transcript.

    Attributes:
        position: Its place among the item's parts.
    """

    item_id: str
    part_id: str | None
    position: Int | None
    text: str | None
    part_hash: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow(OfKind):
    """A person's, or an official record's, statement about an item.

    Attributes:
        dimension: The criterion or task.
        place: The part of the item that is rated, such as a house or a speaker's role.
        step: How far into the item it was given, from 0.
    """

    item_id: str
    annotator_id: str | None
    dimension: str | None
    place: str | None
    step: Int | None
    value: float | None
    choice: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRow(OfKind):
    """One request to a judge, and its outcome.

    Attributes:
        part: Number of the item, for a reply that is about several; else 0.
    """

    run_id: str
    request_id: str
    part: Int
    experiment: str
    judge_id: str
    settings_hash: str
    item_id: str | None
    item_hash: str | None
    template: str
    wording: str
    prompt_hash: str | None
    sample: Int | None
    request_status: str | None
    error_kind: str | None
    finish_reason: str | None
    response: str | None
    parse_status: str | None
    parse_reason: str | None
    answer_format: str | None
    attempts: Int | None
    tokens_in: int | None
    tokens_cached: int | None
    tokens_out: int | None
    latency_s: float | None
    cost_usd: float | None
    answered_at: datetime | None
    source_record: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseValueRow(OfKind):
    """One value read from a reply, or one thing that belongs to it.

    Attributes:
        position: Its place among those of the response and kind.
        name: The dimension, task or label.
        place: The part of the item it is about.
        low: Lower bound of `value`, where it is known to lie between two.
    """

    run_id: str
    request_id: str
    part: Int
    position: Int | None
    name: str | None
    place: str | None
    value: float | None
    low: float | None
    high: float | None
    choice: str | None
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLinkRow(OfKind):
    """A relation of two items, or of a set and a member."""

    from_id: str | None
    to_id: str | None
    position: Int | None
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalRow(OfKind):
    """An item that a filter or a curation step left out, or the rule that did."""

    step: str | None
    unit: str | None
    rule_order: Int | None
    rule: str | None
    item_id: str | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineRow:
    """A record, or part of one, that broke the contract of its source."""

    load_id: int
    source: str
    file: str
    record: str
    field: str | None
    reason: str
    original: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRow:
    """One load that changed something."""

    load_id: int
    kind: str
    source: str
    file: str
    sha256: str | None
    rows_new: int
    rows_updated: int
    rows_unchanged: int
    rows_quarantined: int
    loaded_at: datetime
