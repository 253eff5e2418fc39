"""Charts on a narrow screen: titles in several lines, names cut short, legends one below another.

Only the browser knows how wide a chart's place is, so these are expressions that Vega works out
there. A file is as wide as it is made and takes charts as they are.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

# In pixels: on a narrower screen names get a share of the chart's width, and a legend one column
# beside them.
_NARROW = 600
_WIDTH, _SCREEN = "(containerSize()[0] || 1000)", "(windowSize()[0] || 1000)"
_NAMES, _LEGENDS = 0.45, 0.5
# The lines of a row's name, as an axis shows it.
LINES_OF_NAME = "split(datum.label, '\\n')"
# Pixels of a chart's width that a letter takes, on average, in a title and in the line under it;
# in the title of an axis and in a heading between rows, which share the width with names.
_LETTERS = {"text": 8.6, "subtitle": 5.9}
_BESIDE_NAMES, _HEADING, _NAME_LETTER = 11, 6.8, 5.3
_SMALL, _USUAL = 9, 11
# Between the lines of a name whose row has room for one line in full size.
_CLOSE = 8
# As Streamlit's theme has them.
_NAME, _LEGEND = 12, 14
_RAISED, _LOWERED = -5, 2


def fitted(part: Any) -> Any:
    """Return a chart, or a part of one, that fits the width it is shown in.

    Args:
        part: Of a chart as Vega-Lite takes it; rows in it are left as they are.
    """
    if isinstance(part, list):
        return [fitted(one) for one in part]
    if not isinstance(part, Mapping):
        return part
    return {name: _fitted(name, one) for name, one in part.items()}


def _fitted(name: str, part: Any) -> Any:
    if name in ("data", "datasets", "config"):
        return part
    if name == "title" and isinstance(part, Mapping):
        return {**part, **{one: _lines(part[one], one) for one in _LETTERS if part.get(one)}}
    if name == "x" and isinstance(part, Mapping) and isinstance(part.get("title"), str):
        part = {**part, "title": {"signal": _broken(part["title"], _BESIDE_NAMES)}}
    if name == "axis" and isinstance(part, Mapping) and "labelLimit" in part:
        return {**part, **_small_names(part)}
    if name == "legend" and isinstance(part, Mapping):
        return {
            **part,
            "columns": {"expr": f"{_SCREEN} < {_NARROW} ? 1 : {part.get('columns', 0)}"},
            "labelLimit": _narrowed(_LEGENDS, part.get("labelLimit", _NARROW)),
            "labelFontSize": {"expr": f"{_SCREEN} < {_NARROW} ? {_SMALL} : {_LEGEND}"},
        }
    return fitted(part)


def _small_names(axis: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an axis of names that on a narrow screen are small and break.

    Names of rows that stand close, which are of one line elsewhere, take two lines at most.
    """
    is_narrow = f"{_SCREEN} < {_NARROW}"
    label: str = axis.get("labelExpr", "")
    is_close = label not in ("", LINES_OF_NAME)
    settings: dict[str, Any] = {
        "labelLimit": _narrowed(_NAMES, axis["labelLimit"]),
        "labelFontSize": {"expr": f"{is_narrow} ? {_SMALL} : {_NAME}"},
        "labelLineHeight": {
            "expr": f"{is_narrow} ? {_CLOSE if is_close else _SMALL + 1} : {_NAME + 2}"
        },
    }
    letters = f"max(12, floor({_NAMES} * {_WIDTH} / {_NAME_LETTER}))"
    if is_close:
        lines, two = _split(label, letters), _in_two(label, letters)
        settings["labelExpr"] = f"{is_narrow} && length({lines}) > 1 ? [{two}] : {label}"
    elif label:
        settings["labelExpr"] = f"{is_narrow} ? {_three(letters)} : {label}"
    return settings


def _three(letters: str) -> str:
    """Return a name of a row as an expression of three lines at most, which is what a row holds.

    What does not fit into the last line of its part is cut off.
    """
    whole, parts = _split("datum.label", letters), LINES_OF_NAME
    first, second = f"{parts}[0]", f"{parts}[1]"
    two = _in_two(first, letters)
    cut = (
        f"length({parts}) < 2 ? [{two}] : "
        f"length({_split(first, letters)}) > 1 ? [{two}, {second}] : "
        f"[{first}, {_in_two(second, letters)}]"
    )
    return f"(length({whole}) < 4 ? {whole} : {cut})"


def _in_two(text: str, letters: str) -> str:
    """Return the first line of a text and all that follows it, as two expressions."""
    line = f"({_split(text, letters)})[0]"
    return f"{line}, trim(slice({text}, length({line})))"


def _narrowed(share: float, limit: Any) -> dict[str, str]:
    return {"expr": f"{_SCREEN} < {_NARROW} ? {share} * {_WIDTH} : {limit}"}


def small_headings() -> tuple[str, str, str]:
    """Return as expressions the size of headings between rows, their shift and their lines.

    They are the lines of `datum.heading`. On a narrow screen it is small and takes two of them.
    """
    letters = f"max(12, floor({_WIDTH} / {_HEADING}))"
    is_narrow = f"{_SCREEN} < {_NARROW}"
    size, shift = f"{is_narrow} ? {_SMALL} : {_USUAL}", f"{is_narrow} ? {_RAISED} : {_LOWERED}"
    return size, shift, _split("datum.heading", letters)


def _lines(text: Any, which: str) -> Any:
    """Return a title as an expression that breaks it where its place ends."""
    return {"expr": _broken(text, _LETTERS[which])} if isinstance(text, str) else text


def _broken(text: str, pixels: float) -> str:
    """Return the lines of a text as an expression: as few as fit, and about as long."""
    most = f"max(12, floor({_WIDTH} / {pixels}))"
    longest = max(map(len, text.split()), default=0)
    # As words end where they do, lines are let be a little longer than their mean.
    mean = f"ceil({len(text)} / ceil({len(text)} / {most})) + {math.ceil(longest / 2)}"
    return _split(json.dumps(text), f"min({most}, {mean})")


def _split(text: str, letters: str) -> str:
    """Return the lines of a text as an expression.

    They break at a space; a name without one that is too long for a line, after a mark in it.
    """
    at_space = f"(.{{1,' + ({letters}) + '}})( +|\\n|$)"
    in_name = f"(.{{1,' + ({letters}) + '}}[/_:-])|(.{{' + ({letters}) + '}})"
    broken = f"replace({text}, regexp('{at_space}|{in_name}', 'g'), '$1$3$4\\n')"
    return f"split(trim({broken}), '\\n')"
