"""Experiments are files: what is asked about which items, how often, in which order.

docs/experiments.md shows every key of such a file with an example for each kind; what a key may
hold is in `FIELDS` and, for a kind's own arms, with the kind. Only `name` and a template
are required; for debates also `variants` or `arms`, for answers `dimension` and `scale`, and for
likelihoods `metric` instead of a template. Parliamentary debates and stories require nothing but
the name and the kind. A user's file comes before a shipped one of the same name.

An experiment whose decoding changes gets a new name, since decoding is part of what makes a request
and not of what tells a judge's answers apart in the warehouse: the old file stays in `superseded/`
with `superseded_by`, is no longer listed, and goes on with its own answers alone.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.experiment import ROUND_COUNTS, Experiment
from inference.kinds import KIND
from inference.questions.answers import METRICS
from inference.toml_text import toml_of
from inference.value_rules import (
    Rule,
    check,
    is_flag,
    is_list_of,
    is_one_of,
    is_table,
    is_temperature,
    is_text,
    number,
    whole,
)

METHODS = ("all", "balanced", "natural")
# As many of each cell as the smallest one has.
SMALLEST = "smallest"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
SHIPPED = Path(__file__).parent / "experiments"
SUPERSEDED = SHIPPED / "superseded"
# Later fields, which leave the hash of experiments that do not set them as it was.
_LATER = ("answer_seed", "presence_penalty", "superseded_by")


def _is_scale(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2 and all(map(whole(0), value))
    return is_pair and value[0] < value[1]


def _is_counts(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(key.isascii() and key.isdigit() for key in value)
        and all(map(whole(1), value.values()))
    )


FIELDS: Mapping[str, Rule] = {
    "name": (
        lambda value: is_text(value) and NAME.fullmatch(value) is not None,
        "small letters, digits and hyphens",
    ),
    "template": (is_text, "the name of a prompt"),
    "title": (is_text, "a short text"),
    "description": (is_text, "a text"),
    "kind": (lambda value: value in KIND, "one of " + ", ".join(KIND)),
    "datasets": (is_list_of((is_text, "a name"))[0], 'a list of data set names, or ["*"]'),
    "dimension": (is_text, 'the name of a dimension, or "*"'),
    "repeats": (whole(1), "a whole number, 1 or more"),
    "scale": (_is_scale, "the lowest and the highest score, two whole numbers such as [1, 5]"),
    "metric": is_one_of(METRICS),
    "wordings": is_list_of((is_text, "the name of a prompt")),
    "keep_tokens": (is_flag, "true or false"),
    "word_limit": (whole(10), "a number of words, 10 or more"),
    "superseded_by": (is_text, "the name of an experiment"),
}
# Tables of every kind; each kind has tables of its own besides, for its arms.
SHARED: Mapping[str, Mapping[str, Rule]] = {
    "sampling": {
        "seed": (whole(0), "a whole number, 0 or more"),
        "method": is_one_of(METHODS),
        "per_cell": (
            lambda value: value == SMALLEST or _is_counts(value),
            f'a table from round counts to numbers, such as {{3 = 125}}, or "{SMALLEST}"',
        ),
        "per_round_count": (
            lambda value: whole(1)(value) or _is_counts(value),
            "a number of debates of 3, 4 and 5 rounds each, or a table such as {3 = 500}",
        ),
        "max_words": (whole(1), "a whole number, 1 or more"),
        "without_other_turns": (is_flag, "true or false"),
        "split": (is_text, "the name of a part of the data set, such as test"),
        "questions": (whole(1), "a whole number, 1 or more"),
    },
    "decoding": {
        "temperature": (is_temperature, "a number, 0 or more"),
        "max_tokens": (whole(1), "a whole number, 1 or more"),
        "presence_penalty": (number(-2, 2), "a number from -2 to 2"),
        "answer_seed": (whole(0), "a whole number, 0 or more"),
    },
}


def tables() -> dict[str, Mapping[str, Rule]]:
    """Return the tables an experiment's file may have, with the rules of their keys."""
    own = {name: keys for kind in KIND.values() for name, keys in kind.tables.items()}
    return {**SHARED, **own}


def keys() -> dict[str, Rule]:
    """Return the keys an experiment's file may have outside tables, and the tables themselves."""
    table: Rule = (is_table, "a table")
    return {
        **FIELDS,
        **dict.fromkeys(tables(), table),
        "arms": (is_list_of(table)[0], "tables, each [[arms]]"),
    }


