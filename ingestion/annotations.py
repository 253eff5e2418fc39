"""A study's annotations without its texts: annotator, instance, label or score, from JSON files.

The form is that of the alternative annotator test's own files: an object of annotators, each an
object of instances, each a label (text) or a score (number); one file of people, and one of models
where there are any. A model's missing answer is kept, as one that failed; a person's is none.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import duckdb
from pydantic import ValidationError

from ingestion.answers.imported import SETTINGS, SETTINGS_HASH
from ingestion.answers.judge_names import as_slash_form, with_provider
from ingestion.batch import Loadable, Reject, Rejects, Rows, SourceFile, Step, original_of
from ingestion.errors import BadStudy, SourceUnreadable, UnknownSource
from ingestion.ingest import ingest_study
from ingestion.judge_tables import missing_judges
from ingestion.landing import Landed
from ingestion.policies import check_policy
from ingestion.raw_tables import LoadReport
from ingestion.sources.containers import read_whole
from ingestion.speeches.readers.study import check_name_and_scale
from warehouse.home import Home
from warehouse.records.core import Annotation, Dataset, JudgeRow, first_problem
from warehouse.records.ids import RESERVED_PROVIDERS, split_judge_id, why_no_judge
from warehouse.safe_text import sql_text
from warehouse.waiting import say_nothing

Kind = Literal["labels", "scores"]
# The provider of models whose name says none.
PROVIDER = "imported"
# What the test's authors call the files of a study.
_PEOPLE, _MODELS = "human_annotations.json", "llm_annotations.json"
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9._:/-]+")


@dataclass(frozen=True)
class AnnotationStudy:
    """What a user says about a study of annotations.

    Attributes:
        name: The data set's id, such as `my-study`.
        people: The JSON file of people's annotations.
        models: That of models', if there is one.
        dimension: What was asked about each instance.
        kind: Whether annotations are labels or scores; told from the people's when not given.
        text_before: What ends the name of an instance's text within the instance's own, such as
            `__`; each instance is its own text when not given.
        scale: The lowest and the highest score, where scores are held to them.
        title: The data set's title; its name when not given.
        licence: The data's licence.
        policy: The instructions people had.
    """

    name: str
    people: Path
    models: Path | None = None
    dimension: str = "score"
    kind: Kind | None = None
    text_before: str | None = None
    scale: tuple[float, float] | None = None
    title: str | None = None
    licence: str = "not stated"
    policy: str | None = None

    def text_of(self, instance: str) -> str:
        """Return the name of the text that an instance belongs to."""
        return instance.split(self.text_before, 1)[0] if self.text_before else instance

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of people, and that of models if there is one."""
        return (self.people,) if self.models is None else (self.people, self.models)

    def check(self) -> None:
        """Refuse a name or a scale that cannot be used.

        Raises:
            BadStudy: Says which and what was expected.
        """
        check_name_and_scale(self.name, self.scale)

    def read(self, *landed: Landed) -> AnnotationBatch:
        """Read the study's files.

        Raises:
            BadStudy: The description cannot be used.
            SourceUnreadable: A file is not what it should be.
        """
        self.check()
        try:
            dataset = Dataset(self.name, self.title or self.name, self.licence, policy=self.policy)
        except ValidationError as error:
            broken, reason = first_problem(error)
            raise BadStudy(f"study: {broken} {reason}") from error
        reader = _Reader(self)
        for number, file in enumerate(landed):
            reader.read(file, is_judge=number > 0)
        return AnnotationBatch(
            dataset,
            self.dimension,
            list(reader.found.values()),
            list(reader.judges.values()),
            len(landed) > 1,
            reader.files,
            rejects=reader.rejects,
            notes=reader.notes,
        )


