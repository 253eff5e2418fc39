"""Verdicts on debates under pressure: the judge is asked again after a side has spoken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator
from pydantic.dataclasses import dataclass

from inference.debates.pressure import (
    REBUTTALS,
    SPEAKERS,
    WORD_LIMIT,
    JudgedDebate,
    Pressed,
    PressureArm,
    first_verdicts,
    is_debater,
    judged_debate,
    rebuttal_text,
)
from inference.errors import BadItems
from inference.kinds.debates import Debates, DebateSampling, LabelPair, Position, debate_inputs
from inference.kinds.fields import check_known, columns_of
from inference.kinds.options import CONFIG, Crossed, KindOptions, Listed, Text, combinations
from inference.kinds.parts import About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    Equipped,
    PromptInputs,
    PromptVariant,
    RunResources,
    variants_of,
)
from inference.prompt_files import Prompt, PromptFile
from inference.template_kinds import PRESSED

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge
    from inference.judges.request import Request

DEBATER_PROMPT = PromptFile(
    "debating", "rebuttal", ("first_reply", "motion", "rebutter", "transcript", "word_limit")
)
_OWN = ("rebuttal", "said_by", "first_template", "first_winner", "first_request_id")


def _rebuttal(value: str) -> str:
    if value not in REBUTTALS and not is_debater(value):
        raise ValueError(
            f"it should be one of {', '.join(REBUTTALS)}, or the judge that writes it, such as "
            "openai/gpt-4.1-mini"
        )
    return value


# The rebuttals of one debate begin alike and are asked in a row.
@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _PressureTable:
    after: Listed[Text] = ("debate-winner",)
    first_template: Listed[Text] = ("winner_vanilla",)
    labels: Listed[LabelPair] = ("A/B",)
    position: Listed[Position] = ("pro_first",)
    rebuttal: Listed[Annotated[str, AfterValidator(_rebuttal)]] = REBUTTALS
    said_by: Listed[Literal["loser", "winner"]] = ("loser", "winner")
    template: Listed[Text]


def _arms(table: _PressureTable) -> Iterator[PressureArm]:
    for chosen in combinations(table):
        yield PressureArm(verbalizer=chosen.pop("labels"), **chosen)


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class PressureOptions(KindOptions):
    """Options of putting verdicts under pressure."""

    kind: ClassVar[str] = "pressure"
    arm_fields: ClassVar[tuple[str, ...]] = ("pressure",)
    crossed_table: ClassVar[str | None] = "pressure"
    arms_key: ClassVar[str | None] = "pressure"

    sampling: DebateSampling = DebateSampling()
    pressure: Annotated[tuple[PressureArm, ...], Crossed(_PressureTable, _arms)]


@plain_dataclass(frozen=True)
class PressureVariant(PromptVariant):
    """An arm with the prompt of the debater that writes its rebuttal; None for texts of ours."""

    debater_prompt: Prompt | None = None

    @property
    def run_parts(self) -> tuple[tuple[str, str], ...]:
        prompt = self.debater_prompt
        return () if prompt is None else (("debater", prompt.prompt_hash),)


class Pressure(Debates):
    """Verdicts to put under pressure."""

    noun = "a verdict under pressure"
    options = PressureOptions
    template = PRESSED
    line = "pressure"
    line_fields = (*Debates.line_fields, *_OWN)
    table = Table(
        "pressed_verdicts",
        about=(About("debate_id", "raw.debates", "a verdict on a debate"),),
    )
    first_experiment = "debate-pressure"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PressureVariant]:
        """Return every arm, with how a debater is asked for its rebuttal."""
        prompt = DEBATER_PROMPT.load(prompts_folder)
        made = variants_of(self, experiment, experiment.arms, prompts_folder, make=PressureVariant)
        return [
            replace(each, debater_prompt=prompt) if is_debater(each.arm.rebuttal) else each
            for each in made
        ]

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge, with debates that come with its first verdicts."""
        afters = {each.arm.after for each in resources.variants}
        dataset_id, judge_id = resources.items.source.dataset_id, resources.spec.judge_id
        root = resources.journal_root
        firsts = {} if root is None else first_verdicts(root, judge_id, dataset_id, afters)
        if not firsts:
            named = " or ".join(sorted(afters))
            raise BadItems(
                f"pressure: judge '{judge_id}' has no readable verdict of {named} on data set "
                f"'{dataset_id}' to put under pressure; 'rostrum run {min(afters)} --judge "
                f"{judge_id} --dataset {dataset_id}' asks for them, or name another data set with "
                "--dataset"
            )
        debaters = {each.arm.rebuttal for each in resources.variants if each.debater_prompt}
        if debaters:
            # It knows every kind of experiment, of which this is one.
            from inference.judges.rebutting import rebutted

            judge = rebutted(judge, debaters, pressed_inputs, resources)
        others = {each.judge_id: each.settings for each in getattr(judge, "others", ())}
        header = {"parties": others} if others else {}
        return Equipped(judge, lambda debate: judged_debate(debate, firsts), header)

    def applies(self, item: JudgedDebate, variant: PressureVariant) -> bool:
        """Return whether there is a first verdict that the arm puts under pressure."""
        return item.first(variant.arm, 0) is not None

    def prompt_inputs(
        self, item: JudgedDebate, variant: PressureVariant, seed: int
    ) -> PromptInputs:
        arm: PressureArm = variant.arm
        first = item.first(arm, variant.sample)
        if first is None:
            raise ValueError(f"'{item.item_id}' has no first verdict for {arm.words}")
        pressed = Pressed(
            arm.verbalizer,
            arm.position,
            "winner",
            first.pro_label,
            first.con_label,
            first.first_side,
            rebuttal=arm.rebuttal,
            said_by=arm.said_by,
            first_template=arm.first_template,
            first_winner=first.winner,
            first_request_id=first.request_id,
        )
        if variant.debater_prompt is None:
            text = rebuttal_text(arm.rebuttal, item.point(pressed.rebutter))
            return pressed_inputs(item, pressed, text)
        # The debater's text is put there once it is written.
        inputs = pressed_inputs(item, pressed, "")
        return inputs._replace(note_prompts=(_filled(variant.debater_prompt, inputs),))

    def describe(self, request: Request) -> Description:
        """Return the variant and the first reply, word for word; of a debater also its prompt."""
        found = super().describe(request)
        variant, item = request.way(Pressed), request.about(JudgedDebate)
        replies = {each.request_id: each.reply for each in item.firsts}
        identity = {**found.identity, "first_reply": _hash(replies[variant.first_request_id])}
        if request.note_prompts:
            identity["note_prompts"] = _hash("\n".join(request.note_prompts))
        return replace(found, identity=identity, fields={"item_kind": self.line, **found.fields})

    def costs(self, request: Request) -> CostHints:
        messages = len(request.note_prompts) + 1
        return replace(super().costs(request), messages=(messages, messages))

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.pressed_verdicts`."""
        known = columns_of(line, self.table.name, _OWN)
        if not is_debater(line["rebuttal"]):
            check_known(line, "rebuttal", REBUTTALS)
        check_known(line, "said_by", SPEAKERS)
        check_known(line, "first_winner", ("pro", "con"))
        (verdict,) = super().values(row, line)
        return [Row(verdict.row | known)]


def pressed_inputs(item: JudgedDebate, variant: Pressed, rebuttal: str) -> PromptInputs:
    """Return what a debate puts into a prompt with a rebuttal."""
    replies = {each.request_id: each.reply for each in item.firsts}
    said = {
        "first_reply": replies[variant.first_request_id],
        "rebutter": variant.label_of(variant.rebutter),
        "rebuttal": rebuttal,
    }
    return debate_inputs(item, variant, said)


def _filled(prompt: Prompt, inputs: PromptInputs) -> str:
    """Return the prompt of a debater, who sees what the judge sees."""
    names = ("first_reply", "motion", "rebutter")
    transcript = "\n\n".join(f"{speaker}: {text}" for speaker, text in inputs.turns)
    return prompt.fill(
        {name: inputs.values[name] for name in names}
        | {"transcript": transcript, "word_limit": str(WORD_LIMIT)}
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
