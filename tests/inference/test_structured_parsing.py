from typing import Any

import pytest
from inference_fixtures import cases

from inference import json_text
from inference.parsing import (
    STOPPED,
    ParsedLabel,
    ParsedScore,
    parse_score_json,
    parse_verdict_json,
    read_score,
    read_verdict,
    read_winner,
)


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ('{"score": 4}', 4),
        (' {"reasons": "It says {\\"score\\": 1}.", "score": 4}\n', 4),
        ('{"reasons": "<think>a thought kept as text</think>", "score": 2}', 2),
        ('{"score": 4.0}', 4),
        ('{"score": "4"}', 4),
        ('```json\n{"score": 3}\n```', 3),
        ('```\n{"score": 3}```', 3),
        ('<think>Perhaps {"score": 1}?</think>{"score": 3}', 3),
        ('{"score": 3, "score": 3}', 3),
    ],
)
def test_the_score_field_of_one_object_is_read(response: str, value: int) -> None:
    assert parse_score_json(response) == ParsedScore(float(value), "parsed", None)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        *cases(
            {
                "empty_response": " ",
                "not_json": '4|["score", 4]|{"score": 4|{"score": 4} and more|First {"score": 4}'
                '|{"score": 4}{"score": 4}|{"score": NaN}|{"score": Infinity}',
                "no_score_field": '{}|{"Score": 4}|{"answer": {"score": 4}}',
                "not_a_number": '{"score": null}|{"score": true}|{"score": [4]}|{"score": ""}'
                '|{"score": "four"}',
                "out_of_range": '{"score": 1e400}|{"score": 6}',
                "not_whole": '{"score": 3.5}',
                "wrong_denominator": '{"score": "4/10"}',
                "conflicting_scores": '{"score": 2, "score": 3}|{"score": true, "score": 1}'
                '|{"score": 1, "x": 2, "score": true}'
                '|{"score": [1, {"a": 0}], "score": [true, {"a": false}]}',
            }
        ),
        ('{"score": ' + "9" * 5000 + "}", "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"a": ' * 100_000, "not_json"),
    ],
)
def test_no_other_json_is_a_score(response: str, reason: str) -> None:
    assert parse_score_json(response) == ParsedScore(None, "unparsed", reason)


@pytest.mark.parametrize("answer_format", ["choice", "label_scoring"])
def test_a_bare_label_is_a_score_of_the_scale(answer_format: str) -> None:
    assert read_score(" 4\n", 1, 5, answer_format) == ParsedScore(4.0, "parsed", None)
    assert read_score("-1", -1, 1, answer_format).value == -1
    assert read_score("0", -1, 1, answer_format).value == 0
    assert read_score(" \n", 1, 5, answer_format).reason == "empty_response"
    for other in ("6", "4.0", "04", "-0", "four", "9" * 5000):
        assert read_score(other, 1, 5, answer_format).reason == "not_a_label"


def test_the_rule_follows_the_format_the_answer_was_asked_in() -> None:
    assert read_score("<score>4</score>").value == 4
    assert read_score('{"score": 4}').reason == "no_score_tag"
    assert read_score('{"score": 4}', answer_format="json_schema").value == 4
    assert read_score("4", answer_format="choice").value == 4
    assert read_score("4").value is None
    assert read_score(None).reason == "empty_response"
    with pytest.raises(ValueError, match="json_schema, choice or label_scoring; found 'xml'"):
        read_score("4", answer_format="xml")


@pytest.mark.parametrize("answer_format", ["json_schema", "choice", "label_scoring"])
def test_an_ignored_format_is_read_as_the_prompt_asked(answer_format: str) -> None:
    reply = "<scratchpad>Good.</scratchpad><score>4</score>"
    assert read_score(reply, 1, 5, answer_format) == ParsedScore(4.0, "parsed", None)


@pytest.mark.parametrize(("finish", "reason"), sorted(STOPPED.items()))
def test_the_finish_reason_explains_only_a_missing_score(finish: str, reason: str) -> None:
    assert read_score("I would", 1, 5, "text", finish).reason == reason
    assert read_score("", 1, 5, "json_schema", finish).reason == reason
    assert read_score("<score>4</score>", 1, 5, "text", finish).value == 4
    assert read_score("I would", 1, 5, "text", "stop").reason == "no_score_tag"


