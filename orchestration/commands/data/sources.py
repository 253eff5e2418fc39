"""What the commands that bring data in do: check the call, run the assets, say what came."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ingestion.errors import UnknownSource
from ingestion.registry import sources
from orchestration.console import Say
from orchestration.progress import print_notice
from orchestration.registry import ensure_registry
from warehouse.home import Home

Config = dict[str, Any]


def config_of(**options: Any) -> Config:
    """Return what an asset is told of a command's options: paths are absolute.

    Options without a value are left out: the assets know the defaults.
    """
    return {
        name: str(value.expanduser().absolute()) if isinstance(value, Path) else value
        for name, value in options.items()
        if value is not None
    }


def study_config(*, scale: str, columns: Sequence[str], **about: str | Path | None) -> Config:
    """Return the configuration of the asset `sources/study` from the command's flags.

    Raises:
        UnknownSource: The scale or a column mapping cannot be read.
    """
    bounds = _scale(scale)
    mapping = named_values("--column", columns, "text=body")
    found = config_of(**about)
    return found | {"scale_min": bounds[0], "scale_max": bounds[1], "columns": mapping}


def annotation_config(*, kind: str | None, scale: str | None, **about: str | Path | None) -> Config:
    """Return the configuration of the asset `sources/annotations` from the command's flags.

    Raises:
        UnknownSource: The scale or the kind cannot be read.
    """
    if kind not in (None, "labels", "scores"):
        raise UnknownSource(f"study: --as is labels or scores, not '{kind}'")
    return config_of(**about, kind=kind, scale=None if scale is None else list(_scale(scale)))


def _scale(scale: str) -> tuple[float, float]:
    # The first dash may be the minus of a scale that begins below zero.
    low, _, high = scale[1:].partition("-")
    try:
        return float(scale[:1] + low), float(high)
    except ValueError:
        raise UnknownSource(f"study: --scale '{scale}' is not two numbers such as 1-5") from None


def check(study: dict[str, Any], max_rejected: float, say: Say) -> int:
    """Validate a study, load nothing, and return the exit code."""
    from ingestion.ingest import check_study
    from ingestion.speeches.readers.study import Study

    paths = {"items": Path(study["items"]), "ratings": Path(study["ratings"])}
    report = check_study(Study(**(study | paths)), max_rejected=max_rejected)
    say(
        f"{report.items:,} items and {report.ratings:,} ratings of "
        f"{', '.join(report.dimensions) or 'nothing'} are valid; "
        f"{len(report.rejects):,} records are not"
    )
    for reject in report.rejects[:20]:
        say(f"  {reject.sentence}")
    if report.refusal:
        say(f"would be refused: {report.refusal}")
        return 1
    say("nothing was loaded (--check)")
    return 0


def check_annotations(study: dict[str, Any], max_rejected: float, say: Say) -> int:
    """Validate a study of annotations, load nothing, and return the exit code."""
    from ingestion.annotations import AnnotationStudy
    from ingestion.batch import refuse_too_many
    from ingestion.errors import TooManyRejected
    from ingestion.landing import in_place

    paths = {name: Path(study[name]) for name in ("people", "models") if name in study}
    described = AnnotationStudy(**(study | paths))
    batch = described.read(*map(in_place, described.files))
    judges = len(batch.judges)
    people = {each.annotator_id for each in batch.annotations if not each.is_judge}
    say(
        f"{len(batch.annotations):,} annotations of {len(people):,} people and {judges:,} models "
        f"are valid; {len(batch.rejects):,} are not"
    )
    for line in (*batch.notes, *(reject.sentence for reject in batch.rejects[:20])):
        say(f"  {line}")
    try:
        refuse_too_many(batch.files, batch.rejects, max_rejected)
    except TooManyRejected as error:
        say(f"would be refused: {error}")
        return 1
    say("nothing was loaded (--check)")
    return 0


def check_source(source: str, location: str | None) -> None:
    """Say what is wrong with a source before anything is read for it.

    Raises:
        UnknownSource: There is no such source, or it needs a location.
    """
    if source not in sources():
        raise UnknownSource(
            f"ingest: no source named '{source}'; expected {', '.join(sources())} or study"
        )
    if location is None:
        raise UnknownSource(f"ingest: '{source}' needs --from: {sources()[source].where}")


def check_place(location: str | Path) -> None:
    """Say that a file or folder is not there before anything is read for it.

    Raises:
        UnknownSource: It is neither an address nor a path that exists.
    """
    is_path = "://" not in str(location) and location != "convokit"
    if is_path and not Path(location).expanduser().exists():
        raise UnknownSource(
            f"rostrum: '{location}': there is no such file or folder; check the path"
        )


def named_values(option: str, pairs: Sequence[str], example: str) -> dict[str, str]:
    """Return the values of a repeatable option by name.

    Args:
        pairs: What a user gave with it, each as name=value.
        example: Such a pair, for errors.

    Raises:
        UnknownSource: One is not name=value, or two have the same name.
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if not (name and value):
            raise UnknownSource(
                f"rostrum: {option} takes name=value, such as {option} {example}; found '{pair}'"
            )
        if name in values:
            raise UnknownSource(
                f"rostrum: {option} {name}=... is given twice, as '{values[name]}' and '{value}'; "
                "leave one out"
            )
        values[name] = value
    return values


