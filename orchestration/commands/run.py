"""What the commands that write do: run the assets of the web interface, and say what came of it."""

from __future__ import annotations

import io
import json
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from inference.errors import FINAL_KINDS, UnknownJudge
from inference.experiments import load_experiment
from inference.kinds import KIND
from inference.prices import FREE, as_dollars
from inference.providers.presets import judge_preset
from inference.registry import check_judge_id
from inference.tally import Progress as RunProgress
from inference.toml_text import toml_of
from ingestion.errors import UnknownSource
from ingestion.ingest import check_study
from ingestion.judge_tables import load_judges
from ingestion.registry import sources
from ingestion.speeches.readers.study import Study
from orchestration.console import terminal
from orchestration.dbt import ensure_manifest
from orchestration.registry import (
    add_judge,
    ensembles_of,
    ensure_judge,
    ensure_registry,
    judge_rows,
    sync_partitions,
)
from warehouse.audit import is_up_to_date, project_hash
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query
from warehouse.writer import open_writer

Say = Callable[[str], None]
_SHOW_EVERY_S = 0.1
_STEP = re.compile(r"\b(\d+) of (\d+)\b")
_TROUBLE = re.compile(r"\b(ERROR (?!=)|FAIL \d|Failure in|Error in|Got \d)")


def study_config(
    *,
    name: str,
    items: Path,
    ratings: Path,
    question: str,
    scale: str,
    columns: Sequence[str],
) -> dict[str, Any]:
    """Return the configuration of the asset `sources/study` from the command's flags.

    Raises:
        UnknownSource: The scale or a column mapping cannot be read.
    """
    low, _, high = scale.partition("-")
    mapping = dict(pair.partition("=")[::2] for pair in columns)
    try:
        bounds = float(low), float(high)
    except ValueError:
        raise UnknownSource(f"study: --scale '{scale}' is not two numbers such as 1-5") from None
    if not all(mapping.values()):
        raise UnknownSource("study: --column takes our column = yours, such as --column text=body")
    return {
        "name": name,
        "items": str(items.expanduser().absolute()),
        "ratings": str(ratings.expanduser().absolute()),
        "question": question,
        "scale_min": bounds[0],
        "scale_max": bounds[1],
        "columns": mapping,
    }


def check(study: dict[str, Any], max_rejected: float, say: Say) -> int:
    """Validate a study, load nothing, and return the exit code."""
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


