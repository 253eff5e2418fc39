"""Imported answers: each row of a file becomes an answer line, and the line rows of raw."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import duckdb

from inference.kinds.oversight import JUDGEMENTS
from inference.kinds.parliamentary import ruling_rows
from inference.kinds.parts import ANSWERED, IMPORTED, Row
from inference.parliamentary.items import NAMED_ORDERS, WHOLE
from inference.parliamentary.rulings import supplied_ruling
from ingestion.answers.contracts import AnswerRow, JudgementRow, RulingRow, ScoreRow, VerdictRow
from ingestion.answers.lines import LineRows, rows_of_line
from ingestion.answers.names import Known, Names, What
from ingestion.batch import Reject, original_of
from ingestion.debates.label_tokens import at_the_answer
from ingestion.formats.base import FileRow
from ingestion.questions.texts import question_of
from ingestion.reading import BrokenRecord

SETTINGS = json.dumps({"origin": IMPORTED}, separators=(",", ":"))
SETTINGS_HASH = hashlib.sha256(SETTINGS.encode()).hexdigest()[:16]
_ENCODER = json.JSONEncoder(ensure_ascii=False)
# Tables of imported answers, and of their parts.
ANSWERS = ("scores", "verdicts", "answers", "adjudications", JUDGEMENTS)
PARTS = ("label_probabilities", "adjudication_values", "adjudication_faults")
# The dimension of a row that names none, in a data set with several.
_USUAL_DIMENSION = "goodopeningspeech"
# The longest scale whose points are looked for among a reply's tokens.
_LONGEST_SCALE = 101
# Columns of a file's row that are fields of an answer line.
_FROM_ROW = (
    "template",
    "sample",
    "response",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "cost_usd",
)
# The status of a line whose values the file supplies: its reply is not read.
_SUPPLIED = "supplied"


class ImportedAnswers:
    """Builder of rows of raw from a file's rows, each request once.

    Args:
        dataset: The data set of names without one; any when not given.
        first_load: The time of answers without one.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        shown: str,
        dataset: str | None,
        first_load: datetime,
    ) -> None:
        self._connection, self._shown, self._dataset = connection, shown, dataset
        self._first_load = first_load
        # Most files name things of one kind; looking them up checks the data set.
        self._names: dict[What, Names] = {"item": Names(connection, dataset, "item")}
        self._places: dict[str, str] = {}
        self._scales: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
        for dataset_id, dimension, low, high in connection.execute(
            "select dataset_id, dimension, scale_min, scale_max from raw.dimensions"
        ).fetchall():
            self._scales[dataset_id][dimension] = (low, high)

    def rows(
        self, chunk: Sequence[FileRow], rejects: list[Reject]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return rows by raw table; `run_id` holds the judge until the runs have their ids."""
        answers = [(each, each.row) for each in chunk if isinstance(each.row, AnswerRow)]
        wanted: dict[What, list[str]] = defaultdict(list)
        for each, row in answers:
            wanted[row.about] += filter(None, (row.item, each.facts.also_called))
        for about, names in wanted.items():
            if about not in self._names:
                self._names[about] = Names(self._connection, self._dataset, about)
            self._names[about].look_up(names)
        rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for each, row in answers:
            try:
                self._read(each, row).add_to(rows)
            except BrokenRecord as broken:
                place, original = each.record.place, original_of(each.record.fields)
                rejects.append(Reject(self._shown, place, broken.field, broken.reason, original))
        return rows

    def _read(self, each: FileRow, row: AnswerRow) -> LineRows:
        """Return the rows of the answer line that a file's row stands for."""
        item, facts = self._item(each, row), each.facts
        line: dict[str, Any] = {name: getattr(row, name) for name in (*_FROM_ROW, *row.factors)}
        labels: list[str] = []
        if isinstance(row, ScoreRow):
            scale = self._scale(each, row, item)
            labels = scale.pop("labels")
            line |= scale
        elif isinstance(row, VerdictRow):
            labels = [row.pro_label or "pro", row.con_label or "con"]
        elif isinstance(row, JudgementRow):
            is_question = row.about == "story question"
            line["question_id"] = item.id if is_question else question_of(item.id)
            line["transcript_id"] = None if is_question else item.id
        elif isinstance(row, RulingRow):
            is_counted = row.strategy == WHOLE and row.tokens_in is not None
            line["named_order"] = row.house_order if row.house_order in NAMED_ORDERS else None
            line["context_tokens"] = row.tokens_in if is_counted else None
            line["is_context_exact"] = True if is_counted else None
        request_id = self._request_id(each, row, [line[name] for name in row.factors], item.id)
        supplied, parts = _supplied(each, row, request_id)
        if not facts.error_kind:
            line |= _probabilities(each, labels)
        line |= {
            "item_kind": row.item_kind,
            "item_id": item.id,
            "item_hash": item.hash,
            "dataset_id": item.dataset_id,
            "request_id": request_id,
            "wording": IMPORTED,
            "status": "error" if facts.error_kind else _SUPPLIED if supplied else ANSWERED,
            "error_kind": facts.error_kind,
            "finish_reason": facts.finish_reason,
            "answer_format": facts.answer_format,
            "tokens_cached": facts.tokens_cached,
            "answered_at": each.answered_at or self._first_load,
        }
        try:
            table, ((columns, read_parts, _),) = rows_of_line(
                line, len(self._places), is_checked=True
            )
        except (TypeError, ValueError) as error:
            raise BrokenRecord("response", str(error)) from None
        columns |= {
            "run_id": row.judge,
            "experiment": IMPORTED,
            "judge_id": row.judge,
            "settings_hash": SETTINGS_HASH,
            "request_status": "error" if facts.error_kind else ANSWERED,
            # Unknown where the file does not give it, unlike in old journals.
            "answer_format": facts.answer_format,
            "source_record": each.source_record,
            "extra": row.extra,
            **{name: line[name] for name in row.factors},
            **supplied,
        }
        parts = parts or dict(read_parts)
        for part_rows in parts.values():
            for part in part_rows:
                part["run_id"] = row.judge
        return LineRows(table, [Row(columns, parts)])

    def _item(self, each: FileRow, row: AnswerRow) -> Known:
        names = self._names[row.about]
        meanings = [names[name] for name in (row.item, each.facts.also_called) if name]
        for meaning in meanings:
            if isinstance(meaning, Known):
                return meaning
        raise BrokenRecord(row.item_column, str(meanings[0]))

    def _scale(self, each: FileRow, row: ScoreRow, item: Known) -> dict[str, Any]:
        """Return the dimension, its scale, and the scale's points where a reply may name one."""
        scales, dimension = self._scales[item.dataset_id], row.dimension
        if dimension is None:
            dimension = next(iter(scales)) if len(scales) == 1 else _USUAL_DIMENSION
        if dimension not in scales:
            names = ", ".join(sorted(scales)) or "none"
            reason = f"data set {item.dataset_id} has no dimension {dimension!r}; it has: {names}"
            raise BrokenRecord("dimension", reason)
        low, high = scales[dimension]
        if row.value is not None and not low <= row.value <= high:
            raise BrokenRecord("value", f"is off the scale {low:g} to {high:g}: {row.value:g}")
        if not (low.is_integer() and high.is_integer()):
            if row.value is None and not each.facts.unread:
                reason = f"is missing, and a reply cannot be read on the scale {low:g} to {high:g}"
                raise BrokenRecord("value", reason)
            return {"dimension": dimension, "labels": []}
        low, high = int(low), int(high)
        is_short = high - low < _LONGEST_SCALE
        labels = [str(score) for score in range(low, high + 1)] if is_short else []
        return {"dimension": dimension, "scale_min": low, "scale_max": high, "labels": labels}

    def _request_id(self, each: FileRow, row: AnswerRow, factors: list[Any], item_id: str) -> str:
        """Return the hash of everything that identifies a request; refuse a second row of one."""
        how = [row.judge, row.template, *factors, row.sample]
        key = [*row.key, *how, item_id] if row.is_item_last else [*row.key, item_id, *how]
        request_id = hashlib.sha256(_ENCODER.encode(key).encode()).hexdigest()[:32]
        if request_id in self._places:
            reason = f"duplicate key: {self._places[request_id]} has the same {row.key_names}"
            raise BrokenRecord(row.item_column, reason)
        self._places[request_id] = each.record.place
        return request_id


def _supplied(
    each: FileRow, row: AnswerRow, request_id: str
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Return columns that the file gives, and rows of parts: no reply is read for them."""
    if each.facts.error_kind:
        return {}, {}
    if isinstance(row, RulingRow) and row.values:
        ruling = supplied_ruling(row.values)
        columns = {"parse_status": ruling.status, "parse_reason": ruling.reason}
        return columns, ruling_rows(ruling, {"request_id": request_id})
    if columns := row.supplied:
        return columns | {"parse_status": _SUPPLIED, "parse_reason": None}, {}
    if each.facts.unread:
        return {"parse_status": "unparsed", "parse_reason": each.facts.unread}, {}
    return {}, {}


def _probabilities(each: FileRow, labels: list[str]) -> dict[str, Any]:
    """Return the fields of an answer line with the labels' log-probabilities, if there are any."""
    logprobs, ceiling = each.facts.logprobs, None
    if logprobs is not None:
        labels = list(logprobs)
    elif each.facts.token_logprobs and labels:
        seen = at_the_answer(each.facts.token_logprobs, labels)
        logprobs, ceiling = seen if seen is not None else (None, None)
    if not logprobs or not labels:
        return {}
    fields = {"labels": labels, "label_logprobs": dict(logprobs)}
    return fields | {"label_logprob_ceiling": ceiling}
