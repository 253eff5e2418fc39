"""The requests of a run, of which only ids and places are in memory.

A run may have a hundred thousand requests of several thousand words. Once one is looked at, their
items are spilled to a temporary file that has no name, and a request is made anew whenever it is
looked at. Where all are answered, none is.
"""

import os
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from inference.judges.request import Request
from inference.kinds.parts import Asked, Given
from inference.kinds.protocol import Item, Kind
from inference.questions.answers import PartialAnswer

# One item rarely fills what files are buffered by.
_BUFFER_BYTES = 1 << 20


class RequestBook(Mapping[str, Request]):
    """Requests by id, in the order of asking.

    Args:
        kind: What the items are.
        asked: What is asked about each.
        decoding: The experiment's decoding settings.
        seed: The experiment's, which draws what arms leave to chance.
        partial_answers: The points of view on each question, where requests are to have them.
        items: Reads the items whose requests are added, in the order of their numbers.
    """

    def __init__(
        self,
        kind: Kind,
        asked: Sequence[Asked],
        decoding: Mapping[str, Any],
        seed: int,
        partial_answers: Mapping[str, tuple[PartialAnswer, ...]] | None = None,
        items: Callable[[], Iterable[Item]] = tuple,
    ) -> None:
        self._kind = kind
        self._decoding = decoding
        self._given = Given(seed, partial_answers or {})
        self.asked = asked
        self._items = items
        self._spill: IO[bytes] | None = None
        # Where each item begins in it, and the last one ends.
        self._offsets = array("q")
        # One number per request, which says item and what is asked: a pair would weigh four times
        # as much.
        self._places: dict[str, int] = {}

    def add(self, request_id: str, number: int, asked: int) -> None:
        """Add a request about an item. One that is there keeps its place."""
        self._places.setdefault(request_id, number * len(self.asked) + asked)

    def request(self, item: Item, asked: Asked) -> Request:
        """Return a request about an item."""
        put = self._kind.put(item, asked, self._given)
        return Request(
            kind=self._kind,
            item=item,
            variant=put.variant,
            template=asked.template,
            sample=asked.sample,
            prompt=asked.template.render(put.values, put.turns, is_safe=put.is_safe),
            decoding=self._decoding,
            labels=put.labels,
            system=_system(asked, put.values),
            partial_answers=put.partial_answers,
            note_prompts=put.note_prompts,
        )

    def __getitem__(self, request_id: str) -> Request:
        number, asked = divmod(self._places[request_id], len(self.asked))
        spill = self._spill = self._spill or self._spilled()
        begin, end = self._offsets[number : number + 2]
        kept = os.pread(spill.fileno(), end - begin, begin)
        # The file has no name, so nobody else has written to it.
        return self.request(pickle.loads(kept), self.asked[asked])  # noqa: S301

    def _spilled(self) -> IO[bytes]:
        """Keep all items in a file."""
        spill = _nameless_file()
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
    """The requests that are not held, as they were when it was made.

    Args:
        requests: The requests by id.
        held: The ids of those that are left out.
    """

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


def _nameless_file() -> IO[bytes]:
    """Return a file that is closed with its book, and gone if the process dies."""
    return tempfile.TemporaryFile(buffering=_BUFFER_BYTES)


def _system(asked: Asked, values: Mapping[str, str]) -> str | None:
    """Return the system turn, with the sentence on length behind it."""
    if asked.template.system is None:
        return None
    system = asked.template.render_system(values)
    return system if asked.length is None else f"{system} {asked.length.render(values)}"
