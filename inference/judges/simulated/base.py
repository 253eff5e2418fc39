"""What simulated judges share: their settings, what people decided, and draws that repeat."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.registry import JudgeSpec

Known = TypeVar("Known", bound=Mapping[Any, Any])


class SimulatedBase(OfflineJudge, Generic[Known]):
    """A judge that is made from what people decided.

    Args:
        reference_file: What people decided; None where a data set has nothing of it.
    """

    def __init__(self, spec: JudgeSpec, reference_file: Path | None) -> None:
        self._spec = spec
        self._file = reference_file

    def read(self, path: Path | None) -> Known:
        """Return what people decided.

        Args:
            path: The file; None where there is none.

        Raises:
            BadItems: There is no such file, or it cannot be read.
        """
        raise NotImplementedError

    @cached_property
    def references(self) -> Known:
        """What people decided, read when it is first needed."""
        return self.read(self._file)

    def reference(self, request: Request) -> Any:
        """Return what people decided about a request's item; None where nobody has."""
        return self.references.get(request.item.item_id)

    def identity(self, request: Request) -> dict[str, Any]:
        """The item, the settings, and what people decided, which may be corrected."""
        reference = self.reference(request)
        return {**request.facts(), "settings": self._spec.settings, "reference": reference}

    @property
    def who(self) -> str:
        """Who needs what people decided, for messages."""
        return f"judge '{self._spec.judge_id}'"

    def generator(self, *parts: Any) -> np.random.Generator:
        """Return the generator that the judge's seed and some facts of a request decide."""
        return generator_of(self._spec.settings["seed"], *parts)

    def draws(self, request: Request, *more: Any) -> np.random.Generator:
        """Return the generator of a request: of its item, what it asks, its template and sample."""
        label, sample = request.template.label, request.sample
        return self.generator(request.item.item_id, request.asks, *more, label, sample)


def no_reference(why: str) -> Reply:
    """Return the failure of a request about an item that nobody has decided."""
    words = f"simulated: {why}, so nothing can be drawn"
    return Reply(error_kind="no_reference", error=words, cost_usd=0.0)


def offline_reply(text: str, **more: Any) -> Reply:
    """Return a reply that was made here, for nothing."""
    return Reply(text, finish_reason="stop", cost_usd=0.0, **more)


def draw_one(generator: np.random.Generator, texts: Sequence[str]) -> str:
    """Return one of some texts, drawn."""
    return texts[int(generator.integers(len(texts)))]


def generator_of(*parts: object) -> np.random.Generator:
    """Return a generator that is the same for the same facts, on every machine."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest[:16], "big")))
