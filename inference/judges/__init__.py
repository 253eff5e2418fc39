"""The judges: one file per provider, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inference.judges.base import Judge
from inference.judges.rules import RuleJudge
from inference.judges.simulated import SimulatedJudge
from inference.registry import JudgeSpec


def make_judge(
    spec: JudgeSpec, reference_file: Path | None, environ: Mapping[str, str] | None = None
) -> Judge:
    """Return the judge a specification describes. Nothing is opened yet.

    Args:
        spec: The judge.
        reference_file: Human values of the items; handed on to simulated judges only.
        environ: Where keys are read from when the judge is opened; the process's environment
            unless given.
    """
    if spec.provider == "rule":
        return RuleJudge(spec)
    if spec.provider == "simulated":
        return SimulatedJudge(spec, reference_file)
    # Imported here: the client takes a second to load, and offline judges have no use for it.
    from inference.judges.openai_chat import OpenAIJudge  # noqa: PLC0415

    return OpenAIJudge(spec, environ)
