"""What passes between the steps of an analysis of key points."""

from dataclasses import dataclass

SENTENCES, EMPTY, SCORE_ONLY, OTHER_LANGUAGE, TOO_LONG, FAILED = STATUSES = (
    "sentences",
    "empty",
    "score_only",
    "other_language",
    "too_long",
    "rephrasing_failed",
)


@dataclass(frozen=True)
class Justification:
    """Why a judge says it scored a speech as it did.

    Attributes:
        item_id: The speech.
        run_id: The run that asked.
        sample: Which of several answers to the same question, from 0.
        motion: What the speech is about.
        text: The reasons; None where there are none.
        word_count: Words of the reasons.
        status: One of `STATUSES`. As long as it has not been divided, `sentences` says that it is
            to be.
        reason: In words, why it has no sentences; None where it has.
        rephrased: Its sentences of one idea each.
        rephrased_by: Who made them; None where there are none.
    """

    judge_id: str
    item_id: str
    request_id: str
    run_id: str
    sample: int
    motion: str
    text: str | None
    word_count: int
    status: str
    reason: str | None = None
    rephrased: tuple[str, ...] = ()
    rephrased_by: str | None = None


@dataclass(frozen=True)
class Sentence:
    """One sentence of one idea.

    Attributes:
        text: What it says.
        position: Its place in the justification, from 1.
        judge_id: The judge; None in the labelled set, as are speech and request.
        item_id: The speech.
        motion: What the speech is about; empty in the labelled set.
        polarity: Whether it speaks for the speech; None where a model was asked in vain.
        polarity_score: From -1 (against) to 1 (for); None where a model was asked.
        removal_reason: Why it is not compared with key points; None where it is.
        candidate_reason: Why it may not be a key point; None where it may.
        stands_as: What it says by itself, where it points back to what was said before (`It is
            clear`: `The speech is clear`); None where it does not.
    """

    sentence_id: str
    text: str
    position: int
    judge_id: str | None = None
    item_id: str | None = None
    request_id: str | None = None
    motion: str = ""
    polarity: str | None = None
    polarity_score: float | None = None
    removal_reason: str | None = None
    candidate_reason: str | None = None
    stands_as: str | None = None

    @property
    def plain(self) -> str:
        """What is compared, and shown as a key point."""
        return self.stands_as or self.text


@dataclass(frozen=True)
class KeyPoint:
    """A sentence that stands for many.

    Attributes:
        key_point_id: Polarity and place, such as `pro/1`.
        polarity: Whether it speaks for a speech.
        text: What it says by itself.
        position: When it was selected among those of its polarity, from 1.
        gain: How many sentences it matched that none before it did.
    """

    key_point_id: str
    polarity: str
    text: str
    sentence_id: str
    position: int
    gain: int


@dataclass(frozen=True)
class Match:
    """The cosine of a sentence and a key point, and whether it reaches the threshold."""

    sentence_id: str
    key_point_id: str
    similarity: float
    is_matched: bool
    is_best: bool


@dataclass(frozen=True)
class Fate:
    """What happened to a sentence in the selection.

    Attributes:
        selection_reason: Why a candidate became no key point; None for key points and for what is
            no candidate.
        redundant_with: The key point that says the same; None unless that is the reason.
        key_point_id: What it is counted under; None for nothing.
        similarity: Cosine with that or, where it has none, with the most similar key point.
    """

    sentence_id: str
    selection_reason: str | None = None
    redundant_with: str | None = None
    key_point_id: str | None = None
    similarity: float | None = None
