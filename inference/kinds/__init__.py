"""The kinds of experiments, one file a subject; `protocol` says what a kind is."""

from collections.abc import Mapping
from typing import Any

from inference.kinds.answers import Answers, Comparisons
from inference.kinds.debates import Debates
from inference.kinds.oversight import Judgements, Readings
from inference.kinds.parliamentary import Parliamentary
from inference.kinds.parts import Table
from inference.kinds.pressure import Pressure
from inference.kinds.prompts import PROMPTS
from inference.kinds.protocol import Kind
from inference.kinds.questions import Questions
from inference.kinds.speeches import Speeches, Writers
from inference.kinds.transcripts import Transcripts

KINDS: tuple[Kind, ...] = (
    Speeches(),
    Debates(),
    Questions(),
    Answers(),
    Comparisons(),
    Parliamentary(),
    Transcripts(),
    Readings(),
    Judgements(),
    Writers(),
    Pressure(),
)
# By the name an experiment's file calls it by.
KIND: dict[str, Kind] = {kind.name: kind for kind in KINDS}


def raw_tables() -> dict[str, Table]:
    """Return the raw tables that journals are loaded into, by name."""
    return {kind.table.name: kind.table for kind in KIND.values()}


def kind_of_line(line: Mapping[str, Any]) -> Kind:
    """Return the kind that an answer line of a journal is read by.

    Lines about speeches and debates do not say what they are about: they are older than that. One
    with a metric compares an answer, others about answers score them. What a line says that no kind
    does is read as a score.
    """
    named = line.get("item_kind")
    if "metric" in line and named in (None, KIND["answer"].line):
        return KIND["likelihood"]
    if "outcome" in line and named is None:
        return KIND["debate"]
    for kind in (*KIND.values(), PROMPTS):
        if kind.line == named:
            return kind
    return KIND["speech"]
