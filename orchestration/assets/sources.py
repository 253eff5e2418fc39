"""Sources: data sets, and answers of judges from elsewhere, loaded into raw."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from ingestion.batch import MAX_REJECTED
from ingestion.formats import FORMATS
from ingestion.registry import settings_help, sources
from orchestration.instance import tag_process
from orchestration.loading_assets import metadata_of_load
from orchestration.loads import Load
from orchestration.progress import notice
from warehouse.home import find_home


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
        description=f"{', '.join(FORMATS)}; told from the content when absent.",
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


@dg.asset(
    key=["sources", "sample"],
    group_name="sources",
    description="The bundled sample: speeches, ratings, debates, votes and questions, all made up.",
)
def sample(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Load the bundled sample."""
    return _result(_load(context).sample())


@dg.asset(
    key=["sources", "dataset"],
    group_name="sources",
    description="A released data set: speeches with human ratings, debates, questions or stories.",
)
def dataset(context: dg.AssetExecutionContext, config: SourceConfig) -> dg.MaterializeResult[None]:
    """Load the released files of any source that `source` can name."""
    return _result(_load(context).dataset(**config.model_dump()))


@dg.asset(
    key=["sources", "study"],
    group_name="sources",
    description="A study of your own: items and human ratings from two files.",
)
def study(context: dg.AssetExecutionContext, config: StudyConfig) -> dg.MaterializeResult[None]:
    """Load a study."""
    return _result(_load(context).study(**config.model_dump()))


@dg.asset(
    key=["sources", "annotations"],
    group_name="sources",
    description="A study's labels or scores without its texts, of people and of models.",
)
def annotations(
    context: dg.AssetExecutionContext, config: AnnotationConfig
) -> dg.MaterializeResult[None]:
    """Load a study's annotations."""
    return _result(_load(context).annotations(**config.model_dump()))


@dg.asset(
    key=["sources", "imports"],
    group_name="sources",
    description="Scores, verdicts and answers made elsewhere, and what people judge on the "
    "dashboard, from a file or the inbox.",
)
def imports(context: dg.AssetExecutionContext, config: ImportConfig) -> dg.MaterializeResult[None]:
    """Import a file; from the inbox it is moved away, with the reason where refused."""
    return _result(_load(context).imports(**config.model_dump()))


def _load(context: dg.AssetExecutionContext) -> Load:
    tag_process(context)
    return Load(find_home().ensure(), notice(context.log.info))


def _result(facts: Mapping[str, Any]) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata=metadata_of_load(facts))


ASSETS = [sample, dataset, study, annotations, imports]
