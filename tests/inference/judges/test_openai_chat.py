"""The OpenAI-compatible judge against a real endpoint on 127.0.0.1 that misbehaves on demand."""

from __future__ import annotations

import asyncio
import json
import math
import time
from typing import Any

import pytest
from inference_fixtures import HANG_UP, Reaction, Stub, completion, failure

from inference.errors import MissingKey
from inference.items import Speech
from inference.judges import make_judge
from inference.judges.base import ERROR_KINDS, Reply, Request
from inference.kinds import KIND
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.templates import load_template

CANARY = "sk-canary-0123456789abcdef"
ENVIRON = {"OPENAI_API_KEY": CANARY}
DECODING = {"temperature": 0.01, "max_tokens": 4096}


def spec(stub: Stub, tmp_path: Any, **settings: Any) -> JudgeSpec:
    path = tmp_path / "judges.toml"
    settings = {"base_url": stub.url, "max_retries": 0, **settings}
    path.write_text(add_judge_text("", "openai/a-model", settings))
    return spec_for("openai/a-model", path, {})


def request(prompt: str = "the prompt", number: int = 0) -> Request:
    item = Speech("d", f"d:{number}", "h", "motion", "text", 1, "quality", "?", 1, 5)
    labels = ("1", "2", "3", "4", "5")
    return Request(
        KIND["speech"],
        item,
        item.rating,
        load_template("speech_score"),
        0,
        prompt,
        DECODING,
        labels,
    )


def ask(judge_spec: JudgeSpec, environ: dict[str, str] = ENVIRON, times: int = 1) -> list[Reply]:
    async def run() -> list[Reply]:
        async with make_judge(judge_spec, None, environ) as judge:
            return [await judge.ask(request(number=number)) for number in range(times)]

    return asyncio.run(run())


def test_a_reply_is_kept_whole_with_its_tokens_and_finish_reason(stub: Stub, tmp_path: Any) -> None:
    reply = ask(spec(stub, tmp_path))[0]
    assert reply == Reply("<score>\n4\n</score>", None, None, "stop", 100, 5, model_version="stub")
    assert stub.bodies == [
        {"model": "a-model", "messages": [{"role": "user", "content": "the prompt"}], **DECODING}
    ]
    assert stub.keys == [f"Bearer {CANARY}"]


def test_a_judges_own_settings_come_before_the_experiments(stub: Stub, tmp_path: Any) -> None:
    ask(spec(stub, tmp_path, temperature=0.7, top_p=0.9, seed=3))
    sent = {name: stub.bodies[0][name] for name in ("temperature", "top_p", "seed", "max_tokens")}
    assert sent == {"temperature": 0.7, "top_p": 0.9, "seed": 3, "max_tokens": 4096}


def test_cost_is_known_only_where_prices_are(stub: Stub, tmp_path: Any) -> None:
    priced = spec(stub, tmp_path, usd_per_million_tokens_in=2.0, usd_per_million_tokens_out=10)
    # 100 tokens at 2 and 5 tokens at 10 dollars a million.
    assert ask(priced)[0].cost_usd == pytest.approx(250e-6)
    assert ask(spec(stub, tmp_path, usd_per_million_tokens_in=2.0))[0].cost_usd is None


def test_one_attempt_is_one_request_and_says_how_long_to_wait(stub: Stub, tmp_path: Any) -> None:
    waits = {"Retry-After": "7"}, {"Retry-After-Ms": "250"}, {"Retry-After": "soon"}, {}
    stub.react = lambda _, number: failure(429, "slow down", waits[number - 1])
    replies = ask(spec(stub, tmp_path, max_retries=5), times=4)
    assert [reply.retry_after_s for reply in replies] == [7.0, 0.25, None, None]
    assert len(stub.bodies) == 4


def shaped(text: str) -> Reaction:
    return 200, {}, text