def ingest(home: Home, asset: str, config: dict[str, Any], say: Say) -> None:
    """Load a source and say what it brought.

    Args:
        asset: Which asset of `sources/` would load it.
        config: What its launchpad would hold.
    """
    from orchestration.command_log import logged
    from orchestration.loads import Load, leave_note

    home.ensure()
    ensure_registry(home)
    key = f"sources/{asset}"
    with logged(home, assets=[key]):
        found = getattr(Load(home, print_notice), asset)(**config)
    leave_note(home, key, found)
    if found["records"]:
        say(f"{found['loaded']}: {found['records']}")
    which = f" ({found['new_by_table']})" if found["new_by_table"] else ""
    say(
        f"{found['loaded']}: {found['new']:,} rows new{which}, {found['updated']:,} updated, "
        f"{found['unchanged']:,} unchanged; {found['quarantined']:,} records quarantined "
        f"({found['seconds']} s)"
    )
    for line in (found["notes"] or "").splitlines():
        say(f"  {line}")
    if found["quarantined"]:
        say(str(found["rejects"]))


def curate(home: Home, config: dict[str, Any], say: Say) -> None:
    """Do the steps of curation whose inputs have changed, and say what each removed."""
    from inference.questions.curation.pipeline import STEPS
    from inference.steps.pipeline import WAITING
    from orchestration.execute import materialize, metadata_of

    result = materialize(
        home,
        [f"curation/{name}" for name in STEPS],
        config={f"curation__{name}": config for name in STEPS},
    )
    found = {name: metadata_of(result, f"curation/{name}") for name in STEPS}
    for name, about in found.items():
        said = about["waits_for"] if about["status"] == WAITING else about["status"]
        say(f"{name.replace('_', ' ')}: {said}; {about['removed']:,} removed")
    is_waiting = found[STEPS[-1]]["status"] == WAITING
    aside = " (the funnel so far; the questions once they are annotated)" if is_waiting else ""
    folder = shlex.quote(config["folder"])
    say(f"next: rostrum ingest curated --from {folder} --set dataset=NAME{aside}")


def transcribe(home: Home, config: dict[str, Any], say: Say) -> None:
    """Do the steps from a recording to the queue whose inputs have changed, and say what came."""
    from inference.parliamentary.transcription.records import STEPS
    from orchestration.execute import materialize, metadata_of

    names = [*STEPS, "queued"]
    result = materialize(
        home,
        [f"transcripts/{name}" for name in names],
        config={f"transcripts__{name}": config for name in names},
    )
    for name in STEPS:
        found = metadata_of(result, f"transcripts/{name}")
        facts = "".join(
            f"; {fact.replace('_', ' ')} {found[fact]}"
            for fact in ("transcriber", "segmenter", "corrector", "word_error_rate")
            if fact in found
        )
        say(f"{name}: {found['status']}, {found['records']:,} records{facts}")
    found = metadata_of(result, "transcripts/queued")
    say(f"{found['transcript']}: {found['status']}, {found['reason']}")
    if found["reverted"] != "none":
        say(f"raw text stands where the correction does not:\n{found['reverted']}")
    say(
        f"look at it on the page of transcripts, or: rostrum verify {found['transcript']} --by NAME"
    )


def verify(
    home: Home, name: str, by: str, *, is_rejected: bool, text: Path | None, say: Say
) -> None:
    """Hand in a decision about a transcript, as the dashboard would, and load it."""
    from ingestion.parliamentary.transcripts.load import decision

    content = decision(home, name, by, is_rejected=is_rejected, text=text)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"verification-{name}.json"
        path.write_bytes(content)
        ingest(home, "imports", {"path": str(path)}, say)
