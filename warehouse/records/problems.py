"""The message of a `ValidationError`: who, what, where, what was expected and what to do."""

from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ValidationError

# Kinds of errors about a key that no field has.
UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
_LONGEST = 80
# A misspelt key is also missing, and a wrong entry also leaves a list too short.
_FOLLOWING = {"literal_error": 1, "missing": 2, "too_short": 3}
_LIST, _TABLE, _TRUTH = "a list that is not empty", "a table", "true or false"
_EXPECTED = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "too_short": _LIST,
    "dataclass_type": _TABLE,
    "model_type": _TABLE,
    "dict_type": _TABLE,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a text",
}


def problem_of(error: ValidationError, who: str, next_step: str = "", model: Any = None) -> str:
    """Return the first broken rule of a file or a document as a message.

    Args:
        who: The reader and the file, such as `experiments: experiments/mine.toml`.
        next_step: What to do about it; empty where the message itself says so.
        model: The model that was validated, whose keys are proposed for one that is unknown; or
            several models that the keys of a file belong to.
    """
    # A missing key may be an unknown one that is misspelt, so that comes first.
    detail = first_detail(error)
    path = [part for part in detail["loc"] if isinstance(part, int) or part.isidentifier()]
    key, value = _dotted(path), detail["input"]
    if detail["type"] in UNKNOWN_KEY:
        text = f"{who} has the unknown key '{key}'{_proposal(path, model)}"
    elif detail["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        text = f"{who} lacks the key '{key}'"
        next_step = next_step or "add it"
    elif detail["type"] in ("value_error", "assertion_error"):
        reason = detail["msg"].partition(" error, ")[2] or detail["msg"]
        shown = f" is {_shown(value)}; {reason}" if not isinstance(value, dict) else f": {reason}"
        text = f"{who}: {key}{shown}" if key else f"{who}: {reason}"
    else:
        text = f"{who}: {key or 'it'} is {_shown(value)}; it {_expected(detail)}"
    return f"{text}; {next_step}" if next_step else text


def first_detail(error: ValidationError) -> Any:
    """Return the first error, but for those that may only follow from another."""
    details = error.errors(include_url=False)
    return min(details, key=lambda each: _FOLLOWING.get(each["type"], 0))


def _expected(detail: Any) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "literal_error":
        return f"should be one of {context['expected'].replace(' or ', ', ')}".replace("'", "")
    if kind == "greater_than_equal":
        return f"should be {context['ge']:g} or more"
    if kind == "less_than_equal":
        return f"should be {context['le']:g} or less"
    if kind in _EXPECTED:
        return f"should be {_EXPECTED[kind]}"
    return str(detail["msg"]).removeprefix("Input ")


def _dotted(path: list[Any]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _proposal(path: list[Any], model: Any) -> str:
    """Return the nearest key that is known at the place of an unknown one, and all of them."""
    keys = _keys(model)
    for part in path[:-1]:
        keys = _keys(_model_of(keys.get(part))) if isinstance(part, str) else keys
    if not keys:
        return ""
    nearest = get_close_matches(str(path[-1]), keys, n=1)
    prefix = "".join(f"{part}." for part in path[:-1] if isinstance(part, str))
    known = ", ".join(f"{prefix}{name}" for name in sorted(keys))
    return (f"; did you mean '{prefix}{nearest[0]}'?" if nearest else "") + f"; known are {known}"


def _keys(model: Any) -> dict[str, Any]:
    """Return the keys of a model, or of several, with their types."""
    if isinstance(model, tuple):
        return {name: kind for each in model for name, kind in _keys(each).items()}
    if isinstance(model, type) and issubclass(model, BaseModel):
        return {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    if not is_dataclass(model):
        return {}
    types = get_type_hints(model, include_extras=True)
    return {field.name: types[field.name] for field in fields(model)}


def _model_of(annotation: Any) -> Any:
    """Return the first model in the type of a field, such as the one of a list's entries."""
    if (model := getattr(annotation, "model", None)) is not None:
        return _model_of(model)
    if _keys(annotation):
        return annotation
    return next(filter(None, map(_model_of, reversed(get_args(annotation)))), None)
