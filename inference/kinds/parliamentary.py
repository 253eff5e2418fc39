"""British Parliamentary debates to adjudicate."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator
from pydantic.dataclasses import dataclass

from inference.errors import BadSettings, BadTemplate
from inference.kinds.fields import REPLIED, TEXT, check, check_known, columns_of
from inference.kinds.options import CONFIG, Crossed, Flag, KindOptions, Listed, Text, combinations
from inference.kinds.parts import ANSWERED, About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    Equipped,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    RunResources,
    score_answer,
    variants_of,
)
from inference.parliamentary.items import (
    ALL,
    ASKED_TASKS,
    NAMED_ORDERS,
    NOTES,
    PARLIAMENTARY_DEBATES,
    SHUFFLED,
    SPOKEN,
    STRATEGIES,
    WHOLE,
    Adjudication,
    AskedAdjudication,
    ParliamentaryDebate,
    adjudicate,
    speaker_of,
    values_of,
)
from inference.parliamentary.prompts import NOTE_PROMPT, Manual, load_manual, note_prompts
from inference.parliamentary.rulings import Ruling, read_ruling, ruling_schema
from inference.prompt_files import Prompt
from inference.template_kinds import PARLIAMENTARY
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge
    from inference.judges.request import Request

# Fields of lines that are columns, must or may.
_MUST = ("task", "manual", "house_order", "strategy", "has_motion", "has_info_slide")
_WHOLE = {**REPLIED, "task": ASKED_TASKS}
_MAY = ("named_order", "context_tokens", "is_context_exact")


def _house_order(value: str) -> str:
    if value != SHUFFLED and value not in NAMED_ORDERS:
        raise ValueError(
            "it should be the four houses in an order, such as co-cg-oo-og, or shuffled"
        )
    return value


# What follows the debate in a prompt varies fastest, so that requests in a row begin alike.
@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _AdjudicationTable:
    manual: Listed[Text] = ("bp_manual",)
    info_slide: Listed[Flag] = (True,)
    motion: Listed[Flag] = (True,)
    strategy: Listed[Literal["whole", "notes"]] = ("whole",)
    task: Listed[Literal["house_ranks", "speaker_scores", "speaker_ranks", "all"]] = ("all",)
    template: Listed[Text] | tuple[None] = (None,)
    house_order: Listed[Annotated[str, AfterValidator(_house_order)]] = (SPOKEN,)


def _arms(table: _AdjudicationTable) -> Iterator[Adjudication]:
    if table.template != (None,) and (len(table.task) > 1 or len(table.strategy) > 1):
        raise ValueError(
            "a prompt asks for one task by one strategy, and there are several; leave the "
            "template out, or write an experiment for each"
        )
    for chosen in combinations(table):
        task, strategy, template = (chosen.pop(name) for name in ("task", "strategy", "template"))
        if template is None and strategy == NOTES and task != ALL:
            raise ValueError(
                f"the task '{task}' is to be ruled on from notes, and the shipped prompt for that "
                "asks for all tasks; name one of your own with the slot {notes}"
            )
        yield Adjudication(
            template or ("bp_notes" if strategy == NOTES else f"bp_{task}"),
            task,
            chosen["house_order"],
            strategy,
            chosen["manual"],
            shows_motion=chosen["motion"],
            shows_info_slide=chosen["info_slide"],
        )


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class AdjudicationOptions(KindOptions):
    """Options of adjudicating parliamentary debates."""

    kind: ClassVar[str] = "parliamentary"
    arm_fields: ClassVar[tuple[str, ...]] = ("adjudication",)
    crossed_table: ClassVar[str | None] = "adjudication"
    arms_key: ClassVar[str | None] = "adjudications"

    adjudication: Annotated[tuple[Adjudication, ...], Crossed(_AdjudicationTable, _arms)]


@plain_dataclass(frozen=True)
class AdjudicationVariant(PromptVariant):
    """An arm with its judging manual, and the prompt for notes on a speech; None without notes."""

    manual: Manual | None = None
    note_prompt: Prompt | None = None

    @property
    def run_parts(self) -> tuple[tuple[str, str], ...]:
        manual = () if self.manual is None else (("manual", self.manual.label),)
        note = self.note_prompt
        return manual if note is None else (*manual, ("note", note.prompt_hash))


class ParliamentaryItems(ItemSet):
    """Parliamentary debates of a data set."""

    file = PARLIAMENTARY_DEBATES
    reference_name = "parliamentary_reference"
    count_name = "debates"


class Parliamentary(Kind):
    """British Parliamentary debates to adjudicate."""

    noun = "a parliamentary debate"
    options = AdjudicationOptions
    item_set = ParliamentaryItems
    template = PARLIAMENTARY
    line = "parliamentary"
    line_fields = (*_MUST, *_MAY)
    asked_fields = (*_MUST, "named_order")
    whole = _WHOLE
    table = Table(
        "adjudications",
        parts={
            "adjudication_values": ("request_id", "task", "place"),
            "adjudication_faults": ("request_id", "task", "fault", "detail"),
        },
        about=(About("debate_id", "raw.debates", "a ruling on a debate"),),
    )
    first_experiment = "bp-adjudication"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[AdjudicationVariant]:
        """Return every arm with its manual and how notes are asked for."""
        arms = experiment.arms
        manuals = {arm.manual: load_manual(arm.manual, prompts_folder) for arm in arms}
        note = None
        if any(arm.strategy == NOTES for arm in arms):
            note = NOTE_PROMPT.load(prompts_folder)
        made = variants_of(
            self, experiment, arms, prompts_folder, _check_arm, make=AdjudicationVariant
        )
        return [
            replace(
                each,
                manual=manuals[each.arm.manual],
                note_prompt=note if each.arm.strategy == NOTES else None,
            )
            for each in made
        ]

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge, which takes notes where an arm has it do so."""
        variants, spec = resources.variants, resources.spec
        manuals = {each.manual.label: each.manual for each in variants}
        header = {"manuals": sorted(manuals)}
        _check_manuals(manuals.values(), resources)
        # Judges without prompts look at the debate itself, and take no notes.
        if not any(each.note_prompt for each in variants) or not spec.rules.is_model:
            return Equipped(judge, header=header)
        if hasattr(judge, "ask_many"):
            raise BadSettings(
                f"runner: experiment '{resources.experiment.name}' has judges take notes before "
                f"they rule, and '{spec.judge_id}' sends all requests at once; use the same model "
                'without batch/, or write an experiment without the strategy "notes"'
            )
        from inference.judges.noting import NotingJudge

        texts = {label: manual.text for label, manual in manuals.items()}
        return Equipped(NotingJudge(judge, texts), header=header)

    def prompt_inputs(
        self, item: ParliamentaryDebate, variant: AdjudicationVariant, seed: int
    ) -> PromptInputs:
        if variant.manual is None:
            raise ValueError("no judging manual is given")
        factors = adjudicate(variant.arm, seed, item, variant.manual.label)
        values = values_of(item, factors, variant.manual.text)
        if variant.note_prompt is not None:
            notes = note_prompts(variant.note_prompt, item, values)
            return PromptInputs(values, factors, note_prompts=notes)
        turns = [(speaker_of(speech.role), speech.text) for speech in item.speeches]
        return PromptInputs(values, factors, turns)

    def describe(self, request: Request) -> Description:
        way, template = request.way(AskedAdjudication), request.template.label
        identity = {"adjudication": way.identity(), "template": template}
        if request.note_prompts:
            notes = "\n".join(request.note_prompts).encode("utf-8", "replace")
            identity["note_prompts"] = hashlib.sha256(notes).hexdigest()
        return Description(
            identity=identity,
            facts=lambda: {"debate": request.item.item_hash, "template": template},
            fields={"item_kind": self.line, **way.identity()},
            schema=lambda *_: ruling_schema(way.task),
        )

    def costs(self, request: Request) -> CostHints:
        """Return that a prompt with a whole debate is counted, as it may not fit."""
        messages = len(request.note_prompts) + 1
        return CostHints(
            is_counted=request.way(AskedAdjudication).strategy == WHOLE,
            needs_whole_answer=True,
            answer=score_answer(request),
            messages=(messages, messages),
        )

    def parse(self, line: Mapping[str, Any]) -> Ruling:
        how = (line.get("answer_format"), line.get("finish_reason"))
        return read_ruling(line["response"], line["task"], *how)

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT})
        row |= columns_of(line, self.table.name, _MUST, _MAY)
        check_known(line, "task", ASKED_TASKS)
        check_known(line, "strategy", STRATEGIES)
        row["debate_id"] = line["item_id"]
        if line["status"] != ANSWERED:
            return [Row(row)]
        check(line, {"response": TEXT})
        row["answer_format"] = row["answer_format"] or "text"
        ruling = self.parse(line)
        row["parse_status"], row["parse_reason"] = ruling.status, ruling.reason
        shared = {"request_id": row["request_id"], "line_number": row["line_number"]}
        return [Row(row, ruling_rows(ruling, shared))]


