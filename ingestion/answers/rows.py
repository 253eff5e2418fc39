"""From a file's rows to rows of raw: which item, debate or question is meant, and what was said."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import duckdb

from inference.kinds.fields import answer_id
from inference.kinds.labels import probability_of_pro, probability_rows
from inference.kinds.oversight import JUDGEMENTS, judged
from inference.kinds.parliamentary import ruling_rows
from inference.labels import LabelProbability
from inference.parliamentary.items import NAMED_ORDERS, WHOLE
from inference.parliamentary.rulings import read_ruling, supplied_ruling
from inference.parsing import parse_score_released, read_score, read_verdict
from ingestion.answers.contracts import FACTORS, ReplyRow, ScoreRow, VerdictRow
from ingestion.answers.names import Known, Names, What
from ingestion.batch import Reject, original_of
from ingestion.debates.label_tokens import at_the_answer
from ingestion.formats.base import FileRow, SaidRow
from ingestion.oversight.judgement_contracts import JudgementRow
from ingestion.parliamentary.ruling_contracts import RulingRow
from ingestion.questions.texts import question_of
from ingestion.reading import BrokenRecord

EXPERIMENT = "imported"
WORDING = "imported"
SETTINGS = json.dumps({"origin": "imported"}, separators=(",", ":"))
SETTINGS_HASH = hashlib.sha256(SETTINGS.encode()).hexdigest()[:16]
# Of a data set with several dimensions, the one meant when a file names none.
_USUAL_DIMENSION = "goodopeningspeech"
# Labels of a scale that is longer than this are not looked for among a reply's tokens.
_LONGEST_SCALE = 101
_FROM_ROW = (
    "template",
    "sample",
    "response",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "cost_usd",
    "extra",
)
# Rows that hang on an answer, by table.
PARTS = ("label_probabilities", "adjudication_values", "adjudication_faults")
# How a ruling on a parliamentary debate was asked for.
_WAY = ("task", "house_order", "manual", "strategy", "has_motion", "has_info_slide")
# How a judgement about a story was asked for.
_JUDGED = ("protocol", "answer_order", "asked_for", "probe", "probed_answer", "step")
# What can change an answer to a question, as far as files say it.
_ASKED = ("temperature", "top_p", "target_tokens", "retrieval", "is_trusted_only")
# What a judge may have answered, one row each.
ANSWERS = ("scores", "verdicts", "answers", "adjudications", JUDGEMENTS)
_ABOUT: Mapping[type[Any], What] = {
    ScoreRow: "item",
    VerdictRow: "debate",
    ReplyRow: "question",
    RulingRow: "parliamentary debate",
}


class Answers:
    """Makes rows of raw of a file's rows, each question once.

    Args:
        dataset: The data set that names without one belong to; any when not given.
        first_load: When an answer counts as given, where the file does not say.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        shown: str,
        dataset: str | None,
        first_load: datetime,
    ) -> None:
        self._shown = shown
        self._first_load = first_load
        # Most files name things of one kind; the first says whether the data set is there.
        self._names: dict[What, Names] = {"item": Names(connection, dataset, "item")}
        self._connection, self._dataset = connection, dataset
        self._seen: dict[str, str] = {}
        self._scales: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
        for dataset_id, dimension, low, high in connection.execute(
            "select dataset_id, dimension, scale_min, scale_max from raw.dimensions"
        ).fetchall():
            self._scales[dataset_id][dimension] = (low, high)

    def rows(
        self, chunk: Sequence[FileRow], rejects: list[Reject]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return rows by raw table; `run_id` holds the judge until the runs have their ids.

        Args:
            rejects: Where to put those that are no answers about anything known.
        """
        said = [(each, each.row) for each in chunk if isinstance(each.row, SaidRow)]
        wanted: dict[What, list[str]] = defaultdict(list)
        for each, row in said:
            wanted[_about(row)] += filter(None, (row.item, each.facts.also_called))
        for what, names in wanted.items():
            if what not in self._names:
                self._names[what] = Names(self._connection, self._dataset, what)
            self._names[what].look_up(names)
        found: dict[str, list[dict[str, Any]]] = {table: [] for table in (*ANSWERS, *PARTS)}
        for each, row in said:
            try:
                known = self._known(each, row)
                if isinstance(row, ScoreRow):
                    table, made = "scores", self._score(each, row, known)
                elif isinstance(row, VerdictRow):
                    table, made = "verdicts", self._verdict(each, row, known)
                elif isinstance(row, RulingRow):
                    table, made = "adjudications", self._ruling(each, row, known)
                elif isinstance(row, JudgementRow):
                    table, made = JUDGEMENTS, self._judgement(each, row, known)
                else:
                    table, made = "answers", self._reply(each, row, known)
            except BrokenRecord as broken:
                place, original = each.record.place, original_of(each.record.fields)
                rejects.append(Reject(self._shown, place, broken.field, broken.reason, original))
                continue
            for part in PARTS:
                found[part] += [{"run_id": row.judge, **one} for one in made.pop(part, [])]
            found[table].append(made)
        return found

    def _known(self, each: FileRow, row: SaidRow) -> Known:
        names = self._names[_about(row)]
        found = [names[name] for name in (row.item, each.facts.also_called) if name]
        known = next((one for one in found if isinstance(one, Known)), None)
        if known is None:
            raise BrokenRecord(_name_of_item(row), str(found[0]))
        return known

    def _score(self, each: FileRow, row: ScoreRow, item: Known) -> dict[str, Any]:
        scales = self._scales[item.dataset_id]
        dimension = row.dimension
        if dimension is None:
            dimension = next(iter(scales)) if len(scales) == 1 else _USUAL_DIMENSION
        if dimension not in scales:
            there = ", ".join(sorted(scales)) or "none"
            reason = f"data set {item.dataset_id} has no dimension {dimension!r}; it has: {there}"
            raise BrokenRecord("dimension", reason)
        low, high = scales[dimension]
        if row.value is not None and not low <= row.value <= high:
            raise BrokenRecord("value", f"is off the scale {low:g} to {high:g}: {row.value:g}")
        is_whole = low.is_integer() and high.is_integer()
        if row.value is None and not is_whole and not each.facts.unread:
            reason = f"is missing, and a reply cannot be read on the scale {low:g} to {high:g}"
            raise BrokenRecord("value", reason)
        key = [item.id, row.judge, row.template, dimension, row.sample]
        made = self._common(each, row, item, key, "item, judge, template, dimension and sample")
        made |= {"item_id": item.id, "dimension": dimension}
        facts = each.facts
        if facts.error_kind:
            return made
        value, released, status, reason_ = row.value, row.value, "supplied", None
        if value is None and facts.unread:
            released, status, reason_ = None, "unparsed", facts.unread
        elif value is None:
            value, status, reason_ = read_score(
                row.response, int(low), int(high), facts.answer_format, facts.finish_reason
            )
            exact = parse_score_released(row.response or "")
            released = None if exact is None else float(exact)
        made |= {
            "value": value,
            "value_released": released,
            "parse_status": status,
            "parse_reason": reason_,
        }
        labels = (
            [str(score) for score in range(int(low), int(high) + 1)]
            if is_whole and high - low < _LONGEST_SCALE
            else []
        )
        return self._with_probabilities(each, made, labels)

    def _verdict(self, each: FileRow, row: VerdictRow, debate: Known) -> dict[str, Any]:
        factors = {name: getattr(row, name) for name in FACTORS}
        key = ["verdict", debate.id, row.judge, row.template, *factors.values(), row.sample]
        made = self._common(each, row, debate, key, "item, judge, template, variant and sample")
        made |= {"debate_id": debate.id, **factors}
        if each.facts.error_kind:
            return made
        winner, p_pro, status, reason = row.winner, row.p_pro, "supplied", None
        if winner is None and p_pro is not None:
            winner = "tie" if p_pro == 0.5 else "pro" if p_pro > 0.5 else "con"
        elif winner is None and each.facts.unread:
            status, reason = "unparsed", each.facts.unread
        elif winner is None:
            label, status, reason = read_verdict(
                row.response, row.pro_label, row.con_label, row.outcome, each.facts.finish_reason
            )
            winner = label  # type: ignore[assignment]
        made |= {
            "winner": winner,
            "p_pro": p_pro,
            "p_pro_low": p_pro,
            "p_pro_high": p_pro,
            "parse_status": status,
            "parse_reason": reason,
        }
        labels = [row.pro_label or "pro", row.con_label or "con"]
        made = self._with_probabilities(each, made, labels)
        if p_pro is None:
            found = {
                known["label"]: LabelProbability(known["p"], known["p_low"], known["p_high"])
                for known in made.get("label_probabilities", [])
            }
            made |= probability_of_pro(found, labels[0], labels[1], row.outcome)
        return made

    def _ruling(self, each: FileRow, row: RulingRow, debate: Known) -> dict[str, Any]:
        asked = {name: getattr(row, name) for name in _WAY}
        key = ["ruling", debate.id, row.judge, row.template, *asked.values(), row.sample]
        made = self._common(each, row, debate, key, "item, judge, template, variant and sample")
        is_counted = row.strategy == WHOLE and row.tokens_in is not None
        made |= asked | {
            "debate_id": debate.id,
            "named_order": row.house_order if row.house_order in NAMED_ORDERS else None,
            "context_tokens": row.tokens_in if is_counted else None,
            "is_context_exact": True if is_counted else None,
        }
        supplied = row.supplied
        ruling = supplied_ruling(supplied) if supplied else read_ruling(row.response, row.task)
        made |= {"parse_status": ruling.status, "parse_reason": ruling.reason}
        return made | ruling_rows(ruling, {"request_id": made["request_id"]})

    def _judgement(self, each: FileRow, row: JudgementRow, known: Known) -> dict[str, Any]:
        asked = {name: getattr(row, name) for name in _JUDGED}
        key = ["judgement", known.id, row.judge, row.template, *asked.values(), row.sample]
        made = self._common(each, row, known, key, "item, judge, template, variant and sample")
        made |= asked | {
            "question_id": question_of(known.id) if row.is_of_transcript else known.id,
            "transcript_id": known.id if row.is_of_transcript else None,
            "is_final": row.step is None,
        }
        if row.p_answer_0 is None and row.choice is None:
            return made | judged(made, {})
        said = {"p_answer_0": row.p_answer_0, "choice": row.choice}
        return made | said | {"parse_status": "supplied", "parse_reason": None}

    def _reply(self, each: FileRow, row: ReplyRow, question: Known) -> dict[str, Any]:
        asked = {name: getattr(row, name) for name in _ASKED}
        key = ["answer", row.judge, row.template, *asked.values(), row.sample, question.id]
        made = self._common(
            each, row, question, key, "question, judge, template, decoding, retrieval and sample"
        )
        return (
            made
            | asked
            | {
                "answer_id": answer_id(question.id, made["request_id"]),
                "question_id": question.id,
                "word_count": len(row.response.split()),
            }
        )

    def _common(
        self, each: FileRow, row: SaidRow, known: Known, key: list[Any], said: str
    ) -> dict[str, Any]:
        identity = json.dumps(key, ensure_ascii=False)
        request_id = hashlib.sha256(identity.encode()).hexdigest()[:32]
        if request_id in self._seen:
            reason = f"duplicate key: {self._seen[request_id]} has the same {said}"
            raise BrokenRecord(_name_of_item(row), reason)
        self._seen[request_id] = each.record.place
        facts = each.facts
        made = {name: getattr(row, name) for name in _FROM_ROW}
        made |= {
            "run_id": row.judge,
            "request_id": request_id,
            "experiment": EXPERIMENT,
            "judge_id": row.judge,
            "settings_hash": SETTINGS_HASH,
            "dataset_id": known.dataset_id,
            "item_hash": known.hash,
            "wording": WORDING,
            "request_status": "error" if facts.error_kind else "answered",
            "error_kind": facts.error_kind,
            "finish_reason": facts.finish_reason,
            "parse_status": "not_answered",
            "answer_format": facts.answer_format,
            "tokens_cached": facts.tokens_cached,
            "answered_at": each.answered_at or self._first_load,
            "source_record": each.source_record,
            "line_number": len(self._seen),
        }
        return made

    def _with_probabilities(
        self, each: FileRow, made: dict[str, Any], labels: list[str]
    ) -> dict[str, Any]:
        logprobs, ceiling = each.facts.logprobs, None
        if logprobs is not None:
            labels = list(logprobs)
        elif each.facts.token_logprobs and labels:
            seen = at_the_answer(each.facts.token_logprobs, labels)
            logprobs, ceiling = seen if seen is not None else (None, None)
        if not logprobs:
            return made
        try:
            made["label_probabilities"], _ = probability_rows(
                made["request_id"], labels, logprobs, ceiling
            )
        except ValueError as error:
            raise BrokenRecord("response", str(error)) from None
        return made


def _about(row: SaidRow) -> What:
    """Return what an answer's `item` names."""
    if isinstance(row, JudgementRow):
        return "debate transcript" if row.is_of_transcript else "story question"
    return _ABOUT[type(row)]


def _name_of_item(row: SaidRow) -> str:
    return "question" if isinstance(row, ReplyRow) else "item"
