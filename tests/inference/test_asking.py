import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inference_fixtures
import pytest
from inference_fixtures import (
    HANG_UP,
    NO_HTTP,
    Reaction,
    Stub,
    answers,
    completion,
    failure,
    lines,
    write_items,
)

from inference.errors import BadSettings, JudgeUnavailable
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.kinds.speeches import SpeechOptions
from inference.plan import plan_runs
from inference.prices import load_prices
from inference.registry import JudgeSpec, spec_for
from inference.runner import RunSummary
from inference.runs.estimate import EARLIER, FORMAT, estimate
from inference.runs.history import OwnAnswers, add_line
from inference.runs.terms import Terms

EXPERIMENT = load_experiment("speech-score")
NOW = {"Retry-After-Ms": "1"}


def model(tmp_path: Path, stub: Stub, name: str = "openai/a-model", **settings: Any) -> JudgeSpec:
    return inference_fixtures.model(tmp_path, stub, name, **{"concurrency": 4, **settings})


def go(tmp_path: Path, spec: JudgeSpec, *sources: ItemSource, **more: Any) -> RunSummary:
    experiment = more.pop("experiment", EXPERIMENT)
    return inference_fixtures.go(tmp_path, experiment, spec, *sources, **more)


def item_of(body: dict[str, Any]) -> str:
    found = re.search(r"Speech number (\d+)\.", body["messages"][-1]["content"])
    assert found
    return found[1]


def test_transient_failures_are_retried_and_counted(tmp_path: Path, stub: Stub) -> None:
    seen: Counter[str] = Counter()

    def react(body: dict[str, Any], _: int) -> Reaction:
        seen[item_of(body)] += 1
        return failure(500, "oops", NOW) if seen[item_of(body)] < 3 else completion()

    stub.react = react
    summary = go(tmp_path, model(tmp_path, stub), write_items(tmp_path / "items", 6))
    assert (summary.status, summary.answered, summary.errors) == ("complete", 6, {})
    found = answers(tmp_path)
    assert {line["attempts"] for line in found} == {3}
    assert set(seen.values()) == {3}
    for line in found:
        assert [one["error_kind"] for one in line["retried"]] == ["server", "server"]
        assert all("oops" in one["error"] and one["wait_s"] >= 0 for one in line["retried"])


def test_a_request_has_a_deadline(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, __: failure(503, "busy", {"Retry-After": "5"})
    source = write_items(tmp_path / "items", 3)
    summary = go(tmp_path, model(tmp_path, stub, deadline_s=0.5), source)
    assert (summary.status, summary.errors) == ("failed", {"overloaded": 3})
    # None is waited for: each would have to wait longer than it may.
    assert len(stub.bodies) == 3


def test_a_key_without_credit_stops_the_run_early(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, __: failure(429, "quota", code="insufficient_quota")
    source = write_items(tmp_path / "items", 60)
    with pytest.raises(JudgeUnavailable, match="want of credit"):
        go(tmp_path, model(tmp_path, stub), source)
    assert len(stub.bodies) < 15


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("This model's maximum context length is 10 tokens", "context_overflow"),
        ("The prompt was caught by the content_filter", "filtered"),
    ],
)
def test_a_final_failure_is_not_asked_again(
    tmp_path: Path, stub: Stub, words: str, kind: str
) -> None:
    stub.react = lambda body, _: failure(400, words) if item_of(body) == "2" else completion()
    source = write_items(tmp_path / "items", 5)
    spec = model(tmp_path, stub)
    first, second = go(tmp_path, spec, source), go(tmp_path, spec, source)
    assert (first.status, first.answered, first.errors) == ("complete", 4, {kind: 1})
    assert (second.status, second.answered, second.errors) == ("complete", 0, {kind: 1})
    assert len(stub.bodies) == 5
    (line,) = [line for line in answers(tmp_path) if line["error_kind"]]
    assert words in line["response"]


def test_a_prompt_that_is_certainly_too_long_is_not_sent(tmp_path: Path, stub: Stub) -> None:
    texts = ["short", "word " * 20_000]
    source = write_items(tmp_path / "items", 2, texts=texts)
    summary = go(tmp_path, model(tmp_path, stub, context_window=8000), source)
    assert (summary.answered, summary.errors) == (1, {"context_overflow": 1})
    assert len(stub.bodies) == 1
    (line,) = [line for line in answers(tmp_path) if line["error_kind"]]
    assert "was not sent" in line["error"]


def priced(tmp_path: Path, stub: Stub, **more: Any) -> JudgeSpec:
    settings = {"usd_per_million_tokens_in": 1000.0, "usd_per_million_tokens_out": 1000.0}
    return model(tmp_path, stub, **settings, max_tokens=5, **more)


