"""The steps of curation over one working folder, each done again only when what goes in changed.

    questions/        one .csv or .jsonl file per source                      (yours)
    documents/        the documents that are searched                         (yours)
    annotations/      form.csv to fill in, and the files of annotators        (yours)
    coverage.csv      what people found about chunks, from coverage_form.csv  (yours)
    replies/          what the model replied; never asked for twice
    steps/            one file per step: funnel, removals, records
    data/             the data set, once it is annotated: questions.jsonl, documents.jsonl, and
                      annotations.jsonl with every annotation, also of what was removed

`run_step` does one step, `run_all` all of them. A step waits where people's answers are missing;
what they fill in is there by then. When a step comes out differently than before, what the steps
after it made is removed: all files in steps/ are of one curation, whenever it was stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import CurationFailed, CurationWaits
from inference.questions.curation.annotation import Annotation
from inference.questions.curation.plans import Plans
from inference.questions.curation.records import Evidence, PartialAnswer, Queries, Question
from inference.questions.curation.results import (
    Result,
    jsonl,
    read_result,
    remove_result,
    write_result,
)
from inference.questions.curation.tools import Settings, Tools
from inference.whole_files import write_whole

STEPS = (
    "merge",
    "deduplicate",
    "queries",
    "documents",
    "points_of_view",
    "examination",
    "partial_answers",
    "annotation",
)
DONE, UNCHANGED, WAITING = "done", "unchanged", "waiting"

# Nothing builds on it.
_ASIDE = "examination"

# What each step must leave some of; without any the set has no question.
_LEAVES: Mapping[str, type[Any]] = {
    "merge": Question,
    "deduplicate": Question,
    "queries": Queries,
    "documents": Question,
    "points_of_view": Question,
    "partial_answers": PartialAnswer,
    "annotation": PartialAnswer,
}

# Raised with every change that makes a step do anything differently.
_VERSION = 1


class Outcome(NamedTuple):
    """What became of a step.

    Attributes:
        name: The step.
        status: `done`, `unchanged`, or `waiting` for people.
        result: What it did; None while it waits.
        waits_for: What is to be done, in words; None where it does not wait.
    """

    name: str
    status: str
    result: Result | None
    waits_for: str | None = None


async def run_all(folder: Path, tools: Tools, settings: Settings | None = None) -> list[Outcome]:
    """Do every step, in order.

    Args:
        folder: The working folder.
        tools: What the steps work with.
        settings: What the user has set.

    Raises:
        InferenceError: A step cannot be done; those before it stay done.
    """
    return [await run_step(name, folder, tools, settings) for name in STEPS]


async def run_step(
    name: str, folder: Path, tools: Tools, settings: Settings | None = None
) -> Outcome:
    """Do one step, unless what goes into it is what went into it before.

    Args:
        name: One of `STEPS`; those before it must have been done.
        folder: The working folder.
        tools: What the steps work with.
        settings: What the user has set.

    Raises:
        CurationFailed: It leaves nothing; what it removed is written all the same.
        InferenceError: It cannot be done.
    """
    plan = Plans(folder, tools, settings or Settings()).of(name)
    facts = json.dumps([_VERSION, name, *plan.inputs], sort_keys=True)
    inputs_hash = hashlib.sha256(facts.encode()).hexdigest()
    steps = folder / "steps"
    result, status = read_result(steps, name), UNCHANGED
    if result is None or result.inputs_hash != inputs_hash:
        before = result
        try:
            made = await plan.do()
        except CurationWaits as wait:
            remove_result(steps, name)
            return Outcome(name, WAITING, None, str(wait))
        # What they kept is among the records.
        bare = tuple(replace(step, kept=()) for step in made.steps)
        records = tuple(made.records)
        result, status = Result(name, inputs_hash, bare, records, tools.names), DONE
        if name != _ASIDE and (before is None or before.records != records):
            for later in reversed(STEPS[STEPS.index(name) + 1 :]):
                remove_result(steps, later)
        write_result(steps, result)
    if name == STEPS[-1]:
        _write_data_set(folder, result, (settings or Settings()).test_questions)
    if name in _LEAVES and not result.of(_LEAVES[name]):
        raise CurationFailed(_nothing_left(result, folder))
    return Outcome(name, status, result)


def _nothing_left(result: Result, folder: Path) -> str:
    """Return in words that a step left nothing, which rules removed most, and what to do."""
    removed = sorted(
        (rule.n_removed, f"{rule.rule.replace('_', ' ')} ({step.unit}s): {rule.n_removed}")
        for step in result.steps
        for rule in step.rules
        if rule.n_removed
    )
    rules = "; ".join(words for _, words in reversed(removed)) or "nothing came to it"
    return (
        f"curation: no question is left after the step '{result.name}' ({rules}); the steps after "
        f"it were not done. Change the questions, the documents or the settings and curate again; "
        f"'rostrum ingest curated --from {folder} --set dataset=NAME' loads the funnel so far"
    )


def funnel(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """Return the rules of all steps that are done, as rows.

    Args:
        outcomes: What became of the steps.
    """
    return [
        {
            "step_order": STEPS.index(outcome.name) + 1,
            "step": step.name,
            "unit": step.unit,
            "rule_order": rule.rule_order,
            "rule": rule.rule,
            "n_before": rule.n_before,
            "n_removed": rule.n_removed,
        }
        for outcome in outcomes
        if outcome.result is not None
        for step in outcome.result.steps
        for rule in step.rules
    ]


def splits(question_ids: Iterable[str], test_questions: int | None) -> dict[str, str | None]:
    """Draw the questions of the test set; the others are the dev set.

    The draw goes by a hash of each id, so it is the same on every machine, and a question more or
    less moves one other at most.

    Args:
        question_ids: The questions.
        test_questions: How many are drawn, or all there are; None draws no sets.
    """
    drawn = sorted(question_ids, key=lambda name: hashlib.sha256(f"split {name}".encode()).digest())
    if test_questions is None:
        return dict.fromkeys(drawn)
    return {name: "test" if at < test_questions else "dev" for at, name in enumerate(drawn)}


def _write_data_set(folder: Path, annotated: Result, test_questions: int | None) -> None:
    """Write the questions that have partial answers left, and the documents of these."""
    documents = read_result(folder / "steps", "documents")
    if documents is None:
        return
    answers: dict[str, list[PartialAnswer]] = {}
    for answer in annotated.of(PartialAnswer):
        answers.setdefault(answer.question_id, []).append(answer)
    evidence = [each for each in documents.of(Evidence) if each.question_id in answers]
    # A document that two questions share is one of each.
    names = {
        (each.question_id, each.document.document_id): f"{each.question_id}/d{each.position}"
        for each in evidence
    }
    drawn = splits(answers, test_questions)
    questions = [
        {
            "id": question.question_id,
            "question": question.question,
            "origin": question.origin,
            "split": drawn[question.question_id],
            "partial_answers": [
                {
                    "id": answer.partial_answer_id,
                    "point_of_view": answer.point_of_view,
                    "explanation": answer.explanation,
                    "documents": [names[answer.question_id, each] for each in answer.document_ids],
                }
                for answer in answers[question.question_id]
            ],
        }
        for question in documents.of(Question)
        if question.question_id in answers
    ]
    rows = [
        {
            "id": names[each.question_id, each.document.document_id],
            "question": each.question_id,
            "url": each.document.url,
            "top_level_domain": each.document.top_level_domain,
            "title": each.document.title,
            "text": each.document.text,
        }
        for each in evidence
    ]
    texts = {}
    written = read_result(folder / "steps", "partial_answers")
    for answer in written.of(PartialAnswer) if written else ():
        texts[answer.partial_answer_id] = answer.text_hash
    said = [
        {**asdict(one), "text_hash": texts.get(one.partial_answer_id)}
        for one in annotated.of(Annotation)
    ]
    write_whole(folder / "data" / "annotations.jsonl", jsonl(said))
    write_whole(folder / "data" / "questions.jsonl", jsonl(questions))
    write_whole(folder / "data" / "documents.jsonl", jsonl(rows))
