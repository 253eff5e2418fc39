"""Debates with a winner to name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.dataclasses import dataclass

from inference.debates.items import DEBATES, Debate
from inference.debates.variants import OUTCOMES, Arm, Variant, read_labels, realise
from inference.debates.verdicts import read_reply, verdict_text
from inference.errors import BadTemplate
from inference.kinds.fields import REPLIED, TEXT, TRUTH, check, columns_of
from inference.kinds.labels import PROBABILITIES, probability_of_pro, probability_rows_of
from inference.kinds.options import (
    CONFIG,
    Crossed,
    Flag,
    KindOptions,
    Listed,
    Positive,
    Sampling,
    Text,
    combinations,
)
from inference.kinds.parts import ANSWERED, IMPORTED, About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    variants_of,
)
from inference.parsing import ParsedLabel, read_verdict, read_winner
from inference.sampling import Drawn
from inference.template_kinds import DEBATE
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.request import Request

# The factors that are drawn for each debate.
DRAWN = ("pro_label", "con_label", "first_side", "outcome")
# Those that an experiment chose, which only a run's recording has.
_CHOSEN = ("verbalizer", "position")
_OF_VERDICTS = (*_CHOSEN, *DRAWN, "reasoning")
_WHOLE = {
    **REPLIED,
    "pro_label": TEXT,
    "con_label": TEXT,
    "outcome": TEXT,
    "reasoning": TRUTH,
}
ROUND_COUNTS = (3, 4, 5)


def _labels(verbalizer: str) -> str:
    try:
        read_labels(verbalizer)
    except ValueError as error:
        raise ValueError(f"it {error}") from None
    return verbalizer


def _counts(value: Any) -> Any:
    """Return numbers by round count as pairs; a file has them in a table, or one for all."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = dict.fromkeys(map(str, ROUND_COUNTS), value)
    if not isinstance(value, dict):
        return value
    if not value or not all(key.isascii() and key.isdigit() for key in value):
        raise ValueError("it should be a table from round counts to numbers, such as {3 = 125}")
    return tuple(sorted((int(key), number) for key, number in value.items()))


LabelPair = Annotated[Text, AfterValidator(_labels)]
Position = Literal["pro_first", "con_first", "shuffled"]
_Counts = Annotated[tuple[tuple[int, Positive], ...], BeforeValidator(_counts)]


@dataclass(frozen=True, config=CONFIG)
class DebateSampling(Sampling):
    """Sampling of debates; the defaults are the published study's samples.

    Attributes:
        method: `all`, `balanced` (equal cells of closing side and winner per round count) or
            `natural` (as they come, per round count).
        per_cell: How many per cell for each round count; or `smallest`, as many as the smallest
            cell of the round count has.
        without_other_turns: Whether hosts, audiences and others without a side are left out.
    """

    method: Literal["all", "balanced", "natural"] = "all"
    per_cell: Literal["smallest"] | _Counts = ((3, 125), (4, 125), (5, 75))
    per_round_count: _Counts = tuple((count, 500) for count in ROUND_COUNTS)
    max_words: Positive | None = None
    without_other_turns: Flag = False

    @model_validator(mode="before")
    @classmethod
    def _counts_fit_the_method(cls, content: Any) -> Any:
        for key, method in (("per_cell", "balanced"), ("per_round_count", "natural")):
            if isinstance(content, dict) and key in content and content.get("method") != method:
                raise ValueError(
                    f"sampling.{key} belongs to the method '{method}', and the method is "
                    f"'{content.get('method', 'all')}'"
                )
        return content


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _ArmTable:
    template: Text | None = None
    labels: LabelPair
    position: Position = "pro_first"
    outcome: Literal["winner", "loser"] = "winner"


# Labels vary slowest: prompts with the same ones begin alike, and are asked in a row.
@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _VariantsTable:
    labels: Listed[LabelPair]
    outcome: Listed[Literal["winner", "loser"]] = ("winner",)
    position: Listed[Position] = ("pro_first",)
    template: Listed[Text] | tuple[None] = (None,)


def _arm(template: str | None, labels: str, position: str, outcome: str) -> Arm:
    if template is None:
        raise ValueError("the file lacks the key 'template'; add it")
    return Arm(template, labels, position, outcome)


def _listed_arms(tables: tuple[_ArmTable, ...]) -> Iterator[Arm]:
    return (_arm(each.template, each.labels, each.position, each.outcome) for each in tables)


