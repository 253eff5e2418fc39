"""Transcripts: from a recording to eight speeches that wait for a person to verify them."""

from pathlib import Path

import dagster as dg
from pydantic import Field

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
from orchestration.instance import tag_process
from orchestration.progress import notice
from warehouse.home import find_home


class TranscriptConfig(dg.Config):
    """What is transcribed, and with what."""

    path: str = Field(
        description="The recording (wav, flac, ogg, mp3) or transcript (txt, srt, vtt)."
    )
    title: str = Field(description="What the debate is called.")
    dataset: str = Field(default="transcripts", description="Data set it is to belong to.")
    motion: str | None = Field(default=None, description="What is debated.")
    info_slide: str | None = Field(
        default=None, description="What all in the room were told beforehand."
    )
    transcriber: str | None = Field(
        default=None,
        description="Who listens to a recording: openai/whisper-1, another endpoint, local/MODEL.",
    )
    corrector: str | None = Field(
        default=None, description="Who corrects, as provider/model; the raw text stands if absent."
    )
    turns: str | None = Field(
        default=None, description="A csv file with role, start_s, end_s: when each speech was held."
    )
    pause_s: float = Field(
        default=PAUSE_S,
        gt=0,
        description="From how many seconds on a silence ends a turn, where nothing else tells.",
    )
    max_word_error_rate: float = Field(
        default=MAX_WORD_ERROR_RATE,
        ge=0,
        le=1,
        description="Largest share of words that a correction may change.",
    )

    @property
    def task(self) -> Task:
        """The same, with paths."""
        turns = None if self.turns is None else Path(self.turns).expanduser()
        return Task(
            Path(self.path).expanduser(),
            self.title,
            self.dataset,
            self.motion,
            self.info_slide,
            self.transcriber,
            self.corrector,
            turns,
            self.pause_s,
            self.max_word_error_rate,
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
        context: dg.AssetExecutionContext, config: TranscriptConfig
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        home = find_home().ensure()
        name = transcript_id(config.task.source)
        refuse_verified(home, name)
        tools = Tools(home.judges_file, home.prompts)
        work = Transcription(home.transcripts / name, config.task, tools)
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
    context: dg.AssetExecutionContext, config: TranscriptConfig
) -> dg.MaterializeResult[None]:
    """Load the transcript as it stands."""
    tag_process(context)
    home = find_home().ensure()
    name = transcript_id(config.task.source)
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