@pytest.mark.parametrize(
    ("reaction", "kind"),
    [
        (failure(429, "slow down"), "rate_limited"),
        (failure(500, "oops"), "server"),
        (failure(503, "busy"), "overloaded"),
        (failure(529, "busy"), "overloaded"),
        (failure(402, "pay first"), "billing"),
        (failure(429, "You exceeded your current quota", code="insufficient_quota"), "billing"),
        (failure(400, "too long", code="context_length_exceeded"), "context_overflow"),
        (failure(400, "prompt is too long: 9 tokens > 8 maximum"), "context_overflow"),
        (failure(400, "stopped", code="content_filter"), "filtered"),
        (failure(401, f"wrong key {CANARY}"), "authentication"),
        (failure(403, "no"), "authentication"),
        (failure(404, "no such model"), "bad_request"),
        (failure(400, "your prompt is odd"), "bad_request"),
        (failure(422, "no"), "bad_request"),
        ((500, {"Content-Type": "text/html"}, "<html>"), "server"),
        (completion(choices=[]), "empty_choices"),
        (completion(choices=None), "empty_choices"),
        (shaped("{"), "malformed"),
        (shaped(""), "malformed"),
        (shaped("[]"), "malformed"),
        (shaped("null"), "malformed"),
        (shaped("{}"), "malformed"),
        (shaped('{"choices": [{}]}'), "malformed"),
        (shaped('{"choices": [null]}'), "malformed"),
        (shaped('{"choices": {"a": 1}}'), "malformed"),
        (completion(content=["text"]), "malformed"),  # type: ignore[arg-type]
        ((200, {"Content-Type": "text/html"}, f"<html>log in with {CANARY}</html>"), "malformed"),
    ],
)
def test_every_failure_has_its_kind_and_what_was_sent(
    stub: Stub, tmp_path: Any, reaction: Reaction, kind: str
) -> None:
    stub.react = lambda _body, _number: reaction
    reply = ask(spec(stub, tmp_path))[0]
    assert reply.error_kind == kind
    assert reply.response == reaction[2].replace(CANARY, "[key]")
    assert kind in ERROR_KINDS
    assert reply.error
    assert CANARY not in reply.error


def test_a_slow_endpoint_is_a_timeout(stub: Stub, tmp_path: Any) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        time.sleep(1)
        return completion()

    stub.react = react
    assert ask(spec(stub, tmp_path, timeout_s=0.2))[0].error_kind == "timeout"


def test_an_endpoint_that_is_not_there_is_a_connection_error(stub: Stub, tmp_path: Any) -> None:
    judge_spec = spec(stub, tmp_path)
    stub.close()
    reply = ask(judge_spec)[0]
    assert reply.error_kind == "connection"
    assert "Cannot connect to host 127.0.0.1" in str(reply.error)


def test_an_endpoint_that_hangs_up_is_a_connection_error(stub: Stub, tmp_path: Any) -> None:
    stub.react = lambda _body, _number: HANG_UP
    assert ask(spec(stub, tmp_path))[0].error_kind == "connection"


@pytest.mark.parametrize(
    ("content", "more", "response"),
    [(None, {}, ""), ("", {}, ""), (None, {"refusal": "I cannot."}, "I cannot.")],
)
def test_an_empty_reply_is_a_reply(
    stub: Stub, tmp_path: Any, content: str | None, more: dict[str, str], response: str
) -> None:
    message = {"role": "assistant", "content": content, **more}
    stub.react = lambda _body, _number: completion(
        choices=[{"index": 0, "finish_reason": "stop", "message": message}]
    )
    reply = ask(spec(stub, tmp_path))[0]
    assert (reply.response, reply.error_kind) == (response, None)


def test_a_reply_without_usage_has_unknown_tokens(stub: Stub, tmp_path: Any) -> None:
    stub.react = lambda _body, _number: completion(usage=None)
    reply = ask(spec(stub, tmp_path, usd_per_million_tokens_in=1, usd_per_million_tokens_out=1))[0]
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (None, None, None)


