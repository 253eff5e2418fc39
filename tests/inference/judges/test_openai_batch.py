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
from inference_fixtures import CANARY, judge, speech_request, write_items
from inference_fixtures import KEY as ENVIRON

from inference.errors import ERROR_KINDS, JudgeUnavailable, MissingKey
from inference.experiments import load_experiment
from inference.judges import make_judge
from inference.judges.base import Reply
from inference.judges.batch.files import packed, unpacked
from inference.judges.request import Request
from inference.registry import JudgeSpec
from inference.runner import RunSummary, run


class Requests(Mapping[str, Request]):
    def __init__(self, ids: Sequence[str], long: Sequence[str] = ()) -> None:
        self._ids = dict.fromkeys(ids)
        self._long = long
        self.made: Counter[str] = Counter()

    def __getitem__(self, request_id: str) -> Request:
        if request_id not in self._ids:
            raise KeyError(request_id)
        self.made[request_id] += 1
        prompt = "long " * 500 if request_id in self._long else f"prompt of {request_id}"
        decoding = {"temperature": 0.0, "max_tokens": 9}
        return speech_request(prompt, item_id=f"d:{request_id}", decoding=decoding)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class Journal:
    """Notes and answers as lines of one file, on the disk before anyone goes on.

    One that is given a place kills its own process before or after its line of that number is on
    the disk.
    """

    def __init__(self, path: Path, place: int | None = None) -> None:
        self.path = path
        self._place = place

    def lines(self, kind: str) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        whole = map(json.loads, self.path.read_bytes().split(b"\n")[:-1])
        return [line for line in whole if line["kind"] == kind]

    def read(self) -> Sequence[Mapping[str, Any]]:
        return self.lines("batch")

    async def write(self, note: Mapping[str, Any]) -> None:
        assert note["kind"] == "batch"
        self.append(note)

    def append(self, line: Mapping[str, Any]) -> None:
        self._step()
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._step()

    def _step(self) -> None:
        if self._place is not None:
            self._place -= 1
            if self._place < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def answered(self) -> list[str]:
        return [line["id"] for line in self.lines("answer")]

    def states(self) -> list[str]:
        return [line["state"] for line in self.lines("batch")]


class Bench:
    def __init__(self, endpoint: BatchEndpoint, folder: Path) -> None:
        self.endpoint = endpoint
        self.folder = folder
        self.journal = Journal(folder / "journal")
        self.set()

    def set(self, **settings: Any) -> None:
        base = {"base_url": self.endpoint.url, "max_retries": 2, "poll_s": 0.01}
        self.spec: JudgeSpec = judge(self.folder, "batch/m", **{**base, **settings})

    def ask(self, requests: Requests, journal: Journal | None = None) -> dict[str, Reply]:
        journal = journal or self.journal
        wanted, replies = set(requests), dict[str, Reply]()

        async def asked() -> None:
            async with make_judge(self.spec, None, ENVIRON) as made:
                async for request_id, reply in made.ask_many(requests, journal):  # type: ignore[attr-defined]
                    assert request_id in wanted
                    assert request_id not in replies
                    replies[request_id] = reply
                    if reply.error_kind is None:
                        journal.append({"kind": "answer", "id": request_id})

        asyncio.run(asked())
        return replies

    def start(
        self, wanted: int | Sequence[str], journal: Journal | None = None
    ) -> dict[str, Reply]:
        journal = journal or self.journal
        names = ids(wanted) if isinstance(wanted, int) else wanted
        done = set(journal.answered())
        return self.ask(Requests([each for each in names if each not in done]), journal)

    def goes_on(self, count: int, batches: int) -> None:
        self.endpoint.intervene = lambda *_: None
        self.endpoint.ends_as, self.endpoint.finish = "completed", lambda _: None
        self.endpoint.answer = answered
        self.start(count)
        assert sorted(self.journal.answered()) == ids(count)
        assert len(self.endpoint.created) == batches

    def at(self, words: str, reaction: Reaction) -> None:
        self.endpoint.intervene = lambda _, path, __: reaction if words in path else None


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    endpoint = BatchEndpoint()
    yield Bench(endpoint, tmp_path)
    endpoint.close()


def ids(count: int) -> list[str]:
    return [f"r{number:03}" for number in range(count)]


