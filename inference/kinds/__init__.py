"""The kinds of experiments; `protocol` has the contract of a kind."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from inference.kinds.parts import Table
from inference.kinds.prompts import PROMPTS
from inference.kinds.protocol import Kind

# Each kind's module and class.
CLASSES: tuple[str, ...] = (
    "speeches.Speeches",
    "debates.Debates",
    "questions.Questions",
    "answers.Answers",
    "answers.Comparisons",
    "parliamentary.Parliamentary",
    "transcripts.Transcripts",
    "oversight.Readings",
    "oversight.Judgements",
    "speeches.Writers",
    "pressure.Pressure",
)


def _kind(path: str) -> Kind:
    module, _, name = path.partition(".")
    made: Kind = getattr(import_module(f"inference.kinds.{module}"), name)()
    return made


KINDS: tuple[Kind, ...] = tuple(_kind(path) for path in CLASSES)
# By the name in the files of experiments.
KIND: dict[str, Kind] = {kind.name: kind for kind in KINDS}


def raw_tables() -> dict[str, Table]:
    """Return the raw tables that journals are loaded into, by name."""
    return {kind.table.name: kind.table for kind in KIND.values()}


def kind_of_line(line: Mapping[str, Any]) -> Kind:
    """Return the kind of an answer line of a journal.

    Lines about speeches and debates are older than kinds and have none: one with an outcome is a
    verdict, others are scores. Of lines about answers, one with a metric compares, others score.
    """
    name = line.get("item_kind")
    if "metric" in line and name in (None, KIND["answer"].line):
        return KIND["likelihood"]
    if name is None:
        return KIND["debate" if "outcome" in line else "speech"]
    for kind in (*KIND.values(), PROMPTS):
        if kind.line == name:
            return kind
    raise ValueError(f"item_kind should be one of {', '.join(_lines())}; found {name!r}")


def _lines() -> list[str]:
    return sorted({kind.line for kind in KIND.values() if kind.line is not None})
