"""Files of judges' answers in every foreign format, made for the tests: nobody's data."""

import json
import zipfile
from pathlib import Path
from typing import Any

from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import write_jsonl
from warehouse.home import Home

SIDES = (("pro", "PRO"), ("con", "CON"))
DEBATES = tuple(f"0000000{n}-aaaa-4bbb-8ccc-00000000000{n}" for n in range(4))


def debate(number: int, **changes: Any) -> dict[str, Any]:
    """One debate as DebateBench has it: six turns, and the same again under `debate`."""
    models = ["vendor/model-a", "vendor/model-b"]
    pro, con = models if number % 2 == 0 else reversed(models)
    row: dict[str, Any] = {
        "id": DEBATES[number],
        "resolution": f"Resolved: Trees {number // 2} are good.",
        "pro_model": pro,
        "con_model": con,
        "temperature": 0.1,
        "prompt_style": "analytical",
        "status": "complete",
        "speeches": [
            {
                "speech_type": f"{side}_{kind}",
                "content": f"The {side} {kind} of {number}:\nshade is “good”.",
                "word_count": 8,
                "side": shown,
            }
            for kind in ("constructive", "rebuttal", "summary")
            for side, shown in SIDES
        ],
        "pair_id": DEBATES[number ^ 1],
        "model_assignment": "original" if number % 2 == 0 else "flipped",
        "created_at": 1767311013.9 + number // 2,
        "saved_at": "2026-01-01T15:43:59.323588",
    }
    row |= {
        "debate": {name: row[name] for name in ("resolution", "pro_model", "con_model", "speeches")}
    }
    return {**row, **changes}


def load_debates(home: Home, tmp_path: Path, count: int = 4) -> None:
    rows = [debate(number) for number in range(count)]
    ingest(home, "judgebench", write_jsonl(tmp_path / "debates.jsonl", rows))


SCORES = {name: {"PRO": 4, "CON": 4} for name in ("argument_quality", "evidence", "clash")}


def verdict(number: int = 0, winner: str = "PRO", **changes: Any) -> dict[str, Any]:
    """One verdict as JudgeBench has it, its judgment prose with a fenced object at the end."""
    answer = {"winner": winner, "scores": SCORES, "confidence": 0.7, "short_reason": "Clear."}
    fenced = json.dumps(answer, indent=2)
    row = {
        "debate_id": DEBATES[number],
        "judge_model": "vendor/judge",
        "judge_prompt": "p0",
        "run_number": 0,
        "judgment": f'First pass: {{"winner": "CON"}} is one reading.\n\n```json\n{fenced}\n```',
        **answer,
        "timestamp": 1767850000.25,
        "saved_at": "2026-01-07T21:26:40.250000",
    }
    return {**row, **changes}


def single(number: int, **changes: Any) -> dict[str, Any]:
    """One line of FastChat's `gpt-4_single.jsonl`."""
    row = json.loads("""{
        "model": "vicuna-13b", "judge": ["gpt-4", "single-v1"], "user_prompt": "[Question] ...",
        "judgment": "It is fine. Rating: [[4]]", "score": 4, "turn": 1, "tstamp": 1700367448.5
    }""")
    return {"question_id": f"speeches:s-{number}", **row, **changes}


def pair(number: int, **changes: Any) -> dict[str, Any]:
    """One line of FastChat's `gpt-4_pair.jsonl`."""
    row = json.loads("""{
        "model_1": "vendor/model-a", "model_2": "vendor/model-b", "judge": ["gpt-4", "pair-v2"],
        "g1_winner": "model_1", "g1_user_prompt": "...", "g1_judgment": "A is better. [[A]]",
        "g2_winner": "model_2", "g2_user_prompt": "...", "g2_judgment": "A is better. [[A]]",
        "turn": 1, "tstamp": 1700367448.5
    }""")
    return {"question_id": DEBATES[number], **row, **changes}


def generated(number: int, reply: str = "<score>4</score>", **changes: Any) -> dict[str, Any]:
    """One generated answer as lm-eval writes it to `samples_*.jsonl`."""
    row = json.loads("""{
        "target": "4", "filter": "none", "metrics": ["exact_match"], "exact_match": 1.0,
        "arguments": {"gen_args_0": {"arg_0": "Score it.", "arg_1": {"until": ["\\n\\n"]}}},
        "doc_hash": "d0", "prompt_hash": "p0", "target_hash": "t0"
    }""")
    row |= {"doc_id": number, "doc": {"item": f"speeches:s-{number}", "motion": "Trees"}}
    return {**row, "resps": [[reply]], "filtered_resps": [reply], **changes}


def multiple_choice(
    number: int, logprobs: dict[str, float], doc: dict[str, Any], **changes: Any
) -> dict[str, Any]:
    """One multiple-choice answer as lm-eval writes it: numbers as text."""
    row = generated(number)
    row |= {
        "doc": doc,
        "arguments": {
            f"gen_args_{place}": {"arg_0": "Who won?", "arg_1": f" {label}"}
            for place, label in enumerate(logprobs)
        },
        "resps": [[[str(value), "False"]] for value in logprobs.values()],
        "filtered_resps": [[str(value), "False"] for value in logprobs.values()],
        "metrics": ["acc"],
        "acc": 1.0,
    }
    return {**row, **changes}


def results(**changes: Any) -> dict[str, Any]:
    return {"results": {}, "model_source": "hf", "model_name": "org/tiny-model", **changes}


def eval_header(**changes: Any) -> dict[str, Any]:
    """The header of an Inspect log."""
    about = json.loads("""{
        "eval_id": "e1", "run_id": "r1", "created": "2026-03-01T12:00:00+00:00",
        "task": "speech_judge", "model": "openai/gpt-4.1-mini", "config": {"epochs": 1},
        "dataset": {"samples": 2, "sample_ids": ["speeches:s-0", 7], "shuffled": false},
        "packages": {"inspect_ai": "0.3.285"}
    }""")
    about |= changes
    return {"version": 2, "status": "success", "eval": about, "plan": {}, "stats": {}}


def eval_sample(item: str | int, reply: str = "<score>4</score>", **changes: Any) -> dict[str, Any]:
    """One sample of an Inspect log."""
    sample = json.loads("""{
        "epoch": 1, "input": "Score it", "target": "4", "messages": [], "metadata": {}, "store": {},
        "output": {
            "model": "openai/gpt-4.1-mini", "time": 0.5,
            "choices": [{
                "message": {"id": "m1", "source": "generate", "role": "assistant"},
                "stop_reason": "stop"
            }],
            "usage": {"input_tokens": 700, "output_tokens": 5, "input_tokens_cache_read": 512}
        },
        "scores": {"match": {"value": "I", "history": []}}, "attachments": {}, "uuid": "s1",
        "events": [{"uuid": "u", "data": {"score": NaN}}],
        "started_at": "2026-03-01T12:00:01+00:00", "completed_at": "2026-03-01T12:00:02+00:00"
    }""")
    sample["output"]["completion"] = reply
    sample["output"]["choices"][0]["message"]["content"] = reply
    sample["scores"]["match"]["answer"] = reply
    return {"id": item, **sample, **changes}


def write_eval(
    path: Path,
    samples: list[dict[str, Any]],
    header: dict[str, Any] | None = None,
    method: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Write an Inspect log as the zip it is."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {}}))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(header or eval_header()))
    return path


def import_lines(
    home: Home, tmp_path: Path, rows: list[dict[str, Any]], name: str = "a.jsonl", **options: Any
) -> LoadReport:
    return import_file(home, write_jsonl(tmp_path / name, rows), **options)