@pytest.mark.parametrize(
    ("judgment", "winner"),
    [
        ('{"winner": "PRO"}', "pro"),
        ('{"winner": " Con ", "scores": {"clash": {"PRO": 5, "CON": 1}}}', "con"),
        ('{"winner": "TIE"}', "tie"),
        ('Prose.\n\n```json\n{\n  "winner": "CON"\n}\n```\n', "con"),
        ('Prose with {braces}, then {"winner": "PRO", "s": {"a": {"b": 1}}}', "pro"),
        ('As asked: ```json\n{"winner": "PRO"}\n```\nMine: ```json\n{"winner": "CON"}\n```', "con"),
        ('{"winner": "PRO"} no: {"winner": "CON", "short_reason": "a } and a { in text"}', "con"),
        ('{"winner": "PRO", "winner": "PRO"}', "pro"),
    ],
)
def test_the_last_object_of_a_judgment_names_the_winner(judgment: str, winner: str) -> None:
    assert parse_verdict_json(judgment) == ParsedLabel(winner, "parsed", None)


@pytest.mark.parametrize(
    ("judgment", "reason"),
    cases(
        {
            "empty_response": "",
            "not_json": 'PRO wins.|{"winner": "PRO"} Hope this helps!|["winner", "PRO"]'
            '|```json\n{"winner": "PRO"}\n```\nOn reflection, CON wins.|{"winner": "PRO"'
            '|{"winner": "PRO", "confidence": NaN}',
            "no_winner": '{"verdict": "PRO"}|{"nested": {"winner": "PRO"}}|{"winner": null}'
            '|{"winner": " "}',
            "both_labels": '{"winner": "PRO or CON"}|{"winner": "pro/con"}'
            '|{"winner": "PRO", "winner": "CON"}',
            "not_a_label": '{"winner": "gpt-4o"}|{"winner": "PROFESSIONAL"}|{"winner": ["PRO"]}'
            '|{"winner": true}',
        }
    ),
)
def test_no_other_ending_names_a_winner(judgment: str, reason: str) -> None:
    assert parse_verdict_json(judgment) == ParsedLabel(None, "unparsed", reason)


def test_a_winner_in_a_field_of_its_own_is_read_by_the_same_words() -> None:
    assert read_winner("PRO").label == "pro"
    assert read_winner(None).reason == "no_winner"
    assert read_winner(1).reason == "not_a_label"


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 100_000,
        '{"a":1}' * 50_000 + "}",
        "{" * 300_000 + "}",
        "```" * 200_000 + "}",
        '{"a":{"b":1},' * 50_000 + "}",
        "```" + " \n" * 200_000 + "```",
        '{"' + "a" * 1_000_000,
        '{"a":' * 900 + "[" + "1," * 250_000 + "}",
    ],
)
def test_a_long_hostile_reply_is_partly_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[int] = []

    def counted(text: str, start: int) -> Any:
        starts.append(start)
        return object_at(text, start)

    object_at = json_text._object_at
    monkeypatch.setattr(json_text, "_object_at", counted)
    assert parse_verdict_json(text).label is None
    assert parse_score_json(text).value is None
    assert sum(len(text) - start for start in starts) <= 20_000_000 + 2 * len(text)


@pytest.mark.parametrize(
    ("arguments", "winner"),
    [
        (("pro",), "pro"),
        (("Con.",), "con"),
        (("**PRO**",), "pro"),
        (("tie",), "tie"),
        (("A", "A", "B"), "pro"),
        (("b", "A", "B"), "con"),
        (("con", "con", "pro"), "pro"),
        (("A", "A", "B", "loser"), "con"),
        (('Reasons: {A}. {"winner": "B"}', "A", "B"), "con"),
        (('{"winner": "A"}', "A", "B", "loser"), "pro"),
        (('{"loser": "A"}', "A", "B"), "con"),
        (("A", "A", "B", "winner", "length"), "pro"),
    ],
)
def test_a_label_or_the_last_object_is_a_verdict(arguments: tuple[str, ...], winner: str) -> None:
    assert read_verdict(*arguments) == ParsedLabel(winner, "parsed", None)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((None,), "empty_response"),
        (("A wins", "A", "B"), "not_a_label"),
        (("pro and con",), "both_labels"),
        (("C", "A", "B"), "not_a_label"),
        # Labels that are the same say nothing.
        (("A", "A", "a"), "not_a_label"),
        (('{"verdict": "A"}', "A", "B"), "no_winner"),
        (("So A", "A", "B", "winner", "length"), "truncated"),
        (("I cannot judge.", "A", "B", "winner", "refusal"), "refused"),
    ],
)
def test_no_other_reply_is_a_verdict(arguments: tuple[str | None, ...], reason: str) -> None:
    assert read_verdict(*arguments) == ParsedLabel(None, "unparsed", reason)  # type: ignore[arg-type]
