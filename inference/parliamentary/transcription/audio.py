"""Recordings, read a few minutes at a time: mono, 16 kHz, cut where it is quiet.

Endpoints take 25 MB at once; ten minutes of what is sent are 19 MB. Formats: what libsndfile reads
(wav, flac, ogg, mp3). Anything else, such as a video, has to be converted first.
"""

import io
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inference.errors import TranscriptionFailed

SAMPLE_RATE = 16_000
SUFFIXES = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif")
PIECE_S = 600.0
# A piece ends at the quietest moment of its last seconds, so that no word is cut in two.
_SEEK_S = 20.0
_MOMENT_S = 0.2

Samples = NDArray[np.float32]


class Piece(NamedTuple):
    """A few minutes of a recording: mono, at `SAMPLE_RATE`, from -1 to 1."""

    start_s: float
    end_s: float
    samples: Samples

    @property
    def wav(self) -> bytes:
        """The piece as a wav file of 16 bits."""
        held = io.BytesIO()
        with wave.open(held, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE)
            file.writeframes((np.clip(self.samples, -1, 1) * 32767).astype("<i2").tobytes())
        return held.getvalue()


def pieces(path: Path, piece_s: float = PIECE_S) -> Iterator[Piece]:
    """Yield a recording piece by piece; together they are all of it.

    Raises:
        TranscriptionFailed: It cannot be read, or there is nothing in it.
    """
    # Imported here: they bring a library of C, and scipy takes its time.
    import soundfile
    from scipy.signal import resample_poly

    try:
        with soundfile.SoundFile(str(path)) as file:
            rate, total, start = int(file.samplerate), int(file.frames), 0
            if total == 0:
                raise TranscriptionFailed(
                    f"transcripts: {path} is a recording of no length; export it again"
                )
            while start < total:
                file.seek(start)
                mono = file.read(int(piece_s * rate), dtype="float32", always_2d=True).mean(axis=1)
                if not len(mono):
                    raise TranscriptionFailed(
                        f"transcripts: {path} ends after {start / rate:.0f} of the "
                        f"{total / rate:.0f} seconds it says it has; export it again"
                    )
                if start + len(mono) < total:
                    mono = mono[: _quiet_end(mono, rate)]
                common = np.gcd(rate, SAMPLE_RATE)
                samples = resample_poly(mono, SAMPLE_RATE // common, rate // common)
                yield Piece(
                    start / rate, (start + len(mono)) / rate, np.asarray(samples, np.float32)
                )
                start += len(mono)
    except (soundfile.LibsndfileError, OSError) as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path} as a recording ({error}); wav, flac, ogg and mp3 can "
            f"be read, convert others first: ffmpeg -i '{path.name}' -ac 1 -ar 16000 debate.wav"
        ) from None


def _quiet_end(mono: Samples, rate: int) -> int:
    """Return the middle of the quietest moment near the end of a piece."""
    moment = max(int(_MOMENT_S * rate), 1)
    begin = max(len(mono) - int(_SEEK_S * rate), len(mono) // 2)
    count = (len(mono) - begin) // moment
    if count < 1:
        return len(mono)
    moments = mono[begin : begin + count * moment].reshape(count, moment)
    quietest = int(np.argmin((moments.astype(np.float64) ** 2).mean(axis=1)))
    return begin + quietest * moment + moment // 2
