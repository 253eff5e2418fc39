"""The judges: one file per provider or subject, and the one place that makes them."""

from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path

from inference.errors import UnknownJudge
from inference.judges.base import Judge
from inference.judges.text_rules import METRIC_OF
from inference.prices import Prices, load_prices
from inference.providers import PROVIDERS
from inference.providers.base import in_words
from inference.questions.answers import LOCAL_METRICS
from inference.registry import JudgeSpec


def check_kind(spec: JudgeSpec, kind: str) -> None:
    """Make sure that a judge judges a kind of item.

    Raises:
        UnknownJudge: It does not.
    """
    if kind in spec.kinds:
        return
    able = {
        provider: [
            f"{provider}/{name}"
            for family in rules.families
            if kind in family.kinds
            for name in family.presets
        ]
        for provider, rules in PROVIDERS.items()
    }
    # Those of other providers where its own has none.
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
    """Return the judge of a specification. Nothing is opened yet.

    Args:
        reference_file: Human values of the items, or points of view on questions; passed on to
            simulated judges only, and to the rule of the side that wins more often.
        environ: Keys, read when the judge is opened; the process's environment unless given.
        prices: The shipped prices unless given.
        metric: How answers are compared with points of view, for evaluators.

    Raises:
        UnknownJudge: The judge does not know the metric.
    """
    family, path = spec.judge_family, spec.judge_family.judge
    if metric is not None:
        metrics = family.metrics or (METRIC_OF[spec.model],)
        if metric not in metrics:
            rules = [f"rule/{rule}" for rule, its in METRIC_OF.items() if its == metric]
            able = [*(["local/… models"] if metric in LOCAL_METRICS else []), *rules]
            raise UnknownJudge(
                f"judges: '{spec.judge_id}' compares by {' or '.join(metrics)}, and this "
                f"experiment by {metric}; those that can are {' and '.join(able)}"
            )
        path = family.evaluator or path
    given = {
        "spec": spec,
        "reference_file": reference_file,
        "environ": environ,
        "price": (prices or load_prices()).price_for(spec) if spec.rules.is_model else None,
        "metric": metric,
    }
    module, _, name = path.rpartition(".")
    judge = getattr(import_module(module), name)
    made: Judge = judge(**{each: given[each] for each in signature(judge).parameters})
    return made
