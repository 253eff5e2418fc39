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
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import numpy as np

from inference.errors import BadSettings
from inference.experiment import Experiment
from inference.experiments import definition_hash
from inference.items import ItemSource
from inference.judges import check_kind, make_judge
from inference.judges.base import Judge
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.parts import Drafted, Equipped, Resources
from inference.kinds.protocol import Item
from inference.parsing import PARSER_VERSION
from inference.prices import Prices, load_prices
from inference.questions.answers import PartialAnswer, read_partial_answers
from inference.registry import JudgeSpec
from inference.runs.history import own_answers, slug
from inference.runs.requests import RequestBook
from inference.sampling import Drawn, ranks
from warehouse.files import sha256_file

if TYPE_CHECKING:
    from inference.questions.web.access import Web

# About a thousand tokens: what endpoints cache is at least so long.
_PREFIX_CHARACTERS = 4096
# Made once, and not for every request.
_CANONICAL = json.JSONEncoder(sort_keys=True)


class Wave(NamedTuple):
    """One time that an anchor set's items are judged.

    Attributes:
        name: What it is called: part of each request's identity, so that all are asked anew.
        judge_line: The judge whose versions are compared: itself, unless it succeeds another.
    """

    name: str
    judge_line: str


class RunOptions(TypedDict, total=False):
    """What decides, besides experiment, judge and data sets, what a run asks; see `plan_runs`."""

    prompts_folder: Path | None
    limit: int | None
    is_fresh: bool
    environ: Mapping[str, str] | None
    prices: Prices | None
    web: Web | None
    judges_file: Path | None
    wave: Wave | None


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
    requests: Mapping[str, Request]
    header: Mapping[str, Any]
    is_fresh: bool


def plan_runs(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path | None = None,
    **options: Unpack[RunOptions],
) -> list[PlannedRun]:
    """Return one planned run per data set that has items to ask about.

    A data set without the experiment's dimension is left out, unless it was named or none has it.

    Args:
        journal_root: The folder of all runs, where a fresh run looks for those before it, and
            verdicts are that are put under pressure.
        **options: `prompts_folder`: the user's own prompts. `limit`: ask about this many items at
            most, over all data sets together, a random sample that a larger limit continues.
            `is_fresh`: ask anew what was answered before; a fresh run that was not finished goes
            on. `environ`: where the judge reads its key; the process's environment unless given.
            `prices`: what tokens cost; the shipped prices unless given. `web`: the way to the web,
            for experiments that take documents from there. `judges_file`: the `judges.toml` with
            the settings of what compares documents. `wave`: which time these items are judged;
            None for everything but anchor sets, whose items every wave asks about anew.

    Raises:
        BadItems: The items do not fit the experiment, too few can be drawn, or documents are to be
            shown and there are none.
        BadSettings: The limit is below 1, a batch is to look for documents or to take notes in
            between, or a judging manual alone is longer than the judge's window.
        BadTemplate: A prompt or a judging manual cannot be used.
        UnknownJudge: The judge does not answer about this kind of item.
    """
    limit, environ = options.get("limit"), options.get("environ")
    if limit is not None and limit < 1:
        raise BadSettings(f"runner: the limit is {limit}; it must be 1 or more, or left out")
    check_kind(spec, experiment.kind)
    kind, prices = KIND[experiment.kind], options.get("prices") or load_prices()
    prompts_folder, judges_file = options.get("prompts_folder"), options.get("judges_file")
    asked = kind.asked(experiment, prompts_folder)
    drawn = [kind.draw(experiment, source) for source in sources]
    kind.check_drawn(experiment, sources, drawn)
    plans = []
    for source, each, places in zip(sources, drawn, ranks(drawn, limit), strict=True):
        if (places >= 0).any():
            judge = make_judge(spec, kind.reference(source), environ, prices, experiment.metric)
            resources = Resources(
                experiment,
                spec,
                asked,
                source,
                prices,
                prompts_folder,
                options.get("web"),
                judges_file,
                environ,
                journal_root,
            )
            equipped = kind.equipped(judge, resources)
            draft = _Draft(resources, equipped, each, options.get("wave"))
            plans.append(draft.plan(places, journal_root if options.get("is_fresh") else None))
    return plans


def request_id(spec: JudgeSpec, judge: Judge, request: Request, wave: Wave | None = None) -> str:
    """Return the hash of everything that can change a request's answer.

    The item's id, and what is asked about it, are part of it, so that two items with one text stay
    two requests.

    Args:
        spec: The judge's definition.
        judge: The judge, which knows what its answers depend on.
        wave: Which time an anchor set's items are judged; None for all other requests.
    """
    identity = {
        "provider": spec.provider,
        "model": spec.model,
        **request.identity(),
        **judge.identity(request),
    }
    if wave is not None:
        identity["wave"] = wave.name
    return hashlib.sha256(_CANONICAL.encode(identity).encode()).hexdigest()


