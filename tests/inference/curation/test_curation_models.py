import asyncio
import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from inference_fixtures import Stub, completion, failure, judges_file

from inference.errors import BadSettings, NoReply, NoReplyYet
from inference.steps.models import Model
from inference.steps.replies import Replies, ask_all

NOW = {"Retry-After-Ms": "1"}


def model(
    stub: Stub, folder: Path, settings: Mapping[str, Any] = MappingProxyType({}), **changes: Any
) -> Model:
    file = judges_file(folder, "openai/m", base_url=stub.url, api_key_env="", **settings)
    return Model("openai/m", file, {}, **changes)


def asked(made: Model, prompt: str = "Why?") -> str:
    async def run() -> str:
        async with made as ask:
            return await ask(prompt)

    return asyncio.run(run())


def test_the_prompt_is_sent_with_the_papers_decoding(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, _: completion("Because.")
    assert asked(model(stub, tmp_path)) == "Because."
    (body,) = stub.bodies
    assert body["messages"] == [{"role": "user", "content": "Why?"}]
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.7, 0.7, 4096)


def test_a_model_that_stays_away_is_an_error(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, number: failure(503, "gone", NOW)
    with pytest.raises(NoReplyYet, match=r"overloaded.*goes on from the replies"):
        asked(model(stub, tmp_path, {"max_retries": 2}))
    assert len(stub.bodies) == 3


def test_a_step_keeps_to_the_concurrency_and_the_rates_of_its_model(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def react(body: Any, number: int) -> Any:
        nonlocal now, most
        with lock:
            now, most = now + 1, max(most, now + 1)
        time.sleep(0.02)
        with lock:
            now -= 1
        return completion("Yes.")

    async def run(made: Model) -> None:
        async with made, Replies(tmp_path / "replies", made.identity, made) as ask:
            await ask_all([f"{number}?" for number in range(20)], ask)

    stub.react = react
    asyncio.run(run(model(stub, tmp_path, {"concurrency": 4})))
    assert 1 < most <= 4
    waits: list[float] = []

    async def no_wait(seconds: float) -> None:
        waits.append(seconds)
        raise ZeroDivisionError

    monkeypatch.setattr("inference.runs.limits.asyncio.sleep", no_wait)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run(model(stub, tmp_path, {"requests_per_minute": 1}, temperature=0.1)))
    # One may go at once, and the next when a minute has gone by.
    assert len(stub.bodies) == 21
    assert waits[0] == pytest.approx(60, abs=5)


def test_a_refused_key_is_not_tried_again(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, number: failure(401, "no such key")
    with pytest.raises(NoReplyYet, match="authentication"):
        asked(model(stub, tmp_path))
    assert len(stub.bodies) == 1


def cut_off(body: dict[str, Any], number: int) -> Any:
    status, headers, text = completion("Point-of-View 1: Cars")
    content = json.loads(text)
    content["choices"][0]["finish_reason"] = "length"
    return status, headers, json.dumps(content)


@pytest.mark.parametrize(
    ("react", "words"),
    [
        (lambda body, _: failure(400, "maximum context length is 10 tokens"), "context_overflow"),
        (lambda body, _: failure(400, "content filter"), "filtered"),
        (cut_off, "more than 4096 tokens; raise max_tokens"),
    ],
)
def test_a_final_failure_is_no_reply(react: Any, words: str, stub: Stub, tmp_path: Path) -> None:
    stub.react = react
    with pytest.raises(NoReply, match=words):
        asked(model(stub, tmp_path))


def test_other_decoding_is_another_model(stub: Stub, tmp_path: Path) -> None:
    assert model(stub, tmp_path).identity == model(stub, tmp_path).identity
    assert model(stub, tmp_path, temperature=0.0).identity != model(stub, tmp_path).identity


def test_a_model_in_bulk_cannot_be_asked() -> None:
    with pytest.raises(BadSettings, match="in bulk"):
        Model("batch/gpt-4.1-mini", None, {})
