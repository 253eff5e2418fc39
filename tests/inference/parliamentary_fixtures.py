"""Made-up parliamentary debates with reference files, as ingestion writes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inference_fixtures import write_data_set

from inference.items import ItemSource
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.parliamentary import AdjudicationVariant
from inference.parliamentary.items import NOTES, Adjudication, ParliamentaryDebate, RoleSpeech
from inference.parliamentary.prompts import NOTE_PROMPT, load_manual
from inference.parliamentary.rulings import ruling_text
from inference.runs.requests import RequestBook
from inference.templates import load_template
from warehouse.records.bp import HOUSE_OF, ROLES

# In the reference file and nowhere else.
SENTINEL = 73.14159
_SCORES = dict(zip(ROLES, (78, 72, 77, 71, 80, 75, 79, 74), strict=True))
_BEST_FIRST = sorted(ROLES, key=lambda role: -_SCORES[role])
RULING = ruling_text("all", ("cg", "og", "co", "oo"), _SCORES, _BEST_FIRST)


def row(number: int = 0, dataset: str = "made-up", **changes: Any) -> dict[str, Any]:
    """A debate as the parliamentary file has it."""
    said = [
        {
            "role": role,
            "house": HOUSE_OF[role],
            "text": f"I, {role}{number}, speak.",
            "word_count": 3,
        }
        for role in ROLES
    ]
    return {
        "debate_id": f"{dataset}:{number:04}",
        "item_hash": f"hash{number:04}",
        "motion": f"This house would do thing {number}.",
        "info_slide": f"Thing {number} is new.",
        "word_count": 24,
        "speeches": said,
        **changes,
    }


def write_parliamentary(
    folder: Path, rows: int | Sequence[dict[str, Any]] = 3, *, dataset: str = "made-up"
) -> ItemSource:
    """Write a data set of parliamentary debates alone."""
    debates = [row(number, dataset) for number in range(rows)] if isinstance(rows, int) else rows
    reference = [
        {"debate_id": each["debate_id"], "place": role, "task": "speaker_scores", "value": SENTINEL}
        for each in debates
        for role in ROLES
    ]
    tables = {"parliamentary": debates, "parliamentary_reference": reference}
    return write_data_set(folder, dataset, tables)


def debate(**changes: Any) -> ParliamentaryDebate:
    fields: dict[str, Any] = {
        "dataset_id": "d",
        "item_id": "d:1",
        "item_hash": "h",
        "motion": "THW plant trees",
        "info_slide": "Trees are tall.",
        "word_count": 16,
        "speeches": tuple(RoleSpeech(role, f"{role} speaks.") for role in ROLES),
    }
    return ParliamentaryDebate(**{**fields, **changes})


def request(
    about: ParliamentaryDebate | None = None,
    way: Adjudication | None = None,
    prompts_folder: Path | None = None,
    seed: int = 1,
) -> Request:
    way = way or Adjudication("bp_all")
    asked = AdjudicationVariant(
        load_template(way.template, prompts_folder),
        0,
        way,
        manual=load_manual(way.manual, prompts_folder),
        note_prompt=NOTE_PROMPT.load(prompts_folder) if way.strategy == NOTES else None,
    )
    decoding = {"temperature": 0.0, "max_tokens": 16}
    return RequestBook(KIND["parliamentary"], [asked], decoding, seed).request(
        about or debate(), asked
    )
