"""What the commands that build do: `build`, and `replicate` and `reparse`, which build as well."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from rich.console import Console

from orchestration.console import Say, terminal
from orchestration.dbt import ensure_manifest
from orchestration.registry import judges_are_loaded
from warehouse.audit import is_up_to_date, project_hash
from warehouse.changes import TABLE, read_changes
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query
from warehouse.writer import open_writer

_STEP = re.compile(r"\b(\d+) of (\d+)\b")
_TROUBLE = re.compile(r"\b(ERROR (?!=)|FAIL \d|Failure in|Error in|Got \d)")


def build(home: Home, say: Say, *, is_full: bool = False) -> None:
    """Build and test what has changed, and publish; say so where nothing has."""
    if not is_full and (standing := _up_to_date(home, say)):
        say(f"nothing to build: {standing.name} is what is loaded")
        return
    from orchestration.execute import materialize, metadata_of

    with _dbt_progress():
        result = materialize(
            home, ["metrics", "published/warehouse"], config={"metrics": {"full": is_full}}
        )
    found = metadata_of(result, "published/warehouse")
    say(f"published {found['version']} ({found['bytes'] / 1e6:.1f} MB)")
    changes = read_changes(current_version(home))
    if changes:
        say(changes.sentence)
    listed = changes and (changes.appeared or changes.moved or changes.changed or changes.vanished)
    table = TABLE if listed else "rpt_rank_agreement"
    say(f'next: rostrum serve, or rostrum sql "from {table}"')


def replicate(home: Home, paper: str, out: Console, say: Say, *, show_all: bool) -> int:
    """Build a paper's printed figures apart, show what came of them, and return the exit code.

    Raises:
        UnknownSource: The printed figures of this paper are not here.
    """
    from ingestion.published.cells import PAPER
    from ingestion.published.load import check_paper, load_published
    from orchestration.commands.replicate import (
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
    with _dbt_progress():
        materialize(apart, ["metrics", "published/warehouse"])
    found = replicated(current_version(apart), paper, home)
    show_replication(found, out, show_all=show_all)
    show_people(found, people_of(home), out)
    return 1 if found.failures else 0


def reparse_dry(home: Home, out: Console) -> None:
    """Say which answers would be read differently. Nothing is written."""
    from ingestion.reparse import reparse as read_again
    from orchestration.commands.compare import show_answers

    report = read_again(home.ensure(), is_dry=True, notify=out.print)
    show_answers(report.changes, out)
    out.print(
        f"{report.read:,} replies read, {report.changed:,} answers would change, "
        f"{report.runs:,} runs were read by an older parser; nothing was written (--dry-run)",
        highlight=False,
    )


def reparse(home: Home, file: Path | None, out: Console, say: Say) -> None:
    """Read every reply again, build and publish, and say what changed in every report."""
    from ingestion.reparse import Change
    from orchestration.commands.compare import show_answers, show_metrics
    from orchestration.execute import materialize, metadata_of
    from warehouse.compare import compare, mart_keys

    before = _current_or_none(home)
    found = metadata_of(materialize(home, ["model_runs/reparsed"]), "model_runs/reparsed")
    show_answers([Change(*change) for change in found["changes"]], out)
    say(
        f"{found['read']:,} replies read, {found['changed']:,} answers changed, "
        f"{found['older_runs']:,} runs were read by an older parser ({found['seconds']} s)"
    )
    if found["skipped"]:
        say(f"{found['skipped']:,} replies stay as they are: their scale is not one of numbers")
    built_from = _built_from(before) if before else None
    if before and built_from == (found["newest_load"], project_hash()):
        say(f"nothing to build: {before.name} is what these answers give")
        after = before
    else:
        build(home, say)
        after = current_version(home)
    if before is None:
        say("nothing was published before, so there is nothing to compare with")
        return
    if built_from and found["newest_other_load"] > built_from[0]:
        say(f"data were loaded after {before.name}: the changes below are theirs, too")
    if built_from and built_from[1] != project_hash():
        say(f"the models have changed since {before.name}: the changes below are theirs, too")
    keys = mart_keys(home.dbt_target / "manifest.json")
    show_metrics(
        compare(before.path, after.path, keys, out=file), before.name, after.name, file, out
    )


def _current_or_none(home: Home) -> Version | None:
    try:
        return current_version(home)
    except NothingPublished:
        return None


def _up_to_date(home: Home, say: Say) -> Version | None:
    """Return the published version if a build would make the same; Dagster stays asleep."""
    current = _current_or_none(home)
    if current is None:
        return None
    manifest = json.loads(ensure_manifest(home).read_bytes())
    made_by = run_query(current, "select dbt_invocation_id from publication").rows[0][0]
    with open_writer(home, "build", notify=say) as connection:
        # What the settings files say of judges is loaded by every build.
        is_current = judges_are_loaded(home, connection) and is_up_to_date(
            connection, manifest, made_by
        )
    return current if is_current else None


def _built_from(version: Version) -> tuple[int, str]:
    """Return the newest load a version holds, and the hash of the models that made it."""
    row = run_query(version, "select raw_load_id, project_hash from publication").rows[0]
    return int(row[0]), str(row[1])


@contextmanager
def _dbt_progress() -> Iterator[None]:
    """Show dbt's log as one moving line; what failed stays in view."""
    console = terminal(stderr=True)
    with console.status("starting dbt") as status:

        class Lines(io.TextIOBase):
            def write(self, text: str) -> int:
                for line in text.splitlines():
                    if found := _STEP.search(line):
                        status.update(f"dbt {found[1]} of {found[2]}")
                    if _TROUBLE.search(line):
                        console.print(line, markup=False, highlight=False)
                return len(text)

        with redirect_stdout(Lines()):
            yield
