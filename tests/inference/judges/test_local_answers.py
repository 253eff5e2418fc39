from pathlib import Path
from typing import Any

import pytest
import tiny_models
from answer_fixtures import question, request
from inference_fixtures import ask

from inference.judges import make_judge
from inference.judges.request import Request
from inference.local.models import prompt_tokens
from inference.questions.answers import Generation
from inference.templates import load_template

REFUSES = (
    "{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('no system turn') }}{% endif %}"
    "[{{ message['role'] }}]{{ message['content'] }}[end]{% endfor %}"
)
QUESTION = "Should cars be banned?"


def asked(**arm: Any) -> Request:
    return request(question(QUESTION), Generation("qa_basic", **arm), "qa_basic")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.save(
        tmp_path_factory.mktemp("model") / "tiny",
        tiny_models.model("llama", seed=3),
        tiny_models.tokenizer("bytes", chat=True),
    )


def test_the_experiments_system_turn_stands_behind_the_judges_own(folder: Path) -> None:
    tokenizer = tiny_models.tokenizer("bytes", chat=True)
    system = load_template("qa_basic").system
    found = prompt_tokens(
        tokenizer, tiny_models.spec(folder, system_prompt="Be brief."), QUESTION, system
    )
    text = f"[system]Be brief.\n\n{system}[end][user]{QUESTION}[end][assistant]"
    assert found == tokenizer(text)["input_ids"]


def test_a_template_without_a_system_turn_has_it_in_the_users(folder: Path) -> None:
    tokenizer = tiny_models.tokenizer("bytes")
    tokenizer.chat_template = REFUSES
    try:
        found = prompt_tokens(tokenizer, tiny_models.spec(folder), QUESTION, "Answer.")
        assert found == tokenizer(f"[user]Answer.\n\n{QUESTION}[end]")["input_ids"]
    finally:
        tokenizer.chat_template = None


def test_the_arms_temperature_comes_before_the_judges(folder: Path) -> None:
    # The judge is set to draw; an arm at 0 takes the likeliest token, as a greedy judge does.
    drawing = tiny_models.spec(folder, temperature=5.0, seed=3, max_tokens=8)
    greedy = tiny_models.spec(folder, temperature=0.0, max_tokens=8)
    (at_zero, at_five) = ask(drawing, asked(temperature=0.0), asked())
    (by_greedy,) = ask(greedy, asked())
    assert at_zero.response == by_greedy.response
    assert at_five.response != by_greedy.response
    # A top-p of 0 leaves one token to draw from, whatever the temperature: the study's setting.
    (one_token,) = ask(drawing, asked(top_p=0.0))
    assert one_token.response == by_greedy.response


def test_arms_are_apart_in_the_requests_identity(folder: Path) -> None:
    judge = make_judge(tiny_models.spec(folder, temperature=5.0), None)
    decodings = [
        judge.identity(asked(**arm))["decoding"]
        for arm in ({}, {"temperature": 0.0}, {"top_p": 0.5})
    ]
    assert [(each["temperature"], each["top_p"]) for each in decodings] == [
        (5.0, 1.0),
        (0.0, 1.0),
        (5.0, 0.5),
    ]
