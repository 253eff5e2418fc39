"""What a run will ask: which items, in which order, under which run and request ids.

The items are drawn by the experiment's seed, so that a limit takes a random sample that a larger
limit continues. Requests whose prompts begin alike are then asked next to each other, in the place
of the first of them, so that an endpoint which caches what prompts begin with need not read it
again.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from inference.debates import Debate, debates_file, iter_debates
from inference.errors import BadItems, BadSettings, BadTemplate
from inference.experiments import Experiment
from inference.history import own_answers, slug
from inference.items import ItemSource, Speech, dimensions_of, iter_items
from inference.judges import check_kind, make_judge
from inference.judges.base import Judge, Request
from inference.parsing import PARSER_VERSION
from inference.prices import Prices
from inference.registry import JudgeSpec
from inference.requests import Question, RequestBook
from inference.sampling import draw, ranks
from inference.templates import load_template

# About a thousand tokens: what endpoints cache is at least so long.
_PREFIX_CHARACTERS = 4096


@dataclass(frozen=True)
class PlannedRun:
    """One experiment, one judge, one items file.

    Attributes:
        run_id: The same for every start of the same thing; a limit does not change it.
        judge: The judge, not opened.
        requests: Every request by its id, in the order of asking.
        header: The journal's `run` line, without the time.
        is_fresh: Whether answers of other runs are left where they are.
    """

    run_id: str
    judge: Judge
    requests: RequestBook
    header: Mapping[str, Any]
    is_fresh: bool


def plan_runs(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path | None = None,
    prompts_folder: Path | None = None,
    limit: int | None = None,
    is_fresh: bool = False,
    environ: Mapping[str, str] | None = None,
    prices: Prices | None = None,
) -> list[PlannedRun]:
    """Return one planned run per data set that has items to ask about.

    A data set without the experiment's dimension is left out, unless it was named or none has it.

    Args:
        experiment: What to ask.
        spec: The judge.
        sources: Where the items are.
        journal_root: The folder of all runs, where a fresh run looks for those before it.
        prompts_folder: The user's own prompts.
        limit: Ask about this many items at most, over all data sets together. They are a random
            sample that a larger limit continues.
        is_fresh: Ask anew what was answered before. A fresh run that was not finished goes on.
        environ: Where the judge reads its key.
        prices: What tokens cost; the shipped prices unless given.

    Raises:
        BadItems: The items do not fit the experiment, or too few can be drawn.
        BadSettings: The limit is below 1.
        BadTemplate: A prompt cannot be used.
        UnknownJudge: The judge does not answer about this kind of item.
    """
    if limit is not None and limit < 1:
        raise BadSettings(f"runner: the limit is {limit}; it must be 1 or more, or left out")
    check_kind(spec, experiment.kind)
    questions = _questions(experiment, prompts_folder)
    drawn = [draw(experiment, source) for source in sources]
    if experiment.kind == "speech":
        _check_dimension(
            experiment, [(source, each.keys) for source, each in zip(sources, drawn, strict=True)]
        )
    plans = []
    for source, each, places in zip(sources, drawn, ranks(drawn, limit), strict=True):
        if (places >= 0).any():
            is_debate = experiment.kind == "debate"
            reference = source.debates_reference_file if is_debate else source.reference_file
            judge = make_judge(spec, reference, environ, prices)
            draft = _Draft(experiment, spec, source, questions, judge, each.facts)
            plans.append(draft.plan(places, journal_root if is_fresh else None))
    return plans


def request_id(spec: JudgeSpec, judge: Judge, request: Request) -> str:
    """Return the hash of everything that can change a request's answer.

    The item's id, and what is asked about it, are part of it, so that two items with one text stay
    two requests.

    Args:
        spec: The judge's definition.
        judge: The judge, which knows what its answers depend on.
        request: The request.
    """
    identity = {
        "provider": spec.provider,
        "model": spec.model,
        **request.identity(),
        **judge.identity(request),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def _questions(experiment: Experiment, prompts_folder: Path | None) -> list[Question]:
    """Return what is asked about every item: each arm, or the one prompt, as often as repeated."""
    names = [arm.template for arm in experiment.arms] or [experiment.template]
    templates = {name: load_template(name, prompts_folder) for name in dict.fromkeys(names)}
    for name, template in templates.items():
        if template.kind != experiment.kind:
            raise BadTemplate(
                f"runner: experiment '{experiment.name}' asks about a {experiment.kind}, and "
                f"prompt '{name}' about a {template.kind}; name another prompt"
            )
    for arm in experiment.arms:
        if arm.outcome != "winner" and "outcome" not in templates[arm.template].slots:
            raise BadTemplate(
                f"runner: experiment '{experiment.name}' asks for the {arm.outcome}, and prompt "
                f"'{arm.template}' has no slot {{outcome}} to say so; use one that has"
            )
    samples = range(experiment.repeats)
    if not experiment.arms:
        return [Question(templates[experiment.template], sample) for sample in samples]
    return [
        Question(templates[arm.template], sample, arm)
        for arm in experiment.arms
        for sample in samples
    ]


def _check_dimension(
    experiment: Experiment, items: Sequence[tuple[ItemSource, np.ndarray[Any, Any]]]
) -> None:
    lacking = [source for source, keys in items if not len(keys)]
    if len(lacking) == len(items) or (lacking and experiment.datasets != ("*",)):
        name = lacking[0].dataset_id if lacking else "*"
        there = ", ".join(dimensions_of(lacking[0])) if lacking else "none"
        raise BadItems(
            f"runner: data set '{name}' has no dimension '{experiment.dimension}', which "
            f"experiment '{experiment.name}' asks about; it has {there}; write an experiment for "
            "one of them, with a prompt that asks for it"
        )


def _together(prefixes: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> Any:
    """Return the order by place, but what shares a prefix follows the first that has it."""
    _, group = np.unique(prefixes, return_inverse=True)
    first = np.full(len(prefixes), np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(first, group, places)
    return np.lexsort((np.arange(len(places)), places, first[group]))


class _Draft:
    """A run on its way to being planned."""

    def __init__(
        self,
        experiment: Experiment,
        spec: JudgeSpec,
        source: ItemSource,
        questions: Sequence[Question],
        judge: Judge,
        sampling: Mapping[str, Any],
    ) -> None:
        self._experiment = experiment
        self._spec = spec
        self._source = source
        self._questions = questions
        self._templates = list(dict.fromkeys(each.template for each in questions))
        self._judge = judge
        self._sampling = sampling
        self._is_debate = experiment.kind == "debate"
        self._decoding = {
            "max_tokens": experiment.max_tokens,
            "temperature": experiment.temperature,
        }
        self._dimensions: set[str] = set()

    @property
    def _file(self) -> Path:
        return debates_file(self._source) if self._is_debate else self._source.items_file

    def plan(self, places: np.ndarray[Any, Any], journal_root: Path | None) -> PlannedRun:
        """Return the run, in the fresh generation that is not complete if a journal root is given.

        Args:
            places: For each item of the source its place in the order, or -1 to leave it out.
            journal_root: The folder of all runs.
        """
        kind = Debate if self._is_debate else Speech
        book = RequestBook(kind, self._questions, self._decoding, self._experiment.seed)
        self._fill(book, places)
        with self._file.open("rb") as file:
            items_sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        generation, run_id = 0, self._run_id(items_sha256, 0)
        if journal_root is not None:
            generation, run_id = 1, self._run_id(items_sha256, 1)
            while own_answers(journal_root / run_id).status == "complete":
                generation += 1
                run_id = self._run_id(items_sha256, generation)
        header = self._header(run_id, generation, items_sha256, len(book))
        return PlannedRun(run_id, self._judge, book, header, is_fresh=generation > 0)

    def _items(self) -> Iterator[Speech | Debate]:
        if not self._is_debate:
            yield from iter_items(self._source, self._experiment.dimension)
            return
        for debate in iter_debates(self._source):
            is_cut = self._experiment.without_other_turns
            yield debate.without_other_turns() if is_cut else debate

    def _fill(self, book: RequestBook, places: np.ndarray[Any, Any]) -> None:
        """Put every request into the book, in the order of asking."""
        prefixes, chosen = array("Q"), array("Q")
        ids: list[str] = []
        for place, item in zip(places.tolist(), self._items(), strict=True):
            if place < 0:
                continue
            if isinstance(item, Speech):
                self._check_fit(item)
            book.add_item(item)
            chosen.append(place)
            head = b""
            for question in self._questions:
                request = book.request(item, question)
                ids.append(request_id(self._spec, self._judge, request))
                head = head or request.prompt[:_PREFIX_CHARACTERS].encode("utf-8", "replace")
            prefixes.append(int.from_bytes(hashlib.blake2b(head, digest_size=8).digest(), "big"))
        self._check_questions()
        for number in _together(np.array(prefixes), np.array(chosen)).tolist():
            for question_number in range(len(self._questions)):
                place = number * len(self._questions) + question_number
                book.add(ids[place], number, question_number)

    def _check_questions(self) -> None:
        for template in self._templates:
            if len(self._dimensions) > 1 and "question" not in template.slots:
                raise BadItems(
                    f"runner: '{self._source.dataset_id}' has the dimensions "
                    f"{', '.join(sorted(self._dimensions))}, and prompt '{template.instrument}' "
                    "asks the same of each; name one as the dimension of experiment "
                    f"'{self._experiment.name}', or use a prompt with the slot {{question}}"
                )

    def _check_fit(self, item: Speech) -> None:
        self._dimensions.add(item.dimension)
        for template in self._templates:
            if template.scale not in (None, (item.scale_min, item.scale_max)):
                raise BadItems(
                    f"runner: '{self._source.dataset_id}', dimension '{item.dimension}' goes from "
                    f"{item.scale_min} to {item.scale_max}, and prompt '{template.instrument}' "
                    f"offers {template.scale}; use a prompt with the slots {{scale_min}} and "
                    "{scale_max}"
                )

    def _run_id(self, items_sha256: str, generation: int) -> str:
        parts: list[Any] = [
            self._experiment.definition_hash, self._spec.judge_id, self._spec.settings_hash,
            *(template.prompt_hash for template in self._templates), self._source.dataset_id,
            items_sha256,
        ]  # fmt: skip
        if generation:
            parts.append(generation)
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"{self._experiment.name}--{slug(self._spec.judge_id)}--{digest[:8]}"

    def _header(
        self, run_id: str, generation: int, items_sha256: str, planned: int
    ) -> dict[str, Any]:
        spec, dimensions = self._spec, sorted(self._dimensions)
        asked: dict[str, Any] = {"dimension": dimensions[0] if len(dimensions) == 1 else "*"}
        if self._is_debate:
            arms = [asdict(arm) for arm in self._experiment.arms]
            asked = {"sampling": dict(self._sampling), "arms": arms}
        return {
            "run_id": run_id,
            "experiment": self._experiment.name,
            "judge_id": spec.judge_id,
            "provider": spec.provider,
            "model": spec.model,
            "family": spec.family,
            "size_b_params": spec.size_b_params,
            "settings": spec.settings,
            "settings_hash": spec.settings_hash,
            "decoding": self._decoding,
            "dataset_id": self._source.dataset_id,
            "item_file": f"{self._source.dataset_id}/{self._file.name}",
            "items_sha256": items_sha256,
            **asked,
            "templates": [
                {
                    "template": template.label,
                    "instrument": template.instrument,
                    "wording": template.wording,
                    "prompt_hash": template.prompt_hash,
                    "is_justified": template.is_justified,
                }
                for template in self._templates
            ],
            "planned": planned,
            "generation": generation,
            "parser_version": PARSER_VERSION,
            "code_version": version("rostrum"),
        }
