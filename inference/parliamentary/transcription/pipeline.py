"""The pipeline from a recording to eight speeches, over one folder per transcript.

    about.json         the debate, as the user describes it
    transcribed.json   the utterances, with the times
    segmented.json     the speeches they were divided into
    corrected.json     the corrections, and whether they stand
    replies/           replies of transcriber and corrector; never asked for twice

Nothing here loads anything: a person's verification lies in a file of its own.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription import audio, transcript_files
from inference.parliamentary.transcription.correct import (
    MAX_WORD_ERROR_RATE,
    PROMPT,
    correct,
    overall_rate,
    uncorrected,
)
from inference.parliamentary.transcription.records import (
    CORRECTED,
    SEGMENTED,
    TRANSCRIBED,
    Segment,
    Utterance,
)
from inference.parliamentary.transcription.segments import PAUSE_S, read_turns, segment
from inference.parliamentary.transcription.transcribe import (
    Transcriber,
    open_transcriber,
    transcribe,
)
from inference.steps.asking import GREEDY, Replies, open_model
from inference.steps.files import Made, StepFile, StepFiles, records_of
from inference.steps.pipeline import Pipeline, Plan, Step
from warehouse.files import sha256_file, write_atomically

ABOUT = "about.json"
_DECODING = {**GREEDY, "max_tokens": 4096}
_NAME_AT_MOST = 40
Before = Mapping[str, StepFile]


@dataclass(frozen=True)
class Task:
    """One debate to bring into text.

    Attributes:
        source: The recording, or the raw transcript.
        info_slide: What all in the room were told beforehand.
        transcriber: `openai/whisper-1` or `local/<model>`, for example; None for a transcript.
        corrector: A judge's id; None where the raw text is to stand.
        turns: A csv file with the time of each speech; None where the text tells.
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
    """Files of the steps, and the transcriber.

    Attributes:
        piece_s: Length of the pieces that a transcriber hears, in seconds.
    """

    judges_file: Path | None = None
    prompts_folder: Path | None = None
    make_transcriber: Callable[[str, Path | None], Transcriber] = field(default=open_transcriber)
    piece_s: float = audio.PIECE_S


@dataclass(frozen=True)
class Transcription:
    """A transcript to be made."""

    folder: Path
    task: Task
    tools: Tools = field(default_factory=Tools)


def transcript_id(source: Path) -> str:
    """Return a transcript's id: its file's name and the beginning of its content's hash.

    Raises:
        TranscriptionFailed: There is no such file.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", source.stem.lower()).strip("-")[:_NAME_AT_MOST].strip("-")
    return f"{slug or 'transcript'}-{_sha256(source)[:8]}"


def write_about(folder: Path, task: Task) -> None:
    """Write the user's description of the debate.

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
    write_atomically(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def _transcribed(work: Transcription, _: Before) -> Plan:
    write_about(work.folder, work.task)
    source, name = work.task.source, work.task.transcriber
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
        work.tools.make_transcriber(name, work.tools.judges_file) if is_recording and name else None
    )
    made_with = transcriber.identity if transcriber else "the file itself"

    def make() -> Made:
        if transcriber is None:
            said = transcript_files.read_transcript(source)
            return Made(said, made_with, {"transcriber": None})
        replies = work.folder / "replies" / "transcriber"
        said = transcribe(source, transcriber, replies, work.tools.piece_s)
        if not said:
            raise TranscriptionFailed(
                f"transcripts: '{name}' heard no word in {source}; check the recording"
            )
        return Made(said, made_with, {"transcriber": name})

    return Plan([_sha256(source), made_with, work.tools.piece_s], make)


def _segmented(work: Transcription, before: Before) -> Plan:
    turns = None if work.task.turns is None else read_turns(work.task.turns)

    def make() -> Made:
        said = records_of(Utterance, before[TRANSCRIBED].records)
        made = segment(said, turns, work.task.pause_s)
        facts = {"segmenter": made.segmenter, "reason": made.reason, "notes": list(made.notes)}
        return Made(made.segments, made.segmenter, facts)

    return Plan([turns, work.task.pause_s], make)


def _corrected(work: Transcription, before: Before) -> Plan:
    name, limit = work.task.corrector, work.task.max_word_error_rate
    segments = records_of(Segment, before[SEGMENTED].records)
    if name is None:
        facts = {"corrector": None, "prompt": None, "word_error_rate": None}
        return Plan(["nobody"], lambda: Made(uncorrected(segments), "nobody", facts))
    prompt = PROMPT.load(work.tools.prompts_folder)
    model = open_model(name, work.tools.judges_file, decoding=_DECODING)

    def make() -> Made:
        ask = Replies(model, work.folder / "replies" / "corrector", "corrector")
        made = correct(segments, ask, prompt, limit)
        rate = overall_rate(segments, made)
        facts = {"corrector": name, "prompt": prompt.wording, "word_error_rate": rate}
        return Made(made, model.identity, facts)

    return Plan([model.identity, prompt.prompt_hash, limit], make)


PIPELINE = Pipeline(
    who="transcripts",
    failed=TranscriptionFailed,
    not_done="{work.folder.name} has no whole {step}.json, which comes first; run rostrum "
    "transcribe on its file again",
    store=StepFiles(),
    version=1,
    steps=(
        Step(
            TRANSCRIBED,
            "What was said, with the times, as an endpoint, a local model or a file has it.",
            _transcribed,
        ),
        Step(
            SEGMENTED,
            "The eight speeches, told apart by tags, labels, times or pauses; never guessed.",
            _segmented,
            after=(TRANSCRIBED,),
        ),
        Step(
            CORRECTED,
            "Punctuation and spelling put right by a model that may not change what was said.",
            _corrected,
            after=(SEGMENTED,),
        ),
    ),
)


def _sha256(path: Path) -> str:
    try:
        return sha256_file(path)
    except OSError as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path}: {error.strerror}; check the path"
        ) from None
