"""Prompts of pipelines: sent once by the runner, and found again in any journal."""

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from inference_fixtures import Stub, completion, failure, judges_file

from inference.errors import BadSettings, JudgeUnavailable, NoReplyYet, RunBusy, RunInterrupted
from inference.journal import Journal
from inference.questions.curation.tools import DECODING
from inference.steps.asking import Answered, Model, Replies, open_model
from tests.inference.step_models import Failed, RuleModel

NOW = {"Retry-After-Ms": "1"}


def model(
    stub: Stub,
    folder: Path,
    settings: Mapping[str, Any] = MappingProxyType({}),
    decoding: Mapping[str, float] = MappingProxyType(DECODING),
) -> Model:
    file = judges_file(folder, "openai/m", base_url=stub.url, api_key_env="", **settings)
    return open_model("openai/m", file, environ={}, decoding=decoding)


def ask(made: Model, folder: Path, *prompts: str, owner: str = "a", **more: Any) -> list[Answered]:
    return Replies(made, folder / "replies", owner, **more)(prompts)


def test_a_prompt_is_sent_with_the_decoding_of_its_step(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, _: completion("Because.")
    assert ask(model(stub, tmp_path, {"temperature": 1.5}), tmp_path, "Why?") == [
        Answered("Because.")
    ]
    (body,) = stub.bodies
    assert body["messages"] == [{"role": "user", "content": "Why?"}]
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.7, 0.7, 4096)


def test_replies_are_found_by_model_and_prompt_and_never_asked_again(tmp_path: Path) -> None:
    made, other = RuleModel(str.upper), RuleModel(str.lower, "other")
    assert ask(made, tmp_path, "A", "b", "A") == [("A", None), ("B", None), ("A", None)]
    assert ask(made, tmp_path, "b", "c", owner="another") == [("B", None), ("C", None)]
    assert ask(other, tmp_path, "A") == [("a", None)]
    assert (sorted(made.prompts), other.prompts) == (["A", "b", "c"], ["A"])
    assert ask(made, tmp_path / "elsewhere") == []


def test_replies_of_an_earlier_version_are_found_again(stub: Stub, tmp_path: Path) -> None:
    made = model(stub, tmp_path)
    assert made.identity.removeprefix(f"openai/m {made.spec.settings_hash} ") == (
        '{"max_tokens": 4096, "temperature": 0.7, "top_p": 0.7}'
    )
    # SHA-256 of "judge 0 {}", a line break and "Why?".
    request_id = "45de521fc508c106748c6c613b31ca3e211601254ff15e0271b7f6c51437f251"
    line = {
        "schema_version": 1,
        "kind": "reply",
        "request_id": request_id,
        "model": "judge 0 {}",
        "response": "Because.",
        "answered_at": "2025-11-01T00:00:00.000000+00:00",
    }
    folder = tmp_path / "replies"
    folder.mkdir()
    (folder / "responses.jsonl").write_text(json.dumps(line) + "\n")
    earlier = RuleModel(str.upper, "judge 0 {}")
    assert ask(earlier, tmp_path, "Why?", "How?") == [("Because.", None), ("HOW?", None)]
    assert earlier.prompts == ["How?"]


@pytest.mark.parametrize(
    ("reaction", "settings", "error", "words", "sent"),
    [
        (failure(503, "gone", NOW), {"max_retries": 2}, NoReplyYet, "overloaded.*goes on", 3),
        (failure(401, "no such key"), {}, NoReplyYet, "authentication", 1),
    ],
)
def test_a_model_that_stays_away_is_an_error(
    reaction: Any,
    settings: dict[str, Any],
    error: type[Exception],
    words: str,
    sent: int,
    stub: Stub,
    tmp_path: Path,
) -> None:
    stub.react = lambda *_: reaction
    with pytest.raises(error, match=words):
        ask(model(stub, tmp_path, settings), tmp_path, "Why?")
    assert len(stub.bodies) == sent


def test_a_refused_key_stops_the_step(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda *_: failure(401, "no such key")
    with pytest.raises(JudgeUnavailable):
        ask(model(stub, tmp_path, {"concurrency": 1}), tmp_path, *"abcdefghijklmnopqrstuvw")
    assert len(stub.bodies) < 10


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

    stub.react = react
    prompts = [f"{number}?" for number in range(20)]
    ask(model(stub, tmp_path, {"concurrency": 4}), tmp_path, *prompts)
    assert 1 < most <= 4
    waits: list[float] = []

    sleep = asyncio.sleep

    async def no_wait(seconds: float) -> None:
        waits.append(seconds)
        while len(stub.bodies) < 21:
            await sleep(0.001)
        raise ZeroDivisionError

    monkeypatch.setattr("inference.runs.limits.asyncio.sleep", no_wait)
    slow = model(stub, tmp_path, {"requests_per_minute": 1}, {**DECODING, "temperature": 0.1})
    with pytest.raises(ZeroDivisionError):
        ask(slow, tmp_path, *prompts)
    # One may go at once, and the next when a minute has gone by.
    assert len(stub.bodies) == 21
    assert waits[0] == pytest.approx(60, abs=5)


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
def test_a_final_failure_has_its_reason_and_is_not_asked_again(
    react: Any, words: str, stub: Stub, tmp_path: Path
) -> None:
    stub.react = react
    for _ in range(2):
        (found,) = ask(model(stub, tmp_path), tmp_path, "Why?")
        assert found.text == ""
        assert words in str(found.failure)
    assert len(stub.bodies) == 1


def test_what_came_before_a_failure_is_kept(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        if prompt in ("bad", "worse"):
            raise Failed("server" if prompt == "bad" else "filtered")
        return prompt.upper()

    made = RuleModel(reply)
    with pytest.raises(NoReplyYet, match="server: by the test"):
        ask(made, tmp_path, "a", "bad", "worse", "b")
    assert ask(made, tmp_path, "a", "worse", "b") == [
        ("A", None),
        ("", "filtered: by the test"),
        ("B", None),
    ]
    assert len(made.prompts) == 4


def test_a_stop_lets_what_is_under_way_come_in(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        os.kill(os.getpid(), signal.SIGTERM)
        return prompt.upper()

    stopped = RuleModel(reply)
    with pytest.raises(RunInterrupted):
        ask(stopped, tmp_path, *(f"{number}?" for number in range(5000)))
    made = RuleModel(str.upper)
    ask(made, tmp_path, *(f"{number}?" for number in range(5000)))
    assert 0 < len(made.prompts) < 5000
    assert len(made.prompts) + len(stopped.prompts) == 5000


def test_two_processes_do_not_write_the_same_replies(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "replies"), pytest.raises(RunBusy):
        ask(RuleModel(str), tmp_path, "a")


def test_half_a_surrogate_pair_in_a_reply_can_be_kept(tmp_path: Path) -> None:
    assert ask(RuleModel(lambda _: "a\ud800b"), tmp_path, "x") == [("a?b", None)]


def test_a_model_in_bulk_cannot_be_asked() -> None:
    with pytest.raises(BadSettings, match="in bulk"):
        open_model("batch/gpt-4.1-mini", None, environ={})
