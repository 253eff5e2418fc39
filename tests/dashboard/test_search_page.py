"""Search: what holds the words is listed with the passage, as text, and opens where it is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown import headline, text

from dashboard.search import queries
from dashboard.search.passage import LENGTH, passage, passage_markdown

MARKS = re.compile(r":orange-background\[\*\*([^\W_]+)\*\*\]")
# A speech of the sample, and a phrase of it.
SPEECH, PHRASE = "sample:second-homes-", "why second homes should pay double tax"


def test_before_a_search_the_page_counts_what_can_be_searched(shown_page, demo):
    app = shown_page("search")
    assert re.search(r"#### [\d,]+ texts can be searched", headline(app))
    assert "motion: 30" in text(app)


def test_a_phrase_leads_to_the_text_that_holds_it(shown_page, demo):
    app = shown_page("search", q=f'"{PHRASE}"')
    assert "with the very words" in headline(app)
    wanted = queries.wanted(demo, f'"{PHRASE}"')
    found = queries.hits(
        demo, wanted, kinds=["speech"], datasets=(), judges=(), every_word=True, limit=10
    ).frame
    assert len(found)
    assert all(PHRASE in " ".join(one.lower().split()) for one in found["text"])
    assert set(found["opens"]) == {"speech"}
    assert all(one.startswith(SPEECH) for one in found["opens_id"])


def test_a_text_with_the_very_phrase_comes_first(demo):
    wanted = queries.wanted(demo, PHRASE)
    found = queries.hits(
        demo, wanted, kinds=["speech"], datasets=(), judges=(), every_word=False, limit=50
    ).frame
    assert found["holds_phrase"].iloc[0]
    assert not found["holds_phrase"].iloc[-1]
    assert list(found["holds_phrase"]) == sorted(found["holds_phrase"], reverse=True)


def test_filters_narrow_the_hits(demo):
    wanted = queries.wanted(demo, "argument")
    for kinds, judges in ((["reply"], ["simulated/noisy"]), (["speech"], [])):
        found = queries.hits(
            demo, wanted, kinds=kinds, datasets=["sample"], judges=judges, every_word=True, limit=50
        ).frame
        assert set(found["text_kind"]) == set(kinds)
        assert set(found["dataset_id"]) == {"sample"}
        assert set(found["judge_id"].dropna()) == set(judges)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("florbglarg", "No text in this selection holds florbglarg"),
        ("the of and", "Nothing can be searched for in these words alone"),
        ("?!", "There is no letter or digit in them"),
        ('"homes second pay"', "No text in this selection holds"),
        ("'; drop table dim_item; --", "texts with"),
        ("[x](http://e.com) $a$ <b>", "No text"),
    ],
)
def test_what_is_not_found_is_said(open_page, demo, words, told):
    app = open_page("search", q=words)
    assert told in text(app).replace("`", "")


def test_words_that_never_stand_together_are_searched_for_one_by_one(open_page, demo):
    app = open_page("search", q="homework florbglarg")
    assert headline(app).startswith("#### No text holds all of these words")
    assert "texts with one of" in headline(app)


@given(
    st.text(st.characters(codec="utf-8"), max_size=600),
    st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4), max_size=4),
)
def test_a_passage_marks_the_words_and_nothing_else(around, words):
    whole = f"{around} {' '.join(words)} {around}"
    start, end = passage(whole, words)
    assert 0 <= start <= end <= len(whole)
    assert end - start <= LENGTH
    shown = passage_markdown(whole, words)
    assert all(one in words for one in MARKS.findall(shown))
    rest = MARKS.sub("", shown)
    assert not re.search(r"(?<!\\)[*_`<\[\]$~]", rest)


def test_the_passage_is_where_most_words_are():
    whole = "alpha " + "x " * 400 + "alpha beta gamma " + "y " * 400
    shown = passage_markdown(whole, {"alpha", "beta", "gamma"})
    assert MARKS.findall(shown) == ["alpha", "beta", "gamma"]
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_markup_in_a_text_is_shown_as_text():
    shown = passage_markdown("See <b>florb</b> [x](http://e.com) :red[florb] $y$", {"florb"})
    assert MARKS.findall(shown) == ["florb", "florb"]
    plain = MARKS.sub(r"\1", shown).replace("\\", "").replace("\u2060", "")
    assert plain == "See <b>florb</b> [x](http://e.com) :red[florb] $y$"
