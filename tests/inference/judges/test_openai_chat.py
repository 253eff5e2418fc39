import gzip
import json
import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from inference_fixtures import (
    CANARY,
    HANG_UP,
    Reaction,
    Stub,
    completion,
    failure,
    model,
    replies,
    speech_request,
)
from inference_fixtures import KEY as ENVIRON

from inference.errors import ERROR_KINDS, MissingKey
from inference.judges import make_judge
from inference.judges.base import Judge, Reply
from inference.judges.client import LONGEST_REPLY_BYTES
from inference.judges.endpoint import LONGEST_BODY
from inference.judges.request import Request

DECODING = {"temperature": 0.01, "max_tokens": 4096}


def request(prompt: str = "the prompt", number: int = 0) -> Request:
    labels = ("1", "2", "3", "4", "5")
    return speech_request(prompt, number, labels=labels, decoding=DECODING)


class Chat:
    def __init__(self, stub: Stub, folder: Path) -> None:
        self.stub = stub
        self._folder = folder

    def judge(self, environ: Mapping[str, str] = ENVIRON, **settings: Any) -> Judge:
        spec = model(self._folder, self.stub, **{"max_retries": 0, **settings})
        return make_judge(spec, None, environ)

    def ask_times(
        self, times: int, environ: Mapping[str, str] = ENVIRON, **settings: Any
    ) -> list[Reply]:
        return replies(self.judge(environ, **settings), *(request(number=n) for n in range(times)))

    def ask(self, environ: Mapping[str, str] = ENVIRON, **settings: Any) -> Reply:
        return self.ask_times(1, environ, **settings)[0]

    def reacts(self, reaction: Reaction) -> None:
        self.stub.react = lambda _body, _number: reaction


@pytest.fixture
def chat(stub: Stub, tmp_path: Path) -> Chat:
    return Chat(stub, tmp_path)


def test_a_reply_is_kept_whole_with_its_tokens_and_finish_reason(chat: Chat) -> None:
    reply = chat.ask()
    assert reply == Reply("<score>\n4\n</score>", None, None, "stop", 100, 5, model_version="stub")
    assert chat.stub.bodies == [
        {"model": "a-model", "messages": [{"role": "user", "content": "the prompt"}], **DECODING}
    ]
    assert chat.stub.keys == [f"Bearer {CANARY}"]


def test_cost_is_known_only_where_prices_are(chat: Chat) -> None:
    priced = chat.ask(usd_per_million_tokens_in=2.0, usd_per_million_tokens_out=10)
    # 100 tokens at 2 and 5 tokens at 10 dollars a million.
    assert priced.cost_usd == pytest.approx(250e-6)
    assert chat.ask(usd_per_million_tokens_in=2.0).cost_usd is None


def test_one_attempt_is_one_request_and_says_how_long_to_wait(chat: Chat) -> None:
    past = {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
    waits = {"Retry-After": "7"}, {"Retry-After-Ms": "250"}, past, {"Retry-After": "soon"}, {}
    chat.stub.react = lambda _, number: failure(429, "slow down", waits[number - 1])
    replies = chat.ask_times(5, max_retries=5)
    assert [reply.retry_after_s for reply in replies] == [7.0, 0.25, 0.0, None, None]
    assert len(chat.stub.bodies) == 5
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    chat.reacts(failure(429, "slow down", {"Retry-After": later}))
    assert 3000 < (chat.ask().retry_after_s or 0) <= 3600


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(chat: Chat, status: int) -> None:
    chat.reacts((status, {"Location": f"{chat.stub.url}/elsewhere?{CANARY}"}, ""))
    reply = chat.ask()
    assert (reply.error_kind, reply.cost_usd, len(chat.stub.bodies)) == ("redirected", 0.0, 1)
    assert f"{chat.stub.url}/elsewhere?[key]" in str(reply.error)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_decompressed_reply_is_read_up_to_a_limit(chat: Chat, status: int, encoding: str) -> None:
    longest = completion("x")
    padding = LONGEST_REPLY_BYTES - len(longest[2])
    for extra, kind in ((0, None if status == 200 else "server"), (1, "too_large")):
        body = str(longest[2]).encode() + b" " * (padding + extra)
        sent = gzip.compress(body) if encoding == "gzip" else body
        chat.reacts((status, {"Content-Encoding": encoding}, sent))
        assert chat.ask().error_kind == kind


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
def test_every_failure_has_its_kind_and_body(chat: Chat, reaction: Reaction, kind: str) -> None:
    chat.reacts(reaction)
    reply = chat.ask()
    assert reply.error_kind == kind
    assert reply.response == reaction[2].replace(CANARY, "[key]")
    assert kind in ERROR_KINDS
    assert reply.error
    assert CANARY not in reply.error


def test_an_endpoint_that_is_slow_hangs_up_or_is_not_there_fails_by_kind(chat: Chat) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        time.sleep(1)
        return completion()

    chat.stub.react = react
    assert chat.ask(timeout_s=0.2).error_kind == "timeout"
    chat.reacts(HANG_UP)
    assert chat.ask().error_kind == "connection"
    chat.stub.close()
    reply = chat.ask()
    assert reply.error_kind == "connection"
    assert "Cannot connect to host 127.0.0.1" in str(reply.error)


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (None, {}, ("", "stop")),
        ("", {}, ("", "stop")),
        (None, {"refusal": "I cannot."}, ("I cannot.", "refusal")),
    ],
)
def test_an_empty_reply_is_a_reply_and_a_refusal_says_so(
    chat: Chat, content: str | None, more: dict[str, str], said: tuple[str, str]
) -> None:
    message = {"role": "assistant", "content": content, **more}
    chat.reacts(completion(choices=[{"index": 0, "finish_reason": "stop", "message": message}]))
    reply = chat.ask()
    assert (reply.response, reply.finish_reason, reply.error_kind) == (*said, None)


