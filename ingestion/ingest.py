"""Bringing a data set in: land its file, read it, load it, write its item files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.batch import MAX_REJECTED, Reject, refuse_too_many
from ingestion.debates.sources import judgebench
from ingestion.debates.sources.sample_debates import sample_debates_source
from ingestion.errors import TooManyRejected, UnknownSource
from ingestion.landing import Landed, kept_if_loaded, land
from ingestion.load import load
from ingestion.oversight.sources.sample_stories import sample_stories_batch
from ingestion.parliamentary.sources.sample_parliamentary import sample_parliamentary_batch
from ingestion.questions.sources import sample_questions
from ingestion.raw_tables import LoadReport, say_nothing
from ingestion.sources.sample import sample_batch
from ingestion.speeches.batch import Batch
from ingestion.speeches.sources import speeches, speeches_ibm
from ingestion.speeches.sources.study import Study, check_description, parse_study
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.writer import WAIT_S

# What reads the file, its licence, and what it is called in a folder.
_FILE_SOURCES: dict[str, tuple[Callable[[Landed], Batch], str, str]] = {
    "speeches": (speeches.parse_speeches, speeches.DATASET.licence, "data.csv"),
    "speeches-ibm": (
        speeches_ibm.parse_speeches_ibm,
        speeches_ibm.DATASET.licence,
        "opening_speeches.parquet",
    ),
    "judgebench": (judgebench.parse_judgebench, judgebench.DATASET.licence, "debates.jsonl"),
}
# Those of `debate_sources`, whose parsers few reach.
DEBATE_SOURCES = ("ddo", "iq2", "nyu-debates", "llm-debate-humans")
# Those of `question_sources`.
QUESTION_SOURCES = ("debateqa",)
# Those of `parliamentary_sources`.
PARLIAMENTARY_SOURCES = ("debatebench", "tabbycat", "debatexml", "panelbench", "transcripts")
# Those of `reading_sources`.
READING_SOURCES = ("quality",)
CURATED = "curated"
SOURCES = (
    "sample",
    *_FILE_SOURCES,
    *DEBATE_SOURCES,
    *QUESTION_SOURCES,
    *PARLIAMENTARY_SOURCES,
    *READING_SOURCES,
    CURATED,
)


@dataclass(frozen=True)
class CheckReport:
    """What loading a study would find. Nothing was loaded.

    Attributes:
        items: Valid items.
        ratings: Valid ratings.
        dimensions: What was rated.
        rejects: Records that break the contract.
        refusal: Why the load would be refused as a whole; None when it would not.
    """

    items: int
    ratings: int
    dimensions: tuple[str, ...]
    rejects: tuple[Reject, ...]
    refusal: str | None


@kept_if_loaded()
def ingest(
    home: Home,
    source: str,
    location: str | Path | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a known source.

    Args:
        home: The home.
        source: One of `SOURCES`.
        location: A file, or `hf://datasets/<owner>/<name>[@revision]`; for debates, questions and
            stories a file, a folder, an archive or an address on the web; for `curated` the folder
            of the curation; nothing for `sample`.
        settings: Settings of the source by name, such as `margin` for `ddo`, `split` for
            `debateqa`, `motions` for `debatebench` or `dataset` for `curated`.
        max_rejected: The largest share of rejected records, 0 to 1.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        UnknownSource: There is no such source, it needs a location, or has no such setting.
        SourceUnreadable: The file is not what it should be.
        TooManyRejected: Too large a share of its records is rejected; nothing is loaded.
    """
    if source in DEBATE_SOURCES:
        # Reached by few, and costs everyone else the import of the parsers.
        from ingestion.debates.registry import open_debates

        opened = open_debates(home, source, location, settings or {})
        return load(home, opened, max_rejected=max_rejected, wait_s=wait_s, notify=notify)
    if source in QUESTION_SOURCES:
        from ingestion.questions.registry import open_questions

        found = open_questions(home, location, settings or {})
        return load(home, found, max_rejected=max_rejected, wait_s=wait_s, notify=notify)
    if source in PARLIAMENTARY_SOURCES:
        from ingestion.parliamentary.registry import open_parliamentary

        batch = open_parliamentary(home, source, location, settings or {})
        return load(home, batch, max_rejected=max_rejected, wait_s=wait_s, notify=notify)
    if source in READING_SOURCES:
        from ingestion.oversight.registry import open_reading

        read = open_reading(home, source, location, settings or {})
        return load(home, read, max_rejected=max_rejected, wait_s=wait_s, notify=notify)
    if source == CURATED:
        from ingestion.questions.sources.curated import open_curated

        curated = open_curated(home, location, settings or {})
        return load(home, curated, wait_s=wait_s, notify=notify)
    if settings:
        raise UnknownSource(
            f"ingestion: '{source}' has no settings; found {', '.join(sorted(settings))}"
        )
    rated = _batch(home, source, location)
    report = load(home, rated, max_rejected=max_rejected, wait_s=wait_s, notify=notify)
    if source != "sample":
        return report
    return report.and_then(_rest_of_sample(home, wait_s, notify))


