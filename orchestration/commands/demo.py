"""The demo: from nothing to a served warehouse, without a key, a model or a download."""

from contextlib import suppress
from importlib.metadata import version
from threading import Thread

from orchestration.console import Say
from orchestration.errors import OrchestrationError
from orchestration.registry import (
    ANSWER_JUDGES,
    ANSWERING_MODELS,
    DEBATE_JUDGES,
    EVALUATORS,
    OVERSIGHT_JUDGES,
    PARLIAMENTARY_JUDGES,
    PRESSED_JUDGES,
    SPEAKERS,
    SPEECH_JUDGES,
    STORY_DEBATERS,
)
from warehouse.audit import project_hash
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import current_version, run_query

# What is asked of whom about which part of the sample.
EXPERIMENTS = (
    # First the speeches that models write, then what judges make of all there are.
    ("speech-writing", SPEAKERS, "sample"),
    ("speech-score", SPEECH_JUDGES, "sample"),
    ("speech-score-justified", SPEECH_JUDGES, "sample"),
    ("debate-winner", DEBATE_JUDGES, "sample-debates"),
    # First the verdicts, then what becomes of them under pressure.
    ("debate-pressure", PRESSED_JUDGES, "sample-debates"),
    ("debate-pressure-debater", PRESSED_JUDGES, "sample-debates"),
    # First the answers, then what judges and evaluators make of them.
    ("debatable-answers-prompts", ANSWERING_MODELS, "sample-questions"),
    ("dispute-awareness", ANSWER_JUDGES, "sample-questions"),
    ("perspective-diversity", EVALUATORS, "sample-questions"),
    ("bp-adjudication", PARLIAMENTARY_JUDGES, "sample-parliamentary"),
    # First the debates, then what judges make of them.
    ("story-debate", STORY_DEBATERS, "sample-stories"),
    ("story-consultancy", STORY_DEBATERS, "sample-stories"),
    ("story-baselines", OVERSIGHT_JUDGES, "sample-stories"),
    ("story-judgement", OVERSIGHT_JUDGES, "sample-stories"),
    ("story-judgement-steps", OVERSIGHT_JUDGES, "sample-stories"),
)
# Who debates whom about the stories, for ratings.
TOURNAMENT = "sample-tournament"
# What people have labelled at random: the data set, and how many of its items.
SAMPLES = (("sample", 40), ("sample-debates", 90), ("sample-debate-log", 200))
# Frozen speeches, and who judges them wave by wave: a judge whose next version is harsher.
_ANCHORS = "sample-anchors"
_WAVES = (("first", "simulated/faithful"), ("second", "simulated/harsh"))


def is_current(home: Home) -> bool:
    """Whether what is published was built by this code."""
    try:
        current = current_version(home)
    except NothingPublished:
        return False
    built = run_query(current, "select code_version, project_hash from publication").rows[0]
    return bool(built == (version("rostrum"), project_hash()))


def fill(home: Home, say: Say) -> None:
    """Load the sample, judge it offline, build and publish."""
    # Dagster takes seconds to import; a second demo does without.
    from inference.anchors import list_sets
    from ingestion.sample.speeches import SOURCES
    from orchestration.assets.model_runs import judge_in_series
    from orchestration.commands.build import build
    from orchestration.commands.ingest import Sample
    from orchestration.commands.pipelines import KeyPoints
    from orchestration.commands.run_commands import AnchorMake, AnchorRun, Tournament
    from orchestration.commands.sample import DrawSample
    from orchestration.execute import execute_job

    say(f"home: {home.root}")
    # dbt reads the project on one processor while judges answer on another. Whatever goes wrong
    # there the build meets again, and says so.
    parsing = Thread(target=_parse, args=(home,), daemon=True)
    parsing.start()
    say("[1/6] loading the bundled sample (written for this project, not real data)")
    Sample().load_and_say(home, _quiet)
    count = sum(len(judges) for _, judges, _ in EXPERIMENTS)
    say(f"[2/6] {len(EXPERIMENTS)} experiments, {count} runs of offline judges")
    series = [
        {"experiment": experiment, "judges": list(judges), "datasets": [dataset]}
        for experiment, judges, dataset in EXPERIMENTS
    ]
    config = {"series": {"experiments": series}}
    execute_job(home, judge_in_series, config, lambda line: say(f"  {line}"))
    say(f"[3/6] {TOURNAMENT}: debaters meet each other")
    Tournament(name=TOURNAMENT).hold(home, _quiet)
    say("[4/6] key points in the judges' reasons")
    key_points = KeyPoints(name="sample", dataset="sample", rephraser="rules", polarity="rules")
    key_points.analyse(home, _quiet)
    say("[5/6] random samples of the people's labels, and a judge asked again in a later version")
    for dataset, size in SAMPLES:
        # People rated no speech that a model writes for the demo.
        sources = sorted(SOURCES.values()) if dataset == "sample" else []
        DrawSample(name=dataset, size=size, sources=sources, labels="people", seed=7).draw(
            home, _quiet
        )
    # A demo of later code over an earlier home finds its set frozen.
    if _ANCHORS not in list_sets(home.anchors):
        AnchorMake(name=_ANCHORS, experiment="speech-score", dataset="sample", size=60).run(
            home, _quiet
        )
    for wave, judge in _WAVES:
        first = _WAVES[0][1]
        AnchorRun(name=_ANCHORS, judge=judge, wave=wave, succeeds=first, build=False).run(
            home, _quiet
        )
    say("[6/6] building, testing and publishing the warehouse")
    parsing.join()
    build(home, say)


def _parse(home: Home) -> None:
    from orchestration.builds.dbt import ensure_manifest

    with suppress(OrchestrationError, OSError):
        ensure_manifest(home)


def _quiet(_: str) -> None:
    pass
