"""From a score file's rows to rows of `raw.scores`: which item, dimension and score is meant."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from inference.parsing import parse_score, parse_score_released
from ingestion.batch import Reject, original_of
from ingestion.score_files import FileRow

EXPERIMENT = "imported"
WORDING = "imported"
SETTINGS = json.dumps({"origin": "imported"}, separators=(",", ":"))
SETTINGS_HASH = hashlib.sha256(SETTINGS.encode()).hexdigest()[:16]
# Of a data set with several dimensions, the one meant when a file names none.
_USUAL_DIMENSION = "goodopeningspeech"


class _Item(NamedTuple):
    dataset_id: str
    item_hash: str


class ScoreKey(NamedTuple):
    """What makes an answer one answer."""

    item: str
    judge: str
    template: str
    dimension: str
    sample: int


class ScoreResolver:
    """Finds what a file's rows are about in the warehouse."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, rows: Sequence[FileRow], shown: str
    ) -> None:
        self._shown = shown
        self._scales: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
        for dataset_id, dimension, low, high in connection.execute(
            "select dataset_id, dimension, scale_min, scale_max from raw.dimensions"
        ).fetchall():
            self._scales[dataset_id][dimension] = (low, high)
        names = pa.table({"item": pa.array(sorted({row.score.item for row in rows}), pa.string())})
        connection.register("wanted", names)
        try:
            self._items = {
                item: _Item(dataset_id, item_hash)
                for item, dataset_id, item_hash in connection.execute(
                    "select item_id, dataset_id, item_hash from raw.speeches "
                    "inner join wanted on item_id = item"
                ).fetchall()
            }
        finally:
            connection.unregister("wanted")
        self._datasets = sorted(
            row[0] for row in connection.execute("select dataset_id from raw.datasets").fetchall()
        )

    def valid_rows(
        self, rows: Iterable[FileRow], rejects: list[Reject]
    ) -> Iterator[tuple[ScoreKey, FileRow]]:
        """Yield rows about known items, each key once; the others go to `rejects`.

        Args:
            rows: Typed rows of the file.
            rejects: Where to put the others.
        """
        seen: dict[ScoreKey, str] = {}
        for row in rows:
            problem = self._problem(row)
            if isinstance(problem, ScoreKey):
                if problem not in seen:
                    seen[problem] = row.record.place
                    yield problem, row
                    continue
                earlier = seen[problem]
                problem = (
                    "item",
                    f"duplicate key: {earlier} has the same item, judge, template, "
                    "dimension and sample",
                )
            field, reason = problem
            original = original_of(row.record.fields)
            rejects.append(Reject(self._shown, row.record.place, field, reason, original))

    def _problem(self, row: FileRow) -> ScoreKey | tuple[str, str]:
        """Return the row's full key, or the field and reason why it has none."""
        score = row.score
        item = self._items.get(score.item)
        if item is None:
            there = ", ".join(self._datasets) or "none; load one with 'rostrum ingest'"
            reason = (
                f"unknown item {score.item!r}; expected an id such as 'speeches:<the file's id>'; "
                f"data sets loaded: {there}"
            )
            return "item", reason
        scales = self._scales[item.dataset_id]
        dimension = score.dimension
        if dimension is None:
            dimension = next(iter(scales)) if len(scales) == 1 else _USUAL_DIMENSION
        if dimension not in scales:
            there = ", ".join(sorted(scales)) or "none"
            reason = f"data set {item.dataset_id} has no dimension {dimension!r}; it has: {there}"
            return "dimension", reason
        low, high = scales[dimension]
        if score.value is not None and not low <= score.value <= high:
            return "value", f"is off the scale {low:g} to {high:g}: {score.value:g}"
        if score.value is None and not (low.is_integer() and high.is_integer()):
            reason = f"is missing, and a reply cannot be read on the scale {low:g} to {high:g}"
            return "value", reason
        return ScoreKey(score.item, score.judge, score.template, dimension, score.sample)

    def score(
        self, key: ScoreKey, row: FileRow, run_id: str, first_load: datetime
    ) -> dict[str, Any]:
        """Return a row of `raw.scores`.

        Args:
            key: The row's full key, from `valid_rows`.
            row: The row.
            run_id: The run it belongs to.
            first_load: When it counts as answered, where the file does not say.
        """
        score, item = row.score, self._items[key.item]
        low, high = self._scales[item.dataset_id][key.dimension]
        value, released, status, reason = score.value, score.value, "supplied", None
        if value is None:
            response = score.response or ""
            value, status, reason = parse_score(response, int(low), int(high))
            exact = parse_score_released(response)
            released = None if exact is None else float(exact)
        identity = json.dumps(list(key), ensure_ascii=False)
        return {
            "run_id": run_id,
            "request_id": hashlib.sha256(identity.encode()).hexdigest()[:32],
            "experiment": EXPERIMENT,
            "judge_id": key.judge,
            "settings_hash": SETTINGS_HASH,
            "dataset_id": item.dataset_id,
            "item_id": key.item,
            "item_hash": item.item_hash,
            "template": key.template,
            "wording": WORDING,
            "dimension": key.dimension,
            "sample": key.sample,
            "response": score.response,
            "request_status": "answered",
            "value": value,
            "value_released": released,
            "parse_status": status,
            "parse_reason": reason,
            "tokens_in": score.tokens_in,
            "tokens_out": score.tokens_out,
            "latency_s": score.latency_s,
            "cost_usd": score.cost_usd,
            "answered_at": row.answered_at or first_load,
            "extra": score.extra,
        }
