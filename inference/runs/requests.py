"""The requests of a run, of which only ids and places are in memory.

A run may have a hundred thousand requests of several thousand words. Once one is looked at, their
items are spilled to a temporary file that has no name, and a request is made again whenever it is
looked at. Where all are answered, nothing is spilled.
"""

import os
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from inference.judges.request import Request
from inference.kinds.protocol import Item, Kind, PromptVariant

# One item rarely fills what files are buffered by.
_BUFFER_BYTES = 1 << 20


class RequestBook(Mapping[str, Request]):
    """Requests by id, in the order of asking.

    Args:
        items: Reads the items whose requests are added, in the order of their numbers.
    """

    def __init__(
        self,
        kind: Kind,
        variants: Sequence[PromptVariant],
        decoding: Mapping[str, Any],
        seed: int,
        items: Callable[[], Iterable[Item]] = tuple,
    ) -> None:
        self._kind = kind
        self._decoding = decoding
        self._seed = seed
        self._variants = variants
        self._items = items
        self._spill: IO[bytes] | None = None
        # Where each item begins in it, and the last one ends.
        self._offsets = array("q")
        # One number per request, of its item and its variant: a pair would weigh four times as
        # much.
        self._places: dict[str, int] = {}

    def add(self, request_id: str, number: int, variant: int) -> None:
        """Add a request about an item. One that is there keeps its place."""
        self._places.setdefault(request_id, number * len(self._variants) + variant)

    def request(self, item: Item, variant: PromptVariant) -> Request:
        """Return a request about an item."""
        template = variant.template
        inputs = self._kind.prompt_inputs(item, variant, self._seed)
        system = None if template.system is None else template.render_system(inputs.values)
        if system is not None and inputs.system_suffix:
            system = f"{system} {inputs.system_suffix}"
        return Request(
            kind=self._kind,
            item=item,
            variant=inputs.factors,
            template=template,
            sample=variant.sample,
            prompt=template.render(inputs.values, inputs.turns, is_safe=inputs.is_safe),
            decoding=self._decoding,
            labels=inputs.labels,
            system=system,
            note_prompts=inputs.note_prompts,
        )

    def __getitem__(self, request_id: str) -> Request:
        number, variant = divmod(self._places[request_id], len(self._variants))
        spill = self._spill = self._spill or self._spilled()
        begin, end = self._offsets[number : number + 2]
        kept = os.pread(spill.fileno(), end - begin, begin)
        # The file has no name, so nothing else has written to it.
        return self.request(pickle.loads(kept), self._variants[variant])  # noqa: S301

    def _spilled(self) -> IO[bytes]:
        """Keep all items in a file, which is closed with the book and gone if the process dies."""
        spill = tempfile.TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115
        self._offsets = array("q", [0])
        for item in self._items():
            self._offsets.append(self._offsets[-1] + spill.write(pickle.dumps(item)))
        spill.flush()
        return spill

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._places


class Missing(Mapping[str, Request]):
    """The requests that are not held, as they were when it was made."""

    def __init__(self, requests: Mapping[str, Request], held: set[str]) -> None:
        self._requests = requests
        self._ids = dict.fromkeys(each for each in requests if each not in held)

    def __getitem__(self, request_id: str) -> Request:
        if request_id not in self._ids:
            raise KeyError(request_id)
        return self._requests[request_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
