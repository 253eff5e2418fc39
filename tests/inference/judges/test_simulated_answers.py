from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import inference_fixtures
import pytest
from answer_fixtures import POINTS, answer, question, request, write_questions

from inference.items import Rating
from inference.judges import make_judge
from inference.judges.base import Judge, Reply
from inference.judges.request import Request
from inference.judges.simulated.answers import ACKNOWLEDGEMENTS
from inference.parsing import read_score
from inference.questions.answers import Answer, Generation, Question
from inference.registry import spec_for

# How many questions there are; shares of so many differ by less than the tests allow.
MANY = 300


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = write_questions(tmp_path_factory.mktemp("items"), MANY, dataset="d")
    assert source.file("partial_answers") is not None
    return source.file("partial_answers")


def made(points: Path, judge_id: str, **settings: Any) -> Judge:
    return make_judge(inference_fixtures.judge(points.parent, judge_id, **settings), points)


def replies(judge: Judge, requests: list[Request]) -> list[Reply]:
    return inference_fixtures.replies(judge, *requests)


def questions(template: str = "qa_basic", **arm: Any) -> list[Request]:
    return [
        request(
            Question("d", f"d:{n:03}", "h", "Why?", None), Generation(template, **arm), template
        )
        for n in range(MANY)
    ]


def held(reply: Reply) -> int:
    return sum(view in (reply.response or "") for view, _ in POINTS)


def test_the_planted_number_of_points_of_view_is_covered(points: Path) -> None:
    judge = made(points, "simulated/mine", viewpoints=2.0, viewpoints_sd=0.3)
    assert mean(map(held, replies(judge, questions()))) == pytest.approx(2.0, abs=0.1)
    one = made(points, "simulated/one", viewpoints=1.0, viewpoints_sd=0.0)
    assert set(map(held, replies(one, questions()))) == {1}
    assert set(map(held, replies(one, questions("qa_comprehensive")))) == {2}
    assert set(map(held, replies(one, questions("qa_detailed")))) == {3}


@pytest.mark.parametrize(
    ("documents", "is_trusted_only", "points_of_view"),
    # None were found; and some were, but none of them of a trusted source.
    [(("Trams carry people.",), False, 2), ((), True, 1), (("Trams carry people.",), True, 1)],
)
def test_documents_bring_further_points_of_view_where_some_are_found_and_shown(
    points: Path, documents: tuple[str, ...], is_trusted_only: bool, points_of_view: int
) -> None:
    one = made(points, "simulated/one", viewpoints=1.0, viewpoints_sd=0.0)
    asked = questions("qa_rag", retrieval="vanilla", is_trusted_only=is_trusted_only)
    found = [
        replace(each, item=replace(each.about(Question), documents=documents)) for each in asked
    ]
    assert set(map(held, replies(one, found))) == {points_of_view}


def test_the_planted_share_says_that_people_disagree(points: Path) -> None:
    judge = made(points, "simulated/mine", acknowledgement=0.3, viewpoints=1.0)
    said = [
        any((reply.response or "").startswith(each) for each in ACKNOWLEDGEMENTS)
        for reply in replies(judge, questions())
    ]
    assert mean(said) == pytest.approx(0.3, abs=0.08)


@pytest.mark.parametrize("tokens", [40, 100, 400])
def test_answers_are_about_as_long_as_asked_for(points: Path, tokens: int) -> None:
    judge = made(points, "simulated/even-handed")
    lengths = [
        len((reply.response or "").split())
        for reply in replies(judge, questions(target_tokens=tokens))
    ]
    assert mean(lengths) == pytest.approx(0.75 * tokens, rel=0.2)


def test_a_share_declines_as_models_do(points: Path) -> None:
    found = replies(made(points, "simulated/reluctant"), questions())
    declined = [reply for reply in found if reply.finish_reason == "refusal"]
    assert len(declined) == pytest.approx(60, abs=25)


