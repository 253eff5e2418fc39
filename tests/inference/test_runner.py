import json
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import inference_fixtures
import pytest
from inference_fixtures import (
    CANARY,
    KEY,
    SENTINEL,
    Reaction,
    Stub,
    answers,
    completion,
    failure,
    judge,
    lines,
    write_items,
)

from inference.errors import (
    BadItems,
    BadSettings,
    JournalWriteFailed,
    JudgeUnavailable,
    MissingKey,
    RunBusy,
    RunInterrupted,
)
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.journal import FILE_NAME, Journal
from inference.kinds.speeches import SpeechOptions
from inference.plan import plan_runs
from inference.prices import Spent, as_dollars
from inference.registry import JudgeSpec
from inference.runner import RunSummary
from inference.runs.history import own_answers
from inference.tally import Progress

EXPERIMENT = load_experiment("speech-score")


def model(tmp_path: Path, stub: Stub, **settings: Any) -> JudgeSpec:
    given = {"max_retries": 0, "concurrency": 4, **settings}
    return inference_fixtures.model(tmp_path, stub, **given)


def go(
    tmp_path: Path,
    spec: JudgeSpec,
    *sources: ItemSource,
    experiment: Experiment = EXPERIMENT,
    **more: Any,
) -> RunSummary:
    return inference_fixtures.go(tmp_path, experiment, spec, *sources, **more)


def test_a_run_writes_a_header_an_answer_per_item_and_an_end(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 12)
    summary = go(tmp_path, judge(tmp_path), source)
    assert (summary.status, summary.requests, summary.answered) == ("complete", 12, 12)
    assert (summary.errors, summary.unparsed, summary.cost_usd) == ({}, {}, 0.0)
    header, *body, end = lines(tmp_path)
    assert header["kind"] == "run"
    assert header["run_id"] == summary.run_ids[0]
    assert header["run_id"].startswith("speech-score--rule-length--")
    asked = {"experiment": "speech-score", "judge_id": "rule/length", "dataset_id": "made-up"}
    asked |= {"dimension": "goodopeningspeech", "planned": 12}
    assert asked.items() <= header.items()
    assert header["item_file"] == f"made-up/{source.items_file.name}"
    assert header["templates"][0]["wording"] == "equivalent"
    assert {line["item_id"] for line in body} == {f"made-up:{index:03}" for index in range(12)}
    assert {line["status"] for line in body} == {"answered"}
    columns = (
        "request_id item_id item_hash dataset_id dimension template wording prompt_hash sample"
    )
    columns += " response status error_kind error finish_reason tokens_in tokens_out latency_s"
    columns += " cost_usd answered_at scale_min scale_max"
    assert set(body[0]) >= set(columns.split())
    ended = {"kind": "end", "status": "complete", "answered": 12, "failed": 0}
    assert ended.items() <= end.items()


def test_running_again_asks_nothing_and_writes_nothing(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 6)
    go(tmp_path, model(tmp_path, stub), source)
    path = next((tmp_path / "journal").glob(f"*/{FILE_NAME}"))
    before = path.read_bytes()
    # Not even a key is needed when there is nothing to ask.
    again = go(tmp_path, model(tmp_path, stub), source, environ={})
    assert (again.status, again.answered, again.already_answered) == ("complete", 0, 6)
    assert path.read_bytes() == before
    assert len(stub.bodies) == 6


def test_a_larger_limit_continues_the_smaller_one(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 12)
    first = go(tmp_path, model(tmp_path, stub), source, limit=5)
    second = go(tmp_path, model(tmp_path, stub), source, limit=9)
    whole = go(tmp_path, model(tmp_path, stub), source)
    assert [s.answered for s in (first, second, whole)] == [5, 4, 3]
    assert first.run_ids == second.run_ids == whole.run_ids
    ids = [line["item_id"] for line in answers(tmp_path)]
    assert len(ids) == len(set(ids)) == 12
    assert ids != sorted(ids)
    assert [line["planned"] for line in lines(tmp_path) if line["kind"] == "run"] == [5, 9, 12]