def _check_arm(who: str, arm: Adjudication, template: Template) -> None:
    """Refuse a prompt for another task or strategy, or one that cannot name the houses."""
    if template.task not in (None, arm.task):
        raise BadTemplate(
            f"{who} asks for the task '{arm.task}', and prompt '{arm.template}' for "
            f"'{template.task}'; make the two agree"
        )
    if ("notes" in template.slots) != (arm.strategy == NOTES):
        shows = "notes" if "notes" in template.slots else "the speeches"
        raise BadTemplate(
            f"{who} has the strategy '{arm.strategy}', and prompt '{arm.template}' shows "
            f"{shows}; a prompt for the strategy 'notes' has the slot {{notes}}, others have "
            "{speeches}"
        )
    names = {"houses", "score_lines", "speakers"}
    if arm.house_order != SPOKEN and not template.slots & names:
        raise BadTemplate(
            f"{who} names the houses in the order '{arm.house_order}', and prompt "
            f"'{arm.template}' has none of the slots {{houses}}, {{speakers}} and "
            "{score_lines} to do so; use one that has"
        )


def _check_manuals(manuals: Iterable[Manual], resources: RunResources) -> None:
    """Refuse a judging manual that cannot fit, before every request of a run fails for it."""
    from inference.prices import window_of
    from inference.tokens import at_least

    spec = resources.spec
    window = window_of(spec, resources.prices.price_for(spec))
    for manual in manuals:
        if window is not None and at_least(manual.text) > window:
            raise BadSettings(
                f"runner: the judging manual '{manual.name}' has {len(manual.text):,} characters, "
                f"at least {at_least(manual.text):,} tokens, and the window of '{spec.judge_id}' "
                f"is {window:,}; name a shorter manual, or use a judge with a longer window"
            )


def ruling_rows(ruling: Ruling, shared: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `raw.adjudication_values` and `raw.adjudication_faults` of a ruling."""
    return {
        "adjudication_values": [
            {**shared, "task": task, "place": place, "value": each.value, "reason": each.reason}
            for (task, place), each in ruling.values.items()
        ],
        "adjudication_faults": [
            {**shared, "task": each.task, "fault": each.fault, "detail": each.detail}
            for each in ruling.faults
        ],
    }
