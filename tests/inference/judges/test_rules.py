import asyncio
from pathlib import Path

import pytest
from inference_fixtures import judges_file, speech_request

from inference.judges import make_judge
from inference.judges.request import Request
from inference.parsing import parse_score
from inference.registry import spec_for


def request(
    word_count: int, scale: tuple[int, int] = (1, 5), prompt: str = "speech_score"
) -> Request:
    return speech_request(word_count=word_count, scale=scale, template=prompt)


def score(judge_id: str, asked: Request, judges_file: Path | None = None) -> float | None:
    judge = make_judge(spec_for(judge_id, judges_file, {}), None)
    reply = asyncio.run(judge.ask(asked))
    assert reply.response is not None
    assert reply.cost_usd == 0.0
    return parse_score(reply.response, asked.item.scale_min, asked.item.scale_max).value


def test_a_constant_judge_always_says_the_same() -> None:
    assert {score("rule/constant-2", request(words)) for words in (1, 100, 10_000)} == {2.0}


def test_a_constant_off_the_scale_is_unparsed_and_not_moved() -> None:
    assert score("rule/constant-9", request(10)) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [(0, 1), (74, 1), (75, 2), (149, 2), (150, 3), (300, 4), (599, 4), (600, 5), (9999, 5)],
)
def test_length_scores_by_the_cut_points_reached(words: int, expected: int) -> None:
    assert score("rule/length", request(words)) == expected


def test_cut_points_can_be_set_and_the_scale_holds(tmp_path: Path) -> None:
    path = judges_file(tmp_path, "rule/length", cut_points=[10, 20, 30, 40, 50, 60])
    assert score("rule/length", request(25), path) == 3
    assert score("rule/length", request(1000), path) == 5
    assert score("rule/length", request(25, scale=(0, 10)), path) == 2


def test_reasons_come_where_they_are_asked_for() -> None:
    judge = make_judge(spec_for("rule/length", None, {}), None)
    plain = asyncio.run(judge.ask(request(75)))
    justified = asyncio.run(judge.ask(request(75, prompt="speech_score_justified")))
    assert plain.response == "<score>\n2\n</score>"
    assert justified.response is not None
    assert justified.response.startswith("<scratchpad>\nThe speech has 75 words.")
    assert parse_score(justified.response).value == 2
