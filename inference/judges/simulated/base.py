"""Base class of simulated judges: their references, and draws that repeat."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.registry import JudgeSpec

References = TypeVar("References", bound=Mapping[Any, Any])


class SimulatedBase(OfflineJudge, Generic[References]):
    """A judge that is made from references: the values that people gave items.

    Args:
        reference_file: The references; None where a data set has none.
    """

    def __init__(self, spec: JudgeSpec, reference_file: Path | None) -> None:
        self._spec = spec
        self._file = reference_file
        self.who = f"judge '{spec.judge_id}'"

    def read(self, path: Path | None) -> References:
        """Read the references."""
        raise NotImplementedError

    @cached_property
    def references(self) -> References:
        """The references, read when they are first needed."""
        return self.read(self._file)

    def reference(self, request: Request) -> Any:
        """Return the reference of a request's item; None where it has none."""
        return self.references.get(request.item.item_id)

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the item, the settings, and the reference, which may be corrected."""
        reference = self.reference(request)
        return {**request.facts(), "settings": self._spec.settings, "reference": reference}

    def generator(self, *parts: Any) -> np.random.Generator:
        """Return the generator of the judge's seed and some facts of a request."""
        return generator_of(self._spec.settings["seed"], *parts)

    def draws(self, request: Request, *more: Any) -> np.random.Generator:
        """Return the generator of a request: of its item, question, template and sample."""
        label, sample = request.template.label, request.sample
        return self.generator(request.item.item_id, request.asks, *more, label, sample)


def no_reference(reason: str) -> Reply:
    """Return the failure of a request about an item without a reference."""
    words = f"simulated: {reason}, so nothing can be drawn"
    return Reply(error_kind="no_reference", error=words, cost_usd=0.0)


def offline_reply(text: str, finish_reason: str = "stop", **more: Any) -> Reply:
    """Return a reply that was made here and cost nothing."""
    return Reply(text, finish_reason=finish_reason, cost_usd=0.0, **more)


def draw_one(generator: np.random.Generator, texts: Sequence[str]) -> str:
    """Return one of some texts."""
    return texts[int(generator.integers(len(texts)))]


def generator_of(*parts: object) -> np.random.Generator:
    """Return a generator that is the same for the same facts, on every machine."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest[:16], "big")))
