"""The requests of a run, of which only ids and places are in memory.

A run may have a hundred thousand requests of several thousand words. Their items are spilled to a
temporary file that has no name, and a request is made anew whenever it is looked at.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, cast

from inference.debates import Debate
from inference.items import Speech
from inference.judges.base import Request
from inference.templates import Template
from inference.variants import Arm, Variant, realise


class Question(NamedTuple):
    """What is asked about every item of a run.

    Attributes:
        template: How it is asked.
        sample: Which of the repeats this is, from 0.
        arm: What a debate's sides are called, and so on; None for speeches.
    """

    template: Template
    sample: int
    arm: Arm | None = None


class RequestBook(Mapping[str, Request]):
    """Requests by id, in the order of asking.

    Args:
        kind: What the items are.
        questions: What is asked about each.
        decoding: The experiment's decoding settings.
        seed: The experiment's, which draws what arms leave to chance.
    """

    def __init__(
        self,
        kind: type[Speech] | type[Debate],
        questions: Sequence[Question],
        decoding: Mapping[str, Any],
        seed: int,
    ) -> None:
        self._kind = kind
        self._decoding = decoding
        self._seed = seed
        self.questions = questions
        # Closed with the book, and gone with the process that dies.
        self._spill = tempfile.TemporaryFile()  # noqa: SIM115
        self._offsets = array("q")
        # One number per request, which says item and question: a pair would weigh four times as
        # much.
        self._places: dict[str, int] = {}

    def add_item(self, item: Speech | Debate) -> int:
        """Keep an item, and return its number."""
        self._offsets.append(self._spill.seek(0, 2))
        self._spill.write(json.dumps(asdict(item)).encode() + b"\n")
        return len(self._offsets) - 1

    def add(self, request_id: str, number: int, question: int) -> None:
        """Add a request about a kept item. One that is there keeps its place."""
        self._places.setdefault(request_id, number * len(self.questions) + question)

    def request(self, item: Speech | Debate, question: Question) -> Request:
        """Return a request about an item."""
        variant = None
        if isinstance(item, Speech):
            values, turns, labels = _about_speech(item)
        else:
            variant = realise(cast("Arm", question.arm), self._seed, item.item_id)
            values, turns, labels = _about_debate(item, variant)
        return Request(
            item=item,
            template=question.template,
            sample=question.sample,
            prompt=question.template.render(values, turns),
            decoding=self._decoding,
            labels=labels,
            variant=variant,
        )

    def __getitem__(self, request_id: str) -> Request:
        number, question = divmod(self._places[request_id], len(self.questions))
        self._spill.seek(self._offsets[number])
        item = self._kind.of_fields(json.loads(self._spill.readline()))
        return self.request(item, self.questions[question])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._places


_Asked = tuple[dict[str, str], list[tuple[str, str]], tuple[str, ...]]


def _about_speech(item: Speech) -> _Asked:
    values = {
        "motion": item.motion,
        "speech": item.text,
        "question": item.question,
        "scale_min": str(item.scale_min),
        "scale_max": str(item.scale_max),
    }
    # The answers there are to choose from: the points of the item's scale.
    return values, [], tuple(str(point) for point in range(item.scale_min, item.scale_max + 1))


def _about_debate(item: Debate, variant: Variant) -> _Asked:
    first, second = variant.labels
    values = {
        "motion": item.motion,
        "context": item.context,
        "outcome": variant.outcome,
        "side1": first,
        "side2": second,
        "pro_label": variant.pro_label,
        "con_label": variant.con_label,
    }
    turns = [
        (variant.label_of(turn.side) if turn.side else turn.role_name, turn.text)
        for turn in item.turns
    ]
    return values, turns, variant.labels
