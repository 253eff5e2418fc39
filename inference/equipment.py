"""What a judge gets for a run besides its prompts: somewhere to look, a pad for notes, a manual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inference.errors import BadSettings
from inference.experiments import Experiment
from inference.items import ItemSource
from inference.judges.base import Judge
from inference.prices import Prices, load_prices, window_of
from inference.questions.answers import NOTHING, STEP_BY_STEP
from inference.registry import JudgeSpec
from inference.requests import Asked
from inference.tokens import at_least

if TYPE_CHECKING:
    from inference.questions.grounding import Grounding
    from inference.questions.web.pages import Web

# Judges that look at the item instead of a prompt: they rule, and take no notes.
_WITHOUT_PROMPTS = ("replay", "rule", "simulated")


def equipped(
    experiment: Experiment,
    spec: JudgeSpec,
    judge: Judge,
    asked: Sequence[Asked],
    source: ItemSource,
    *,
    prompts_folder: Path | None,
    web: Web | None,
    judges_file: Path | None,
    environ: Mapping[str, str] | None,
    prices: Prices | None = None,
) -> tuple[Judge, Grounding | None]:
    """Return the judge with what the experiment's arms take, and the documents they show.

    Args:
        experiment: What to ask.
        spec: The judge's definition.
        judge: The judge.
        asked: What is asked about each item.
        source: Where the items are.
        prompts_folder: The user's own prompts.
        web: The way to the web; None where there is none.
        judges_file: The `judges.toml` with the settings of what compares documents.
        environ: Where keys are read.
        prices: What tokens cost; the shipped prices unless given.

    Raises:
        BadItems: Documents are to be shown and there are none.
        BadSettings: A batch is to look for documents, to take notes or to answer others in between.
        BadTemplate: A prompt cannot be used.
        UnknownJudge: Somebody who is to take part in a debate cannot.
    """
    if experiment.debate_plans:
        from inference.oversight.debating.parties import debating  # noqa: PLC0415

        reference = source.reading_reference_file
        return debating(
            experiment, spec, judge, reference, prompts_folder=prompts_folder,
            judges_file=judges_file, environ=environ, prices=prices or load_prices(),
        ), None  # fmt: skip
    if not _retrievals(experiment) - {NOTHING}:
        return _noting(experiment, spec, judge, asked), None
    # Imported here: embedding takes a second to load, and most runs show no documents.
    from inference.questions.grounding import Grounding  # noqa: PLC0415

    grounding = Grounding(
        source,
        experiment.embedder,
        settings=experiment.retrieval,
        web=web,
        judges_file=judges_file,
        environ=environ,
    )
    return _searching(experiment, spec, judge, grounding, prompts_folder), grounding


def check_manuals(spec: JudgeSpec, asked: Sequence[Asked], prices: Prices | None) -> None:
    """Refuse a judging manual that cannot fit, before every request of a run fails for it.

    Args:
        spec: The judge.
        asked: What it is asked, with which manuals.
        prices: Where its window may stand.

    Raises:
        BadSettings: A manual alone is longer than the judge's window.
    """
    manuals = {each.manual for each in asked if each.manual is not None}
    window = window_of(spec, (prices or load_prices()).price_for(spec)) if manuals else None
    for manual in manuals:
        if window is not None and at_least(manual.text) > window:
            raise BadSettings(
                f"runner: the judging manual '{manual.name}' has {len(manual.text):,} characters, "
                f"at least {at_least(manual.text):,} tokens, and the window of '{spec.judge_id}' "
                f"is {window:,}; name a shorter manual, or use a judge with a longer window"
            )


def _searching(
    experiment: Experiment,
    spec: JudgeSpec,
    judge: Judge,
    grounding: Grounding,
    prompts_folder: Path | None,
) -> Judge:
    """Return the judge, able to look for documents in between where an arm has it do so."""
    if STEP_BY_STEP not in _retrievals(experiment):
        return judge
    from inference.judges.searching import SearchingJudge  # noqa: PLC0415
    from inference.prompt_files import load_prompt  # noqa: PLC0415
    from inference.questions.retrieval import STEP_SLOTS  # noqa: PLC0415

    if hasattr(judge, "ask_many"):
        raise BadSettings(
            f"runner: experiment '{experiment.name}' has judges look for documents before they "
            f"answer, and '{spec.judge_id}' sends all requests at once; use the same model without "
            'batch/, or write an experiment without the retrieval "react"'
        )
    prompt = load_prompt("retrieval", "react_step", STEP_SLOTS, prompts_folder)
    return SearchingJudge(judge, grounding, prompt)


def _noting(experiment: Experiment, spec: JudgeSpec, judge: Judge, asked: Sequence[Asked]) -> Judge:
    """Return the judge, able to take notes before it rules where an arm has it do so."""
    if not any(each.note for each in asked) or spec.provider in _WITHOUT_PROMPTS:
        return judge
    if hasattr(judge, "ask_many"):
        raise BadSettings(
            f"runner: experiment '{experiment.name}' has judges take notes before they rule, and "
            f"'{spec.judge_id}' sends all requests at once; use the same model without batch/, or "
            'write an experiment without the strategy "notes"'
        )
    from inference.judges.noting import NotingJudge  # noqa: PLC0415

    manuals = {each.manual.label: each.manual.text for each in asked if each.manual is not None}
    return NotingJudge(judge, manuals)


def _retrievals(experiment: Experiment) -> set[str]:
    return {each.retrieval for each in experiment.generations}