def test_a_budget_stops_before_it_is_passed_and_more_goes_on(tmp_path: Path, stub: Stub) -> None:
    # Each answer costs 105 tokens at a thousandth of a dollar each.
    source = write_items(tmp_path / "items", 40, texts=["word"] * 40)
    spec = priced(tmp_path, stub)
    first = go(tmp_path, spec, source, budget_usd=3.0)
    assert first.status == "over_budget"
    assert first.cost_usd is not None
    assert 0 < first.cost_usd <= 3.0
    asked = len(stub.bodies)
    again = go(tmp_path, spec, source, budget_usd=3.0)
    # The budget is for all starts together.
    assert again.answered <= 1
    assert len(stub.bodies) - asked == again.answered
    whole = go(tmp_path, spec, source, budget_usd=50.0)
    assert whole.status == "complete"
    assert len(stub.bodies) == 40
    assert {line["status"] for line in lines(tmp_path) if line["kind"] == "end"} == {
        "over_budget",
        "complete",
    }


def test_a_budget_without_a_price_sends_nothing(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 3)
    with pytest.raises(BadSettings, match=r"no price is known .* prices\.toml"):
        go(tmp_path, model(tmp_path, stub), source, budget_usd=1.0)
    assert stub.bodies == []
    assert not (tmp_path / "journal").exists()


def bound_usd(spec: JudgeSpec, source: ItemSource) -> float:
    (plan,) = plan_runs(EXPERIMENT, spec, [source])
    terms = Terms.of(spec, load_prices().price_for(spec), None)
    return terms.most_usd(next(iter(plan.requests.values())))


WHOLE = {"prompt_tokens": 100, "completion_tokens": 5}


@pytest.mark.parametrize(
    ("reply", "is_known"),
    [
        (completion(), True),
        (completion(usage={**WHOLE, "prompt_tokens_details": {"cached_tokens": -9}}), True),
        (completion(usage={**WHOLE, "prompt_tokens_details": "none"}), True),
        (completion(None, usage={**WHOLE, "completion_tokens": 0}), True),
        (completion(usage=None), False),
        (completion(usage="no idea"), False),
        (completion(usage={}), False),
        *(
            (completion(usage={**WHOLE, name: value}), False)
            for name in WHOLE
            for value in ("100", math.nan, math.inf, 0, -6000, True, 100.0, 10**30, None, [5])
        ),
        (HANG_UP, False),
        (failure(500, "oops"), False),
    ],
)
def test_usage_that_is_no_count_is_charged_at_its_bound_over_all_starts(
    tmp_path: Path, stub: Stub, reply: Reaction, is_known: bool
) -> None:
    stub.react = lambda _, __: reply
    source = write_items(tmp_path / "items", 30, texts=["word"] * 30)
    spec = priced(tmp_path, stub, max_retries=0, concurrency=1)
    # Room for six bounds, or for all answers of 105 tokens.
    budget = 6.5 * bound_usd(spec, source)
    status, asked = ("complete", 30) if is_known else ("over_budget", 6)
    for _ in range(2):
        assert go(tmp_path, spec, source, budget_usd=budget).status == status
        assert len(stub.bodies) == asked


