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
from typing import Any, Literal

import duckdb
from pydantic import ValidationError

from ingestion.answers.imported import SETTINGS, SETTINGS_HASH
from ingestion.answers.judge_names import as_slash_form, with_provider
from ingestion.batch import Loadable, Rows, SourceFile, Step
from ingestion.dataset_batch import check_policy
from ingestion.errors import BadStudy, SourceUnreadable, UnknownSource
from ingestion.ingest import ingest_study
from ingestion.judge_tables import missing_judges
from ingestion.landing import Landed
from ingestion.raw_tables import LoadReport
from ingestion.reading import BrokenRecord, Reading
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
        dimension: The question about each instance.
        kind: Labels or scores; without it, most of the people's annotations decide.
        text_before: The end of a text's name within the names of its instances, such as `__`;
            without it each instance is its own text.
        scale: The lowest and the highest score; other scores are rejected.
        policy: The instructions for people.
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
            dataset = Dataset(
                dataset_id=self.name,
                title=self.title or self.name,
                licence=self.licence,
                policy=self.policy,
            )
        except ValidationError as error:
            broken, reason = first_problem(error)
            raise BadStudy(f"study: {broken} {reason}") from error
        kind = self.kind
        readings = [Reading(file.shown) for file in landed]
        found: dict[tuple[str, str], Annotation] = {}
        for number, (file, reading) in enumerate(zip(landed, readings, strict=True)):
            rows = list(_rows(file))
            reading.records = len(rows)
            if not rows:
                raise SourceUnreadable(
                    f"ingestion: {file.shown} holds no annotations; expected some"
                )
            if kind is None:
                kind = _kind_of(rows)
                reading.note(
                    f"annotations are {kind}: most of the people's are "
                    f"{'numbers' if kind == 'scores' else 'text'}; --as says otherwise"
                )
            empty = 0
            for annotator, instance, value in rows:
                if value is None and number == 0:
                    empty += 1
                    continue
                place = f"annotator {annotator!r}, instance {instance!r}"
                with reading.whole(place, {annotator: {instance: value}}):
                    made = self._annotation(annotator, instance, value, kind, is_judge=number > 0)
                    if (made.instance_id, made.annotator_id) in found:
                        raise BrokenRecord(
                            "instance",
                            "duplicate: this annotator has annotated it before; the first counts",
                        )
                    found[made.instance_id, made.annotator_id] = made
            if empty:
                reading.note(f"{empty:,} instances that a person left empty are not annotated")
        pairs = list(zip(landed, readings, strict=True))
        return AnnotationBatch(
            dataset,
            self.dimension,
            list(found.values()),
            len(landed) > 1,
            [reading.source_file(file) for file, reading in pairs],
            rejects=[reject for reading in readings for reject in reading.rejects],
            notes=[note for reading in readings for note in reading.notes],
        )

    def _annotation(
        self, annotator: str, instance: str, value: Any, kind: Kind, *, is_judge: bool
    ) -> Annotation:
        annotator_id = judge_id_of(annotator) if is_judge else f"{self.name}:rater-{annotator}"
        if is_judge and (
            why_no_judge(annotator_id) or split_judge_id(annotator_id)[0] in RESERVED_PROVIDERS
        ):
            raise BrokenRecord(
                "annotator", "cannot be a judge's name; expected provider/model, such as openai/x"
            )
        label: str | None = None
        score: float | None = None
        if isinstance(value, dict | list):
            reason = f"should be a label or a number; found {type(value).__name__}"
            raise BrokenRecord("annotation", reason)
        if value is not None and kind == "labels":
            label = value if isinstance(value, str) else json.dumps(value)
        elif value is not None:
            if not _is_number(value):
                reason = f"should be a number, as others are; found {str(value)[:80]!r}"
                raise BrokenRecord("annotation", reason)
            if self.scale and not self.scale[0] <= value <= self.scale[1]:
                reason = f"is off the scale {self.scale[0]:g} to {self.scale[1]:g}: {value!r}"
                raise BrokenRecord("annotation", reason)
            score = float(value)
        text = instance.split(self.text_before, 1)[0] if self.text_before else instance
        return Annotation(
            dataset_id=self.name,
            dimension=self.dimension,
            instance_id=f"{self.name}:{instance}",
            text_id=f"{self.name}:{text}",
            annotator_id=annotator_id,
            is_judge=is_judge,
            label=label,
            value=score,
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
    has_models: bool
    files: Sequence[SourceFile]
    items_of = None

    @property
    def judges(self) -> list[str]:
        """The models that annotate."""
        return sorted({each.annotator_id for each in self.annotations if each.is_judge})

    def checked(self, connection: duckdb.DuckDBPyConnection) -> AnnotationBatch:
        """Refuse labels under other instructions than those that are there."""
        check_policy(connection, self.dataset)
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the data set, its judges, and the annotations."""
        yield Rows("datasets", [self.dataset])
        rows = [(name, *split_judge_id(name)) for name in self.judges]
        yield missing_judges([JudgeRow(*row, SETTINGS, SETTINGS_HASH) for row in rows])
        yield Rows(
            "annotations",
            [each for each in self.annotations if not each.is_judge],
            within="datasets",
            kept=self.annotations,
            unless=f"present.dimension <> {sql_text(self.dimension)}"
            + ("" if self.has_models else " or present.is_judge"),
        )
        if self.has_models:
            of_models = [each for each in self.annotations if each.is_judge]
            yield Rows("annotations", of_models, self.files[-1].label)


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


def judge_id_of(name: str) -> str:
    """Return a model's name as `provider/model`; without a known provider it is `imported`."""
    named = with_provider(as_slash_form(name))
    if "/" not in named:
        named = f"{PROVIDER}/{named}"
    provider, model = split_judge_id(named)
    return f"{provider.lower()}/{_NOT_IN_AN_ID.sub('-', model)}"


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool | str) and math.isfinite(value)
    except OverflowError:
        return False


def _kind_of(rows: Sequence[tuple[str, str, Any]]) -> Kind:
    numbers = Counter(
        isinstance(value, int | float) and not isinstance(value, bool)
        for _, _, value in rows
        if value is not None
    )
    return "scores" if numbers[True] > numbers[False] else "labels"


def _rows(landed: Landed) -> Iterator[tuple[str, str, Any]]:
    """Yield annotator, instance and annotation, also of an instance that is named twice.

    Raises:
        SourceUnreadable: The file is no object of objects.
    """
    expected = 'expected {"annotator": {"instance": "label" or score}}'
    try:
        with landed.path.open("rb") as stream:
            content = read_whole(stream, landed.shown).decode("utf-8-sig")
        # Objects as tuples of their members: a dictionary would drop those named twice.
        annotators = json.loads(content, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} is not valid JSON: {error}; {expected}"
        ) from error
    except OSError as error:
        message = f"ingestion: cannot read {landed.shown}: {error.strerror}; check the path"
        raise SourceUnreadable(message) from error
    if not isinstance(annotators, tuple):
        raise SourceUnreadable(f"ingestion: {landed.shown} holds no annotators; {expected}")
    for annotator, instances in annotators:
        if not isinstance(instances, tuple):
            raise SourceUnreadable(
                f"ingestion: {landed.shown}: annotator {annotator!r} has no instances; {expected}"
            )
        for instance, value in instances:
            yield annotator, instance, dict(value) if isinstance(value, tuple) else value
