"""Transcripts: from a recording to eight speeches that wait for a person to verify them."""

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
from inference.steps.files import StepFile
from inference.steps.pipeline import Outcome
from ingestion.parliamentary.transcripts.folder import read_transcript
from ingestion.parliamentary.transcripts.load import load_transcript, refuse_verified
from orchestration.commands.pipelines import Transcribe
from orchestration.instance import tag_process
from orchestration.operation import config_of
from orchestration.progress import notice
from warehouse.home import find_home

CONFIG = config_of(Transcribe)


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


def _metadata(name: str, outcome: Outcome[StepFile]) -> dict[str, int | float | str]:
    made = outcome.result
    facts = {
        key: value if isinstance(value, int | float | str) else ", ".join(value)
        for key, value in (made.facts if made else {}).items()
        if value
    }
    records = len(made.records) if made else 0
    return {"transcript": name, "status": outcome.status, "records": records, **facts}


def _asset(step: str, about: str) -> dg.AssetsDefinition:
    after = PIPELINE.base_of(step)

    @dg.asset(
        key=["transcripts", step],
        group_name="transcripts",
        deps=[dg.AssetKey(["transcripts", after])] if after else [],
        description=about,
    )
    def made(
        context: dg.AssetExecutionContext,
        config: CONFIG,  # type: ignore[valid-type]
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        home = find_home().ensure()
        task = _task(Transcribe.of(config))
        name = transcript_id(task.source)
        refuse_verified(home, name)
        tools = Tools(home.judges_file, home.prompts)
        work = Transcription(home.transcripts / name, task, tools)
        outcome = PIPELINE.run_step(step, work)
        context.log.info(f"{step}: {outcome.status}")
        return dg.MaterializeResult(metadata=_metadata(name, outcome))

    return made


@dg.asset(
    key=["transcripts", "queued"],
    group_name="transcripts",
    deps=[dg.AssetKey(["transcripts", CORRECTED])],
    description="The transcript in the queue of those that wait for a person to verify them.",
)
def queued(
    context: dg.AssetExecutionContext,
    config: CONFIG,  # type: ignore[valid-type]
) -> dg.MaterializeResult[None]:
    """Load the transcript as it stands."""
    tag_process(context)
    home = find_home().ensure()
    name = transcript_id(Transcribe.of(config).path)
    report = load_transcript(home, name, notify=notice(context.log.info))
    state = read_transcript(home, name)
    reverted = [f"{row['role']}: {row['reason']}" for row in state.segments if row["reason"]]
    return dg.MaterializeResult(
        metadata={
            "transcript": name,
            "status": str(state.row["status"]),
            "reason": state.row["reason"] or "none",
            "reverted": dg.MetadataValue.md("\n".join(f"- {each}" for each in reverted) or "none"),
            "changed": report.new + report.updated,
        }
    )


ASSETS = [*(_asset(step.name, step.about) for step in PIPELINE.steps), queued]
