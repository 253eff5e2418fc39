"""Verdicts on debates under pressure: the judge is asked again after a side has spoken."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.debates.pressure import (
    PRESSURE,
    REBUTTALS,
    SPEAKERS,
    WORD_LIMIT,
    JudgedDebate,
    Pressed,
    PressureArm,
    first_verdicts,
    is_debater,
    judged_debate,
    read_arms,
    rebuttal_text,
)
from inference.errors import BadItems
from inference.kinds.debates import Debates
from inference.kinds.fields import check_known, columns_of
from inference.kinds.parts import About, Asked, Drafted, Equipped, Given, Put, Resources, Row, Table
from inference.kinds.protocol import Kind
from inference.prompt_files import Prompt, PromptFile
from inference.template_kinds import PRESSED
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge
    from inference.judges.request import Request

DEBATER_PROMPT = PromptFile(
    "debating", "rebuttal", ("first_reply", "motion", "rebutter", "transcript", "word_limit")
)
_OWN = ("rebuttal", "said_by", "first_template", "first_winner", "first_request_id")


class Pressure(Debates):
    """Verdicts to put under pressure."""

    name = "pressure"
    words = "a verdict under pressure"
    first_experiment = "debate-pressure"
    template = PRESSED
    own = Debates.own - {"arms", "variants"} | {"pressure"}
    tables = PRESSURE.tables
    arms_name = "pressure"
    identity_name = "pressed"
    finds_effects = False
    line = "pressure"
    line_fields = (*Debates.line_fields, *_OWN)
    table = Table(
        "pressed_verdicts",
        about=(About("debate_id", "raw.debates", "a verdict on a debate"),),
    )

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        arms = read_arms(path, content)
        return {"arms": arms, "template": arms[0].template}

    def check_arm(self, who: str, arm: Any, template: Template) -> None:
        """Every prompt of the kind asks for the winner, as the first verdict's did."""

    def asked(self, experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
        """Return every way to put a verdict under pressure, with how a debater is asked for it."""
        prompt = DEBATER_PROMPT.load(prompts_folder)
        return [
            each._replace(note=prompt) if is_debater(each.arm.rebuttal) else each
            for each in super().asked(experiment, prompts_folder)
        ]

    def run_parts(self, asked: Sequence[Asked]) -> list[str]:
        return sorted({each.note.prompt_hash for each in asked if each.note is not None})

    def header(self, run: Drafted) -> dict[str, Any]:
        """Return the arms, and who else takes part with which settings."""
        others = {each.judge_id: each.settings for each in getattr(run.judge, "others", ())}
        return Kind.header(self, run) | ({"parties": others} if others else {})

    def equipped(self, judge: Judge, resources: Resources) -> Equipped:
        """Return the judge, with debates that come with its first verdicts."""
        afters = {each.arm.after for each in resources.asked}
        dataset_id, judge_id = resources.source.dataset_id, resources.spec.judge_id
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
        debaters = {each.arm.rebuttal for each in resources.asked if each.note is not None}
        if debaters:
            # It knows every kind of experiment, of which this is one.
            from inference.judges.rebutting import rebutted

            judge = rebutted(judge, debaters, self.put_rebuttal, resources)
        return Equipped(judge, lambda debate: judged_debate(debate, firsts))

    def has_use(self, item: JudgedDebate, arm: PressureArm) -> bool:
        """Say whether there is a first verdict that this arm puts under pressure."""
        return item.first(arm, 0) is not None

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        arm: PressureArm = asked.arm
        first = item.first(arm, asked.sample)
        if first is None:
            raise ValueError(f"'{item.item_id}' has no first verdict for {arm.words}")
        variant = Pressed(
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
        if asked.note is None:
            text = rebuttal_text(arm.rebuttal, item.point(variant.rebutter))
            return self.put_rebuttal(item, variant, text)
        # The debater's words are put there when it has spoken.
        put = self.put_rebuttal(item, variant, "")
        return put._replace(note_prompts=(_debater_prompt(asked.note, put),))

    def put_rebuttal(self, item: JudgedDebate, variant: Pressed, text: str) -> Put:
        """Return what a debate puts into a prompt with a rebuttal."""
        replies = {each.request_id: each.reply for each in item.firsts}
        said = {
            "first_reply": replies[variant.first_request_id],
            "rebutter": variant.label_of(variant.rebutter),
            "rebuttal": text,
        }
        return self.put_as(item, variant, said)

    def identity(self, request: Request) -> dict[str, Any]:
        """What tells a request apart: how it was asked, and the first reply, word for word.

        Of a debater's rebuttal also how it was asked for.
        """
        variant, item = request.way(Pressed), request.about(JudgedDebate)
        replies = {each.request_id: each.reply for each in item.firsts}
        apart = {
            **super().identity(request),
            "first_reply": _hash(replies[variant.first_request_id]),
        }
        if request.note_prompts:
            apart["note_prompts"] = _hash("\n".join(request.note_prompts))
        return apart

    def fields(self, request: Request) -> dict[str, Any]:
        return {"item_kind": self.line, **super().fields(request)}

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.pressed_verdicts`."""
        known = columns_of(line, self.table.name, _OWN)
        if not is_debater(line["rebuttal"]):
            check_known(line, "rebuttal", REBUTTALS)
        check_known(line, "said_by", SPEAKERS)
        check_known(line, "first_winner", ("pro", "con"))
        (verdict,) = super().rows(row, line)
        return [Row(verdict.row | known)]


def _debater_prompt(prompt: Prompt, put: Put) -> str:
    """Return how the debater is asked, who sees what the judge sees."""
    names = ("first_reply", "motion", "rebutter")
    transcript = "\n\n".join(f"{speaker}: {text}" for speaker, text in put.turns)
    return prompt.fill(
        {name: put.values[name] for name in names}
        | {"transcript": transcript, "word_limit": str(WORD_LIMIT)}
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