def test_data_sets_have_a_run_each_and_share_the_limit(tmp_path: Path) -> None:
    sources = [write_items(tmp_path / "items", 10, dataset=name) for name in ("a", "b")]
    summary = go(tmp_path, judge(tmp_path), *sources, limit=12)
    assert summary.requests == 12
    assert len(summary.run_ids) == 2
    for run_id, dataset in zip(summary.run_ids, "ab", strict=True):
        assert {line["dataset_id"] for line in answers(tmp_path, run_id)} == {dataset}
    with pytest.raises(BadSettings, match="limit is 0"):
        go(tmp_path, judge(tmp_path), *sources, limit=0)


def test_repeats_and_dimensions_are_requests_of_their_own(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 3, dimensions=("clarity", "quality"))
    with pytest.raises(BadItems, match=r"no dimension 'goodopeningspeech'.*clarity, quality"):
        go(tmp_path, judge(tmp_path), source)
    with pytest.raises(BadItems, match="asks the same of each"):
        go(
            tmp_path,
            judge(tmp_path),
            source,
            experiment=replace(EXPERIMENT, options=SpeechOptions()),
        )
    experiment = replace(EXPERIMENT, repeats=2, options=SpeechOptions(dimension="quality"))
    assert go(tmp_path, judge(tmp_path), source, experiment=experiment).requests == 6
    keys = {(line["item_id"], line["sample"]) for line in answers(tmp_path)}
    assert len(keys) == 6
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "mine.txt").write_text("{question} {scale_min} to {scale_max}: {speech}")
    asking = replace(EXPERIMENT, name="asking", template="mine", options=SpeechOptions())
    summary = go(tmp_path, judge(tmp_path), source, experiment=asking, prompts_folder=prompts)
    found = answers(tmp_path, summary.run_ids[0])
    assert {(line["item_id"], line["dimension"]) for line in found} == {
        (f"made-up:{index:03}", dimension)
        for index in range(3)
        for dimension in ("clarity", "quality")
    }
    assert {line["wording"] for line in found} == {"custom"}


def test_a_data_set_without_the_dimension_is_left_out_unless_it_was_named(tmp_path: Path) -> None:
    fits = write_items(tmp_path / "items", 3, dataset="a")
    other = write_items(tmp_path / "items", 3, dataset="b", dimensions=("clarity",))
    summary = go(tmp_path, judge(tmp_path), fits, other)
    assert (len(summary.run_ids), summary.requests, summary.status) == (1, 3, "complete")
    named = replace(EXPERIMENT, datasets=("a", "b"))
    with pytest.raises(BadItems, match="'b' has no dimension"):
        go(tmp_path, judge(tmp_path), fits, other, experiment=named)
    with pytest.raises(BadItems, match="data set '\\*'"):
        go(tmp_path, judge(tmp_path))


def test_a_scale_the_prompt_does_not_offer_is_refused(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 3, scale=(0.0, 10.0))
    with pytest.raises(BadItems, match="from 0 to 10"):
        go(tmp_path, judge(tmp_path), source)


def test_equal_texts_are_answered_each(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 2, texts=["the same", "the same"])
    assert go(tmp_path, model(tmp_path, stub), source).answered == 2


def test_no_prompt_and_no_request_ever_holds_a_human_value(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 12)
    for name in ("speech-score", "speech-score-justified"):
        experiment = load_experiment(name)
        go(tmp_path, model(tmp_path, stub), source, experiment=experiment)
        for spec in (judge(tmp_path), judge(tmp_path, "simulated/faithful")):
            for plan in plan_runs(experiment, spec, [source]):
                assert all(str(SENTINEL) not in r.prompt for r in plan.requests.values())
    assert len(stub.bodies) == 24
    assert str(SENTINEL) not in json.dumps(stub.bodies)
    for path in (tmp_path / "journal").glob(f"*/{FILE_NAME}"):
        assert str(SENTINEL) not in path.read_text()


