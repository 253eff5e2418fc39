"""Experiments are files: what is asked about which items, how often, in which order.

    name = "speech-score"             # the file is speech_score.toml or speech-score.toml
    description = "..."
    kind = "speech"                   # what an item is
    datasets = ["*"]                  # "*": every data set that has the dimension
    dimension = "*"                   # "*": all dimensions the items have
    template = "speech_score"         # a file in prompts/
    repeats = 1                       # answers per item

    [sampling]
    seed = 20250701                   # orders the items, so that a limit takes a random sample

    [decoding]                        # a judge's own settings come before these
    temperature = 0.01
    max_tokens = 4096

Only `name` and `template` are required; the values above are the defaults. A user's file comes
before a shipped one of the same name.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment

SHIPPED = Path(__file__).parent / "experiments"
KINDS = ("speech",)

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        name: Small letters, digits and hyphens.
        description: What it asks, for people.
        kind: What an item is.
        datasets: The data sets it runs on; `*` alone means all that have the dimension.
        dimension: The dimension of the items it asks about; `*` means all they have, which takes
            a prompt with the slot `{question}` where there are several.
        template: The prompt's name.
        repeats: Answers per item.
        seed: Orders the items.
        temperature: For judges that do not set their own; the published study's 0.01.
        max_tokens: For judges that do not set their own; the published study's 4,096.
    """

    name: str
    template: str
    description: str = ""
    kind: str = "speech"
    datasets: tuple[str, ...] = ("*",)
    dimension: str = "*"
    repeats: int = 1
    seed: int = 20250701
    temperature: float = 0.01
    max_tokens: int = 4096

    @property
    def definition_hash(self) -> str:
        """Hash of everything that decides what is asked; the description does not."""
        facts = {key: value for key, value in asdict(self).items() if key != "description"}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def load_experiment(name: str, folders: Sequence[Path] = ()) -> Experiment:
    """Return an experiment by name.

    Args:
        name: The experiment.
        folders: The user's folders, searched in order before the shipped one.

    Raises:
        UnknownExperiment: There is none of this name, or its file is wrong.
    """
    if _NAME.fullmatch(name) is None:
        raise UnknownExperiment(
            f"experiments: '{name}' is no experiment name; expected small letters, digits and "
            "hyphens, such as speech-score"
        )
    for folder in (*folders, SHIPPED):
        for stem in (name.replace("-", "_"), name):
            path = folder / f"{stem}.toml"
            if path.is_file():
                return _read(path, name)
    known = ", ".join(list_experiments(folders))
    raise UnknownExperiment(
        f"experiments: no experiment named '{name}'; there are {known}; to add one, write "
        f"{name.replace('-', '_')}.toml in the folder experiments/ of your home"
    )


def list_experiments(folders: Sequence[Path] = ()) -> list[str]:
    """Return the names of all experiments, by their files. Whether each is valid shows on loading.

    Args:
        folders: The user's folders.
    """
    files = (file for folder in (*folders, SHIPPED) for file in folder.glob("*.toml"))
    return sorted({file.stem.replace("_", "-") for file in files})


def _read(path: Path, name: str) -> Experiment:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnknownExperiment(f"experiments: {path} is not valid TOML: {error}") from None
    _check(path, "", content, _KEYS, required=("name", "template"))
    values: dict[str, Any] = {key: content[key] for key in content if key in _FIELDS}
    for table in _TABLES:
        inner = content.get(table, {})
        _check(path, f"{table}.", inner, _TABLES[table])
        values.update(inner)
    if values["name"] != name:
        raise UnknownExperiment(
            f"experiments: {path} says name = '{values['name']}', but its file is named for "
            f"'{name}'; make the two agree"
        )
    if "datasets" in values:
        values["datasets"] = tuple(values["datasets"])
    if "temperature" in values:
        values["temperature"] = float(values["temperature"])
    return Experiment(**values)


def _check(
    path: Path,
    prefix: str,
    content: Mapping[str, Any],
    known: Mapping[str, tuple[Callable[[Any], bool], str]],
    required: tuple[str, ...] = (),
) -> None:
    for key, value in content.items():
        if key not in known:
            raise UnknownExperiment(
                f"experiments: {path} has the unknown key '{prefix}{key}'; known are "
                f"{', '.join(prefix + each for each in sorted(known))}"
            )
        is_valid, expected = known[key]
        if not is_valid(value):
            raise UnknownExperiment(
                f"experiments: {path}: {prefix}{key} is {value!r}; it must be {expected}"
            )
    for key in required:
        if key not in content:
            raise UnknownExperiment(f"experiments: {path} lacks the key '{key}'; add it")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_whole(low: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low


def _is_temperature(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 100


def _is_datasets(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_text(each) for each in value)


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (
        lambda value: _is_text(value) and _NAME.fullmatch(value) is not None,
        "small letters, digits and hyphens",
    ),
    "template": (_is_text, "the name of a prompt"),
    "description": (_is_text, "a text"),
    "kind": (lambda value: value in KINDS, "one of " + ", ".join(KINDS)),
    "datasets": (_is_datasets, 'a list of data set names, or ["*"]'),
    "dimension": (_is_text, 'the name of a dimension, or "*"'),
    "repeats": (_is_whole(1), "a whole number, 1 or more"),
}
_TABLES: Mapping[str, Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "sampling": {"seed": (_is_whole(0), "a whole number, 0 or more")},
    "decoding": {
        "temperature": (_is_temperature, "a number, 0 or more"),
        "max_tokens": (_is_whole(1), "a whole number, 1 or more"),
    },
}
_KEYS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **_FIELDS,
    **{table: (lambda value: isinstance(value, dict), "a table") for table in _TABLES},
}
