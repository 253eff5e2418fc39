"""What the kinds of experiments ask about: which items, and from which file of a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from inference.debates.items import Debate, debates_file, iter_debates
from inference.experiments import Experiment
from inference.items import ItemSource, Speech, dimensions_of, iter_items
from inference.judges.base import Item
from inference.oversight.items import (
    ReadingQuestion,
    Transcript,
    iter_reading,
    iter_transcripts,
    reading_file,
    transcripts_file,
)
from inference.parliamentary.items import (
    ParliamentaryDebate,
    iter_parliamentary,
    parliamentary_file,
)
from inference.questions.answers import (
    Answer,
    Question,
    answers_file,
    iter_answers,
    iter_questions,
    questions_file,
)
from inference.speeches.topics import Topic, iter_topics, topics_file
from inference.template_kinds import DEBATED, OVERSIGHT, PARLIAMENTARY, WRITING


@dataclass(frozen=True)
class Kind:
    """What an experiment of a kind asks about.

    Attributes:
        item: What one item is.
        template: What its prompts ask about.
        file: The file of a data set its items are in.
        items: The items an experiment reads, in the file's order.
        reference: What simulated judges may open, and rules that say so.
        is_there: Whether a data set has anything of the kind.
    """

    item: type[Item]
    template: str
    file: Callable[[ItemSource], Path]
    items: Callable[[Experiment, ItemSource], Iterator[Item]]
    reference: Callable[[ItemSource], Path | None]
    is_there: Callable[[ItemSource], bool]


def _debates(experiment: Experiment, source: ItemSource) -> Iterator[Debate]:
    for debate in iter_debates(source):
        yield debate.without_other_turns() if experiment.without_other_turns else debate


def _of_answers(template: str) -> Kind:
    return Kind(
        item=Answer,
        template=template,
        file=answers_file,
        items=lambda _, source: iter_answers(source),
        reference=lambda source: source.partial_answers_file,
        is_there=lambda source: source.answers_file is not None,
    )


KIND: Mapping[str, Kind] = {
    "speech": Kind(
        item=Speech,
        template="speech",
        file=lambda source: source.items_file,
        items=lambda experiment, source: iter_items(source, experiment.dimension),
        reference=lambda source: source.reference_file,
        is_there=lambda source: bool(dimensions_of(source)),
    ),
    "debate": Kind(
        item=Debate,
        template="debate",
        file=debates_file,
        items=_debates,
        reference=lambda source: source.debates_reference_file,
        is_there=lambda source: source.debates_file is not None,
    ),
    "question": Kind(
        item=Question,
        template="question",
        file=questions_file,
        items=lambda experiment, source: iter_questions(source, experiment.split),
        reference=lambda source: source.partial_answers_file,
        is_there=lambda source: source.questions_file is not None,
    ),
    "answer": _of_answers("answer"),
    "likelihood": _of_answers("answer"),
    "parliamentary": Kind(
        item=ParliamentaryDebate,
        template=PARLIAMENTARY,
        file=parliamentary_file,
        items=lambda _, source: iter_parliamentary(source),
        reference=lambda source: source.parliamentary_reference_file,
        is_there=lambda source: source.parliamentary_file is not None,
    ),
    "transcript": Kind(
        item=ReadingQuestion,
        template=DEBATED,
        file=reading_file,
        items=lambda _, source: iter_reading(source),
        reference=lambda source: source.reading_reference_file,
        is_there=lambda source: source.reading_file is not None,
    ),
    "reading": Kind(
        item=ReadingQuestion,
        template=OVERSIGHT,
        file=reading_file,
        items=lambda _, source: iter_reading(source),
        reference=lambda source: source.reading_reference_file,
        is_there=lambda source: source.reading_file is not None,
    ),
    "oversight": Kind(
        item=Transcript,
        template=OVERSIGHT,
        file=transcripts_file,
        items=lambda _, source: iter_transcripts(source),
        reference=lambda source: source.reading_reference_file,
        is_there=lambda source: source.transcripts_file is not None,
    ),
    "writing": Kind(
        item=Topic,
        template=WRITING,
        file=topics_file,
        items=lambda _, source: iter_topics(source),
        reference=lambda _: None,
        is_there=lambda source: source.topics_file is not None,
    ),
}
