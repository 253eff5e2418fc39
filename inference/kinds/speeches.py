"""Speeches: scoring them on a dimension, and having models write them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic.dataclasses import dataclass

from inference.errors import BadItems
from inference.item_files import ItemFile
from inference.items import ItemSource, Rating, Speech, dimensions_of, item_keys, iter_items
from inference.kinds.fields import REPLIED, TEXT, WHOLE, answer_id, check, columns_of
from inference.kinds.labels import PROBABILITIES, probability_rows_of
from inference.kinds.options import CONFIG, KindOptions, Text, WordCount
from inference.kinds.parts import ANSWERED, NOT_COUNTED_TWICE, About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    described,
    points,
    variants_of,
)
from inference.parsing import ParsedScore, parse_score_released, read_score
from inference.sampling import Drawn, draw_each
from inference.speeches.written import (
    TOPICS,
    WORD_LIMIT,
    Topic,
    Writing,
    WrittenSpeech,
    read_speech,
)
from inference.template_kinds import SPEECH, WRITING
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.request import Request

WRITTEN = "written_speeches"
SPEECHES = ItemFile(
    Speech, "items", "items: data set '{}' has no speeches to score; ingest one that has"
)
# The columns that reading a reply with a speech brings.
READ = (
    "speech",
    "word_count_written",
    "word_count",
    "removed_sentence_count",
    "parse_status",
    "parse_reason",
)
_SCALE = {"scale_min": WHOLE, "scale_max": WHOLE}
_WHOLE = {**REPLIED, **_SCALE}
_WHOLE_SPEECH = {**REPLIED, "word_limit": WHOLE}
_SCORED = {"response": TEXT, **_SCALE}
_OF_SCORES = ("item_id", "dimension")
SCORES = Table("scores", key=("request_id", "item_id", "dimension"), parts=PROBABILITIES)


def scores_of(row: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the rows of a reply with several scores: of several items, or dimensions.

    The first row has the usage of the request. The released program reads no such replies, so what
    it would read is what was read.
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
    """Items scored on a scale: speeches here, and answers in `answers`."""

    line_fields = (*_OF_SCORES, *_SCALE, "item_kind", "value_released")
    asked_fields = ("dimension",)
    whole = _WHOLE
    table = SCORES
    is_bare = False

    def parse(self, line: Mapping[str, Any]) -> ParsedScore:
        how = (line.get("answer_format"), line.get("finish_reason"))
        scale = (line["scale_min"], line["scale_max"])
        return read_score(line["response"], *scale, *how, is_bare=self.is_bare)

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        row |= columns_of(line, self.table.name, _OF_SCORES, ("item_kind",))
        if line["status"] == ANSWERED:
            check(line, _SCORED)
            # Lines of before there were others do not have the format of the answer.
            row["answer_format"] = row["answer_format"] or "text"
            row["value"], row["parse_status"], row["parse_reason"] = self.parse(line)
            released = self.released(row, line)
            row["value_released"] = None if released is None else float(released)
        return [Row(row, probability_rows_of(line, row["line_number"])[0])]

    def released(self, row: Mapping[str, Any], line: Mapping[str, Any]) -> float | None:
        """Return the score that the released program reads from a reply."""
        return parse_score_released(str(row["response"]))


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class SpeechOptions(KindOptions):
    """Options of scoring speeches.

    Attributes:
        dimension: What is scored; `*` for all dimensions of an item, which takes a prompt with the
            slot `{question}` where there are several.
    """

    kind: ClassVar[str] = "speech"
    is_journalled: ClassVar[bool] = True

    dimension: Text = "*"

    def header(self) -> dict[str, Any]:
        """Return nothing: the dimension in a header is that of the items."""
        return {}


class SpeechItems(ItemSet):
    """Speeches of a data set that were rated on the dimension of the experiment."""

    file = SPEECHES
    reference_name = "reference"

    def __init__(self, experiment: Experiment, source: ItemSource) -> None:
        super().__init__(experiment, source)
        self._dimension = experiment.options.dimension
        self._ratings: dict[Rating, None] = {}

    def exist(self) -> bool:
        """Return whether the data set has any dimension."""
        return bool(dimensions_of(self.source))

    def match(self) -> bool:
        """Return whether it has the dimension of the experiment."""
        dimensions = dimensions_of(self.source)
        return bool(dimensions) and self._dimension in ("*", *dimensions)

    def read(self) -> Iterator[Speech]:
        return iter_items(self.source, self._dimension)

    def draw(self) -> Drawn:
        return draw_each(self.experiment.seed, item_keys(self.source, self._dimension))

    def missing(self, noun: str) -> BadItems:
        """Return the error that names the dimensions there are."""
        dimensions = ", ".join(dimensions_of(self.source))
        return BadItems(
            f"runner: data set '{self.source.dataset_id}' has no dimension '{self._dimension}', "
            f"which experiment '{self.experiment.name}' asks about; it has {dimensions}; write an "
            "experiment for one of them, with a prompt that asks for it"
        )

    def observe(self, item: Speech) -> None:
        self._ratings[item.rating] = None

    def header(self, templates: Sequence[Template]) -> dict[str, Any]:
        """Return the dimension, or `*` for several."""
        dimensions = sorted({rating.dimension for rating in self._ratings})
        for template in templates:
            for rating in self._ratings:
                if template.scale not in (None, (rating.scale_min, rating.scale_max)):
                    raise BadItems(
                        f"runner: '{self.source.dataset_id}', dimension '{rating.dimension}' goes "
                        f"from {rating.scale_min} to {rating.scale_max}, and prompt "
                        f"'{template.instrument}' offers {template.scale}; use a prompt with the "
                        "slots {scale_min} and {scale_max}"
                    )
            if len(dimensions) > 1 and "question" not in template.slots:
                raise BadItems(
                    f"runner: '{self.source.dataset_id}' has the dimensions "
                    f"{', '.join(dimensions)}, and prompt '{template.instrument}' asks the same of "
                    f"each; name one as the dimension of experiment '{self.experiment.name}', or "
                    "use a prompt with the slot {question}"
                )
        return {"dimension": dimensions[0] if len(dimensions) == 1 else "*"}


class Speeches(Scoring):
    """Speeches to score."""

    noun = "a speech"
    options = SpeechOptions
    item_set = SpeechItems
    template = SPEECH
    # Lines are older than kinds.
    line = None
    first_experiment = "speech-score"

    def prompt_inputs(self, item: Speech, variant: PromptVariant, seed: int) -> PromptInputs:
        values = {
            "motion": item.motion,
            "speech": item.text,
            "question": item.question,
            "scale_min": str(item.scale_min),
            "scale_max": str(item.scale_max),
        }
        return PromptInputs(values, item.rating, labels=points(item.scale_min, item.scale_max))

    def describe(self, request: Request) -> Description:
        rating = request.way(Rating)
        return Description(
            identity={"dimension": rating.dimension},
            facts=lambda: _speech_facts(request),
            fields=vars(rating),
        )


def _speech_facts(request: Request) -> dict[str, Any]:
    """Return what judges without prompts go by: motion and text, whatever the item's hash is of."""
    item = request.about(Speech)
    return {
        "text": hashlib.sha256(f"{item.motion}\n\n{item.text}".encode()).hexdigest(),
        "template": request.template.label,
        "scale": [item.scale_min, item.scale_max],
    }


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class WritingOptions(KindOptions):
    """Options of having speeches written: the most words of one."""

    kind: ClassVar[str] = "writing"

    word_limit: WordCount = WORD_LIMIT

    def header(self) -> dict[str, Any]:
        """Return the word limit."""
        return {"word_limit": self.word_limit}


class Topics(ItemSet):
    """Topics of a data set."""

    file = TOPICS
    count_name = "topics"


class Writers(Kind):
    """Topics that models write speeches on."""

    noun = "a topic to speak on"
    options = WritingOptions
    item_set = Topics
    template = WRITING
    line = "topic"
    line_fields = asked_fields = ("word_limit",)
    whole = _WHOLE_SPEECH
    table = Table(WRITTEN, about=(About("debate_id", "raw.debates", "a speech on a topic"),))
    first_experiment = "speech-writing"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        arm = Writing(experiment.options.word_limit)
        return variants_of(self, experiment, (arm,), prompts_folder)

    def prompt_inputs(self, item: Topic, variant: PromptVariant, seed: int) -> PromptInputs:
        values = {"motion": item.motion, "word_limit": str(variant.arm.word_limit)}
        return PromptInputs(values, variant.arm)

    def describe(self, request: Request) -> Description:
        return described(request, "writing", "topic", {"item_kind": self.line})

    def costs(self, request: Request) -> CostHints:
        return CostHints(answer=request.way(Writing).word_limit)

    def parse(self, line: Mapping[str, Any]) -> WrittenSpeech:
        return read_speech(line["response"], line["word_limit"], line.get("finish_reason"))

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
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