def test_every_request_is_answered_once_with_its_own_reply(bench: Bench) -> None:
    endpoint = bench.endpoint
    assert bench.start(5) == {
        each: Reply(
            response=f"prompt of {each}",
            finish_reason="stop",
            tokens_in=1000,
            tokens_out=10,
            model_version="m-2025",
        )
        for each in ids(5)
    }
    assert bench.journal.states() == ["intent", "uploaded", "submitted", "collected"]
    assert len(endpoint.created) == 1
    assert endpoint.bodies(endpoint.created[0])["r003"] == {
        "model": "m",
        "messages": [{"role": "user", "content": "prompt of r003"}],
        "temperature": 0.0,
        "max_tokens": 9,
    }
    assert endpoint.keys == {f"Bearer {CANARY}"}
    # What is answered asks the endpoint for nothing.
    calls = len(endpoint.calls)
    assert bench.start(5) == {}
    assert len(endpoint.calls) == calls


def test_requests_over_the_limits_go_in_several_batches_at_once(bench: Bench) -> None:
    bench.set(max_batch_requests=4)
    endpoint, replies = bench.endpoint, bench.start(10)
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(10)]
    assert [len(endpoint.bodies(batch)) for batch in endpoint.created] == [4, 4, 2]
    creations = [at for at, call in enumerate(endpoint.calls) if call == ("POST", "/v1/batches")]
    first_look = next(at for at, (_, path) in enumerate(endpoint.calls) if "/batches/" in path)
    assert max(creations) < first_look


def test_batch_files_keep_to_the_limit_and_one_oversized_request_fails(bench: Bench) -> None:
    bench.set(max_batch_bytes=1000)
    replies = bench.ask(Requests(ids(20), long=["r001"]))
    endpoint = bench.endpoint
    sizes = [len(endpoint.files[batch["input_file_id"]]) for batch in endpoint.created]
    assert max(sizes) <= 1000
    assert len(sizes) > 2
    failed = replies.pop("r001")
    assert failed.error_kind == "bad_request"
    assert "over max_batch_bytes, 1000" in (failed.error or "")
    assert len(replies) == len(bench.journal.answered()) == 19


# What becomes of a request, by its result line.
LINES = [
    ("context_overflow", (400, "maximum context length is 8", "context_length_exceeded")),
    ("rate_limited", (429, "slow down", None)),
    ("server", (500, f"oops {CANARY}", None)),
    ("filtered", (400, "blocked", "content_filter")),
    ("bad_request", (400, "your prompt is odd", None)),
    ("expired", {"response": None, "error": {"code": "batch_expired"}}),
    ("server", {"response": None, "error": {"code": "x", "message": "hm"}}),
    ("server", {}),
    ("empty_choices", {"response": {"status_code": 200, "body": {"choices": []}}}),
    ("malformed", {"response": {"status_code": 200, "body": "<html>"}}),
    ("server", {"response": {"status_code": "200", "body": {}}}),
    ("bad_request", {"response": {"status_code": 404, "body": []}}),
    ("server", None),
]


