"""Quotes in turns and stories: marked, linked, and never more than text."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.core.labels import escape_markdown
from dashboard.oversight.reader.text import (
    Passage,
    Piece,
    Place,
    passage_at,
    passages_of,
    pieces,
    story_markdown,
    turn_markdown,
)

STORY = "The lamp was lit.\n\nNobody came. The sea rose\nand fell.\n\nIn the end it rained."


def test_a_turn_is_cut_into_what_is_said_and_what_is_quoted():
    text = "He left: <v_quote>I go</v_quote> and <u_quote>never</u_quote></v_quote> <quote>end"
    assert pieces(text) == [
        Piece("said", "He left: "),
        Piece("verified", "I go"),
        Piece("said", " and "),
        Piece("unverified", "never"),
        Piece("said", "</v_quote> <quote>end"),
    ]


def test_only_a_quote_with_a_passage_is_linked_and_an_unverified_one_says_so_in_words():
    text = "One.\n\n# Two <quote>a*b</quote> <u_quote>c](x)</u_quote>"
    assert turn_markdown(text, {0: 3}) == (
        "One\\.\n\n\\# Two :green-background[[“a\\*b” ✓ passage 3](#passage-3)] "
        ":orange-background[“c\\]\\(x\\)” ✗ *not in the story*]"
    )
    assert ":green-background[“a\\*b” ✓]" in turn_markdown(text, {})


def test_overlapping_quotes_share_a_passage_and_each_passage_has_one_heading():
    first, last = STORY.index("Nobody"), STORY.index("end it")
    places = [Place(last, last + 6, 4), Place(first + 3, first + 15, 2), Place(first, first + 8, 1)]
    found = passages_of(places)
    assert found == [Passage(1, first, first + 15, (1, 2)), Passage(2, last, last + 6, (4,))]
    assert passage_at(found, first + 3) == 1
    assert passage_at(found, 0) is None
    assert story_markdown(STORY, found) == (
        "The lamp was lit\\.\n\n###### Passage 1\n\n:green-background[**Nobody came\\. Th**]e sea "
        "rose and fell\\.\n\n###### Passage 2\n\nIn the :green-background[**end it**] rained\\."
    )


@given(
    st.text(alphabet="ab \n*[", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20), st.integers(1, 5)), max_size=6),
)
def test_no_word_of_a_story_is_lost_whatever_is_quoted(story, drawn):
    places = [
        Place(start, min(start + length, len(story)), turn)
        for start, length, turn in drawn
        if start < len(story)
    ]
    passages = passages_of(places)
    shown = story_markdown(story, passages)
    for one in passages:
        assert shown.count(f"###### Passage {one.number}\n") <= 1
    bare = shown.replace(":green-background[**", "").replace("**]", "")
    lines = [line for line in bare.split("\n\n") if not line.startswith("###### Passage")]
    assert "".join(" ".join(lines).split()) == "".join(escape_markdown(story).split())
