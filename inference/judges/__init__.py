"""The judges: one file per provider, and the one place that makes them."""

from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path

from inference.errors import UnknownJudge
from inference.judges.base import Judge
from inference.judges.text_rules import METRIC_OF
from inference.prices import Prices, load_prices
from inference.providers import PROVIDERS, in_words
from inference.questions.answers import LOCAL_METRICS
from inference.registry import JudgeSpec


def check_kind(spec: JudgeSpec, kind: str) -> None:
    """Make sure that a judge answers about a kind of item.

    Raises:
        UnknownJudge: It does not.
    """
    if kind not in spec.kinds:
        able = {
            provider: [
                f"{provider}/{name}"
                for name, preset in rules.presets.items()
                if kind in rules.family_of(name, preset).kinds
            ]
            for provider, rules in PROVIDERS.items()
        }
        # Of other providers where its own has none.
        others = able[spec.provider] or [judge for judges in able.values() for judge in judges]
        models = "models on this machine (local/…)" if kind == "likelihood" else "models"
        raise UnknownJudge(
            f"judges: '{spec.judge_id}' judges {in_words(spec.kinds)}, and this experiment "
            f"asks about {in_words((kind,))}; those that do are {', '.join([*others, models])}"
        )


def make_judge(
    spec: JudgeSpec,
    reference_file: Path | None,
    environ: Mapping[str, str] | None = None,
    prices: Prices | None = None,
    metric: str | None = None,
) -> Judge:
    """Return the judge a specification describes. Nothing is opened yet.

    Args:
        reference_file: Human values of the items, or points of view on questions; handed on to
            simulated judges only, and to the rule that names the side which wins more often.
        environ: Where keys are read from when the judge is opened; the process's environment
            unless given.
        prices: What tokens cost; the shipped prices unless given.
        metric: How answers are compared with points of view, where that is what is asked.

    Raises:
        UnknownJudge: The judge does not know the metric.
    """
    rules = PROVIDERS[spec.provider]
    named = rules.judge_of(spec.kinds)
    if metric is not None:
        _check_metric(spec, metric)
        named = rules.evaluator or named
    given = {
        "spec": spec,
        "reference_file": reference_file,
        "environ": environ,
        "price": (prices or load_prices()).price_for(spec) if rules.is_model else None,
        "metric": metric,
    }
    module, _, name = named.rpartition(".")
    judge = getattr(import_module(module), name)
    made: Judge = judge(**{each: given[each] for each in signature(judge).parameters})
    return made


def _check_metric(spec: JudgeSpec, metric: str) -> None:
    rules = PROVIDERS[spec.provider]
    known = rules.metrics or (METRIC_OF[spec.model],)
    if metric not in known:
        owner = next((rule for rule, its in METRIC_OF.items() if its == metric), None)
        others = "local/… models" if metric in LOCAL_METRICS else ""
        able = " and ".join(each for each in (others, f"rule/{owner}" if owner else "") if each)
        raise UnknownJudge(
            f"judges: '{spec.judge_id}' compares by {' or '.join(known)}, and this experiment by "
            f"{metric}; those that can are {able}"
        )