def test_a_refused_parameter_is_left_out_from_then_on_and_recorded(
    stub: Stub, tmp_path: Any
) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        if "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0.01 with this model."
            return failure(400, message, param="temperature", code="unsupported_value")
        return completion()

    stub.react = react
    replies = ask(spec(stub, tmp_path), times=3)
    assert [reply.omitted_parameters for reply in replies] == [("temperature",)] * 3
    assert all(reply.error_kind is None for reply in replies)
    assert ["temperature" in body for body in stub.bodies] == [True, False, False, False]
    assert all(body["max_tokens"] == 4096 for body in stub.bodies)


def test_max_tokens_goes_by_its_newer_name_where_the_endpoint_wants_that(
    stub: Stub, tmp_path: Any
) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        if "max_tokens" in body:
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
            return failure(400, message, code="unsupported_parameter")
        return completion()

    stub.react = react
    reply = ask(spec(stub, tmp_path))[0]
    assert reply.omitted_parameters == ("max_tokens",)
    assert stub.bodies[-1]["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens",
        "The request was: temperature 0.01, max_tokens 4096, and the prompt is odd",
    ],
)
def test_other_complaints_that_mention_a_parameter_change_nothing(
    stub: Stub, tmp_path: Any, message: str
) -> None:
    stub.react = lambda _body, _number: failure(400, message)
    reply = ask(spec(stub, tmp_path))[0]
    assert reply.error_kind in ("bad_request", "context_overflow")
    assert len(stub.bodies) == 1


def test_an_endpoint_that_refuses_everything_is_not_asked_for_ever(
    stub: Stub, tmp_path: Any
) -> None:
    stub.react = lambda body, _number: failure(
        400, "unsupported: temperature top_p seed max_tokens max_completion_tokens model messages"
    )
    assert ask(spec(stub, tmp_path, top_p=0.5, seed=1))[0].error_kind == "bad_request"
    assert len(stub.bodies) <= 7


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}])
def test_a_missing_key_names_its_variable_and_asks_nothing(
    stub: Stub, tmp_path: Any, environ: dict[str, str]
) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        ask(spec(stub, tmp_path), environ)
    assert stub.bodies == []


def test_a_key_that_cannot_be_one_is_refused_unseen(stub: Stub, tmp_path: Any) -> None:
    with pytest.raises(MissingKey) as caught:
        ask(spec(stub, tmp_path), {"OPENAI_API_KEY": f"“{CANARY}”"})
    assert CANARY not in str(caught.value)


def test_the_key_comes_from_the_variable_the_judge_names(stub: Stub, tmp_path: Any) -> None:
    ask(spec(stub, tmp_path, api_key_env="OTHER_KEY"), {"OTHER_KEY": "other-key-123", **ENVIRON})
    ask(spec(stub, tmp_path, api_key_env=""), ENVIRON)
    assert stub.keys == ["Bearer other-key-123", "Bearer none"]


def test_a_reply_that_repeats_the_key_is_kept_without_it(stub: Stub, tmp_path: Any) -> None:
    stub.react = lambda _body, _number: completion(f"your key is {CANARY} <score>4</score>")
    assert ask(spec(stub, tmp_path))[0].response == "your key is [key] <score>4</score>"


def test_identity_covers_what_reaches_the_endpoint(stub: Stub, tmp_path: Any) -> None:
    def identity(prompt: str = "p", **settings: Any) -> str:
        judge = make_judge(spec(stub, tmp_path, **settings), None, {})
        return json.dumps(judge.identity(request(prompt)), sort_keys=True)

    plain = identity()
    assert identity(concurrency=3, timeout_s=5) == plain
    assert identity("q") != plain
    assert identity(temperature=0.5) != plain
    assert identity(base_url="http://elsewhere/v1") != plain