def test_broken_attempts_count_against_the_budget(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, number: HANG_UP if number % 2 else completion()
    source = write_items(tmp_path / "items", 20, texts=["word"] * 20)
    spec = priced(tmp_path, stub, max_retries=3, concurrency=1)
    budget = 6.5 * bound_usd(spec, source)
    assert go(tmp_path, spec, source, budget_usd=budget).status == "over_budget"
    found = answers(tmp_path)
    assert max(line["attempts"] for line in found) > 1
    charged = sum(line.get("usd_at_most", line["cost_usd"]) for line in found)
    assert budget - bound_usd(spec, source) < charged <= budget
    asked = len(stub.bodies)
    assert go(tmp_path, spec, source, budget_usd=budget).status == "over_budget"
    assert len(stub.bodies) == asked


@pytest.mark.parametrize("cost_usd", [-6.0, math.nan, math.inf, "6", True])
def test_a_cost_that_can_be_none_is_unknown(cost_usd: Any) -> None:
    own = OwnAnswers()
    line = {"kind": "answer", "item_kind": "speech", "status": "error", "error_kind": "server"}
    add_line(own, {**line, "request_id": "a", "cost_usd": cost_usd, "attempts": 1})
    assert (own.cost_usd, own.charged_usd, own.is_cost_known) == (0.0, 0.0, False)
    assert own.unbounded == [("a", (1, None, None))]


def test_a_start_without_a_budget_counts_in_the_next(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda _, __: completion(usage=None)
    source = write_items(tmp_path / "items", 40, texts=["word"] * 40)
    spec = priced(tmp_path, stub, concurrency=1)
    go(tmp_path, spec, source, limit=8)
    bound = bound_usd(spec, source)
    assert go(tmp_path, spec, source, budget_usd=8.5 * bound).status == "over_budget"
    assert len(stub.bodies) == 8
    go(tmp_path, spec, source, budget_usd=9.5 * bound)
    assert len(stub.bodies) == 9


@pytest.mark.parametrize(
    ("reactions", "cost_usd"),
    [
        ([failure(429, "slow down", NOW)], 0.0),
        ([failure(400, "your prompt is odd")], 0.0),
        ([failure(402, "pay first")], 0.0),
        # Endpoints bill a prompt that their filter has read, and what they have worked on.
        ([failure(400, "stopped", code="content_filter")], None),
        ([failure(500, "oops", NOW)], None),
        # What broke off before the refusal may have been billed.
        ([HANG_UP, failure(429, "slow down", NOW)], None),
    ],
)
def test_a_refused_request_is_known_to_cost_nothing_and_one_that_broke_off_is_not(
    tmp_path: Path, stub: Stub, reactions: list[Reaction], cost_usd: float | None
) -> None:
    stub.react = lambda _, number: reactions[min(number, len(reactions)) - 1]
    source = write_items(tmp_path / "items", 1)
    spec = priced(tmp_path, stub, max_retries=len(reactions) - 1)
    summary = go(tmp_path, spec, source)
    assert [line["cost_usd"] for line in answers(tmp_path)] == [cost_usd]
    assert summary.cost_usd == cost_usd


def test_fresh_starts_a_new_run_that_can_be_resumed(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 6)
    spec = model(tmp_path, stub, max_retries=0)
    first = go(tmp_path, spec, source)
    stub.react = lambda _, number: completion() if number <= 9 else failure(500, "oops")
    fresh = go(tmp_path, spec, source, is_fresh=True)
    assert (fresh.status, fresh.answered) == ("partial", 3)
    assert fresh.run_ids != first.run_ids
    stub.react = lambda _, __: completion()
    goes_on = go(tmp_path, spec, source, is_fresh=True)
    assert goes_on.run_ids == fresh.run_ids
    assert (goes_on.status, goes_on.answered, goes_on.already_answered) == ("complete", 3, 3)
    another = go(tmp_path, spec, source, is_fresh=True)
    assert another.run_ids not in (first.run_ids, fresh.run_ids)
    assert another.answered == 6
    plain = go(tmp_path, spec, source)
    assert (plain.run_ids, plain.already_answered) == (first.run_ids, 6)


def test_prompts_that_begin_alike_are_asked_next_to_each_other(tmp_path: Path) -> None:
    # Longer than the prefix that is looked at, so that the ends differ behind it.
    shared = ["alpha " * 900, "beta " * 900]
    texts = [f"{shared[index % 2]} Speech number {index}." for index in range(12)]
    source = write_items(tmp_path / "items", 12, texts=texts)
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "speech_score.txt").write_text("{speech}\n{motion} <score>")
    spec = spec_for("rule/length", None, {})
    (plan,) = plan_runs(EXPERIMENT, spec, [source], prompts_folder=own)
    heads = [request.prompt[:5] for request in plan.requests.values()]
    assert heads in (["alpha"] * 6 + ["beta "] * 6, ["beta "] * 6 + ["alpha"] * 6)


def test_what_a_plan_says_is_what_a_run_asks(tmp_path: Path, stub: Stub) -> None:
    source = write_items(tmp_path / "items", 10)
    spec = priced(tmp_path, stub)
    root = tmp_path / "journal"
    before = estimate(EXPERIMENT, spec, [source], journal_root=root).variants[0]
    assert (before.requests, before.to_ask, before.answered) == (10, 10, 0)
    # "<score>\n4\n</score>" would be ten tokens and a half, and the limit is five.
    assert (before.tokens_out, before.tokens_out_most, before.basis) == (50, 50, FORMAT)
    assert before.usd == pytest.approx((before.tokens_in + 50) / 1000)
    assert before.usd_in == pytest.approx(before.tokens_in / 1000)
    assert not root.exists()
    go(tmp_path, spec, source, limit=4)
    after = estimate(EXPERIMENT, spec, [source], journal_root=root).variants[0]
    assert (after.answered, after.reused, after.to_ask) == (4, 0, 6)
    assert (after.tokens_out, after.basis) == (30, EARLIER)
    assert after.usd == pytest.approx((after.tokens_in + 30) / 1000)
    other = Experiment("again", "speech_score", options=SpeechOptions())
    elsewhere = estimate(other, spec, [source], journal_root=root).variants[0]
    assert (elsewhere.answered, elsewhere.reused, elsewhere.to_ask) == (0, 4, 6)
    assert go(tmp_path, spec, source).answered == after.to_ask


@pytest.mark.faults
def test_a_misbehaving_endpoint_loses_and_doubles_nothing(tmp_path: Path, stub: Stub) -> None:
    big = completion("x" * 10_000_000)
    bad: list[Reaction] = [
        failure(429, "slow down"),
        failure(429, "slow down", NOW),
        failure(500, "oops", NOW),
        failure(503, "busy"),
        HANG_UP,
        NO_HTTP,
        (200, {"Content-Length": "5000"}, '{"choices": ['),
        (200, {}, "{"),
        (200, {"Content-Type": "text/html"}, "<html>"),
        completion(choices=[]),
        (500, {"Content-Type": "text/plain"}, "y" * 10_000_000),
    ]
    generator = random.Random(4)
    failures: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    def react(body: dict[str, Any], _: int) -> Reaction:
        item = item_of(body)
        if failures[item] < 4 and generator.random() < 0.4:
            failures[item] += 1
            if generator.random() < 0.1:
                time.sleep(2.5)
                return completion()
            return generator.choice(bad)
        answered[item] += 1
        return big if item == "7" else completion()

    stub.react = react
    source = write_items(tmp_path / "items", 120, texts=[f"Speech number {n}." for n in range(120)])
    spec = model(tmp_path, stub, concurrency=16, timeout_s=2.0)
    summary = go(tmp_path, spec, source)
    assert (summary.status, summary.answered, summary.errors) == ("complete", 120, {})
    ids = [line["request_id"] for line in answers(tmp_path)]
    assert len(ids) == len(set(ids)) == 120
    assert set(answered.values()) == {1}
    assert len(stub.bodies) == 120 + failures.total()
    # One that timed out before it arrived is an attempt, too.
    assert sum(line.get("attempts", 1) for line in answers(tmp_path)) >= len(stub.bodies)
    (long,) = [line for line in answers(tmp_path) if len(line["response"]) > 1000]
    assert len(long["response"]) == 10_000_000


_DRIVER = """
import os, sys
from pathlib import Path
import inference.judges.openai_chat
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.registry import spec_for
from inference.runner import run
root = Path(sys.argv[1])
spec = spec_for('openai/a-model', root / 'judges.toml', {})
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        run(load_experiment('speech-score'), spec, find_item_sources(root / 'items'),
            journal_root=root / 'journal', environ={'OPENAI_API_KEY': 'sk-0123456789'})
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print('over', flush=True)
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that forks a run for every line it reads, and says which it is and when it ended."""
    with subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


@pytest.mark.faults
@pytest.mark.parametrize(
    ("total", "kills"),
    [(160, 4), pytest.param(2000, 20, marks=[pytest.mark.soak, pytest.mark.slow])],
)
def test_killed_at_random_it_goes_on_and_every_answer_is_there_once(
    tmp_path: Path, stub: Stub, driver: subprocess.Popen[str], total: int, kills: int
) -> None:
    texts = [f"Speech number {n}." for n in range(total)]
    write_items(tmp_path / "items", total, texts=texts)
    at_once = 32 if total > 1000 else 4
    model(tmp_path, stub, concurrency=at_once)
    generator = random.Random(11)
    assert driver.stdin is not None
    assert driver.stdout is not None
    # After each kill: how many requests had come, and which answers were there.
    marks: list[tuple[int, set[str]]] = []
    for _ in range(kills):
        driver.stdin.write("\n")
        driver.stdin.flush()
        child = int(driver.stdout.readline())
        # Anywhere between its first request and where its share of them is asked.
        target = len(stub.bodies) + generator.randint(1, total // (kills + 5))
        deadline = time.monotonic() + 30
        while len(stub.bodies) < target and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        assert driver.stdout.readline() == "over\n"
        kept = [line["item_id"].split(":")[1] for line in answers(tmp_path)]
        assert len(kept) == len(set(kept))
        marks.append((len(stub.bodies), set(kept)))
    driver.stdin.write("\n")
    driver.stdin.flush()
    driver.stdout.readline()
    assert driver.stdout.readline() == "over\n"
    found = answers(tmp_path)
    assert len({line["request_id"] for line in found}) == len(found) == total
    asked = [item_of(body).zfill(3) for body in stub.bodies]
    for sent, kept_then in marks:
        # What the killed run had on the wire can arrive a moment after it is gone.
        assert not set(asked[sent + at_once :]) & kept_then
    # In flight or on their way to the disk, of that many requests each.
    assert len(asked) <= total + kills * 2 * at_once
    assert lines(tmp_path)[-1]["status"] == "complete"
