"""The requests of a run, of which only ids and places are in memory.

A run may have a hundred thousand requests of several thousand words. Their items are spilled to a
temporary file that has no name, and a request is made anew whenever it is looked at.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from inference.items import Item
from inference.judges.base import Request
from inference.templates import Template


class RequestBook(Mapping[str, Request]):
    """Requests by id, in the order of asking.

    Args:
        template: How every item is asked about.
        decoding: The experiment's decoding settings.
        repeats: Answers per item.
    """

    def __init__(self, template: Template, decoding: Mapping[str, Any], repeats: int) -> None:
        self._repeats = repeats
        self._template = template
        self._decoding = decoding
        # Closed with the book, and gone with the process that dies.
        self._spill = tempfile.TemporaryFile()  # noqa: SIM115
        self._offsets = array("q")
        # One number per request, which says item and sample: a pair would weigh four times as much.
        self._places: dict[str, int] = {}

    def add_item(self, item: Item) -> int:
        """Keep an item, and return its number."""
        self._offsets.append(self._spill.seek(0, 2))
        self._spill.write(json.dumps(asdict(item)).encode() + b"\n")
        return len(self._offsets) - 1

    def add(self, request_id: str, number: int, sample: int) -> None:
        """Add a request about a kept item. One that is there keeps its place."""
        self._places.setdefault(request_id, number * self._repeats + sample)

    def request(self, item: Item, sample: int) -> Request:
        """Return a request about an item."""
        return Request(
            item=item,
            template=self._template,
            sample=sample,
            prompt=self._template.render(slot_values(item)),
            decoding=self._decoding,
            labels=labels_of(item),
        )

    def __getitem__(self, request_id: str) -> Request:
        number, sample = divmod(self._places[request_id], self._repeats)
        self._spill.seek(self._offsets[number])
        return self.request(Item(**json.loads(self._spill.readline())), sample)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._places


def slot_values(item: Item) -> dict[str, str]:
    """Return what an item fills into the slots of a prompt."""
    return {
        "motion": item.motion,
        "speech": item.text,
        "question": item.question,
        "scale_min": str(item.scale_min),
        "scale_max": str(item.scale_max),
    }


def labels_of(item: Item) -> tuple[str, ...]:
    """Return the answers there are to choose from: the points of the item's scale."""
    return tuple(str(point) for point in range(item.scale_min, item.scale_max + 1))
