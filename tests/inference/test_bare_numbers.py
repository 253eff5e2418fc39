import pytest
from inference_fixtures import cases

from inference.parsing import first_binary_digit, parse_number, read_score


@pytest.mark.parametrize(
    "response",
    [
        "4",
        " 4\n",
        "**4**",
        "4.",
        "4.0",
        "4/5",
        "[4]",
        "Quality: 4",
        "- Quality: 4",
        "Evaluation Form:4",
        "* Score : **4**",
        "<think>3 or 5?</think>4",
        "3 or 4</think>\n4",
    ],
)
def test_a_number_alone_or_in_its_form_is_read(response: str) -> None:
    assert parse_number(response).value == 4


@pytest.mark.parametrize(
    ("response", "reason"),
    cases(
        {
            "empty_response": "| \n",
            "not_a_number": "four|I give it a 4|4 because it is good|4 5|Quality:|Quality: good"
            "|Quality: 4: really|<think>4</think>|<think>4|<score>4</score>",
            "not_whole": "3.5",
            "out_of_range": "9|0",
            "wrong_denominator": "4/10",
        }
    ),
)
def test_anything_else_is_unparsed_with_the_reason(response: str, reason: str) -> None:
    parsed = parse_number(response)
    assert (parsed.value, parsed.status, parsed.reason) == (None, "unparsed", reason)


@pytest.mark.parametrize(
    ("response", "answer_format", "finish_reason", "expected"),
    [
        ("1", "text", "stop", 1),
        ('{"score": 0}', "json_schema", "stop", 0),
        ("1", "json_schema", "stop", 1),
        ("0", "label_scoring", "stop", 0),
        ("Response: 1", "choice", "stop", 1),
        ("maybe", "text", "length", None),
    ],
)
def test_the_way_of_asking_decides_how_a_bare_number_is_read(
    response: str, answer_format: str, finish_reason: str, expected: int | None
) -> None:
    parsed = read_score(response, 0, 1, answer_format, finish_reason, is_bare=True)
    assert parsed.value == expected
    if expected is None:
        assert parsed.reason == "truncated"


@pytest.mark.parametrize(
    ("prompt", "response", "expected"),
    [
        ("Say it.", "0 or 1", 0),
        ("Say it.", "2, then 1", 1),
        ("Say it.", "no digit", None),
        # The prompt decides, whatever the model wrote.
        ("Response: 1 ... Response: 0", "0", 1),
        ("10 examples", "0", 1),
    ],
)
def test_the_released_rule_takes_the_first_digit_of_prompt_and_reply(
    prompt: str, response: str, expected: int | None
) -> None:
    assert first_binary_digit(prompt, response) == expected
