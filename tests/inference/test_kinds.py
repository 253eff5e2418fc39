"""Kinds of answer lines: those that older lines have by their fields, and names of no kind."""

from typing import Any

import pytest

from inference.kinds import KIND, KINDS, kind_of_line
from inference.kinds.protocol import Kind
from inference.runs.history import OwnAnswers, add_line

METHODS = {
    "items",
    "variants",
    "applies",
    "prompt_inputs",
    "describe",
    "costs",
    "parse",
    "values",
}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"scale_min": 1, "scale_max": 5}, "speech"),
        ({"outcome": "winner", "pro_label": "A"}, "debate"),
        ({"metric": "perspective_diversity"}, "likelihood"),
        ({"item_kind": "answer", "metric": "bleu"}, "likelihood"),
        ({"item_kind": "answer", "scale_min": 1}, "answer"),
        ({"item_kind": "pressure", "outcome": "winner"}, "pressure"),
        ({"item_kind": "reading"}, "transcript"),
    ],
)
def test_a_line_has_its_kind_by_name_or_as_older_lines_do(line: dict[str, Any], kind: str) -> None:
    assert kind_of_line(line) is KIND[kind]


@pytest.mark.parametrize("name", ["song", "", 3])
def test_a_line_of_an_unknown_kind_is_refused_by_name_and_asked_again(name: Any) -> None:
    line = {"kind": "answer", "status": "answered", "request_id": "r", "response": "4"}
    line |= {"item_kind": name, "scale_min": 1, "scale_max": 5}
    with pytest.raises(ValueError, match=f"item_kind should be one of .*found {name!r}"):
        kind_of_line(line)
    own = OwnAnswers()
    add_line(own, line)
    assert "r" not in own


def test_a_kind_has_the_eight_methods_of_the_contract() -> None:
    for kind in (Kind, *map(type, KINDS)):
        public = {name for name, value in vars(kind).items() if callable(value) and name[0] != "_"}
        assert public - {"options", "item_set"} <= METHODS | {"equip", "released"}, kind
