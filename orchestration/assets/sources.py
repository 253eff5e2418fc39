"""Sources: data sets, and answers of judges from elsewhere, loaded into raw."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import dagster as dg
from pydantic import Field

from ingestion.annotations import AnnotationStudy, Kind
from ingestion.batch import MAX_REJECTED
from ingestion.errors import IngestionError
from ingestion.imports import import_file
from ingestion.ingest import DescribedStudy, ingest, ingest_study
from ingestion.raw_tables import LoadReport
from ingestion.registry import settings_help, sources
from ingestion.speeches.readers.study import Study
from orchestration.instance import tag_process
from orchestration.progress import notice
from warehouse.files import write_atomically
from warehouse.home import Home, find_home

_SHOWN = 20


class SourceConfig(dg.Config):
    """Where a data set is."""

    location: str = Field(
        description="A file, or hf://datasets/OWNER/NAME[@revision]; for debates and questions "
        "also a folder, a zip or https://; for curated the folder of a curation.",
    )
    source: str = Field(
        default="speeches",
        description=f"{', '.join(name for name in sources() if name != 'sample')}.",
    )
    settings: dict[str, str] = Field(
        default={},
        description=f"Settings of the source. {settings_help()}.",
    )
    max_rejected: float = Field(
        default=MAX_REJECTED, description="Largest share of bad records, 0 to 1."
    )


class StudyConfig(dg.Config):
    """A study of one's own: a file of items and a file of ratings."""

    name: str = Field(description="Id of the data set, such as my-study.")
    items: str = Field(description="File with one row per item.")
    ratings: str = Field(description="File with one row per rating.")
    question: str = Field(description="What people were asked.")
    scale_min: float = Field(default=1, description="Lowest score.")
    scale_max: float = Field(default=5, description="Highest score.")
    columns: dict[str, str] = Field(
        default={}, description="What the files call our columns, such as text: body."
    )
    policy: str | None = Field(default=None, description="The instructions people had.")
    max_rejected: float = Field(
        default=MAX_REJECTED, description="Largest share of bad records, 0 to 1."
    )


class AnnotationConfig(dg.Config):
    """A study's labels or scores without its texts."""

    name: str = Field(description="Id of the data set, such as my-study.")
    people: str = Field(description="JSON file: annotator, instance, label or score.")
    models: str | None = Field(default=None, description="The same of models.")
    dimension: str = Field(default="score", description="What was asked about each instance.")
    kind: str | None = Field(
        default=None, description="labels or scores; told from the content when absent."
    )
    text_before: str | None = Field(
        default=None,
        description="What ends the name of an instance's text within its own, if anything.",
    )
    scale: list[float] | None = Field(default=None, description="Lowest and highest score.")
    policy: str | None = Field(default=None, description="The instructions people had.")
    max_rejected: float = Field(
        default=MAX_REJECTED, description="Largest share of bad annotations, 0 to 1."
    )


class ImportConfig(dg.Config):
    """A file of scores, verdicts or answers made elsewhere, or of what people say of answers."""

    path: str = Field(description="The file.")
    file_format: str | None = Field(
        default=None,
        description="scores, verdicts, rulings, oversight, answers, preferences, dispute-labels, "
        "debateqa, "
        "inspect, lm-eval, judgebench or fastchat; told from the content when absent.",
    )
    dataset: str | None = Field(
        default=None, description="Data set that ids without one belong to."
    )
    judge: str | None = Field(
        default=None, description="Who answered, as provider/model, where the file does not say."
    )
    scorer: str | None = Field(
        default=None, description="Scorer of an Inspect log that holds the score."
    )
    template: str | None = Field(
        default=None,
        description="Prompt used, for answers to questions, where the file does not say.",
    )
    max_rejected: float = Field(
        default=MAX_REJECTED, description="Largest share of bad rows, 0 to 1."
    )
    from_inbox: bool = Field(
        default=False, description="Move the file out of the inbox afterwards."
    )