@pytest.mark.parametrize("judge_id", ["rule/length", "openai/a-model"])
def test_only_simulated_judges_read_references(tmp_path: Path, stub: Stub, judge_id: str) -> None:
    source = write_items(tmp_path / "items", 3)
    assert source.file("reference") is not None
    source.file("reference").write_text("not a parquet file")
    spec = model(tmp_path, stub) if judge_id.startswith("openai") else judge(tmp_path, judge_id)
    assert go(tmp_path, spec, source).status == "complete"
    with pytest.raises(BadItems):
        go(tmp_path, judge(tmp_path, "simulated/faithful"), source)


def test_failures_are_journalled_by_kind_and_asked_again(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 10)
    stub.react = lambda _, number: failure(500, "oops") if number <= 3 else completion()
    first = go(tmp_path, model(tmp_path, stub), source)
    assert (first.status, first.answered, first.errors) == ("partial", 7, {"server": 3})
    failed = [line for line in answers(tmp_path) if line["status"] == "error"]
    sent = failure(500, "oops")[2]
    assert {(line["error_kind"], line["response"]) for line in failed} == {("server", sent)}
    assert lines(tmp_path)[-1]["status"] == "partial"
    second = go(tmp_path, model(tmp_path, stub), source)
    assert (second.status, second.answered, second.errors) == ("complete", 3, {})
    answered = [line for line in answers(tmp_path) if line["status"] == "answered"]
    assert len({line["request_id"] for line in answered}) == len(answered) == 10


def test_unparsed_answers_are_answers_and_counted_by_reason(tmp_path: Path, stub: Stub) -> None:
    replies = ["<score>4</score>", "no idea", "<score>7</score>", "nothing"]
    stub.react = lambda _, number: completion(replies[number - 1])
    source = write_items(tmp_path / "items", 4)
    for _ in range(2):
        summary = go(tmp_path, model(tmp_path, stub), source)
        assert summary.status == "complete"
        assert summary.unparsed == {"no_score_tag": 2, "out_of_range": 1}


