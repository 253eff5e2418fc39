"""Results of an analysis of key points, read from its folder, and the records in them.

justifications.json   the reasons in judges' replies
sentences.json        the same, divided into sentences of one idea each
polarity.json         the sentences, for, against or neither
candidates.json       the same, with whether each may be a key point
key_points.json       key points, matches, and the outcome of each sentence
labelled.json         the same method on the labelled set
spent.json            what models had cost when an earlier version asked them

The labelled set are sentences that this project wrote and labelled, to see what an analysis is
worth. `labelled.csv` has `sentence_id`, `text`, `polarity`, and the gold `key_point`, empty
where a sentence states none of the sixteen. A draw by the text's hash puts half of them into the
dev part, on which lexicon and thresholds were set, and half into the test part.
"""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import KeyPointsFailed
from inference.steps.files import StepFile, hash_of, read_step

STEPS = JUSTIFICATIONS, SENTENCES, POLARITY, CANDIDATES, KEY_POINTS, LABELLED = (
    "justifications",
    "sentences",
    "polarity",
    "candidates",
    "key_points",
    "labelled",
)
# An analysis of this name would be taken for that of the labelled set.
RESERVED = "labelled"
# Key of the hash of the result that a step was made of.
BEFORE = "before"
DEV, TEST = "dev", "test"
# Statuses of a justification; one that has not been divided yet has the first.
DIVIDED, EMPTY, SCORE_ONLY, OTHER_LANGUAGE, TOO_LONG, FAILED = (
    "sentences",
    "empty",
    "score_only",
    "other_language",
    "too_long",
    "rephrasing_failed",
)
_LABELLED_FILE = Path(__file__).parent / "labelled.csv"
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Justification:
    """Reasons of a judge for a score, with the sentences of one idea each that they make.

    Attributes:
        motion: Motion of the speech.
        text: The reasons; None where there are none.
        reason: Why it has no sentences; None where it has.
    """

    judge_id: str
    item_id: str
    request_id: str
    run_id: str
    sample: int
    motion: str
    text: str | None
    word_count: int
    status: str
    reason: str | None = None
    rephrased: tuple[str, ...] = ()
    rephrased_by: str | None = None


@dataclass(frozen=True)
class Sentence:
    """One sentence of one idea; in the labelled set it has neither judge nor speech.

    Attributes:
        position: Its place in the justification, from 1.
        polarity: Whether it speaks for the speech; None where a model's reply cannot be read.
        polarity_score: From -1 (against) to 1 (for); None where a model was asked.
        removal_reason: Why it is not compared with key points; None where it is.
        candidate_reason: Why it may not be a key point; None where it may.
        stands_as: The sentence by itself, where it points back to what was said before (`It is
            clear`: `The speech is clear`); None where it does not.
    """

    sentence_id: str
    text: str
    position: int
    judge_id: str | None = None
    item_id: str | None = None
    request_id: str | None = None
    motion: str = ""
    polarity: str | None = None
    polarity_score: float | None = None
    removal_reason: str | None = None
    candidate_reason: str | None = None
    stands_as: str | None = None

    @property
    def plain(self) -> str:
        """Text that is compared, and shown as a key point."""
        return self.stands_as or self.text


class Label(NamedTuple):
    """One labelled sentence, with its gold polarity and key point, in the `dev` or `test` part."""

    sentence_id: str
    text: str
    polarity: str
    key_point: str | None
    split: str


@dataclass(frozen=True)
class Found:
    """Result of one selection; each sentence with its outcome."""

    sentences: Rows
    key_points: Rows
    matches: Rows


@dataclass(frozen=True)
class Analysis:
    """An analysis as its folder has it; `method_hash` is as the pipeline makes it."""

    settings: Mapping[str, Any]
    method_hash: str
    made_at: str
    justifications: Rows
    found: Found
    labelled: Found


def read_analysis(folder: Path) -> Analysis:
    """Return an analysis.

    Raises:
        KeyPointsFailed: A step has not been done, or one before it has been done again since.
    """
    steps = {name: _read(folder, name) for name in STEPS}
    for before, name in pairwise(STEPS[:-1]):
        if steps[name].facts.get(BEFORE) != steps[before].content_hash:
            raise KeyPointsFailed(_again(folder, f"the step '{name}' is older than '{before}'"))
    last, labelled = steps[KEY_POINTS], steps[LABELLED]
    method = last.facts["method_hash"]
    if labelled.facts["method_hash"] != method or labelled.facts[BEFORE] != labels_hash():
        raise KeyPointsFailed(_again(folder, "the labelled set was analysed in another way"))
    return Analysis(
        settings=last.facts["settings"],
        method_hash=method,
        made_at=last.facts["made_at"],
        justifications=steps[SENTENCES].records,
        found=found_of(steps[CANDIDATES].records, last.records[0]),
        labelled=found_of(labelled.records[0]["sentences"], labelled.records[0]),
    )


def found_of(sentences: Rows, selected: Mapping[str, Any]) -> Found:
    """Return sentences with the outcome of each, beside key points and matches."""
    fates = {each["sentence_id"]: each for each in selected["fates"]}
    return Found(
        [{**each, **fates[each["sentence_id"]]} for each in sentences],
        selected["key_points"],
        selected["matches"],
    )


@cache
def labels() -> tuple[Label, ...]:
    """Return the labelled set."""
    with _LABELLED_FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Label(
                row["sentence_id"],
                row["text"],
                row["polarity"],
                row["key_point"] or None,
                TEST if hashlib.sha256(f"split {row['text']}".encode()).digest()[0] % 2 else DEV,
            )
            for row in csv.DictReader(file)
        )


def labels_hash() -> str:
    """Return the hash of the labelled set's sentences."""
    return hash_of([[each.sentence_id, each.text] for each in labels()])


def _read(folder: Path, name: str) -> StepFile:
    found = read_step(folder, name)
    if found is None:
        raise KeyPointsFailed(_again(folder, f"the step '{name}' has not been done"))
    return found


def _again(folder: Path, problem: str) -> str:
    return f"key points: of '{folder.name}' {problem}; run 'rostrum keypoints' for it again"
