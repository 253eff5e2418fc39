"""The Batch API judge against an endpoint on 127.0.0.1: results, failures, and being killed."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from batch_endpoint import (
    HANG_UP_AFTER,
    HANG_UP_BEFORE,
    BatchEndpoint,
    Reaction,
    answered,
    failure,
    refused,
)
from inference_fixtures import write_items

from inference.errors import JudgeUnavailable, MissingKey
from inference.experiments import load_experiment
from inference.items import Speech
from inference.judges import make_judge
from inference.judges.base import ERROR_KINDS, Reply, Request
from inference.judges.batch_notes import packed, unpacked
from inference.kinds import KIND
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.runner import RunSummary, run
from inference.templates import load_template

CANARY = "sk-canary-0123456789abcdef"
ENVIRON = {"OPENAI_API_KEY": CANARY}
TEMPLATE = load_template("speech_score")


@pytest.fixture
def endpoint() -> Iterator[BatchEndpoint]:
    server = BatchEndpoint()
    yield server
    server.close()


class Requests(Mapping[str, Request]):
    """Requests that are made when they are read, and counted."""

    def __init__(self, ids: Sequence[str], decoding: Mapping[str, Any] | None = None) -> None:
        self._ids = dict.fromkeys(ids)
        self._decoding = {"temperature": 0.0, "max_tokens": 9} if decoding is None else decoding
        self.made: Counter[str] = Counter()

    def __getitem__(self, request_id: str) -> Request:
        if request_id not in self._ids:
            raise KeyError(request_id)
        self.made[request_id] += 1
        item = Speech("d", f"d:{request_id}", "h", "motion", "text", 1, "quality", "?", 1, 5)
        return Request(
            KIND["speech"],
            item,
            item.rating,
            TEMPLATE,
            0,
            f"prompt of {request_id}",
            self._decoding,
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class Journal:
    """Notes and answers as lines of one file, on the disk before anyone goes on."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        whole = self.path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in whole]

    def read(self) -> Sequence[Mapping[str, Any]]:
        return [line for line in self.lines() if line["kind"] == "batch"]

    async def write(self, note: Mapping[str, Any]) -> None:
        assert note["kind"] == "batch"
        self.append(note)

    def append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def answered(self) -> list[str]:
        return [line["id"] for line in self.lines() if line["kind"] == "answer"]

    def states(self) -> list[str]:
        return [line["state"] for line in self.lines() if line["kind"] == "batch"]


def spec(endpoint: BatchEndpoint, tmp_path: Path, **settings: Any) -> JudgeSpec:
    path = tmp_path / "judges.toml"
    base = {"base_url": endpoint.url, "max_retries": 2, "poll_s": 0.01}
    path.write_text(add_judge_text("", "batch/m", {**base, **settings}))
    return spec_for("batch/m", path, {})


def start(
    judge_spec: JudgeSpec, journal: Journal, ids: Sequence[str], **decoding: Any
) -> dict[str, Reply]:
    """Do what a runner does at a start: ask for what has no answer, and keep each answer."""
    done = set(journal.answered())
    requests = Requests([each for each in ids if each not in done], decoding or None)
    replies: dict[str, Reply] = {}

    async def run() -> None:
        async with make_judge(judge_spec, None, ENVIRON) as judge:
            async for request_id, reply in judge.ask_many(requests, journal):  # type: ignore[attr-defined]
                assert request_id in requests
                assert request_id not in replies
                replies[request_id] = reply
                if reply.error_kind is None:
                    journal.append({"kind": "answer", "id": request_id, "text": reply.response})

    asyncio.run(run())
    return replies


def ids(count: int) -> list[str]:
    return [f"r{number:03}" for number in range(count)]


def test_every_request_is_answered_once_with_its_own_reply(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(5))
    assert replies == {
        each: Reply(
            response=f"prompt of {each}",
            finish_reason="stop",
            tokens_in=1000,
            tokens_out=10,
            model_version="m-2025",
        )
        for each in ids(5)
    }
    assert journal.states() == ["intent", "uploaded", "submitted", "collected"]
    assert len(endpoint.created) == 1
    assert endpoint.bodies(endpoint.created[0])["r003"] == {
        "model": "m",
        "messages": [{"role": "user", "content": "prompt of r003"}],
        "temperature": 0.0,
        "max_tokens": 9,
    }
    assert endpoint.keys == {f"Bearer {CANARY}"}