def test_progress_is_told_after_every_request(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, number: failure(500, "oops") if number == 1 else completion("?")
    seen: list[Progress] = []
    # One at a time, so that the failure is the first to be told.
    priced = model(
        tmp_path, stub, usd_per_million_tokens_in=1, usd_per_million_tokens_out=0, concurrency=1
    )
    go(tmp_path, priced, write_items(tmp_path / "items", 4), progress=seen.append)
    assert [progress.done for progress in seen] == [1, 2, 3, 4]
    last = seen[-1]
    assert (last.total, last.failed, last.unparsed) == (4, 1, 3)
    # Nobody says what the request cost that the endpoint failed on, so nobody knows the whole.
    assert [progress.cost_usd for progress in seen] == [None] * 4


def test_a_cost_is_known_where_that_of_every_request_sent_is(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, number: failure(500, "oops") if number == 1 else completion("?")
    priced = model(tmp_path, stub, usd_per_million_tokens_in=1, usd_per_million_tokens_out=0)
    source = write_items(tmp_path / "items", 4)
    first = go(tmp_path, priced, source)
    assert first.cost_usd is None
    assert str(first.spent) == "unknown, at least $0.00030 (known for 3 of 4 requests sent)"
    again = go(tmp_path, priced, source)
    assert (again.answered, again.cost_usd) == (1, pytest.approx(100e-6))
    nothing = go(tmp_path, priced, source)
    assert (nothing.answered, str(nothing.spent)) == (0, "$0.0000")


def test_an_unsent_request_does_not_make_an_unknown_cost_zero() -> None:
    spent = Spent()
    spent.add(0.0, attempts=0)
    for _ in range(59):
        spent.add(None, attempts=1)
    assert (spent.usd, str(spent)) == (None, "unknown")
    spent.add(0.1 + 0.2, attempts=1)
    assert str(spent) == "unknown, at least $0.3000 (known for 1 of 60 requests sent)"
    assert as_dollars(1 / 300000) == "$0.0000033"


def test_answers_of_another_run_are_reused_and_say_so(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 6)
    first = go(tmp_path, model(tmp_path, stub), source)
    # The same texts and two more, in a new items file: a new run, and two new requests.
    grown = write_items(tmp_path / "grown", 8)
    second = go(tmp_path, model(tmp_path, stub), grown, environ=KEY)
    assert second.run_ids != first.run_ids
    assert (second.reused, second.answered, second.status) == (6, 2, "complete")
    assert len(stub.bodies) == 8
    copied = [a for a in answers(tmp_path, second.run_ids[0]) if "reused_from" in a]
    assert {line["reused_from"] for line in copied} == set(first.run_ids)
    original = {line["request_id"]: line for line in answers(tmp_path, first.run_ids[0])}
    for line in copied:
        assert {k: v for k, v in line.items() if k != "reused_from"} == original[line["request_id"]]


def test_another_judge_or_a_changed_text_reuses_nothing(tmp_path: Path) -> None:
    go(tmp_path, judge(tmp_path), write_items(tmp_path / "items", 3))
    changed = write_items(tmp_path / "changed", 3, texts=["a", "b", "c"])
    assert go(tmp_path, judge(tmp_path), changed).reused == 0
    assert go(tmp_path, judge(tmp_path, "rule/constant-3"), changed).reused == 0


def test_a_judge_id_with_changed_settings_is_refused(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 3)
    go(tmp_path, model(tmp_path, stub, temperature=0.5), source)
    with pytest.raises(BadSettings, match="give the changed judge a new id"):
        go(tmp_path, model(tmp_path, stub, temperature=0.6), source)
    # How many requests run at once changes no answer.
    go(tmp_path, model(tmp_path, stub, temperature=0.5, concurrency=2), source)


def test_a_missing_key_stops_before_anything_is_written(tmp_path: Path, stub: Stub) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        go(tmp_path, model(tmp_path, stub), write_items(tmp_path / "items", 3), environ={})
    assert not (tmp_path / "journal").exists()


def test_a_refused_key_stops_the_run_and_is_named(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _body, _number: failure(401, f"Incorrect API key provided: {CANARY}")
    source = write_items(tmp_path / "items", 100)
    with pytest.raises(JudgeUnavailable, match="check OPENAI_API_KEY") as caught:
        go(tmp_path, model(tmp_path, stub), source)
    assert CANARY not in str(caught.value)
    assert 5 <= len(stub.bodies) <= 5 + 2 * 4
    assert lines(tmp_path)[-1]["status"] == "failed"
    stub.react = lambda _body, _number: completion()
    assert go(tmp_path, model(tmp_path, stub), source).answered == 100


def test_an_endpoint_that_is_gone_stops_the_run_early(tmp_path: Path, stub: Stub) -> None:
    spec = model(tmp_path, stub)
    stub.close()
    with pytest.raises(JudgeUnavailable, match="check the address"):
        go(tmp_path, spec, write_items(tmp_path / "items", 60))
    assert 20 <= len(answers(tmp_path)) < 40


def test_no_key_is_ever_written(tmp_path: Path, stub: Stub) -> None:
    hostile = [
        failure(401, f"bad key {CANARY}"),
        failure(500, f"trace: Authorization: Bearer {CANARY}"),
        (200, {}, f"<html>{'x' * 190}{CANARY}"),
        completion(f"I saw {CANARY} <score>3</score>"),
    ]
    stub.react = lambda _, number: hostile[number % 4]
    go(tmp_path, model(tmp_path, stub), write_items(tmp_path / "items", 12))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"canary" not in path.read_bytes()


def test_half_a_character_in_a_reply_is_stored_readably(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _body, _number: completion("\ud83d <score>4</score> \u0000 \U0001f600")
    go(tmp_path, model(tmp_path, stub), write_items(tmp_path / "items", 1))
    response = answers(tmp_path)[0]["response"]
    response.encode()
    assert response == "? <score>4</score> \u0000 \U0001f600"


def test_a_run_that_is_being_written_is_refused(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 3)
    (plan,) = plan_runs(EXPERIMENT, judge(tmp_path), [source])
    with Journal.open(tmp_path / "journal" / plan.run_id), pytest.raises(RunBusy):
        go(tmp_path, judge(tmp_path), source)


def test_a_damaged_line_is_counted_and_its_request_asked_again(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 4)
    run_id = go(tmp_path, judge(tmp_path), source).run_ids[0]
    path = tmp_path / "journal" / run_id / FILE_NAME
    content = path.read_text().splitlines(keepends=True)
    content[2] = content[2][:30] + "\n"
    content[3] = json.dumps({**json.loads(content[3]), "response": None}) + "\n"
    path.write_text("".join(content))
    summary = go(tmp_path, judge(tmp_path), source)
    assert (summary.corrupt_lines, summary.answered, summary.already_answered) == (1, 2, 2)
    assert summary.status == "complete"


def test_a_full_disk_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_items(tmp_path / "items", 4)
    real = os.write

    def full(file: int, data: bytes) -> int:
        if b'"answer"' in bytes(data):
            raise OSError(28, "No space left on device")
        return real(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(JournalWriteFailed, match="make room on the disk"):
            go(tmp_path, judge(tmp_path), source)
    summary = go(tmp_path, judge(tmp_path), source)
    assert (summary.status, summary.answered) == ("complete", 4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_run_that_goes_on(tmp_path: Path, stub: Stub, number: int) -> None:
    before = signal.getsignal(number)

    def react(body: dict[str, Any], count: int) -> Reaction:
        if count == 6:
            os.kill(os.getpid(), number)
        time.sleep(0.02)
        return completion()

    stub.react = react
    source = write_items(tmp_path / "items", 40)
    with pytest.raises(RunInterrupted, match="run the same command again"):
        go(tmp_path, model(tmp_path, stub), source)
    assert signal.getsignal(number) == before
    assert lines(tmp_path)[-1]["status"] == "interrupted"
    # What was in flight was let in: nothing the endpoint answered is asked again.
    asked = len(stub.bodies)
    assert asked == len(answers(tmp_path)) < 40
    summary = go(tmp_path, model(tmp_path, stub), source)
    assert (summary.answered, summary.already_answered) == (40 - asked, asked)


def test_a_signal_stops_a_hanging_run(
    tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inference.runs.asking.GRACE_S", 0.2)
    release = threading.Event()

    def react(body: dict[str, Any], count: int) -> Reaction:
        if count == 3:
            os.kill(os.getpid(), signal.SIGINT)
        release.wait(20)
        return completion()

    stub.react = react
    prices = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 1.0}
    spec, source = model(tmp_path, stub, **prices), write_items(tmp_path / "items", 8)
    with pytest.raises(RunInterrupted):
        go(tmp_path, spec, source, budget_usd=1.0)
    release.set()
    assert answers(tmp_path) == []
    # What was in flight may be billed: the next start counts it.
    given_up = [line["usd_at_most"] for line in lines(tmp_path) if line["kind"] == "given_up"]
    assert len(stub.bodies) <= len(given_up) <= 4
    own = own_answers(next((tmp_path / "journal").iterdir()))
    assert own.charged_usd == pytest.approx(sum(given_up))
    assert min(given_up) > 0
    assert lines(tmp_path)[-1]["status"] == "interrupted"


def test_simulated_answers_change_when_people_rate_again(tmp_path: Path) -> None:
    source = write_items(tmp_path / "items", 3, means=[1.0, 3.0, 5.0])
    spec = judge(tmp_path, "simulated/faithful")
    go(tmp_path, spec, source)
    write_items(tmp_path / "items", 3, means=[1.0, 3.0, 2.0])
    summary = go(tmp_path, spec, source)
    assert (summary.answered, summary.already_answered) == (1, 2)
