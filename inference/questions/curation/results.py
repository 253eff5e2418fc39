"""What each step leaves behind: one file, whole or not there, and the same for the same inputs.

`steps/<step>.jsonl` begins with a `step` line that holds the hash of all that went in, and the
models behind it. Then come the funnel (`rule`, with `note` lines beside it), what was removed
(`removed`), and what was kept (`record`), each line with the fields of its class.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from inference.questions.curation.annotation import Annotation
from inference.questions.curation.examine import ExaminedChunk, ExaminedPair
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Queries,
    Question,
    Removed,
    Rule,
    Step,
)
from inference.questions.curation.tools import Curation
from inference.questions.documents import Document
from inference.steps.files import Made
from warehouse.files import write_atomically

SCHEMA_VERSION = 1

R = TypeVar("R")
_RECORDS: dict[str, type[Any]] = {
    each.__name__: each
    for each in (
        Annotation,
        Evidence,
        ExaminedChunk,
        ExaminedPair,
        PartialAnswer,
        PointOfView,
        Queries,
        Question,
    )
}


@dataclass(frozen=True)
class Result:
    """What a step did, as its file holds it.

    Attributes:
        name: The step.
        inputs_hash: Of all that went in.
        steps: Its funnels, one per unit it counts, without what they kept.
        records: What is left.
        made_with: The models behind it, by their part; none where the file does not say.
    """

    name: str
    inputs_hash: str
    steps: tuple[Step[Any], ...]
    records: tuple[Any, ...]
    made_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """Of what is left, so that a step which comes out the same changes nothing."""
        rows = ({"record": type(each).__name__, **asdict(each)} for each in self.records)
        return hashlib.sha256(jsonl(rows).encode("utf-8", "replace")).hexdigest()

    def of(self, kind: type[R]) -> list[R]:
        """Return what is left of one kind, in order."""
        return [each for each in self.records if isinstance(each, kind)]


class ResultFiles:
    """The store of the steps' results: the folder `steps/` of the working folder."""

    def read(self, work: Curation, step: str) -> Result | None:
        """Return what a step did; None where it has not been done, or its file is damaged."""
        return read_result(work.folder / "steps", step)

    def write(self, work: Curation, step: str, inputs_hash: str, made: Made) -> Result:
        """Keep what a step did, and return it."""
        # What its funnels kept is among the records.
        bare = tuple(replace(funnel, kept=()) for funnel in made.funnels)
        result = Result(step, inputs_hash, bare, tuple(made.records), work.tools.names)
        write_result(work.folder / "steps", result)
        return result

    def remove(self, work: Curation, step: str) -> None:
        """Remove a step's file, where there is one."""
        _path(work.folder / "steps", step).unlink(missing_ok=True)


def write_result(folder: Path, result: Result) -> None:
    """Write a step's file; readers see the old one or the new one, never a part."""
    write_atomically(_path(folder, result.name), "".join(_lines(result)))


def read_result(folder: Path, name: str) -> Result | None:
    """Return what a step did; None where it has not been done, or its file is damaged."""
    try:
        text = _path(folder, name).read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
        head = lines[0]
        if head["schema_version"] != SCHEMA_VERSION or lines[-1] != _END:
            return None
        return Result(
            name,
            head["inputs_hash"],
            tuple(_step(each, lines) for each in head["funnels"]),
            tuple(_record(line) for line in lines if line["kind"] == "record"),
            head.get("made_with", {}),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def jsonl(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as the text of a `.jsonl` file."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


_END = {"kind": "end"}


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}.jsonl"


def _lines(result: Result) -> Iterator[str]:
    funnels = [{"name": step.name, "unit": step.unit} for step in result.steps]
    head = {
        "kind": "step",
        "schema_version": SCHEMA_VERSION,
        "step": result.name,
        "inputs_hash": result.inputs_hash,
        "made_with": dict(result.made_with),
        "funnels": funnels,
    }
    yield jsonl([head])
    for step in result.steps:
        of = {"step": step.name, "unit": step.unit}
        yield jsonl({"kind": "rule", **of, **asdict(rule)} for rule in step.rules)
        yield jsonl({"kind": "note", **of, "note": note, "n": n} for note, n in step.notes.items())
        yield jsonl({"kind": "removed", **of, **asdict(removed)} for removed in step.removed)
    yield jsonl(
        {"kind": "record", "record": type(each).__name__, **asdict(each)} for each in result.records
    )
    yield jsonl([_END])


def _step(head: dict[str, str], lines: Sequence[dict[str, Any]]) -> Step[Any]:
    own = [line for line in lines if line.get("step") == head["name"] and "unit" in line]
    return Step(
        head["name"],
        head["unit"],
        (),
        tuple(_made(Removed, line) for line in own if line["kind"] == "removed"),
        tuple(_made(Rule, line) for line in own if line["kind"] == "rule"),
        {line["note"]: line["n"] for line in own if line["kind"] == "note"},
    )


def _record(line: dict[str, Any]) -> Any:
    if isinstance(line.get("document"), dict):
        line = {**line, "document": _made(Document, line["document"])}
    return _made(_RECORDS[line["record"]], line)


def _made(kind: type[R], line: dict[str, Any]) -> R:
    values = {each.name: line[each.name] for each in fields(kind)}  # type: ignore[arg-type]
    # JSON knows no tuples, and no record has a list.
    return kind(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
    )
