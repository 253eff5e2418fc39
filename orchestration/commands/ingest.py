"""`rostrum ingest` and `rostrum import`: data sets, studies and answers made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer
from pydantic import AfterValidator, BeforeValidator

from ingestion.batch import MAX_REJECTED, Reject
from ingestion.formats import FORMATS
from ingestion.registry import RETIRED, Source, source_named, sources
from orchestration.console import Say, say
from orchestration.loads import Load, facts_of, settle
from orchestration.operation import (
    ExistingPath,
    Operation,
    Pairs,
    Publishing,
    add_command,
    argument,
    option,
)
from warehouse.home import Home

if TYPE_CHECKING:
    from ingestion.annotations import AnnotationStudy
    from ingestion.ingest import DescribedStudy
    from ingestion.speeches.readers import study


def _check_place(location: str) -> str:
    """Refuse what is neither an address nor a path that exists."""
    is_named = any(location in source.addresses for source in sources().values())
    if "://" not in location and not is_named and not Path(location).expanduser().exists():
        raise ValueError("there is no such file or folder; check the path")
    return location


def _scale(given: Any) -> Any:
    """Return the bounds of a scale such as 1-5."""
    if not isinstance(given, str):
        return given
    # The first dash may be the minus of a scale that begins below zero.
    low, _, high = given[1:].partition("-")
    try:
        return float(given[:1] + low), float(high)
    except ValueError:
        raise ValueError("is not two numbers such as 1-5") from None


Place = Annotated[str, AfterValidator(_check_place)]
Scale = Annotated[tuple[float, float], BeforeValidator(_scale)]
MaxRejected = Annotated[
    float, option("Largest share of bad records before all are refused.", ge=0, le=1)
]


class Sample(Load):
    """Load the bundled sample: made-up speeches, debates, questions and stories."""

    asset: ClassVar[str] = "sample"
    about: ClassVar[str] = (
        "The bundled sample: speeches, ratings, debates, votes and questions, all made up."
    )

    def load(self, home: Home, notify: Callable[[str], None]) -> dict[str, Any]:
        """Load the bundled sample."""
        from ingestion.ingest import ingest

        return facts_of(ingest(home, "sample", notify=notify))


class Dataset(Load):
    """Load a released data set of any source."""

    asset: ClassVar[str] = "dataset"
    about: ClassVar[str] = (
        "A released data set: speeches with human ratings, debates, questions or stories."
    )

    location: Place = option(
        "A file, or hf://datasets/OWNER/NAME[@revision]; for debates and questions "
        "also a folder, a zip or https://; for curated the folder of a curation."
    )
    source: str = option("A source of 'rostrum ingest'.", "speeches")
    settings: dict[str, str] = option("Settings of the source.", {})
    max_rejected: MaxRejected = MAX_REJECTED

    def load(self, home: Home, notify: Callable[[str], None]) -> dict[str, Any]:
        """Load the released files of the source."""
        from ingestion.ingest import ingest

        report = ingest(
            home,
            self.source,
            self.location,
            settings=self.settings,
            max_rejected=self.max_rejected,
            notify=notify,
        )
        return facts_of(report)


class _Described(Load):
    """A study that a user describes."""

    max_rejected: MaxRejected = MAX_REJECTED
    check: bool = option("Validate only, load nothing.", False, exclude=True)

    def described(self) -> DescribedStudy:
        """Return the description that the study is read by."""
        raise NotImplementedError

    def load(self, home: Home, notify: Callable[[str], None]) -> dict[str, Any]:
        """Load the study."""
        from ingestion.ingest import ingest_study

        report = ingest_study(home, self.described(), max_rejected=self.max_rejected, notify=notify)
        return facts_of(report)

    def run(self, home: Home, say: Say = say) -> int | None:
        """Load the study and publish, or only validate it."""
        return self.say_check(say) if self.check else super().run(home, say)

    def say_check(self, say: Say) -> int:
        """Say what loading the study would find, and return the exit code."""
        raise NotImplementedError


class Study(_Described):
    """Load a study of your own: a file of items and a file of people's ratings."""

    asset: ClassVar[str] = "study"
    about: ClassVar[str] = "A study of your own: items and human ratings from two files."
    example: ClassVar[str] = "ingest study --name my-study --items items.csv --ratings ratings.csv"

    name: str = option("Id of the data set, such as my-study.")
    items: ExistingPath = option("File with one row per item.")
    ratings: ExistingPath = option("File with one row per rating.")
    question: str = option("What people were asked.", "How good is it?")
    scale: Scale = option("Lowest and highest score.", "1-5", validate_default=True)
    columns: Pairs = option("Our column = yours, such as text=body. Repeatable.", {}, name="column")
    policy: str | None = option(
        "The instructions people had; a data set takes labels under one alone.", None
    )

    def described(self) -> study.Study:
        """Return the description that the study is read by."""
        from ingestion.speeches.readers.study import Study

        low, high = self.scale
        return Study(
            self.name,
            self.items,
            self.ratings,
            self.question,
            low,
            high,
            self.columns,
            policy=self.policy,
        )

    def say_check(self, say: Say) -> int:
        """Say what loading the study would find, and return the exit code."""
        from ingestion.ingest import check_study

        report = check_study(self.described(), max_rejected=self.max_rejected)
        say(
            f"{report.items:,} items and {report.ratings:,} ratings of "
            f"{', '.join(report.dimensions) or 'nothing'} are valid; "
            f"{len(report.rejects):,} records are not"
        )
        return _say_checked(say, [], report.rejects, report.refusal)


