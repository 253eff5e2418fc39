"""lm-eval's `samples_*.jsonl`: generated replies, or the log-likelihoods of all answers there are.

What a sample is about stands in its document: `item` (or `item_id`, `id`) for a score, `debate_id`
(or `debate`) for a verdict. Who answered stands in the `results_*.json` beside the file.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingestion.answers.contracts import ScoreRow, VerdictRow
from ingestion.answers.judge_names import lm_eval_judge
from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable
from ingestion.formats.base import (
    Facts,
    FileRow,
    Options,
    named_in,
    read_json_rows,
    reject,
    typed_row,
)
from ingestion.landing import Landed
from ingestion.records import Record
from ingestion.sources.containers import MAX_RECORD_BYTES
from warehouse.records.strict_json import strict_json

KEYS = frozenset({"doc_id", "doc", "resps"})
_FILE_NAME = re.compile(r"samples_(.+?)_(\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl")
_NAMES = {"item": "doc.item", "judge": "--judge"}
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def read_lm_eval(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield one row per sample, repeat and filter.

    Args:
        options: Where it lay, and who answered where no results file beside it says so.

    Raises:
        SourceUnreadable: The file is not what it should be, or nobody says who answered.
    """
    found = _FILE_NAME.fullmatch(options.path.name)
    judge = options.judge or _judge(options.path, found[2] if found else None)
    task = found[1] if found else options.path.stem
    return read_json_rows(landed, lambda record: _typed(landed, record, judge, task))


def _judge(path: Path, date: str | None) -> str:
    beside = sorted(path.parent.glob("results_*.json"))
    own = [each for each in beside if date is not None and each.stem.endswith(date)] or beside
    if len(own) == 1 and own[0].stat().st_size <= MAX_RECORD_BYTES:
        try:
            content = strict_json(own[0].read_text(encoding="utf-8"))
            source, model = content.get("model_source"), content.get("model_name")
        except (OSError, ValueError, RecursionError, AttributeError):
            source = model = None
        if isinstance(source, str) and isinstance(model, str) and source and model:
            return lm_eval_judge(source, model)
    message = (
        f"ingestion: {path}: which judge answered? An lm-eval samples file does not say, and "
        + (
            f"neither does {own[0].name} beside it"
            if len(own) == 1
            else "no one results_*.json beside it does"
        )
        + "; name the judge with --judge provider/model"
    )
    raise SourceUnreadable(message)


def _typed(landed: Landed, record: Record, judge: str, task: str) -> Iterator[FileRow | Reject]:
    fields = record.fields
    doc = fields.get("doc")
    if not isinstance(doc, dict):
        yield reject(landed, record, "doc", "is no object; expected the document of the sample")
        return
    kind, item = named_in(doc, ("item", "item_id", "id"))
    if item is None:
        reason = "names no item; expected one of item, item_id, id, debate_id or debate in it"
        yield reject(landed, record, "doc", reason)
        return
    used = fields.get("filter")
    template = task if used in (None, "none") else f"{task}:{used}"
    common: dict[str, Any] = {
        "item": item,
        "judge": judge,
        "template": template,
    }
    common |= {name: doc.get(name) for name in kind.factors}
    extra = {name: fields.get(name) for name in ("doc_id", "doc_hash", "prompt_hash", "target")}
    if isinstance(metrics := fields.get("metrics"), list):
        extra["metrics"] = {name: fields.get(name) for name in map(str, metrics)}
    try:
        answers = list(_answers(fields, kind))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
        reason = f"cannot be read ({error}); expected lists of replies, or of log-likelihoods"
        yield reject(landed, record, "resps", reason)
        return
    for sample, (known, facts) in enumerate(answers):
        yield typed_row(
            landed,
            record,
            kind,
            {**common, **known, "sample": sample},
            extra=extra,
            names=_NAMES,
            facts=facts,
        )


def _answers(
    fields: dict[str, Any], kind: type[ScoreRow] | type[VerdictRow]
) -> Iterator[tuple[dict[str, Any], Facts]]:
    resps = fields["resps"]
    if not isinstance(resps, list) or not resps:
        raise TypeError("no list")
    labels = _continuations(fields)
    if len(resps) > 1 and labels is not None and len(labels) == len(resps):
        # One log-likelihood per answer there is, and the reply is the likeliest.
        logprobs = dict(zip(labels, map(_log_likelihood, resps), strict=True))
        likeliest = max(logprobs, key=lambda label: logprobs[label])
        yield {"response": likeliest}, Facts(answer_format="label_scoring", logprobs=logprobs)
        return
    filtered = fields.get("filtered_resps")
    for place, response in enumerate(resps[0] if isinstance(resps[0], list) else resps):
        if not isinstance(response, str):
            raise TypeError(f"a reply is {type(response).__name__}")
        known: dict[str, Any] = {"response": response}
        read = _at(filtered, place)
        if kind is ScoreRow and isinstance(read, str) and _NUMBER.fullmatch(read.strip()):
            # The task's own filter has read the score.
            known["value"] = float(read)
        yield known, Facts()


def _at(filtered: Any, place: int) -> Any:
    while isinstance(filtered, list) and len(filtered) == 1 and isinstance(filtered[0], list):
        filtered = filtered[0]
    return filtered[place] if isinstance(filtered, list) and place < len(filtered) else None


def _log_likelihood(resp: Any) -> float:
    # [["-1.5", "False"]], its numbers written as text; some versions leave out the outer list.
    while isinstance(resp, list) and resp and isinstance(resp[0], list):
        resp = resp[0]
    value = float(resp[0] if isinstance(resp, list) else resp)
    if not math.isfinite(value) or value > 0:
        raise ValueError(f"a log-likelihood is {value}")
    return value


def _continuations(fields: dict[str, Any]) -> list[str] | None:
    arguments = fields.get("arguments")
    if isinstance(arguments, dict):
        arguments = [
            # gen_args_10 comes after gen_args_9.
            list(each.values())
            for _, each in sorted(arguments.items(), key=lambda one: int(one[0].rpartition("_")[2]))
        ]
    if not isinstance(arguments, list):
        return None
    labels = [
        str(each[1]).strip() for each in arguments if isinstance(each, list) and len(each) > 1
    ]
    return labels if len(set(labels)) == len(labels) == len(arguments) else None