@dg.asset(
    key=["sources", "sample"],
    group_name="sources",
    description="The bundled sample: speeches, ratings, debates, votes and questions, all made up.",
)
def sample(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Load the bundled sample."""
    tag_process(context)
    return _result(ingest(find_home().ensure(), "sample", notify=notice(context.log.info)))


@dg.asset(
    key=["sources", "dataset"],
    group_name="sources",
    description="A released data set: speeches with human ratings, debates, questions or stories.",
)
def dataset(context: dg.AssetExecutionContext, config: SourceConfig) -> dg.MaterializeResult[None]:
    """Load the released files of any source that `source` can name."""
    tag_process(context)
    return _result(
        ingest(
            find_home().ensure(),
            config.source,
            config.location,
            settings=config.settings,
            max_rejected=config.max_rejected,
            notify=notice(context.log.info),
        )
    )


@dg.asset(
    key=["sources", "study"],
    group_name="sources",
    description="A study of your own: items and human ratings from two files.",
)
def study(context: dg.AssetExecutionContext, config: StudyConfig) -> dg.MaterializeResult[None]:
    """Load a study."""
    described = Study(
        name=config.name,
        items=Path(config.items),
        ratings=Path(config.ratings),
        question=config.question,
        scale_min=config.scale_min,
        scale_max=config.scale_max,
        columns=config.columns,
        policy=config.policy,
    )
    return _study(context, described, config.max_rejected)


@dg.asset(
    key=["sources", "annotations"],
    group_name="sources",
    description="A study's labels or scores without its texts, of people and of models.",
)
def annotations(
    context: dg.AssetExecutionContext, config: AnnotationConfig
) -> dg.MaterializeResult[None]:
    """Load a study's annotations."""
    described = AnnotationStudy(
        name=config.name,
        people=Path(config.people),
        models=Path(config.models) if config.models else None,
        dimension=config.dimension,
        kind=cast("Kind | None", config.kind),
        text_before=config.text_before,
        scale=(config.scale[0], config.scale[1]) if config.scale else None,
        policy=config.policy,
    )
    return _study(context, described, config.max_rejected)


@dg.asset(
    key=["sources", "imports"],
    group_name="sources",
    description="Scores, verdicts and answers made elsewhere, and what people judge on the "
    "dashboard, from a file or the inbox.",
)
def imports(context: dg.AssetExecutionContext, config: ImportConfig) -> dg.MaterializeResult[None]:
    """Import a file; from the inbox it is moved away, with the reason where refused."""
    tag_process(context)
    home = find_home().ensure()
    path = Path(config.path)
    with settle(home, path, is_inbox=config.from_inbox):
        report = import_file(
            home,
            path,
            wanted_format=config.file_format,
            dataset=config.dataset,
            judge=config.judge,
            scorer=config.scorer,
            template=config.template,
            max_rejected=config.max_rejected,
            notify=notice(context.log.info),
        )
    return _result(report, path.name)


@contextmanager
def settle(home: Home, path: Path, *, is_inbox: bool) -> Iterator[None]:
    """Take a file out of the inbox once it was imported or refused.

    Imported, it is gone from the inbox: its bytes are in `landing/`. Refused, it goes to
    `inbox/rejected/` with a text file that says why. Anything else that goes wrong leaves it where
    it is, to be tried again.

    Args:
        home: The home.
        path: The file.
        is_inbox: Whether it came from the inbox; others stay where they are.
    """
    try:
        yield
    except IngestionError as error:
        if is_inbox and path.exists():
            rejected = home.inbox / "rejected"
            rejected.mkdir(exist_ok=True)
            write_atomically(rejected / f"{path.name}.reason.txt", f"{error}\n".encode())
            os.replace(path, rejected / path.name)
        raise
    if is_inbox:
        path.unlink(missing_ok=True)


def _study(
    context: dg.AssetExecutionContext, described: DescribedStudy, max_rejected: float
) -> dg.MaterializeResult[None]:
    tag_process(context)
    home, notify = find_home().ensure(), notice(context.log.info)
    return _result(ingest_study(home, described, max_rejected=max_rejected, notify=notify))


def _result(report: LoadReport, loaded: str | None = None) -> dg.MaterializeResult[None]:
    rejects = [f"- {reject.sentence}" for reject in report.rejects[:_SHOWN]]
    if len(report.rejects) > _SHOWN:
        rejects.append(f"- and {len(report.rejects) - _SHOWN} more in raw.quarantine")
    rows = "\n".join(
        f"| {table} | {counts.new:,} | {counts.updated:,} | {counts.unchanged:,} |"
        for table, counts in report.tables.items()
    )
    return dg.MaterializeResult(
        metadata={
            "loaded": loaded or report.source,
            "records": report.records,
            "new": report.new,
            "new_by_table": report.new_by_table,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "quarantined": report.quarantined,
            "seconds": round(report.seconds, 2),
            "rows": dg.MetadataValue.md(
                f"| table | new | updated | unchanged |\n|---|---:|---:|---:|\n{rows}"
            ),
            "rejects": dg.MetadataValue.md("\n".join(rejects) or "none"),
            "notes": dg.MetadataValue.text("\n".join(report.notes)),
        }
    )


ASSETS = [sample, dataset, study, annotations, imports]