def foreign(kind: str) -> frozenset[str]:
    """Return what says nothing of a kind of experiment."""
    return frozenset().union(*(each.own for each in KIND.values())) - KIND[kind].own


def definition_hash(experiment: Experiment) -> str:
    """Hash of everything that decides what is asked; title and description do not."""
    kind = KIND[experiment.kind]
    elsewhere = {"title", "description", *foreign(experiment.kind)}
    elsewhere |= {"superseded_by", *(key for key in _LATER if getattr(experiment, key) is None)}
    every = asdict(experiment)
    arms = every.pop("arms")
    facts = {key: value for key, value in every.items() if key not in elsewhere}
    if kind.arms_name is not None:
        facts[kind.arms_name] = arms
    if experiment.retrieval is None:
        # As before there was a choice: an experiment that does not choose stays the same.
        facts.pop("retrieval", None)
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def load_experiment(name: str, folders: Sequence[Path] = ()) -> Experiment:
    """Return an experiment by name.

    Args:
        name: The experiment.
        folders: The user's folders, searched in order before the shipped one.

    Raises:
        UnknownExperiment: There is none of this name, or its file is wrong.
    """
    if NAME.fullmatch(name) is None:
        raise UnknownExperiment(
            f"experiments: '{name}' is no experiment name; expected small letters, digits and "
            "hyphens, such as speech-score"
        )
    for folder in (*folders, SHIPPED, SUPERSEDED):
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
    """Return the names of all experiments, by their files, valid or not."""
    files = (file for folder in (*folders, SHIPPED) for file in folder.glob("*.toml"))
    return sorted({file.stem.replace("_", "-") for file in files})


def _read(path: Path, name: str) -> Experiment:
    try:
        content = toml_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnknownExperiment(f"experiments: {path} is not valid TOML: {error}") from None
    check(path, "", content, keys(), required=("name",))
    values: dict[str, Any] = {key: content[key] for key in content if key in FIELDS}
    for table, rules in tables().items():
        inner = content.get(table, {})
        check(path, f"{table}.", inner, rules)
        if table in SHARED:
            values.update(inner)
    if values["name"] != name:
        raise UnknownExperiment(
            f"experiments: {path} says name = '{values['name']}', but its file is named for "
            f"'{name}'; make the two agree"
        )
    _check_kind(path, content, values)
    kind = KIND[values.get("kind", "speech")]
    # A file may call arms by the kind's own name.
    values = {key: value for key, value in values.items() if key != kind.arms_name} | kind.read(
        path, content, values
    )
    arms = values.get("arms", ())
    for place, arm in enumerate(arms):
        if arm in arms[:place]:
            raise UnknownExperiment(
                f"experiments: {path} has the arm '{arm.words}' of prompt '{arm.template}' twice; "
                f"{kind.advice_on_same_arms}"
            )
    for key, made in (("datasets", tuple), ("scale", tuple), ("temperature", float)):
        if key in values:
            values[key] = made(values[key])
    if isinstance(values.get("per_round_count"), int):
        values["per_round_count"] = dict.fromkeys(ROUND_COUNTS, values["per_round_count"])
    for cells in ("per_cell", "per_round_count"):
        if isinstance(values.get(cells), dict):
            values[cells] = tuple(sorted((int(key), each) for key, each in values[cells].items()))
    return Experiment(**values)


def _check_kind(path: Path, content: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    kind = values.get("kind", "speech")
    for key in sorted(foreign(kind)):
        if key in values or key in content:
            owner = next(each.name for each in KIND.values() if key in each.own)
            raise UnknownExperiment(
                f"experiments: {path} has '{key}', which says nothing of a {kind}; take it out, or "
                f'set kind = "{owner}"'
            )
    for key in KIND[kind].required:
        if key not in values:
            raise UnknownExperiment(
                f"experiments: {path} asks about a {kind} and lacks the key '{key}'; add it"
            )
    method = values.get("method", "all")
    for key, needed in (("per_cell", "balanced"), ("per_round_count", "natural")):
        if key in values and method != needed:
            raise UnknownExperiment(
                f"experiments: {path} has sampling.{key}, which belongs to the method '{needed}', "
                f"and its method is '{method}'"
            )
