"""The ways in which an experiment has questions answered, from its file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.questions.answers import NOTHING, RETRIEVALS, Generation
from inference.questions.web.settings import NEEDS, RETRIEVERS, SNAPSHOT, RetrievalSettings
from inference.value_rules import (
    FLAG,
    PROMPT,
    Grid,
    Rule,
    is_list_of,
    is_one_of,
    is_small,
    is_temperature,
    is_text,
    number,
    whole,
)

GENERATION = Grid(
    "answers",
    {
        "template": (PROMPT, []),
        "retrieval": (is_one_of(RETRIEVALS), [NOTHING]),
        "target_tokens": ((whole(1), "a whole number, 1 or more"), [None]),
        "temperature": ((is_temperature, "a number, 0 or more"), [None]),
        "top_p": ((number(0, 1), "a number from 0 to 1"), [None]),
    },
)
TABLES: Mapping[str, Mapping[str, Rule]] = {
    GENERATION.table: {
        **GENERATION.rules,
        "trusted_only": is_list_of(FLAG),
        "embedder": (is_text, "tfidf, or the id of an embedding model"),
        "template_with_documents": (is_text, "the name of a prompt with {documents}"),
    },
    "retrieval": {
        "retriever": is_one_of(RETRIEVERS),
        "search": (is_text, "the address of a search service"),
        "key_env": (is_text, "the name of an environment variable"),
        "addresses": (is_text, "the name of a file"),
        "results": (is_small(100), "a whole number from 1 to 100"),
        "search_pages": (is_small(20), "a whole number from 1 to 20"),
        "domains": is_list_of((is_text, "a top-level domain such as edu")),
        "max_page_bytes": (is_small(50_000_000), "a whole number from 1 to 50000000"),
        "page_timeout_s": (
            lambda value: is_temperature(value) and 0 < value <= 300,
            "a number of seconds, over 0 and at most 300",
        ),
        "snapshot": (
            lambda value: is_text(value) and SNAPSHOT.fullmatch(value) is not None,
            "small letters, digits and hyphens, such as 2026-11",
        ),
    },
}


_MADE: Mapping[str, type[Any]] = {"domains": tuple, "page_timeout_s": float}


def read_generations(path: Path, content: Mapping[str, Any]) -> tuple[Generation, ...]:
    """Return the arms of an experiment that has questions answered.

    Raises:
        UnknownExperiment: A prompt is lacking.
    """
    lists = GENERATION.lists(content)
    with_documents = lists.get("template_with_documents", "qa_rag")
    if not lists.get("template"):
        raise UnknownExperiment(f"experiments: {path} lacks the key 'template'; add it")
    arms: list[Generation] = []
    for place, is_trusted_only in enumerate(lists.get("trusted_only", [False])):
        for chosen in GENERATION.combinations(lists):
            arm = Generation(**chosen)
            if arm.retrieval != NOTHING:
                arm = replace(arm, template=with_documents, is_trusted_only=is_trusted_only)
            elif place:
                # Where nothing is shown, nothing can be trusted.
                continue
            decoding = (arm.temperature, arm.top_p)
            temperature, top_p = (None if value is None else float(value) for value in decoding)
            arms.append(replace(arm, temperature=temperature, top_p=top_p))
    return tuple(arms)


def read_retrieval(
    path: Path, table: Mapping[str, Any], arms: Sequence[Generation]
) -> RetrievalSettings:
    """Return where an experiment takes documents from.

    Args:
        path: The experiment's file.
        table: Its `[retrieval]`.
        arms: The ways in which it has questions answered.

    Raises:
        UnknownExperiment: No arm shows documents, or a key is lacking or is another retriever's.
    """
    if all(arm.retrieval == NOTHING for arm in arms):
        raise UnknownExperiment(
            f"experiments: {path} has a [retrieval], and no arm shows documents; add "
            'answers.retrieval = ["vanilla"], or leave [retrieval] out'
        )
    # TOML has other types for these.
    made = {key: make(table[key]) for key, make in _MADE.items() if key in table}
    found = RetrievalSettings(**{**table, **made})
    for retriever, key in NEEDS.items():
        if (getattr(found, key) is not None) != (found.retriever == retriever):
            wrong = f"lacks the key 'retrieval.{key}'"
            if found.retriever != retriever:
                wrong = f"has the key 'retrieval.{key}', which is for retriever = \"{retriever}\""
            raise UnknownExperiment(
                f"experiments: {path} takes documents from '{found.retriever}' and {wrong}; make "
                "the two agree"
            )
    return found