def test_a_prompt_is_sent_with_every_setting_of_the_judge(stub: Stub, tmp_path: Any) -> None:
    settings = {
        "system_prompt": "Be fair.",
        "presence_penalty": 0.5,
        "reasoning_effort": "low",
        "top_logprobs": 5,
        "extra_body": {"min_p": 0.1},
    }
    ask(spec(stub, tmp_path, **settings))
    (body,) = stub.bodies
    assert body["messages"] == [
        {"role": "system", "content": "Be fair."},
        {"role": "user", "content": "the prompt"},
    ]
    assert (body["presence_penalty"], body["reasoning_effort"], body["min_p"]) == (0.5, "low", 0.1)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)


def test_a_refusal_is_an_answer_that_says_so(stub: Stub, tmp_path: Any) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I cannot judge this."}
    stub.react = lambda _, __: completion(
        choices=[{"index": 0, "finish_reason": "stop", "message": message}]
    )
    reply = ask(spec(stub, tmp_path))[0]
    assert (reply.response, reply.finish_reason) == ("I cannot judge this.", "refusal")


def test_an_answer_is_held_to_a_schema_where_the_endpoint_can(stub: Stub, tmp_path: Any) -> None:
    stub.react = lambda _, __: completion('{"score": 4}')
    replies = ask(spec(stub, tmp_path, answer_format="auto"))
    assert replies[0].answer_format == "json_schema"
    schema = stub.bodies[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["score"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}


def test_an_endpoint_that_cannot_hold_it_to_one_is_asked_for_text(
    stub: Stub, tmp_path: Any
) -> None:
    stub.react = lambda body, __: (
        failure(400, "response_format is not supported", param="response_format")
        if "response_format" in body
        else completion()
    )
    replies = ask(spec(stub, tmp_path, answer_format="auto"), times=2)
    assert [reply.answer_format for reply in replies] == ["text", "text"]
    assert replies[1].omitted_parameters == ("response_format",)
    assert len(stub.bodies) == 3


def test_a_choice_lists_the_labels(stub: Stub, tmp_path: Any) -> None:
    stub.react = lambda _, __: completion("4")
    reply = ask(spec(stub, tmp_path, answer_format="choice"))[0]
    assert stub.bodies[0]["guided_choice"] == ["1", "2", "3", "4", "5"]
    assert (reply.answer_format, reply.response) == ("choice", "4")


def token(text: str, **top: float) -> dict[str, Any]:
    listed = [{"token": name, "logprob": math.log(p)} for name, p in top.items()]
    return {"token": text, "logprob": math.log(top.get(text, 1.0)), "top_logprobs": listed}


def logprobs_of(content: str, tokens: list[dict[str, Any]], stub: Stub, tmp_path: Any) -> Reply:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content},
        "logprobs": {"content": tokens},
    }
    stub.react = lambda _, __: completion(choices=[choice])
    return ask(spec(stub, tmp_path, top_logprobs=3))[0]


def test_labels_have_their_probabilities_where_the_answer_was_decided(
    stub: Stub, tmp_path: Any
) -> None:
    # The 5 before the tag is no answer; " 4" and "4" are one label; "x" is none.
    tokens = [
        token("5"),
        token(" of"),
        token(" <score>"),
        token("\n"),
        token("4", **{"4": 0.5, " 4": 0.25, "3": 0.125, "x": 0.0625}),
        token("</score>"),
    ]
    reply = logprobs_of("5 of <score>\n4</score>", tokens, stub, tmp_path)
    assert reply.label_logprobs == pytest.approx({"4": math.log(0.75), "3": math.log(0.125)})
    assert reply.label_logprob_ceiling == pytest.approx(math.log(0.0625))


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        ("I say 4", ["I", " say", " 4"]),
        ("<score>-1</score>", ["<score>", "-", "1", "</score>"]),
        ("<score>4</score>", ["<score>", "5", "</score>"]),
        ("<score>4</score>", []),
    ],
)
def test_no_probability_is_taken_from_another_place(
    stub: Stub, tmp_path: Any, content: str, pieces: list[str]
) -> None:
    reply = logprobs_of(content, [token(piece) for piece in pieces], stub, tmp_path)
    assert reply.response == content
    assert reply.label_logprobs is None
    assert reply.label_logprob_ceiling is None
