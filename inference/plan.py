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
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from inference.errors import BadItems, BadSettings
from inference.experiment import Experiment
from inference.experiments import definition_hash
from inference.items import ItemSource
from inference.judges import check_kind, make_judge
from inference.judges.base import Judge
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.protocol import Equipped, EquipsJudges, Item, ItemSet, Kind, RunResources
from inference.parsing import PARSER_VERSION
from inference.prices import Prices, load_prices
from inference.registry import JudgeSpec
from inference.runs.history import own_answers, slug
from inference.runs.requests import RequestBook
from inference.sampling import Drawn, ranks
from warehouse.files import sha256_file

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
    services: Mapping[str, Any]
    judges_file: Path | None
    wave: Wave | None


@dataclass(frozen=True)
class PlannedRun:
    """One experiment, one judge, one items file.

    Attributes:
        run_id: The same for every start of the same thing; a limit does not change it.
        requests: Every request by its id, in the order of asking.
        is_fresh: Whether answers of other runs are left where they are.
        is_counted: Whether prompts are counted before they are sent, as they may be too long.
    """

    run_id: str
    judge: Judge
    requests: Mapping[str, Request]
    header: Mapping[str, Any]
    is_fresh: bool
    is_counted: bool = False


def plan_runs(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path | None = None,
    **options: Unpack[RunOptions],
) -> list[PlannedRun]:
    """Return one planned run per data set that has items to ask about.

    A data set without any is left out, unless it was named.

    Args:
        journal_root: The folder of all runs, where a fresh run looks for those before it.
        **options: `prompts_folder`: the user's own prompts. `limit`: ask about this many items at
            most, over all data sets together, a random sample that a larger limit continues.
            `is_fresh`: ask again what was answered before; a fresh run that was not finished goes
            on. `environ`: where the judge reads its key; the process's environment unless given.
            `prices`: what tokens cost; the shipped prices unless given. `services`: what some
            kinds use besides, by name. `judges_file`: the `judges.toml` with the settings of other
            judges. `wave`: which time the items of an anchor set are judged.

    Raises:
        BadItems: The items do not fit the experiment, or too few can be drawn.
        BadSettings: The limit is below 1, or the judge cannot take what the experiment asks for.
        BadTemplate: A prompt cannot be used.
        UnknownJudge: The judge does not answer about this kind of item.
    """
    limit, environ = options.get("limit"), options.get("environ")
    if limit is not None and limit < 1:
        raise BadSettings(f"runner: the limit is {limit}; it must be 1 or more, or left out")
    check_kind(spec, experiment.kind)
    kind, prices = KIND[experiment.kind], options.get("prices") or load_prices()
    prompts_folder = options.get("prompts_folder")
    variants = kind.variants(experiment, prompts_folder)
    item_sets = [kind.items(experiment, source) for source in sources]
    drawn = [items.draw() for items in item_sets]
    _check_drawn(experiment, kind, item_sets, drawn)
    plans = []
    for items, each, places in zip(item_sets, drawn, ranks(drawn, limit), strict=True):
        if (places >= 0).any():
            metric = getattr(experiment.options, "metric", None)
            resources = RunResources(
                experiment,
                spec,
                variants,
                items,
                prices,
                prompts_folder,
                options.get("services", {}),
                options.get("judges_file"),
                environ,
                journal_root,
            )
            judge = make_judge(spec, items.reference, environ, prices, metric)
            equipped = Equipped(judge)
            if isinstance(kind, EquipsJudges):
                equipped = kind.equip(judge, resources)
            draft = _Draft(resources, equipped, each, options.get("wave"))
            plans.append(draft.plan(places, journal_root if options.get("is_fresh") else None))
    return plans


def _check_drawn(
    experiment: Experiment, kind: Kind, item_sets: Sequence[ItemSet], drawn: Sequence[Drawn]
) -> None:
    """Refuse data sets without any item that were named, or all that there are."""
    if not item_sets:
        raise BadItems(
            f"runner: experiment '{experiment.name}' asks about {kind.noun}, and no data set '*' "
            "is there; ingest one"
        )
    empty = [items for items, each in zip(item_sets, drawn, strict=True) if not len(each.keys)]
    if empty and (experiment.datasets != ("*",) or len(empty) == len(item_sets)):
        error = empty[0].missing(kind.noun)
        if error is not None:
            raise error


