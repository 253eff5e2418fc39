import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.parsing import ParsedScore, parse_score, parse_score_released


@pytest.mark.parametrize(
    ("response", "value"),
    [
        *cases(
            {
                4: "<score>4</score>|<score>\n 4 \n</score>|<score>4/5</score>|<score>4 / 5</score>"
                "|<score>4.0/5.0</score>|<score>4.0</score>|<score>4.</score>|<score>4.00</score>"
                "|<score>**4**</score>|<score>**4/5**</score>|<score>[4]</score>"
                "|<score>[ **4** ]</score>|<score>4</score> I repeat: <score>4</score>"
                "|<score>4</score> or rather <score>4.0",
                1: "<SCORE>1</Score>",
                2: "< score >2</ score >|```xml\n<score>2</score>\n```",
                3: "<score> *3* </score>|<score>__3__</score>|<score>`3`</score>",
                5: "<score>5|<score>\n5\n",
            }
        ),
        ("My answer: **<score>4</score>** because it is good, not 2 or 5.", 4),
        ("<scratchpad>Weak, a 2 out of 5.</scratchpad><score>2</score>", 2),
        ("<scratchpad><score>1</score> at first</scratchpad>\n<score>3</score>", 3),
        ("<scratchpad>never closed\n<score>3</score>", 3),
        ("thinking <score>1</score> aloud</think><score>3</score>", 3),
        ("<think>maybe <score>1</score></think><score>3</score>", 3),
        ("<SCRATCHPAD>x <score>1</score></SCRATCHPAD><score>5</score>", 5),
        ("<score>3</score> <scratchpad>late <score>5</score></scratchpad>", 3),
    ],
)
def test_a_whole_number_in_score_tags_is_read(response: str, value: int) -> None:
    assert parse_score(response) == ParsedScore(float(value), "parsed", None)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        *cases(
            {
                "empty_response": "| \n\t",
                "no_score_tag": "4|I give it a 4 out of 5.|Score: 4|4</score>|<scores>4</scores>"
                "|<scratchpad><score>4</score></scratchpad>|<think>I lean to <score>4</score> but"
                "|<score>4</score></scratchpad>",
                "empty_score_tag": "<score></score>|<score>|<score>4<score>",
                "not_a_number": "<score>four</score>|<score>4 = Agree</score>|<score>nan</score>"
                "|<score>Score: 4</score>|<score>3 or 4</score>|<score>3-4</score>"
                "|<score>[Insert a single number between 1 and 5]</score>|<score>\u0664</score>"
                "|<score>4e0</score>|<score>**4</score>|<score>****</score>"
                "|<score>4\n\nThe speech is good.|<score>4</score> <score>?</score>",
                "not_whole": "<score>3.5</score>|<score>4.5/5</score>",
                "wrong_denominator": "<score>4/10</score>|<score>8/10</score>|<score>4/0</score>",
                "out_of_range": "<score>0</score>|<score>6</score>|<score>-1</score>"
                "|<score>45</score>|<score>6/5</score>",
                "conflicting_scores": "<score>2</score><score>3</score>|<score>2<score>3",
            }
        ),
        ("<score>" + "1" * 5000 + "</score>", "not_a_number"),
    ],
)
def test_everything_else_is_unparsed_with_its_reason(response: str, reason: str) -> None:
    assert parse_score(response) == ParsedScore(None, "unparsed", reason)


def test_the_scale_decides_range_and_denominator() -> None:
    assert parse_score("<score>7/10</score>", 0, 10).value == 7
    assert parse_score("<score>0</score>", 0, 10).value == 0
    assert parse_score("<score>-2</score>", -3, 3).value == -2
    assert parse_score("<score>4/5</score>", 0, 10).reason == "wrong_denominator"


PIECES = "<score>|</score>|<Score >|<scratchpad>|</scratchpad>|</think>|4|5|3.5|/5|**|[|]|.|-| |\n"
_pieces = st.lists(st.sampled_from(PIECES.split("|")), max_size=25).map("".join)


@given(st.one_of(st.text(), _pieces))
def test_no_text_breaks_the_released_rule(text: str) -> None:
    assert parse_score_released(text) in {None, 1, 2, 3, 4, 5}


_prose = st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"]))


@given(_prose, st.integers(1, 5), _prose)
def test_prose_around_a_score_never_changes_it(before: str, score: int, after: str) -> None:
    assert parse_score(f"{before}<score>{score}</score>{after}").value == score


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "piece", ["<score>", "<scratchpad>", "</think>", "< ", "<" + " " * 100_000, "[", "<score>[["]
)
def test_a_long_hostile_reply_comes_to_an_end(piece: str) -> None:
    # With work that grows as the square of the length this would take hours.
    assert parse_score(piece * (1 + 1_000_000 // len(piece))).value is None


@pytest.mark.parametrize(
    ("response", "value"),
    cases(
        {
            # No opening tag: what stands before the seventh character is lost, digits too.
            4: "<score>4</score>|<score>\n4\n</score>|<score>4|Score: 4|4|Rating4</score>"
            "|Rate: 4</score>",
            3: "score 3",
            2: "<scratchpad>good</scratchpad><score>2</score>"
            "|<score>1</score></scratchpad><score>2</score></scratchpad><score>3</score>",
            1: "<score>1</score><score>2</score>",
            None: "Rate 4</score>|4</score>|</score><score>4|<score>4/5</score>|<score>**4**</score>"
            "|<score>4.0</score>|<SCORE>4</SCORE>|<score>6</score>|<score>\u0664</score>|I give it 4|",
        }
    ),
)
def test_the_released_rule_accepts_exact_content_only(response: str, value: int | None) -> None:
    assert parse_score_released(response) == value