def test_a_reply_without_usage_has_unknown_tokens(chat: Chat) -> None:
    chat.reacts(completion(usage=None))
    reply = chat.ask(usd_per_million_tokens_in=1, usd_per_million_tokens_out=1)
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (None, None, None)


def test_a_refused_parameter_is_left_out_from_then_on_and_recorded(chat: Chat) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        if "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0.01 with this model."
            return failure(400, message, param="temperature", code="unsupported_value")
        return completion()

    chat.stub.react = react
    replies = chat.ask_times(3)
    assert [reply.omitted_parameters for reply in replies] == [("temperature",)] * 3
    assert all(reply.error_kind is None for reply in replies)
    assert ["temperature" in body for body in chat.stub.bodies] == [True, False, False, False]
    assert all(body["max_tokens"] == 4096 for body in chat.stub.bodies)


def test_max_tokens_goes_by_its_newer_name_where_the_endpoint_wants_that(chat: Chat) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        if "max_tokens" in body:
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
            return failure(400, message, code="unsupported_parameter")
        return completion()

    chat.stub.react = react
    reply = chat.ask()
    assert reply.omitted_parameters == ("max_tokens",)
    assert chat.stub.bodies[-1]["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens",
        "The request was: temperature 0.01, max_tokens 4096, and the prompt is odd",
    ],
)
def test_other_complaints_that_mention_a_parameter_change_nothing(chat: Chat, message: str) -> None:
    chat.reacts(failure(400, message))
    reply = chat.ask()
    assert reply.error_kind in ("bad_request", "context_overflow")
    assert len(chat.stub.bodies) == 1


def test_an_endpoint_that_refuses_everything_is_not_asked_for_ever(chat: Chat) -> None:
    chat.stub.react = lambda body, _number: failure(
        400, "unsupported: temperature top_p seed max_tokens max_completion_tokens model messages"
    )
    assert chat.ask(top_p=0.5, seed=1).error_kind == "bad_request"
    assert len(chat.stub.bodies) <= 7


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}])
def test_a_missing_key_is_named_and_asks_nothing(chat: Chat, environ: dict[str, str]) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        chat.ask(environ)
    assert chat.stub.bodies == []


def test_the_key_comes_from_the_variable_the_judge_names(chat: Chat) -> None:
    with pytest.raises(MissingKey) as caught:
        chat.ask({"OPENAI_API_KEY": f"“{CANARY}”"})
    assert CANARY not in str(caught.value)
    chat.ask({"OTHER_KEY": "other-key-123", **ENVIRON}, api_key_env="OTHER_KEY")
    chat.ask(ENVIRON, api_key_env="")
    assert chat.stub.keys == ["Bearer other-key-123", "Bearer none"]


ESCAPED = "".join(f"\\u{ord(each):04X}" for each in CANARY)


@pytest.mark.parametrize(
    "echo", [CANARY, ESCAPED, CANARY.replace("-", "%2d"), CANARY.replace("-", "\\u002D")]
)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_echoed_key_is_struck_however_it_is_escaped(chat: Chat, echo: str, status: int) -> None:
    shapes: list[str] = [
        f'{{"error": {{"message": "Bearer {echo}", "headers": {{"a": "{echo}"}}}}}}',
        f"<html>{echo}</html>",
        str(completion(f"Authorization: {echo}", model=echo)[2]),
        str(completion(f"Authorization: {echo}", model=echo)[2]).replace("\\\\", "\\"),
    ]
    for body in shapes:
        chat.reacts((status, {}, body))
        kept = repr(chat.ask())
        for form in (CANARY, echo, repr(echo)[1:-1]):
            assert form not in kept
        assert "[key]" in kept