def test_an_answered_run_asks_the_endpoint_for_nothing(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    start(spec(endpoint, tmp_path), journal, ids(3))
    calls = len(endpoint.calls)
    assert start(spec(endpoint, tmp_path), journal, ids(3)) == {}
    assert len(endpoint.calls) == calls


def test_a_price_that_comes_in_halved_is_not_halved_again(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    prices = {"usd_per_million_tokens_in": 2.0, "usd_per_million_tokens_out": 10.0}
    replies = start(spec(endpoint, tmp_path, **prices), Journal(tmp_path / "journal"), ids(1))
    # 1,000 tokens at 2 and 10 tokens at 10 dollars a million
    assert replies["r000"].cost_usd == pytest.approx(2.1e-3)


def test_requests_over_the_limits_go_in_several_batches_at_once(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path, max_batch_requests=4), journal, ids(10))
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(10)]
    assert [len(endpoint.bodies(batch)) for batch in endpoint.created] == [4, 4, 2]
    creations = [at for at, call in enumerate(endpoint.calls) if call == ("POST", "/v1/batches")]
    first_look = next(at for at, (_, path) in enumerate(endpoint.calls) if "/batches/" in path)
    assert max(creations) < first_look


def test_no_file_is_larger_than_it_may_be(endpoint: BatchEndpoint, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    start(spec(endpoint, tmp_path, max_batch_bytes=1000), journal, ids(20))
    sizes = [len(endpoint.files[batch["input_file_id"]]) for batch in endpoint.created]
    assert max(sizes) <= 1000
    assert len(sizes) > 2
    assert len(journal.answered()) == 20


def test_a_request_that_fits_into_no_file_is_an_error_and_stops_no_other(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    class OneIsLong(Requests):
        def __getitem__(self, request_id: str) -> Request:
            request = super().__getitem__(request_id)
            prompt = "long " * 500 if request_id == "r001" else request.prompt
            return Request(**{**vars(request), "prompt": prompt})

    async def run() -> dict[str, Reply]:
        judge_spec = spec(endpoint, tmp_path, max_batch_bytes=1000)
        async with make_judge(judge_spec, None, ENVIRON) as judge:
            answers = judge.ask_many(OneIsLong(ids(3)), Journal(tmp_path / "journal"))  # type: ignore[attr-defined]
            return {name: reply async for name, reply in answers}

    replies = asyncio.run(run())
    assert replies["r001"].error_kind == "bad_request"
    assert "over max_batch_bytes, 1000" in (replies["r001"].error or "")
    assert replies["r000"].error_kind is replies["r002"].error_kind is None


def test_failed_lines_have_their_kind_and_the_others_their_answers(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    failures = {
        "r000": refused("r000", 400, "maximum context length is 8", code="context_length_exceeded"),
        "r001": refused("r001", 429, "slow down"),
        "r002": refused("r002", 500, f"oops {CANARY}"),
        "r003": refused("r003", 400, "blocked", code="content_filter"),
        "r004": refused("r004", 400, "your prompt is odd"),
        "r005": {"custom_id": "r005", "response": None, "error": {"code": "batch_expired"}},
        "r006": {"custom_id": "r006", "response": None, "error": {"code": "x", "message": "hm"}},
        "r007": {"custom_id": "r007"},
        "r008": {"custom_id": "r008", "response": {"status_code": 200, "body": {"choices": []}}},
        "r009": {"custom_id": "r009", "response": {"status_code": 200, "body": "<html>"}},
        "r010": {"custom_id": "r010", "response": {"status_code": "200", "body": {}}},
        "r011": {"custom_id": "r011", "response": {"status_code": 404, "body": []}},
        "r012": None,
    }
    endpoint.answer = lambda name, body: failures.get(name, answered(name, body))
    replies = start(spec(endpoint, tmp_path), Journal(tmp_path / "journal"), ids(14))
    assert [replies[each].error_kind for each in ids(14)] == [
        "context_overflow",
        "rate_limited",
        "server",
        "filtered",
        "bad_request",
        "expired",
        "server",
        "server",
        "empty_choices",
        "malformed",
        "server",
        "bad_request",
        "server",
        None,
    ]
    assert all(reply.error_kind in (*ERROR_KINDS, None) for reply in replies.values())
    assert CANARY not in str(replies)
    assert replies["r004"].error == "your prompt is odd"


def test_strange_lines_are_counted_and_change_nothing(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    def spoil(batch: dict[str, Any]) -> None:
        strange = [
            answered("nobody", {"messages": [{"content": "x"}]}),
            answered("r001", {"messages": [{"content": "another reply"}]}),
            refused("r000", 500, "oops"),
        ]
        text = b"".join(json.dumps(line).encode() + b"\n" for line in strange)
        endpoint.files[batch["output_file_id"]] += text + b'[1]\n{"custom_id": 4}\n\n{torn'

    endpoint.finish = spoil
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(2))
    assert [reply.response for reply in replies.values()] == ["prompt of r000", "prompt of r001"]
    last = journal.read()[-1]
    assert (last["unknown"], last["repeated"], last["damaged"]) == (1, 2, 3)


def test_what_an_expired_batch_finished_is_kept_and_the_rest_asked_again_by_the_next_start(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    endpoint.ends_as = "expired"
    endpoint.answer = lambda name, body: answered(name, body) if name < "r002" else None
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(4))
    assert [replies[each].error_kind for each in ids(4)] == [None, None, "expired", "expired"]
    assert len(endpoint.created) == 1
    endpoint.ends_as, endpoint.answer = "completed", answered
    assert set(start(spec(endpoint, tmp_path), journal, ids(4))) == {"r002", "r003"}
    assert sorted(journal.answered()) == ids(4)
    assert len(endpoint.created) == 2


def test_a_refused_parameter_is_left_out_of_a_second_batch_and_recorded(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    def answer(name: str, body: dict[str, Any]) -> dict[str, Any]:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return refused(name, 400, words, code="unsupported_parameter", param="max_tokens")
        if "temperature" in body and name != "r000":
            words = "Unsupported value: 'temperature' does not support 0.0"
            return refused(name, 400, words, code="unsupported_value", param="temperature")
        return answered(name, body)

    endpoint.answer = answer
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(3))
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(3)]
    assert replies["r000"].omitted_parameters == ("max_tokens",)
    assert replies["r001"].omitted_parameters == ("max_tokens", "temperature")
    assert [len(endpoint.bodies(batch)) for batch in endpoint.created] == [3, 3, 2]
    assert endpoint.bodies(endpoint.created[2])["r001"]["max_completion_tokens"] == 9
    # The next start knows from the notes.
    start(spec(endpoint, tmp_path), journal, ids(4))
    assert len(endpoint.created) == 4
    assert "temperature" not in endpoint.bodies(endpoint.created[3])["r003"]


def test_a_complaint_about_length_is_never_met_by_leaving_the_length_out(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    endpoint.answer = lambda name, _: refused(name, 400, "max_tokens is too large: 9")
    replies = start(spec(endpoint, tmp_path), Journal(tmp_path / "journal"), ids(2))
    assert {reply.error_kind for reply in replies.values()} == {"bad_request"}
    assert len(endpoint.created) == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "token_limit_exceeded", "message": "Enqueued token limit"}, "rate_limited"),
        ({"code": "model_not_found", "message": "no model m"}, "bad_request"),
        ({"message": f"billing hard limit {CANARY}"}, "billing"),
        (None, "bad_request"),
    ],
)
def test_a_batch_that_fails_as_a_whole_fails_every_request(
    endpoint: BatchEndpoint, tmp_path: Path, error: dict[str, Any] | None, kind: str
) -> None:
    endpoint.ends_as = "failed"
    endpoint.finish = lambda batch: batch.update(errors={"data": [error] if error else []})
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(2))
    assert [reply.error_kind for reply in replies.values()] == [kind, kind]
    assert journal.states()[-1] == "failed"
    assert CANARY not in journal.path.read_text() + str(replies)
    endpoint.ends_as, endpoint.finish = "completed", lambda _: None
    start(spec(endpoint, tmp_path), journal, ids(2))
    assert sorted(journal.answered()) == ids(2)


