"""lm-eval's `samples_*.jsonl`: generated replies, or the log-likelihoods of all possible answers.

The sample's document names its item: `item` (or `item_id`, `id`) for a score, `debate_id` (or
`debate`) for a verdict. The `results_*.json` in the same folder names the judge.
"""

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ingestion.answers.contracts import ScoreRow, VerdictRow
from ingestion.answers.judge_names import lm_eval_judge
from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable
from ingestion.formats.base import Draft, Facts, FileRow, Options, item_named_in, typed_rows
from ingestion.landing import Landed
from ingestion.reading import OR_NONE, BrokenRecord, expected, validated
from ingestion.records import Record, read_rows
from ingestion.sources.containers import MAX_RECORD_BYTES
from warehouse.records.strict_json import strict_json

KEYS = frozenset({"doc_id", "doc", "resps"})
_FILE_NAME = re.compile(r"samples_(.+?)_(\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_ITEMS = ("item", "item_id", "id")


class _Sample(BaseModel):
    """One line of the file.

    Attributes:
        filter: The task's filter that read the replies.
        arguments: Of each request, its prompt and what was generated or rated.
    """

    doc: Annotated[dict[str, Any], expected("an object, the document of the sample")]
    resps: Annotated[list[Any], Field(min_length=1), expected("lists of replies or likelihoods")]
    filter: Any = None
    filtered_resps: Any = None
    arguments: Annotated[dict[str, dict[str, Any]] | list[Any] | None, OR_NONE] = None
    metrics: Annotated[list[Any] | None, OR_NONE] = None


class _Results(BaseModel):
    """The file with the results of a run, beside its samples."""

    model_source: Annotated[str, Field(min_length=1)]
    model_name: Annotated[str, Field(min_length=1)]


def read_lm_eval(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield one row per sample, repeat and filter.

    Raises:
        SourceUnreadable: No results file and no option names the judge.
    """
    name = _FILE_NAME.fullmatch(options.path.name)
    judge = options.judge or _judge(options.path, name[2] if name else None)
    task = name[1] if name else options.path.stem
    records = read_rows(landed.path, "jsonl", shown=landed.shown)
    names = {"item": "doc.item", "judge": "--judge"}
    return typed_rows(landed, records, lambda each: _drafts(each, judge, task), names=names)


def _judge(path: Path, date: str | None) -> str:
    files = sorted(path.parent.glob("results_*.json"))
    files = [each for each in files if date is not None and each.stem.endswith(date)] or files
    if len(files) == 1 and files[0].stat().st_size <= MAX_RECORD_BYTES:
        try:
            results = validated(_Results, strict_json(files[0].read_text(encoding="utf-8")))
            return lm_eval_judge(results.model_source, results.model_name)
        except (BrokenRecord, OSError, ValueError, RecursionError):
            pass
    without = (
        f"neither does {files[0].name} beside it"
        if len(files) == 1
        else "no one results_*.json beside it does"
    )
    raise SourceUnreadable(
        f"ingestion: {path}: which judge answered? An lm-eval samples file does not say, and "
        f"{without}; name the judge with --judge provider/model"
    )


def _drafts(record: Record, judge: str, task: str) -> Iterable[Draft]:
    fields, sample = record.fields, validated(_Sample, record.fields)
    kind, item = item_named_in(sample.doc, _ITEMS)
    if item is None:
        reason = "names no item; expected one of item, item_id, id, debate_id or debate in it"
        raise BrokenRecord("doc", reason)
    template = task if sample.filter in (None, "none") else f"{task}:{sample.filter}"
    common = {"item": item, "judge": judge, "template": template}
    common |= {name: sample.doc.get(name) for name in kind.factors}
    extra = {name: fields.get(name) for name in ("doc_id", "doc_hash", "prompt_hash", "target")}
    if sample.metrics is not None:
        extra["metrics"] = {name: fields.get(name) for name in map(str, sample.metrics)}
    try:
        answers = list(_answers(sample, kind))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
        reason = f"cannot be read ({error}); expected lists of replies, or of log-likelihoods"
        raise BrokenRecord("resps", reason) from None
    for number, (values, facts) in enumerate(answers):
        yield Draft(kind, {**common, **values, "sample": number}, extra, facts)


def _answers(
    sample: _Sample, kind: type[ScoreRow] | type[VerdictRow]
) -> Iterator[tuple[dict[str, Any], Facts]]:
    responses, labels = sample.resps, _continuations(sample)
    if len(responses) > 1 and labels is not None and len(labels) == len(responses):
        # One log-likelihood per possible answer; the likeliest is the reply.
        logprobs = dict(zip(labels, map(_log_likelihood, responses), strict=True))
        likeliest = max(logprobs, key=lambda label: logprobs[label])
        yield {"response": likeliest}, Facts(answer_format="label_scoring", logprobs=logprobs)
        return
    filtered = sample.filtered_resps
    while isinstance(filtered, list) and len(filtered) == 1 and isinstance(filtered[0], list):
        filtered = filtered[0]
    for place, response in enumerate(responses[0] if isinstance(responses[0], list) else responses):
        if not isinstance(response, str):
            raise TypeError(f"a reply is {type(response).__name__}")
        values: dict[str, Any] = {"response": response}
        read = filtered[place] if isinstance(filtered, list) and place < len(filtered) else None
        if kind is ScoreRow and isinstance(read, str) and _NUMBER.fullmatch(read.strip()):
            # The task's own filter has read the score.
            values["value"] = float(read)
        yield values, Facts()


def _log_likelihood(response: Any) -> float:
    # [["-1.5", "False"]], its numbers written as text; some versions leave out the outer list.
    while isinstance(response, list) and response and isinstance(response[0], list):
        response = response[0]
    value = float(response[0] if isinstance(response, list) else response)
    if not math.isfinite(value) or value > 0:
        raise ValueError(f"a log-likelihood is {value}")
    return value


def _continuations(sample: _Sample) -> list[str] | None:
    """Return the possible answers, where each request rates one of its own."""
    arguments = sample.arguments
    if isinstance(arguments, dict):
        # gen_args_10 comes after gen_args_9.
        ordered = sorted(arguments.items(), key=lambda each: int(each[0].rpartition("_")[2]))
        arguments = [list(each.values()) for _, each in ordered]
    if not isinstance(arguments, list):
        return None
    labels = [
        str(each[1]).strip() for each in arguments if isinstance(each, list) and len(each) > 1
    ]
    return labels if len(set(labels)) == len(labels) == len(arguments) else None
