import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import pytest

from inference.debates.verdicts import read_reply
from inference.oversight.judgements import REASONS as JUDGEMENT_REASONS
from inference.oversight.judgements import read_judgement
from inference.parliamentary.items import ASKED_TASKS, HOUSE_RANKS, SPEAKER_SCORES
from inference.parliamentary.ruling_lines import ORDINALS
from inference.parliamentary.rulings import EMPTY, FAULTS, read_ruling, ruling_text
from inference.parsing import (
    REASONS,
    STOPPED,
    VERDICT_REASONS,
    parse_verdict_json,
    read_score,
    read_verdict,
)
from warehouse.records.bp import HOUSES, ROLES

# Enough for every form and every damage to come up; the many are for soak.
COUNTS = [250, pytest.param(3_000, marks=pytest.mark.soak)]
many = pytest.mark.parametrize("count", COUNTS)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# The same numbers in the ways that machines write them, and some that no machine should.
NUMBERS = (
    *words("4 4.0 4e0 40e-1 0.4E1 4.0000000000000000000001 3.9999999999999999999999 -4 +4 04 4.5"),
    *words("4,5 \u0664 \u00b2 \uff14 1e999 1e-999 1e99999999999999999999 NaN Infinity 78 78.5"),
    *words("785e-1 100 101 49.999999999 100.0000000001 0.73 73% 1 0 50/50 null true 0x4"),
    *('"4"', "[4]", '{"4": 4}', "9" * 40, "9" * 5000),
)
DAMAGE = (
    *words("\x00 \x1b[2J \ud800 \u202e \ufeff ``` ** _ ` [ ] ( ) { } \" ' \\ : , . < > </ %s"),
    *words("<think> </think> <scratchpad> </scratchpad> <script>"),
    *("\u2028", "\r", "\t", " ", "\n", "\n\n", "```json\n", "{" * 300, "[" * 2000, "x" * 500),
)
SCORE = (
    *NUMBERS,
    *("<score>", "</score>", "<SCORE >", "</score><score>5</score>", "Score: ", "/5", "/10"),
    *('{"score": ', '{"reasons": "x", "score": ', "}", "{}", "I would give it a ", " out of 5"),
)
SIDE = (
    *words("Pro con TIE PRO. A b Neither profit wins"),
    *("Pro or Con", "not Pro", "Winner: ", '{"winner": "', '"}', '{"loser": "', "{}"),
    *('{"winner": null}', '{"winner": 4}', '{"answer": "', '{"winner": ["pro"]}'),
    '{"winner": "pro", "winner": "con"}',
)
PROBABILITY = (
    *NUMBERS,
    *("Probability that A is right: ", "probability that B is correct = ", "%", "A", "B"),
    *('{"probability": ', "}", "Probability that answer A is right:\n", " or so"),
)
NAMES = (*HOUSES, *ROLES, "Opening Government", "Prime Minister (PM)", "pm or lo", "nobody")
RULING = (
    *NUMBERS,
    *(f"{word.capitalize()}: " for word in ORDINALS),
    *(f"{rank}: " for rank in range(10)),
    *(f"{role.upper()}: " for role in ROLES),
    *(f"{name}\n" for name in NAMES),
    *("/100", "\n", "\n", "- ", "}", "}}", '{"speakers": ', '["pm", "lo"]', '{"houses": {}}'),
    '{"houses": ["og", "cg", "oo", "co"], "scores": {"pm": ',
    '{"scores": {"lo": ',
    '{"houses": [["og"], 1, null, "co"]}',
)


def made_up(
    count: int, pieces: tuple[str, ...], seed: int, whole: Callable[[random.Random], str]
) -> Iterator[str]:
    """Half are pieces in a row, half a reply as it should be with one piece more or one part less."""
    draw = random.Random(seed)
    for number in range(count):
        if number % 2:
            chosen = draw.choices((*pieces, *DAMAGE), k=draw.randrange(12))
            yield "".join(chosen)
            continue
        text = whole(draw)
        start, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        put = draw.choice((*pieces, *DAMAGE))
        yield draw.choice((text, text[:start] + put + text[start:], text[:start] + text[end:]))


