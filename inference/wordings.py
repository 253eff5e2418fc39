"""The ways in which an experiment asks about each item: its prompts, checked against its arms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inference.debates.variants import Arm
from inference.errors import BadTemplate
from inference.experiments import Experiment
from inference.kinds import KIND
from inference.oversight.items import EXPERT, DebatePlan, JudgingPlan
from inference.oversight.judging import ARGUED
from inference.parliamentary.items import NOTES, SPOKEN, Adjudication
from inference.parliamentary.manuals import Manual, load_manual
from inference.parliamentary.notes import load_note_prompt
from inference.questions.answers import NOTHING, PERSPECTIVE_DIVERSITY, Generation, Rating
from inference.requests import Asked
from inference.speeches.topics import Writing
from inference.template_kinds import LENGTH
from inference.templates import LENGTH_SENTENCE, Template, load_template


def asked_of_each(experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
    """Return what is asked about every item: each arm, or the one prompt, as often as repeated.

    Args:
        experiment: What to ask.
        prompts_folder: The user's own prompts.

    Raises:
        BadTemplate: A prompt or a judging manual is not there, or a prompt asks something else
            than the experiment does.
    """
    samples = range(experiment.repeats)
    if experiment.kind == "likelihood":
        wordings = [_wording(experiment, name, prompts_folder) for name in experiment.wordings]
        return [
            Asked(wording, sample, experiment.comparison)
            for wording in wordings
            for sample in samples
        ]
    if experiment.kind == "parliamentary":
        return _adjudications(experiment, prompts_folder)
    if experiment.judgings:
        return _judgings(experiment, prompts_folder)
    arms: tuple[Arm | Generation | DebatePlan, ...] = (
        *experiment.arms, *experiment.generations, *experiment.debate_plans,
    )  # fmt: skip
    names = [arm.template for arm in arms] or [experiment.template]
    templates = {name: load_template(name, prompts_folder) for name in dict.fromkeys(names)}
    for name, template in templates.items():
        _check_template(experiment, name, template)
    for arm in experiment.arms:
        _check_outcome(experiment, arm, templates[arm.template])
    for generation in experiment.generations:
        _check_documents(experiment, generation, templates[generation.template])
    length = None
    if any(each.target_tokens for each in experiment.generations):
        length = _length_sentence(prompts_folder)
    if not arms:
        return [Asked(templates[experiment.template], each, _way(experiment)) for each in samples]
    return [
        _with_length(Asked(templates[arm.template], sample, arm), length)
        for arm in arms
        for sample in samples
    ]


def _way(experiment: Experiment) -> Rating | Writing | None:
    """Return what an experiment without arms asks of each item; what is scored, a speech says."""
    if experiment.kind == "writing":
        return experiment.writing
    return experiment.rating if experiment.kind == "answer" else None


def _check_template(experiment: Experiment, name: str, template: Template) -> None:
    wanted = KIND[experiment.kind].template
    if template.kind != wanted:
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' asks about a {wanted}, and "
            f"prompt '{name}' about a {template.kind}; name another prompt"
        )
    if experiment.kind == "answer" and template.scale not in (None, experiment.scale):
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' has the scale {experiment.scale}, and prompt "
            f"'{name}' offers {template.scale}; make the two agree"
        )


def _adjudications(experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
    ways = experiment.adjudications
    templates = {way.template: load_template(way.template, prompts_folder) for way in ways}
    manuals: dict[str, Manual] = {
        way.manual: load_manual(way.manual, prompts_folder) for way in ways
    }
    note = load_note_prompt(prompts_folder) if any(way.strategy == NOTES for way in ways) else None
    for way in ways:
        _check_template(experiment, way.template, templates[way.template])
        _check_adjudication(experiment, way, templates[way.template])
    return [
        Asked(
            templates[way.template], sample, way, manual=manuals[way.manual],
            note=note if way.strategy == NOTES else None,
        )
        for way in ways
        for sample in range(experiment.repeats)
    ]  # fmt: skip


def _judgings(experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
    plans = experiment.judgings
    templates = {plan.template: load_template(plan.template, prompts_folder) for plan in plans}
    for plan in plans:
        template = templates[plan.template]
        _check_template(experiment, plan.template, template)
        _check_judging(experiment, plan, template)
    samples = range(experiment.repeats)
    return [Asked(templates[plan.template], sample, plan) for plan in plans for sample in samples]


def _check_judging(experiment: Experiment, plan: JudgingPlan, template: Template) -> None:
    start = f"runner: experiment '{experiment.name}'"
    if template.task not in (None, plan.asked_for):
        raise BadTemplate(
            f"{start} asks for a {plan.asked_for}, and prompt '{plan.template}' for a "
            f"{template.task}; make the two agree"
        )
    shown = "transcript" if plan.protocol in ARGUED else "story" if plan.protocol == EXPERT else ""
    for slot in ("transcript", "story"):
        if (slot in template.slots) != (slot == shown):
            has = "has the slot" if slot in template.slots else "has no slot"
            raise BadTemplate(
                f"{start} judges by the protocol '{plan.protocol}', and prompt '{plan.template}' "
                f"{has} {{{slot}}}; naive judges are shown neither story nor transcript, experts "
                "the story, and others the transcript"
            )


def _check_adjudication(experiment: Experiment, way: Adjudication, template: Template) -> None:
    start = f"runner: experiment '{experiment.name}'"
    if template.task not in (None, way.task):
        raise BadTemplate(
            f"{start} asks for the task '{way.task}', and prompt '{way.template}' for "
            f"'{template.task}'; make the two agree"
        )
    if ("notes" in template.slots) != (way.strategy == NOTES):
        shows = "notes" if "notes" in template.slots else "the speeches"
        raise BadTemplate(
            f"{start} has the strategy '{way.strategy}', and prompt '{way.template}' shows {shows};"
            " a prompt for the strategy 'notes' has the slot {notes}, others have {speeches}"
        )
    names = {"houses", "score_lines", "speakers"}
    if way.house_order != SPOKEN and not template.slots & names:
        raise BadTemplate(
            f"{start} names the houses in the order '{way.house_order}', and prompt "
            f"'{way.template}' has none of the slots {{houses}}, {{speakers}} and {{score_lines}} "
            "to do so; use one that has"
        )


def _check_outcome(experiment: Experiment, arm: Arm, template: Template) -> None:
    if arm.outcome != "winner" and "outcome" not in template.slots:
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' asks for the {arm.outcome}, and prompt "
            f"'{arm.template}' has no slot {{outcome}} to say so; use one that has"
        )


def _check_documents(experiment: Experiment, arm: Generation, template: Template) -> None:
    shows = "documents" in template.slots
    if shows != (arm.retrieval != NOTHING):
        has = "has the slot {documents}" if shows else "has no slot {documents}"
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' has an arm with retrieval '{arm.retrieval}', "
            f"and its prompt '{arm.template}' {has}; name prompts without it as answers.template, "
            "and one with it as answers.template_with_documents"
        )


def _length_sentence(prompts_folder: Path | None) -> Template:
    sentence = load_template(LENGTH_SENTENCE, prompts_folder)
    if sentence.kind != LENGTH:
        raise BadTemplate(
            f"runner: the prompt '{LENGTH_SENTENCE}' has not the slot {{target_tokens}} alone; it "
            "is the sentence that asks for a length, and stands behind the system turn"
        )
    return sentence


def _with_length(asked: Asked, sentence: Template | None) -> Asked:
    if sentence is None or not isinstance(asked.arm, Generation) or not asked.arm.target_tokens:
        return asked
    if asked.template.system is None:
        raise BadTemplate(
            f"runner: prompt '{asked.template.instrument}' has no system turn for the sentence "
            "that asks for a length; write one above its line '=== user ==='"
        )
    template = asked.template
    if sentence.label != LENGTH_SENTENCE:
        # Another sentence makes another wording of the whole.
        template = replace(template, label=f"{template.label}+{sentence.label}", wording="custom")
    return asked._replace(template=template, length=sentence)


def _wording(experiment: Experiment, name: str, prompts_folder: Path | None) -> Template:
    if experiment.comparison.metric != PERSPECTIVE_DIVERSITY:
        # Nothing is asked: the answer is compared as it is.
        return replace(load_template("pd_none"), label=name, instrument=name)
    template = load_template(name, prompts_folder)
    _check_template(experiment, name, template)
    if template.slots != {"answer"}:
        others = ", ".join(sorted(template.slots - {"answer"}))
        raise BadTemplate(
            f"runner: prompt '{name}' has the slots {others} besides {{answer}}; a wording of "
            f"experiment '{experiment.name}' shows the answer and nothing else"
        )
    return template
