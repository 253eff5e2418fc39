"""A table opens with what matters, and nothing of it is lost."""

from __future__ import annotations

import pandas as pd

from dashboard.core.widgets import opened_columns

NAMES = ["judge", "a", "b", "c", "d", "e", "f", "g", "debates", "why unknown"]


def test_a_narrow_table_opens_whole() -> None:
    assert opened_columns(pd.DataFrame(columns=NAMES[:7])) == NAMES[:7]


def test_a_wide_table_opens_with_how_many_an_estimate_rests_on() -> None:
    shown = pd.DataFrame([[1] * 9 + [None]], columns=NAMES)
    assert opened_columns(shown) == ["judge", "a", "b", "c", "d", "e", "debates"]


def test_why_an_estimate_is_unknown_is_opened_where_one_is() -> None:
    shown = pd.DataFrame([[1] * 9 + [None], [1] * 9 + ["too few"]], columns=NAMES)
    assert opened_columns(shown) == ["judge", "a", "b", "c", "d", "debates", "why unknown"]


def test_a_count_among_the_first_columns_is_not_shown_twice() -> None:
    shown = pd.DataFrame([[1] * 9], columns=["n", *"abcdefgh"])
    assert opened_columns(shown) == [*"abcdef", "n"]
