"""Records of a transcription, which pass from one step to the next."""

from dataclasses import dataclass

# The steps, each of which has a file of its name.
STEPS = TRANSCRIBED, SEGMENTED, CORRECTED = ("transcribed", "segmented", "corrected")
KEPT, REVERTED, RAW = "kept", "reverted", "raw"


@dataclass(frozen=True)
class Utterance:
    """A stretch of speech as the transcriber, or the file, has it.

    Attributes:
        speaker: The speaker's label in the file.
        role: Which of the eight speeches it is of, where a tag or a label names it.
    """

    text: str
    start_s: float | None = None
    end_s: float | None = None
    speaker: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Segment:
    """One speech, or a part of the debate that may be one.

    Attributes:
        role: Which of the eight speeches; None where that is unknown.
        parts: Its raw text in parts of a few hundred words, cut where utterances end.
        joiner: The text between two parts: a space, or the end of a line.
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
    """Correction of one segment, and whether it stands.

    Attributes:
        status: `kept`, `reverted` to the raw text, or `raw` where nobody corrected.
        corrected_text: The correction that stands; None where the raw text does.
        word_error_rate: Words changed, left out or added per word of the raw text, kept or not;
            None where nobody corrected or there is no word.
        reason: Why it was reverted; None otherwise.
    """

    position: int
    status: str
    corrected_text: str | None = None
    word_error_rate: float | None = None
    changed_words: int | None = None
    reason: str | None = None
