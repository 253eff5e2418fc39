"""One judgement of the answers to a question about a story, as a file brings it."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from inference.oversight.judging import UNARGUED
from ingestion.answers.contracts import AnswerRow
from warehouse.records.core import Share
from warehouse.records.oversight import AnswerIndex

_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class JudgementRow(AnswerRow):
    """Which answer a judge found right, and how likely.

    `item` is the question for naive and expert judges, the transcript for judges of a consultancy
    or a debate.

    Attributes:
        answer_order: The answers that A and B stand for in the reply.
        asked_for: Whether a probability or a choice was asked for.
        step: The round after which was asked; None for the whole transcript.
        p_answer_0: The probability that answer 0 is right, as loaded here.
        choice: The answer chosen, as loaded here.
    """

    protocol: Literal["naive", "expert", "consultancy", "debate"]
    answer_order: Literal["01", "10"] = "01"
    asked_for: Literal["probability", "choice"] = "probability"
    probe: Literal["none", "unverified", "padded"] = "none"
    probed_answer: AnswerIndex | None = None
    step: Annotated[int, Field(ge=1)] | None = None
    p_answer_0: Share | None = None
    choice: AnswerIndex | None = None

    @property
    def is_of_transcript(self) -> bool:
        """Whether a transcript was judged, and not the question alone."""
        return self.protocol not in UNARGUED
