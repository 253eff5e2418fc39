"""Metrics: the dbt project as assets, its tests as asset checks, and each build's audit row."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DbtCliResource, DbtProject, dbt_assets
from packaging.version import Version
from pydantic import Field

from ingestion.judge_tables import load_judges
from orchestration.building import Follower, durations, keep_durations
from orchestration.dbt import DBT_MODULE, dbt_environment, ensure_manifest
from orchestration.errors import BuildFailed
from orchestration.instance import tag_process
from orchestration.progress import notice
from orchestration.registry import ensembles_of, judge_rows
from warehouse.audit import DBT_PROJECT, begin_build, finish_build
from warehouse.home import find_home
from warehouse.writer import build_connection, write_lock

# Which assets write which raw tables; dbt knows a raw table only as a source.
_SOURCES = (("sources", "sample"), ("sources", "dataset"), ("sources", "study"))
_ANSWERS = (("model_runs", "scores"), ("sources", "imports"))
_READ_AGAIN = (*_ANSWERS, ("model_runs", "reparsed"))
_DEBATED = (*_ANSWERS, ("oversight", "tournament"))
_EXPLAINED = (("key_points", "loaded"),)
_RAW_WRITERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "scores": _READ_AGAIN,
    "verdicts": _READ_AGAIN,
    "label_probabilities": _ANSWERS,
    "answers": _ANSWERS,
    "likelihoods": (("model_runs", "scores"),),
    "preferences": (("sources", "imports"),),
    "human_ratings": (*_SOURCES, ("sources", "imports")),
    "human_verdicts": (*_SOURCES, ("sources", "imports")),
    "runs": (*_READ_AGAIN, ("oversight", "tournament")),
    "judges": _ANSWERS,
    "oversight_transcripts": _DEBATED,
    "oversight_turns": _DEBATED,
    "oversight_quotes": _DEBATED,
    "oversight_judgements": _DEBATED,
    **{
        f"key_point_{name}": _EXPLAINED
        for name in (
            "analyses",
            "justifications",
            "sentences",
            "matches",
            "labels",
        )
    },
    "key_points": _EXPLAINED,
}


class RostrumTranslator(DagsterDbtTranslator):
    """Names dbt models `metrics/NAME` and hangs the staging layer on the assets that write raw."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """Return `metrics/NAME`; raw sources keep `raw/NAME`."""
        layer = "raw" if dbt_resource_props["resource_type"] == "source" else "metrics"
        return dg.AssetKey([layer, dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str | None:
        """Group models by their folder, which is their subject or layer, and seeds apart."""
        is_seed = dbt_resource_props["resource_type"] == "seed"
        return f"metrics_{'settings' if is_seed else dbt_resource_props['fqn'][1]}"

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        """Replace a dependency on a raw table by dependencies on what writes it."""
        spec = super().get_asset_spec(manifest, unique_id, project)
        if not any(dep.asset_key.path[0] == "raw" for dep in spec.deps):
            return spec
        writers: dict[dg.AssetKey, dg.AssetDep] = {}
        for dep in spec.deps:
            keys = (
                [dg.AssetKey(key) for key in _RAW_WRITERS.get(dep.asset_key.path[1], _SOURCES)]
                if dep.asset_key.path[0] == "raw"
                else [dep.asset_key]
            )
            writers |= {key: dg.AssetDep(key) for key in keys}
        return spec.replace_attributes(deps=list(writers.values()))


_TRANSLATOR = RostrumTranslator()


class _InstalledDbt(DbtCliResource):
    """dbt of this environment, started without what Dagster would ask of it beforehand.

    Dagster starts `dbt --version` and a database adapter of its own before each build, to fetch
    column metadata that is not asked for here: five seconds of a build.
    """

    @cached_property
    def _cli_version(self) -> Version:
        return Version(version("dbt-core"))

    def _initialize_dbt_core_adapter(self, args: Sequence[str]) -> None:
        del args


def _dbt() -> DbtCliResource:
    return _InstalledDbt(
        project_dir=str(DBT_PROJECT),
        profiles_dir=str(DBT_PROJECT),
        # Not dbt's own program: its process must end with this one, however this one ends.
        dbt_executable=sys.executable,
        global_config_flags=[
            "-m",
            "orchestration.tether",
            f"parent={os.getpid()}",
            DBT_MODULE,
        ],
    )


# Unit tests try the SQL on rows of their own: what they show does not depend on the data.
_BUILD = ("build", "--exclude-resource-type", "unit_test")


def _without(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Leave nodes out of a build, with the tests that look at nothing else."""
    if not nodes:
        return []
    names = " ".join(".".join(node["fqn"]) for node in nodes)
    return ["--indirect-selection", "cautious", "--exclude", names]


class BuildConfig(dg.Config):
    """How much is built."""

    full: bool = Field(
        default=False,
        description="Build every model, also those that nothing has changed for.",
    )
    only: str | None = Field(
        default=None,
        description="The subject to build, with what it needs; all of them where not given.",
    )


@dbt_assets(
    manifest=ensure_manifest(find_home().ensure()),
    dagster_dbt_translator=_TRANSLATOR,
    name="metrics",
)
def metrics(context: dg.AssetExecutionContext, config: BuildConfig) -> Iterator[Any]:
    """Build and test what has changed, and write down whether the marts may be published."""
    home = find_home()
    tag_process(context)
    notify = notice(context.log.info)
    os.environ.update(dbt_environment(home))
    load_judges(home, judge_rows(home), ensembles_of(home), notify=notify)
    with write_lock(home, "build", notify=notify):
        # Read anew: the project may be another one than when this process began.
        manifest = json.loads(ensure_manifest(home).read_bytes())
        with build_connection(home, notify=notify) as connection:
            build = begin_build(
                connection, home.dbt_target, manifest, is_full=config.full, only=config.only
            )
        # What somebody picks by name is made again, whatever its record says.
        current = [] if context.is_subset else build.current
        for name in current:
            yield dg.MaterializeResult(
                asset_key=_TRANSLATOR.get_asset_key(manifest["nodes"][name]),
                metadata={"status": "current: nothing it is made from has changed"},
            )
        is_successful = True
        if context.is_subset or not build.is_current:
            context.log.info(
                f"{len(current)} models and seeds are current; {len(build.selected)} nodes to do"
            )
            left = [manifest["nodes"][name] for name in (*current, *sorted(build.left))]
            follower = Follower(build.selected, durations(home))
            invocation = _dbt().cli(
                [*_BUILD, *_without(left)],
                context=context,
                target_path=home.dbt_target,
                raise_on_error=False,
            )
            for event in invocation.stream():
                follower.hear(event.metadata)
                yield event
            is_successful = invocation.is_successful()
            keep_durations(home)
        with build_connection(home, notify=notify) as connection:
            audit = finish_build(connection, build, home.dbt_target)
    context.log.info(
        f"build {audit.build_id}: {audit.passed_count} of {audit.expected_count} models and tests "
        f"passed{'; ' + audit.problems if audit.problems else ''}"
    )
    if not is_successful:
        message = (
            f"build: {audit.problems or 'dbt failed'}; see {home.dbt_target / 'dbt.log'}. "
            "The version published before is untouched"
        )
        raise BuildFailed(message)


ASSETS = [metrics]
