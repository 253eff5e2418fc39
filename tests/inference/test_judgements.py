import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.oversight.judgements import REASONS, probability_of_labels, read_judgement

BOTH = "Probability that A is right: {}\nProbability that B is right: {}"
FORMS = (
    "Probability that {letter} is right: {p}",
    "**Probability that {letter} is right:** {p}",
    "- probability that answer {letter} is correct = **{p}**.",
    "<think>Probability that A is right: 0.11</think>\nI weighed both.\n"
    "`Probability that {letter} is right: {p}`\n",
)


@given(
    hundredths=st.integers(0, 100),
    form=st.sampled_from(FORMS),
    letter=st.sampled_from("AB"),
    order=st.sampled_from(("01", "10")),
    is_percent=st.booleans(),
)
def test_a_probability_is_that_of_answer_0_however_it_is_written(
    hundredths: int, form: str, letter: str, order: str, is_percent: bool
) -> None:
    p = f"{hundredths} %" if is_percent else f"{hundredths / 100:.2f}"
    said = read_judgement(form.format(letter=letter, p=p), "probability", order)
    is_of_answer_0 = (letter == "A") == (order == "01")
    expected = hundredths if is_of_answer_0 else 100 - hundredths
    assert said == (expected / 100, None, "parsed", None)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        *cases(
            {
                (0.73, None): "0.73|73%",
                (0.5, None): "50/50|Probability that A is right: 50/50"
                "|Probability that A is right: 0.5",
                (None, "out_of_range"): "Probability that A is right: 1.2"
                "|Probability that A is right: 73|Probability that A is right: -0.1"
                "|Probability that A is right: 120%",
                (None, "not_a_number"): "Probability that A is right: 60/40"
                "|Probability that A is right: 0.6 or so|Probability that A is right: nan",
                (None, "no_probability"): "I lean towards A, with 0.7 or so.",
            }
        ),
        (BOTH.format(0.6, 0.4), (0.6, None)),
        (BOTH.format(0.6, 0.6), (None, "conflicting_values")),
        ("", (None, "empty_response")),
        (None, (None, "empty_response")),
    ],
)
def test_an_unclear_reply_is_no_number(
    response: str | None, expected: tuple[float | None, str | None]
) -> None:
    said = read_judgement(response, "probability", "01")
    assert (said.p_answer_0, said.reason) == expected
    assert said.reason in (None, *REASONS)


def test_why_a_judge_stopped_explains_what_cannot_be_read_and_takes_nothing_away() -> None:
    assert read_judgement("I will not.", "probability", "01", None, "refusal").reason == "refused"
    said = "Probability that A is right: 0.7\nBec"
    cut = read_judgement(said, "probability", "01", None, "length")
    assert cut.p_answer_0 == 0.7


@pytest.mark.parametrize(
    ("response", "order", "choice", "reason"),
    [
        ("A", "01", 0, None),
        ("A", "10", 1, None),
        ("**b**.", "01", 1, None),
        ("A or B", "01", None, "both_labels"),
        ("Neither", "01", None, "not_a_label"),
    ],
)
def test_a_choice_is_one_letter(
    response: str, order: str, choice: int | None, reason: str | None
) -> None:
    said = read_judgement(response, "choice", order)
    assert (said.choice, said.p_answer_0, said.reason) == (choice, None, reason)


def test_json_is_read_where_it_was_asked_for() -> None:
    def read(text: str, asked_for: str) -> tuple[float | None, int | None, str | None]:
        said = read_judgement(text, asked_for, "10", "json_schema")
        return said.p_answer_0, said.choice, said.reason

    assert read('{"probability": 0.9}', "probability") == (0.1, None, None)
    assert read('{"probability": 1.2}', "probability") == (None, None, "out_of_range")
    assert read('{"probability": true}', "probability") == (None, None, "no_probability")
    twice = '{"probability": 0.1, "probability": 0.2}'
    assert read(twice, "probability")[2] == "conflicting_values"
    # An endpoint that ignored the schema answers as the prompt says.
    assert read("Probability that A is right: 90%", "probability") == (0.1, None, None)
    assert read('{"answer": "A"}', "choice") == (None, 1, None)


def test_letters_have_a_probability_where_both_were_seen() -> None:
    both = {"A": math.log(0.6), "B": math.log(0.2)}
    assert probability_of_labels(both, None, "01") == pytest.approx(0.75)
    assert probability_of_labels(both, None, "10") == pytest.approx(0.25)
    assert probability_of_labels({"A": math.log(0.6)}, math.log(0.1), "01") is None
