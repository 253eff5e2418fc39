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
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inference.equipment import check_manuals, equipped
from inference.errors import BadItems, BadSettings
from inference.experiments import Experiment
from inference.history import own_answers, slug
from inference.items import ItemSource, Speech, dimensions_of
from inference.judges import check_kind, make_judge
from inference.judges.base import Item, Judge, Request
from inference.kinds import KIND
from inference.oversight.debating.play import DebatingJudge
from inference.parsing import PARSER_VERSION
from inference.prices import Prices
from inference.questions.answers import AT_ONCE, PartialAnswer, Question, read_partial_answers
from inference.registry import JudgeSpec
from inference.requests import Asked, RequestBook
from inference.sampling import draw, ranks
from inference.wordings import asked_of_each

if TYPE_CHECKING:
    from inference.questions.grounding import Grounding
    from inference.questions.web.pages import Web

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
    web: Web | None = None,
    judges_file: Path | None = None,
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
        web: The way to the web, for experiments that take documents from there.
        judges_file: The `judges.toml` with the settings of what compares documents.

    Raises:
        BadItems: The items do not fit the experiment, too few can be drawn, or documents are to be
            shown and there are none.
        BadSettings: The limit is below 1, a batch is to look for documents or to take notes in
            between, or a judging manual alone is longer than the judge's window.
        BadTemplate: A prompt or a judging manual cannot be used.
        UnknownJudge: The judge does not answer about this kind of item.
    """
    if limit is not None and limit < 1:
        raise BadSettings(f"runner: the limit is {limit}; it must be 1 or more, or left out")
    check_kind(spec, experiment.kind)
    asked = asked_of_each(experiment, prompts_folder)
    check_manuals(spec, asked, prices)
    drawn = [draw(experiment, source) for source in sources]
    if experiment.kind == "speech":
        _check_dimension(
            experiment, [(source, each.keys) for source, each in zip(sources, drawn, strict=True)]
        )
    plans = []
    for source, each, places in zip(sources, drawn, ranks(drawn, limit), strict=True):
        if (places >= 0).any():
            reference = KIND[experiment.kind].reference(source)
            metric = experiment.comparison.metric if experiment.kind == "likelihood" else None
            judge = make_judge(spec, reference, environ, prices, metric)
            judge, grounding = equipped(
                experiment, spec, judge, asked, source, prompts_folder=prompts_folder,
                web=web, judges_file=judges_file, environ=environ,
                prices=prices,
            )  # fmt: skip
            draft = _Draft(experiment, spec, source, asked, judge, each.facts, grounding)
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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Draft:
    """A run on its way to being planned."""

    def __init__(
        self,
        experiment: Experiment,
        spec: JudgeSpec,
        source: ItemSource,
        asked: Sequence[Asked],
        judge: Judge,
        sampling: Mapping[str, Any],
        grounding: Grounding | None,
    ) -> None:
        self._experiment = experiment
        self._spec = spec
        self._source = source
        self._asked = asked
        used = [each.template for each in asked]
        used += [each.length for each in asked if each.length is not None]
        self._templates = list(dict.fromkeys(used))
        self._judge = judge
        self._sampling = sampling
        self._kind = KIND[experiment.kind]
        self._grounding = grounding
        self._decoding = experiment.decoding
        self._dimensions: set[str] = set()
        # Of the file of the points of view that are shown or compared with.
        self._compared_with: str | None = None

    @property
    def _file(self) -> Path:
        return self._kind.file(self._source)

    def plan(self, places: np.ndarray[Any, Any], journal_root: Path | None) -> PlannedRun:
        """Return the run, in the fresh generation that is not complete if a journal root is given.

        Args:
            places: For each item of the source its place in the order, or -1 to leave it out.
            journal_root: The folder of all runs.
        """
        book = RequestBook(
            self._kind.item, self._asked, self._decoding, self._experiment.seed,
            self._partial_answers(),
        )  # fmt: skip
        self._fill(book, places)
        items_sha256 = _sha256(self._file)
        generation, run_id = 0, self._run_id(items_sha256, 0)
        if journal_root is not None:
            generation, run_id = 1, self._run_id(items_sha256, 1)
            while own_answers(journal_root / run_id).status == "complete":
                generation += 1
                run_id = self._run_id(items_sha256, generation)
        header = self._header(run_id, generation, items_sha256, len(book))
        return PlannedRun(run_id, self._judge, book, header, is_fresh=generation > 0)

    def _partial_answers(self) -> Mapping[str, tuple[PartialAnswer, ...]]:
        """Return the points of view on each question, where a request has a use for them."""
        shows = any("partial_answers" in template.slots for template in self._templates)
        if self._experiment.kind != "likelihood" and not shows:
            return {}
        who = f"experiment '{self._experiment.name}'"
        found = read_partial_answers(self._source.partial_answers_file, who)
        if self._source.partial_answers_file is not None:
            self._compared_with = _sha256(self._source.partial_answers_file)
        return found

    def _items(self, places: Sequence[int]) -> Iterator[tuple[int, Item]]:
        """Yield the items that are asked about, each with its place in the order."""
        items = self._kind.items(self._experiment, self._source)
        for place, item in zip(places, items, strict=True):
            if place < 0:
                continue
            yield place, self._with_documents(item) if isinstance(item, Question) else item

    def _with_documents(self, question: Question) -> Question:
        """Return a question with the documents that its arms show at once."""
        if self._grounding is None:
            return question
        for arm in self._experiment.generations:
            if arm.retrieval == AT_ONCE:
                trusted = bool(arm.is_trusted_only)
                texts, record = self._grounding.at_once(question, trusted_only=trusted)
                if trusted:
                    question = replace(
                        question, trusted_documents=texts, trusted_documents_record=record
                    )
                else:
                    question = replace(question, documents=texts, documents_record=record)
        return question

    def _fill(self, book: RequestBook, places: np.ndarray[Any, Any]) -> None:
        """Put every request into the book, in the order of asking."""
        prefixes, chosen = array("Q"), array("Q")
        ids: list[str | None] = []
        for place, item in self._items(places.tolist()):
            if isinstance(item, Speech):
                self._check_fit(item)
            book.add_item(item)
            chosen.append(place)
            head = b""
            for asked in self._asked:
                if not book.has_use(item, asked):
                    ids.append(None)
                    continue
                request = book.request(item, asked)
                ids.append(request_id(self._spec, self._judge, request))
                head = head or request.sent[:_PREFIX_CHARACTERS].encode("utf-8", "replace")
            prefixes.append(int.from_bytes(hashlib.blake2b(head, digest_size=8).digest(), "big"))
        self._check_questions()
        for number in _together(np.array(prefixes), np.array(chosen)).tolist():
            for asked_number in range(len(self._asked)):
                asked_id = ids[number * len(self._asked) + asked_number]
                if asked_id is not None:
                    book.add(asked_id, number, asked_number)

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
        if self._compared_with is not None:
            parts.append(self._compared_with)
        # Another manual makes another run, and other notes do.
        parts += sorted({each.manual.label for each in self._asked if each.manual is not None})
        parts += sorted({each.note.prompt_hash for each in self._asked if each.note is not None})
        if generation:
            parts.append(generation)
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"{self._experiment.name}--{slug(self._spec.judge_id)}--{digest[:8]}"

    def _header(
        self, run_id: str, generation: int, items_sha256: str, planned: int
    ) -> dict[str, Any]:
        spec = self._spec
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
            **self._about(),
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

    def _about(self) -> dict[str, Any]:
        """Return what the run's header says of its kind of experiment."""
        experiment = self._experiment
        sampling = {"sampling": dict(self._sampling)}
        if experiment.kind == "speech":
            dimensions = sorted(self._dimensions)
            return {"dimension": dimensions[0] if len(dimensions) == 1 else "*"}
        if experiment.kind == "debate":
            return {**sampling, "arms": [asdict(arm) for arm in experiment.arms]}
        about = {"experiment_kind": experiment.kind, **sampling}
        if self._compared_with is not None:
            about["partial_answers_sha256"] = self._compared_with
        if experiment.kind == "question":
            arms = [asdict(arm) for arm in experiment.generations]
            embedder = None if self._grounding is None else experiment.embedder
            if experiment.retrieval is not None:
                about["retrieval"] = asdict(experiment.retrieval)
            return {**about, "arms": arms, "embedder": embedder}
        if experiment.kind == "parliamentary":
            arms = [asdict(arm) for arm in experiment.adjudications]
            manuals = {each.manual.label for each in self._asked if each.manual is not None}
            return {**about, "arms": arms, "manuals": sorted(manuals)}
        if experiment.kind == "transcript":
            arms = [asdict(arm) for arm in experiment.debate_plans]
            others = self._judge.others if isinstance(self._judge, DebatingJudge) else ()
            parties = {each.judge_id: each.settings for each in others}
            return {**about, "arms": arms, "parties": parties}
        if experiment.judgings:
            return {**about, "arms": [asdict(arm) for arm in experiment.judgings]}
        if experiment.kind == "writing":
            return {**about, **asdict(experiment.writing)}
        if experiment.kind == "answer":
            return {**about, **asdict(experiment.rating)}
        return {**about, **asdict(experiment.comparison)}
