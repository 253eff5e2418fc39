import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.questions.chunking import chunks, token_chunks, word_spans

TEXTS = st.text(st.sampled_from("ab .!?\n\t\u00e9\u4e2d。”"), max_size=200)


@given(TEXTS, st.integers(1, 40))
def test_chunks_put_together_are_the_text(text: str, about: int) -> None:
    found = chunks(text, about)
    assert "".join(found) == text
    assert all(0 < len(chunk) <= about for chunk in found)
    # Only where there is nothing better is a chunk short: the next piece would not fit in its half.
    assert all(len(chunk) > about // 2 for chunk in found[:-1])


@given(st.text(max_size=300), st.integers(1, 300))
def test_any_text_at_all_is_kept_whole(text: str, about: int) -> None:
    assert "".join(chunks(text, about)) == text


@pytest.mark.parametrize(
    ("text", "about", "expected"),
    [
        # Behind a paragraph rather than a later sentence, and a sentence rather than a later word.
        (
            "One is here. Two is.\n\nThree. Four and more.",
            30,
            ["One is here. Two is.\n\n", "Three. Four and more."],
        ),
        (
            'He said "no." Then he went home and slept.',
            26,
            ['He said "no." ', "Then he went home and ", "slept."],
        ),
        ("城市很好。道路不好。" * 2, 12, ["城市很好。道路不好。"] * 2),
        ("x" * 25, 10, ["x" * 10, "x" * 10, "x" * 5]),
        ("", 10, []),
    ],
)
def test_a_chunk_ends_at_a_readers_pause(text: str, about: int, expected: list[str]) -> None:
    assert chunks(text, about) == expected


def test_a_chunk_of_no_characters_is_refused() -> None:
    with pytest.raises(ValueError, match="about is 0"):
        chunks("text", 0)


@given(TEXTS, st.integers(1, 5))
def test_token_chunks_have_their_number_of_tokens(text: str, size: int) -> None:
    found = token_chunks(text, size, word_spans)
    assert "".join(found) == text
    assert all(found)
    counts = [len(word_spans(chunk)) for chunk in found]
    assert all(count == size for count in counts[:-1])
    assert not counts or counts[-1] <= size


def test_tokens_within_one_character_stay_together() -> None:
    # Three tokens of one character's bytes, as byte-level tokenizers have them.
    spans = [(0, 1), (0, 1), (0, 1), (1, 2)]
    assert token_chunks("中a", 1, lambda _: spans) == ["中", "a"]