class Annotations(_Described):
    """Load a study's labels or scores without its texts: JSON files by annotator and instance."""

    asset: ClassVar[str] = "annotations"
    about: ClassVar[str] = "A study's labels or scores without its texts, of people and of models."
    example: ClassVar[str] = "ingest annotations --name my-study --people people.json"

    name: str = option("Id of the data set, such as my-study.")
    people: ExistingPath = option("JSON file: annotator, instance, label or score.")
    models: ExistingPath | None = option("The same of models.", None)
    dimension: str = option("What was asked about each instance.", "score")
    kind: Literal["labels", "scores"] | None = option(
        "Told from the content if absent.", None, name="as"
    )
    text_before: str | None = option(
        "What ends a text's name within an instance's, such as __; without it each "
        "instance is its own text.",
        None,
    )
    scale: Scale | None = option("Lowest and highest score, such as 1-5.", None)
    policy: str | None = option(
        "The instructions people had; a data set takes labels under one alone.", None
    )

    def described(self) -> AnnotationStudy:
        """Return the description that the study is read by."""
        from ingestion.annotations import AnnotationStudy

        return AnnotationStudy(**self.model_dump(exclude={"max_rejected"}))

    def say_check(self, say: Say) -> int:
        """Say what loading the study would find, and return the exit code."""
        from ingestion.batch import refuse_too_many
        from ingestion.errors import TooManyRejected
        from ingestion.landing import in_place

        described = self.described()
        batch = described.read(*map(in_place, described.files))
        people = {each.annotator_id for each in batch.annotations if not each.is_judge}
        say(
            f"{len(batch.annotations):,} annotations of {len(people):,} people and "
            f"{len(batch.judges):,} models are valid; {len(batch.rejects):,} are not"
        )
        try:
            refuse_too_many(batch.files, batch.rejects, self.max_rejected)
        except TooManyRejected as error:
            return _say_checked(say, batch.notes, batch.rejects, str(error))
        return _say_checked(say, batch.notes, batch.rejects, None)


def _say_checked(
    say: Say, notes: Iterable[str], rejects: Iterable[Reject], refusal: str | None
) -> int:
    for line in (*notes, *[reject.sentence for reject in rejects][:20]):
        say(f"  {line}")
    say(f"would be refused: {refusal}" if refusal else "nothing was loaded (--check)")
    return 1 if refusal else 0


class Import(Load):
    """Import scores, verdicts or answers made elsewhere, or what people say of answers.

    Then build and publish the figures.
    """

    asset: ClassVar[str] = "imports"
    about: ClassVar[str] = (
        "Scores, verdicts and answers made elsewhere, and what people judge on the dashboard, from "
        "a file or the inbox."
    )
    example: ClassVar[str] = "import my_scores.jsonl"

    path: ExistingPath = argument("File of answers (docs/import.md shows each format).")
    file_format: str | None = option(
        f"{', '.join(FORMATS)}; told from the content if absent.", None, name="format"
    )
    dataset: str | None = option("Data set that ids without one belong to.", None)
    judge: str | None = option(
        "Who answered, as provider/model, where the file does not say.", None
    )
    scorer: str | None = option(
        "inspect: scorer that holds the score; else the reply is read.", None
    )
    template: str | None = option(
        "answers, debateqa: prompt used, where the file does not say.", None
    )
    max_rejected: MaxRejected = MAX_REJECTED

    def load(self, home: Home, notify: Callable[[str], None]) -> dict[str, Any]:
        """Import the file; from the inbox it is moved away, with the reason where refused."""
        from ingestion.imports import import_file

        is_inbox = self.path.parent.resolve() == home.inbox.resolve()
        about = self.model_dump(exclude={"path", "file_format"})
        with settle(home, self.path, is_inbox=is_inbox):
            report = import_file(
                home, self.path, wanted_format=self.file_format, notify=notify, **about
            )
        return facts_of(report, self.path.name)


LOADS: tuple[type[Load], ...] = (Sample, Dataset, Study, Annotations, Import)

app = typer.Typer(
    help="Load a data set: speeches people have scored, debates, questions, the sample, or a study."
    " Then build and publish the figures.",
    rich_markup_mode=None,
)


def _operation_of(source: Source) -> type[Operation]:
    """Return the operation that loads a source, with the settings of this source alone."""

    class FromSource(source.settings, Publishing):  # type: ignore[name-defined, misc]
        needs_home: ClassVar[bool] = False

        location: Place = option(f"Its file or files: {source.where}.", name="from")
        max_rejected: MaxRejected = MAX_REJECTED

        def run(self, home: Home, say: Say = say) -> int | None:
            names = set(source.settings.model_fields)
            chosen: Mapping[str, Any] = self.model_dump(include=names, exclude_none=True)
            load = Dataset(
                source=source.name,
                location=self.location,
                settings={name: str(value) for name, value in chosen.items()},
                max_rejected=self.max_rejected,
                build=self.build,
            )
            return load.run(home, say)

    FromSource.__doc__ = f"Load {source.about}."
    return FromSource


for _source in sources().values():
    add_command(app, _source.name, Sample if _source.where is None else _operation_of(_source))
add_command(app, "study", Study)
add_command(app, "annotations", Annotations)
for _name in RETIRED:

    def _refuse(name: str = typer.Option(_name, hidden=True)) -> None:
        """Say that a source is no longer supported."""
        source_named(name)

    app.command(
        _name,
        hidden=True,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(_refuse)
