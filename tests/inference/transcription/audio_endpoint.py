"""Recordings made of tones, and an endpoint that hears what a test wants it to."""

import email
import email.policy
import io
import json
import wave
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np

from inference.parliamentary.transcription.audio import Piece
from inference.registry import spec_for
from tests.inference.endpoint import Endpoint, Sent

RATE = 8_000


def tones(path: Path, seconds: list[float], rest_s: float = 1.0, channels: int = 1) -> Path:
    parts = []
    for length in seconds:
        time = np.arange(int(length * RATE)) / RATE
        parts += [0.5 * np.sin(2 * np.pi * 440 * time), np.zeros(int(rest_s * RATE))]
    samples = (np.concatenate(parts) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.repeat(samples, channels).tobytes())
    return path


def segments(*said: tuple[float, float, str]) -> str:
    return json.dumps(
        {"segments": [{"start": a, "end": b, "text": text, "id": 0} for a, b, text in said]}
    )


class Heard:
    identity = "heard 1"
    spec = spec_for("openai/whisper-1", None, {})

    def __init__(self, say: Callable[[Piece, int], str] | None = None) -> None:
        self.pieces: list[Piece] = []
        self._say = say or (
            lambda piece, number: segments((0, piece.end_s - piece.start_s, f"piece {number}"))
        )

    async def hear(self, piece: Piece) -> str:
        self.pieces.append(piece)
        return self._say(piece, len(self.pieces))


class AudioStub(Endpoint):
    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.react: Callable[[int], tuple[int, str]] = lambda number: (200, segments((0, 1, "a")))
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        kind = f"Content-Type: {handler.headers['Content-Type']}\r\n\r\n".encode()
        form = email.message_from_bytes(kind + data, policy=email.policy.HTTP)
        fields: dict[str, Any] = {"key": handler.headers["Authorization"], "to": handler.path}
        for part in form.iter_parts():
            name = part.get_param("name", header="content-disposition")
            fields[str(name)] = part.get_payload(decode=True)
        self.asked.append(fields)
        status, text = self.react(len(self.asked))
        return status, {}, text.encode()


def read_wav(data: bytes) -> tuple[int, int]:
    with wave.open(io.BytesIO(data)) as file:
        return file.getframerate(), file.getnframes()
