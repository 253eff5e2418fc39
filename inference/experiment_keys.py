"""What the keys of an experiment's file may hold, and which kinds of experiments they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inference.kinds import KIND
from inference.questions.answers import METRICS
from inference.value_rules import (
    Rule,
    is_flag,
    is_list_of,
    is_number,
    is_one_of,
    is_temperature,
    is_text,
    whole,
)

METHODS = ("all", "balanced", "natural")
# As many of each cell as the smallest one has.
SMALLEST = "smallest"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def _is_datasets(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(is_text(each) for each in value)


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
    "description": (is_text, "a text"),
    "kind": (lambda value: value in KIND, "one of " + ", ".join(KIND)),
    "datasets": (_is_datasets, 'a list of data set names, or ["*"]'),
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
        "presence_penalty": (
            lambda value: is_number(value) and -2 <= value <= 2,
            "a number from -2 to 2",
        ),
        "answer_seed": (whole(0), "a whole number, 0 or more"),
    },
}


def tables() -> dict[str, Mapping[str, Rule]]:
    """Return the tables an experiment's file may have, with the rules of their keys."""
    own = {name: keys for kind in KIND.values() for name, keys in kind.tables.items()}
    return {**SHARED, **own}


def keys() -> dict[str, Rule]:
    """Return the keys an experiment's file may have outside tables, and the tables themselves."""
    is_table: Rule = (lambda value: isinstance(value, dict), "a table")
    return {
        **FIELDS,
        **dict.fromkeys(tables(), is_table),
        "arms": (
            lambda value: (
                isinstance(value, list)
                and bool(value)
                and all(isinstance(arm, dict) for arm in value)
            ),
            "tables, each [[arms]]",
        ),
    }


def foreign(kind: str) -> frozenset[str]:
    """Return what says nothing of a kind of experiment."""
    return frozenset().union(*(each.own for each in KIND.values())) - KIND[kind].own