@dataclass(frozen=True)
class AnnotationBatch(Loadable):
    """One load of one dimension of a study: it takes the place of what was there of it.

    Attributes:
        has_models: Whether a file of models came along; else those that are there stay.
    """

    dataset: Dataset
    dimension: str
    annotations: Sequence[Annotation]
    judges: Sequence[JudgeRow]
    has_models: bool
    files: Sequence[SourceFile]
    items_of = None

    def checked(self, connection: duckdb.DuckDBPyConnection) -> AnnotationBatch:
        """Refuse labels under other instructions than those that are there."""
        check_policy(connection, self.dataset)
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the data set, its judges, and the annotations."""
        yield Rows("datasets", [self.dataset])
        yield missing_judges(self.judges)
        yield Rows(
            "annotations",
            [each for each in self.annotations if not each.is_judge],
            within="datasets",
            kept=self.annotations,
            unless=f"present.dimension <> {sql_text(self.dimension)}"
            + ("" if self.has_models else " or present.is_judge"),
        )
        if self.has_models:
            said = [each for each in self.annotations if each.is_judge]
            yield Rows("annotations", said, self.files[-1].label)


class _Said(NamedTuple):
    """One annotation as a file has it."""

    annotator: str
    instance: str
    said: Any


def ingest_folder(
    home: Home, folder: Path, *, prefix: str, notify: Callable[[str], None] = say_nothing
) -> list[LoadReport]:
    """Load every study of a folder in the form of the test's own files, named by its own folder.

    What stands before `__` in an instance's name is its text.

    Args:
        folder: A folder per study, each with `human_annotations.json` and `llm_annotations.json`.
        prefix: Put before each study's name, whose underscores become dashes.

    Raises:
        UnknownSource: There is no study in the folder.
        SourceUnreadable: A file is not what it should be.
        TooManyRejected: Too large a share of a file's annotations is rejected.
    """
    found = sorted(folder.expanduser().glob(f"*/{_PEOPLE}"))
    if not found:
        raise UnknownSource(
            f"replicate: {folder} has no study; expected a folder per study with {_PEOPLE} and "
            f"{_MODELS} in it"
        )
    studies = [
        AnnotationStudy(
            name=f"{prefix}{path.parent.name.replace('_', '-')}",
            people=path,
            models=path.with_name(_MODELS) if path.with_name(_MODELS).exists() else None,
            text_before="__",
        )
        for path in found
    ]
    return [ingest_study(home, study, notify=notify) for study in studies]


class _Reader:
    """Turns files into annotations, keeping what is wrong."""

    def __init__(self, study: AnnotationStudy) -> None:
        self._study = study
        self._kind = study.kind
        self.found: dict[tuple[str, str], Annotation] = {}
        self.judges: dict[str, JudgeRow] = {}
        self.files: list[SourceFile] = []
        self.rejects: list[Reject] = Rejects()
        self.notes: list[str] = []

    def read(self, landed: Landed, *, is_judge: bool) -> None:
        """Read one file."""
        rows = list(_said(landed))
        self.files.append(landed.source_file(len(rows)))
        if not rows:
            raise SourceUnreadable(f"ingestion: {landed.shown} holds no annotations; expected some")
        if self._kind is None:
            self._kind = _kind_of(rows)
            self.notes.append(
                f"annotations are {self._kind}: most of the people's are "
                f"{'numbers' if self._kind == 'scores' else 'text'}; --as says otherwise"
            )
        empty = 0
        for row in rows:
            if row.said is None and not is_judge:
                empty += 1
                continue
            reason = self._add(row, is_judge=is_judge)
            if reason is not None:
                place = f"annotator {row.annotator!r}, instance {row.instance!r}"
                field, why = reason
                original = original_of({row.annotator: {row.instance: row.said}})
                self.rejects.append(Reject(landed.shown, place, field, why, original))
        if empty:
            self.notes.append(f"{empty:,} instances that a person left empty are not annotated")

    def _add(self, row: _Said, *, is_judge: bool) -> tuple[str | None, str] | None:
        """Add an annotation, or return the field and the reason it cannot be added."""
        study = self._study
        annotator = (
            judge_id_of(row.annotator) if is_judge else f"{study.name}:rater-{row.annotator}"
        )
        if is_judge and not _is_judge(annotator):
            return (
                "annotator",
                "cannot be a judge's name; expected provider/model, such as openai/x",
            )
        label, value, why = self._answer(row.said)
        if why is not None:
            return "annotation", why
        try:
            made = Annotation(
                dataset_id=study.name,
                dimension=study.dimension,
                instance_id=f"{study.name}:{row.instance}",
                text_id=f"{study.name}:{study.text_of(row.instance)}",
                annotator_id=annotator,
                is_judge=is_judge,
                label=label,
                value=value,
            )
        except ValidationError as error:
            return first_problem(error)
        if (made.instance_id, made.annotator_id) in self.found:
            return "instance", "duplicate: this annotator has annotated it before; the first counts"
        self.found[made.instance_id, made.annotator_id] = made
        if is_judge and annotator not in self.judges:
            provider, model = annotator.split("/", 1)
            self.judges[annotator] = JudgeRow(annotator, provider, model, SETTINGS, SETTINGS_HASH)
        return None

    def _answer(self, said: Any) -> tuple[str | None, float | None, str | None]:
        """Return an annotation as a label or a value, or why it is neither."""
        if said is None:
            return None, None, None
        if isinstance(said, dict | list):
            return None, None, f"should be a label or a number; found {type(said).__name__}"
        if self._kind == "labels":
            return said if isinstance(said, str) else json.dumps(said), None, None
        if not _is_number(said):
            return None, None, f"should be a number, as others are; found {str(said)[:80]!r}"
        scale = self._study.scale
        if scale and not scale[0] <= said <= scale[1]:
            return None, None, f"is off the scale {scale[0]:g} to {scale[1]:g}: {said!r}"
        return None, float(said), None


def judge_id_of(name: str) -> str:
    """Return a model's name as `provider/model`; without a known provider it is `imported`."""
    named = with_provider(as_slash_form(name))
    if "/" not in named:
        named = f"{PROVIDER}/{named}"
    provider, model = split_judge_id(named)
    return f"{provider.lower()}/{_NOT_IN_AN_ID.sub('-', model)}"