def check_source(source: str, location: str | None) -> None:
    """Say what is wrong with a source before Dagster is started for it.

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
    """Say that a file or folder is not there before Dagster is started for it.

    Raises:
        UnknownSource: It is neither an address nor a path that exists.
    """
    is_path = "://" not in str(location) and location != "convokit"
    if is_path and not Path(location).expanduser().exists():
        raise UnknownSource(
            f"rostrum: '{location}': there is no such file or folder; check the path"
        )


def source_settings(pairs: Sequence[str]) -> dict[str, str]:
    """Return a source's settings from the command's flags.

    Raises:
        UnknownSource: One is not name=value.
    """
    settings = dict(pair.partition("=")[::2] for pair in pairs)
    if not all(name and value for name, value in settings.items()):
        raise UnknownSource("ingest: --set takes name=value, such as --set margin=2")
    return settings


def curate(home: Home, config: dict[str, Any], say: Say) -> None:
    """Do the steps of curation whose inputs have changed, and say what each removed."""
    from inference.questions.curation.pipeline import STEPS
    from inference.steps.runner import WAITING
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


def ingest(home: Home, asset: str, config: dict[str, Any], say: Say) -> None:
    """Load a source and say what it brought."""
    from orchestration.execute import materialize, metadata_of

    result = materialize(
        home, [f"sources/{asset}"], config={f"sources__{asset}": config} if config else None
    )
    found = metadata_of(result, f"sources/{asset}")
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
    say("next: rostrum build")


def judges_add(
    home: Home,
    judge_id: str | None,
    settings: Sequence[str],
    *,
    preset: str | None = None,
    model: str | None,
    family: str | None,
    size_b_params: float | None,
    say: Say,
) -> None:
    """Add a judge to `judges.toml` and to the partitions.

    What is given comes before what a preset has; a preset's settings hold for its own provider.
    """
    from orchestration.instance import open_instance

    home.ensure()
    ensure_registry(home)
    values = {name: _typed(text) for name, _, text in (pair.partition("=") for pair in settings)}
    if preset is not None:
        known = judge_preset(preset)
        provider = known.judge_id.partition("/")[0]
        judge_id = judge_id or known.judge_id
        if judge_id.startswith(f"{provider}/"):
            values = known.settings | values
        family = family or known.family
        size_b_params = known.size_b_params if size_b_params is None else size_b_params
    if judge_id is None:
        raise UnknownJudge("registry: name a judge as provider/model, or a preset")
    about = {"model": model, "family": family, "size_b_params": size_b_params}
    spec = add_judge(home, judge_id, values, **about)
    with open_instance(home) as instance:
        sync_partitions(home, instance)
    say(f"{spec.judge_id} is in {home.judges_file}; run it with:")
    experiment = next(each.first_experiment for each in KIND.values() if each.name in spec.kinds)
    say(f"  rostrum run {experiment} --judge {spec.judge_id} --limit 50")


def _typed(text: str) -> Any:
    """Read a setting as TOML would, and as plain text where it is none."""
    try:
        return toml_of(f"value = {text}")["value"]
    except ValueError:
        return text


def run(
    home: Home,
    experiment: str,
    judge_id: str,
    *,
    limit: int | None,
    datasets: Sequence[str],
    budget_usd: float | None = None,
    is_fresh: bool = False,
    say: Say,
) -> int:
    """Run an experiment with a judge, load its answers, and return the exit code."""
    # What is misspelt is said before Dagster takes its seconds to start.
    check_judge_id(judge_id)
    load_experiment(experiment, [home.experiments])
    from orchestration.execute import materialize, metadata_of
    from orchestration.progress import listening

    home.ensure()
    ensure_registry(home)
    ensure_judge(home, judge_id)
    config: dict[str, Any] = {"datasets": list(datasets), "fresh": is_fresh}
    if limit is not None:
        config["limit"] = limit
    if budget_usd is not None:
        config["budget_usd"] = budget_usd
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[cost]}"),
        TextColumn("{task.fields[trouble]}"),
    )
    console = terminal(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(
            f"{experiment} with {judge_id}", total=None, rate="", cost="", trouble=""
        )
        began = shown = time.monotonic()

        def show(progress: RunProgress) -> None:
            nonlocal shown
            now = time.monotonic()
            # A judge may answer a thousand times a second; nobody reads that fast.
            if now - shown < _SHOW_EVERY_S and progress.done < progress.total:
                return
            shown = now
            bar.update(
                task,
                total=progress.total,
                completed=progress.done,
                rate=f"{progress.new / max(now - began, 1e-9):.1f}/s",
                cost="" if progress.cost_usd is None else as_dollars(progress.cost_usd),
                trouble=f"{progress.failed} failed, {progress.unparsed} unparsed",
            )

        with listening(show):
            try:
                result = materialize(
                    home,
                    ["model_runs/responses", "model_runs/scores"],
                    config={"model_runs__responses": config},
                    partition={"experiment": experiment, "judge": judge_id},
                )
            except BaseException:
                # Whatever was answered before a stop is loaded like any other answer.
                materialize(home, ["model_runs/scores"])
                raise
    found = metadata_of(result, "model_runs/responses")
    say(
        f"{found['requests']:,} requests: {found['answered_now']:,} answered now, "
        f"{found['already_answered'] + found['reused']:,} answered before, "
        f"{found['failed']:,} failed, {found['unparsed']:,} unparsed, "
        f"{cost_as_text(judge_id, found['cost'])} ({found['seconds']} s)"
    )
    if found["status"] == "over_budget":
        say(f"stopped before passing the budget of ${budget_usd:g}; go on with a higher --budget")
    for line in after_failures(found["errors_by_kind"]):
        say(line)
    say("next: rostrum build")
    return 0 if found["status"] == "complete" else 1


def cost_as_text(judge_id: str, cost: str) -> str:
    """Return what a run's answers cost, for a line of the terminal."""
    if judge_id.partition("/")[0] in FREE:
        return f"no charge: {judge_id} answers on this machine"
    return f"cost {cost}"


def after_failures(kinds: Mapping[str, int]) -> Iterator[str]:
    """Say which failures another start asks again, and which stand."""
    for is_final, then in (
        (False, "run the same command to ask them again"),
        (True, "the same request would fail again, so they stand and are not asked again"),
    ):
        found = {kind: n for kind, n in kinds.items() if (kind in FINAL_KINDS) == is_final}
        if found:
            listed = ", ".join(f"{kind} {count:,}" for kind, count in found.items())
            yield f"{sum(found.values()):,} failed ({listed}): {then}"


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
    say('next: rostrum serve, or rostrum sql "from rpt_rank_agreement"')


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
    from orchestration.commands.reparse import show_answers

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
    from orchestration.commands.reparse import show_answers, show_metrics
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
    """Return the published version if a build would make the same; dbt and Dagster stay asleep."""
    current = _current_or_none(home)
    if current is None:
        return None
    # What the settings files say of judges is loaded by every build.
    load_judges(home, judge_rows(home), ensembles_of(home), notify=say)
    manifest = json.loads(ensure_manifest(home).read_bytes())
    made_by = run_query(current, "select dbt_invocation_id from publication").rows[0][0]
    with open_writer(home, "build", notify=say) as connection:
        return current if is_up_to_date(connection, manifest, made_by) else None


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
