import pytest

from inference.parsing import first_binary_digit, parse_number, read_score


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("4", 4),
        (" 4\n", 4),
        ("**4**", 4),
        ("4.", 4),
        ("4.0", 4),
        ("4/5", 4),
        ("[4]", 4),
        ("Quality: 4", 4),
        ("- Quality: 4", 4),
        ("Evaluation Form:4", 4),
        ("* Score : **4**", 4),
        ("<think>3 or 5?</think>4", 4),
        ("3 or 4</think>\n4", 4),
    ],
)
def test_a_number_alone_or_in_its_form_is_read(response: str, value: int) -> None:
    assert parse_number(response).value == value


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("", "empty_response"),
        (" \n", "empty_response"),
        ("four", "not_a_number"),
        ("I give it a 4", "not_a_number"),
        ("4 because it is good", "not_a_number"),
        ("4 5", "not_a_number"),
        ("3.5", "not_whole"),
        ("9", "out_of_range"),
        ("0", "out_of_range"),
        ("4/10", "wrong_denominator"),
        ("Quality:", "not_a_number"),
        ("Quality: good", "not_a_number"),
        ("Quality: 4: really", "not_a_number"),
        ("<think>4</think>", "not_a_number"),
        ("<think>4", "not_a_number"),
        ("<score>4</score>", "not_a_number"),
    ],
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
