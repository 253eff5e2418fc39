"""Debates with a winner to name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.debates.items import DEBATES, Debate
from inference.debates.variants import (
    OUTCOMES,
    VARIANTS,
    Arm,
    Variant,
    read_arms,
    read_labels,
    realise,
)
from inference.debates.verdicts import read_reply
from inference.errors import BadTemplate
from inference.items import ItemSource
from inference.kinds.fields import TEXT, are_texts, check, columns_of
from inference.kinds.labels import PROBABILITIES, probability_of_pro, probability_rows_of
from inference.kinds.parts import ANSWERED, IMPORTED, About, Asked, Drafted, Given, Put, Row, Table
from inference.kinds.protocol import Kind
from inference.parsing import ParsedLabel, read_verdict, read_winner
from inference.sampling import Drawn
from inference.template_kinds import DEBATE
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.request import Request

# What a variant has drawn.
DRAWN = ("pro_label", "con_label", "first_side", "outcome")
# What an experiment chose of it, which only a run's recording says.
_CHOSEN = ("verbalizer", "position")
_OF_VERDICTS = (*_CHOSEN, *DRAWN, "reasoning")


class Debates(Kind):
    """Debates with a winner to name."""

    name = "debate"
    words = "a debate"
    first_experiment = "debate-winner"
    files = DEBATES
    template = DEBATE
    reference_file = "debates_reference_file"
    own = frozenset(
        {
            "arms",
            "max_words",
            "method",
            "per_cell",
            "per_round_count",
            "without_other_turns",
            "variants",
        }
    )
    tables = VARIANTS.tables
    arms_name = "arms"
    identity_name = "variant"
    finds_effects = True
    # Lines are older than kinds.
    line: str | None = None
    line_fields: Collection[str] = _OF_VERDICTS
    table = Table(
        "verdicts",
        parts=PROBABILITIES,
        about=(About("debate_id", "raw.debates", "a verdict on a debate"),),
    )
    answer_begins = re.compile(r"\"(?:winner|loser)\"\s*:\s*\"?")

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Debate]:
        for debate in DEBATES.read(source):
            yield debate.without_other_turns() if experiment.without_other_turns else debate

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        from inference.debates.sampling import draw_debates

        return draw_debates(experiment, source)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        arms = read_arms(path, content)
        return {"arms": arms, "template": values.get("template", arms[0].template)}

    def check_arm(self, who: str, arm: Arm, template: Template) -> None:
        """Refuse a prompt that cannot ask for the loser."""
        if arm.outcome != "winner" and "outcome" not in template.slots:
            raise BadTemplate(
                f"{who} asks for the {arm.outcome}, and prompt '{arm.template}' has no slot "
                "{outcome} to say so; use one that has"
            )

    def header(self, run: Drafted) -> dict[str, Any]:
        """Return the sample and the arms; what kind it is, no line of a debate says."""
        about = super().header(run)
        del about["experiment_kind"]
        return about

    def put(self, item: Debate, asked: Asked, given: Given) -> Put:
        return self.put_as(item, realise(asked.arm, given.seed, item.item_id), {})

    def put_as(self, item: Debate, variant: Variant, more: Mapping[str, str]) -> Put:
        """Return what a debate puts into a prompt under a variant, and what else is put there."""
        first, second = variant.labels
        values = {
            **more,
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
        return Put(values, variant, turns, variant.labels)

    def identity(self, request: Request) -> dict[str, Any]:
        """What tells a request apart: the variant as it was chosen and as it was drawn.

        So two arms are asked apart also where their prompts come out the same.
        """
        return {"variant": asdict(request.variant)}

    def facts(self, request: Request) -> dict[str, Any]:
        """What judges without prompts go by: the debate, and how much each side says."""
        item = request.about(Debate)
        words = (item.words_pro, item.words_con, item.words_other)
        return {"debate": item.item_hash, "words": words, "template": request.template.label}

    def answer_name(self, request: Request) -> str:
        return request.way(Variant).outcome

    def is_last_line(self, request: Request) -> bool:
        return request.template.is_justified

    def expected(self, request: Request) -> str | None:
        return None if request.template.is_justified else max(request.labels, key=len)

    def recorded(self, request: Request) -> Sequence[Mapping[str, Any]]:
        """Return the variant as it was chosen and drawn, as it was drawn, and without the order."""
        variant = asdict(request.variant)
        drawn = {name: variant[name] for name in DRAWN}
        unordered = {name: value for name, value in drawn.items() if name != "first_side"}
        return variant, drawn, unordered

    def asked_by(self, said: Mapping[str, Any]) -> str | None:
        there = {name: said[name] for name in (*DRAWN, *_CHOSEN) if name in said}
        return json.dumps({"outcome": "winner", **there}, sort_keys=True)

    def reply_to(self, request: Request, found: Mapping[str, Any]) -> str | None:
        if "winner" not in found:
            return None
        from inference.judges.base import verdict_text

        winner = found["winner"]
        return verdict_text(request, winner if winner in ("pro", "con") else None, "")

    def fields(self, request: Request) -> dict[str, Any]:
        """Return the variant; what a line is about it does not say."""
        return {**asdict(request.variant), "reasoning": request.template.is_justified}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        is_said = are_texts(line, "pro_label", "con_label", "outcome")
        return super().is_whole(line) and is_said and isinstance(line.get("reasoning"), bool)

    def said(self, line: Mapping[str, Any]) -> ParsedLabel:
        if line.get("wording") == IMPORTED:
            if line.get("winner") is not None:
                return read_winner(line["winner"])
            sides = (line["pro_label"], line["con_label"], line["outcome"])
            return read_verdict(line["response"], *sides, line.get("finish_reason"))
        return read_reply(
            line["response"],
            line["pro_label"],
            line["con_label"],
            line["outcome"],
            is_justified=line["reasoning"],
            answer_format=line.get("answer_format"),
            finish_reason=line.get("finish_reason"),
        )

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT})
        if line["wording"] == IMPORTED:
            # Files made elsewhere need not give their variant.
            known = columns_of(line, self.table.name, (), _OF_VERDICTS)
        else:
            known = columns_of(line, self.table.name, _OF_VERDICTS)
            _check_variant(line)
        row |= known | {"debate_id": line["item_id"]}
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row["answer_format"] = row["answer_format"] or "text"
            row["winner"], row["parse_status"], row["parse_reason"] = self.said({**line, **row})
        parts, shares = probability_rows_of(line, row["line_number"])
        labels = line["pro_label"] or "pro", line["con_label"] or "con"
        row |= probability_of_pro(shares, *labels, line["outcome"])
        return [Row(row, parts)]


def _check_variant(line: Mapping[str, Any]) -> None:
    """Refuse outcomes, sides and labels that no variant has."""
    if line["outcome"] not in OUTCOMES or line["first_side"] not in ("pro", "con"):
        raise ValueError(
            f"outcome should be winner or loser, and first_side pro or con; found "
            f"{line['outcome']!r} and {line['first_side']!r}"
        )
    read_labels(f"{line['pro_label']}/{line['con_label']}")
