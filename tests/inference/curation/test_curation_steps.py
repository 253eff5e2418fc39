import asyncio
import json
from pathlib import Path

import pytest
from curation_fixtures import Model
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import NoReply, RunBusy
from inference.questions.curation.records import Reason, sift
from inference.steps.replies import Replies, ask_all


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(2, 7), max_size=4))
def test_each_rule_sifts_what_the_last_one_left(numbers: list[int], divisors: list[int]) -> None:
    rules = [
        (f"by_{divisor}", lambda n, d=divisor: None if n % d else Reason(f"{n} by {d}"))
        for divisor in divisors
    ]
    step = sift("sieve", "number", numbers, str, rules)
    assert list(step.kept) == [n for n in numbers if all(n % d for d in divisors)]
    left = len(numbers)
    for place, rule in enumerate(step.rules, start=1):
        assert (rule.rule_order, rule.n_before) == (place, left)
        left -= rule.n_removed
    assert left == len(step.kept)
    assert len(step.removed) == len(numbers) - left
    assert sum(rule.n_removed for rule in step.rules) == len(step.removed)
    assert len({removed.item_id for removed in step.removed}) == len(step.removed)


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    model = Model(str.upper)

    async def twice() -> list[str]:
        async with Replies(tmp_path, "m", model) as ask:
            first = await ask_all(["a", "b"], ask)
        async with Replies(tmp_path, "m", model) as ask:
            return [reply.text for reply in first + await ask_all(["b", "c"], ask)]

    assert asyncio.run(twice()) == ["A", "B", "B", "C"]
    assert sorted(model.prompts) == ["a", "b", "c"]


def test_another_model_is_asked_itself(tmp_path: Path) -> None:
    model = Model(str.upper)

    async def both() -> None:
        for name in ("m", "n"):
            async with Replies(tmp_path, name, model) as ask:
                await ask("a")

    asyncio.run(both())
    assert model.prompts == ["a", "a"]


def test_replies_that_came_before_a_failure_are_kept(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        if prompt == "bad":
            raise RuntimeError("no reply")
        return prompt.upper()

    async def run() -> None:
        async with Replies(tmp_path, "m", Model(reply)) as ask:
            await ask_all(["a", "bad", "b"], ask)

    with pytest.raises(RuntimeError, match="no reply"):
        asyncio.run(run())
    lines = (tmp_path / "responses.jsonl").read_text().splitlines()
    assert [json.loads(line)["response"] for line in lines] == ["A", "B"]


def test_a_prompt_that_will_never_be_answered_has_a_reason_and_stops_no_other() -> None:
    def reply(prompt: str) -> str:
        if prompt == "bad":
            raise NoReply("it is filtered")
        return prompt.upper()

    found = asyncio.run(ask_all(["bad", "a"], Model(reply)))
    assert found == [("", "it is filtered"), ("A", None)]
    assert Reason.of_reply(found[0], "empty_response").detail == "it is filtered"
    assert Reason.of_reply(found[1], "not_a_query").detail == "not_a_query: A"


def test_two_processes_do_not_write_the_same_replies(tmp_path: Path) -> None:
    async def run() -> None:
        async with Replies(tmp_path, "m", Model(str)), Replies(tmp_path, "m", Model(str)):
            pass

    with pytest.raises(RunBusy):
        asyncio.run(run())


def test_half_a_surrogate_pair_in_a_reply_can_be_kept(tmp_path: Path) -> None:
    async def run() -> str:
        async with Replies(tmp_path, "m", Model(lambda _: "a\ud800b")) as ask:
            return await ask("x")

    assert asyncio.run(run()) == "a?b"
