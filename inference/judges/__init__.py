"""The judges: one file per provider, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inference.judges.base import Judge
from inference.judges.rules import RuleJudge
from inference.judges.simulated import SimulatedJudge
from inference.prices import Prices, load_prices
from inference.registry import JudgeSpec


def make_judge(
    spec: JudgeSpec,
    reference_file: Path | None,
    environ: Mapping[str, str] | None = None,
    prices: Prices | None = None,
) -> Judge:
    """Return the judge a specification describes. Nothing is opened yet.

    Args:
        spec: The judge.
        reference_file: Human values of the items; handed on to simulated judges only.
        environ: Where keys are read from when the judge is opened; the process's environment
            unless given.
        prices: What tokens cost; the shipped prices unless given.
    """
    if spec.provider == "rule":
        return RuleJudge(spec)
    if spec.provider == "simulated":
        return SimulatedJudge(spec, reference_file)
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