def test_batches_over_what_the_account_can_queue_are_sent_one_after_the_other(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    def queue_four(batch: dict[str, Any]) -> None:
        queued = [each for each in endpoint.created if each["status"] in ("in_progress", "queued")]
        if sum(len(endpoint.bodies(each)) for each in queued) + len(endpoint.bodies(batch)) > 4:
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            batch.update(status="failed", errors={"data": [error]})

    endpoint.finish = queue_four
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path, max_batch_requests=4), journal, ids(10))
    assert sorted(replies) == sorted(journal.answered()) == ids(10)
    assert Counter(batch["status"] for batch in endpoint.created)["completed"] == 3
    # One batch alone that is too large never fits, and says what to do.
    too_large = Journal(tmp_path / "too large")
    replies = start(spec(endpoint, tmp_path), too_large, ids(5))
    assert {reply.error_kind for reply in replies.values()} == {"rate_limited"}
    assert "max_batch_requests" in (replies["r000"].error or "")
    assert too_large.states().count("intent") == 2


def test_a_batch_refused_for_a_parameter_is_sent_again_without_it(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    def refuse(batch: dict[str, Any]) -> None:
        if "temperature" in next(iter(endpoint.bodies(batch).values())):
            error = {"code": "unsupported_parameter", "param": "temperature", "message": "no"}
            batch.update(status="failed", errors={"data": [error]})

    endpoint.finish = refuse
    replies = start(spec(endpoint, tmp_path), Journal(tmp_path / "journal"), ids(2))
    assert [reply.omitted_parameters for reply in replies.values()] == [("temperature",)] * 2


PASSING: list[Reaction] = [
    failure(500, "oops"),
    failure(503, "busy"),
    failure(429, "slow down", {"Retry-After": "0"}),
    HANG_UP_BEFORE,
    HANG_UP_AFTER,
    (200, {"Content-Type": "text/html"}, b"<html>"),
    (200, {}, b"{"),
    (200, {}, b"{}"),
    (200, {"Content-Length": "9999"}, b'{"id": "batch'),
]


@pytest.mark.parametrize("reaction", PASSING)
def test_what_may_pass_is_survived_at_every_step_and_nothing_is_created_twice(
    endpoint: BatchEndpoint, tmp_path: Path, reaction: Reaction
) -> None:
    # Each of the endpoint's five functions fails when it is used for the first time.
    failed: set[str] = set()

    def fail_once(method: str, path: str, number: int) -> Reaction | None:
        step = method + path.rstrip("0123456789")
        if step in failed:
            return None
        failed.add(step)
        is_text = reaction[0] == 200 and "Content-Length" not in reaction[1]
        # Where any text is a file, it is no failure of the endpoint's.
        return None if "content" in path and is_text else reaction

    endpoint.intervene = fail_once
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(3))
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(3)]
    assert len(endpoint.created) == 1
    assert len(failed) >= 4


