"""What each step leaves behind: one file, whole or not there, with the hash of all that went in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inference.whole_files import write_whole

SCHEMA_VERSION = 1
# In their order. Each has a file of its name in the transcript's folder.
STEPS = TRANSCRIBED, SEGMENTED, CORRECTED = ("transcribed", "segmented", "corrected")


@dataclass(frozen=True)
class StepFile:
    """What a step made, as its file holds it.

    Attributes:
        step: The step.
        inputs_hash: Of all that went in.
        made_with: What made it, in words.
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
    write_whole(step_path(folder, made.step), text)


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
    """Return where a step's file lies in a transcript's folder."""
    return folder / f"{step}.json"
