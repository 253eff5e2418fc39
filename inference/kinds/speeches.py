"""Speeches: scoring them on a dimension, and having models write them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inference.errors import BadItems
from inference.item_files import ItemFile
from inference.items import ItemSource, Rating, Speech, dimensions_of, item_keys, iter_items
from inference.kinds.fields import TEXT, WHOLE, answer_id, check, columns_of
from inference.kinds.labels import PROBABILITIES, probability_rows_of
from inference.kinds.parts import (
    ANSWERED,
    NOT_COUNTED_TWICE,
    About,
    Asked,
    Drafted,
    Given,
    Put,
    Row,
    Table,
)
from inference.kinds.protocol import Kind, points
from inference.parsing import ParsedScore, parse_score_released, read_score
from inference.sampling import Drawn, draw_each
from inference.speeches.written import TOPICS, Topic, Writing, WrittenSpeech, read_speech
from inference.template_kinds import SPEECH, WRITING
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.request import Request

WRITTEN = "written_speeches"
SPEECHES = ItemFile(
    Speech, "items_file", "items: data set '{}' has no speeches to score; ingest one that has"
)
# What reading a reply with a speech brings.
READ = (
    "speech",
    "word_count_written",
    "word_count",
    "removed_sentence_count",
    "parse_status",
    "parse_reason",
)
_SCALE = {"scale_min": WHOLE, "scale_max": WHOLE}
_SCORED = {"response": TEXT, **_SCALE}
_OF_SCORES = ("item_id", "dimension")
SCORES = Table("scores", key=("request_id", "item_id", "dimension"), parts=PROBABILITIES)


def scores_of(row: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the rows of a reply that holds several scores: of several items, or dimensions.

    What the request cost stands with the first. The released program reads no such replies, so what
    it would find is what was read.
    """
    return [
        Row(
            {
                **row,
                **(NOT_COUNTED_TWICE if part else {}),
                "value_released": score["value"],
                **score,
                "part": part,
            }
        )
        for part, score in enumerate(found)
    ]


class Scoring(Kind):
    """What is scored on a scale: speeches here, and answers in `questions`."""

    identity_name = "rating"
    line_fields = (*_OF_SCORES, *_SCALE, "item_kind", "value_released")
    table = SCORES

    def recorded(self, request: Request) -> Sequence[Mapping[str, Any]]:
        return ({"dimension": request.asks},)

    def asked_by(self, said: Mapping[str, Any]) -> str | None:
        dimension = said.get("dimension")
        return dimension if isinstance(dimension, str) else None

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        scale = (line.get("scale_min"), line.get("scale_max"))
        return super().is_whole(line) and all(isinstance(end, int) for end in scale)

    def said(self, line: Mapping[str, Any]) -> ParsedScore:
        return self._read(line, line["scale_min"], line["scale_max"])

    def _read(self, line: Mapping[str, Any], low: int, high: int) -> ParsedScore:
        how = (line.get("answer_format"), line.get("finish_reason"))
        return read_score(line["response"], low, high, *how, is_bare=self.is_bare)

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        row |= columns_of(line, self.table.name, _OF_SCORES, ("item_kind",))
        if line["status"] == ANSWERED:
            check(line, _SCORED)
            # Lines of before there were others do not say how the answer was asked for.
            row["answer_format"] = row["answer_format"] or "text"
            read = self._read(row, line["scale_min"], line["scale_max"])
            row["value"], row["parse_status"], row["parse_reason"] = read
            released = self.released(row, line)
            row["value_released"] = None if released is None else float(released)
        return [Row(row, probability_rows_of(line, row["line_number"])[0])]

    def released(self, row: Mapping[str, Any], line: Mapping[str, Any]) -> float | None:
        """Return the score the released program reads from a reply."""
        return parse_score_released(str(row["response"]))


