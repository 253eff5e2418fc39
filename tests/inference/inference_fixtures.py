"""Made-up items with reference values, and a real endpoint on 127.0.0.1 that misbehaves on demand."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource, Speech
from inference.journal import FILE_NAME, read_journal
from inference.judges import make_judge
from inference.judges.base import Judge, Reply
from inference.judges.request import Request
from inference.kinds import KIND
from inference.plan import PlannedRun, plan_runs
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.runner import RunSummary, run
from inference.templates import load_template
from tests.inference.endpoint import Endpoint, Sent

# Shown nowhere but in the reference file: a prompt that holds one has seen a human score.
SENTINEL = 3.14159
CANARY = "sk-canary-0123456789abcdef"
KEY = {"OPENAI_API_KEY": CANARY}

Outcome = TypeVar("Outcome")


def cases(table: Mapping[Outcome, str]) -> list[tuple[str, Outcome]]:
    """Rows of a table that lists, for each outcome, its inputs divided by `|`."""
    return [(text, outcome) for outcome, texts in table.items() for text in texts.split("|")]


Reaction = tuple[int, dict[str, str], str | bytes]
HANG_UP: Reaction = (0, {}, "")
# A status of 1 sends the text alone, as if it were a whole reply.
NO_HTTP: Reaction = (1, {}, "this is no HTTP\r\n\r\n")


def completion(content: str | None = "<score>\n4\n</score>", **more: Any) -> Reaction:
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
        **more,
    }
    return 200, {}, json.dumps(body)


def failure(
    status: int, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Reaction:
    return status, headers or {}, json.dumps({"error": {"message": message, **more}})


class Stub(Endpoint):
    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.react: Callable[[dict[str, Any], int], Reaction] = lambda body, number: completion()
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        body = json.loads(data)
        with self._lock:
            self.bodies.append(body)
            self.keys.append(handler.headers.get("Authorization", ""))
            number = len(self.bodies)
        status, headers, text = self.react(body, number)
        return status, headers, text if isinstance(text, bytes) else text.encode()


def judges_file(folder: Path, judge_id: str, *, model: str | None = None, **settings: Any) -> Path:
    path = folder / "judges.toml"
    path.write_text(add_judge_text("", judge_id, settings, model=model))
    return path


def judge(folder: Path, judge_id: str = "rule/length", **entry: Any) -> JudgeSpec:
    return spec_for(judge_id, judges_file(folder, judge_id, **entry), {})


def model(folder: Path, stub: Stub, judge_id: str = "openai/a-model", **settings: Any) -> JudgeSpec:
    return judge(folder, judge_id, **{"base_url": stub.url, **settings})


def go(
    folder: Path, experiment: Experiment, spec: JudgeSpec, *sources: ItemSource, **more: Any
) -> RunSummary:
    """Run an experiment; its journal goes to the folder, and own prompts come from there."""
    given = {"environ": KEY, "prompts_folder": folder, **more}
    return run(experiment, spec, sources, journal_root=folder / "journal", **given)


def own_experiment(folder: Path, text: str, name: str = "mine") -> Experiment:
    (folder / f"{name}.toml").write_text(f'name = "{name}"\n{text}', encoding="utf-8")
    return load_experiment(name, [folder])


def planned(
    asked: Experiment | str, source: ItemSource, judge_id: str = "openai/x", **more: Any
) -> PlannedRun:
    experiment = load_experiment(asked) if isinstance(asked, str) else asked
    (plan,) = plan_runs(experiment, spec_for(judge_id, None, {}), [source], **more)
    return plan


def lines(folder: Path, run_id: str = "*") -> list[dict[str, Any]]:
    (path,) = (folder / "journal").glob(f"{run_id}/{FILE_NAME}")
    return list(read_journal(path))


def answers(folder: Path, run_id: str = "*") -> list[dict[str, Any]]:
    return [line for line in lines(folder, run_id) if line["kind"] == "answer"]


def ask(
    spec: JudgeSpec, *requests: Request, environ: Mapping[str, str] = KEY, metric: str | None = None
) -> list[Reply]:

    async def asked() -> list[Reply]:
        async with make_judge(spec, None, environ, metric=metric) as judge:
            return list(await asyncio.gather(*(judge.ask(each) for each in requests)))

    return asyncio.run(asked())


def replies(judge: Judge, *requests: Request) -> list[Reply]:

    async def asked() -> list[Reply]:
        async with judge:
            return [await judge.ask(each) for each in requests]

    return asyncio.run(asked())


def speech_request(
    prompt: str = "the prompt",
    number: int = 0,
    *,
    template: str = "speech_score",
    sample: int = 0,
    labels: tuple[str, ...] = (),
    decoding: Mapping[str, float] = MappingProxyType({}),
    scale: tuple[int, int] = (1, 5),
    **changes: Any,
) -> Request:
    item = Speech("d", f"d:{number}", "h", "motion", "text", 1, "quality", "?", *scale)
    item, its_template = replace(item, **changes), load_template(template)
    return Request(
        KIND["speech"], item, item.rating, its_template, sample, prompt, decoding, labels
    )


def write_data_set(
    folder: Path, dataset: str, tables: Mapping[str, Sequence[Mapping[str, Any]]]
) -> ItemSource:
    """Write a data set's files as ingestion does, each by its name in the pointer.

    One without speeches has an items file without rows.
    """
    target = folder / dataset
    target.mkdir(parents=True, exist_ok=True)
    names = {"items": "none.parquet", **{name: f"{name}-abc.parquet" for name in tables}}
    if "items" not in tables:
        empty = pa.table({name: pa.array([], pa.string()) for name in ("item_id", "dimension")})
        pq.write_table(empty, target / names["items"])
    for name, rows in tables.items():
        pq.write_table(pa.Table.from_pylist(list(rows)), target / names[name])
    (target / "current.json").write_text(
        json.dumps({**names, "rows": len(tables.get("items", ()))})
    )
    files = {name: target / file for name, file in names.items()}
    return ItemSource(dataset, files.pop("items"), files)


def without(source: ItemSource, name: str) -> ItemSource:
    """Return a data set without one of its files."""
    return replace(
        source, files={each: source.files[each] for each in source.files if each != name}
    )


def write_items(
    folder: Path,
    count: int = 12,
    *,
    dataset: str = "made-up",
    dimensions: tuple[str, ...] = ("goodopeningspeech",),
    scale: tuple[float, float] = (1.0, 5.0),
    texts: list[str] | None = None,
    means: list[float] | None = None,
) -> ItemSource:
    rows, references = [], []
    for index, dimension in product(range(count), dimensions):
        text = texts[index] if texts else f"Speech number {index}. " + "word " * (40 * index)
        item = {"item_id": f"{dataset}:{index:03}", "dimension": dimension}
        about = {
            "item_hash": f"hash{index:03}",
            "debate_id": f"{dataset}:topic-{index // 3}",
            "motion": f"We should do thing {index // 3}",
            "source": "Somebody",
            "text": text,
            "word_count": len(text.split()),
            "question": f"Is its {dimension} high?",
            "scale_min": scale[0],
            "scale_max": scale[1],
        }
        rows.append(item | about)
        mean = means[index] if means else SENTINEL
        references.append(item | {"mean_value": mean, "n_ratings": 15})
    return write_data_set(folder, dataset, {"items": rows, "reference": references})
