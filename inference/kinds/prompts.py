"""Prompts of pipelines: requests that show a model a text and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from inference.kinds.protocol import Kind

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


class Prompts(Kind):
    """Prompts whose replies a pipeline reads; no experiment asks them."""

    name = "prompt"
    words = "a prompt"
    line = "prompt"

    def facts(self, request: Request) -> dict[str, Any]:
        return {"prompt": request.item.item_hash}

    def overrides(self, request: Request) -> dict[str, float]:
        return asdict(request.variant)

    def fields(self, request: Request) -> dict[str, Any]:
        return {"item_kind": self.line, **asdict(request.variant)}

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        return None


PROMPTS = Prompts()
