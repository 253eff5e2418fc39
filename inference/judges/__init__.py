"""The judges: one file per provider, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from inference.errors import UnknownJudge
from inference.judges.base import Judge
from inference.judges.debate_rules import DebateRuleJudge
from inference.judges.rules import AcknowledgeJudge, RuleJudge
from inference.judges.simulated.adjudicators import SimulatedAdjudicator, SpeakingOrderRule
from inference.judges.simulated.answers import SimulatedAnswerer, SimulatedReader
from inference.judges.simulated.debaters import SimulatedDebater
from inference.judges.simulated.debates import SimulatedDebateJudge
from inference.judges.simulated.oversight import SimulatedOversightJudge
from inference.judges.simulated.scores import SimulatedJudge
from inference.judges.simulated.speakers import SimulatedSpeaker
from inference.judges.text_rules import METRIC_OF, TextRule
from inference.prices import Prices, load_prices
from inference.providers import PROVIDERS, in_words
from inference.questions.answers import LOCAL_METRICS
from inference.registry import JudgeSpec


def check_kind(spec: JudgeSpec, kind: str) -> None:
    """Make sure that a judge answers about a kind of item.

    Args:
        spec: The judge.
        kind: The experiment's.

    Raises:
        UnknownJudge: It does not.
    """
    if kind not in spec.kinds:
        rules = PROVIDERS[spec.provider]
        others = [
            f"{spec.provider}/{name}"
            for name in rules.presets
            if kind in rules.family_of(name, rules.presets[name]).kinds
        ]
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
        spec: The judge.
        reference_file: Human values of the items, or points of view on questions; handed on to
            simulated judges only, and to the rule that names the side which wins more often.
        environ: Where keys are read from when the judge is opened; the process's environment
            unless given.
        prices: What tokens cost; the shipped prices unless given.
        metric: How answers are compared with points of view, where that is what is asked.

    Raises:
        UnknownJudge: The judge does not know the metric.
    """
    if metric is not None:
        return _evaluator(spec, metric)
    if spec.provider == "rule":
        return _RULES[spec.kinds[0]](spec, reference_file)
    if spec.provider == "simulated":
        return _SIMULATED[spec.kinds[0]](spec, reference_file)
    if spec.provider == "replay":
        from inference.judges.replay import ReplayJudge

        return ReplayJudge(spec)
    # Imported here: clients and models take seconds to load, and others have no use for them.
    if spec.provider == "local":
        from inference.judges.local import LocalJudge

        return LocalJudge(spec)
    price = (prices or load_prices()).price_for(spec)
    if spec.provider == "batch":
        from inference.judges.openai_batch import BatchJudge

        return BatchJudge(spec, environ, price)
    from inference.judges.openai_chat import OpenAIJudge

    return OpenAIJudge(spec, environ, price)


# By the first kind that a judge is of.
_RULES: Mapping[str, Callable[[JudgeSpec, Path | None], Judge]] = {
    "speech": lambda spec, _: RuleJudge(spec),
    "debate": DebateRuleJudge,
    "answer": lambda *_: AcknowledgeJudge(),
    "parliamentary": lambda *_: SpeakingOrderRule(),
}
_SIMULATED: dict[str, Callable[[JudgeSpec, Path | None], Judge]] = {
    "speech": SimulatedJudge,
    "debate": SimulatedDebateJudge,
    "question": SimulatedAnswerer,
    "answer": SimulatedReader,
    "parliamentary": SimulatedAdjudicator,
    "transcript": SimulatedDebater,
    "reading": SimulatedOversightJudge,
    "writing": SimulatedSpeaker,
}


def _evaluator(spec: JudgeSpec, metric: str) -> Judge:
    known = (METRIC_OF[spec.model],) if spec.provider == "rule" else LOCAL_METRICS
    if metric not in known:
        owner = next((rule for rule, its in METRIC_OF.items() if its == metric), None)
        others = "local/… models" if metric in LOCAL_METRICS else ""
        able = " and ".join(each for each in (others, f"rule/{owner}" if owner else "") if each)
        raise UnknownJudge(
            f"judges: '{spec.judge_id}' compares by {' or '.join(known)}, and this experiment by "
            f"{metric}; those that can are {able}"
        )
    if spec.provider == "rule":
        return TextRule(spec)
    from inference.judges.local_likelihood import LocalEvaluator

    return LocalEvaluator(spec, metric)
