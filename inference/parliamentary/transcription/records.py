"""What passes from one step of a transcription to the next."""

from dataclasses import dataclass

# The steps, each of which has a file of its name.
STEPS = TRANSCRIBED, SEGMENTED, CORRECTED = ("transcribed", "segmented", "corrected")
KEPT, REVERTED, RAW = "kept", "reverted", "raw"


@dataclass(frozen=True)
class Utterance:
    """A stretch of speech as the transcriber, or the file, has it.

    Attributes:
        text: What was said.
        start_s: Seconds into the recording at which it begins; None if it is unknown.
        speaker: Who speaks, as the file labels it.
        role: Which of the eight speeches it is of, where a tag or a label says so.
    """

    text: str
    start_s: float | None = None
    end_s: float | None = None
    speaker: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Segment:
    """One speech, or what is thought to be one.

    Attributes:
        position: Its place, from 1.
        role: Which of the eight speeches; None where nobody can say.
        speaker: Who speaks, as the file labels it.
        start_s: Seconds into the recording at which it begins.
        parts: Its raw text in parts of a few hundred words, cut where an utterance ends if one
            does.
        joiner: What stands between two parts: a space, or the end of a line.
    """

    position: int
    role: str | None
    speaker: str | None
    start_s: float | None
    end_s: float | None
    parts: tuple[str, ...]
    joiner: str = " "

    @property
    def raw_text(self) -> str:
        """The text before any correction."""
        return self.joiner.join(self.parts)


@dataclass(frozen=True)
class Correction:
    """What the corrector made of one segment, and whether it stands.

    Attributes:
        position: The segment.
        status: `kept`, `reverted` to the raw text, or `raw` where nobody corrected.
        corrected_text: The correction that stands; None where the raw text does.
        word_error_rate: Words the corrector changed, left out or put in, per word of the raw text;
            of what it wrote, kept or not. None where nobody corrected or there is no word.
        changed_words: The same, as a count.
        reason: Why it was reverted; None otherwise.
    """

    position: int
    status: str
    corrected_text: str | None = None
    word_error_rate: float | None = None
    changed_words: int | None = None
    reason: str | None = None
