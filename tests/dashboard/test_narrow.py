"""A chart fits the width it is shown in: nothing of a title is cut, and names leave room to draw."""

import html
import json
import re

import pandas as pd
import vl_convert

from dashboard.core import charts
from dashboard.core.narrow import fitted
from dashboard.core.series import ROW_HEIGHT, height_of_row

TITLE = "How often a judge is as close to the others as the person it stands in for"
NOTE = 'Band: a person in another\'s place. "Lines": 95 % intervals, by the texts that were drawn.'
AXIS = "agreement: 1 is full, for shares and coefficients alike (right = closer)"
NAME = "laboratory-of-long-names/" + "a" * 40


def _texts(width: int | None, name: str = NAME, *others: str) -> list[str]:
    """Return the lines of text of a chart, drawn in a place this wide; None for a file."""
    rows = pd.DataFrame(
        [
            {"label": label, "which": one, "value": 1, "low": 0, "high": 2, "hover": ""}
            for label in (name, *others)
            for one in "ab"
        ]
    )
    made = charts.estimates(rows, axis=AXIS, title=TITLE, note=NOTE).properties(width=360)
    spec = json.dumps(fitted(made.to_dict()))
    if width:
        for asked in ("containerSize()[0]", "windowSize()[0]"):
            spec = spec.replace(asked, str(width))
    drawn = vl_convert.vegalite_to_svg(spec)
    found = re.findall(r"<(?:text|tspan)[^>]*>([^<]+)<", drawn)
    return [html.unescape(one) for one in found]


def test_titles_are_in_one_line_where_there_is_room_and_whole_in_several_where_not():
    assert {TITLE, NOTE} <= set(_texts(None))
    phone = _texts(360)
    assert not {TITLE, NOTE} & set(phone)
    for whole in (TITLE, NOTE, AXIS):
        at = next(place for place, one in enumerate(phone) if one and whole.startswith(one))
        assert any(" ".join(phone[at : at + lines]) == whole for lines in (2, 3))


def test_a_long_name_without_a_space_breaks_on_a_phone_alone_and_is_whole():
    assert NAME in _texts(None)
    phone = _texts(360)
    at = phone.index("laboratory-of-long-names/")
    assert NAME.startswith("".join(phone[at : at + 2]))
    assert not [one for one in phone if one.endswith("…")]


def test_a_name_of_a_hundred_letters_keeps_to_its_row_on_a_phone():
    under = "imported, import-78a3"
    phone = _texts(360, f"⚠ lab/{'verylongname' * 8}\n{under}")
    at = phone.index(under)
    assert phone[at - 2] == "⚠"
    assert phone[at - 1].startswith("lab/verylongname")
    assert phone[at - 1].endswith("…")
    alone = _texts(360, f"lab/{'verylongname' * 9}")
    assert sum("verylongname" in one for one in alone) <= 2
    below = _texts(360, f"people\nlab/{'verylongname' * 9}")
    at = below.index("people")
    assert below[at + 1].startswith("lab/")
    assert below[at + 2].endswith("…")


def test_rows_are_passed_on_as_they_are():
    rows = {"datasets": {"one": [{"title": {"text": TITLE}}]}, "data": {"name": "one"}}
    assert fitted(rows) == rows


def test_many_rows_share_a_screen_down_to_what_their_names_need():
    assert height_of_row(["a", "b"]) == ROW_HEIGHT
    assert 8 * height_of_row(list("abcdefgh")) < 4.5 * ROW_HEIGHT
    thirty = [str(at) for at in range(30)]
    # Letters are 12 pixels high, and two lines of them 15 apart.
    assert height_of_row(thirty) >= 12
    assert height_of_row([f"{one}\nits numbers" for one in thirty]) >= 12 + 15