def numbers_in(text: str) -> set[Decimal]:
    """Every number that a reader could find in a text, exactly; also those inside longer ones."""
    found: set[Decimal] = set()
    for written in re.findall(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+", text):
        # After "4e" or "4.", what stands before it is a number of its own.
        for each in {written, re.split("[eE]", written)[0]}:
            try:
                found.add(Decimal(each))
            except InvalidOperation:
                continue
    return found


def without_thoughts(text: str) -> str:
    return re.sub(r"(?is)<\s*think\s*>.*?<\s*/\s*think\s*>", " ", text)


def score_reply(draw: random.Random) -> str:
    number = draw.choice((*"12345" * 5, *NUMBERS))
    forms = (
        "<score>{}</score>",
        "Good.\n<score>{}/5</score>",
        '{{"score": {}}}',
        "{}",
        "Score: {}",
        '```json\n{{"reasons": "clear", "score": {}}}\n```',
    )
    return draw.choice(forms).format(number)


@many
@pytest.mark.parametrize("answer_format", ["text", "json_schema", "choice", "label_scoring"])
@pytest.mark.parametrize("is_bare", [False, True])
def test_a_score_is_stated_or_has_a_reason(answer_format: str, is_bare: bool, count: int) -> None:
    parsed = 0
    for reply in made_up(count, SCORE, 1, score_reply):
        value, status, reason = read_score(reply, 1, 5, answer_format, is_bare=is_bare)
        assert (status == "parsed") == (value is not None) == (reason is None), reply
        if value is None:
            assert reason in REASONS, reply
            continue
        parsed += 1
        assert value in (1, 2, 3, 4, 5)
        assert Decimal(value) in numbers_in(without_thoughts(reply)), reply
    assert parsed > count / 60


def side_reply(draw: random.Random) -> str:
    side = draw.choice(words("Pro Con pro CON tie A B"))
    forms = (
        "{}",
        "**{}**.",
        "It was close.\n\n{}",
        '{{"winner": "{}"}}',
        '{{"loser": "{}"}}',
        'Because.\n```json\n{{"winner": "{}"}}\n```',
        "{} wins",
    )
    return draw.choice(forms).format(side)


@many
@pytest.mark.parametrize("answer_format", ["text", "json_schema"])
@pytest.mark.parametrize("outcome", ["winner", "loser"])
def test_a_winner_is_named_or_has_a_reason(answer_format: str, outcome: str, count: int) -> None:
    other = {"pro": "con", "con": "pro"}
    parsed = 0
    for reply in made_up(count, SIDE, 2, side_reply):
        for is_justified in (False, True):
            label, status, reason = read_reply(
                reply, "Pro", "Con", outcome, is_justified=is_justified, answer_format=answer_format
            )
            assert (status == "parsed") == (label is not None) == (reason is None), reply
            if label is None:
                assert reason in VERDICT_REASONS, reply
                continue
            parsed += 1
            named = other[label] if outcome == "loser" else label
            said = set(re.findall(r"[a-z]+", without_thoughts(reply).casefold()))
            assert named in said, reply
    assert parsed > count / 60


@many
def test_an_imported_verdict_is_the_side_the_reply_names_or_a_reason(count: int) -> None:
    other = {"pro": "con", "con": "pro", "tie": "tie"}
    parsed = 0
    for reply in made_up(count, SIDE, 3, side_reply):
        said = set(re.findall(r"[a-z]+", reply.casefold()))
        for found in (parse_verdict_json(reply), read_verdict(reply)):
            assert (found.status == "parsed") == (found.label is not None) == (found.reason is None)
            if found.label is None:
                assert found.reason in VERDICT_REASONS, reply
                continue
            parsed += 1
            assert {found.label, other[found.label] if "loser" in said else found.label} & said, (
                reply
            )
    assert parsed > count / 60


def probability_reply(draw: random.Random) -> str:
    forms = (
        "Probability that A is right: {}",
        "**Probability that B is right:** {}",
        "{}",
        "{}%",
        '{{"probability": {}}}',
        "Reasons.\n- Probability that answer A is correct = {}",
    )
    return draw.choice(forms).format(draw.choice(NUMBERS))


@many
@pytest.mark.parametrize("answer_format", ["text", "json_schema"])
def test_a_probability_is_one_the_reply_states_or_a_reason(answer_format: str, count: int) -> None:
    parsed = 0
    for reply in made_up(count, PROBABILITY, 4, probability_reply):
        for order in ("01", "10"):
            p, choice, status, reason = read_judgement(reply, "probability", order, answer_format)
            assert choice is None
            assert (status == "parsed") == (p is not None) == (reason is None), reply
            if p is None:
                assert reason in JUDGEMENT_REASONS, reply
                continue
            parsed += 1
            stated = {float(each) for each in numbers_in(reply) if 0 <= each <= 100}
            shares = stated | {each / 100 for each in stated}
            assert any(p == pytest.approx(each) or p == pytest.approx(1 - each) for each in shares)
    assert parsed > count / 60


def ruling_reply(draw: random.Random) -> str:
    scores = {role: draw.randrange(100, 201) / 2 for role in ROLES}
    houses, speakers = draw.sample(HOUSES, 4), draw.sample(ROLES, 8)
    text = ruling_text(draw.choice(ASKED_TASKS), houses, scores, speakers)
    if draw.randrange(3):
        return text
    pairs = ", ".join(f'"{role}": {draw.choice(NUMBERS)}' for role in ROLES)
    return f"{text}\n" + '{"scores": {' + pairs + "}}"


@many
@pytest.mark.parametrize("task", ASKED_TASKS)
def test_a_ruling_is_what_the_reply_states_or_reasons(task: str, count: int) -> None:
    reasons = {*FAULTS, EMPTY, *STOPPED.values()}
    parsed = 0
    for reply in made_up(count, RULING, 5, ruling_reply):
        for finish_reason in (None, "length"):
            ruling = read_ruling(reply, task, None, finish_reason)
            assert ruling.values
            read: dict[str, list[Any]] = {}
            for (asked, _), (value, reason) in ruling.values.items():
                assert (value is None) == (reason is not None), reply
                assert reason is None or reason in reasons, reply
                if value is None:
                    continue
                parsed += 1
                read.setdefault(asked, []).append(value)
                if asked == SPEAKER_SCORES:
                    assert 50 <= value <= 100
                    assert value in {float(each) for each in numbers_in(reply)}, reply
            for asked, values in read.items():
                if asked != SPEAKER_SCORES:
                    # Whole or not at all, so each rank is given once.
                    assert sorted(values) == list(range(1, 5 if asked == HOUSE_RANKS else 9))
    assert parsed > count / 60


@pytest.mark.parametrize(
    ("number", "value", "reason"),
    [
        ("4.0000000000000000000001", None, "not_whole"),
        ("3.9999999999999999999999", None, "not_whole"),
        ("40e-1", 4.0, None),
        ("1e999999999999", None, "out_of_range"),
        ("1e99999999999999999999", None, "out_of_range"),
        ("1e-99999999999999999999", None, "out_of_range"),
    ],
)
def test_json_numbers_are_exact(number: str, value: float | None, reason: str | None) -> None:
    found = read_score(f'{{"score": {number}}}', 0, 5, "json_schema")
    assert (found.value, found.reason) == (value, reason)
    assert (
        read_judgement(
            '{"probability": 1.0000000000000000000001}', "probability", "01", "json_schema"
        ).reason
        == "out_of_range"
    )
    ruling = read_ruling(
        '{"scores": {"pm": 100.0000000000000000001, "lo": 785e-1}}', SPEAKER_SCORES
    )
    assert ruling.values[SPEAKER_SCORES, "pm"].value is None
    assert ruling.values[SPEAKER_SCORES, "lo"].value == 78.5