def where_to_find(source: str) -> str | None:
    """Return in words where a source's files are; None where any file will do.

    Nothing is fetched unless the user names it.
    """
    # Reached by few, and costs everyone else the import of the parsers.
    if source in DEBATE_SOURCES:
        from ingestion.debates import registry as debate_sources

        return debate_sources.where_to_find(source)
    if source in QUESTION_SOURCES:
        from ingestion.questions import registry as question_sources

        return question_sources.where_to_find()
    if source in PARLIAMENTARY_SOURCES:
        from ingestion.parliamentary import registry as parliamentary_sources

        return parliamentary_sources.where_to_find(source)
    if source in READING_SOURCES:
        from ingestion.oversight import registry as reading_sources

        return reading_sources.where_to_find(source)
    if source == CURATED:
        from ingestion.questions.sources import curated

        return curated.where_to_find()
    return None


def _rest_of_sample(home: Home, wait_s: float, notify: Callable[[str], None]) -> LoadReport:
    """Load the sample's debates of both kinds, its questions and stories, and what was said."""
    # Few sources come with answers, and the formats of answers take a while to import.
    from ingestion.imports import import_file

    debates = load(home, sample_debates_source(), wait_s=wait_s, notify=notify)
    batch = sample_questions.sample_questions_batch()
    report = debates.and_then(load(home, batch, wait_s=wait_s, notify=notify))
    for name, kind in sample_questions.SAID:
        said = import_file(
            home,
            sample_questions.FOLDER / name,
            wanted_format=kind,
            dataset=sample_questions.NAME,
            licence=sample_questions.DATASET.licence,
            wait_s=wait_s,
            notify=notify,
        )
        report = report.and_then(replace(said, notes=[]))
    parliamentary = sample_parliamentary_batch()
    report = report.and_then(load(home, parliamentary, wait_s=wait_s, notify=notify))
    stories = sample_stories_batch()
    return report.and_then(load(home, stories, wait_s=wait_s, notify=notify))


def _batch(home: Home, source: str, location: str | Path | None) -> Batch:
    if source == "sample":
        return sample_batch()
    if source not in _FILE_SOURCES:
        message = (
            f"ingestion: no source named '{source}'; expected one of {', '.join(SOURCES)}, or "
            "'study' for a study of your own"
        )
        raise UnknownSource(message)
    if location is None:
        message = (
            f"ingestion: '{source}' needs a file or an address; name it with --from, for example "
            "--from hf://datasets/noystl/speech-quality-dataset"
        )
        raise UnknownSource(message)
    if str(location).startswith("hf://"):
        # Reached by few and costs everyone else a quarter of a second.
        from ingestion.sources import hub

        landed, hub_source = hub.fetch(home, str(location))
        return hub_source.parse(landed)
    parse, licence, name = _FILE_SOURCES[source]
    path = Path(location).expanduser()
    if path.is_dir():
        path /= name
    origin = str(path.resolve())
    return parse(land(home, path, source=source, licence=licence, origin=origin))


@kept_if_loaded()
def ingest_study(
    home: Home,
    study: Study,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a user's own study.

    Args:
        home: The home.
        study: What the user says about it.
        max_rejected: The largest share of rejected records of each file, 0 to 1.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
        TooManyRejected: Too large a share of a file's records is rejected; nothing is loaded.
    """
    check_description(study)
    items, ratings = (
        land(home, path, source=study.name, licence=study.licence, origin=str(path.resolve()))
        for path in (study.items, study.ratings)
    )
    batch = parse_study(study, items, ratings)
    return load(home, batch, max_rejected=max_rejected, wait_s=wait_s, notify=notify)


def check_study(study: Study, *, max_rejected: float = MAX_REJECTED) -> CheckReport:
    """Read a study as `ingest_study` would and load nothing; no home is touched.

    Args:
        study: What the user says about it.
        max_rejected: The largest share of rejected records of each file, 0 to 1.

    Raises:
        BadStudy: The description cannot be used.
        SourceUnreadable: A file is not what it should be.
    """
    batch = parse_study(study, _in_place(study.items), _in_place(study.ratings))
    refusal = None
    try:
        refuse_too_many(batch.files, batch.rejects, max_rejected)
    except TooManyRejected as error:
        refusal = str(error)
    return CheckReport(
        items=len(batch.speeches),
        ratings=len(batch.ratings),
        dimensions=tuple(dimension.dimension for dimension in batch.dimensions),
        rejects=tuple(batch.rejects),
        refusal=refusal,
    )


def _in_place(path: Path) -> Landed:
    """Describe a file that is read where it lies."""
    is_there = path.is_file()
    return Landed(
        path=path,
        shown=str(path),
        label=str(path),
        sha256=sha256_file(path) if is_there else "",
        size=path.stat().st_size if is_there else 0,
        fetched_at="",
    )