def test_of_a_key_where_a_long_reply_is_cut_no_part_is_kept(chat: Chat) -> None:
    for begins in range(LONGEST_BODY - len(CANARY), LONGEST_BODY):
        body = " " * begins + CANARY
        chat.reacts((200, {"Content-Type": "text/html"}, body))
        assert not (chat.ask().response or "").strip(" [key]")


def test_identity_covers_what_reaches_the_endpoint(chat: Chat) -> None:
    def identity(prompt: str = "p", **settings: Any) -> str:
        judge = chat.judge({}, **settings)
        return json.dumps(judge.identity(request(prompt)), sort_keys=True)

    plain = identity()
    assert identity(concurrency=3, timeout_s=5) == plain
    assert identity("q") != plain
    assert identity(temperature=0.5) != plain
    assert identity(base_url="http://elsewhere/v1") != plain


def test_a_prompt_is_sent_with_every_setting_of_the_judge(chat: Chat) -> None:
    settings = {
        "system_prompt": "Be fair.",
        "temperature": 0.7,
        "top_p": 0.9,
        "seed": 3,
        "presence_penalty": 0.5,
        "reasoning_effort": "low",
        "top_logprobs": 5,
        "extra_body": {"min_p": 0.1},
    }
    chat.ask(**settings)
    (body,) = chat.stub.bodies
    assert body["messages"] == [
        {"role": "system", "content": "Be fair."},
        {"role": "user", "content": "the prompt"},
    ]
    assert (body["presence_penalty"], body["reasoning_effort"], body["min_p"]) == (0.5, "low", 0.1)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
    # The judge's own settings come before the experiment's.
    assert (body["temperature"], body["top_p"], body["seed"]) == (0.7, 0.9, 3)
    assert body["max_tokens"] == 4096


def test_an_answer_is_held_to_a_schema_or_a_choice_where_the_endpoint_can(chat: Chat) -> None:
    chat.reacts(completion('{"score": 4}'))
    assert chat.ask(answer_format="auto").answer_format == "json_schema"
    schema = chat.stub.bodies[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["score"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    chat.reacts(completion("4"))
    reply = chat.ask(answer_format="choice")
    assert chat.stub.bodies[1]["guided_choice"] == ["1", "2", "3", "4", "5"]
    assert (reply.answer_format, reply.response) == ("choice", "4")


def test_an_endpoint_that_cannot_hold_it_to_one_is_asked_for_text(chat: Chat) -> None:
    chat.stub.react = lambda body, __: (
        failure(400, "response_format is not supported", param="response_format")
        if "response_format" in body
        else completion()
    )
    replies = chat.ask_times(2, answer_format="auto")
    assert [reply.answer_format for reply in replies] == ["text", "text"]
    assert replies[1].omitted_parameters == ("response_format",)
    assert len(chat.stub.bodies) == 3


def token(text: str, **top: float) -> dict[str, Any]:
    listed = [{"token": name, "logprob": math.log(p)} for name, p in top.items()]
    return {"token": text, "logprob": math.log(top.get(text, 1.0)), "top_logprobs": listed}


def logprobs_of(chat: Chat, content: str, tokens: list[dict[str, Any]]) -> Reply:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content},
        "logprobs": {"content": tokens},
    }
    chat.reacts(completion(choices=[choice]))
    return chat.ask(top_logprobs=3)


def test_labels_have_their_probabilities_where_the_answer_was_decided(chat: Chat) -> None:
    # The 5 before the tag is no answer; " 4" and "4" are one label; "x" is none.
    tokens = [
        token("5"),
        token(" of"),
        token(" <score>"),
        token("\n"),
        token("4", **{"4": 0.5, " 4": 0.25, "3": 0.125, "x": 0.0625}),
        token("</score>"),
    ]
    reply = logprobs_of(chat, "5 of <score>\n4</score>", tokens)
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
def test_other_places_give_no_probability(chat: Chat, content: str, pieces: list[str]) -> None:
    reply = logprobs_of(chat, content, [token(piece) for piece in pieces])
    assert reply.response == content
    assert reply.label_logprobs is None
    assert reply.label_logprob_ceiling is None
