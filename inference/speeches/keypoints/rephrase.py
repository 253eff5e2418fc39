"""Justifications, divided into sentences of one idea each: by rules, or by a model."""

from collections.abc import Sequence
from dataclasses import replace

from inference.prompt_files import Prompt, PromptFile
from inference.speeches.keypoints.polarity import RESULT, RULES
from inference.speeches.keypoints.records import FAILED, SENTENCES, Justification
from inference.speeches.keypoints.split import plain, sentences, whole_sentences
from inference.steps.asking import Answered, Ask

PROMPT = PromptFile("keypoints", "key_point_rephrase", ("reasons",))


def prompts_for(found: Sequence[Justification], prompt: Prompt) -> list[str]:
    """Return what a model is asked, a prompt for each justification that is to be divided."""
    ready = [each.text or "" for each in found if each.status == SENTENCES]
    return [prompt.fill({"reasons": plain(text)}) for text in ready]


def rephrase_by_rules(found: Sequence[Justification]) -> list[Justification]:
    """Return justifications with their sentences, by the rules of `split`."""
    return [
        replace(each, rephrased=tuple(sentences(each.text or "")), rephrased_by=RULES)
        if each.status == SENTENCES
        else each
        for each in found
    ]


def rephrase_by_model(
    found: Sequence[Justification], model: str, ask: Ask, prompt: Prompt
) -> list[Justification]:
    """Return justifications with the sentences a model makes of them.

    One whose reply cannot be read has no sentences, and says so: nothing takes their place.
    """
    answers = iter(ask(prompts_for(found, prompt)))
    return [
        _with_reply(each, model, next(answers)) if each.status == SENTENCES else each
        for each in found
    ]


def _with_reply(each: Justification, model: str, answer: Answered) -> Justification:
    if answer.failure:
        return replace(each, status=FAILED, reason=f"'{model}' gave no reply: {answer.failure}")
    results = RESULT.findall(answer.text)
    made = whole_sentences(results[0].replace("&lt;", "<")) if len(results) == 1 else []
    if not made:
        words = f"the reply has {len(results)} results with a word in them, not one"
        return replace(each, status=FAILED, reason=f"'{model}': {words}")
    return replace(each, rephrased=tuple(made), rephrased_by=model)
