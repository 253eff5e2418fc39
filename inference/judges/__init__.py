"""The judges: one file per provider, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inference.errors import UnknownJudge
from inference.judges.base import Judge
from inference.judges.debate_rules import DebateRuleJudge
from inference.judges.rules import RuleJudge
from inference.judges.simulated import SimulatedJudge
from inference.judges.simulated_debates import SimulatedDebateJudge
from inference.prices import Prices, load_prices
from inference.providers import PROVIDERS
from inference.registry import JudgeSpec


def check_kind(spec: JudgeSpec, kind: str) -> None:
    """Make sure that a judge answers about a kind of item.

    Args:
        spec: The judge.
        kind: `speech` or `debate`.

    Raises:
        UnknownJudge: It does not.
    """
    if kind not in spec.kinds:
        rules = PROVIDERS[spec.provider]
        others = ", ".join(
            f"{spec.provider}/{name}"
            for name in rules.presets
            if kind in rules.kinds_of(name, rules.presets[name])
        )
        raise UnknownJudge(
            f"judges: '{spec.judge_id}' judges a {' or a '.join(spec.kinds)}, and this experiment "
            f"asks about a {kind}; those that do are {others}, and models"
        )


def make_judge(
    spec: JudgeSpec,
    reference_file: Path | None,
    environ: Mapping[str, str] | None = None,
    prices: Prices | None = None,
) -> Judge:
    """Return the judge a specification describes. Nothing is opened yet.

    Args:
        spec: The judge.
        reference_file: Human values of the items; handed on to simulated judges only, and to the
            rule that names the side which wins more often.
        environ: Where keys are read from when the judge is opened; the process's environment
            unless given.
        prices: What tokens cost; the shipped prices unless given.
    """
    judges_debates = "debate" in spec.kinds
    if spec.provider == "rule":
        return DebateRuleJudge(spec, reference_file) if judges_debates else RuleJudge(spec)
    if spec.provider == "simulated":
        simulated = SimulatedDebateJudge if judges_debates else SimulatedJudge
        return simulated(spec, reference_file)
    if spec.provider == "replay":
        from inference.judges.replay import ReplayJudge  # noqa: PLC0415

        return ReplayJudge(spec)
    # Imported here: clients and models take seconds to load, and others have no use for them.
    if spec.provider == "local":
        from inference.judges.local import LocalJudge  # noqa: PLC0415

        return LocalJudge(spec)
    price = (prices or load_prices()).price_for(spec)
    if spec.provider == "batch":
        from inference.judges.openai_batch import BatchJudge  # noqa: PLC0415

        return BatchJudge(spec, environ, price)
    from inference.judges.openai_chat import OpenAIJudge  # noqa: PLC0415

    return OpenAIJudge(spec, environ, price)
