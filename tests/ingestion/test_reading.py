"""Foreign records as models: which field a reject names, and why."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from ingestion.reading import OR_NONE, BrokenRecord, expected, validated
from warehouse.records.core import Dataset


class _Line(BaseModel):
    score: Annotated[float, Field(ge=50, le=100), expected("a number from 50 to 100")]
    ghost: Annotated[bool | None, OR_NONE] = None


class _Sheet(BaseModel):
    lines: list[_Line]


@pytest.mark.parametrize(
    ("model", "fields", "field", "reason"),
    [
        (_Sheet, {"lines": [{"score": 49}]}, "lines[0].score", "from 50 to 100; found 49"),
        (_Sheet, {"lines": [{"score": 10**400}]}, "lines[0].score", "from 50 to 100"),
        (_Sheet, {"lines": [{}]}, "lines[0].score", "is missing"),
        (_Sheet, {"lines": "many"}, "lines", "should be a valid list; found 'many'"),
        (_Sheet, {}, "lines", "is missing"),
        (_Sheet, ["lines"], None, "should be an object; found \\['lines'\\]"),
        (Dataset, {"dataset_id": "A b", "title": "t", "licence": "l"}, "name", "found 'A b'"),
    ],
)
def test_a_broken_record_names_the_path_of_its_field(
    model: type, fields: Any, field: str | None, reason: str
) -> None:
    with pytest.raises(BrokenRecord, match=reason) as broken:
        validated(model, fields, {"dataset_id": "name"})
    assert broken.value.field == field


def test_a_lenient_field_of_another_type_is_none() -> None:
    sheet = validated(_Sheet, {"lines": [{"score": 70, "ghost": []}], "more": 1})
    assert sheet.lines == [_Line(score=70, ghost=None)]