def _is_judge(judge_id: str) -> bool:
    is_reserved = split_judge_id(judge_id)[0] in RESERVED_PROVIDERS
    return why_no_judge(judge_id) is None and not is_reserved


def _is_number(said: Any) -> bool:
    try:
        return not isinstance(said, bool | str) and math.isfinite(said)
    except OverflowError:
        return False


def _kind_of(rows: Sequence[_Said]) -> Kind:
    counts = Counter(
        isinstance(row.said, int | float) and not isinstance(row.said, bool)
        for row in rows
        if row.said is not None
    )
    return "scores" if counts[True] > counts[False] else "labels"


def _said(landed: Landed) -> Iterator[_Said]:
    """Yield every annotation of a file, one that is given twice twice.

    Raises:
        SourceUnreadable: The file is no object of objects.
    """
    wanted = 'expected {"annotator": {"instance": "label" or score}}'
    try:
        with landed.path.open("rb") as stream:
            content = read_whole(stream, landed.shown).decode("utf-8-sig")
        found = json.loads(content, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} is not valid JSON: {error}; {wanted}"
        ) from error
    except OSError as error:
        message = f"ingestion: cannot read {landed.shown}: {error.strerror}; check the path"
        raise SourceUnreadable(message) from error
    if not isinstance(found, _Pairs):
        raise SourceUnreadable(f"ingestion: {landed.shown} holds no annotators; {wanted}")
    for annotator, instances in found.pairs:
        if not isinstance(instances, _Pairs):
            raise SourceUnreadable(
                f"ingestion: {landed.shown}: annotator {annotator!r} has no instances; {wanted}"
            )
        for instance, said in instances.pairs:
            yield _Said(annotator, instance, dict(said.pairs) if isinstance(said, _Pairs) else said)


class _Pairs:
    """An object of a JSON file with all its members: a dictionary would drop those named twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs
