"""What the keys of an experiment's file may hold, and which kinds of experiments they belong to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inference.debates.variants import OUTCOMES, POSITIONS
from inference.errors import UnknownExperiment
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CONSULTANCY,
    DEBATE,
    FORWARD,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    SELF,
    SIMULTANEOUS,
    TURN_ORDERS,
)
from inference.parliamentary.items import (
    ASKED_TASKS,
    NAMED_ORDERS,
    SHUFFLED,
    SPOKEN,
    STRATEGIES,
    WHOLE,
)
from inference.questions.answers import METRICS, RETRIEVALS
from inference.questions.web.settings import RETRIEVERS, SNAPSHOT
from inference.value_rules import is_flag, is_text, whole

KINDS = (
    "speech", "debate", "question", "answer", "likelihood", "parliamentary", "transcript",
    "reading", "oversight", "writing",
)  # fmt: skip
METHODS = ("all", "balanced", "natural")
# As many of each cell as the smallest one has.
SMALLEST = "smallest"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def check(
    path: Path,
    prefix: str,
    content: Mapping[str, Any],
    known: Mapping[str, tuple[Callable[[Any], bool], str]],
    required: tuple[str, ...] = (),
) -> None:
    """Refuse a table of an experiment's file with a key that is unknown, wrong or missing.

    Args:
        path: The file.
        prefix: What stands before the table's keys in messages.
        content: The table.
        known: The keys there are.
        required: Those that must be there.

    Raises:
        UnknownExperiment: A key is unknown, wrong or missing.
    """
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_temperature(value: Any) -> bool:
    return _is_number(value) and 0 <= value < 100


def _is_share(value: Any) -> bool:
    return _is_temperature(value) and value <= 1


def _is_datasets(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(is_text(each) for each in value)


def _is_small(most: int) -> Callable[[Any], bool]:
    return lambda value: whole(1)(value) and value <= most


def _is_scale(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2 and all(map(whole(0), value))
    return is_pair and value[0] < value[1]


def _is_one_of(known: Sequence[str]) -> tuple[Callable[[Any], bool], str]:
    return lambda value: value in known, "one of " + ", ".join(known)


def _is_list_of(rule: tuple[Callable[[Any], bool], str]) -> tuple[Callable[[Any], bool], str]:
    is_valid, expected = rule
    return (
        lambda value: isinstance(value, list) and bool(value) and all(map(is_valid, value)),
        f"a list, each of it {expected}",
    )


FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (
        lambda value: is_text(value) and NAME.fullmatch(value) is not None,
        "small letters, digits and hyphens",
    ),
    "template": (is_text, "the name of a prompt"),
    "description": (is_text, "a text"),
    "kind": (lambda value: value in KINDS, "one of " + ", ".join(KINDS)),
    "datasets": (_is_datasets, 'a list of data set names, or ["*"]'),
    "dimension": (is_text, 'the name of a dimension, or "*"'),
    "repeats": (whole(1), "a whole number, 1 or more"),
    "scale": (_is_scale, "the lowest and the highest score, two whole numbers such as [1, 5]"),
    "metric": _is_one_of(METRICS),
    "wordings": _is_list_of((is_text, "the name of a prompt")),
    "keep_tokens": (is_flag, "true or false"),
    "word_limit": (whole(10), "a number of words, 10 or more"),
    "superseded_by": (is_text, "the name of an experiment"),
}


def _is_counts(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(key.isascii() and key.isdigit() for key in value)
        and all(map(whole(1), value.values()))
    )


_LABELS = (is_text, "two labels with a slash between, Pro's first, such as A/B or random A/B")
ARM: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "labels": _LABELS,
    "position": _is_one_of(POSITIONS),
    "outcome": _is_one_of(OUTCOMES),
    "template": (is_text, "the name of a prompt"),
}
# What a grid takes where it does not say; labels and prompts must be said.
GRID: Mapping[str, list[str]] = {
    "labels": [], "outcome": ["winner"], "position": ["pro_first"], "template": [],
}  # fmt: skip
# What an experiment's files may say of answers, in the order in which arms are formed.
GENERATION: Mapping[str, list[Any]] = {
    "template": [], "retrieval": ["none"], "target_tokens": [None], "temperature": [None],
    "top_p": [None],
}  # fmt: skip
# Of adjudications likewise: what follows the debate in a prompt varies fastest, so that requests
# that are asked in a row begin alike.
ADJUDICATION: Mapping[str, list[Any]] = {
    "manual": ["bp_manual"], "info_slide": [True], "motion": [True], "strategy": [WHOLE],
    "task": ["all"], "template": [None], "house_order": [SPOKEN],
}  # fmt: skip
# Of transcripts likewise: who argues for what varies fastest, so that a story is read once.
DEBATING: Mapping[str, list[Any]] = {
    "template": ["ov_debater"], "protocol": [DEBATE], "turn_order": [SIMULTANEOUS], "rounds": [3],
    "asker": [None], "word_limit": [150], "best_of": [1], "preference_judge": [None],
    "refine": [0], "opponent": [SELF], "argues": [0],
}  # fmt: skip
# Of judging likewise. A step is a round after which is asked; all of them is the end.
AT_THE_END = "end"
JUDGING: Mapping[str, list[Any]] = {
    "protocol": [], "template": [None], "step": [AT_THE_END], "probe": [NO_PROBE],
    "asked_for": [PROBABILITY], "answer_order": [FORWARD],
}  # fmt: skip
# Tables that are read apart, and not into fields of their keys' names.
GRIDS = ("variants", "answers", "retrieval", "adjudication", "debate", "judging")
# What belongs to some kinds of experiments and not to others: fields, and the tables of arms.
OWN: Mapping[str, frozenset[str]] = {
    "speech": frozenset({"dimension"}),
    "debate": frozenset({
        "arms", "max_words", "method", "per_cell", "per_round_count", "without_other_turns",
        "variants",
    }),
    "question": frozenset({
        "answers", "embedder", "generations", "questions", "retrieval", "split",
    }),
    "answer": frozenset({"dimension", "questions", "scale", "split"}),
    "parliamentary": frozenset({"adjudication", "adjudications"}),
    "transcript": frozenset({"debate", "debate_plans", "questions"}),
    "reading": frozenset({"judging", "judgings", "questions"}),
    "oversight": frozenset({"judging", "judgings", "questions"}),
    "writing": frozenset({"word_limit"}),
    "likelihood": frozenset({"keep_tokens", "metric", "questions", "split", "wordings"}),
}  # fmt: skip
REQUIRED = {"answer": ("dimension", "scale"), "likelihood": ("metric",)}


def foreign(kind: str) -> frozenset[str]:
    """Return what says nothing of a kind of experiment."""
    return frozenset().union(*OWN.values()) - OWN[kind]


TABLES: Mapping[str, Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "sampling": {
        "seed": (whole(0), "a whole number, 0 or more"),
        "method": _is_one_of(METHODS),
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
    "variants": {name: _is_list_of(rule) for name, rule in ARM.items()},
    "answers": {
        "template": _is_list_of((is_text, "the name of a prompt")),
        "temperature": _is_list_of((_is_temperature, "a number, 0 or more")),
        "top_p": _is_list_of((_is_share, "a number from 0 to 1")),
        "target_tokens": _is_list_of((whole(1), "a whole number, 1 or more")),
        "retrieval": _is_list_of(_is_one_of(RETRIEVALS)),
        "trusted_only": _is_list_of((is_flag, "true or false")),
        "embedder": (is_text, "tfidf, or the id of an embedding model"),
        "template_with_documents": (is_text, "the name of a prompt with {documents}"),
    },
    "retrieval": {
        "retriever": _is_one_of(RETRIEVERS),
        "search": (is_text, "the address of a search service"),
        "key_env": (is_text, "the name of an environment variable"),
        "addresses": (is_text, "the name of a file"),
        "results": (_is_small(100), "a whole number from 1 to 100"),
        "search_pages": (_is_small(20), "a whole number from 1 to 20"),
        "domains": _is_list_of((is_text, "a top-level domain such as edu")),
        "max_page_bytes": (_is_small(50_000_000), "a whole number from 1 to 50000000"),
        "page_timeout_s": (
            lambda value: _is_temperature(value) and 0 < value <= 300,
            "a number of seconds, over 0 and at most 300",
        ),
        "snapshot": (
            lambda value: is_text(value) and SNAPSHOT.fullmatch(value) is not None,
            "small letters, digits and hyphens, such as 2026-11",
        ),
    },
    "adjudication": {
        "task": _is_list_of(_is_one_of(ASKED_TASKS)),
        "house_order": _is_list_of(
            (
                lambda value: value == SHUFFLED or value in NAMED_ORDERS,
                "the four houses in an order, such as co-cg-oo-og, or shuffled",
            )
        ),
        "strategy": _is_list_of(_is_one_of(STRATEGIES)),
        "manual": _is_list_of((is_text, "the name of a judging manual")),
        "motion": _is_list_of((is_flag, "true or false")),
        "info_slide": _is_list_of((is_flag, "true or false")),
        "template": _is_list_of((is_text, "the name of a prompt")),
    },
    "debate": {
        "template": _is_list_of((is_text, "the name of a prompt")),
        "protocol": _is_list_of(_is_one_of((DEBATE, CONSULTANCY))),
        "turn_order": _is_list_of(_is_one_of(TURN_ORDERS)),
        "rounds": _is_list_of((_is_small(20), "a whole number from 1 to 20")),
        "asker": _is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "word_limit": _is_list_of((whole(10), "a number of words, 10 or more")),
        "best_of": _is_list_of((_is_small(64), "a whole number from 1 to 64")),
        "preference_judge": _is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "refine": _is_list_of((whole(0), "a whole number, 0 or more")),
        "opponent": _is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "argues": _is_list_of((lambda value: whole(0)(value) and value < 2, "0 or 1")),
    },
    "judging": {
        "protocol": _is_list_of(_is_one_of(PROTOCOLS)),
        "answer_order": _is_list_of(_is_one_of(ANSWER_ORDERS)),
        "asked_for": _is_list_of(_is_one_of(ASKED_FOR)),
        "probe": _is_list_of(_is_one_of(PROBES)),
        "step": _is_list_of(
            (
                lambda value: value == AT_THE_END or whole(1)(value),
                f'the number of a round, or "{AT_THE_END}"',
            )
        ),
        "template": _is_list_of((is_text, "the name of a prompt")),
    },
    "decoding": {
        "temperature": (_is_temperature, "a number, 0 or more"),
        "max_tokens": (whole(1), "a whole number, 1 or more"),
        "presence_penalty": (
            lambda value: _is_number(value) and -2 <= value <= 2,
            "a number from -2 to 2",
        ),
        "answer_seed": (whole(0), "a whole number, 0 or more"),
    },
}
KEYS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **FIELDS,
    **{table: (lambda value: isinstance(value, dict), "a table") for table in TABLES},
    "arms": (
        lambda value: (
            isinstance(value, list) and bool(value) and all(isinstance(arm, dict) for arm in value)
        ),
        "tables, each [[arms]]",
    ),
}