class Speeches(Scoring):
    """Speeches to score."""

    name = "speech"
    words = "a speech"
    first_experiment = "speech-score"
    files = SPEECHES
    template = SPEECH
    reference_file = "reference_file"
    own = frozenset({"dimension"})
    # Lines are older than kinds.
    line = None
    is_journalled = True

    def is_there(self, source: ItemSource) -> bool:
        """Return whether a data set has any dimension."""
        return bool(dimensions_of(source))

    def fits(self, experiment: Experiment, source: ItemSource) -> bool:
        """Return whether a data set has the dimension that an experiment asks about."""
        there = dimensions_of(source)
        return bool(there) and experiment.dimension in ("*", *there)

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Speech]:
        return iter_items(source, experiment.dimension)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        return draw_each(experiment.seed, item_keys(source, experiment.dimension))

    def check_drawn(
        self, experiment: Experiment, sources: Sequence[ItemSource], drawn: Sequence[Drawn]
    ) -> None:
        """Refuse data sets without the dimension, unless they were not named and another has it."""
        lacking = [s for s, each in zip(sources, drawn, strict=True) if not len(each.keys)]
        if len(lacking) == len(sources) or (lacking and experiment.datasets != ("*",)):
            name = lacking[0].dataset_id if lacking else "*"
            there = ", ".join(dimensions_of(lacking[0])) if lacking else "none"
            raise BadItems(
                f"runner: data set '{name}' has no dimension '{experiment.dimension}', which "
                f"experiment '{experiment.name}' asks about; it has {there}; write an experiment "
                "for one of them, with a prompt that asks for it"
            )

    def noted(self, item: Speech) -> Rating:
        return item.rating

    def check_noted(
        self,
        experiment: Experiment,
        dataset_id: str,
        noted: Sequence[Rating],
        templates: Sequence[Template],
    ) -> None:
        """Refuse scales and dimensions that the prompts do not ask for."""
        for rating in noted:
            for template in templates:
                if template.scale not in (None, (rating.scale_min, rating.scale_max)):
                    raise BadItems(
                        f"runner: '{dataset_id}', dimension '{rating.dimension}' goes from "
                        f"{rating.scale_min} to {rating.scale_max}, and prompt "
                        f"'{template.instrument}' offers {template.scale}; use a prompt with the "
                        "slots {scale_min} and {scale_max}"
                    )
        dimensions = sorted({rating.dimension for rating in noted})
        for template in templates:
            if len(dimensions) > 1 and "question" not in template.slots:
                raise BadItems(
                    f"runner: '{dataset_id}' has the dimensions {', '.join(dimensions)}, and "
                    f"prompt '{template.instrument}' asks the same of each; name one as the "
                    f"dimension of experiment '{experiment.name}', or use a prompt with the slot "
                    "{question}"
                )

    def arms(self, experiment: Experiment) -> Sequence[None]:
        """Return one way: a speech says itself what is scored."""
        return (None,)

    def header(self, run: Drafted) -> dict[str, Any]:
        """Return the dimension that was asked about, or that there were several, as ever."""
        dimensions = {rating.dimension for rating in run.noted}
        return {"dimension": dimensions.pop() if len(dimensions) == 1 else "*"}

    def put(self, item: Speech, asked: Asked, given: Given) -> Put:
        values = {
            "motion": item.motion,
            "speech": item.text,
            "question": item.question,
            "scale_min": str(item.scale_min),
            "scale_max": str(item.scale_max),
        }
        return Put(values, item.rating, labels=points(item.scale_min, item.scale_max))

    def identity(self, request: Request) -> dict[str, Any]:
        return {"dimension": request.way(Rating).dimension}

    def facts(self, request: Request) -> dict[str, Any]:
        """What judges without prompts go by: motion and text, whatever the item's hash is of."""
        item = request.about(Speech)
        return {
            "text": hashlib.sha256(f"{item.motion}\n\n{item.text}".encode()).hexdigest(),
            "template": request.template.label,
            "scale": [item.scale_min, item.scale_max],
        }

    def fields(self, request: Request) -> dict[str, Any]:
        """Return the dimension and its scale; what a line is about it does not say."""
        return asdict(request.variant)


class Writers(Kind):
    """Topics that models write speeches on."""

    name = "writing"
    words = "a topic to speak on"
    first_experiment = "speech-writing"
    files = TOPICS
    template = WRITING
    counted = "topics"
    own = frozenset({"word_limit"})
    identity_name = "writing"
    item_name = "topic"
    line = "topic"
    line_fields = ("word_limit",)
    table = Table(WRITTEN, about=(About("debate_id", "raw.debates", "a speech on a topic"),))

    def arms(self, experiment: Experiment) -> Sequence[Writing]:
        return (Writing(experiment.word_limit),)

    def header(self, run: Drafted) -> dict[str, Any]:
        about = super().header(run)
        del about["arms"]
        return about | asdict(Writing(run.experiment.word_limit))

    def put(self, item: Topic, asked: Asked, given: Given) -> Put:
        return Put({"motion": item.motion, "word_limit": str(asked.arm.word_limit)}, asked.arm)

    def expected(self, request: Request) -> int:
        return request.way(Writing).word_limit

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        return super().is_whole(line) and isinstance(line.get("word_limit"), int)

    def said(self, line: Mapping[str, Any]) -> WrittenSpeech:
        return read_speech(line["response"], line["word_limit"], line.get("finish_reason"))

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT, "word_limit": WHOLE})
        row |= {"debate_id": line["item_id"], "word_limit": line["word_limit"]}
        row["item_id"] = answer_id(line["item_id"], line["request_id"])
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row |= read_written(row)
        return [Row(row)]


def read_written(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reply brought, as columns of `raw.written_speeches`."""
    found = read_speech(row["response"], row["word_limit"], row["finish_reason"])
    counts = (found.words_written, found.words, found.sentences_removed)
    return dict(zip(READ, (found.text, *counts, found.status, found.reason), strict=True))
