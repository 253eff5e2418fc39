import math

import pytest

from dashboard.core.labels import (
    basis,
    code_span,
    escape_markdown,
    estimate,
    interval,
    number,
    p_cell,
    p_value,
    percent,
    share,
    sides,
    speeches_on_topics,
)

JOINER = "\u2060"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.270845965769092, "0.271"),
        (0.05, "0.0500"),
        (3, "3.00"),
        (12.345, "12.3"),
        (78.957, "79.0"),
        (0.99951, "1.00"),
        (1234.4, "1,230"),
        (-0.0123, "−0.0123"),
        (0, "0"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "inf"),
    ],
)
def test_a_number_has_three_significant_digits_and_an_unknown_one_is_a_dash(value, text):
    assert number(value) == text


def test_an_interval_stands_in_brackets_on_one_line_and_is_absent_when_unknown():
    assert interval(0.24, 0.34) == "[0.240,\u00a00.340]"
    assert interval(None, 0.34) == ""
    assert estimate(0.29, 0.24, 0.34) == "0.290 [0.240,\u00a00.340]"
    assert estimate(None, None, None) == "–"


def test_what_an_interval_rests_on_is_said_in_cases_and_in_clusters():
    row = {"n_units": 1075, "n_clusters": 60, "n_items": 1, "unknown": None}
    assert basis(row, "debate") == "1,075 debates (60 clusters)"
    assert basis(row, "judgement", cluster="story") == "1,075 judgements (60 stories)"
    assert basis({"n_units": 72}, "debate") == basis(
        {**row, "n_units": 72}, "debate", clusters="unknown"
    )
    assert basis({"n_units": 72}, "debate") == "72 debates"
    assert speeches_on_topics({"n_items": 72, "n_units": 1}) == "72 speeches (1 topic)"


def test_a_title_counts_the_intervals_on_each_side_and_those_that_hold_the_value():
    ends = [(0.1, 0.2), (-0.1, 0.2), (-0.2, -0.1), (None, None)]
    rows = [{"difference_low": low, "difference_high": high} for low, high in ends]
    assert sides(rows, "difference", "above", "below") == "1 above, 1 below, 2 not to be told"
    assert sides(rows, "difference", "up", "down", 0.15) == "0 up, 1 down, 3 not to be told"


def test_a_p_in_a_table_is_never_written_as_zero():
    assert p_cell(0.0004) == "< 0.001"
    assert p_cell(0.0123) == "0.012"
    assert p_cell(None) is None


def test_a_share_is_a_percentage_with_its_interval_in_percent():
    assert percent(0.0832) == "8.32\u00a0%"
    assert share(0.08, 0.052, 0.119) == "8.00\u00a0% [5.20,\u00a011.9]"
    assert percent(None) == "–"


def test_an_interval_shows_no_rounding_error_as_an_end():
    assert interval(6.42e-18, 0.0741, 100) == "[0,\u00a07.41]"
    assert interval(-0.5, 1e-17) == "[−0.500,\u00a00]"
    assert interval(1e-17, 3e-17) != "[0,\u00a00]"


def test_a_p_value_under_one_in_a_thousand_is_not_printed_and_an_adjusted_one_says_so():
    assert p_value(0.01234) == "p = 0.012"
    assert p_value(0.0004) == "p < 0.001"
    assert p_value(0.03, adjusted=True) == "adjusted p = 0.030"
    assert p_value(None) == "p –"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("We should *stop*", r"We should \*stop\*"),
        ("$x$ costs $5", r"\$x\$ costs \$5"),
        ("[a](http://b)", rf"\[a\]\(http\:{JOINER}\/\/b\)"),
        ("![x](y)", r"\!\[x\]\(y\)"),
        (":red[x]", rf"\:{JOINER}red\[x\]"),
        (":smile:", rf"\:{JOINER}smile\:"),
        ("www.b.c", rf"www{JOINER}\.b\.c"),
        ("me@b.c", rf"me\@{JOINER}b\.c"),
        ("a -> b -- c", rf"a \-{JOINER}\> b \-{JOINER}\- c"),
        ("<b>&amp;", r"\<b\>\&amp\;"),
        ("`code`", r"\`code\`"),
        ("1. one\n# two\n\n- three", r"1\. one \# two \- three"),
        ("a\\", "a\\\\"),
    ],
)
def test_text_of_strangers_loses_every_meaning_in_markdown(text, escaped):
    assert escape_markdown(text) == escaped


def test_inline_code_holds_any_backticks_and_stays_on_one_line():
    assert code_span("openai/gpt-4.1") == "`openai/gpt-4.1`"
    assert code_span("a`b``c") == "```a`b``c```"
    assert code_span("`a`") == "`` `a` ``"
    assert code_span("a\n\n# b") == "`a # b`"
    assert code_span("") == "` `"


def test_no_text_of_strangers_turns_the_figures_after_it():
    turned = "motion \u202e\u2067 and \u200f\x1b[31m"
    for made in (escape_markdown(turned), code_span(turned)):
        assert not set(made) & set("\u202e\u2067\u200f\x1b")
        assert "u202e" in made
