"""Judges, ensembles and experiments of a home's own files, and their partitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from inference.errors import InferenceError
from inference.experiments import list_experiments, load_experiment
from inference.registry import JudgeSpec, add_judge_text, load_judges, spec_for
from inference.toml_text import toml_of
from orchestration.errors import BadEnsembles
from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.records.core import JudgeRow

if TYPE_CHECKING:
    import dagster as dg
    import duckdb

# The partitions of runs: an experiment and a judge that judges what it asks about.
PAIRS = "experiment_with_judge"
# What a new home can run at once, without a key.
SPEECH_JUDGES = (
    "rule/constant-4",
    "rule/length",
    "simulated/careless",
    "simulated/coin",
    "simulated/faithful",
    "simulated/harsh",
    "simulated/noisy",
)
DEBATE_JUDGES = (
    "rule/concluding-side",
    "rule/longer-side",
    "simulated/closing-side",
    "simulated/fair",
    "simulated/second-position",
)
# Of those, whose verdicts are put under pressure.
PRESSED_JUDGES = ("simulated/fair",)
ANSWERING_MODELS = ("simulated/even-handed", "simulated/one-sided", "simulated/padded")
ANSWER_JUDGES = ("rule/acknowledge", "simulated/attentive")
EVALUATORS = ("rule/cache-model",)
PARLIAMENTARY_JUDGES = (
    "rule/speaking-order",
    "simulated/chair",
    "simulated/flat",
    "simulated/opening-house",
    "simulated/wing",
)
DEBATING_MODELS = (
    "simulated/debater-conceding",
    "simulated/debater-misquoting",
    "simulated/debater-strong",
    "simulated/debater-weak",
)
# Of those, who argue in the demo.
STORY_DEBATERS = ("simulated/debater-strong", "simulated/debater-weak")
OVERSIGHT_JUDGES = (
    "simulated/oversight-calibrated",
    "simulated/oversight-credulous",
    "simulated/oversight-first",
    "simulated/oversight-verbose",
)
# Models that write speeches: one too long, one that does not always do it.
SPEAKERS = ("simulated/speaker-long-winded", "simulated/speaker-reluctant")
DEFAULT_JUDGES = (
    *SPEECH_JUDGES,
    *DEBATE_JUDGES,
    *ANSWERING_MODELS,
    *ANSWER_JUDGES,
    *EVALUATORS,
    *PARLIAMENTARY_JUDGES,
    *DEBATING_MODELS,
    *OVERSIGHT_JUDGES,
    *SPEAKERS,
)
# Made up, so that the reports on sizes and on judges of a speaker's own family have rows: families,
# and billions of parameters that grow with how well these judges follow people.
_FAMILIES: Mapping[str, tuple[str, float | None]] = {
    "rule/constant-4": ("rule", None),
    "rule/length": ("rule", None),
    "simulated/coin": ("simulated", 1.0),
    "simulated/noisy": ("simulated", 3.0),
    "simulated/careless": ("simulated", 8.0),
    "simulated/faithful": ("simulated", 30.0),
    "simulated/harsh": ("simulated", 100.0),
    "simulated/speaker-long-winded": ("simulated", 8.0),
}
_DEFAULT_ENSEMBLES = """\
# Named sets of judges. An ensemble's score is the mean of its members' scores, rounded half
# to even, and missing where a member has none. It is reported as the judge ensemble/NAME.

