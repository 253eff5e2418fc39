"""Verdicts on debates under pressure: the judge is asked again after a side has spoken."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.debates.pressure import (
    PRESSURE,
    REBUTTALS,
    SPEAKERS,
    JudgedDebate,
    Pressed,
    PressureArm,
    first_verdicts,
    judged_debate,
    read_arms,
    rebuttal_text,
)
from inference.errors import BadItems
from inference.kinds.debates import Debates
from inference.kinds.fields import check_known, columns_of
from inference.kinds.parts import About, Asked, Drafted, Equipped, Given, Put, Resources, Row, Table
from inference.kinds.protocol import Kind
from inference.template_kinds import PRESSED
from inference.templates import Template

if TYPE_CHECKING:
    from inference.judges.base import Judge
    from inference.judges.request import Request

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

    def header(self, run: Drafted) -> dict[str, Any]:
        return Kind.header(self, run)

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
        said = {
            "first_reply": first.reply,
            "rebutter": variant.label_of(variant.rebutter),
            "rebuttal": rebuttal_text(arm.rebuttal, item.point(variant.rebutter)),
        }
        return self.put_as(item, variant, said)

    def identity(self, request: Request) -> dict[str, Any]:
        """What tells a request apart: how it was asked, and the first reply, word for word."""
        variant, item = request.way(Pressed), request.about(JudgedDebate)
        replies = {each.request_id: each.reply for each in item.firsts}
        first = replies[variant.first_request_id].encode("utf-8", "replace")
        return {**super().identity(request), "first_reply": hashlib.sha256(first).hexdigest()}

    def fields(self, request: Request) -> dict[str, Any]:
        return {"item_kind": self.line, **super().fields(request)}

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.pressed_verdicts`."""
        known = columns_of(line, self.table.name, _OWN)
        check_known(line, "rebuttal", REBUTTALS)
        check_known(line, "said_by", SPEAKERS)
        check_known(line, "first_winner", ("pro", "con"))
        (verdict,) = super().rows(row, line)
        return [Row(verdict.row | known)]
