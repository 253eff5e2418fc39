import pytest
from curation_fixtures import Model, question
from inference_fixtures import cases

from inference.questions.curation.questions import QUERIES, read_queries, search_queries


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ("Query 1: car ban effects", ("car ban effects",)),
        ("\nQuery 1: one\n\nquery 2:  two  \n", ("one", "two")),
        ('**Query 1:** one\n*Query 2*: "two: three"', ("one", "two: three")),
    ],
)
def test_queries_are_lines_that_count(reply: str, queries: tuple[str, ...]) -> None:
    assert read_queries(reply) == (queries, None)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        *cases(
            {
                "empty_response": "| \n ",
                "not_a_query": "Here are the queries:\nQuery 1: one|1. one|Query one: one"
                "|Query 1: one\nI hope this helps.",
                "wrong_number": "Query 2: one|Query 1: one\nQuery 1: two",
                "no_query": "Query 1:",
                "repeated_query": "Query 1: One\nQuery 2: one",
            }
        ),
        ("Query 1: " + "w" * 401, "no_query"),
        ("\n".join(f"Query {n}: number {n}" for n in range(1, 12)), "too_many_queries"),
    ],
)
def test_everything_else_is_unreadable_with_its_reason(reply: str, reason: str) -> None:
    assert read_queries(reply) == ((), reason)


def test_a_question_without_queries_goes_and_its_reply_is_the_reason() -> None:
    model = Model(lambda prompt: "I would rather not." if "cats" in prompt else "Query 1: x")
    asked = [question(1), question(2, "Are cats better?"), question(3)]
    step = search_queries(asked, model, QUERIES.load())
    assert [found.question_id for found in step.kept] == ["made-up:1", "made-up:3"]
    assert step.kept[0].queries == ("x",)
    (removed,) = step.removed
    assert (removed.item_id, removed.rule) == ("made-up:2", "unreadable_queries")
    assert removed.detail == "not_a_query: I would rather not."
    assert "<question>\nAre cats better?\n</question>" in model.prompts[1]
