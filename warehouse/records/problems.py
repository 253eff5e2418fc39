"""The message of a `ValidationError`: who, what, where, what was expected and what to do."""

from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

_LONGEST = 80


def problem_of(
    error: ValidationError, who: str, next_step: str = "", model: type[BaseModel] | None = None
) -> str:
    """Return the first broken rule of a file or a document as a message.

    Args:
        who: The reader and the file, such as `experiments: /home/experiments/mine.toml`.
        next_step: What to do about it; empty where the message itself says so.
        model: The model that was validated, whose keys are proposed for one that is unknown.
    """
    # A missing key may be an unknown one that is misspelt, so that comes first.
    detail = min(error.errors(include_url=False), key=lambda each: each["type"] == "missing")
    path = [part for part in detail["loc"] if isinstance(part, int) or part.isidentifier()]
    key = _dotted(path)
    if detail["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        text = f"{who} has the unknown key '{key}'{_proposal(path, model)}"
    elif detail["type"] == "missing":
        text = f"{who} lacks the key '{key}'"
        next_step = next_step or "add it"
    elif detail["type"] in ("value_error", "assertion_error"):
        reason = detail["msg"].partition(" error, ")[2] or detail["msg"]
        text = f"{who}: {key} is {_shown(detail['input'])}; {reason}" if key else f"{who}: {reason}"
    else:
        expected = detail["msg"].removeprefix("Input ")
        text = f"{who}: {key or 'it'} is {_shown(detail['input'])}; it {expected}"
    return f"{text}; {next_step}" if next_step else text


def _dotted(path: list[Any]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _proposal(path: list[Any], model: Any) -> str:
    """Return the nearest key that is known at the place of an unknown one, and all of them."""
    for part in path[:-1]:
        if isinstance(part, str):
            model = _model_of(_fields(model).get(part))
    names = _fields(model)
    if not names:
        return ""
    nearest = get_close_matches(str(path[-1]), names, n=1)
    prefix = "".join(f"{part}." for part in path[:-1] if isinstance(part, str))
    known = ", ".join(f"{prefix}{name}" for name in sorted(names))
    return (f"; did you mean '{prefix}{nearest[0]}'?" if nearest else "") + f"; known are {known}"


def _fields(model: Any) -> dict[str, Any]:
    found = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
    return {field.alias or name: field.annotation for name, field in found.items()}


def _model_of(annotation: Any) -> Any:
    """Return the first model in the type of a field, such as the one of a list's entries."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation
    return next(filter(None, map(_model_of, get_args(annotation))), None)
