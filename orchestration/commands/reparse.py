"""`rostrum reparse`: read stored replies again, and show the changes."""

from pathlib import Path

from rich.console import Console

from orchestration.commands.build import current_or_none, publish_loaded
from orchestration.console import Say, print_line
from warehouse.audit import project_hash
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query


def reparse_dry(home: Home, out: Console) -> None:
    """Say which answers would be read differently. Nothing is written."""
    from ingestion.reparse import reparse as read_again
    from orchestration.commands.reports.compare import show_answers

    report = read_again(home.ensure(), is_dry=True, notify=out.print)
    show_answers(report.changes, out)
    print_line(
        out,
        f"{report.read:,} replies read, {report.changed:,} answers would change, "
        f"{report.runs:,} runs were read by an older parser; nothing was written (--dry-run)",
    )


def reparse(
    home: Home, file: Path | None, out: Console, say: Say, *, is_built: bool = True
) -> None:
    """Read every reply again, build and publish, and say what changed in every report."""
    from ingestion.reparse import Change
    from orchestration.commands.reports.compare import show_answers, show_metrics
    from orchestration.execute import materialize, metadata_of
    from warehouse.compare import compare, mart_keys

    before = current_or_none(home)
    found = metadata_of(materialize(home, ["model_runs/reparsed"]), "model_runs/reparsed")
    show_answers([Change(*change) for change in found["changes"]], out)
    say(
        f"{found['read']:,} replies read, {found['changed']:,} answers changed, "
        f"{found['older_runs']:,} runs were read by an older parser ({found['seconds']} s)"
    )
    if found["reloaded"]:
        say(f"{found['reloaded']:,} rows of other kinds changed: their journals were loaded again")
    if found["skipped"]:
        say(f"{found['skipped']:,} replies stay as they are: their scale is not one of numbers")
    built_from = _built_from(before) if before else None
    publish_loaded(home, say, is_wanted=is_built)
    if not is_built:
        return
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


def _built_from(version: Version) -> tuple[int, str]:
    """Return the newest load a version holds, and the hash of the models that made it."""
    row = run_query(version, "select raw_load_id, project_hash from publication").rows[0]
    return int(row[0]), str(row[1])
