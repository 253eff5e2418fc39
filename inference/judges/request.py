"""What a judge is asked: one item, in one way, as often as an experiment repeats it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from inference.debates.items import Debate
from inference.debates.variants import Variant
from inference.items import Speech
from inference.oversight.debating.roles import DebateRole
from inference.oversight.items import DebatePlan, JudgingPlan, ReadingQuestion, Transcript
from inference.parliamentary.items import AskedAdjudication, ParliamentaryDebate
from inference.questions.answers import (
    Answer,
    Comparison,
    Generation,
    PartialAnswer,
    Question,
    Rating,
)
from inference.speeches.topics import Topic, Writing
from inference.templates import Template

Item = (
    Speech | Debate | Question | Answer | ParliamentaryDebate | ReadingQuestion | Transcript | Topic
)
# How an item is asked about; a speech says itself what is scored.
Way = (
    Variant
    | Generation
    | Rating
    | Comparison
    | AskedAdjudication
    | DebatePlan
    | DebateRole
    | JudgingPlan
    | Writing
)


@dataclass(frozen=True)
class Request:
    """One question to a judge.

    Attributes:
        item: What is to be scored, whose winner is to be named, what is to be answered, or what is
            to be spoken for.
        template: How it is asked.
        sample: Which of the repeats this is, from 0.
        prompt: The template filled in. Judges that are not models look at the item instead.
        decoding: The experiment's decoding settings, for judges that do not set their own.
        labels: The answers there are to choose from, as they are to be written; none where the
            answer is free text or no text at all.
        variant: What the sides of a debate are called and which is named first, how a question is
            to be answered, what is scored of an answer, by which metric, how a parliamentary debate
            is adjudicated, or how long a speech may be; None for a speech to score.
        system: What the system turn says before the prompt; None where there is none.
        partial_answers: The points of view on the question that was answered, for evaluators and
            prompts which compare an answer with them.
        finished_steps: The `searches`, `notes` or `steps` of an earlier attempt that failed later
            on: they need not be asked for again. No part of what is asked.
        note_prompts: The prompts whose replies, notes on a speech each, the prompt is yet to be
            given; none where the prompt shows the debate itself.
        keep_step: Keeps what a step of a transcript brought, before the next is asked for; None
            where nobody does. No part of what is asked.
    """

    item: Item
    template: Template
    sample: int
    prompt: str
    decoding: Mapping[str, float | int]
    labels: tuple[str, ...] = ()
    variant: Way | None = None
    system: str | None = None
    partial_answers: tuple[PartialAnswer, ...] = ()
    finished_steps: tuple[Mapping[str, Any], ...] = ()
    note_prompts: tuple[str, ...] = ()
    keep_step: Callable[[Mapping[str, Any]], Awaitable[None]] | None = None

    @property
    def speech(self) -> Speech:
        """The speech that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Speech):
            raise TypeError(f"'{self.item.item_id}' is no speech")
        return self.item

    @property
    def debate(self) -> Debate:
        """The debate that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Debate):
            raise TypeError(f"'{self.item.item_id}' is no debate")
        return self.item

    @property
    def question(self) -> Question:
        """The question that is to be answered.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Question):
            raise TypeError(f"'{self.item.item_id}' is no question")
        return self.item

    @property
    def answer(self) -> Answer:
        """The answer that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Answer):
            raise TypeError(f"'{self.item.item_id}' is no answer")
        return self.item

    @property
    def parliamentary(self) -> ParliamentaryDebate:
        """The parliamentary debate that is asked about.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, ParliamentaryDebate):
            raise TypeError(f"'{self.item.item_id}' is no parliamentary debate")
        return self.item

    @property
    def adjudication(self) -> AskedAdjudication:
        """How a parliamentary debate is to be adjudicated.

        Raises:
            TypeError: This is no request to adjudicate one.
        """
        if not isinstance(self.variant, AskedAdjudication):
            raise TypeError(f"'{self.item.item_id}' is not to be adjudicated")
        return self.variant

    @property
    def reading(self) -> ReadingQuestion:
        """The question about a story that is to be debated.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, ReadingQuestion):
            raise TypeError(f"'{self.item.item_id}' is no question about a story")
        return self.item

    @property
    def debate_plan(self) -> DebatePlan:
        """How a question about a story is to be debated.

        Raises:
            TypeError: This is no request to debate one.
        """
        if not isinstance(self.variant, DebatePlan):
            raise TypeError(f"'{self.item.item_id}' is not to be debated")
        return self.variant

    @property
    def judging_plan(self) -> JudgingPlan:
        """How a question about a story, or a transcript, is to be judged.

        Raises:
            TypeError: This is no request to judge one.
        """
        if not isinstance(self.variant, JudgingPlan):
            raise TypeError(f"'{self.item.item_id}' is not to be judged by its answers")
        return self.variant

    @property
    def debate_role(self) -> DebateRole:
        """What is asked of one model within a transcript.

        Raises:
            TypeError: This is no request within one.
        """
        if not isinstance(self.variant, DebateRole):
            raise TypeError(f"'{self.item.item_id}' is asked about as a whole")
        return self.variant

    @property
    def writing(self) -> Writing:
        """How a speech on the topic is asked for.

        Raises:
            TypeError: None is.
        """
        if not isinstance(self.variant, Writing):
            raise TypeError(f"'{self.item.item_id}' is not to be spoken on")
        return self.variant

    @property
    def topic(self) -> Topic:
        """The topic that is to be spoken on.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, Topic):
            raise TypeError(f"'{self.item.item_id}' is no topic")
        return self.item

    @property
    def asked_variant(self) -> Variant:
        """How a debate is asked about.

        Raises:
            TypeError: This is no question about a debate.
        """
        if not isinstance(self.variant, Variant):
            raise TypeError(f"'{self.item.item_id}' is not asked about as a debate is")
        return self.variant

    @property
    def generation(self) -> Generation:
        """How a question is to be answered.

        Raises:
            TypeError: This is no request to answer one.
        """
        if not isinstance(self.variant, Generation):
            raise TypeError(f"'{self.item.item_id}' is not to be answered")
        return self.variant

    @property
    def rating(self) -> Rating:
        """What is to be scored, and on which scale.

        Raises:
            TypeError: No score is asked for.
        """
        if isinstance(self.item, Speech):
            return Rating(self.item.dimension, self.item.scale_min, self.item.scale_max)
        if not isinstance(self.variant, Rating):
            raise TypeError(f"'{self.item.item_id}' is not to be scored")
        return self.variant

    @property
    def comparison(self) -> Comparison:
        """By which metric an answer is compared with the points of view.

        Raises:
            TypeError: It is not to be compared.
        """
        if not isinstance(self.variant, Comparison):
            raise TypeError(f"'{self.item.item_id}' is not to be compared")
        return self.variant

    @property
    def asks(self) -> str:
        """What is asked, in words: the dimension, the metric, or the way of asking."""
        if isinstance(
            self.variant,
            Generation | AskedAdjudication | DebatePlan | DebateRole | JudgingPlan | Writing,
        ):
            return self.variant.words
        if isinstance(self.variant, Comparison):
            return self.variant.metric
        if isinstance(self.variant, Variant):
            return f"{self.variant.verbalizer}, {self.variant.position}, {self.variant.outcome}"
        return self.rating.dimension

    @property
    def overrides(self) -> dict[str, float]:
        """Decoding settings of the request's arm, which come before the judge's own."""
        if not isinstance(self.variant, Generation):
            return {}
        chosen = {"temperature": self.variant.temperature, "top_p": self.variant.top_p}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def sent(self) -> str:
        """Everything that is sent as text, the system turn first."""
        return self.prompt if self.system is None else f"{self.system}\n\n{self.prompt}"

    def identity(self) -> dict[str, Any]:
        """What tells this request apart from all others of its judge, besides its prompt.

        The variant is part of it as the experiment chose it and as it was drawn, so that two arms
        are asked apart also where their prompts come out the same.
        """
        if isinstance(self.variant, Variant):
            apart: dict[str, Any] = {"variant": asdict(self.variant)}
        elif isinstance(self.variant, Generation):
            chosen = {**asdict(self.variant), "template": self.template.label}
            apart = {"generation": chosen}
        elif isinstance(self.variant, Comparison):
            pairs = [(each.partial_answer_id, each.text_hash) for each in self.partial_answers]
            apart = {"comparison": asdict(self.variant), "partial_answers": pairs}
        elif isinstance(self.variant, AskedAdjudication):
            apart = {"adjudication": self.variant.identity(), "template": self.template.label}
            if self.note_prompts:
                notes = "\n".join(self.note_prompts).encode("utf-8", "replace")
                apart["note_prompts"] = hashlib.sha256(notes).hexdigest()
        elif isinstance(self.variant, DebatePlan | DebateRole):
            apart = {"debating": asdict(self.variant), "template": self.template.label}
        elif isinstance(self.variant, JudgingPlan):
            apart = {"judging": asdict(self.variant), "template": self.template.label}
        elif isinstance(self.variant, Writing):
            apart = {"writing": asdict(self.variant), "template": self.template.label}
        else:
            apart = {"dimension": self.rating.dimension}
        return {"item_id": self.item.item_id, **apart, "sample": self.sample}

    def facts(self) -> dict[str, Any]:
        """What tells this request apart for judges that see the item instead of a prompt."""
        item = self.item
        if isinstance(item, ReadingQuestion):
            return {"question": item.item_hash, "template": self.template.label}
        if isinstance(item, Topic):
            return {"topic": item.item_hash, "template": self.template.label}
        if isinstance(item, Transcript):
            return {"transcript": item.item_hash, "template": self.template.label}
        if isinstance(item, ParliamentaryDebate):
            return {"debate": item.item_hash, "template": self.template.label}
        if isinstance(item, Speech):
            return {
                "text": hashlib.sha256(f"{item.motion}\n\n{item.text}".encode()).hexdigest(),
                "template": self.template.label,
                "scale": [item.scale_min, item.scale_max],
            }
        if isinstance(item, Question):
            shown = hashlib.sha256(self.sent.encode("utf-8", "replace")).hexdigest()
            return {"question": item.item_hash, "prompt": shown, "template": self.template.label}
        if isinstance(item, Answer):
            known: dict[str, Any] = {"answer": item.item_hash, "template": self.template.label}
            if isinstance(self.variant, Rating):
                known["scale"] = [self.variant.scale_min, self.variant.scale_max]
            return known
        words = (item.words_pro, item.words_con, item.words_other)
        return {"debate": item.item_hash, "words": words, "template": self.template.label}