def _crossed_arms(table: _VariantsTable) -> Iterator[Arm]:
    return (_arm(**chosen) for chosen in combinations(table))


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class DebateOptions(KindOptions):
    """Options of naming winners: `[variants]`, which are crossed, or `[[arms]]` one by one."""

    kind: ClassVar[str] = "debate"
    arm_fields: ClassVar[tuple[str, ...]] = ("variants", "listed_arms")
    arms_key: ClassVar[str | None] = "arms"

    sampling: DebateSampling = DebateSampling()
    variants: Annotated[tuple[Arm, ...], Crossed(_VariantsTable, _crossed_arms)] = ()
    listed_arms: Annotated[tuple[Arm, ...], Crossed(Listed[_ArmTable], _listed_arms)] = Field(
        default=(), validation_alias="arms"
    )

    @classmethod
    def from_file(cls, content: Mapping[str, Any], template: Any) -> dict[str, Any]:
        """Return the fields in a file, with its template as that of arms without one."""
        found = dict(content)
        if template is not None and isinstance(found.get("variants"), dict):
            found["variants"] = {"template": [template], **found["variants"]}
        if template is not None and isinstance(found.get("arms"), list):
            found["arms"] = [
                {"template": template, **arm} if isinstance(arm, dict) else arm
                for arm in found["arms"]
            ]
        return found

    def check(self) -> None:
        """Refuse arms in two forms, or in none."""
        if bool(self.variants) == bool(self.listed_arms):
            raise ValueError(
                f"it has {'both' if self.variants else 'neither'} [variants] and [[arms]]; give "
                "one of them: [variants] for every combination, [[arms]] for each on its own"
            )
        super().check()


class DebateItems(ItemSet):
    """Debates of a data set, drawn by the experiment's method."""

    file = DEBATES
    reference_name = "debates_reference"

    def read(self) -> Iterator[Debate]:
        for debate in DEBATES.read(self.source):
            is_short = self.experiment.options.sampling.without_other_turns
            yield debate.without_other_turns() if is_short else debate

    def draw(self) -> Drawn:
        from inference.debates.sampling import draw_debates

        return draw_debates(self.experiment, self.source)


class Debates(Kind):
    """Debates with a winner to name."""

    noun = "a debate"
    options: type[KindOptions] = DebateOptions
    item_set = DebateItems
    template = DEBATE
    # Lines are older than kinds.
    line: str | None = None
    line_fields: tuple[str, ...] = _OF_VERDICTS
    asked_fields = (*DRAWN, *_CHOSEN)
    whole = _WHOLE
    table = Table(
        "verdicts",
        parts=PROBABILITIES,
        about=(About("debate_id", "raw.debates", "a verdict on a debate"),),
    )
    first_experiment = "debate-winner"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        return variants_of(self, experiment, experiment.arms, prompts_folder, _check_arm)

    def prompt_inputs(self, item: Any, variant: Any, seed: int) -> PromptInputs:
        return debate_inputs(item, realise(variant.arm, seed, item.item_id), {})

    def describe(self, request: Request) -> Description:
        """Return the variant as it was chosen and as it was drawn.

        So two arms stay apart also where their prompts come out the same. What a line is about it
        does not say: it is older than kinds.
        """
        variant = request.way(Variant)
        factors, is_justified = asdict(variant), request.template.is_justified
        return Description(
            identity={"variant": factors},
            facts=lambda: _debate_facts(request),
            fields={**factors, "reasoning": is_justified},
            answer_name=variant.outcome,
            answer_begins=_ANSWER_BEGINS,
            is_last_line=is_justified,
            recorded_reply=lambda found: _recorded_reply(request, found),
        )

    def costs(self, request: Request) -> CostHints:
        if request.template.is_justified or not request.labels:
            return CostHints()
        return CostHints(answer=max(request.labels, key=len))

    def parse(self, line: Mapping[str, Any]) -> ParsedLabel:
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

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
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
            # Another copy only where the reply has half a character.
            is_same = row["response"] is line["response"]
            parsed = self.parse(line if is_same else {**line, "response": row["response"]})
            row["winner"], row["parse_status"], row["parse_reason"] = parsed
        parts, shares = probability_rows_of(line, row["line_number"])
        labels = line["pro_label"] or "pro", line["con_label"] or "con"
        row |= probability_of_pro(shares, *labels, line["outcome"])
        return [Row(row, parts)]


_ANSWER_BEGINS = re.compile(r"\"(?:winner|loser)\"\s*:\s*\"?")


def debate_inputs(item: Debate, variant: Variant, more: Mapping[str, str]) -> PromptInputs:
    """Return what a debate puts into a prompt under a variant, with other values of the prompt."""
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
    return PromptInputs(values, variant, turns, variant.labels)


def _check_variant(line: Mapping[str, Any]) -> None:
    """Refuse outcomes, sides and labels that no variant has."""
    if line["outcome"] not in OUTCOMES or line["first_side"] not in ("pro", "con"):
        raise ValueError(
            f"outcome should be winner or loser, and first_side pro or con; found "
            f"{line['outcome']!r} and {line['first_side']!r}"
        )
    read_labels(f"{line['pro_label']}/{line['con_label']}")


def _check_arm(who: str, arm: Arm, template: Template) -> None:
    if arm.outcome != "winner" and "outcome" not in template.slots:
        raise BadTemplate(
            f"{who} asks for the {arm.outcome}, and prompt '{arm.template}' has no slot "
            "{outcome} to say so; use one that has"
        )


def _debate_facts(request: Request) -> dict[str, Any]:
    """Return what judges without prompts go by: the debate, and how much each side says."""
    item = request.about(Debate)
    words = (item.words_pro, item.words_con, item.words_other)
    return {"debate": item.item_hash, "words": words, "template": request.template.label}


def _recorded_reply(request: Request, found: Mapping[str, Any]) -> str | None:
    if "winner" not in found:
        return None
    winner = found["winner"]
    return verdict_text(request, winner if winner in ("pro", "con") else None, "")
