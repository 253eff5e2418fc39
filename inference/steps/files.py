"""The file of a step's result: whole or not there, with the hash of all that went in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from warehouse.files import write_atomically

if TYPE_CHECKING:
    from inference.steps.runner import Made

R = TypeVar("R")

SCHEMA_VERSION = 1


class Work(Protocol):
    """What a pipeline over a folder is about."""

    @property
    def folder(self) -> Path:
        """Where the results of its steps lie."""


@dataclass(frozen=True)
class StepFile:
    """What a step made, as its file holds it.

    Attributes:
        inputs_hash: Of all that went in.
        made_with: What made it, as text.
        records: What it made, in order.
        facts: What else it says.
    """

    step: str
    inputs_hash: str
    made_with: str
    records: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """SHA-256 of what it made, whatever it was made from."""
        return hash_of(list(self.records), dict(self.facts))


def hash_of(*facts: Any) -> str:
    """Return the SHA-256 of facts as JSON, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def write_step(folder: Path, made: StepFile) -> None:
    """Write a step's file; readers see the old one or the new one, never a part."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "step": made.step,
        "inputs_hash": made.inputs_hash,
        "made_with": made.made_with,
        "facts": dict(made.facts),
        "records": list(made.records),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_atomically(step_path(folder, made.step), text)


def read_step(folder: Path, step: str) -> StepFile | None:
    """Return what a step made; None where it has not been done, or its file is damaged."""
    try:
        content = json.loads(step_path(folder, step).read_text(encoding="utf-8"))
        if (content["schema_version"], content["step"]) != (SCHEMA_VERSION, step):
            return None
        return StepFile(
            step,
            content["inputs_hash"],
            content["made_with"],
            content["records"],
            content["facts"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def step_path(folder: Path, step: str) -> Path:
    """Return where a step's file lies in its pipeline's folder."""
    return folder / f"{step}.json"


def records_of(kind: type[R], rows: Sequence[Mapping[str, Any]]) -> list[R]:
    """Return the records that rows of a file hold; JSON has lists where they have tuples."""
    return [
        kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in row.items()})
        for row in rows
    ]


class StepFiles:
    """The store of pipelines that keep each result in a file of its step's name."""

    def read(self, work: Work, step: str) -> StepFile | None:
        """Return a step's result; None where it has not been done, or its file is damaged."""
        return read_step(work.folder, step)

    def write(self, work: Work, step: str, inputs_hash: str, made: Made) -> StepFile:
        """Keep a step's result, and return it."""
        rows = [each if isinstance(each, dict) else asdict(each) for each in made.records]
        kept = StepFile(step, inputs_hash, made.made_with, rows, made.facts)
        write_step(work.folder, kept)
        # As it is read back, so that a hash of it is the same in this start and the next.
        return read_step(work.folder, step) or kept

    def remove(self, work: Work, step: str) -> None:
        """Remove a step's result, where there is one."""
        step_path(work.folder, step).unlink(missing_ok=True)
