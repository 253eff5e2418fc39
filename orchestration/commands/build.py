"""Builds: of everything, of one subject, of a paper's figures, and after every load."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from orchestration.builds.dbt import ensure_manifest, read_manifest
from orchestration.builds.progress import watched
from orchestration.console import Say
from orchestration.errors import BuildStopped, FiguresNotBuilt
from orchestration.failures import explanation, was_stopped
from orchestration.progress import print_notice
from orchestration.registry import judges_are_loaded
from warehouse.audit import is_up_to_date, project_hash, stale_nodes
from warehouse.changes import TABLE, UnpublishedChange, read_changes, unpublished_changes
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query
from warehouse.schema import raw_load_id
from warehouse.serving import live_addresses
from warehouse.subjects import Subject, subject_of
from warehouse.writer import give_way, open_writer, write_lock

# What is made and tested says so itself: Dagster would first write down eight hundred plans of it.
METRICS = "metrics/audit"
# Of what a build of one subject changed; and of each subject's stale models.
_SHOWN, _NAMED = 10, 4


def build(home: Home, say: Say, *, is_full: bool = False) -> None:
    """Build and test what has changed, and publish; say so where nothing has."""
    # One lock from the look to the new version: nobody loads in between, and who waits for it
    # finds that there is nothing left to do.
    with write_lock(home, "build", notify=print_notice):
        if not is_full and (standing := _up_to_date(home)):
            _say_standing(standing, say)
            return
        _publish(home, [METRICS, "published/warehouse"], say, {"full": is_full})


def build_subject(home: Home, subject: Subject, say: Say) -> None:
    """Build and test one subject with what it needs; publish if nothing else is stale.

    A version holds all subjects or none, so that its figures are all of the same data: one subject
    alone is never published while another is stale. What this is for: after many loads or a change
    of the models it tries one subject in a part of the time and says what would change of its
    estimates, whatever is wrong with the data of another; the build of all then need not do it
    again. What several subjects share is built as far as it reads nothing else that is stale; if
    nothing is, as after a study of people's scores was loaded, this publishes. Answers of judges
    change the list of runs, which every subject reads.
    """
    with write_lock(home, "build", notify=print_notice):
        if standing := _up_to_date(home):
            _say_standing(standing, say)
            return
        from orchestration.execute import materialize

        with watched():
            materialize(home, [METRICS], config={"metrics": {"only": subject}})
        manifest = read_manifest(ensure_manifest(home))
        with open_writer(home, "build", notify=print_notice) as connection:
            stale = stale_nodes(connection, manifest)
            estimates = manifest["nodes"].get(f"model.rostrum.int_{subject}_estimates")
            rows = []
            if stale and estimates:
                later = f'"{estimates["schema"]}"."{estimates["alias"]}"'
                rows = unpublished_changes(connection, subject, later, current_or_none(home))
        if not stale:
            _publish(home, ["published/warehouse"], say)
            return
    _say_unpublished(subject, rows, say)
    say(f"stale: {_stale(stale, manifest)}")
    say("so nothing is published; rostrum build builds the rest and publishes")


def _publish(
    home: Home, assets: Sequence[str], say: Say, config: Mapping[str, object] | None = None
) -> None:
    """Materialize assets, the published version last, and say what changed and where to look."""
    from orchestration.execute import materialize, metadata_of

    with watched():
        result = materialize(home, assets, config={"metrics": config} if config else None)
    found = metadata_of(result, "published/warehouse")
    say(f"published {found['version']} ({found['bytes'] / 1e6:.1f} MB)")
    changes = read_changes(current_version(home))
    if changes:
        say(changes.sentence)
    listed = changes and (changes.appeared or changes.moved or changes.changed or changes.vanished)
    table = TABLE if listed else "rpt_rank_agreement"
    live = live_addresses(home)
    say(f'next: {live.dashboard if live else "rostrum serve"}, or rostrum sql "from {table}"')


def _say_standing(version: Version, say: Say) -> None:
    say(f"nothing to build: {version.name} is what is loaded")


def publish_loaded(
    home: Home, say: Say, *, is_wanted: bool, standing: Version | None = None
) -> None:
    """End a command that has loaded something: build and publish the figures of it."""
    if not is_wanted:
        say("next: rostrum build, which publishes the figures (--no-build)")
        return
    if standing := standing or newest_is_loaded(home):
        _say_standing(standing, say)
        return
    give_way(home)
    try:
        with write_lock(home, "build", notify=print_notice):
            if standing := newest_is_loaded(home):
                _say_standing(standing, say)
                return
            _publish(home, [METRICS, "published/warehouse"], say)
    except BaseException as error:
        before = current_or_none(home)
        kept = "what was loaded is kept, and " + (
            f"the figures are those of {before.name}" if before else "no figures are published yet"
        )
        if was_stopped(error):
            message = f"stopped while building: {kept}; rostrum build goes on"
            raise BuildStopped(message) from error
        if (said := explanation(error, home.root)) is None:
            say(f"{kept}; rostrum build tries again")
            raise
        raise FiguresNotBuilt(f"{said}\n{kept}; rostrum build tries again") from error


def newest_is_loaded(home: Home) -> Version | None:
    """Return the published version if nothing was loaded since, nor Rostrum upgraded.

    Dagster stays asleep for it, and no data are read, as `rostrum build` does.
    """
    with open_writer(home, "build", notify=print_notice) as connection:
        current = current_or_none(home)
        if current is None:
            return None
        facts = (raw_load_id(connection), project_hash(), version("rostrum"))
        made_of = run_query(
            current, "select raw_load_id, project_hash, code_version from publication"
        ).rows[0]
        is_current = made_of == facts and judges_are_loaded(home, connection)
    return current if is_current else None


def _say_unpublished(subject: str, rows: Sequence[UnpublishedChange], say: Say) -> None:
    """Say which estimates of a subject a build has changed that is not published."""
    counts = ", ".join(f"{n:,} {change}" for change, n in Counter(r.change for r in rows).items())
    say(f"{subject} is built and tested; its estimates: {counts or 'none differs'}")
    for row in rows[:_SHOWN]:
        about = " ".join(each for each in (row.measure, row.dataset_id, row.judge_id) if each)
        after = "none" if row.value is None else f"{row.value:.4g}"
        if row.low is not None and row.high is not None:
            after += f" [{row.low:.4g}, {row.high:.4g}]"
        was = f", was {row.before:.4g}" if row.before is not None else ""
        n = f", n = {row.n:,}" if row.n is not None else ""
        say(f"  {row.change:<8}  {row.mart}: {about} = {after}{n}{was}")
    if len(rows) > _SHOWN:
        say(f'  and {len(rows) - _SHOWN:,} more; once published: rostrum sql "from {TABLE}"')


def _stale(names: Sequence[str], manifest: Mapping[str, Any]) -> str:
    """Name what is stale, by subject."""
    found: dict[str, list[str]] = {}
    for name in names:
        node = manifest["nodes"][name]
        if node["resource_type"] == "model":
            found.setdefault(subject_of(node) or "shared by all", []).append(node["name"])
    tests = len(names) - sum(map(len, found.values()))
    listed = [
        f"{subject}: {len(models)} ({', '.join(models[:_NAMED])}{', …' * (len(models) > _NAMED)})"
        for subject, models in sorted(found.items())
    ]
    return "; ".join([*listed, f"{tests:,} tests and seeds"])


def replicate(
    home: Home,
    paper: str,
    out: Console,
    say: Say,
    *,
    show_all: bool,
    location: Path | None = None,
) -> int:
    """Build a paper's printed figures apart, show what came of them, and return the exit code."""
    from ingestion.published.cells import PAPER
    from ingestion.published.load import check_paper, load_published
    from orchestration.commands.reports.replicate import (
        check_compared,
        people_of,
        replicated,
        show_people,
        show_replication,
    )
    from orchestration.execute import materialize

    check_paper(paper)
    apart = home.replication(paper).ensure()
    if paper == PAPER:
        load_published(apart, paper, notify=say)
    if location is not None:
        from ingestion.annotations import ingest_folder

        ingest_folder(apart, location, prefix="alt-test-", notify=say)
    with watched():
        materialize(apart, [METRICS, "published/warehouse"])
    found = replicated(current_version(apart), paper, home)
    show_replication(found, out, show_all=show_all)
    show_people(found, people_of(home), out)
    check_compared(found)
    return 1 if found.failures else 0


def current_or_none(home: Home) -> Version | None:
    """Return the version that readers see; None where nothing is published."""
    try:
        return current_version(home)
    except NothingPublished:
        return None


def _up_to_date(home: Home) -> Version | None:
    """Return the published version if a build would make the same; Dagster stays asleep."""
    current = current_or_none(home)
    if current is None:
        return None
    manifest = read_manifest(ensure_manifest(home))
    made_by = run_query(current, "select dbt_invocation_id from publication").rows[0][0]
    with open_writer(home, "build", notify=print_notice) as connection:
        # What the settings files say of judges is loaded by every build.
        is_current = judges_are_loaded(home, connection) and is_up_to_date(
            connection, manifest, made_by
        )
    return current if is_current else None
