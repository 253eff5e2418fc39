"""Experiments, judges and plans as JSON for programs.

The dashboard reads these through the command line. Of a key they say whether it is set, and never
what it is.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from inference.experiment import Experiment
from inference.experiments import list_experiments, load_experiment
from inference.items import ItemSource, dimensions_of, find_item_sources
from inference.kinds import KIND
from inference.prices import FREE, Price, load_prices
from inference.registry import JudgeSpec, load_judges, spec_for
from orchestration.commands.run_commands import Plan
from orchestration.commands.runs.plan import plan_total, planned, sources_of
from warehouse.home import Home

# How a description ends that names where a paper prints the figures.
_PRINTED = re.compile(r"\(((?:the study|DebateQA|DebateBench)'s (?:Tables?|Figures?) [^()]+)\)")

_COST = "tokens times the judge's price, none of them cached"
_DEBATED = "all who take part at the price of the judge itself, nothing cached"


def experiment_facts(home: Home) -> list[dict[str, Any]]:
    """Return every experiment in words, with the data sets of the home that it can ask about."""
    is_loaded = any(home.items.glob("*/current.json"))
    sources = find_item_sources(home.items) if is_loaded else []
    found = []
    for name in list_experiments([home.experiments]):
        experiment = load_experiment(name, [home.experiments])
        kind = KIND[experiment.kind]
        options = experiment.options
        printed = _PRINTED.search(experiment.description)
        named = [
            source
            for source in sources
            if experiment.datasets == ("*",) or source.dataset_id in experiment.datasets
        ]
        found.append(
            {
                "experiment": name,
                "description": experiment.description,
                "printed_in": printed[1] if printed else None,
                "kind": experiment.kind,
                "judges": kind.noun,
                "requests_per_item": experiment.requests_per_item,
                "dimension": getattr(options, "dimension", "*"),
                "datasets": [
                    each.dataset_id for each in named if kind.items(experiment, each).match()
                ],
                "needs_name": _needs_name(home, experiment, named),
                "lacking": _lacking(experiment, named),
            }
        )
    return found


def _needs_name(home: Home, experiment: Experiment, sources: Sequence[ItemSource]) -> bool:
    """Whether a run that names no data set would have none to ask about, though there is one."""
    items = partial(KIND[experiment.kind].items, experiment)
    if experiment.datasets != ("*",) or not any(items(each).match() for each in sources):
        return False
    return not any(items(each).match() for each in sources_of(home, experiment, ()))


def _lacking(experiment: Experiment, sources: Sequence[ItemSource]) -> list[str] | None:
    """Return a data set, and what was rated there, that an experiment asks nothing of."""
    for source in sources:
        items = KIND[experiment.kind].items(experiment, source)
        if items.exist() and not items.match():
            return [source.dataset_id, dimensions_of(source)[0]]
    return None


def judge_facts(home: Home) -> list[dict[str, Any]]:
    """Return every judge of the home with what it judges, its price, and whether its key is set."""
    prices = load_prices(home.prices_file)
    return [_judge(spec, prices.price_for(spec)) for spec in load_judges(home.judges_file)]


def plan_facts(home: Home, wanted: Plan) -> dict[str, Any]:
    """Return the requests, cost and smallest effects of `rostrum run` with the same options."""
    from orchestration.commands.runs.detectable import effects_of

    judge_id = str(wanted.judge)
    experiment = load_experiment(wanted.experiment, [home.experiments])
    sources = sources_of(home, experiment, wanted.datasets)
    found = planned(home, wanted.experiment, judge_id, **wanted.extent)
    total = asdict(plan_total(found.variants))
    for name in ("dataset_id", "template", "asks", "basis"):
        del total[name]
    return {
        "experiment": experiment.name,
        "superseded_by": experiment.superseded_by,
        "judge": _judge(spec_for(judge_id, home.judges_file), found.price),
        "limit": wanted.limit,
        "datasets": sorted({each.dataset_id for each in found.variants}),
        "total": total,
        "variants": [asdict(each) for each in found.variants],
        "assumptions": {
            "tokens_in": found.method,
            "tokens_out": sorted({each.basis for each in found.variants if each.to_ask}),
            "cost": _DEBATED if experiment.kind == "transcript" else _COST,
        },
        "smallest_effects": effects_of(home, experiment, judge_id, sources, wanted.limit),
    }


def as_json(facts: Any) -> str:
    """Return facts as the text that a command prints."""
    return json.dumps(facts, indent=1, allow_nan=False) + "\n"


def _judge(spec: JudgeSpec, price: Price | None) -> dict[str, Any]:
    return {
        "judge": spec.judge_id,
        "provider": spec.provider,
        "family": spec.family,
        "kinds": list(spec.kinds),
        "is_charged": spec.provider not in FREE,
        "is_bulk": spec.rules.is_bulk,
        "price": None if price is None else asdict(price),
        "key": _key(spec),
    }


def _key(spec: JudgeSpec) -> Mapping[str, Any] | None:
    """Return the variable that a judge's key is in and whether it is set; None without a key."""
    variable = spec.settings.get("api_key_env")
    return {"variable": variable, "set": bool(os.environ.get(variable))} if variable else None
