"""The stages faults are tried on: what the assets call, without the seconds Dagster takes.

Each takes a home, the folder of input files, and where messages to the user go.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.registry import add_judge_text, load_judges, spec_for
from inference.runner import run
from inference.speeches.keypoints import pipeline as key_points
from ingestion import journals, judge_tables
from ingestion.imports import import_file
from ingestion.ingest import ingest
from orchestration import cli
from tests.inference.step_models import RuleModel
from warehouse.audit import Build, begin_build, finish_build
from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.publish import publish
from warehouse.records.core import JudgeRow
from warehouse.writer import build_connection, open_writer, write_lock

Say = Callable[[str], None]
JUDGES = ("rule/length", "simulated/noisy")
_MARTS = {
    "fct_score": "select * exclude (_loaded_at, answered_at, latency_s) from raw.scores",
    "rpt_mean": "select item_id, avg(value order by annotator_id) as mean_value, count(*) as n "
    "from raw.human_ratings group by item_id",
}
_READS = {"fct_score": "scores", "rpt_mean": "human_ratings"}
_MANIFEST = {
    "nodes": {
        f"model.rostrum.{name}": {
            "unique_id": f"model.rostrum.{name}",
            "resource_type": "model",
            "schema": "marts",
            "name": name,
            "description": f"What is in {name}.",
            "depends_on": {"nodes": [f"source.rostrum.raw.{read}"]},
        }
        for name, read in _READS.items()
    },
    "sources": {
        f"source.rostrum.raw.{read}": {"schema": "raw", "name": read} for read in _READS.values()
    },
}


def ingest_first(home: Home, inputs: Path, say: Say) -> None:
    ingest(home, "speeches", inputs / "first" / "speeches.csv", notify=say)


def ingest_changed(home: Home, inputs: Path, say: Say) -> None:
    ingest(home, "speeches", inputs / "changed" / "speeches.csv", notify=say)


def import_first(home: Home, inputs: Path, say: Say) -> None:
    import_file(home, inputs / "first" / "scores.csv", notify=say)


def import_changed(home: Home, inputs: Path, say: Say) -> None:
    import_file(home, inputs / "changed" / "scores.csv", notify=say)


def run_judges(home: Home, inputs: Path, say: Say) -> None:
    for judge_id in JUDGES:
        text = home.judges_file.read_text() if home.judges_file.exists() else ""
        changed = add_judge_text(text, judge_id, {})
        if changed != text:
            write_atomically(home.judges_file, changed.encode())
        run(
            load_experiment("speech-score", [home.experiments]),
            spec_for(judge_id, home.judges_file),
            find_item_sources(home.items),
            journal_root=home.journal,
            prompts_folder=home.prompts,
        )


def analyse(home: Home, inputs: Path, say: Say) -> None:
    """Find the key points of made-up reasons, with a model that replies by a rule."""
    reasons = [
        f"The {noun} of part {number} is {word}."
        for number, noun in enumerate(["structure", "evidence"] * 10)
        for word in ("clear", "poor")
    ]
    rows = [
        {
            "judge_id": "rule/length",
            "item_id": f"speeches:{number}",
            "request_id": f"request-{number}",
            "run_id": "run",
            "sample": 0,
            "motion": "We should try",
            "response": f"<scratchpad>{text}</scratchpad><score>3</score>",
        }
        for number, text in enumerate(reasons)
    ]
    key_points.open_model = lambda *_: RuleModel(
        lambda prompt: (
            "<result>\n1: pro\n</result>"
            if "neutral" in prompt
            else f"<result>\n{next(each for each in reasons if each in prompt)}\n</result>"
        )
    )
    task = key_points.Task("faults", "speeches", "t", rephraser="a/b", polarity_by="a/b")
    tools = key_points.Tools(home.key_points / "replies")
    work = key_points.Analysis(home.key_points / task.name, task, tools, rows)
    key_points.PIPELINE.run_all(work)


def load_journals(home: Home, inputs: Path, say: Say) -> None:
    journals.load_journals(home, notify=say)


def build(home: Home, inputs: Path, say: Say) -> None:
    """What the asset `metrics` does, with a few statements in the place of dbt."""
    rows = [
        JudgeRow(spec.judge_id, spec.provider, spec.model, settings="{}", settings_hash="0")
        for spec in load_judges(home.judges_file)
    ]
    judge_tables.load_judges(home, rows, {"panel": JUDGES}, notify=say)
    with write_lock(home, "build", notify=say):
        with build_connection(home, notify=say) as connection:
            started = begin_build(connection, home.dbt_target, _MANIFEST)
        if not started.is_current:
            with build_connection(home, notify=say) as connection:
                _stand_in_for_dbt(home, connection, started)
        with build_connection(home, notify=say) as connection:
            finish_build(connection, started, home.dbt_target)


def _stand_in_for_dbt(home: Home, connection: Any, started: Build) -> None:
    connection.execute("create schema if not exists marts")
    changed = [name for name in _MARTS if f"model.rostrum.{name}" not in started.current]
    for name in changed:
        connection.execute(f"create or replace table marts.{name} as {_MARTS[name]}")
    metadata = {"invocation_id": f"build-{started.build_id}"}
    results = [{"unique_id": f"model.rostrum.{name}", "status": "success"} for name in changed]
    home.dbt_target.mkdir(exist_ok=True)
    # As dbt writes them: not atomically.
    (home.dbt_target / "manifest.json").write_text(json.dumps(_MANIFEST))
    (home.dbt_target / "run_results.json").write_text(
        json.dumps({"metadata": metadata, "results": results})
    )


def publish_build(home: Home, inputs: Path, say: Say) -> None:
    publish(home, code_version="0", notify=say)


def hold(home: Home, inputs: Path, say: Say) -> None:
    """Hold the writer lock until the file `release` lies beside the home."""
    with open_writer(home, "a test that holds on"):
        (home.root.parent / "held").touch()
        while home.root.exists() and not (home.root.parent / "release").exists():
            time.sleep(0.02)


def rostrum(home: Home, inputs: Path, say: Say) -> None:
    """Run a whole command; its arguments are in `ROSTRUM_TEST_COMMAND`."""
    cli.main(["--home", str(home.root), *json.loads(os.environ["ROSTRUM_TEST_COMMAND"])])


STAGES: dict[str, Callable[[Home, Path, Say], None]] = {
    stage.__name__: stage
    for stage in (
        ingest_first,
        ingest_changed,
        import_first,
        import_changed,
        run_judges,
        analyse,
        load_journals,
        build,
        publish_build,
        hold,
        rostrum,
    )
}
