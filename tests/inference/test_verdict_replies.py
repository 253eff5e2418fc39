import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.debates.verdicts import read_reply


def read(
    text: str | None,
    labels: str = "A/B",
    outcome: str = "winner",
    *,
    last: bool = False,
    how: str = "text",
    finish: str | None = None,
) -> tuple[str | None, str | None]:
    pro, con = labels.split("/")
    found = read_reply(
        text, pro, con, outcome, is_justified=last, answer_format=how, finish_reason=finish
    )
    assert (found.status == "parsed") == (found.label is not None) == (found.reason is None)
    return found.label, found.reason


ALONE = 'A| A\n|A.|"A"|\'A\'.|\u201cA\u201d|[A]|(A)|<A>|{A}|**A**|`A`|a|["A"].|<think>B, or A?</think>\nA'


@pytest.mark.parametrize("text", [*ALONE.split("|"), "B is likely</think>A"])
def test_a_label_alone_is_read_through_what_is_around_it(text: str) -> None:
    assert read(text) == ("pro", None)
    assert read(text, "B/A") == ("con", None)
    assert read(text, outcome="loser") == ("con", None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty_response"),
        ("A" * 100_000, "not_a_label"),
        ("[" * 5000 + "A" + "]" * 5000, "not_a_label"),
        *cases(
            {
                "empty_response": "| \n",
                "not_a_label": "A wins|Winner: A|The answer is A.|Neither.|tie|pro|AB|A!"
                "|\x00A\x07|<think>A",
                "both_labels": "A or B|A\nB|A/B",
            }
        ),
    ],
)
def test_what_is_no_single_label_is_unparsed_with_a_reason(text: str | None, reason: str) -> None:
    assert read(text) == (None, reason)


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("-1", "1/-1", ("con", None)),
        ("1", "1/-1", ("pro", None)),
        ("1", "-1/1", ("con", None)),
        ("-1.", "1/-1", ("con", None)),
        ("1 or -1", "1/-1", (None, "both_labels")),
        ("I say -1", "1/-1", (None, "not_a_label")),
        ("Con", "Con/Pro", ("pro", None)),
        ("Pro", "Con/Pro", ("con", None)),
    ],
)
def test_labels_name_the_sides(
    text: str, labels: str, expected: tuple[str | None, str | None]
) -> None:
    assert read(text, labels) == expected


def test_with_reasons_first_the_last_line_that_is_not_empty_counts() -> None:
    assert read("B is weak.\nA or B?\n\n  A.  \n\n", last=True) == ("pro", None)
    assert read("A", last=True) == ("pro", None)
    assert read("A\nbecause A is better than B", last=True) == (None, "both_labels")
    assert read("A\nThat was hard.", last=True) == (None, "not_a_label")
    # Without reasons asked for, the same reply is none.
    assert read("B is weak.\nA")[0] is None


@pytest.mark.parametrize(
    ("text", "outcome", "expected"),
    [
        ('{"winner": "A"}', "winner", ("pro", None)),
        ('```json\n{"reasons": "x", "winner": "b"}\n```', "winner", ("con", None)),
        ('{"loser": "A"}', "loser", ("con", None)),
        ('{"winner": "A"}', "loser", (None, "no_winner")),
        ('{"winner": null}', "winner", (None, "no_winner")),
        ('{"winner": "A or B"}', "winner", (None, "both_labels")),
        ('{"winner": "A", "winner": "B"}', "winner", (None, "both_labels")),
        ("A", "winner", ("pro", None)),
        ("no idea", "winner", (None, "not_json")),
        ("", "winner", (None, "empty_response")),
    ],
)
def test_requested_json_is_read(
    text: str, outcome: str, expected: tuple[str | None, str | None]
) -> None:
    assert read(text, outcome=outcome, how="json_schema", last=True) == expected


def test_numbers_as_labels_are_read_from_json() -> None:
    assert read('{"winner": -1}', "1/-1", how="json_schema") == ("con", None)


def test_why_the_judge_stopped_explains_only_what_cannot_be_read() -> None:
    assert read("I must decline", finish="refusal") == (None, "refused")
    assert read("", last=True, finish="length") == (None, "truncated")
    assert read("A", finish="length") == ("pro", None)


@given(st.text(max_size=80), st.booleans(), st.sampled_from(["text", "json_schema", "choice"]))
def test_no_reply_raises_and_the_loser_is_the_other_side(text: str, last: bool, how: str) -> None:
    won = read(text, last=last, how=how if how != "json_schema" else "text")
    lost = read(text, outcome="loser", last=last, how=how if how != "json_schema" else "text")
    read(text, last=last, how=how)
    other = {"pro": "con", "con": "pro", None: None}
    assert lost == (other[won[0]], won[1])