def request_id(spec: JudgeSpec, judge: Judge, request: Request, wave: Wave | None = None) -> str:
    """Return the hash of everything that can change a request's answer.

    The item's id, and what is asked about it, are part of it, so that two items with one text stay
    two requests.

    Args:
        wave: Which time the items of an anchor set are judged; None for all other requests.
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


class _Draft:
    """Builder for a PlannedRun."""

    def __init__(
        self, resources: RunResources, equipped: Equipped, drawn: Drawn, wave: Wave | None
    ) -> None:
        self._experiment = resources.experiment
        self._spec = resources.spec
        self._items = resources.items
        self._variants = resources.variants
        self._kind = KIND[self._experiment.kind]
        self._equipped = equipped
        self._sampling = drawn.facts
        self._wave = wave
        self._is_counted = False
        templates = [each.template for each in self._variants]
        templates += [other for each in self._variants for other in each.templates[1:]]
        self._templates = list(dict.fromkeys(templates))

    def plan(self, places: np.ndarray[Any, Any], journal_root: Path | None) -> PlannedRun:
        """Return the run; with a journal root in the fresh generation that is not complete."""
        book = RequestBook(
            self._kind,
            self._variants,
            self._experiment.decoding.settings,
            self._experiment.seed,
            lambda: (item for _, item in self._chosen(places)),
        )
        items_sha256 = sha256_file(self._items.path)
        generation, run_id = 0, self._run_id(items_sha256, 0)
        if journal_root is not None:
            generation, run_id = 1, self._run_id(items_sha256, 1)
            while own_answers(journal_root / run_id).status == "complete":
                generation += 1
                run_id = self._run_id(items_sha256, generation)
        self._fill(book, places)
        header = self._header(run_id, generation, items_sha256, len(book))
        judge, is_fresh = self._equipped.judge, generation > 0
        return PlannedRun(run_id, judge, book, header, is_fresh, self._is_counted)

    def _fill(self, book: RequestBook, places: np.ndarray[Any, Any]) -> None:
        """Put every request into the book, in the order of asking."""
        prefixes, chosen = array("q"), array("Q")
        ids: list[str | None] = []
        for place, item in self._chosen(places):
            self._items.observe(item)
            chosen.append(place)
            head = ""
            for variant in self._variants:
                # A variant that does not apply has no request, but keeps its place.
                if not self._kind.applies(item, variant):
                    ids.append(None)
                    continue
                request = book.request(item, variant)
                ids.append(request_id(self._spec, self._equipped.judge, request, self._wave))
                head = head or request.sent[:_PREFIX_CHARACTERS]
                if len(chosen) == 1:
                    self._is_counted |= request.costs.is_counted
            prefixes.append(hash(head))
        # Requests that begin alike follow the first that does.
        _, group = np.unique(np.array(prefixes), return_inverse=True)
        order = np.array(chosen)
        first = np.full(len(prefixes), np.iinfo(np.uint64).max, dtype=np.uint64)
        np.minimum.at(first, group, order)
        together = np.lexsort((np.arange(len(order)), order, first[group]))
        for number in together.tolist():
            for place in range(len(self._variants)):
                known = ids[number * len(self._variants) + place]
                if known is not None:
                    book.add(known, number, place)

    def _chosen(self, places: np.ndarray[Any, Any]) -> Iterator[tuple[int, Item]]:
        """Yield the items that are asked about with their places, in the order of their file."""
        for place, item in zip(places.tolist(), self._items.read(), strict=True):
            if place >= 0:
                yield place, self._equipped.prepare(item)

    def _run_id(self, items_sha256: str, generation: int) -> str:
        """Return the hash of what makes the run another than all others, behind its names."""
        parts: list[Any] = [
            definition_hash(self._experiment),
            self._spec.judge_id,
            self._spec.settings_hash,
            *(template.prompt_hash for template in self._templates),
            self._items.source.dataset_id,
            items_sha256,
            *self._equipped.run_parts,
            *(text for _, text in sorted({part for v in self._variants for part in v.run_parts})),
        ]
        if generation:
            parts.append(generation)
        if self._wave is not None:
            parts.append({"wave": self._wave.name})
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"{self._experiment.name}--{slug(self._spec.judge_id)}--{digest[:8]}"

    def _header(
        self, run_id: str, generation: int, items_sha256: str, planned: int
    ) -> dict[str, Any]:
        spec, dataset_id, wave = self._spec, self._items.source.dataset_id, {}
        if self._wave is not None:
            wave = {"wave": self._wave.name, "judge_line": self._wave.judge_line}
        # Kinds that are older than others are not named.
        named = {} if self._kind.line is None else {"experiment_kind": self._kind.name}
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
            "decoding": self._experiment.decoding.settings,
            "dataset_id": dataset_id,
            "item_file": f"{dataset_id}/{self._items.path.name}",
            "items_sha256": items_sha256,
            **named,
            **({"sampling": dict(self._sampling)} if self._sampling else {}),
            **self._experiment.options.header(),
            **self._items.header(self._templates),
            **self._equipped.header,
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
