"""Anchor sets: items that are frozen, and what judges said of them in each wave."""

from datetime import datetime

from pydantic.dataclasses import dataclass

from warehouse.records.core import CONFIG, AnyText, DatasetId, Int, JudgeId, KeyOfDataset, Name


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class AnchorItem:
    """One frozen item of an anchor set.

    Attributes:
        item_id: The speech or debate.
        item_hash: Of what is asked about, as it was when the set was made.
        experiment: How the set's items are asked about.
        follows: The set of an earlier version of the system whose outputs these are.
        made_at: When the set was made, UTC.
    """

    anchor_set: Name
    item_id: KeyOfDataset
    dataset_id: DatasetId
    item_hash: AnyText | None
    experiment: Name
    follows: Name | None
    made_at: datetime


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class AnchorAnswer:
    """One answer of a judge about a frozen item, in one wave.

    Attributes:
        wave: Which time the set was judged.
        judge_line: The judge whose versions are compared: itself, unless it succeeds another.
        judge_id: The judge that answered.
        request_id: The request, which no other wave shares.
        item_id: The speech or debate.
        item_hash: Of what was asked about.
        dimension: What was asked: a dimension of scores, or winner or loser.
        template: The prompt.
        prompt_hash: Of the prompt's text.
        settings_hash: Of the judge's settings.
        value: The score, or 1 for con, 0 for pro and one half for a tie; null where it failed.
        status: What happened to the request: parsed, or why there is no value.
        answered_at: When, UTC.
    """

    anchor_set: Name
    wave: Name
    judge_line: JudgeId
    judge_id: JudgeId
    run_id: Name
    request_id: Name
    item_id: KeyOfDataset
    dataset_id: DatasetId
    item_hash: AnyText | None
    dimension: Name
    template: Name
    prompt_hash: AnyText | None
    settings_hash: Name
    sample: Int
    value: float | None
    status: Name
    answered_at: datetime
