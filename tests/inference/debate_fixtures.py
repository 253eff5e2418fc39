"""Made-up debates with reference files, as ingestion writes them."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from inference_fixtures import write_data_set

from inference.debates.items import Debate, Turn
from inference.debates.variants import Arm
from inference.items import ItemSource
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.protocol import PromptVariant
from inference.runs.requests import RequestBook
from inference.templates import load_template

_template = cache(load_template)
# The four cells of closing side and winner, over and over.
CELLS = tuple(product(("pro", "con"), ("pro", "con")))
# In the reference file and nowhere else.
SENTINEL = "margin-3.14159"


def turns(rounds: int = 3, end_side: str = "con", words: tuple[int, int] = (5, 5)) -> list[Any]:
    first = "pro" if end_side == "con" else "con"
    sides = [first, end_side] * rounds
    return [
        {
            "speech_order": place,
            "round": str((place + 1) // 2),
            "side": side,
            "speaker_role": "debater",
            "word_count": words[side == "con"],
            "text": " ".join([f"{side}word"] * words[side == "con"]),
        }
        for place, side in enumerate(sides, start=1)
    ]


def row(number: int = 0, dataset: str = "made-up", **changes: Any) -> dict[str, Any]:
    """A debate as the debates file has it; its cell goes with its number."""
    end_side = changes.get("end_side", CELLS[number % 4][0])
    said = changes.pop("turns", turns(changes.get("rounds", 3), end_side))
    words = {
        side: sum(turn["word_count"] for turn in said if turn["side"] == side)
        for side in ("pro", "con", None)
    }
    return {
        "debate_id": f"{dataset}:{number:04}",
        "item_hash": f"hash{number:04}",
        "dataset_id": dataset,
        "motion": f"We should do thing {number}",
        "context": None,
        "category": None,
        "format": "debate.org",
        "rounds": 3,
        "end_side": end_side,
        "words_pro": words["pro"],
        "words_con": words["con"],
        "words_other": words[None],
        "turns": said,
        **changes,
    }


def write_debates(
    folder: Path,
    rows: int | Sequence[dict[str, Any]] = 24,
    *,
    dataset: str = "made-up",
    winners: Sequence[str | None] | None = None,
) -> ItemSource:
    """Write a data set of debates alone."""
    debates = [row(number, dataset) for number in range(rows)] if isinstance(rows, int) else rows
    won = winners or [CELLS[place % 4][1] for place in range(len(debates))]
    reference = [
        {"debate_id": debate["debate_id"], "criterion": SENTINEL, "winner": winner}
        for debate, winner in zip(debates, won, strict=True)
    ]
    tables = {"debates": debates, "debates_reference": reference}
    return write_data_set(folder, dataset, tables)


def debate(**changes: Any) -> Debate:
    fields: dict[str, Any] = {
        "dataset_id": "d",
        "item_id": "d:1",
        "item_hash": "h",
        "motion": "Trees think",
        "context": "",
        "rounds": 1,
        "end_side": "con",
        "words_pro": 2,
        "words_con": 8,
        "words_other": 0,
        "turns": (Turn("pro", "debater", "They do."), Turn("con", "debater", "They don't.")),
    }
    return Debate(**{**fields, **changes})


def request(
    about: Debate | None = None,
    *,
    labels: str = "A/B",
    position: str = "pro_first",
    outcome: str = "winner",
    template: str = "winner_vanilla",
    sample: int = 0,
) -> Request:
    asked = PromptVariant(_template(template), sample, Arm(template, labels, position, outcome))
    book = RequestBook(KIND["debate"], [asked], {"temperature": 0.0, "max_tokens": 16}, seed=1)
    return book.request(about or debate(), asked)
