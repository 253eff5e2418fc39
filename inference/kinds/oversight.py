"""Debate as oversight: judging questions about stories, with a debate about them or without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic.dataclasses import dataclass

from inference.errors import BadTemplate
from inference.json_text import object_schema
from inference.kinds.fields import REPLIED, TEXT, check, check_known, columns_of
from inference.kinds.options import (
    CONFIG,
    Crossed,
    KindOptions,
    Listed,
    Positive,
    QuestionSampling,
    Text,
    combinations,
)
from inference.kinds.parts import ANSWERED, About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    described,
    variants_of,
)
from inference.kinds.transcripts import StoryItems
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    EXPERT,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    TRANSCRIPT_ITEMS,
    JudgingPlan,
    Transcript,
    drawn_questions,
    iter_transcripts,
)
from inference.oversight.judgements import Judgement, probability_of_labels, read_judgement
from inference.oversight.judging import (
    ARGUED,
    LETTERS,
    UNARGUED,
    has_use,
    prompt_speakers,
    prompt_turns,
    prompt_values,
)
from inference.sampling import Drawn, draw_those
from inference.template_kinds import OVERSIGHT
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.request import Request

JUDGEMENTS = "oversight_judgements"
# What models wrote, and what people said in rooms.
_TRANSCRIPTS_THERE = (
    "(select transcript_id from raw.oversight_transcripts union all "
    "select debate_id as transcript_id from raw.debates where format like 'story-%')"
)
_WHOLE = {**REPLIED, "asked_for": ASKED_FOR, "answer_order": ANSWER_ORDERS}
_JUDGED = ("question_id", "protocol", "answer_order", "probe", "asked_for")
_JUDGED_IF_ANY = ("transcript_id", "step", "probed_answer")
_KNOWN = {
    "protocol": PROTOCOLS,
    "answer_order": ANSWER_ORDERS,
    "probe": PROBES,
    "asked_for": ASKED_FOR,
}
_ANSWER_BEGINS = re.compile(r"\"answer\"\s*:\s*\"?")
# A step is a round after which is asked; all of them is the end.
_AT_THE_END = "end"
_AskedFor = Literal["probability", "choice"]
_Order = Literal["01", "10"]


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _ReadingTable:
    protocol: Listed[Literal["naive", "expert"]] = ("naive", "expert")
    template: Listed[Text] | tuple[None] = (None,)
    asked_for: Listed[_AskedFor] = ("probability",)
    answer_order: Listed[_Order] = ("01",)


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _JudgingTable:
    protocol: Listed[Literal["consultancy", "debate"]] = ("consultancy", "debate")
    template: Listed[Text] | tuple[None] = (None,)
    step: Listed[Positive | Literal["end"]] = ("end",)
    probe: Listed[Literal["none", "unverified", "padded"]] = ("none",)
    asked_for: Listed[_AskedFor] = ("probability",)
    answer_order: Listed[_Order] = ("01",)


def _plans(table: _ReadingTable | _JudgingTable) -> Iterator[JudgingPlan]:
    """Yield the arms; a probe is one for each answer whose turns it changes."""
    for chosen in combinations(table):
        protocol, asked_for = chosen["protocol"], chosen["asked_for"]
        usual = f"ov_{protocol if protocol in UNARGUED else 'judge'}"
        step, probe = chosen.get("step", _AT_THE_END), chosen.get("probe", NO_PROBE)
        for probed in (None,) if probe == NO_PROBE else (0, 1):
            yield JudgingPlan(
                chosen["template"] or (f"{usual}_choice" if asked_for == CHOICE else usual),
                protocol,
                chosen["answer_order"],
                asked_for,
                probe,
                probed,
                None if step == _AT_THE_END else step,
            )


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class ReadingOptions(KindOptions):
    """Options of judging questions about stories that nobody argues about."""

    kind: ClassVar[str] = "reading"
    arm_fields: ClassVar[tuple[str, ...]] = ("judging",)
    crossed_table: ClassVar[str | None] = "judging"
    arms_key: ClassVar[str | None] = "judgings"

    sampling: QuestionSampling = QuestionSampling()
    judging: Annotated[tuple[JudgingPlan, ...], Crossed(_ReadingTable, _plans)]


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class JudgingOptions(KindOptions):
    """Options of judging transcripts."""

    kind: ClassVar[str] = "oversight"
    arm_fields: ClassVar[tuple[str, ...]] = ("judging",)
    crossed_table: ClassVar[str | None] = "judging"
    arms_key: ClassVar[str | None] = "judgings"

    sampling: QuestionSampling = QuestionSampling()
    judging: Annotated[tuple[JudgingPlan, ...], Crossed(_JudgingTable, _plans)]


class TranscriptItems(ItemSet):
    """Transcripts about the questions that an experiment draws."""

    file = TRANSCRIPT_ITEMS
    reference_name = "reading_reference"

    def read(self) -> Iterator[Transcript]:
        return iter_transcripts(self.source)

    def draw(self) -> Drawn:
        _, drawn = drawn_questions(self.experiment, self.source)
        about = list(TRANSCRIPT_ITEMS.column(self.source, "question_id"))
        facts = {"questions": len(drawn), "transcripts": sum(each in drawn for each in about)}
        return draw_those(self.experiment.seed, about, drawn, facts)


class Judgements(Kind):
    """Transcripts of debates about stories to judge."""

    noun = "a debate about a story"
    options: type[KindOptions] = JudgingOptions
    item_set: type[ItemSet] = TranscriptItems
    template = OVERSIGHT
    line = "oversight"
    line_fields = asked_fields = (*_JUDGED, *_JUDGED_IF_ANY)
    whole = _WHOLE
    table = Table(
        JUDGEMENTS,
        about=(
            About("question_id", "raw.reading_questions", "a judgement of a question"),
            About(
                "transcript_id",
                _TRANSCRIPTS_THERE,
                "a judgement of a transcript",
                "it is loaded once the journal of the run that wrote it is in the home",
                may_come=True,
            ),
        ),
    )
    first_experiment = "story-judgement"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        return variants_of(self, experiment, experiment.arms, prompts_folder, _check_arm)

    def applies(self, item: Any, variant: PromptVariant) -> bool:
        return has_use(item, variant.arm)

    def prompt_inputs(self, item: Any, variant: PromptVariant, seed: int) -> PromptInputs:
        plan: JudgingPlan = variant.arm
        values = prompt_values(item, plan) | {"story": "", "speakers": prompt_speakers(item, plan)}
        return PromptInputs(values, plan, prompt_turns(item, plan), _letters(plan))

    def describe(self, request: Request) -> Description:
        item = request.about(Transcript)
        judged = {"question_id": item.question_id, "transcript_id": item.item_id}
        return _description(request, "transcript", {"item_kind": self.line, **judged})

    def costs(self, request: Request) -> CostHints:
        if request.way(JudgingPlan).asked_for == PROBABILITY:
            return CostHints(answer="<probability>50</probability>")
        if request.template.is_justified or not request.labels:
            return CostHints()
        return CostHints(answer=max(request.labels, key=len))

    def parse(self, line: Mapping[str, Any]) -> Judgement:
        asked = (line["asked_for"], line["answer_order"], line.get("answer_format"))
        return read_judgement(line["response"], *asked, line.get("finish_reason"))

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.oversight_judgements`.

        A judge that was asked to choose has a probability too where both letters' are known.
        """
        row |= columns_of(line, JUDGEMENTS, _JUDGED, _JUDGED_IF_ANY)
        for name, values in _KNOWN.items():
            check_known(line, name, values)
        if row["probe"] != NO_PROBE:
            check_known(line, "probed_answer", (0, 1))
        row["is_final"] = row["step"] is None
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row["answer_format"] = row["answer_format"] or "text"
            if (logprobs := line.get("label_logprobs")) is not None:
                # A later reading needs them.
                ceiling = line.get("label_logprob_ceiling")
                known = {"label_logprobs": logprobs, "label_logprob_ceiling": ceiling}
                row["extra"] = (row["extra"] or {}) | known
            row |= judged(row, row["extra"] or {})
        return [Row(row)]


