"""Debate as oversight: judging questions about stories, with a debate about them or without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import BadTemplate
from inference.item_files import ItemFile
from inference.items import ItemSource
from inference.json_text import object_schema
from inference.kinds.fields import TEXT, check, check_known, columns_of
from inference.kinds.parts import ANSWERED, About, Asked, Given, Put, Row, Table
from inference.kinds.protocol import Kind
from inference.oversight.arms import JUDGING, read_judgings
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    EXPERT,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    READING,
    TRANSCRIPT_ITEMS,
    JudgingPlan,
    Transcript,
    draw_questions,
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
_JUDGED = ("question_id", "protocol", "answer_order", "probe", "asked_for")
_JUDGED_IF_ANY = ("transcript_id", "step", "probed_answer")
_KNOWN = {
    "protocol": PROTOCOLS,
    "answer_order": ANSWER_ORDERS,
    "probe": PROBES,
    "asked_for": ASKED_FOR,
}


class Judgements(Kind):
    """Transcripts of debates about stories to judge."""

    name = "oversight"
    words = "a debate about a story"
    first_experiment = "story-judgement"
    files: ItemFile[Any] = TRANSCRIPT_ITEMS
    template = OVERSIGHT
    reference_file = "reading_reference_file"
    own = frozenset({"judging", "judgings", "questions"})
    tables = JUDGING.tables
    arms_name = "judgings"
    identity_name = "judging"
    item_name = "transcript"
    line = "oversight"
    line_fields = (*_JUDGED, *_JUDGED_IF_ANY)
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
    answer_begins = re.compile(r"\"answer\"\s*:\s*\"?")

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Any]:
        return iter_transcripts(source)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        _, drawn = drawn_questions(experiment, source)
        about = list(TRANSCRIPT_ITEMS.column(source, "question_id"))
        facts = {"questions": len(drawn), "transcripts": sum(each in drawn for each in about)}
        return draw_those(experiment.seed, about, drawn, facts)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        plans = read_judgings(path, content, self.name)
        return {"arms": plans, "template": plans[0].template}

    def check_arm(self, who: str, arm: JudgingPlan, template: Template) -> None:
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

    def has_use(self, item: Any, arm: JudgingPlan) -> bool:
        return has_use(item, arm)

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        plan: JudgingPlan = asked.arm
        values = prompt_values(item, plan) | {"story": "", "speakers": prompt_speakers(item, plan)}
        return Put(values, plan, prompt_turns(item, plan), _letters(plan))

    def answer_name(self, request: Request) -> str:
        return "answer"

    def schema(self, request: Request) -> dict[str, Any] | None:
        if request.way(JudgingPlan).asked_for != PROBABILITY:
            return super().schema(request)
        return object_schema({"probability": {"type": "number", "minimum": 0, "maximum": 1}})

    def expected(self, request: Request) -> str | None:
        if request.way(JudgingPlan).asked_for == PROBABILITY:
            return "<probability>50</probability>"
        return None if request.template.is_justified else max(request.labels, key=len)

    def fields(self, request: Request) -> dict[str, Any]:
        item = request.about(Transcript)
        judged = {"question_id": item.question_id, "transcript_id": item.item_id}
        return {"item_kind": self.line, **judged, **asdict(request.variant)}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        is_known = line.get("asked_for") in ASKED_FOR and line.get("answer_order") in ANSWER_ORDERS
        return super().is_whole(line) and is_known

    def said(self, line: Mapping[str, Any]) -> Judgement:
        return _said(line)

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
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

    name = "reading"
    words = "a question about a story"
    first_experiment = "story-baselines"
    files = READING
    item_name = "question"

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Any]:
        return READING.read(source)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        return draw_questions(experiment, source)

    def has_use(self, item: Any, arm: JudgingPlan) -> bool:
        return arm.protocol in UNARGUED

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        """Return the slots: only an expert is given the story, and nobody argues."""
        plan: JudgingPlan = asked.arm
        story = item.story if plan.protocol == EXPERT else ""
        values = prompt_values(item, plan) | {"story": story, "speakers": ""}
        return Put(values, plan, labels=_letters(plan))

    def fields(self, request: Request) -> dict[str, Any]:
        own = {"item_kind": self.line, "question_id": request.item.item_id}
        return own | asdict(request.variant)


def _letters(plan: JudgingPlan) -> tuple[str, ...]:
    return LETTERS if plan.asked_for == CHOICE else ()


def _said(line: Mapping[str, Any]) -> Judgement:
    asked = (line["asked_for"], line["answer_order"], line.get("answer_format"))
    return read_judgement(line["response"], *asked, line.get("finish_reason"))


def judged(row: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row's reply says, as columns of `raw.oversight_judgements`."""
    said = _said(row)
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
