"""Messages of validation errors name the file, the key, the value and the remedy."""

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from warehouse.records.problems import problem_of


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("it should be even")
    return value


class _Arm(BaseModel, extra="forbid"):
    weight: float = 1.0


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    repeats: Annotated[int, Field(ge=1)] = 1
    even: Annotated[int, AfterValidator(_even)] = 2
    arms: list[_Arm] | None = None


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ({}, ["files: a.toml lacks the key 'name'", "add it"]),
        ({"name": "a", "repeat": 2}, ["unknown key 'repeat'", "did you mean 'repeats'?", "arms, "]),
        ({"name": "a", "repeats": 0}, ["files: a.toml: repeats is 0; it should be 1 or more"]),
        ({"name": "a", "repeats": "many"}, ["repeats is 'many'; it should be a whole number"]),
        ({"name": "a", "even": 3}, ["even is 3; it should be even"]),
        ({"name": "a", "arms": [{}, {"wight": 1}]}, ["'arms[1].wight'", "mean 'arms.weight'?"]),
        ({"name": "a" * 200, "arms": "b" * 200}, ["arms is 'bbb", "..."]),
    ],
)
def test_a_message_names_key_value_and_remedy(content: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        _File.model_validate(content)
    message = problem_of(caught.value, "files: a.toml", model=_File)
    assert all(part in message for part in parts), message


def test_a_next_step_ends_the_message() -> None:
    with pytest.raises(ValidationError) as caught:
        _File.model_validate({"name": "a", "repeats": 0})
    assert problem_of(caught.value, "files: a", "ingest it again").endswith("; ingest it again")
