"""The steps from a recording to eight speeches, over one folder per transcript.

    about.json         what the user says of the debate
    transcribed.json   what was said, with the times
    segmented.json     the speeches it was divided into
    corrected.json     what the corrector made of them, and whether that stands
    replies/           what transcriber and corrector replied; never asked for twice

A step whose inputs are what they were is not done again. Stopped anywhere, the same command goes
on. Nothing here loads anything: that a person has verified a transcript stands beside these files,
and what reads them says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription import audio, transcript_files
from inference.parliamentary.transcription.correct import (
    MAX_WORD_ERROR_RATE,
    correct,
    load_correct_prompt,
    overall_rate,
)
from inference.parliamentary.transcription.records import Segment, Utterance
from inference.parliamentary.transcription.segments import PAUSE_S, read_turns, segment
from inference.parliamentary.transcription.steps import (
    CORRECTED,
    SEGMENTED,
    STEPS,
    TRANSCRIBED,
    StepFile,
    hash_of,
    read_step,
    write_step,
)
from inference.parliamentary.transcription.transcribe import (
    Transcriber,
    open_transcriber,
    transcribe,
)
from inference.prompt_files import Prompt
from inference.questions.curation.models import Model
from inference.whole_files import write_whole

ABOUT = "about.json"
DONE, UNCHANGED = "done", "unchanged"
# Raised with every change that makes a step do anything differently.
_VERSION = 1
_NAME_AT_MOST = 40


@dataclass(frozen=True)
class Task:
    """One debate to bring into text.

    Attributes:
        source: The recording, or the raw transcript.
        title: What the debate is called.
        dataset: The data set it is to belong to.
        motion: What is debated; None where nobody knows.
        info_slide: What all in the room were told beforehand.
        transcriber: Who listens, as `openai/whisper-1` or `local/<model>`; None for a transcript.
        corrector: Who corrects, as a judge's id; None where the raw text is to stand.
        turns: A csv file that says when each speech was held; None where the text tells.
        pause_s: From how many seconds on a silence ends a turn, where nothing else tells.
        max_word_error_rate: The largest share of changed words that a correction may have.
    """

    source: Path
    title: str
    dataset: str = "transcripts"
    motion: str | None = None
    info_slide: str | None = None
    transcriber: str | None = None
    corrector: str | None = None
    turns: Path | None = None
    pause_s: float = PAUSE_S
    max_word_error_rate: float = MAX_WORD_ERROR_RATE


@dataclass(frozen=True)
class Tools:
    """What the steps work with.

    Attributes:
        judges_file: The `judges.toml` with settings of transcriber and corrector.
        prompts_folder: The user's own prompts.
        make_transcriber: Makes the transcriber of a name.
        piece_s: How long the pieces are that a transcriber hears, in seconds.
    """

    judges_file: Path | None = None
    prompts_folder: Path | None = None
    make_transcriber: Callable[[str, Path | None], Transcriber] = field(default=open_transcriber)
    piece_s: float = audio.PIECE_S


class Outcome(NamedTuple):
    """What became of a step: `done` or `unchanged`, and what it made."""

    step: str
    status: str
    made: StepFile


def transcript_id(source: Path) -> str:
    """Return a transcript's id: its file's name and the beginning of its content's hash.

    Raises:
        TranscriptionFailed: There is no such file.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", source.stem.lower()).strip("-")[:_NAME_AT_MOST].strip("-")
    return f"{slug or 'transcript'}-{_sha256(source)[:8]}"


