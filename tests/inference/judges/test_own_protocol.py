"""An endpoint with JSON of its own shares the key, its redaction, prices and failures with others."""

from pathlib import Path

import pytest
from inference_fixtures import CANARY, KEY, judge, speech_request

from inference.judges.base import Reply
from inference.judges.endpoint import ForeignJson, ModelEndpoint, read_json
from inference.prices import Price


class _Words(ForeignJson):
    text: str
    stopped_by: str | None = None


class _Answer(ForeignJson):
    words: _Words
    read: int | None = None
    written: int | None = None


class Quill(ModelEndpoint):
    def reply(self, status: int, text: str) -> Reply:
        if status != 200:
            return self.rejected(status, text, body=text)
        try:
            answer = read_json(_Answer, text)
        except ValueError:
            return self.failed("malformed", "what the endpoint sent is no answer", text)
        counts = {"tokens_in": answer.read, "tokens_out": answer.written}
        return self.completed(answer.words.text, answer.words.stopped_by, None, **counts)


@pytest.fixture
def quill(tmp_path: Path) -> Quill:
    endpoint = Quill(judge(tmp_path, "openai/quill"), Price(2.0, None, 10.0, None, "here"))
    endpoint.read_key(KEY)
    return endpoint


@pytest.mark.parametrize(
    ("status", "text", "reply"),
    [
        (
            200,
            f'{{"words": {{"text": "4 {CANARY}"}}, "read": 100, "written": 5, "more": 1}}',
            Reply("4 [key]", tokens_in=100, tokens_out=5, cost_usd=250e-6),
        ),
        (
            200,
            '{"words": {"text": "half \\ud83d", "stopped_by": "end"}}',
            Reply("half ?", finish_reason="end"),
        ),
        (
            200,
            f'{{"words": "{CANARY}"}}',
            Reply(
                '{"words": "[key]"}',
                error_kind="malformed",
                error="what the endpoint sent is no answer",
            ),
        ),
        (
            429,
            f"slow down, {CANARY}",
            Reply(
                "slow down, [key]",
                error_kind="rate_limited",
                error="slow down, [key]",
                cost_usd=0.0,
            ),
        ),
    ],
)
def test_a_foreign_reply_becomes_a_reply(
    quill: Quill, status: int, text: str, reply: Reply
) -> None:
    assert quill.reply(status, text) == reply


def test_its_identity_is_the_address_and_its_own_parameters(quill: Quill) -> None:
    identity = quill.identity(speech_request(), {"quill_width": 3})
    assert identity == {
        "base_url": "https://api.openai.com/v1",
        "parameters": {"quill_width": 3},
    }