def test_failed_lines_have_their_kind_and_the_others_their_answers(bench: Bench) -> None:
    def answer(name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        line = dict(zip(ids(13), LINES, strict=True)).get(name, ("", answered(name, body)))[1]
        if isinstance(line, tuple):
            status, message, code = line
            return refused(name, status, message, code=code)
        return line if line is None else {"custom_id": name, **line}

    bench.endpoint.answer = answer
    replies = bench.start(14)
    assert [replies[each].error_kind for each in ids(14)] == [*(kind for kind, _ in LINES), None]
    assert all(reply.error_kind in (*ERROR_KINDS, None) for reply in replies.values())
    assert CANARY not in str(replies)
    assert replies["r004"].error == "your prompt is odd"


def test_strange_lines_are_counted_and_change_nothing(bench: Bench) -> None:
    def spoil(batch: dict[str, Any]) -> None:
        strange = [
            answered("nobody", {"messages": [{"content": "x"}]}),
            answered("r001", {"messages": [{"content": "another reply"}]}),
            refused("r000", 500, "oops"),
        ]
        text = b"".join(json.dumps(line).encode() + b"\n" for line in strange)
        files = bench.endpoint.files
        files[batch["output_file_id"]] += text + b'[1]\n{"custom_id": 4}\n\n{torn'

    bench.endpoint.finish = spoil
    replies = bench.start(2)
    assert [reply.response for reply in replies.values()] == ["prompt of r000", "prompt of r001"]
    last = bench.journal.read()[-1]
    assert (last["unknown"], last["repeated"], last["damaged"]) == (1, 2, 3)


def test_an_expired_batch_keeps_its_answers_and_the_next_start_asks_the_rest(bench: Bench) -> None:
    bench.endpoint.ends_as = "expired"
    bench.endpoint.answer = lambda name, body: answered(name, body) if name < "r002" else None
    replies = bench.start(4)
    assert [replies[each].error_kind for each in ids(4)] == [None, None, "expired", "expired"]
    assert len(bench.endpoint.created) == 1
    bench.goes_on(4, batches=2)
    assert set(bench.endpoint.bodies(bench.endpoint.created[1])) == {"r002", "r003"}


def test_a_refused_parameter_is_left_out_of_a_second_batch_and_recorded(bench: Bench) -> None:
    def answer(name: str, body: dict[str, Any]) -> dict[str, Any]:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return refused(name, 400, words, code="unsupported_parameter", param="max_tokens")
        if "temperature" in body and name != "r000":
            words = "Unsupported value: 'temperature' does not support 0.0"
            return refused(name, 400, words, code="unsupported_value", param="temperature")
        return answered(name, body)

    endpoint = bench.endpoint
    endpoint.answer = answer
    replies = bench.start(3)
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(3)]
    assert replies["r000"].omitted_parameters == ("max_tokens",)
    assert replies["r001"].omitted_parameters == ("max_tokens", "temperature")
    assert [len(endpoint.bodies(batch)) for batch in endpoint.created] == [3, 3, 2]
    assert endpoint.bodies(endpoint.created[2])["r001"]["max_completion_tokens"] == 9
    # The next start knows from the notes.
    bench.start(4)
    assert len(endpoint.created) == 4
    assert "temperature" not in endpoint.bodies(endpoint.created[3])["r003"]


def test_a_complaint_about_length_is_never_met_by_leaving_the_length_out(bench: Bench) -> None:
    bench.endpoint.answer = lambda name, _: refused(name, 400, "max_tokens is too large: 9")
    assert {reply.error_kind for reply in bench.start(2).values()} == {"bad_request"}
    assert len(bench.endpoint.created) == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "token_limit_exceeded", "message": "Enqueued token limit"}, "rate_limited"),
        ({"code": "model_not_found", "message": "no model m"}, "bad_request"),
        ({"message": f"billing hard limit {CANARY}"}, "billing"),
        (None, "bad_request"),
    ],
)
def test_a_failed_batch_fails_every_request(
    bench: Bench, error: dict[str, Any] | None, kind: str
) -> None:
    bench.endpoint.ends_as = "failed"
    bench.endpoint.finish = lambda batch: batch.update(errors={"data": [error] if error else []})
    replies = bench.start(2)
    assert [reply.error_kind for reply in replies.values()] == [kind, kind]
    assert bench.journal.states()[-1] == "failed"
    assert CANARY not in bench.journal.path.read_text() + str(replies)
    # Where the account can queue no more, the batch was sent once more, alone.
    bench.goes_on(2, batches=len(bench.endpoint.created) + 1)


def test_batches_over_the_accounts_queue_limit_are_sent_in_turn(bench: Bench) -> None:
    endpoint = bench.endpoint

    def queue_four(batch: dict[str, Any]) -> None:
        queued = [each for each in endpoint.created if each["status"] in ("in_progress", "queued")]
        if sum(len(endpoint.bodies(each)) for each in queued) + len(endpoint.bodies(batch)) > 4:
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            batch.update(status="failed", errors={"data": [error]})

    endpoint.finish = queue_four
    bench.set(max_batch_requests=4)
    assert sorted(bench.start(10)) == sorted(bench.journal.answered()) == ids(10)
    assert Counter(batch["status"] for batch in endpoint.created)["completed"] == 3
    # One batch alone that is too large never fits, and says what to do.
    bench.set()
    too_large = Journal(bench.folder / "too large")
    replies = bench.start(5, too_large)
    assert {reply.error_kind for reply in replies.values()} == {"rate_limited"}
    assert "max_batch_requests" in (replies["r000"].error or "")
    assert too_large.states().count("intent") == 2


def test_a_batch_refused_for_a_parameter_is_sent_again_without_it(bench: Bench) -> None:
    def refuse(batch: dict[str, Any]) -> None:
        if "temperature" in next(iter(bench.endpoint.bodies(batch).values())):
            error = {"code": "unsupported_parameter", "param": "temperature", "message": "no"}
            batch.update(status="failed", errors={"data": [error]})

    bench.endpoint.finish = refuse
    omitted = [reply.omitted_parameters for reply in bench.start(2).values()]
    assert omitted == [("temperature",)] * 2