[simulated-panel]
judges = ["simulated/faithful", "simulated/harsh", "simulated/noisy"]
"""


def ensure_registry(home: Home) -> None:
    """Give a new home its first judges and ensembles; an existing one keeps its own."""
    if not home.judges_file.exists():
        text = ""
        for judge_id in DEFAULT_JUDGES:
            family, size = _FAMILIES.get(judge_id, (None, None))
            text = add_judge_text(text, judge_id, {}, family=family, size_b_params=size)
        write_atomically(home.judges_file, text.encode())
    if not home.ensembles_file.exists():
        write_atomically(home.ensembles_file, _DEFAULT_ENSEMBLES.encode())


def add_judge(home: Home, judge_id: str, settings: dict[str, Any], **about: Any) -> JudgeSpec:
    """Add a judge to `judges.toml`."""
    text = home.judges_file.read_text(encoding="utf-8") if home.judges_file.exists() else ""
    changed = add_judge_text(text, judge_id, settings, **about)
    if changed != text:
        write_atomically(home.judges_file, changed.encode())
    return spec_for(judge_id, home.judges_file)


def ensure_judge(home: Home, judge_id: str) -> JudgeSpec:
    """Return a judge as `judges.toml` has it; one it does not name is added with its defaults."""
    if any(spec.judge_id == judge_id for spec in load_judges(home.judges_file)):
        return spec_for(judge_id, home.judges_file)
    return add_judge(home, judge_id, {})


def pair_of(experiment: str, judge_id: str) -> str:
    """Return the name of a run's partition."""
    return f"{experiment}|{judge_id}"


def pairs_of(home: Home) -> list[str]:
    """Return every experiment, the user's own among them, with each judge that can be asked it.

    Experiments that others have taken the place of are left out, and such whose file is wrong.
    """
    judges = load_judges(home.judges_file)
    pairs = []
    for name in list_experiments([home.experiments]):
        try:
            kind = load_experiment(name, [home.experiments]).kind
        except InferenceError:
            # Whoever runs it is told.
            continue
        pairs += [pair_of(name, spec.judge_id) for spec in judges if kind in spec.kinds]
    return pairs


def sync_partitions(home: Home, instance: dg.DagsterInstance, *more: str) -> None:
    """Make every pair of the home a partition that can be picked."""
    known = set(instance.get_dynamic_partitions(PAIRS))
    wanted = dict.fromkeys((*pairs_of(home), *more))
    if missing := [name for name in wanted if name not in known]:
        instance.add_dynamic_partitions(PAIRS, missing)


def judge_rows(home: Home) -> list[JudgeRow]:
    """Return every judge of `judges.toml` as a row of `raw.judges`."""
    return [
        JudgeRow(
            judge_id=spec.judge_id,
            provider=spec.provider,
            model=spec.model,
            family=spec.family,
            size_b_params=spec.size_b_params,
            settings=json.dumps(dict(spec.settings), sort_keys=True),
            settings_hash=spec.settings_hash,
        )
        for spec in load_judges(home.judges_file)
    ]


def ensembles_of(home: Home) -> dict[str, tuple[str, ...]]:
    """Return every ensemble of `ensembles.toml` with its members, sorted."""
    path = home.ensembles_file
    if not path.exists():
        return {}
    try:
        tables = toml_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadEnsembles(f"ensembles: {path} is not TOML: {error}") from error
    ensembles = {}
    for name, table in tables.items():
        members = table.get("judges") if isinstance(table, dict) else None
        if (
            not isinstance(members, list)
            or len({str(member) for member in members}) < 2
            or not all(isinstance(member, str) and "/" in member for member in members)
        ):
            message = (
                f'ensembles: [{name}] in {path} needs judges = ["provider/model", …] with at '
                "least two judges"
            )
            raise BadEnsembles(message)
        ensembles[name] = tuple(sorted(set(members)))
    return ensembles


def judges_are_loaded(home: Home, connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether raw has what the settings files say of judges and ensembles."""
    names = [each.name for each in fields(JudgeRow)]
    judges = set(connection.execute(f"select {', '.join(names)} from raw.judges").fetchall())
    members = connection.execute("select ensemble, judge_id from raw.ensembles").fetchall()
    wanted = {(name, judge) for name, each in ensembles_of(home).items() for judge in each}
    return set(map(astuple, judge_rows(home))) <= judges and set(members) == wanted
