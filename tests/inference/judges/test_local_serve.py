import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

if any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn")):
    pytest.skip("needs transformers[serving]", allow_module_level=True)

import tiny_models
from answer_fixtures import write_questions
from inference_fixtures import judge, replies, speech_request

from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.journal import read_journal
from inference.judges import make_judge
from inference.judges.base import Reply
from inference.registry import JudgeSpec
from inference.runner import run
from tests.late import imported_late

torch = imported_late("torch")
transformers = imported_late("transformers")

pytestmark = pytest.mark.slow
MOST_TOKENS = 16
# Ties could fall either way between two programs; this far apart they cannot.
MARGIN = 0.01
PROMPTS = [
    "We should ban cars from the inner city.",
    "The buses are late, and the people who need them are poor. Score?",
    "yes",
    "Debate the motion and give the reasons before the score! " * 2,
]
STARTS_WITHIN_S = 90


class Served(NamedTuple):
    folder: Path
    url: str


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("served")
    folder = tiny_models.save(
        place / "tiny",
        tiny_models.model("llama", seed=5, spread=1.0, max_position_embeddings=4096),
        tiny_models.tokenizer("bytes with bos", chat=True),
    )
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = f"--host 127.0.0.1 --port {port} --device cpu --dtype float32"
    with (place / "serve.log").open("w") as log:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("transformers"), "serve", folder, *options.split()],
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ
            | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(place / "hub"), "OMP_NUM_THREADS": "1"},
        )
    try:
        wait_until_up(process, url, place / "serve.log")
        yield Served(folder, url)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def wait_until_up(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        if process.poll() is not None:
            pytest.fail(f"transformers serve ended:\n{log.read_text()[-3000:]}")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"transformers serve did not start:\n{log.read_text()[-3000:]}")


def spec(judge_id: str, model: str, **settings: Any) -> JudgeSpec:
    settings |= {"temperature": 0.0, "max_tokens": MOST_TOKENS}
    with tempfile.TemporaryDirectory() as registry:
        return judge(Path(registry), judge_id, model=model, **settings)


def one_at_a_time(judge_spec: JudgeSpec, prompts: list[str]) -> list[Reply]:
    used = {"temperature": 0.01, "max_tokens": 4096}
    asked = (speech_request(text, n, decoding=used) for n, text in enumerate(prompts))
    return replies(make_judge(judge_spec, None, {}), *asked)


def smallest_margin(folder: Path, prompt: str) -> float:
    """Return the smallest distance of the two largest logits over a greedy answer's steps."""
    made = transformers.AutoModelForCausalLM.from_pretrained(folder)
    text = f"[user]{prompt}[end][assistant]"
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)[
        "input_ids"
    ]
    margins = []
    with torch.no_grad():
        for _ in range(MOST_TOKENS):
            top = made(torch.tensor([ids])).logits[0, -1].topk(2)
            margins.append(float(top.values[0] - top.values[1]))
            ids.append(int(top.indices[0]))
            if ids[-1] == made.config.eos_token_id:
                break
    return min(margins)


def over_http(served: Served) -> JudgeSpec:
    address = {"base_url": f"{served.url}/v1", "api_key_env": ""}
    return spec("openai/tiny", str(served.folder), **address)


def run_lines(
    name: str, judge_spec: JudgeSpec, source: ItemSource, journals: Path
) -> list[dict[str, Any]]:
    summary = run(load_experiment(name), judge_spec, [source], journal_root=journals, environ={})
    assert (summary.status, dict(summary.errors)) == ("complete", {})
    path = journals / summary.run_ids[0] / "responses.jsonl"
    found = [line for line in read_journal(path) if line["kind"] == "answer"]
    return sorted(found, key=lambda line: str(line["item_id"]))


def same(lines: list[dict[str, Any]], *more: str) -> list[tuple[Any, ...]]:
    names = ("item_id", "response", "finish_reason", "tokens_in", "tokens_out", *more)
    return [tuple(line.get(name) for name in names) for line in lines]


def test_a_served_model_and_the_same_folder_give_the_same_greedy_answers(served: Served) -> None:
    assert all(smallest_margin(served.folder, prompt) > MARGIN for prompt in PROMPTS)
    there = one_at_a_time(over_http(served), PROMPTS)
    here = one_at_a_time(spec("local/tiny", str(served.folder)), PROMPTS)
    assert [each.error for each in there + here] == [None] * 2 * len(PROMPTS)
    assert [each.response for each in here] == [each.response for each in there]
    assert [(each.tokens_in, each.tokens_out) for each in here] == [
        (each.tokens_in, each.tokens_out) for each in there
    ]
    assert [each.finish_reason for each in here] == [each.finish_reason for each in there]
    assert {each.finish_reason for each in here} == {"stop", "length"}
    assert len({each.response for each in here}) == len(PROMPTS)


@pytest.mark.parametrize(
    ("experiment", "columns"),
    [
        ("debatable-answers", ("template", "temperature")),
        ("dispute-awareness", ("value_released", "dimension", "scale_max")),
    ],
)
def test_a_served_model_answers_and_judges_as_its_folder_does(
    served: Served, tmp_path: Path, experiment: str, columns: tuple[str, ...]
) -> None:
    said = ["Cars take the room of children. People disagree.", "Buses.", "It is settled."]
    source = write_questions(tmp_path / "items", 1, answers=said)
    there = run_lines(experiment, over_http(served), source, tmp_path / "there")
    local = spec("local/tiny", str(served.folder))
    here = run_lines(experiment, local, source, tmp_path / "here")
    assert same(there, *columns) == same(here, *columns)
    assert all(line["response"] for line in there)