@pytest.mark.parametrize(
    "reaction",
    [
        failure(500, "oops"),
        failure(503, "busy"),
        failure(429, "slow down", {"Retry-After": "0"}),
        HANG_UP_BEFORE,
        HANG_UP_AFTER,
        (200, {"Content-Type": "text/html"}, b"<html>"),
        (200, {}, b"{"),
        (200, {}, b"{}"),
        (200, {"Content-Length": "9999"}, b'{"id": "batch'),
    ],
)
def test_transient_failures_at_any_step_create_nothing_twice(
    bench: Bench, reaction: Reaction
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

    bench.endpoint.intervene = fail_once
    replies = bench.start(3)
    assert [reply.response for reply in replies.values()] == [f"prompt of {r}" for r in ids(3)]
    assert len(bench.endpoint.created) == 1
    assert len(failed) >= 4


@pytest.mark.parametrize(
    ("status", "words", "calls"),
    # What was created a moment ago may not be known everywhere yet; a failure says even less.
    [(500, "oops", 12), (404, "no such batch", 6)],
)
def test_looking_at_a_batch_survives_more_failures_than_other_steps_do(
    bench: Bench, status: int, words: str, calls: int
) -> None:
    bench.set(max_retries=0)
    bench.endpoint.intervene = lambda _, path, number: (
        failure(status, words) if "/batches/" in path and number < calls else None
    )
    assert bench.start(1)["r000"].error_kind is None
    assert len(bench.endpoint.created) == 1


@pytest.mark.parametrize("step", ["/v1/files", "/v1/batches", "/v1/batches/batch-0"])
@pytest.mark.parametrize("status", [401, 403, 402])
def test_a_refused_key_or_bill_names_the_variable(bench: Bench, step: str, status: int) -> None:
    bench.endpoint.intervene = lambda _, path, __: (
        failure(status, f"Incorrect key {CANARY}") if path == step else None
    )
    with pytest.raises(JudgeUnavailable, match="OPENAI_API_KEY") as caught:
        bench.start(2)
    assert CANARY not in str(caught.value) + bench.journal.path.read_text()
    bench.goes_on(2, batches=1)


@pytest.mark.parametrize(
    ("call", "reaction", "words"),
    [
        (("POST", "/v1/batches"), failure(400, "invalid file"), "invalid file"),
        (None, HANG_UP_BEFORE, "3 attempts"),
    ],
)
def test_what_is_refused_or_out_of_reach_does_not_block_the_next_start(
    bench: Bench, call: tuple[str, str] | None, reaction: Reaction, words: str
) -> None:
    bench.endpoint.intervene = lambda method, path, _: (
        reaction if call in (None, (method, path)) else None
    )
    with pytest.raises(JudgeUnavailable, match=words):
        bench.start(2)
    bench.goes_on(2, batches=1)


def test_without_its_key_nothing_is_sent(bench: Bench) -> None:
    async def open_judge() -> None:
        async with make_judge(bench.spec, None, {}):
            pass

    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        asyncio.run(open_judge())
    assert bench.endpoint.calls == []


def test_results_that_are_gone_are_asked_for_again(bench: Bench) -> None:
    bench.endpoint.finish = lambda batch: batch.update(output_file_id="gone")
    assert bench.start(1)["r000"].error_kind == "server"
    bench.goes_on(1, batches=2)


def test_a_batch_nobody_knows_is_never_submitted_anew(bench: Bench) -> None:
    bench.at("/batches/", failure(404, "no such batch"))
    for _ in range(2):
        with pytest.raises(JudgeUnavailable, match="batch-0"):
            bench.start(2)
    assert len(bench.endpoint.created) == 1


def test_answers_left_out_of_a_smaller_start_are_there_for_a_larger_one(bench: Bench) -> None:
    bench.at("/batches/", failure(401, "x"))
    with pytest.raises(JudgeUnavailable):
        bench.start(9)
    # A start that wants nothing of the batch leaves it alone.
    bench.endpoint.intervene = lambda *_: None
    bench.start(["another"])
    assert bench.endpoint.created[0]["looks"] == 0
    assert set(bench.start(2)) == set(ids(2))
    assert set(bench.start(5)) == set(ids(5)[2:])
    assert set(bench.start(9)) == set(ids(9)[5:])
    assert len(bench.endpoint.created) == 2
    assert "unknown" not in str(bench.journal.read())


def test_cancelling_leaves_the_batch_running_and_the_next_start_waits_for_it(bench: Bench) -> None:
    endpoint = bench.endpoint
    endpoint.done_after = 10**9

    async def cancelled_start() -> None:
        async with make_judge(bench.spec, None, ENVIRON) as made:
            answers = made.ask_many(Requests(ids(3)), bench.journal)  # type: ignore[attr-defined]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(answers), 0.5)

    asyncio.run(cancelled_start())
    assert bench.journal.states() == ["intent", "uploaded", "submitted"]
    assert endpoint.created[0]["status"] == "in_progress"
    assert not [path for _, path in endpoint.calls if "cancel" in path]
    endpoint.done_after = 1
    bench.goes_on(3, batches=1)


def test_no_prompt_is_held_in_memory_and_each_is_made_twice_at_most(bench: Bench) -> None:
    requests = Requests(ids(50))
    bench.ask(requests)
    # Once for the file, once for reading its result.
    assert set(requests.made.values()) == {2}
    assert "prompt" not in bench.journal.path.read_text()


def test_marks_stand_for_ids_and_can_be_told_apart() -> None:
    assert len(unpacked(packed(ids(1000)))) == 1000
    assert unpacked(packed(["a", "b"])) == unpacked(packed(["b", "a"])) != unpacked(packed(["a"]))
    assert unpacked("") == frozenset()


def in_child(bench: Bench, journal: Journal, count: int) -> Any:
    child = multiprocessing.get_context("fork").Process(target=bench.start, args=(count, journal))
    child.start()
    return child


def goes_on_from(bench: Bench, journal: Journal, count: int, batches: int) -> None:
    bench.start(count, journal)
    assert sorted(journal.answered()) == ids(count)
    assert len(bench.endpoint.created) == batches
    bodies = bench.endpoint.bodies
    sent = Counter(name for batch in bench.endpoint.created for name in bodies(batch))
    assert sent == Counter(ids(count))


# Two requests make one batch; five make two, of which one may be whole when the other is cut off.
KILLED = pytest.mark.parametrize(
    ("count", "batches"), [(2, 1), pytest.param(5, 2, marks=[pytest.mark.soak, pytest.mark.slow])]
)


@pytest.mark.faults
@KILLED
def test_killed_around_any_line_of_the_journal_it_answers_all_once_from_one_batch_a_chunk(
    bench: Bench, count: int, batches: int
) -> None:
    bench.set(max_batch_requests=3)
    killed = 0
    for place in range(100):
        bench.endpoint.created.clear()
        bench.endpoint.files.clear()
        path = bench.folder / f"journal-{place}"
        child = in_child(bench, Journal(path, place), count)
        child.join(60)
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        killed += 1
        goes_on_from(bench, Journal(path), count, batches)
    # Four notes a chunk, and the answers; before and after each.
    assert killed == 2 * (batches * 4 + count)


@pytest.mark.faults
@KILLED
@pytest.mark.parametrize("reaction", [HANG_UP_BEFORE, HANG_UP_AFTER], ids=["before", "after"])
def test_killed_around_any_request_to_the_endpoint_it_creates_no_batch_twice(
    bench: Bench, reaction: Reaction, count: int, batches: int
) -> None:
    bench.set(max_batch_requests=3)
    endpoint = bench.endpoint
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
            return reaction

        endpoint.intervene = kill
        journal = Journal(bench.folder / f"journal-{place}")
        children.append(in_child(bench, journal, count))
        children[0].join(60)
        endpoint.intervene = lambda *_: None
        if children[0].exitcode == 0:
            break
        goes_on_from(bench, journal, count, batches)
    # Each batch has an upload, a creation, two looks and a download.
    assert place == batches * 5 + 1


def test_a_whole_run_goes_on_after_a_stop_and_its_journal_holds_no_key(bench: Bench) -> None:
    endpoint, folder = bench.endpoint, bench.folder
    source = write_items(folder / "items", 12)
    experiment = load_experiment("speech-score")
    bench.set(max_batch_requests=5)

    def go(spec: JudgeSpec = bench.spec) -> RunSummary:
        return run(experiment, spec, [source], journal_root=folder / "home", environ=ENVIRON)

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
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert CANARY.encode() not in written

    # What the run holds can be played back, without the endpoint.
    journal = folder / "home" / summary.run_ids[0]
    played = go(judge(folder, "replay/m", file=str(journal)))
    assert (played.status, played.answered, played.cost_usd) == ("complete", 12, 0.0)