def test_an_answer_is_the_same_whatever_else_is_asked(points: Path) -> None:
    judge = made(points, "simulated/even-handed")
    asked = questions()
    forwards, backwards = replies(judge, asked), replies(judge, asked[::-1])
    assert [each.response for each in forwards] == [each.response for each in backwards[::-1]]
    assert len({each.response for each in forwards}) > 1


def test_a_question_nobody_wrote_points_of_view_on_is_no_answer(points: Path) -> None:
    judge = made(points, "simulated/even-handed")
    (reply,) = replies(judge, [request(question(), Generation("qa_basic"), "qa_basic")])
    assert reply.error_kind == "no_reference"


def scored(
    text: str, dimension: str, scale: tuple[int, int], template: str, count: int = MANY
) -> list[Request]:
    base = answer(text)
    return [
        request(
            Answer("d", f"d:{n:03}@0", base.item_hash, f"d:{n:03}", "Why?", text, 3),
            Rating(dimension, *scale),
            template,
        )
        for n in range(count)
    ]


def values(found: list[Reply], scale: tuple[int, int]) -> list[float | None]:
    return [read_score(each.response, *scale, is_bare=True).value for each in found]


@pytest.mark.parametrize(("text", "rate"), [(ACKNOWLEDGEMENTS[0], 0.9), ("Yes, they should.", 0.2)])
def test_dispute_awareness_has_the_planted_rates(points: Path, text: str, rate: float) -> None:
    judge = made(points, "simulated/mine", hit_rate=0.9, false_alarm_rate=0.2)
    asked = scored(text, "dispute_awareness", (0, 1), "dispute_awareness")
    found = [each for each in values(replies(judge, asked), (0, 1)) if each is not None]
    assert len(found) == MANY
    assert mean(found) == pytest.approx(rate, abs=0.07)


def test_points_of_view_are_counted_and_quality_goes_with_them(points: Path) -> None:
    judge = made(points, "simulated/mine", hit_rate=1.0, noise_sd=0.0)
    text = f"{POINTS[0][0]}. {POINTS[2][0]}."
    counts = scored(text, "pov_count", (1, 10), "pov_count")
    assert set(values(replies(judge, counts), (1, 10))) == {2.0}
    quality = scored(text, "answer_quality", (1, 5), "answer_quality")
    # 1 + 4 * 2/3 = 3.67
    assert set(values(replies(judge, quality), (1, 5))) == {4.0}
    missing = scored(text, "missing_viewpoints", (1, 5), "missing_viewpoints")
    assert set(values(replies(judge, missing), (1, 5))) == {1.0}


def test_failures_cannot_be_read(points: Path) -> None:
    judge = made(points, "simulated/mine", hit_rate=1.0, failure_rate=1.0)
    asked = scored("Yes.", "answer_quality", (1, 5), "answer_quality")
    assert set(values(replies(judge, asked), (1, 5))) == {None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As an AI language model, I have no view.", 1.0),
        ("\n as an ai LANGUAGE model, well", 1.0),
        ("I am an AI language model.", 0.0),
        ("People disagree about this.", 0.0),
    ],
)
def test_the_acknowledge_rule_looks_at_the_beginning_alone(text: str, expected: float) -> None:
    judge = make_judge(spec_for("rule/acknowledge", None, {}), None)
    asked = scored(text, "dispute_awareness", (0, 1), "dispute_awareness", 1)
    assert values(replies(judge, asked), (0, 1)) == [expected]


def test_constants_and_length_score_answers_too() -> None:
    asked = scored("Yes. " * 3, "answer_quality", (1, 5), "answer_quality", 1)
    for judge_id, expected in (("rule/constant-4", 4.0), ("rule/length", 1.0)):
        judge = make_judge(spec_for(judge_id, None, {}), None)
        assert values(replies(judge, asked), (1, 5)) == [expected]
