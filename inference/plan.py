"""What a run will ask: which items, in which order, under which run and request ids."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inference.errors import BadItems, BadSettings
from inference.experiments import Experiment
from inference.history import slug
from inference.items import Item, ItemSource, dimensions_of, read_items, sampling_key
from inference.judges import make_judge
from inference.judges.base import Judge, Request
from inference.registry import JudgeSpec
from inference.templates import Template, load_template


@dataclass(frozen=True)
class PlannedRun:
    """One experiment, one judge, one items file.

    Attributes:
        run_id: The same for every start of the same thing; a limit does not change it.
        judge: The judge, not opened.
        requests: Every request by its id, in the order of asking.
        header: The journal's `run` line, without the time.
    """

    run_id: str
    judge: Judge
    requests: Mapping[str, Request]
    header: Mapping[str, Any]


def plan_runs(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    prompts_folder: Path | None = None,
    limit: int | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[PlannedRun]:
    """Return one planned run per data set that has items to ask about.

    A data set without the experiment's dimension is left out, unless it was named or none has it.

    Args:
        experiment: What to ask.
        spec: The judge.
        sources: Where the items are.
        prompts_folder: The user's own prompts.
        limit: Ask about this many items at most, over all data sets together. They are a random
            sample that a larger limit continues.
        environ: Where the judge reads its key.

    Raises:
        BadItems: The items do not fit the experiment.
        BadSettings: The limit is below 1.
    """
    if limit is not None and limit < 1:
        raise BadSettings(f"runner: the limit is {limit}; it must be 1 or more, or left out")
    template = load_template(experiment.template, prompts_folder)
    items = [(source, read_items(source, experiment.dimension)) for source in sources]
    _check_dimension(experiment, items)
    for source, rows in items:
        _check_fit(experiment, template, source, rows)
    ids = sorted(
        {item.item_id for _, rows in items for item in rows},
        key=lambda item_id: sampling_key(experiment.seed, item_id),
    )
    rank = {item_id: place for place, item_id in enumerate(ids[:limit])}
    plans = []
    for source, rows in items:
        chosen = sorted(
            (item for item in rows if item.item_id in rank),
            key=lambda item: (rank[item.item_id], item.dimension),
        )
        if chosen:
            judge = make_judge(spec, source.reference_file, environ)
            plans.append(_plan(experiment, spec, source, template, chosen, judge))
    return plans


def request_id(spec: JudgeSpec, judge: Judge, request: Request) -> str:
    """Return the hash of everything that can change a request's answer.

    The item's id and dimension are part of it, so that two items with one text stay two requests.

    Args:
        spec: The judge's definition.
        judge: The judge, which knows what its answers depend on.
        request: The request.
    """
    identity = {
        "provider": spec.provider,
        "model": spec.model,
        "item_id": request.item.item_id,
        "dimension": request.item.dimension,
        "sample": request.sample,
        **judge.identity(request),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def _check_dimension(
    experiment: Experiment, items: Sequence[tuple[ItemSource, Sequence[Item]]]
) -> None:
    lacking = [source for source, rows in items if not rows]
    if len(lacking) == len(items) or (lacking and experiment.datasets != ("*",)):
        name = lacking[0].dataset_id if lacking else "*"
        there = ", ".join(dimensions_of(lacking[0])) if lacking else "none"
        raise BadItems(
            f"runner: data set '{name}' has no dimension '{experiment.dimension}', which "
            f"experiment '{experiment.name}' asks about; it has {there}; write an experiment for "
            "one of them, with a prompt that asks for it"
        )


def _check_fit(
    experiment: Experiment, template: Template, source: ItemSource, items: Sequence[Item]
) -> None:
    dimensions = sorted({item.dimension for item in items})
    if len(dimensions) > 1 and "question" not in template.slots:
        raise BadItems(
            f"runner: '{source.dataset_id}' has the dimensions {', '.join(dimensions)}, and prompt "
            f"'{template.instrument}' asks the same of each; name one as the dimension of "
            f"experiment '{experiment.name}', or use a prompt with the slot {{question}}"
        )
    for item in items:
        if template.scale not in (None, (item.scale_min, item.scale_max)):
            raise BadItems(
                f"runner: '{source.dataset_id}', dimension '{item.dimension}' goes from "
                f"{item.scale_min} to {item.scale_max}, and prompt '{template.instrument}' offers "
                f"{template.scale}; use a prompt with the slots {{scale_min}} and {{scale_max}}"
            )


def _plan(
    experiment: Experiment,
    spec: JudgeSpec,
    source: ItemSource,
    template: Template,
    items: Sequence[Item],
    judge: Judge,
) -> PlannedRun:
    decoding = {"max_tokens": experiment.max_tokens, "temperature": experiment.temperature}
    requests: dict[str, Request] = {}
    for item in items:
        prompt = template.render(_slot_values(item))
        for sample in range(experiment.repeats):
            request = Request(item, template, sample, prompt, decoding)
            requests[request_id(spec, judge, request)] = request
    with source.items_file.open("rb") as file:
        items_sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    parts = [
        experiment.definition_hash, spec.judge_id, spec.settings_hash, template.prompt_hash,
        source.dataset_id, items_sha256,
    ]  # fmt: skip
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    run_id = f"{experiment.name}--{slug(spec.judge_id)}--{digest[:8]}"
    dimensions = sorted({item.dimension for item in items})
    header = {
        "run_id": run_id,
        "experiment": experiment.name,
        "judge_id": spec.judge_id,
        "provider": spec.provider,
        "model": spec.model,
        "family": spec.family,
        "size_b_params": spec.size_b_params,
        "settings": spec.settings,
        "settings_hash": spec.settings_hash,
        "decoding": decoding,
        "dataset_id": source.dataset_id,
        "item_file": f"{source.dataset_id}/{source.items_file.name}",
        "items_sha256": items_sha256,
        "dimension": dimensions[0] if len(dimensions) == 1 else "*",
        "templates": [
            {
                "template": template.label,
                "instrument": template.instrument,
                "wording": template.wording,
                "prompt_hash": template.prompt_hash,
                "is_justified": template.is_justified,
            }
        ],
        "planned": len(requests),
        "code_version": version("rostrum"),
    }
    return PlannedRun(run_id, judge, requests, header)


def _slot_values(item: Item) -> dict[str, str]:
    return {
        "motion": item.motion,
        "speech": item.text,
        "question": item.question,
        "scale_min": str(item.scale_min),
        "scale_max": str(item.scale_max),
    }