def write_about(folder: Path, task: Task) -> None:
    """Write what the user says of the debate.

    Raises:
        TranscriptionFailed: The task cannot be done as it is.
    """
    if not task.title.strip():
        raise TranscriptionFailed("transcripts: the debate has no title; name one with --title")
    if not 0 <= task.max_word_error_rate <= 1:
        raise TranscriptionFailed(
            f"transcripts: {task.max_word_error_rate:g} is no share of words; --max-wer takes "
            "0 to 1"
        )
    about = {
        "title": task.title.strip(),
        "dataset": task.dataset,
        "motion": (task.motion or "").strip() or None,
        "info_slide": (task.info_slide or "").strip() or None,
        "origin": task.source.name,
        "sha256": _sha256(task.source),
        "max_word_error_rate": task.max_word_error_rate if task.corrector else None,
    }
    write_whole(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


async def run_all(folder: Path, task: Task, tools: Tools | None = None) -> list[Outcome]:
    """Do every step, in order.

    Args:
        folder: The transcript's folder.
        task: What is to be done.
        tools: What the steps work with.

    Raises:
        InferenceError: A step cannot be done; those before it stay done.
    """
    return [await run_step(step, folder, task, tools) for step in STEPS]


async def run_step(step: str, folder: Path, task: Task, tools: Tools | None = None) -> Outcome:
    """Do one step, unless what goes into it is what went into it before.

    Args:
        step: One of `STEPS`; those before it must have been done.
        folder: The transcript's folder.
        task: What is to be done.
        tools: What the steps work with.

    Raises:
        InferenceError: It cannot be done.
    """
    doing = _Doing(folder, task, tools or Tools())
    if step == TRANSCRIBED:
        write_about(folder, task)
        return await doing.transcribed()
    return doing.segmented() if step == SEGMENTED else await doing.corrected()


@dataclass(frozen=True)
class _Doing:
    folder: Path
    task: Task
    tools: Tools

    async def transcribed(self) -> Outcome:
        source, name = self.task.source, self.task.transcriber
        is_recording = source.suffix.lower() in audio.SUFFIXES
        if is_recording and name is None:
            raise TranscriptionFailed(
                f"transcripts: {source} is a recording; name who listens to it, such as "
                "--transcriber openai/whisper-1 or --transcriber local/openai/whisper-tiny"
            )
        if not is_recording and source.suffix.lower() not in transcript_files.SUFFIXES:
            raise TranscriptionFailed(
                f"transcripts: {source} ends in '{source.suffix}'; recordings are "
                f"{', '.join(audio.SUFFIXES)} and transcripts "
                f"{', '.join(transcript_files.SUFFIXES)}; convert others first: "
                f"ffmpeg -i '{source.name}' -ac 1 -ar 16000 debate.wav"
            )
        transcriber = (
            self.tools.make_transcriber(name, self.tools.judges_file)
            if is_recording and name
            else None
        )
        made_with = transcriber.identity if transcriber else "the file itself"
        inputs = hash_of(_VERSION, _sha256(source), made_with, self.tools.piece_s)
        if found := self._known(TRANSCRIBED, inputs):
            return found
        if transcriber:
            replies = self.folder / "replies" / "transcriber"
            said = await transcribe(source, transcriber, replies, self.tools.piece_s)
            if not said:
                raise TranscriptionFailed(
                    f"transcripts: '{name}' heard no word in {source}; check the recording"
                )
        else:
            said = transcript_files.read_transcript(source)
        facts = {"transcriber": name if transcriber else None}
        return self._write(TRANSCRIBED, inputs, made_with, [asdict(each) for each in said], facts)

    def segmented(self) -> Outcome:
        before = self._before(TRANSCRIBED)
        turns = None if self.task.turns is None else read_turns(self.task.turns)
        inputs = hash_of(_VERSION, before.content_hash, turns, self.task.pause_s)
        if found := self._known(SEGMENTED, inputs):
            return found
        said = [Utterance(**each) for each in before.records]
        made = segment(said, turns, self.task.pause_s)
        facts = {"segmenter": made.segmenter, "reason": made.reason, "notes": list(made.notes)}
        records = [{**asdict(each), "parts": list(each.parts)} for each in made.segments]
        return self._write(SEGMENTED, inputs, made.segmenter, records, facts)

    async def corrected(self) -> Outcome:
        before, name = self._before(SEGMENTED), self.task.corrector
        limit = self.task.max_word_error_rate
        prompt: Prompt = load_correct_prompt(self.tools.prompts_folder)
        async with AsyncExitStack() as stack:
            model: Model | None = None
            made_with = "nobody"
            if name is not None:
                model = Model(name, self.tools.judges_file, temperature=0.0, top_p=1.0)
                made_with = model.identity
            asked = [made_with, prompt.prompt_hash, limit] if model else [made_with]
            inputs = hash_of(_VERSION, before.content_hash, *asked)
            if found := self._known(CORRECTED, inputs):
                return found
            if model:
                await stack.enter_async_context(model)
            segments = [
                Segment(**{**each, "parts": tuple(each["parts"])}) for each in before.records
            ]
            replies = self.folder / "replies" / "corrector"
            made = await correct(segments, model, made_with, prompt, replies, limit)
        facts = {
            "corrector": name,
            "prompt": prompt.wording if model else None,
            "word_error_rate": overall_rate(segments, made) if model else None,
        }
        return self._write(CORRECTED, inputs, made_with, [asdict(each) for each in made], facts)

    def _before(self, step: str) -> StepFile:
        found = read_step(self.folder, step)
        if found is None:
            raise TranscriptionFailed(
                f"transcripts: {self.folder.name} has no whole {step}.json, which comes first; run "
                "rostrum transcribe on its file again"
            )
        return found

    def _known(self, step: str, inputs: str) -> Outcome | None:
        found = read_step(self.folder, step)
        is_same = found is not None and found.inputs_hash == inputs
        return Outcome(step, UNCHANGED, found) if found and is_same else None

    def _write(
        self,
        step: str,
        inputs: str,
        made_with: str,
        records: list[dict[str, Any]],
        facts: dict[str, Any],
    ) -> Outcome:
        made = StepFile(step, inputs, made_with, records, facts)
        write_step(self.folder, made)
        return Outcome(step, DONE, made)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path}: {error.strerror}; check the path"
        ) from None
