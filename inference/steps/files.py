"""The file of a step's result: whole or not there, with the hash of its inputs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from inference.errors import StepNotKept
from warehouse.files import write_atomically

R = TypeVar("R")

SCHEMA_VERSION = 1


class Made(NamedTuple):
    """Result of a step before it is kept.

    Attributes:
        records: The content, in order.
        made_with: The model, method or file it was made with.
        facts: Further facts to keep.
        funnels: The removals of its rules, where it has rules.
    """

    records: Sequence[Any]
    made_with: str = ""
    facts: Mapping[str, Any] = {}
    funnels: Sequence[Any] = ()


class Work(Protocol):
    """The work of a pipeline over a folder."""

    @property
    def folder(self) -> Path:
        """Folder of its results."""


@dataclass(frozen=True)
class StepFile:
    """Result of a step, as its file holds it; `inputs_hash` is the hash of all inputs."""

    step: str
    inputs_hash: str
    made_with: str
    records: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the content, whatever it was made from."""
        return hash_of(list(self.records), dict(self.facts))


def hash_of(*facts: Any) -> str:
    """Return the SHA-256 of facts as JSON, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def read_step(folder: Path, step: str) -> StepFile | None:
    """Return a step's result; None where it has not been done, or its file is damaged."""
    try:
        content = json.loads(step_path(folder, step).read_text(encoding="utf-8"))
        if (content.pop("schema_version"), content["step"]) != (SCHEMA_VERSION, step):
            return None
        return StepFile(**content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def step_path(folder: Path, step: str) -> Path:
    """Return the path of a step's file in its pipeline's folder."""
    return folder / f"{step}.json"


def records_of(kind: type[R], rows: Sequence[Mapping[str, Any]]) -> list[R]:
    """Return the records that rows of a file hold; JSON has lists where they have tuples."""
    return [
        kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in row.items()})
        for row in rows
    ]


class StepFiles:
    """The store of pipelines that keep each result in a JSON file of its step's name."""

    def read(self, work: Work, step: str) -> StepFile | None:
        """Return a step's result; None where it has not been done, or its file is damaged."""
        return read_step(work.folder, step)

    def write(self, work: Work, step: str, inputs_hash: str, made: Made) -> StepFile:
        """Keep a step's result, and return it as it is read back, so that its hash stays."""
        rows = [each if isinstance(each, dict) else asdict(each) for each in made.records]
        content = {
            "schema_version": SCHEMA_VERSION,
            "step": step,
            "inputs_hash": inputs_hash,
            "made_with": made.made_with,
            "facts": dict(made.facts),
            "records": rows,
        }
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        try:
            write_atomically(step_path(work.folder, step), text)
        except OSError as error:
            raise StepNotKept(
                f"steps: cannot keep the result of '{step}' in {work.folder}: "
                f"{error.strerror or error}; make room there, then run the same command again: "
                "replies are kept"
            ) from error
        return StepFile(**{key: json.loads(text)[key] for key in list(content)[1:]})

    def remove(self, work: Work, step: str) -> None:
        """Remove a step's result, where there is one."""
        step_path(work.folder, step).unlink(missing_ok=True)
