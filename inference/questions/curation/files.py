"""Files of curation: the result of each step, and the tables that people bring and fill in.

`steps/<step>.jsonl` begins with a `step` line that holds the hash of all inputs, and the models
behind it. Then come the funnel (`rule`, with `note` lines), the removed items (`removed`), and the
kept ones (`record`), each line with the fields of its class.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from inference.errors import CurationFailed
from inference.questions.curation import records
from inference.questions.curation.records import Step
from inference.steps.files import Made
from warehouse.files import write_atomically
from warehouse.records.problems import problem_of

if TYPE_CHECKING:
    from inference.questions.curation.tools import Curation

SCHEMA_VERSION = 1
TABLES = (".csv", ".jsonl")
_END = {"kind": "end"}
R = TypeVar("R")


def stripped(value: Any) -> Any:
    """Return a value, a text without white space around it."""
    return value.strip() if isinstance(value, str) else value


YesNo = Annotated[bool, BeforeValidator(stripped)]


class Row(BaseModel):
    """A row of a table that people bring; columns it does not name are passed over."""

    model_config = ConfigDict(str_strip_whitespace=True, coerce_numbers_to_str=True)


M = TypeVar("M", bound=Row)


@dataclass(frozen=True)
class Result:
    """Result of a step, as its file holds it.

    Attributes:
        inputs_hash: Hash of all inputs.
        steps: Its funnels, one per unit it counts, without the kept items.
        records: The kept items.
        made_with: The models behind it, by their part; none where the file does not have them.
    """

    name: str
    inputs_hash: str
    steps: tuple[Step[Any], ...]
    records: tuple[Any, ...]
    made_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """Hash of the records, so that a step which comes out the same changes nothing."""
        rows = ({"record": type(each).__name__, **asdict(each)} for each in self.records)
        return hashlib.sha256(jsonl(rows).encode("utf-8", "replace")).hexdigest()

    def of(self, kind: type[R]) -> list[R]:
        """Return the records of one kind, in order."""
        return [each for each in self.records if isinstance(each, kind)]


class ResultFiles:
    """The store of the steps' results: the folder `steps/` of the working folder."""

    def read(self, work: Curation, step: str) -> Result | None:
        """Return a step's result; None where it has not been done, or its file is damaged."""
        return read_result(work.folder / "steps", step)

    def write(self, work: Curation, step: str, inputs_hash: str, made: Made) -> Result:
        """Keep a step's result, and return it."""
        bare = tuple(replace(funnel, kept=()) for funnel in made.funnels)
        result = Result(step, inputs_hash, bare, tuple(made.records), work.tools.names)
        write_result(work.folder / "steps", result)
        return result

    def remove(self, work: Curation, step: str) -> None:
        """Remove a step's file, where there is one."""
        (work.folder / "steps" / f"{step}.jsonl").unlink(missing_ok=True)


def write_result(folder: Path, result: Result) -> None:
    """Write a step's file; readers see the old one or the new one, never a part."""
    head = {
        "kind": "step",
        "schema_version": SCHEMA_VERSION,
        "step": result.name,
        "inputs_hash": result.inputs_hash,
        "made_with": dict(result.made_with),
        "funnels": [{"name": step.name, "unit": step.unit} for step in result.steps],
    }
    lines: list[dict[str, Any]] = [head]
    for step in result.steps:
        of = {"step": step.name, "unit": step.unit}
        lines += [{"kind": "rule", **of, **asdict(rule)} for rule in step.rules]
        lines += [{"kind": "note", **of, "note": note, "n": n} for note, n in step.notes.items()]
        lines += [{"kind": "removed", **of, **asdict(removed)} for removed in step.removed]
    for each in result.records:
        lines.append({"kind": "record", "record": type(each).__name__, **asdict(each)})
    write_atomically(folder / f"{result.name}.jsonl", jsonl([*lines, _END]))


def read_result(folder: Path, name: str) -> Result | None:
    """Return a step's result; None where it has not been done, or its file is damaged."""
    try:
        text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
        head = lines[0]
        if head["schema_version"] != SCHEMA_VERSION or lines[-1] != _END:
            return None
        made = [
            _adapter(line["record"]).validate_python(line)
            for line in lines
            if line["kind"] == "record"
        ]
        steps: list[Step[Any]] = []
        for funnel in head["funnels"]:
            own = [line for line in lines if line.get("step") == funnel["name"] and "unit" in line]
            steps.append(
                Step(
                    funnel["name"],
                    funnel["unit"],
                    (),
                    _all_of("Removed", own),
                    _all_of("Rule", own),
                    {line["note"]: line["n"] for line in own if line["kind"] == "note"},
                )
            )
        return Result(
            name, head["inputs_hash"], tuple(steps), tuple(made), head.get("made_with", {})
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(getattr(records, name))


def _all_of(name: str, lines: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    own = (line for line in lines if line["kind"] == name.lower())
    return tuple(map(_adapter(name).validate_python, own))


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as the text of a `.jsonl` file."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a `.csv` file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def read_rows(who: str, path: Path, model: type[M], next_step: str = "") -> list[tuple[int, M]]:
    """Return the rows of a `.csv` or `.jsonl` file with their lines.

    Raises:
        CurationFailed: The file cannot be read, or a row is not as the model has it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".csv":
            reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
            rows = [(reader.line_num, row) for row in reader]
        else:
            lines = text.removesuffix("\n").split("\n") if text else []
            rows = [(number, json.loads(line)) for number, line in enumerate(lines, start=1)]
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise CurationFailed(
            f"curation: cannot read {path}: {error}; save it as UTF-8, with a header line (.csv) "
            "or one JSON object on each line (.jsonl)"
        ) from None
    read = []
    for number, row in rows:
        try:
            read.append((number, model.model_validate(row)))
        except ValidationError as error:
            place = f"{who}: {path}, line {number}"
            raise CurationFailed(problem_of(error, place, next_step)) from None
    return read
