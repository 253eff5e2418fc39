"""British Parliamentary debates to adjudicate."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import BadSettings, BadTemplate
from inference.kinds.fields import TEXT, check, check_known, columns_of
from inference.kinds.parts import (
    ANSWERED,
    About,
    Asked,
    Drafted,
    Equipped,
    Given,
    Put,
    Resources,
    Row,
    Table,
)
from inference.kinds.protocol import Kind
from inference.parliamentary.arms import ADJUDICATION, read_adjudications
from inference.parliamentary.items import (
    ASKED_TASKS,
    NOTES,
    PARLIAMENTARY_DEBATES,
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
from inference.parliamentary.prompts import NOTE_PROMPT, load_manual, note_prompts
from inference.parliamentary.rulings import Ruling, read_ruling, ruling_schema
from inference.template_kinds import PARLIAMENTARY
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.tokens import Context

# Fields of lines that are columns, must or may.
_MUST = ("task", "manual", "house_order", "strategy", "has_motion", "has_info_slide")
_COUNTED = ("context_tokens", "is_context_exact")
_MAY = ("named_order", *_COUNTED)


class Parliamentary(Kind):
    """British Parliamentary debates to adjudicate."""

    name = "parliamentary"
    words = "a parliamentary debate"
    first_experiment = "bp-adjudication"
    files = PARLIAMENTARY_DEBATES
    template = PARLIAMENTARY
    reference_file = "parliamentary_reference_file"
    counted = "debates"
    own = frozenset({"adjudication", "adjudications"})
    tables = ADJUDICATION.tables
    arms_name = "adjudications"
    item_name = "debate"
    line = "parliamentary"
    line_fields = (*_MUST, *_MAY)
    found_fields = _COUNTED
    table = Table(
        "adjudications",
        parts={
            "adjudication_values": ("request_id", "task", "place"),
            "adjudication_faults": ("request_id", "task", "fault", "detail"),
        },
        about=(About("debate_id", "raw.debates", "a ruling on a debate"),),
    )
    counts_prompts = True

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        arms = read_adjudications(path, content)
        return {"arms": arms, "template": arms[0].template}

    def asked(self, experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
        """Return every way to adjudicate, with its manual and how notes are asked for."""
        arms = experiment.arms
        manuals = {arm.manual: load_manual(arm.manual, prompts_folder) for arm in arms}
        takes_notes = any(arm.strategy == NOTES for arm in arms)
        note = NOTE_PROMPT.load(prompts_folder) if takes_notes else None
        return [
            each._replace(
                manual=manuals[each.arm.manual], note=note if each.arm.strategy == NOTES else None
            )
            for each in super().asked(experiment, prompts_folder)
        ]

    def check_arm(self, who: str, arm: Adjudication, template: Template) -> None:
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

    def run_parts(self, asked: Sequence[Asked]) -> list[str]:
        manuals = {each.manual.label for each in asked if each.manual is not None}
        notes = {each.note.prompt_hash for each in asked if each.note is not None}
        return [*sorted(manuals), *sorted(notes)]

    def header(self, run: Drafted) -> dict[str, Any]:
        manuals = {each.manual.label for each in run.asked if each.manual is not None}
        return {**super().header(run), "manuals": sorted(manuals)}

    def put(self, item: ParliamentaryDebate, asked: Asked, given: Given) -> Put:
        if asked.manual is None:
            raise ValueError("no judging manual is given")
        variant = adjudicate(asked.arm, given.seed, item, asked.manual.label)
        values = values_of(item, variant, asked.manual.text)
        if asked.note is not None:
            return Put(values, variant, note_prompts=note_prompts(asked.note, item, values))
        turns = [(speaker_of(speech.role), speech.text) for speech in item.speeches]
        return Put(values, variant, turns)

    def identity(self, request: Request) -> dict[str, Any]:
        way = request.way(AskedAdjudication)
        apart = {"adjudication": way.identity(), "template": request.template.label}
        if request.note_prompts:
            notes = "\n".join(request.note_prompts).encode("utf-8", "replace")
            apart["note_prompts"] = hashlib.sha256(notes).hexdigest()
        return apart

    def schema(self, request: Request) -> dict[str, Any] | None:
        return ruling_schema(request.way(AskedAdjudication).task)

    def equipped(self, judge: Judge, resources: Resources) -> Equipped:
        asked, spec = resources.asked, resources.spec
        _check_manuals(resources)
        # Judges without prompts look at the debate itself, and take no notes.
        if not any(each.note for each in asked) or not spec.rules.is_model:
            return Equipped(judge)
        if hasattr(judge, "ask_many"):
            raise BadSettings(
                f"runner: experiment '{resources.experiment.name}' has judges take notes before "
                f"they rule, and '{spec.judge_id}' sends all requests at once; use the same model "
                'without batch/, or write an experiment without the strategy "notes"'
            )
        from inference.judges.noting import NotingJudge

        manuals = {each.manual.label: each.manual.text for each in asked if each.manual is not None}
        return Equipped(NotingJudge(judge, manuals))

    def is_counted(self, request: Request) -> bool:
        """Whether a prompt holds a whole debate, so long that it may not fit."""
        return request.way(AskedAdjudication).strategy == WHOLE

    def fields(self, request: Request) -> dict[str, Any]:
        return {"item_kind": self.line, **request.way(AskedAdjudication).identity()}

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return how long the prompt was; an endpoint's count comes before an estimate.

        With notes there is no prompt that holds the whole debate.
        """
        if not self.is_counted(request):
            return {}
        if reply.tokens_in is not None and not (counted and counted.is_exact):
            return {"context_tokens": reply.tokens_in, "is_context_exact": True}
        if counted is None:
            return {}
        return {"context_tokens": counted.tokens, "is_context_exact": counted.is_exact}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        return super().is_whole(line) and line.get("task") in ASKED_TASKS

    def said(self, line: Mapping[str, Any]) -> Ruling:
        how = (line.get("answer_format"), line.get("finish_reason"))
        return read_ruling(line["response"], line["task"], *how)

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT})
        row |= columns_of(line, self.table.name, _MUST, _MAY)
        check_known(line, "task", ASKED_TASKS)
        check_known(line, "strategy", STRATEGIES)
        row["debate_id"] = line["item_id"]
        if line["status"] != ANSWERED:
            return [Row(row)]
        check(line, {"response": TEXT})
        row["answer_format"] = row["answer_format"] or "text"
        ruling = self.said({**line, **row})
        row["parse_status"], row["parse_reason"] = ruling.status, ruling.reason
        shared = {"request_id": row["request_id"], "line_number": row["line_number"]}
        return [Row(row, ruling_rows(ruling, shared))]


def _check_manuals(resources: Resources) -> None:
    """Refuse a judging manual that cannot fit, before every request of a run fails for it.

    Raises:
        BadSettings: A manual alone is longer than the judge's window.
    """
    from inference.prices import window_of
    from inference.tokens import at_least

    spec = resources.spec
    window = window_of(spec, resources.prices.price_for(spec))
    for manual in {each.manual for each in resources.asked if each.manual is not None}:
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
