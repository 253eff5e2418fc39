"""Transcripts: from a recording to eight speeches that wait for a person to verify them."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from inference.parliamentary.transcription.correct import MAX_WORD_ERROR_RATE
from inference.parliamentary.transcription.pipeline import (
    PIPELINE,
    Task,
    Tools,
    Transcription,
    transcript_id,
)
from inference.parliamentary.transcription.records import CORRECTED
from inference.parliamentary.transcription.segments import PAUSE_S
from inference.steps.pipeline import Outcome
from ingestion.parliamentary.transcripts.folder import read_transcript
from ingestion.parliamentary.transcripts.load import load_transcript, refuse_verified
from orchestration.assets.derived import Log, asset_of
from orchestration.commands.pipelines import Transcribe
from orchestration.progress import notice
from warehouse.home import Home


def _task(chosen: Transcribe) -> Task:
    pause_s = PAUSE_S if chosen.pause_s is None else chosen.pause_s
    most = chosen.max_word_error_rate
    return Task(
        chosen.path,
        chosen.title,
        chosen.dataset,
        chosen.motion,
        chosen.info_slide,
        chosen.transcriber,
        chosen.corrector,
        chosen.turns,
        pause_s,
        MAX_WORD_ERROR_RATE if most is None else most,
    )


def _metadata(name: str, outcome: Outcome) -> dict[str, int | float | str]:
    made = outcome.result
    facts = {
        key: value if isinstance(value, int | float | str) else ", ".join(value)
        for key, value in (made.facts if made else {}).items()
        if value
    }
    records = len(made.records) if made else 0
    return {"transcript": name, "status": outcome.status, "records": records, **facts}


def _asset(step: str, about: str) -> dg.AssetsDefinition:
    def do(home: Home, options: Transcribe, log: Log) -> Mapping[str, Any]:
        name = transcript_id(options.path)
        refuse_verified(home, name)
        tools = Tools(home.judges_file, home.prompts)
        work = Transcription(home.transcripts / name, _task(options), tools)
        outcome = PIPELINE.run_step(step, work)
        log(f"{step}: {outcome.status}")
        return _metadata(name, outcome)

    before = PIPELINE.base_of(step)
    return asset_of(
        f"transcripts/{step}", Transcribe, do, about, [f"transcripts/{before}"] if before else []
    )


def _queue(home: Home, options: Transcribe, log: Log) -> Mapping[str, Any]:
    name = transcript_id(options.path)
    report = load_transcript(home, name, notify=notice(log))
    state = read_transcript(home, name)
    reverted = [f"- {row['role']}: {row['reason']}" for row in state.segments if row["reason"]]
    return {
        "transcript": name,
        "status": str(state.row["status"]),
        "reason": state.row["reason"] or "none",
        "reverted": dg.MetadataValue.md("\n".join(reverted) or "none"),
        "changed": report.new + report.updated,
    }


ASSETS = [
    *(_asset(step.name, step.about) for step in PIPELINE.steps),
    asset_of(
        "transcripts/queued",
        Transcribe,
        _queue,
        "The transcript in the queue of those that wait for a person to verify them.",
        [f"transcripts/{CORRECTED}"],
    ),
]
