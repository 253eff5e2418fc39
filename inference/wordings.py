"""The ways in which an experiment asks about each item: its prompts, checked against its arms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inference.answers import NOTHING, PERSPECTIVE_DIVERSITY, Generation
from inference.errors import BadTemplate
from inference.experiments import Experiment
from inference.kinds import KIND
from inference.requests import Asked
from inference.templates import LENGTH, LENGTH_SENTENCE, Template, load_template
from inference.variants import Arm


def asked_of_each(experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
    """Return what is asked about every item: each arm, or the one prompt, as often as repeated.

    Args:
        experiment: What to ask.
        prompts_folder: The user's own prompts.

    Raises:
        BadTemplate: A prompt is not there, or asks something else than the experiment does.
    """
    samples = range(experiment.repeats)
    if experiment.kind == "likelihood":
        wordings = [_wording(experiment, name, prompts_folder) for name in experiment.wordings]
        return [
            Asked(wording, sample, experiment.comparison)
            for wording in wordings
            for sample in samples
        ]
    arms: tuple[Arm | Generation, ...] = (*experiment.arms, *experiment.generations)
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
        rating = experiment.rating if experiment.kind == "answer" else None
        return [Asked(templates[experiment.template], sample, rating) for sample in samples]
    return [
        _with_length(Asked(templates[arm.template], sample, arm), length)
        for arm in arms
        for sample in samples
    ]


def _check_template(experiment: Experiment, name: str, template: Template) -> None:
    if template.kind != KIND[experiment.kind].template:
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' asks about a {experiment.kind}, and "
            f"prompt '{name}' about a {template.kind}; name another prompt"
        )
    if experiment.kind == "answer" and template.scale not in (None, experiment.scale):
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' has the scale {experiment.scale}, and prompt "
            f"'{name}' offers {template.scale}; make the two agree"
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
