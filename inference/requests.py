"""The requests of a run, of which only ids and places are in memory.

A run may have a hundred thousand requests of several thousand words. Their items are spilled to a
temporary file that has no name, and a request is made anew whenever it is looked at.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, cast

from inference.debates.items import Debate
from inference.debates.variants import Arm, Variant, realise
from inference.items import Speech
from inference.judges.base import Item, Request, Way
from inference.oversight.debating.prompts import values_of as debate_values
from inference.oversight.items import CHOICE, DebatePlan, JudgingPlan, ReadingQuestion, Transcript
from inference.oversight.judging import LETTERS, has_use, prompt_turns, prompt_values
from inference.parliamentary.items import (
    NOTES,
    Adjudication,
    ParliamentaryDebate,
    adjudicate,
    speaker_of,
    values_of,
)
from inference.parliamentary.manuals import Manual
from inference.parliamentary.notes import note_prompts
from inference.prompt_files import Prompt
from inference.questions.answers import (
    AT_ONCE,
    Answer,
    Comparison,
    Generation,
    PartialAnswer,
    Question,
    Rating,
    listed,
)
from inference.speeches.topics import Topic, Writing
from inference.templates import Template


class Asked(NamedTuple):
    """What is asked about every item of a run.

    Attributes:
        template: How it is asked.
        sample: Which of the repeats this is, from 0.
        arm: What a debate's sides are called, how a question is to be answered, what is wanted of
            an answer, how a parliamentary debate is adjudicated, how a question about a story is
            debated or judged, or how long a speech is to be; None for speeches to score.
        length: The sentence that asks for a length; None where none is asked for.
        manual: What adjudicators are told beforehand; None for others.
        note: How notes on a speech are asked for; None where none are.
    """

    template: Template
    sample: int
    arm: (
        Arm
        | Generation
        | Rating
        | Comparison
        | Adjudication
        | DebatePlan
        | JudgingPlan
        | Writing
        | None
    ) = None
    length: Template | None = None
    manual: Manual | None = None
    note: Prompt | None = None


class RequestBook(Mapping[str, Request]):
    """Requests by id, in the order of asking.

    Args:
        kind: What the items are.
        asked: What is asked about each.
        decoding: The experiment's decoding settings.
        seed: The experiment's, which draws what arms leave to chance.
        partial_answers: The points of view on each question, where requests are to have them.
    """

    def __init__(
        self,
        kind: type[Item],
        asked: Sequence[Asked],
        decoding: Mapping[str, Any],
        seed: int,
        partial_answers: Mapping[str, tuple[PartialAnswer, ...]] | None = None,
    ) -> None:
        self._kind = kind
        self._decoding = decoding
        self._seed = seed
        self._partial_answers = partial_answers or {}
        self.asked = asked
        # Closed with the book, and gone with the process that dies.
        self._spill = tempfile.TemporaryFile()  # noqa: SIM115
        self._offsets = array("q")
        # One number per request, which says item and what is asked: a pair would weigh four times
        # as much.
        self._places: dict[str, int] = {}

    def add_item(self, item: Item) -> int:
        """Keep an item, and return its number."""
        self._offsets.append(self._spill.seek(0, 2))
        self._spill.write(json.dumps(asdict(item)).encode() + b"\n")
        return len(self._offsets) - 1

    def add(self, request_id: str, number: int, asked: int) -> None:
        """Add a request about a kept item. One that is there keeps its place."""
        self._places.setdefault(request_id, number * len(self.asked) + asked)

    def has_use(self, item: Item, asked: Asked) -> bool:
        """Say whether something is asked about an item that nothing else asks about it."""
        if isinstance(item, ReadingQuestion | Transcript) and isinstance(asked.arm, JudgingPlan):
            return has_use(item, asked.arm)
        return True

    def request(self, item: Item, asked: Asked) -> Request:
        """Return a request about an item."""
        put = self._put(item, asked)
        render = asked.template.render
        return Request(
            item=item,
            template=asked.template,
            sample=asked.sample,
            # An evaluator's context is the answer as it is: nothing in it could answer for it.
            prompt=render(put.values, put.turns, is_safe=not isinstance(asked.arm, Comparison)),
            decoding=self._decoding,
            labels=put.labels,
            variant=put.variant,
            system=_system(asked, put.values),
            partial_answers=put.partial_answers,
            note_prompts=put.note_prompts,
        )

    def _put(self, item: Item, asked: Asked) -> _Put:
        if isinstance(item, Speech):
            return _about_speech(item)
        if isinstance(item, Topic):
            return _about_topic(item, cast("Writing", asked.arm))
        if isinstance(item, Debate):
            return _about_debate(item, realise(cast("Arm", asked.arm), self._seed, item.item_id))
        if isinstance(item, ParliamentaryDebate):
            return _about_parliamentary(item, asked, self._seed)
        if isinstance(item, ReadingQuestion) and isinstance(asked.arm, DebatePlan):
            return _about_reading(item, asked.arm)
        if isinstance(item, Question):
            return _about_question(item, cast("Generation", asked.arm))
        if isinstance(item, ReadingQuestion | Transcript):
            return _about_story(item, cast("JudgingPlan", asked.arm))
        arm = cast("Rating | Comparison", asked.arm)
        return _about_answer(item, arm, self._partial_answers.get(item.question_id, ()))

    def __getitem__(self, request_id: str) -> Request:
        number, asked = divmod(self._places[request_id], len(self.asked))
        self._spill.seek(self._offsets[number])
        item = self._kind.of_fields(json.loads(self._spill.readline()))
        return self.request(item, self.asked[asked])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._places


class Missing(Mapping[str, Request]):
    """The requests that are not held, as they were when it was made.

    Args:
        requests: The requests by id.
        held: The ids of those that are left out.
    """

    def __init__(self, requests: Mapping[str, Request], held: set[str]) -> None:
        self._requests = requests
        self._ids = dict.fromkeys(each for each in requests if each not in held)

    def __getitem__(self, request_id: str) -> Request:
        if request_id not in self._ids:
            raise KeyError(request_id)
        return self._requests[request_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class _Put(NamedTuple):
    """What an item puts into a prompt, and the answers there are to choose from."""

    values: Mapping[str, str]
    variant: Way | None = None
    turns: Sequence[tuple[str, str]] = ()
    labels: tuple[str, ...] = ()
    partial_answers: tuple[PartialAnswer, ...] = ()
    note_prompts: tuple[str, ...] = ()


def _about_speech(item: Speech) -> _Put:
    values = {
        "motion": item.motion,
        "speech": item.text,
        "question": item.question,
        "scale_min": str(item.scale_min),
        "scale_max": str(item.scale_max),
    }
    return _Put(values, labels=_points(item.scale_min, item.scale_max))


def _about_topic(item: Topic, arm: Writing) -> _Put:
    return _Put({"motion": item.motion, "word_limit": str(arm.word_limit)}, arm)


def _about_debate(item: Debate, variant: Variant) -> _Put:
    first, second = variant.labels
    values = {
        "motion": item.motion,
        "context": item.context,
        "outcome": variant.outcome,
        "side1": first,
        "side2": second,
        "pro_label": variant.pro_label,
        "con_label": variant.con_label,
    }
    turns = [
        (variant.label_of(turn.side) if turn.side else turn.role_name, turn.text)
        for turn in item.turns
    ]
    return _Put(values, variant, turns, variant.labels)


def _about_question(item: Question, arm: Generation) -> _Put:
    # What a model looks for itself is put in by whoever looks.
    found = item.shown(arm) if arm.retrieval == AT_ONCE else ()
    values = {
        "question": item.question,
        "target_tokens": str(arm.target_tokens),
        "documents": "\n\n".join(found),
    }
    return _Put(values, arm)


def _about_answer(
    item: Answer, arm: Rating | Comparison, partial_answers: tuple[PartialAnswer, ...]
) -> _Put:
    values = {
        "question": item.question,
        "answer": item.answer,
        "partial_answers": listed(partial_answers),
    }
    labels: tuple[str, ...] = ()
    if isinstance(arm, Rating):
        values |= {"scale_min": str(arm.scale_min), "scale_max": str(arm.scale_max)}
        labels = _points(arm.scale_min, arm.scale_max)
    return _Put(values, arm, labels=labels, partial_answers=partial_answers)


def _about_parliamentary(item: ParliamentaryDebate, asked: Asked, seed: int) -> _Put:
    way, manual = cast("Adjudication", asked.arm), cast("Manual", asked.manual)
    variant = adjudicate(way, seed, item, manual.label)
    values = values_of(item, variant, manual.text)
    if way.strategy == NOTES:
        prompts = note_prompts(cast("Prompt", asked.note), item, values)
        return _Put(values, variant, note_prompts=prompts)
    turns = [(speaker_of(speech.role), speech.text) for speech in item.speeches]
    return _Put(values, variant, turns)


def _about_story(item: ReadingQuestion | Transcript, plan: JudgingPlan) -> _Put:
    turns = prompt_turns(item, plan) if isinstance(item, Transcript) else []
    labels = LETTERS if plan.asked_for == CHOICE else ()
    return _Put(prompt_values(item, plan), plan, turns, labels)


def _about_reading(item: ReadingQuestion, plan: DebatePlan) -> _Put:
    # The first thing that is asked; what follows depends on what is said.
    return _Put(debate_values(item, plan, plan.argues), plan)


def _points(low: int, high: int) -> tuple[str, ...]:
    """Return the answers there are to choose from: the points of a scale."""
    return tuple(str(point) for point in range(low, high + 1))


def _system(asked: Asked, values: Mapping[str, str]) -> str | None:
    """Return the system turn, with the sentence on length behind it."""
    if asked.template.system is None:
        return None
    system = asked.template.render_system(values)
    return system if asked.length is None else f"{system} {asked.length.render(values)}"