class Readings(Judgements):
    """Questions about stories to judge without anybody's arguments."""

    noun = "a question about a story"
    options = ReadingOptions
    item_set = StoryItems
    first_experiment = "story-baselines"

    def applies(self, item: Any, variant: PromptVariant) -> bool:
        return variant.arm.protocol in UNARGUED

    def prompt_inputs(self, item: Any, variant: PromptVariant, seed: int) -> PromptInputs:
        """Return the values: only an expert is given the story, and nobody argues."""
        plan: JudgingPlan = variant.arm
        story = item.story if plan.protocol == EXPERT else ""
        values = prompt_values(item, plan) | {"story": story, "speakers": ""}
        return PromptInputs(values, plan, labels=_letters(plan))

    def describe(self, request: Request) -> Description:
        judged = {"item_kind": self.line, "question_id": request.item.item_id}
        return _description(request, "question", judged)


def _check_arm(who: str, arm: JudgingPlan, template: Template) -> None:
    """Refuse a prompt that asks for something else, or shows what its judges may not see."""
    if template.task not in (None, arm.asked_for):
        raise BadTemplate(
            f"{who} asks for a {arm.asked_for}, and prompt '{arm.template}' for a "
            f"{template.task}; make the two agree"
        )
    own = "transcript" if arm.protocol in ARGUED else "story" if arm.protocol == EXPERT else ""
    for slot in ("transcript", "story"):
        if (slot in template.slots) != (slot == own):
            has = "has the slot" if slot in template.slots else "has no slot"
            raise BadTemplate(
                f"{who} judges by the protocol '{arm.protocol}', and prompt '{arm.template}' "
                f"{has} {{{slot}}}; naive judges are shown neither story nor transcript, "
                "experts the story, and others the transcript"
            )


def _description(request: Request, item_name: str, judged: dict[str, Any]) -> Description:
    plan = request.way(JudgingPlan)
    return described(
        request,
        "judging",
        item_name,
        judged,
        answer_name="answer",
        schema=_probability_schema if plan.asked_for == PROBABILITY else None,
        answer_begins=_ANSWER_BEGINS,
    )


def _probability_schema(*_: Any) -> dict[str, Any]:
    return object_schema({"probability": {"type": "number", "minimum": 0, "maximum": 1}})


def _letters(plan: JudgingPlan) -> tuple[str, ...]:
    return LETTERS if plan.asked_for == CHOICE else ()


def judged(row: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row's reply says, as columns of `raw.oversight_judgements`."""
    asked = (row["asked_for"], row["answer_order"], row.get("answer_format"))
    said = read_judgement(row["response"], *asked, row.get("finish_reason"))
    p = said.p_answer_0
    if row["asked_for"] == CHOICE and said.choice is not None and known.get("label_logprobs"):
        p = probability_of_labels(
            known["label_logprobs"], known["label_logprob_ceiling"], row["answer_order"]
        )
    return {
        "p_answer_0": p,
        "choice": said.choice,
        "parse_status": said.status,
        "parse_reason": said.reason,
    }
