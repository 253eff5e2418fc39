"""A recording's words with their times, by an endpoint or a model on this machine.

Both are named as judges are: `openai/whisper-1` (or any endpoint that speaks the same language,
with `base_url` in `judges.toml`) and `local/openai/whisper-tiny`. A recording is sent in pieces,
and the reply to each piece is kept as it comes: what was transcribed is never paid for twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from inference.errors import BadSettings, TranscriptionFailed
from inference.judges.base import OfflineJudge, Reply
from inference.judges.endpoint import LONGEST_ERROR, Endpoint
from inference.judges.request import Request
from inference.local.models import fingerprint, model_folder
from inference.parliamentary.transcription.audio import PIECE_S, SAMPLE_RATE, Piece, pieces
from inference.parliamentary.transcription.records import Utterance
from inference.registry import JudgeSpec, spec_for
from inference.steps.asking import Model, Replies
from warehouse.records.problems import problem_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class Transcriber(Protocol):
    """Turns a piece of a recording into words."""

    @property
    def spec(self) -> JudgeSpec:
        """Its definition."""

    @property
    def identity(self) -> str:
        """All that decides its words besides the recording."""

    async def hear(self, piece: Piece) -> str:
        """Return a JSON object with `segments`, each with `start`, `end` and `text` in the piece.

        Raises:
            InferenceError: There is none now; the same again may help.
        """


def open_transcriber(
    name: str, judges_file: Path | None = None, environ: Mapping[str, str] | None = None
) -> Transcriber:
    """Return a transcriber by its name: `local/<model>`, or an endpoint's id.

    Raises:
        UnknownJudge: The name cannot be used.
        BadSettings: Its provider transcribes nothing.
        MissingKey: The variable with its key is not set.
        ModelUnavailable: It names a folder that is not there.
    """
    spec = spec_for(name, judges_file, environ)
    if spec.provider == "local":
        return LocalTranscriber(spec)
    if spec.provider == "batch" or "base_url" not in spec.settings:
        raise BadSettings(
            f"transcripts: '{name}' cannot transcribe; use local/<model>, such as "
            "local/openai/whisper-tiny, or an endpoint such as openai/whisper-1"
        )
    return EndpointTranscriber(spec, environ)


class _Hearing(OfflineJudge):
    """Transcriber as a judge of the runner, which it asks about one piece at a time."""

    concurrency = 1

    def __init__(self, transcriber: Transcriber) -> None:
        self._transcriber = transcriber
        self.piece: Piece | None = None

    async def ask(self, request: Request) -> Reply:  # noqa: ARG002
        """Transcribe the piece; a reply that cannot be read is an error, so that none is kept."""
        assert self.piece is not None  # noqa: S101
        reply = await self._transcriber.hear(self.piece)
        _read(reply, self.piece)
        return Reply(reply)


def transcribe(
    path: Path, transcriber: Transcriber, replies: Path, piece_s: float = PIECE_S
) -> list[Utterance]:
    """Return the utterances of a recording, with the times; replies lie in a folder.

    Raises:
        InferenceError: A piece cannot be transcribed; those before it are kept.
    """
    judge, found = _Hearing(transcriber), list[Utterance]()
    ask = Replies(Model(transcriber.spec, judge, transcriber.identity, {}), replies, "transcriber")
    for piece in pieces(path, piece_s):
        judge.piece = piece
        (reply,) = ask([f"{hashlib.sha256(piece.wav).hexdigest()} from {piece.start_s:.3f} s"])
        found += _read(reply.text, piece)
    return found


class EndpointTranscriber:
    """A model behind a Whisper-compatible endpoint, asked for segments with times.

    Raises:
        MissingKey: The variable that should hold the key is not set.
    """

    def __init__(self, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        self.spec = spec
        self._endpoint = Endpoint("transcripts", spec, environ)

    @property
    def identity(self) -> str:
        """The model, the endpoint and the settings."""
        return f"{self.spec.judge_id} {self.spec.settings_hash}"

    async def hear(self, piece: Piece) -> str:
        """Send one piece and return the reply as it came, without the key."""

        async def call(client: AsyncOpenAI) -> str:
            reply = await client.audio.transcriptions.with_raw_response.create(
                file=("piece.wav", piece.wav, "audio/wav"),
                model=self.spec.model,
                response_format="verbose_json",
                timestamp_granularities=["segment"],
                temperature=0,
            )
            return str(reply.text)

        return await self._endpoint.ask(call, partial(self._failed, piece))

    def _failed(self, piece: Piece, words: str) -> TranscriptionFailed:
        return TranscriptionFailed(
            f"transcripts: '{self.spec.judge_id}' at {self._endpoint.url} did not transcribe "
            f"{piece.start_s:.0f} to {piece.end_s:.0f} s: {words}; check the model (it must give "
            "segments with times, as whisper-1 does) and do the same again, it goes on from what "
            "is kept"
        )


class LocalTranscriber:
    """A sequence-to-sequence speech model of transformers, such as Whisper's, on this machine.

    Raises:
        ModelUnavailable: It names a folder that is not there.
    """

    def __init__(self, spec: JudgeSpec) -> None:
        self.spec = spec
        self._folder = model_folder(spec.model)
        self._pipeline: Any = None

    @property
    def identity(self) -> str:
        """The model, its settings, and what is in its folder."""
        files = "" if self._folder is None else fingerprint(self._folder)
        return f"{self.spec.judge_id} {self.spec.settings_hash} {files}".rstrip()

    async def hear(self, piece: Piece) -> str:
        """Transcribe one piece; the model is loaded with the first.

        Raises:
            ModelUnavailable: The model cannot be loaded.
        """
        return await asyncio.to_thread(self._hear, piece)

    def _hear(self, piece: Piece) -> str:
        if self._pipeline is None:
            self._pipeline = _speech_pipeline(self.spec)
        said = self._pipeline(
            {"raw": piece.samples, "sampling_rate": SAMPLE_RATE}, return_timestamps=True
        )
        whole = piece.end_s - piece.start_s
        segments = []
        for each in said["chunks"]:
            start, end = each["timestamp"]
            start = start or 0.0
            # The model leaves the end open where the recording ends within a word.
            end = max(start, whole) if end is None else end
            segments.append({"start": start, "end": end, "text": each["text"]})
        return json.dumps({"segments": segments})


def _speech_pipeline(spec: JudgeSpec) -> Any:
    # Imported here: they take seconds to load, and are not always there.
    from inference.local.models import load_feature_extractor, load_model, load_tokenizer

    model = load_model(spec, "AutoModelForSpeechSeq2Seq")
    tokenizer, features = load_tokenizer(spec), load_feature_extractor(spec)
    import transformers

    return transformers.pipeline(
        "automatic-speech-recognition",
        model=model,
        tokenizer=tokenizer,
        feature_extractor=features,
        device=model.device,
    )


class _HeardSegment(BaseModel):
    start: float = Field(ge=0, allow_inf_nan=False)
    end: float = Field(ge=0, allow_inf_nan=False)
    text: str

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.end < self.start:
            raise ValueError("the segment ends before it begins")
        return self


class _HeardReply(BaseModel):
    segments: list[_HeardSegment]


def _read(reply: str, piece: Piece) -> list[Utterance]:
    """Return the utterances of a reply, their times those of the whole recording."""
    try:
        heard = _HeardReply.model_validate_json(reply).segments
    except ValidationError as error:
        who = f"transcripts: the reply to {piece.start_s:.0f} to {piece.end_s:.0f} s"
        step = f"use a model that gives segments with times: {reply[:LONGEST_ERROR]}"
        raise TranscriptionFailed(problem_of(error, who, step)) from None
    return [
        Utterance(
            " ".join(each.text.split()),
            round(min(piece.start_s + each.start, piece.end_s), 3),
            round(min(piece.start_s + each.end, piece.end_s), 3),
        )
        for each in heard
        if each.text.strip()
    ]