def test_polling_survives_more_failures_than_other_steps_do(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    endpoint.intervene = lambda _, path, number: (
        failure(500, "oops") if "/batches/" in path and number < 12 else None
    )
    replies = start(spec(endpoint, tmp_path, max_retries=0), Journal(tmp_path / "journal"), ids(1))
    assert replies["r000"].error_kind is None


@pytest.mark.parametrize("step", ["/v1/files", "/v1/batches", "/v1/batches/batch-0"])
@pytest.mark.parametrize("status", [401, 403, 402])
def test_a_refused_key_or_bill_names_the_variable_and_never_the_key(
    endpoint: BatchEndpoint, tmp_path: Path, step: str, status: int
) -> None:
    endpoint.intervene = lambda _, path, __: (
        failure(status, f"Incorrect key {CANARY}") if path == step else None
    )
    journal = Journal(tmp_path / "journal")
    with pytest.raises(JudgeUnavailable, match="OPENAI_API_KEY") as caught:
        start(spec(endpoint, tmp_path), journal, ids(2))
    assert CANARY not in str(caught.value) + journal.path.read_text()
    endpoint.intervene = lambda *_: None
    start(spec(endpoint, tmp_path), journal, ids(2))
    assert sorted(journal.answered()) == ids(2)
    assert len(endpoint.created) == 1


def test_a_refused_file_does_not_block_the_next_start(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    endpoint.intervene = lambda method, path, _: (
        failure(400, "invalid file") if (method, path) == ("POST", "/v1/batches") else None
    )
    with pytest.raises(JudgeUnavailable, match="invalid file"):
        start(spec(endpoint, tmp_path), journal, ids(2))
    endpoint.intervene = lambda *_: None
    start(spec(endpoint, tmp_path), journal, ids(2))
    assert sorted(journal.answered()) == ids(2)


def test_an_endpoint_out_of_reach_is_given_up_and_gone_on_with_later(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    endpoint.intervene = lambda method, *_: HANG_UP_BEFORE
    with pytest.raises(JudgeUnavailable, match="3 attempts"):
        start(spec(endpoint, tmp_path), journal, ids(2))
    endpoint.intervene = lambda *_: None
    start(spec(endpoint, tmp_path), journal, ids(2))
    assert len(endpoint.created) == 1


def test_without_its_key_nothing_is_sent(endpoint: BatchEndpoint, tmp_path: Path) -> None:
    async def open_judge() -> None:
        async with make_judge(spec(endpoint, tmp_path), None, {}):
            pass

    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        asyncio.run(open_judge())
    assert endpoint.calls == []


def test_results_that_are_gone_are_asked_for_again(endpoint: BatchEndpoint, tmp_path: Path) -> None:
    endpoint.finish = lambda batch: batch.update(output_file_id="gone")
    journal = Journal(tmp_path / "journal")
    replies = start(spec(endpoint, tmp_path), journal, ids(1))
    assert replies["r000"].error_kind == "server"
    endpoint.finish = lambda _: None
    start(spec(endpoint, tmp_path), journal, ids(1))
    assert journal.answered() == ids(1)


def test_a_batch_that_is_not_known_everywhere_yet_is_waited_for(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    endpoint.intervene = lambda _, path, number: (
        failure(404, "no such batch") if "/batches/" in path and number < 6 else None
    )
    start(spec(endpoint, tmp_path), Journal(tmp_path / "journal"), ids(1))
    assert len(endpoint.created) == 1


def test_a_batch_nobody_knows_is_never_submitted_anew(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    endpoint.intervene = lambda _, path, __: (
        failure(404, "no such batch") if "/batches/" in path else None
    )
    for _ in range(2):
        with pytest.raises(JudgeUnavailable, match="batch-0"):
            start(spec(endpoint, tmp_path), journal, ids(2))
    assert len(endpoint.created) == 1


def test_answers_left_out_of_a_smaller_start_are_there_for_a_larger_one(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    judge_spec, journal = spec(endpoint, tmp_path), Journal(tmp_path / "journal")
    endpoint.intervene = lambda _, path, __: failure(401, "x") if "/batches/" in path else None
    with pytest.raises(JudgeUnavailable):
        start(judge_spec, journal, ids(9))
    endpoint.intervene = lambda *_: None
    assert set(start(judge_spec, journal, ids(2))) == set(ids(2))
    assert set(start(judge_spec, journal, ids(5))) == set(ids(5)[2:])
    assert set(start(judge_spec, journal, ids(9))) == set(ids(9)[5:])
    assert len(endpoint.created) == 1
    assert "unknown" not in str(journal.read())


def test_a_start_that_wants_nothing_of_a_batch_leaves_it_alone(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    judge_spec, journal = spec(endpoint, tmp_path), Journal(tmp_path / "journal")
    endpoint.intervene = lambda _, path, __: failure(401, "x") if "/batches/" in path else None
    with pytest.raises(JudgeUnavailable):
        start(judge_spec, journal, ids(2))
    endpoint.intervene = lambda *_: None
    start(judge_spec, journal, ["another"])
    assert endpoint.created[0]["looks"] == 0
    start(judge_spec, journal, ids(2))
    assert len(endpoint.created) == 2


def test_cancelling_leaves_the_batch_running_and_the_next_start_waits_for_it(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    judge_spec, journal = spec(endpoint, tmp_path), Journal(tmp_path / "journal")
    endpoint.done_after = 10**9

    async def cancelled_start() -> None:
        async with make_judge(judge_spec, None, ENVIRON) as judge:
            answers = judge.ask_many(Requests(ids(3)), journal)  # type: ignore[attr-defined]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(answers), 0.5)

    asyncio.run(cancelled_start())
    assert journal.states() == ["intent", "uploaded", "submitted"]
    assert endpoint.created[0]["status"] == "in_progress"
    assert not [path for _, path in endpoint.calls if "cancel" in path]
    endpoint.done_after = 1
    start(judge_spec, journal, ids(3))
    assert sorted(journal.answered()) == ids(3)
    assert len(endpoint.created) == 1


def test_no_prompt_is_held_in_memory_and_each_is_made_twice_at_most(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    requests = Requests(ids(50))

    async def run() -> None:
        async with make_judge(spec(endpoint, tmp_path), None, ENVIRON) as judge:
            async for _ in judge.ask_many(requests, Journal(tmp_path / "journal")):  # type: ignore[attr-defined]
                pass

    asyncio.run(run())
    # Once for the file, once for reading its result.
    assert set(requests.made.values()) == {2}
    assert "prompt" not in (tmp_path / "journal").read_text()


def test_marks_stand_for_ids_and_can_be_told_apart() -> None:
    assert len(unpacked(packed(ids(1000)))) == 1000
    assert unpacked(packed(["a", "b"])) == unpacked(packed(["b", "a"])) != unpacked(packed(["a"]))
    assert unpacked("") == frozenset()


class KilledJournal(Journal):
    """Kills its own process before or after its n-th line is on the disk."""

    def __init__(self, path: Path, place: int) -> None:
        super().__init__(path)
        self._place = place

    def _step(self) -> None:
        self._place -= 1
        if self._place < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def append(self, line: Mapping[str, Any]) -> None:
        self._step()
        super().append(line)
        self._step()


def in_child(judge_spec: JudgeSpec, journal: Journal, count: int) -> Any:
    """Start in a process of its own that can be killed."""
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=start, args=(judge_spec, journal, ids(count)))
    child.start()
    return child


def check(endpoint: BatchEndpoint, journal: Journal, count: int, batches: int) -> None:
    assert sorted(journal.answered()) == ids(count)
    assert len(endpoint.created) == batches
    sent = Counter(name for batch in endpoint.created for name in endpoint.bodies(batch))
    assert sent == Counter(ids(count))


@pytest.mark.slow
@pytest.mark.faults
def test_killed_around_any_line_of_the_journal_it_answers_all_once_from_one_batch_a_chunk(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    judge_spec = spec(endpoint, tmp_path, max_batch_requests=3)
    killed = 0
    for place in range(100):
        endpoint.created.clear()
        endpoint.files.clear()
        path = tmp_path / f"journal-{place}"
        child = in_child(judge_spec, KilledJournal(path, place), 5)
        child.join(60)
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        killed += 1
        start(judge_spec, Journal(path), ids(5))
        check(endpoint, Journal(path), 5, 2)
    # Two chunks of four notes each, and five answers; before and after each.
    assert killed == 2 * (2 * 4 + 5)


@pytest.mark.slow
@pytest.mark.faults
def test_killed_around_any_request_to_the_endpoint_it_creates_no_batch_twice(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    judge_spec = spec(endpoint, tmp_path, max_batch_requests=3)
    for when in ("before", "after"):
        for place in range(1, 100):
            endpoint.created.clear()
            endpoint.files.clear()
            endpoint.calls.clear()
            children: list[Any] = []

            def kill(_: str, __: str, number: int) -> Reaction | None:
                if number != place:  # noqa: B023
                    return None
                os.kill(children[0].pid, signal.SIGKILL)  # noqa: B023
                children[0].join(60)  # noqa: B023
                return HANG_UP_BEFORE if when == "before" else HANG_UP_AFTER  # noqa: B023

            endpoint.intervene = kill
            journal = Journal(tmp_path / f"journal-{when}-{place}")
            children.append(in_child(judge_spec, journal, 5))
            children[0].join(60)
            endpoint.intervene = lambda *_: None
            if children[0].exitcode == 0:
                break
            start(judge_spec, journal, ids(5))
            check(endpoint, journal, 5, 2)
        # Two uploads, two creations, two looks at each, two downloads.
        assert place == 11


def test_a_whole_run_goes_on_after_a_stop_and_its_journal_holds_no_key(
    endpoint: BatchEndpoint, tmp_path: Path
) -> None:
    source = write_items(tmp_path / "items", 12)
    experiment = load_experiment("speech-score")
    judge_spec = spec(endpoint, tmp_path, max_batch_requests=5)

    def go() -> RunSummary:
        return run(
            experiment, judge_spec, [source], journal_root=tmp_path / "home", environ=ENVIRON
        )

    endpoint.answer = lambda name, body: answered(name, body, "<score>4</score>")
    endpoint.intervene = lambda _, path, __: (
        failure(401, f"no {CANARY}") if path.endswith("batch-1") else None
    )
    with pytest.raises(JudgeUnavailable, match="OPENAI_API_KEY"):
        go()
    endpoint.intervene = lambda *_: None
    summary = go()
    assert (summary.status, summary.unparsed, summary.cost_usd) == ("complete", {}, None)
    assert len(endpoint.created) == 3
    calls = len(endpoint.calls)
    assert go().already_answered == 12
    assert len(endpoint.calls) == calls
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert CANARY.encode() not in written

    # What the run holds can be played back, without the endpoint.
    judges_file = tmp_path / "judges.toml"
    folder = tmp_path / "home" / summary.run_ids[0]
    judges_file.write_text(add_judge_text("", "replay/m", {"file": str(folder)}))
    replay = spec_for("replay/m", judges_file, {})
    played = run(experiment, replay, [source], journal_root=tmp_path / "home", environ={})
    assert (played.status, played.answered, played.cost_usd) == ("complete", 12, 0.0)
