"""Titles of the experiments and prompts that Rostrum ships, from their own files.

A page shows the title followed by the code. A user's own experiment or prompt is shown by its code.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

_SHIPPED = resources.files("inference")


def _tables(path: Traversable) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _experiment_titles() -> dict[str, str]:
    folders = [_SHIPPED / "experiments", _SHIPPED / "experiments" / "superseded"]
    files = [path for folder in folders for path in folder.iterdir() if path.name.endswith(".toml")]
    return {each["name"]: each["title"] for each in map(_tables, files)}


EXPERIMENTS = _experiment_titles()
PROMPTS = {
    name: entry["title"]
    for name, entry in _tables(_SHIPPED / "prompts" / "instruments.toml").items()
}
DIMENSIONS = {"goodopeningspeech": "good opening speech"}


WORDS_OF: Mapping[str, Mapping[str, str]] = {
    "experiment": EXPERIMENTS,
    "template": PROMPTS,
    "to_template": PROMPTS,
    "debater_template": PROMPTS,
    "evaluator_template": PROMPTS,
    "template_plain": PROMPTS,
    "dimension": DIMENSIONS,
}
_SAID = {
    **{code: f"\u201c{words}\u201d" for code, words in PROMPTS.items()},
    **DIMENSIONS,
    # A question names an experiment so; elsewhere its code is a part of a command.
    **{f"({code})": f"(\u201c{words}\u201d)" for code, words in EXPERIMENTS.items()},
    "con_first": "con first",
    "pro_first": "pro first",
}
_CODES = "|".join(re.escape(code) for code in sorted(_SAID, key=len, reverse=True))
_CODE = re.compile(rf"(?<![\w/-])(?:{_CODES})(?![\w/-])")


def reworded(text: Any) -> str:
    """Return a sentence that a mart wrote, with words in the place of the codes in it.

    Args:
        text: Plain text; names of judges and data sets in it stay.
    """
    return _CODE.sub(lambda found: _SAID[found[0]], str(text))


def words_alone(code: Any, words: Mapping[str, str]) -> str:
    """Return the words for a code where there is no room for both, as in a chart.

    Args:
        code: The name as the warehouse has it.
        words: One of this module's tables; a code without words stays as it is.
    """
    return words.get(str(code), str(code))


def prompt_name(template: Any) -> str:
    """Return a prompt in words where there is no room for its code, as in a chart."""
    return words_alone(template, PROMPTS)


def worded(code: Any, words: Mapping[str, str]) -> str:
    """Return the words for a code with the code behind them, as plain text.

    Args:
        code: The name as the warehouse has it.
        words: One of this module's tables; a code without words stays as it is.
    """
    name = str(code)
    return f"{words[name]} · {name}" if name in words else name
