"""Prompts of pipelines: requests that show a model a text and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from inference.kinds.fields import REPLIED
from inference.kinds.protocol import CostHints, Description, Kind

if TYPE_CHECKING:
    from inference.judges.request import Request


@dataclass(frozen=True)
class PromptText:
    """One prompt, identified by the hash of its text."""

    text: str
    dataset_id: str = "pipelines"

    @property
    def item_hash(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()

    @property
    def item_id(self) -> str:
        """Identifier of the prompt: the beginning of its hash."""
        return f"prompt:{self.item_hash[:16]}"


@dataclass(frozen=True)
class Sampling:
    """Decoding settings of a pipeline, which come before those of the model."""

    temperature: float
    top_p: float

    @property
    def words(self) -> str:
        """The settings as text."""
        return f"temperature {self.temperature:g}, top-p {self.top_p:g}"


class Replied(NamedTuple):
    """A reply, which the step that asked for it reads."""

    reason: str | None = None


class Prompts(Kind):
    """Prompts whose replies a pipeline reads; no experiment asks them."""

    noun = "a prompt"
    line = "prompt"
    whole = REPLIED

    def describe(self, request: Request) -> Description:
        sampling = asdict(request.way(Sampling))
        return Description(
            identity={"prompt": request.item.item_hash},
            facts=lambda: {"prompt": request.item.item_hash},
            fields={"item_kind": self.line, **sampling},
            overrides=sampling,
        )

    def costs(self, request: Request) -> CostHints:
        return CostHints()

    def parse(self, line: Mapping[str, Any]) -> Replied:
        return Replied()


PROMPTS = Prompts()