def _together(prefixes: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> Any:
    """Return the order by place, but what shares a prefix follows the first that has it."""
    _, group = np.unique(prefixes, return_inverse=True)
    first = np.full(len(prefixes), np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(first, group, places)
    return np.lexsort((np.arange(len(places)), places, first[group]))


class _Draft:
    """Builder for a PlannedRun."""

    def __init__(
        self, resources: Resources, equipped: Equipped, drawn: Drawn, wave: Wave | None
    ) -> None:
        self._wave = wave
        self._experiment = resources.experiment
        self._spec = resources.spec
        self._source = resources.source
        self._asked = resources.asked
        used = [each.template for each in self._asked]
        used += [each.length for each in self._asked if each.length is not None]
        self._templates = list(dict.fromkeys(used))
        self._judge = equipped.judge
        self._prepared = equipped.prepared
        self._sampling = drawn.facts
        self._kind = KIND[self._experiment.kind]
        self._decoding = self._experiment.decoding
        # What the kind notes of the items, in their order.
        self._noted: dict[Any, None] = {}
        # Of the file of the points of view that are shown or compared with.
        self._compared_with: str | None = None

    @property
    def _file(self) -> Path:
        return self._kind.file(self._source)

    def plan(self, places: np.ndarray[Any, Any], journal_root: Path | None) -> PlannedRun:
        """Return the run; with a journal root in the fresh generation that is not complete."""
        partial_answers = self._partial_answers()
        book = RequestBook(
            self._kind,
            self._asked,
            self._decoding,
            self._experiment.seed,
            partial_answers,
            lambda: (item for _, item in self._chosen(places)),
        )
        items_sha256 = sha256_file(self._file)
        generation, run_id = 0, self._run_id(items_sha256, 0)
        if journal_root is not None:
            generation, run_id = 1, self._run_id(items_sha256, 1)
            while own_answers(journal_root / run_id).status == "complete":
                generation += 1
                run_id = self._run_id(items_sha256, generation)
        self._fill(book, places)
        header = self._header(run_id, generation, items_sha256, len(book))
        return PlannedRun(run_id, self._judge, book, header, is_fresh=generation > 0)

    def _partial_answers(self) -> Mapping[str, tuple[PartialAnswer, ...]]:
        """Return the points of view on each question, where a request has a use for them."""
        shows = any("partial_answers" in template.slots for template in self._templates)
        if not (shows or self._kind.compares):
            return {}
        who = f"experiment '{self._experiment.name}'"
        found = read_partial_answers(self._source.partial_answers_file, who)
        if self._source.partial_answers_file is not None:
            self._compared_with = sha256_file(self._source.partial_answers_file)
        return found

    def _fill(self, book: RequestBook, places: np.ndarray[Any, Any]) -> None:
        """Put every request into the book, in the order of asking."""
        prefixes, chosen = array("q"), array("Q")
        ids: list[str | None] = []
        for place, item in self._chosen(places):
            self._noted[self._kind.noted(item)] = None
            chosen.append(place)
            head = ""
            for asked in self._asked:
                # An arm of no use has no request, but keeps its place.
                if not self._kind.has_use(item, asked.arm):
                    ids.append(None)
                    continue
                request = book.request(item, asked)
                ids.append(request_id(self._spec, self._judge, request, self._wave))
                head = head or request.sent[:_PREFIX_CHARACTERS]
            prefixes.append(hash(head))
        self._kind.check_noted(
            self._experiment, self._source.dataset_id, list(self._noted), self._templates
        )
        for number in _together(np.array(prefixes), np.array(chosen)).tolist():
            for asked_number in range(len(self._asked)):
                asked_id = ids[number * len(self._asked) + asked_number]
                if asked_id is not None:
                    book.add(asked_id, number, asked_number)

    def _chosen(self, places: np.ndarray[Any, Any]) -> Iterator[tuple[int, Item]]:
        """Yield the items that are asked about with their places, in the order of their file."""
        items = self._kind.items(self._experiment, self._source)
        for place, item in zip(places.tolist(), items, strict=True):
            if place >= 0:
                yield place, self._prepared(item)

    def _parts(self, items_sha256: str, generation: int = 0) -> list[Any]:
        """Return what tells the run apart from all others."""
        parts: list[Any] = [
            definition_hash(self._experiment),
            self._spec.judge_id,
            self._spec.settings_hash,
            *(template.prompt_hash for template in self._templates),
            self._source.dataset_id,
            items_sha256,
        ]
        if self._compared_with is not None:
            parts.append(self._compared_with)
        parts += self._kind.run_parts(self._asked)
        if generation:
            parts.append(generation)
        if self._wave is not None:
            parts.append({"wave": self._wave.name})
        return parts

    def _run_id(self, items_sha256: str, generation: int) -> str:
        parts = self._parts(items_sha256, generation)
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"{self._experiment.name}--{slug(self._spec.judge_id)}--{digest[:8]}"

    def _header(
        self, run_id: str, generation: int, items_sha256: str, planned: int
    ) -> dict[str, Any]:
        spec = self._spec
        run = Drafted(self._experiment, self._sampling, self._asked, self._judge, list(self._noted))
        compared = {"partial_answers_sha256": self._compared_with} if self._compared_with else {}
        wave = (
            {}
            if self._wave is None
            else {"wave": self._wave.name, "judge_line": self._wave.judge_line}
        )
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
            **self._kind.header(run),
            **compared,
            **wave,
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
